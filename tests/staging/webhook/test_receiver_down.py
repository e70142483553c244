"""A webhook that stays down is an alert until it takes something; a dispatcher goes on trying beside its rounds."""

from __future__ import annotations

from base64 import b64decode
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger import staged_envelopes
from rori_spiders.ledger.operations import alerts
from rori_spiders.operations.alerts import alert_dispatcher
from rori_spiders.operations.alerts.webhook_alerts import (
    DOWN_AFTER,
    WebhookDispatcher,
    deliver_and_update_alert,
    update_hook_alert,
)
from rori_spiders.staging.webhook.announcer import AnnouncerThread
from rori_spiders.staging.webhook.announcer import current_time as clock
from rori_spiders.staging.webhook.client import WebhookClient, WebhookFailed
from tests.ledger.factories import at
from tests.staging.webhook.receiver import SECRET

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger
    from tests.staging.webhook.receiver import Receiver

#: ``at`` counts minutes; the first that waits was staged at this one.
STAGED = 1


def hook_of(receiver: Receiver) -> WebhookClient:
    return WebhookClient(receiver.url, b64decode(SECRET), 5.0)


def open_ones(ledger: Ledger) -> list[str]:
    with ledger.connect() as conn:
        return [one["message"] for one in alerts.open_alerts(conn) if one["event"] == "hook_down"]


def tries(ledger: Ledger, receiver: Receiver) -> int:
    """By the machine's own clock, which the receiver judges the message by: months after the envelopes were staged."""
    return deliver_and_update_alert(ledger, hook_of(receiver), "a", clock=clock, goes_on=lambda: True)


def test_webhook_alert_opens_after_15_minutes_and_clears_on_success(
    ledger: Ledger, receiver: Receiver, ids: list[str]
) -> None:
    staged, failure = at(STAGED), WebhookFailed("it answered 503")
    update_hook_alert(ledger, hook_of(receiver), failure, now=staged + DOWN_AFTER - timedelta(seconds=1))
    assert open_ones(ledger) == []
    update_hook_alert(ledger, hook_of(receiver), failure, now=staged + DOWN_AFTER)
    [message] = open_ones(ledger)
    assert message.startswith("http://127.0.0.1:")
    assert message.endswith(
        f" accepts no envelopes: {failure}; {len(ids)} envelopes waiting since {staged:%Y-%m-%d %H:%M} UTC"
    )
    assert "secret-path" not in message
    receiver.answers = [500]
    with pytest.raises(WebhookFailed):
        tries(ledger, receiver)
    assert [message.partition("; ")[0].rpartition(": ")[2] for message in open_ones(ledger)] == ["it answered 500"]
    assert tries(ledger, receiver) == len(ids)
    assert open_ones(ledger) == []
    assert tries(ledger, receiver) == 0


def test_webhook_alert_is_not_opened_without_waiting_envelopes(
    ledger: Ledger, receiver: Receiver, ids: list[str]
) -> None:
    """Another process has announced them meanwhile, one that knew of no alert."""
    update_hook_alert(ledger, hook_of(receiver), WebhookFailed("it answered 503"), now=at(60))
    assert len(open_ones(ledger)) == 1
    with ledger.begin() as conn:
        staged_envelopes.mark_announced(conn, staged_envelopes.list_unannounced(conn, limit=1000), now=at(60))
    assert tries(ledger, receiver) == 0
    assert open_ones(ledger) == []
    update_hook_alert(ledger, hook_of(receiver), WebhookFailed("it answered 503"), gave_up=True, now=at(62))
    assert open_ones(ledger) == [], "nothing waits for it"


def test_webhook_alert_of_job_that_gives_up_opens_at_once(
    ledger: Ledger, database_url: str, receiver: Receiver, ids: list[str]
) -> None:
    receiver.answers = [500, 500]
    hook, reports = hook_of(receiver), []

    def noted(of: Ledger, failure: WebhookFailed | None, gave_up: bool) -> None:
        reports.append((failure is None, gave_up))
        update_hook_alert(of, hook, failure, gave_up=gave_up, now=at(STAGED))

    announcer = AnnouncerThread(database_url, hook, "a", noted=noted, waits_s=(0.01, 0.01))
    announcer.start()
    announcer._thread.join()
    assert reports == [(False, False), (False, True)]
    assert len(open_ones(ledger)) == 1
    announcer = AnnouncerThread(database_url, hook, "b", noted=noted)
    announcer.start()
    announcer.end(within_s=30)
    assert receiver.taken == ids
    assert open_ones(ledger) == []


def test_webhook_alert_of_removed_webhook_clears(ledger: Ledger, receiver: Receiver, ids: list[str]) -> None:
    update_hook_alert(ledger, hook_of(receiver), WebhookFailed("it answered 503"), now=at(60))
    alert_dispatcher.update_alerts(ledger, [], {}, {"RORI_WEBHOOK_URL": receiver.url}, at(61))
    assert len(open_ones(ledger)) == 1
    alert_dispatcher.update_alerts(ledger, [], {}, {"RORI_WEBHOOK_URL": ""}, at(62))
    assert open_ones(ledger) == []


def test_webhook_dispatcher_retries_each_round_and_reports_reason_once(
    ledger: Ledger, database_url: str, receiver: Receiver, ids: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    receiver.answers = [503, 503]
    dispatcher = WebhookDispatcher(database_url, receiver.url, {"RORI_WEBHOOK_SECRET": SECRET})
    for _ in range(2):
        dispatcher.begin(clock)
        assert dispatcher._background_task.wait(30)
    assert [one.getMessage().partition("; the next")[2] for one in caplog.records] == [" rounds retry: it answered 503"]
    assert len(open_ones(ledger)) == 1
    dispatcher.begin(clock)
    assert dispatcher._background_task.wait(30)
    assert receiver.taken == ids
    assert open_ones(ledger) == []


def test_webhook_dispatcher_without_secret_reports_and_sends_nothing(
    database_url: str, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    dispatcher = WebhookDispatcher(database_url, receiver.url, {})
    dispatcher.begin(clock)
    dispatcher.end()
    assert receiver.request_count == 0
    assert "The webhook is not notified between rounds: RORI_WEBHOOK_URL is set, but RORI_WEBHOOK_SECRET" in caplog.text
    caplog.clear()
    WebhookDispatcher(database_url, "", {}).begin(clock)
    assert not caplog.records
