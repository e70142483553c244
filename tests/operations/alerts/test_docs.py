"""docs/reference/alerts.md has the table of events as the program does; the specification's where it names one."""

from __future__ import annotations

from pathlib import Path

import pytest

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

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "alerts.md").read_text(encoding="utf-8")


def test_every_event_has_its_row() -> None:
    rows = [
        f"| `{name}` | {event.severity} | {event.sent} | {event.opens} | {event.clears} | {event.to_do} |"
        for name, event in EVENTS.items()
    ]
    missing = [row for row in rows if row not in PAGE.splitlines()]
    assert not missing, "docs/reference/alerts.md lacks\n" + "\n".join(missing)


def test_no_other_event_is_described() -> None:
    assert [line.split("`")[1] for line in PAGE.splitlines() if line.startswith("| `")] == list(EVENTS)


@pytest.mark.parametrize(
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
def test_the_table_of_the_specification(name: str, severity: str, sent: str) -> None:
    assert (EVENTS[name].severity, EVENTS[name].sent) == (severity, sent)


def test_whatever_is_noted_is_an_event() -> None:
    assert {*EVENT_OF_PAGE_REASON.values(), *EVENT_OF_START_VERDICT.values()} <= EVENTS.keys()
