"""The events are those of the specification where it names one."""

from __future__ import annotations

from rori_spiders.reviews.events import (
    AT_ONCE,
    DAILY,
    EVENT_OF_PAGE_REASON,
    EVENT_OF_START_VERDICT,
    EVENTS,
    HIGH,
    INFO,
    NOT_SENT,
    WARNING,
)
from tests.support.cases import cases


@cases(
    ("name", "severity", "sent"),
    [
        ("source_blocked", HIGH, AT_ONCE),
        ("source_moved", HIGH, AT_ONCE),
        ("breaker", HIGH, AT_ONCE),
        ("content_changed", INFO, NOT_SENT),
        ("no_change", WARNING, NOT_SENT),
        ("credits", WARNING, DAILY),
    ],
)
def test_alert_events_table_in_docs_is_current(name: str, severity: str, sent: str) -> None:
    assert (EVENTS[name].severity, EVENTS[name].sent) == (severity, sent)


def test_alert_events_noted_in_code_are_declared() -> None:
    assert {*EVENT_OF_PAGE_REASON.values(), *EVENT_OF_START_VERDICT.values()} <= EVENTS.keys()
