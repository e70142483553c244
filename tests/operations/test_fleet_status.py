"""What waits for nodes and whether the objectives of service are kept, over both databases."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.operations.source_status import SourceState, load_states
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.queue import job_queue
from rori_spiders.ledger.tables import runs, source_state
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.loading import parse_manifest
from rori_spiders.operations.fleet_status import Backlog, load_last_runs, read_backlog, read_objectives
from tests.ledger.factories import OTHER_RUN, RUN, a_run, a_version, at
from tests.ledger.job_factories import ident, queued
from tests.support.project import source

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger

#: Daily, weekly, paused.
_SOURCES = [
    source("day", "https://www.example.org/day", frequency="daily"),
    source("week", "https://www.example.org/week", frequency="weekly"),
    source("rest", "https://www.example.org/rest", frequency="weekly", status="paused"),
]
CATALOG = Catalog([parse_manifest(json.dumps({"version": "1", "sources": _SOURCES}), name="m", origin="a test")])


def _collected(conn: Connection, source_id: str, run_id: str, days: float, seconds: float, state: str) -> None:
    """The last run of a source, which ended so at *days*."""
    a_run(conn, run_id, source_id=source_id, state=state)
    ended = {"started_at": at(days=days), "finished_at": at(days=days), "seconds": seconds}
    conn.execute(runs.update().where(runs.c.run_id == run_id).values(**ended))
    checked = at(days=days) if state == "complete" else None
    conn.execute(source_state.insert().values(source_id=source_id, last_run_id=run_id, last_checked_at=checked))


def _backlog(conn: Connection, days: float) -> Backlog:
    return read_backlog(conn, CATALOG, load_states(conn), load_last_runs(conn), at(days=days))


def test_backlog_counts_what_is_due_and_in_no_job_that_has_begun(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        _collected(conn, "day", RUN, 0, 90, "complete")
        _collected(conn, "week", OTHER_RUN, 0, 30, "complete")
        assert _backlog(conn, 0.5) == Backlog(0, 0, 0)
        assert _backlog(conn, 3) == Backlog(1, timedelta(days=2).total_seconds(), 90)
        assert (found := _backlog(conn, 9)).sources == 2 and found.work_s == 120
        queued(conn, 1, sources=["day"])
        assert _backlog(conn, 3).sources == 1
        job_queue.start_job(conn, ident(1), owner="n1:1:x", host="n1", now=at(), ttl_s=60)
        assert _backlog(conn, 3) == Backlog(0, 0, 0)


def test_backlog_of_sources_without_a_run_has_their_number_and_some_work(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        found = _backlog(conn, 0)
        assert (found.sources, found.oldest_s) == (2, 0) and found.work_s > 0
        queued(conn, 1, sources=["day"])
        assert _backlog(conn, 1).oldest_s == 86_400


@pytest.mark.parametrize(("days", "fresh"), [(0, 2), (1.9, 2), (2.1, 1), (8.1, 0)])
def test_freshness_holds_within_the_interval_and_a_day(ledger: Ledger, days: float, fresh: int) -> None:
    with ledger.begin() as conn:
        _collected(conn, "day", RUN, 0, 90, "complete")
        _collected(conn, "week", OTHER_RUN, 0, 30, "complete")
        found = read_objectives(conn, CATALOG, load_states(conn), load_last_runs(conn), at(days=days))
    assert found["freshness"] == (fresh, 2)


def test_completeness_counts_last_runs_that_have_ended(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        _collected(conn, "day", RUN, 0, 90, "complete")
        _collected(conn, "week", OTHER_RUN, 0, 30, "incomplete")
        last = load_last_runs(conn)
        assert read_objectives(conn, CATALOG, load_states(conn), last, at())["completeness"] == (1, 2)
        assert read_objectives(conn, CATALOG, {"day": SourceState()}, {}, at())["completeness"] == (0, 0)


def test_detection_holds_for_changes_found_soon_after_the_complete_run_before(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        _collected(conn, "day", RUN, 0, 90, "complete")
        page = page_history.ensure_page(conn, "day", "https://www.example.org/day", now=at())
        page_history.add_version(conn, page.page_id, a_version(run_id=RUN, captured_at=at()), body_chars=9)
        for number, days in enumerate((1.5, 6)):
            run_id = ident(90 + number)
            a_run(conn, run_id, source_id="day", state="complete")
            conn.execute(runs.update().where(runs.c.run_id == run_id).values(started_at=at(days=days)))
            changed = a_version(
                run_id=run_id, captured_at=at(days=days), change_type="modified", content_hash=f"{number}" * 64
            )
            page_history.add_version(conn, page.page_id, changed, body_chars=9)
        found = read_objectives(conn, CATALOG, load_states(conn), load_last_runs(conn), at(days=6))
        assert found["detection"] == (1, 2)
        found = read_objectives(conn, CATALOG, load_states(conn), load_last_runs(conn), at(days=14))
        assert found["detection"] == (0, 0)
