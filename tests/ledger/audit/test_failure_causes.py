"""Failures by cause: one row for a page and a reason code, and how much it asks of a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.audit.failure_causes import FailureCause, list_causes
from rori_spiders.ledger.audit.failure_log import FailureFilter
from rori_spiders.ledger.pages import page_history
from tests.ledger.factories import SOURCE, a_row, a_version, at, url

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger


def _add_failure(ledger: Ledger, name: str, minute: int, *, verdict: str | None, code: str = "blocked") -> None:
    with ledger.begin() as conn:
        row = a_row(name, state="failed", timestamp=at(minute), verdict=verdict, reason_code=code, reason=code)
        audit_log.append_row(conn, row)


def _hold_page(ledger: Ledger, name: str) -> None:
    with ledger.begin() as conn:
        page = page_history.ensure_page(conn, SOURCE, url(name), now=at(0))
        page_history.add_version(conn, page.page_id, a_version("a", captured_at=at(0)), body_chars=1)


def _list_causes(ledger: Ledger, wanted: FailureFilter | None = None, **more: int) -> list[FailureCause]:
    with ledger.connect() as conn:
        return list_causes(conn, wanted or FailureFilter(), {SOURCE: url("start")}, **more)[0]


@pytest.mark.usefixtures("run_id")
def test_list_causes_repeated_failure_is_one_row(ledger: Ledger) -> None:
    for minute in (1, 2, 3):
        _add_failure(ledger, "a", minute, verdict="denied")
    _add_failure(ledger, "a", 4, verdict="denied", code="other")
    other, same = _list_causes(ledger)
    assert (same.number, same.first_at, same.last_at, same.reason_code) == (3, at(1), at(3), "blocked")
    assert (other.number, other.reason_code) == (1, "other")


@pytest.mark.usefixtures("run_id")
@pytest.mark.parametrize(
    ("name", "is_held", "verdict", "consequence", "severity"),
    [
        ("a", True, "not_found", "held", "high"),
        ("a", True, "denied", "held", "high"),
        ("a", True, None, "held", "warning"),
        ("a", False, "not_found", "dead_link", "info"),
        ("a", False, "server_error", "temporary", "info"),
        ("a", False, "denied", "never_held", "warning"),
        ("start", False, "not_found", "start", "high"),
        ("start", False, "server_error", "start", "warning"),
    ],
)
def test_failure_cause_severity_follows_from_what_is_held(
    ledger: Ledger, name: str, is_held: bool, verdict: str | None, consequence: str, severity: str
) -> None:
    if is_held:
        _hold_page(ledger, name)
    _add_failure(ledger, name, 5, verdict=verdict)
    [one] = _list_causes(ledger)
    assert (one.consequence, one.severity, one.last_seen_at) == (consequence, severity, at(0) if is_held else None)


@pytest.mark.usefixtures("run_id")
def test_list_causes_resolved_failure_is_filtered_and_information(ledger: Ledger) -> None:
    _hold_page(ledger, "a")
    _add_failure(ledger, "a", 1, verdict="denied")
    with ledger.begin() as conn:
        audit_log.append_row(conn, a_row("a", state="captured", timestamp=at(2)))
    [one] = _list_causes(ledger)
    assert (one.resolved_at, one.severity) == (at(2), "info")
    assert _list_causes(ledger, FailureFilter(resolved=False)) == []
    assert _list_causes(ledger, FailureFilter(severity="high")) == []


@pytest.mark.usefixtures("run_id")
def test_list_causes_more_than_limit_says_so(ledger: Ledger) -> None:
    for number in range(3):
        _add_failure(ledger, f"p{number}", number, verdict="denied")
    with ledger.connect() as conn:
        causes, is_cut = list_causes(conn, FailureFilter(), {}, limit=2)
        assert ([one.last_at for one in causes], is_cut) == ([at(2), at(1)], True)
        assert list_causes(conn, FailureFilter(words="/P0/"), {}, limit=3)[1] is False
