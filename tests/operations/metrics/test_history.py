"""What a scrape and the list of sources read does not grow with history; the totals are those of all rows."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

from scrapy.settings import Settings
from sqlalchemy import func, select, text

from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.operations.source_status import load_states
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.runs import run_records
from rori_spiders.ledger.tables import change_totals, run_totals, runs, source_state, versions
from rori_spiders.ledger.tables.runs import FINAL_URL_STATES
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.loading import parse_manifest
from rori_spiders.operations.fleet_status import load_last_runs
from rori_spiders.operations.metrics import collector
from rori_spiders.schedule.status import source_statuses
from tests.ledger.factories import JOB, RUN, a_row, a_run, a_version, at, url
from tests.ledger.job_factories import ident
from tests.support.project import source
from tests.support.query_work import count_work

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger

_IDS = [f"source-{number}" for number in range(3)]
_SOURCES = [source(one, f"https://www.example.org/{one}", frequency="daily") for one in _IDS]
CATALOG = Catalog([parse_manifest(json.dumps({"version": "1", "sources": _SOURCES}), name="m", origin="a test")])
_NOW = at(days=1000)
_STATES = ("failed", "suspect", "complete")
_COUNTS = dict.fromkeys(FINAL_URL_STATES, 0) | {"discovered": 3, "captured": 2, "unchanged": 1}


def _add_runs(conn: Connection, first: int, days: int) -> None:
    """A run of each source a day, each with a change of its one page and a row of the audit.

    Each third one failed, and each third was suspect.
    """
    added, changed, rows = [], [], []
    page_ids = {one: page_history.ensure_page(conn, one, url(one), now=at()).page_id for one in _IDS}
    for day in range(first, first + days):
        for number, source_id in enumerate(_IDS):
            run_id, when = ident(10 * day + number), at(days=day)
            run = {"run_id": run_id, "source_id": source_id, "state": _STATES[day % 3], "counts": _COUNTS}
            run |= {"manifest_version": "1", "method": "crawl", "operator": "system", "job_id": JOB}
            added.append(run | {"started_at": when, "finished_at": when, "requests": 4, "seconds": 8.0})
            one = a_version(run_id=run_id, captured_at=when)
            changed.append({"page_id": page_ids[source_id], "seq": day + 1, **page_history._version_values(one)})
            rows.append(a_row(run_id=run_id, timestamp=when, manifest_id=source_id))
    conn.execute(runs.insert(), added)
    conn.execute(versions.insert(), changed)
    audit_log.append_rows(conn, rows)
    conn.execute(source_state.delete())
    last = [{"source_id": row["source_id"], "last_run_id": row["run_id"], "last_checked_at": when} for row in added]
    conn.execute(source_state.insert(), last[-len(_IDS) :])


def _scrape(conn: Connection) -> None:
    states, last = load_states(conn), load_last_runs(conn)
    for metrics in (
        collector.source_metrics(conn, CATALOG, states, last),
        collector.fleet_metrics(conn, CATALOG, states, last, _NOW),
        collector.run_metrics(conn),
        collector.change_metrics(conn),
        collector.last_hour_metrics(conn, _NOW),
        collector.cost_metrics(conn, Settings(), _NOW),
        collector.queue_metrics(conn, _NOW),
        collector.lease_metrics(conn, _NOW),
        collector.alert_metrics(conn),
        collector.delivery_metrics(conn),
        collector.envelope_metrics(conn),
    ):
        list(metrics)


_READERS: dict[str, Callable[[Connection], object]] = {
    "a scrape": _scrape,
    "statuses of all sources": lambda conn: source_statuses(CATALOG, conn, _NOW),
    "means of last runs": run_records.load_run_means,
    "sources with a run": run_records.list_source_ids,
}


def test_longer_history_is_not_read(ledger: Ledger) -> None:
    """What sums over all runs or versions, or looks for the last one among all, reads ten times as much here."""
    read = dict[str, list[int]]()
    for first, number in ((0, 30), (30, 270)):
        with ledger.begin() as conn:
            _add_runs(conn, first, number)
            conn.execute(text("ANALYZE"))
        with ledger.connect() as conn:
            for name, reader in _READERS.items():
                read.setdefault(name, []).append(count_work(conn, reader))
    assert {name: (short, long) for name, (short, long) in read.items() if long > short * 1.5} == {}


def _summed(conn: Connection) -> tuple[dict[tuple[str, str], list[float]], dict[str, int]]:
    columns = [
        func.count(),
        *(func.sum(runs.c[name]) for name in ("requests", "browser_pages", "seconds")),
        *(func.sum(func.coalesce(runs.c.counts[state].as_integer(), 0)) for state in FINAL_URL_STATES),
    ]
    closed = runs.c.state.not_in(("running", "partial"))
    of_runs = conn.execute(select(runs.c.state, runs.c.method, *columns).where(closed).group_by("state", "method"))
    of_versions = select(versions.c.change_type, func.count()).join_from(versions, runs).where(closed)
    return (
        {(row[0], row[1]): [float(one) for one in row[2:]] for row in of_runs},
        {row[0]: row[1] for row in conn.execute(of_versions.group_by(versions.c.change_type))},
    )


def _totals(conn: Connection) -> tuple[dict[tuple[str, str], list[float]], dict[str, int]]:
    """Without those that have become nothing again."""
    rows = {(row[0], row[1]): [float(one) for one in row[2:]] for row in conn.execute(select(run_totals))}
    changes = {row[0]: row[1] for row in conn.execute(select(change_totals))}
    return {key: row for key, row in rows.items() if any(row)}, {key: one for key, one in changes.items() if one}


def _remove_page(conn: Connection) -> None:
    page = page_history.ensure_page(conn, "other", url("other"), now=at())
    page_history.add_version(conn, page.page_id, a_version(run_id=RUN, change_type="deleted"), body_chars=0)


def test_totals_follow_runs_that_close_reopen_and_are_corrected(ledger: Ledger) -> None:
    steps: list[Callable[[Connection], object]] = [
        lambda conn: _add_runs(conn, 0, 3),
        lambda conn: a_run(conn, RUN, source_id="other"),
        lambda conn: run_records.add_requests(conn, RUN, requests=2, seconds=1.5),
        lambda conn: run_records.close_run(conn, RUN, state="suspect", reason=None, now=at()),
        lambda conn: run_records.add_requests(conn, RUN, browser_pages=-1),
        _remove_page,
        lambda conn: run_records.close_run(conn, RUN, state="complete", reason=None, now=at()),
        lambda conn: conn.execute(runs.update().values(state="failed", method="scrape")),
        lambda conn: conn.execute(runs.update().where(runs.c.run_id == RUN).values(state="partial")),
        lambda conn: run_records.close_run(conn, RUN, state="complete", reason=None, now=at()),
    ]
    for step in steps:
        with ledger.begin() as conn:
            step(conn)
        with ledger.connect() as conn:
            assert _totals(conn) == _summed(conn)


def test_metrics_of_changes_and_runs_count_open_and_closed_ones(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        _add_runs(conn, 0, 3)
        a_run(conn, RUN, source_id="other")
        page = page_history.ensure_page(conn, "other", url("other"), now=at())
        added = a_version(run_id=RUN, change_type="new", captured_at=_NOW - timedelta(days=1))
        page_history.add_version(conn, page.page_id, added, body_chars=9)
        found = {
            (sample.name, *sample.labels.values()): sample.value
            for family in (*collector.run_metrics(conn), *collector.change_metrics(conn))
            for sample in family.samples
        }
    assert found["rori_page_changes_total", "new"] == 1 and found["rori_page_changes_total", "modified"] == 9
    assert [found["rori_runs_total", state] for state in _STATES] == [3] * 3
    assert found["rori_runs_open", "running"] == 1
    assert found["rori_run_pages", "captured"] == 18 and found["rori_requests_total",] == 36
    assert found["rori_run_duration_seconds_sum", "crawl"] == 72
