"""Figures over time: what was seen is counted, what was not is not, on both databases."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.operations import costs
from rori_spiders.ledger.operations.collection_reports import CollectionFigures, collection_figures
from rori_spiders.ledger.pages import page_history
from tests.ledger.factories import OTHER_RUN, RUN, SOURCE, a_row, a_run, a_version, at, url
from tests.support.cases import cases

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger


@pytest.fixture
def filled(ledger: Ledger) -> Ledger:
    """Two sources; of the first three looks at a page in two months, of which two changed, and one that failed."""
    with ledger.begin() as conn:
        a_run(conn, RUN)
        a_run(conn, OTHER_RUN, source_id="other")
        for day, changed, milliseconds in ((0, True, 100), (10, False, 200), (20, True, 900)):
            look(conn, day, content_changed=changed, response_time_ms=milliseconds, retry_count=1)
        look(conn, 20, state="failed", content_hash=None, content_changed=None, http_status=503, response_time_ms=50)
        look(conn, 20, state="excluded", content_hash=None, content_changed=None)
        look(conn, 0, kind="robots", state="fetched", content_hash=None, content_changed=None)
        audit_log.append_row(conn, a_row("9", run_id=OTHER_RUN, manifest_id="other", response_time_ms=7))
        page = page_history.ensure_page(conn, SOURCE, url("5"), now=at())
        for number, day in enumerate((0, 20, 50)):
            kind = "modified" if number else "new"
            one = a_version(str(number), captured_at=at(days=day), change_type=kind)
            page_history.add_version(conn, page.page_id, one, body_chars=9)
        for run_id, usd in ((RUN, 0.5), (RUN, 0.25), (None, None)):
            cost_id = costs.reserve_cost(
                conn, provider="zyte", unit="request", amount=2, url=None, run_id=run_id, now=at(days=20)
            )
            costs.settle_cost(conn, cost_id, amount=1, usd=usd, now=at(days=20))
    return ledger


def look(conn: Connection, day: int, **other: object) -> None:
    audit_log.append_row(conn, a_row("5", timestamp=at(days=day), **other))


def test_collection_report_by_source_sums_requests_and_pages(filled: Ledger) -> None:
    with filled.connect() as conn:
        found = collection_figures(conn, "source", since=None, until=None)
    one = found[SOURCE]
    assert (one.requests, one.retries, one.pages, one.failed, one.read, one.changed) == (5, 3, 4, 1, 3, 2)
    assert one.times == Counter({50: 1, 100: 1, 200: 1, 900: 1})
    assert (one.gaps, one.gap_days) == (2, 50)
    assert (one.usd, one.spent) == (0.75, Counter({("zyte", "request"): 2}))
    assert found["other"].requests == 1
    assert found[None].requests == 0, "paid for no run"
    assert found[None].usd is None, "what is not known is no zero"


def test_collection_report_by_month_respects_time_range(filled: Ledger) -> None:
    with filled.connect() as conn:
        by_month = collection_figures(conn, "month", since=None, until=None)
        assert {name: one.requests for name, one in by_month.items()} == {"2026-02": 4, "2026-03": 2}
        assert by_month["2026-03"].spent == Counter({("zyte", "request"): 3})
        some = collection_figures(conn, "source", since=at(days=1), until=at(days=20))
        assert {name: one.requests for name, one in some.items()} == {SOURCE: 1}
        assert collection_figures(conn, "source", since=None, until=None, source_id="other").keys() == {"other"}


def test_collection_report_by_page_has_days_between_changes(filled: Ledger) -> None:
    with filled.connect() as conn:
        found = collection_figures(conn, "page", since=None, until=None, source_id=SOURCE)
    assert found[url("5")].gap_days / found[url("5")].gaps == 25


@cases(
    ("times", "median", "p95"),
    [([], None, None), ([7], 7, 7), ([1, 2], 1, 2), (list(range(1, 101)), 50, 95), ([5] * 99 + [900], 5, 5)],
)
def test_collection_report_percentiles_are_measured_times(
    times: list[int], median: int | None, p95: int | None
) -> None:
    one = CollectionFigures(times=Counter(times))
    assert (one.percentile(0.5), one.percentile(0.95)) == (median, p95)
