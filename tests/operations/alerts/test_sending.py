"""What is sent when: at once, once a day, once only; grouped, and told when it clears. Over both databases."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from rori_spiders.ledger.operations import source_status
from rori_spiders.ledger.operations.alerts import RETRY_DELAYS
from tests.operations.alerts.conftest import Source, after

if TYPE_CHECKING:
    import pytest

    from tests.operations.alerts.conftest import AlertHarness

DAY = 24 * 60


def test_alert_delivery_high_alert_is_sent_at_once_and_once(harness: AlertHarness) -> None:
    harness.opens(
        "s1", "source_blocked", "the server blocks the start URL: HTTP 403", pages=["https://www.example.org/"]
    )
    assert [one.error for one in harness.round().sent] == [None]
    assert harness.box.titles == ["[RORI] high: s1: source_blocked"]
    [text] = harness.box.texts
    for said in ("HTTP 403", "https://www.example.org/", "scrapy pause s1", "scrapy alerts", "(alert 1)"):
        assert said in text
    assert harness.box.mails[0]["To"] == "ops@example.org"
    assert harness.box.mails[0].get_content_type() == "text/plain"
    harness.opens("s1", "source_blocked", "the server blocks the start URL again", at=5)
    for minutes in (1, 60, 3 * DAY):
        assert harness.round(minutes).sent == ()


def test_alert_delivery_forty_sources_of_one_wall_are_one_mail(harness: AlertHarness) -> None:
    for number in range(40):
        harness.opens(f"s{number}", "source_blocked")
    harness.round()
    assert harness.box.titles == ["[RORI] high: 40 alerts: source_blocked (40)"]
    assert "and 20 more: scrapy alerts" in harness.box.texts[0]
    assert harness.box.texts[0].count("What to do") == 1


def test_alert_delivery_alert_soon_after_message_waits(harness: AlertHarness) -> None:
    harness.opens("s1", "source_blocked")
    harness.round()
    harness.opens("s2", "source_blocked", at=1)
    harness.opens("s3", "source_moved", at=2)
    assert harness.round(3).sent == ()
    harness.round(15)
    assert harness.box.titles[1:] == ["[RORI] high: 2 alerts: source_blocked (1), source_moved (1)"]


def test_alert_delivery_clock_set_back_stops_nothing(harness: AlertHarness) -> None:
    harness.opens("s1", "source_blocked")
    harness.round()
    harness.opens("s2", "source_blocked", at=-120)
    harness.round(-120)
    assert len(harness.box.mails) == 2


def test_alert_delivery_warnings_are_a_daily_digest(harness: AlertHarness) -> None:
    harness.opens("s1", "rate_limited")
    harness.opens("s2", "suspect", at=1)
    assert harness.round(10).sent == (), "the digest of today went out five hours ago"
    assert harness.round(18 * 60).sent == (), "06:00 in New York"
    harness.round(19 * 60)
    assert harness.box.titles == ["[RORI] daily digest: 2 alerts: suspect (1), rate_limited (1)"]
    for minutes in (19 * 60 + 1, 2 * DAY):
        assert harness.round(minutes).sent == ()


def test_alert_delivery_digest_omits_cleared_alert(harness: AlertHarness) -> None:
    harness.opens("s1", "rate_limited")
    harness.clears("s1", "rate_limited", at=60)
    assert harness.round(2 * DAY).sent == ()


def test_alert_delivery_info_alert_is_not_sent(harness: AlertHarness) -> None:
    harness.opens("s1", "no_change")
    assert harness.round(2 * DAY).sent == ()


def test_alert_delivery_cleared_alert_notifies_its_recipients(harness: AlertHarness) -> None:
    harness.opens("s1", "source_blocked")
    harness.round()
    harness.opens("s2", "source_moved", at=1)
    harness.clears("s1", "source_blocked", at=2)
    harness.clears("s2", "source_moved", at=3)
    harness.round(20)
    assert harness.box.titles[1:] == ["[RORI] cleared: s1: source_blocked"]
    assert "open 2026-02-13 17:00 to 2026-02-13 17:02 UTC" in harness.box.texts[1]
    assert harness.round(60).sent == ()


def test_alert_delivery_returning_alert_is_sent_again(harness: AlertHarness) -> None:
    harness.opens("s1", "source_blocked")
    harness.round()
    harness.clears("s1", "source_blocked", at=30)
    assert harness.opens("s1", "source_blocked", at=60)
    harness.round(61)
    assert "CLEARED" in harness.box.texts[1]
    assert "(alert 2)" in harness.box.texts[1]


def test_alert_delivery_source_paused_by_person_is_silent(harness: AlertHarness) -> None:
    harness.opens("s1", "source_blocked")
    with harness.ledger.begin() as conn:
        source_status.pause_source(conn, "s1", by="person", reason="asked to wait", now=after(0))
    assert harness.round().sent == ()
    assert not harness.opens("s1", "source_moved")
    with harness.ledger.begin() as conn:
        source_status.resume_source(conn, "s1")
    harness.round(1)
    assert harness.box.titles == ["[RORI] high: s1: source_blocked"]


def test_alert_delivery_source_stopped_or_removed_is_silent(harness: AlertHarness) -> None:
    harness.catalog.sources += [Source("paused", "paused"), Source("retired", "retired")]
    for source_id in ("paused", "retired", "not-there"):
        harness.opens(source_id, "source_blocked")
    assert harness.round().sent == ()


def test_alert_delivery_breaker_pause_is_sent(harness: AlertHarness) -> None:
    with harness.ledger.begin() as conn:
        source_status.pause_source(conn, "s1", by="breaker", reason="5 runs", now=after(0))
    harness.opens("s1", "breaker")
    harness.round()
    assert harness.box.titles == ["[RORI] high: s1: breaker"]


def test_alert_delivery_concurrent_jobs_send_one_mail(harness: AlertHarness) -> None:
    harness.opens("s1", "source_blocked")
    together = threading.Barrier(4)

    def job() -> None:
        together.wait()
        harness.round()

    jobs = [threading.Thread(target=job) for _ in range(4)]
    for one in jobs:
        one.start()
    for one in jobs:
        one.join()
    assert len(harness.box.mails) == 1


def test_alert_delivery_claim_of_dead_job_expires(harness: AlertHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    harness.opens("s1", "source_blocked")

    def dies(*_: object, **__: object) -> None:
        raise SystemExit

    with monkeypatch.context() as broken:
        broken.setattr("rori_spiders.operations.alerts.delivery.send_message", dies)
        broken.setattr("threading.excepthook", lambda _: None)
        harness.round()
    assert harness.round(1).sent == ()
    harness.round(2)
    assert len(harness.box.mails) == 1


def test_alert_delivery_attempts_are_bounded_and_back_off(harness: AlertHarness) -> None:
    harness.opens("s1", "source_blocked")
    harness.box.answer = "554 not here"
    at = 0.0
    assert harness.round(at).failed
    for wait in RETRY_DELAYS:
        minutes = wait.total_seconds() / 60
        assert harness.round(at + minutes - 0.5).sent == ()
        at += minutes
        assert harness.round(at).failed
    harness.box.answer = "250 OK"
    assert harness.round(11 * DAY).sent == ()
    harness.opens("s2", "source_blocked", at=11 * DAY)
    harness.round(11 * DAY + 1)
    assert harness.box.titles == ["[RORI] high: s2: source_blocked"]
