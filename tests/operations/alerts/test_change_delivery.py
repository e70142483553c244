"""Changes sent to subscribers: when, once, again after a failure, and what the message says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from lxml import html

from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.pages import change_records, page_history, subscriptions
from rori_spiders.ledger.pages.change_records import ChangeFilter
from rori_spiders.operations.alerts.change_delivery import find_channel
from rori_spiders.operations.alerts.change_message import compose_changes
from rori_spiders.operations.alerts.delivery import DailyDigest
from tests.ledger.factories import RUN, a_run, a_version
from tests.operations.alerts.conftest import AlertHarness, after

if TYPE_CHECKING:
    from email.message import EmailMessage

EXCERPT = ["§ 1024.5", ["=", "within "], ["-", "60"], ["+", "61"], ["=", " days"]]
#: Minutes from noon of Friday in New York to the digests of Saturday and Monday, 7:00.
SATURDAY, MONDAY = 19 * 60, (19 + 48) * 60
LOW, MEDIUM, HIGH = 1, 2, 3


class Subscriber(AlertHarness):
    """Changes are described at minutes after NOON."""

    def subscribes(
        self, schedule: Any, *, send_to: str = "a@example.org", high_at_once: bool = False, **wanted: Any
    ) -> int:
        with self.ledger.begin() as conn:
            number, _ = subscriptions.add_subscription(
                conn, ChangeFilter(**wanted), schedule=schedule, send_to=send_to, high_at_once=high_at_once,
                actor="ann", now=after(0),
            )  # fmt: skip
        return number

    def changes(self, path: str, importance: int = LOW, *, at: float = 1, title: str | None = None) -> None:
        with self.ledger.begin() as conn:
            page = page_history.ensure_page(conn, "s1", f"https://a.gov/{path}", now=after(at))
            version = a_version("a", captured_at=after(at), title=title)
            page_history.add_version(conn, page.page_id, version, body_chars=1)
            change_records.add_changes(conn, [{
                "page_id": page.page_id, "seq": 1, "source_id": "s1", "at": after(at), "from_seq": None,
                "kind": "number", "importance": importance, "details": {"rules": ["deadline"], "excerpt": EXCERPT},
                "described_at": after(at), "url": page.url,
            }])  # fmt: skip

    def told(self, minutes: float) -> list[int]:
        """How many changes each message of a round had."""
        return [one.changes for one in self.round(minutes).changes]

    def state(self) -> subscriptions.Subscription:
        with self.ledger.connect() as conn:
            [one] = subscriptions.list_subscriptions(conn)
        return one


@pytest.fixture
def subscriber(harness: AlertHarness) -> Subscriber:
    made = Subscriber(harness.ledger, harness.box)
    made.settings |= {"RORI_ALERT_EMAIL": ""}
    with made.ledger.begin() as conn:
        a_run(conn, RUN)
    return made


def _parts(mail: EmailMessage) -> tuple[str, Any]:
    plain, rich = (mail.get_body((kind,)) for kind in ("plain", "html"))
    assert plain is not None
    assert rich is not None
    return plain.get_content(), html.fromstring(rich.get_content())


def test_changes_at_once_are_sent_once_and_the_next_after_a_gap(subscriber: Subscriber) -> None:
    subscriber.subscribes("at_once")
    assert subscriber.told(1) == []
    subscriber.changes("1", HIGH, at=1)
    assert subscriber.told(2) == [1]
    subscriber.changes("2", at=3)
    assert subscriber.told(4) == []
    assert subscriber.told(18) == [1]
    assert subscriber.told(60) == []
    assert [mail["To"] for mail in subscriber.box.mails] == ["a@example.org"] * 2


@pytest.mark.parametrize(("schedule", "due"), [("daily", SATURDAY), ("weekly", MONDAY)])
def test_changes_of_a_digest_wait_for_its_time(subscriber: Subscriber, schedule: str, due: int) -> None:
    subscriber.subscribes(schedule)
    subscriber.changes("1")
    subscriber.changes("2", HIGH, at=2)
    assert subscriber.told(due - 1) == []
    subscriber.changes("3", at=due + 1)
    assert subscriber.told(due + 2) == [2]
    assert subscriber.told(due + 30) == []


def test_changes_of_high_importance_do_not_wait_where_subscribed_so(subscriber: Subscriber) -> None:
    subscriber.subscribes("weekly", high_at_once=True)
    subscriber.changes("1", MEDIUM)
    subscriber.changes("2", HIGH, at=2)
    assert subscriber.told(3) == [1]
    assert subscriber.told(MONDAY) == [1]


def test_changes_before_the_subscription_or_outside_its_filter_are_not_sent(subscriber: Subscriber) -> None:
    subscriber.changes("before", HIGH, at=-5)
    subscriber.subscribes("at_once", importance=MEDIUM, words="escrow")
    subscriber.changes("escrow-1", LOW)
    subscriber.changes("other", HIGH)
    subscriber.changes("escrow-2", MEDIUM)
    assert subscriber.told(2) == [1]
    assert "escrow-2" in _parts(subscriber.box.mails[0])[0]


def test_changes_are_kept_and_sent_again_where_the_server_refuses(subscriber: Subscriber) -> None:
    subscriber.subscribes("at_once")
    subscriber.changes("1")
    subscriber.box.answer = "451 not now"
    assert [one.error is None for one in subscriber.round(2).changes] == [False]
    one = subscriber.state()
    assert (one.tries, one.next_try_at) == (1, after(3))
    assert one.error
    subscriber.box.answer = "250 OK"
    assert subscriber.told(2.5) == []  # its next try is later
    assert subscriber.told(3) == [1]
    one = subscriber.state()
    assert (one.tries, one.error, one.sent_at) == (0, None, after(3))


def test_changes_are_sent_by_one_of_two_senders(subscriber: Subscriber) -> None:
    number = subscriber.subscribes("at_once")
    subscriber.changes("1", at=1)
    claimed = []
    for _ in range(2):
        with subscriber.ledger.begin() as conn:
            unsent = partial(subscriptions.unsent_changes, conn)
            claimed.append(subscriptions.claim_changes(conn, number, unsent, now=after(1)))
    assert list(map(len, claimed)) == [1, 0]
    assert subscriber.told(1.5) == []


def test_changes_that_another_sender_has_sent_are_not_due_behind_its_claim(subscriber: Subscriber) -> None:
    number = subscriber.subscribes("at_once")
    subscriber.changes("1", at=1)
    assert subscriber.told(2) == [1]
    with subscriber.ledger.begin() as conn:
        assert (
            subscriptions.claim_changes(conn, number, partial(subscriptions.unsent_changes, conn), now=after(3)) == []
        )
    assert subscriber.state().tries == 0


def test_changes_stay_unsent_where_the_channel_is_gone(subscriber: Subscriber) -> None:
    subscriber.subscribes("at_once", send_to="slack-0123456789ab")
    subscriber.changes("1")
    [one] = subscriber.round(2).changes
    assert one.error == (
        "'slack-0123456789ab' is neither an e-mail address nor the name of a channel; "
        "no channel is configured (RORI_ALERT_URLS)"
    )


def test_changes_of_an_ended_subscription_are_not_sent(subscriber: Subscriber) -> None:
    number = subscriber.subscribes("at_once")
    subscriber.changes("1")
    with subscriber.ledger.begin() as conn:
        assert subscriptions.end_subscription(conn, number, actor="ann", now=after(1))
        assert not subscriptions.end_subscription(conn, number, actor="ann", now=after(1))
    assert subscriber.told(2) == []


def test_message_says_what_changed_why_and_where(subscriber: Subscriber) -> None:
    subscriber.subscribes("at_once")
    subscriber.changes("1", HIGH, title="Escrow <b>accounts</b>")
    subscriber.changes("2", at=2, title="Second")
    subscriber.round(3)
    [mail] = subscriber.box.mails
    plain, page = _parts(mail)
    assert mail["Subject"] == "[RORI] 2 changes: 1 high, 1 low"
    for part in (plain, page.text_content()):
        assert "Escrow <b>accounts</b>" in part
        assert "Why: a date or period by which something is due or takes effect" in part
        assert "captured 2026-02-13 17:01 UTC" in part
        assert "scrapy changes unsubscribe 1" in part
    assert "https://a.gov/1" in plain
    assert [a.get("href") for a in page.iter("a")] == ["https://a.gov/1", "https://a.gov/2"]
    assert [(one.tag, one.text) for one in page.iter("del", "ins")] == [("del", "60"), ("ins", "61")] * 2
    assert not list(page.iter("img", "script", "link"))


def test_message_has_styles_that_mail_programs_support_and_paragraphs_as_text(subscriber: Subscriber) -> None:
    subscriber.subscribes("at_once")
    for number in ("1", "2"):
        subscriber.changes(number, HIGH, title="T" * 300)
    subscriber.round(3)
    plain, page = _parts(subscriber.box.mails[0])
    assert "\n\nhigh" in "\n".join(plain.splitlines()), "an empty line between changes"
    # Outlook (Word): padding in cells alone, max-width on tables alone; Apple Mail: max-width not on tables.
    assert {one.tag for one in page.xpath("//*[contains(@style, 'padding:') and not(self::body)]")} == {"td"}
    assert {one.tag for one in page.xpath("//*[contains(@style, 'max-width:')]")} == {"div", "table"}
    assert not page.xpath("//*[contains(@style, 'overflow-wrap')]"), "Gmail takes it away; word-break stays"
    assert page.xpath("//table/@bgcolor")[0] == "#ffffff", "Gmail replaces the body"
    assert page.xpath("//meta[@name='color-scheme']/@content") == ["light"]
    assert [len(page.xpath(f"//{tag}")) for tag in ("h1", "h2")] == [1, 1]


def test_message_of_many_changes_is_bounded_and_counts_the_rest(subscriber: Subscriber) -> None:
    subscriber.subscribes("at_once")
    for number in range(3):
        subscriber.changes(str(number))
    with subscriber.ledger.connect() as conn:
        rows = list(change_records.list_changes(conn, ChangeFilter()))
    runs = [row._replace(run_id=f"run {number}") for number in range(30) for row in rows]
    message = compose_changes(subscriber.state(), runs, where="ledger", now=after(9))
    assert "And 40 changes more: `scrapy changes --since DATE` lists all." in message.body
    assert message.html is not None
    assert message.html.count("§ 1024.5") == 50


@pytest.mark.parametrize("address", ["a@", "nobody", "feed@"])
def test_channel_of_an_address_that_nobody_has_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match=r"address|channel"):
        find_channel({"RORI_SMTP_URL": "smtp://127.0.0.1"}, address)


def test_digest_of_a_week_is_due_on_monday() -> None:
    digest = DailyDigest.parse("07:00 America/New_York")
    friday = datetime(2026, 3, 13, 17, 0, tzinfo=UTC)  # five days after the clocks went forward
    assert digest.last_monday(friday) == datetime(2026, 3, 9, 11, 0, tzinfo=UTC)
    assert digest.last_monday(friday - timedelta(days=7)) == datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def test_message_names_commands_of_the_program_that_sends_it(
    subscriber: Subscriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["/usr/bin/rori", "dispatch"])
    subscriber.subscribes("at_once")
    subscriber.changes("1", HIGH, title="What scrapy does")
    subscriber.round(3)
    [mail] = subscriber.box.mails
    for part in (_parts(mail)[0], _parts(mail)[1].text_content()):
        assert "`rori changes unsubscribe 1`" in part and "What scrapy does" in part
