"""What was staged reaches the hook: signed, in order, at least once, whatever it answers and whoever else announces."""

from __future__ import annotations

from base64 import b64decode
from time import monotonic
from typing import TYPE_CHECKING

import pytest

from rori_spiders.exceptions import UsageError
from rori_spiders.ledger import staged_envelopes
from rori_spiders.staging.webhook.announcer import AnnouncerThread, deliver_announcements
from rori_spiders.staging.webhook.client import WebhookClient, WebhookFailed, batch_message_id
from tests.ledger.factories import at
from tests.staging.webhook.receiver import SECRET

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger
    from tests.staging.webhook.receiver import Receiver


def hook_of(receiver: Receiver, timeout_s: float = 5.0) -> WebhookClient:
    return WebhookClient(receiver.url, b64decode(SECRET), timeout_s)


def always() -> bool:
    return True


def test_announcer_sends_everything_in_order_once(ledger: Ledger, receiver: Receiver, ids: list[str]) -> None:
    assert deliver_announcements(ledger, hook_of(receiver), "a", goes_on=always) == len(ids)
    assert receiver.taken == ids
    assert [len(payload["data"]["envelopes"]) for _, payload in receiver.messages] == [100, 100, 30]
    first = receiver.messages[0][1]
    assert first["type"] == "envelopes.staged"
    assert set(first["data"]["envelopes"][0]) == {"envelope_id", "manifest_id", "url", "path", "run_id"}
    assert deliver_announcements(ledger, hook_of(receiver), "b", goes_on=always) == 0
    assert receiver.taken == ids


@pytest.mark.parametrize(
    ("status", "why"), [(500, "it answered 500"), (302, "redirects are not followed"), (410, "410")]
)
def test_announcer_refused_batch_is_repeated_first_with_same_id(
    ledger: Ledger, receiver: Receiver, ids: list[str], status: int, why: str
) -> None:
    receiver.answers = [204, status]
    with pytest.raises(WebhookFailed, match=why):
        deliver_announcements(ledger, hook_of(receiver), "a", goes_on=always)
    assert receiver.taken == ids[:100]
    with ledger.connect() as conn:
        assert staged_envelopes.count_unannounced(conn) == len(ids) - 100
        second = batch_message_id(staged_envelopes.list_unannounced(conn, limit=100))
    assert deliver_announcements(ledger, hook_of(receiver), "b", goes_on=always) == len(ids) - 100
    assert receiver.taken == ids
    assert receiver.messages[1][0] == second


def test_announcer_one_sends_at_a_time_and_dead_one_blocks_briefly(
    ledger: Ledger, receiver: Receiver, ids: list[str]
) -> None:
    with ledger.begin() as conn:
        assert staged_envelopes.acquire_announcer(conn, "dead", now=at(), ttl_s=60)
    assert deliver_announcements(ledger, hook_of(receiver), "a", clock=lambda: at(0.5), goes_on=always) == 0
    assert receiver.request_count == 0
    with ledger.begin() as conn:
        staged_envelopes.release_announcer(conn, "a")
        assert staged_envelopes.acquire_announcer(conn, "b", now=at(2), ttl_s=60)
        assert not staged_envelopes.acquire_announcer(conn, "dead", now=at(2), ttl_s=60)


def test_announcer_reports_unreachable_or_failing_receiver(ledger: Ledger, receiver: Receiver, ids: list[str]) -> None:
    receiver.hangs.set()
    with pytest.raises(WebhookFailed, match="did not respond"):
        deliver_announcements(ledger, hook_of(receiver, timeout_s=0.2), "a", goes_on=always)
    nobody = WebhookClient("http://127.0.0.1:9/", b64decode(SECRET))
    with pytest.raises(WebhookFailed, match="did not respond"):
        deliver_announcements(ledger, nobody, "a", goes_on=always)
    assert nobody.place == "http://127.0.0.1:9"
    assert "whsec" not in repr(nobody)


def test_announcer_hanging_receiver_does_not_delay_end_of_job(
    database_url: str, receiver: Receiver, ids: list[str]
) -> None:
    receiver.hangs.set()
    announcer = AnnouncerThread(database_url, hook_of(receiver, timeout_s=20), "a")
    announcer.start()
    before = monotonic()
    announcer.end(within_s=0.3)
    assert monotonic() - before < 10  # the request alone would take 20 s
    assert receiver.taken == []
    receiver.let_go.set()
    announcer._thread.join()


def test_announcer_of_running_job_reports_recovered_receiver(
    database_url: str, receiver: Receiver, ids: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    receiver.answers = [500, 503]
    for owner in ("a", "b", "c"):  # each may try once, or more often
        announcer = AnnouncerThread(database_url, hook_of(receiver), owner, waits_s=(0.01, 0.01, 0.01))
        announcer.start()
        announcer.end(within_s=30)
    assert receiver.taken == ids
    [message] = [one.getMessage() for one in caplog.records if "are waiting to be sent" in one.getMessage()][:1]
    assert message.startswith(f"{len(ids)} staged envelopes are waiting to be sent: http://127.0.0.1:")
    assert "secret-path" not in caplog.text


@pytest.mark.parametrize("secret", ["", "short", "whsec_c2hvcnQ=", "not base64 at all, and long enough to be one"])
def test_announcer_without_secret_does_not_start(secret: str) -> None:
    with pytest.raises(UsageError, match="RORI_WEBHOOK_SECRET") as refused:
        WebhookClient.from_settings("http://127.0.0.1/", {"RORI_WEBHOOK_SECRET": secret})
    assert not secret or secret not in str(refused.value)
    assert WebhookClient.from_settings("", {}) is None
    assert WebhookClient.from_settings("http://x/", {"RORI_WEBHOOK_SECRET": f"whsec_{SECRET}"}) is not None
