"""How long the questions take that commands and a monitor ask of a large ledger, on SQLite and on PostgreSQL.

    .venv/bin/python -m benchmarks.ledger_queries             # 1,000,000 audit rows
    .venv/bin/python -m benchmarks.ledger_queries 100000
    .venv/bin/python -m benchmarks.ledger_queries --sqlite /tmp/ledger.db --postgresql postgresql://...    # kept

Fills a ledger on each database with so many audit rows, a twentieth as many pages, a fiftieth as many runs and a
two-hundredth as many sources; one row in thirty failed. Rows are made by the database; a ledger that is named and has
rows is measured as it is. Prints milliseconds, the least of five, which other work on the machine disturbs least, and
ends with 1 when a question takes more than 200. Summaries of a month and of the whole audit have no limit: they read
each row that they sum.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from sqlalchemy import select, text

from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.audit.failure_log import FailureFilter, FailurePosition, list_failures
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.operations import alerts, collection_reports, source_status
from rori_spiders.ledger.pages import page_history, page_listing, point_in_time
from rori_spiders.ledger.runs import run_records
from rori_spiders.ledger.tables import audit as audit_rows
from rori_spiders.ledger.tables import pages
from rori_spiders.ledger.tables import runs as run_rows
from rori_spiders.ledger.tables.runs import OPEN_RUN_STATES
from rori_spiders.operations.metrics import collector
from rori_spiders.schedule import status
from tests.support.postgresql import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger

_MOST_MS = 200
_NOW = datetime(2026, 8, 1, tzinfo=UTC)
_YEAR_S = 365 * 86_400
_SPELT = {
    "sqlite": {
        "number": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {most}) ",
        "from": "FROM n",
        "hash": "printf('%064d', {0})",
        "uuid": "printf('00000000-0000-4000-8000-%012d', {0})",
        "time": "strftime('%Y-%m-%dT%H:%M:%S.000000Z', '2025-08-01', '+' || ({0}) || ' seconds')",
        "json": "{0}",
    },
    "postgresql": {
        "number": "",
        "from": "FROM generate_series(1, {most}) AS n(i)",
        "hash": "lpad(({0})::text, 64, '0')",
        "uuid": "'00000000-0000-4000-8000-' || lpad(({0})::text, 12, '0')",
        "time": "timestamptz '2025-08-01 00:00:00Z' + ({0}) * interval '1 second'",
        "json": "({0})::json",
    },
}


def fill_table(conn: Connection, table: str, columns: str, values: str, most: int, many: dict[str, int]) -> None:
    """Insert *most* rows of *values*, in which ``i`` counts from 1; *many*: how many sources, runs, pages there are."""
    spelt = _SPELT[conn.dialect.name]
    made = values.replace("SOURCES", str(many["sources"])).replace("RUNS", str(many["runs"]))
    made = made.replace("PAGES", str(many["pages"])).replace("STEP", str(max(1, _YEAR_S // most)))
    for name in ("hash", "uuid", "time", "json"):
        while f"{name}<" in made:
            before, _, rest = made.partition(f"{name}<")
            inner, _, after = rest.partition(">")
            made = before + spelt[name].format(inner) + after
    head = spelt["number"].format(most=most) if conn.dialect.name == "sqlite" else ""
    source = spelt["from"].format(most=most)
    conn.execute(text(f"INSERT INTO {table} ({columns}) {head}SELECT {made} {source}"))


def fill(conn: Connection, rows: int) -> None:
    many = {"sources": rows // 200, "runs": rows // 50, "pages": rows // 20}

    def insert(table: str, columns: str, values: str, most: int) -> None:
        fill_table(conn, table, columns, values, most, many)

    insert(
        "source_state",
        "source_id, last_checked_at",
        "'source-' || (i - 1), time<30000000>",
        many["sources"],
    )
    insert(
        "runs",
        "run_id, source_id, manifest_version, method, state, operator, job_id, started_at, finished_at, counts",
        "uuid<i - 1>, 'source-' || ((i - 1) % SOURCES), '1', 'crawl', CASE WHEN i > RUNS - 3 THEN 'running'"
        " WHEN i % 20 = 0 THEN 'suspect' ELSE 'complete' END, 'system', uuid<i>, time<i * STEP>, time<i * STEP + 60>,"
        """ json<'{"changed"\\: 0}'>""",
        many["runs"],
    )
    insert(
        "pages",
        "source_id, url, url_hash, title, first_seen_at, last_seen_at, last_seq, content_hash, body_chars",
        "'source-' || ((i - 1) % SOURCES), 'https\\://www.example.gov/rules/' || (i - 1), hash<i - 1>, 'Rule ' || i,"
        " time<i>, time<30000000>, 2, hash<i>, 9000",
        many["pages"],
    )
    for seq in (1, 2):
        insert(
            "versions",
            "page_id, seq, run_id, captured_at, change_type, content_hash, raw_object, body_object, section_hashes,"
            " converter_version, tier",
            f"i, {seq}, uuid<i % RUNS>, time<i * STEP>, '{'new' if seq == 1 else 'modified'}', hash<i>, hash<i>,"
            " hash<i>, json<'[]'>, '1', 'http'",
            many["pages"],
        )
    insert(
        "alerts",
        "source_id, event, cause, severity, message, opened_at, cleared_at",
        "'source-' || (i % SOURCES), 'suspect', 'cause ' || i, 'warning', 'too little text', time<i>,"
        " CASE WHEN i % 50 = 0 THEN NULL ELSE time<i + 60> END",
        many["sources"],
    )
    insert(
        "audit",
        "run_id, seq, kind, timestamp, manifest_id, url, engine, http_status, content_hash,"
        " credits_consumed, retry_count, url_hash, state, reason, verdict, build, request_headers, response_headers,"
        " attempts",
        "uuid<i % RUNS>, i, 'page', time<i * STEP>, 'source-' || (i % PAGES % SOURCES),"
        " 'https\\://www.example.gov/rules/' || (i % PAGES), 'http', CASE WHEN i % 30 = 0 THEN 503 ELSE 200 END,"
        " hash<i>, 0, 0, hash<i % PAGES>, CASE WHEN i % 30 = 0 THEN 'failed' ELSE 'unchanged' END,"
        " CASE WHEN i % 30 = 0 THEN 'server_error\\: 503 after ' || (i % 977) || ' s' ELSE '' END,"
        " CASE WHEN i % 30 > 0 THEN 'content'"
        " WHEN i % 90 = 0 THEN 'server_error' WHEN i % 60 = 0 THEN 'denied' ELSE 'js_shell' END, 'rori-collector 1',"
        """ json<'{"User-Agent"\\: "RORI-Collector/1.0", "Accept"\\: "text/html"}'>,"""
        """ json<'{"Content-Type"\\: "text/html", "ETag"\\: "abc", "Server"\\: "nginx"}'>, json<'[]'>""",
        rows,
    )


def page_list(conn: Connection) -> list[object]:
    return list(conn.execute(select(pages).where(pages.c.source_id == "source-7").order_by(pages.c.url).limit(100)))


def running(conn: Connection) -> list[object]:
    return list(conn.execute(select(run_rows).where(run_rows.c.state.in_(OPEN_RUN_STATES))))


_WEEK = {"since": _NOW - timedelta(days=7), "limit": 100}
_HALF_A_YEAR_AGO = FailurePosition(_NOW - timedelta(days=182), 0)
_URL = "https://www.example.gov/rules/77"
_FIFTY = [f"source-{number}" for number in range(50)]
QUESTIONS: dict[str, Callable[[Connection], object]] = {
    "how all sources stand (due planning)": source_status.load_states,
    "the last run of each source": status._read_last_runs,
    "pages held, by source": status._count_pages,
    "the last runs of all": run_records.recent_runs,
    "the last runs of a source": lambda conn: run_records.recent_runs(conn, "source-7"),
    "what is running": running,
    "audit of a source": lambda conn: list(audit_log.query_rows(conn, source_id="source-7", limit=100)),
    "audit of a week": lambda conn: list(audit_log.query_rows(conn, **_WEEK)),
    "audit of one state": lambda conn: list(audit_log.query_rows(conn, state="failed", limit=100)),
    "audit of a state that is rare": lambda conn: list(audit_log.query_rows(conn, state="gone", limit=100)),
    "audit of a source, one state": lambda conn: list(
        audit_log.query_rows(conn, source_id="source-7", state="gone", limit=99)
    ),
    "audit of a URL": lambda conn: list(audit_log.query_rows(conn, url=_URL)),
    "the last failures": list_failures,
    "failures of half a year ago (keyset)": lambda conn: list_failures(conn, after=_HALF_A_YEAR_AGO),
    "failures with a word": lambda conn: list_failures(conn, FailureFilter(words="after 13 s")),
    "failures with a word that is not there": lambda conn: list_failures(conn, FailureFilter(words="hamster")),
    "failures of a source": lambda conn: list_failures(conn, FailureFilter(source_id="source-7")),
    "failures of a source with a word": lambda conn: list_failures(
        conn, FailureFilter(source_id="source-7", words="hamster")
    ),
    "pages of a source": page_list,
    "versions of a page": lambda conn: page_history.list_versions(conn, 777),
    "open alerts": alerts.open_alerts,
    "changes of each source in 30 days, by day": lambda conn: page_listing.count_changes_by_day(
        conn, _NOW - timedelta(days=29), 30
    ),
    "what 50 sources hold, and by which tier": lambda conn: (
        page_listing.source_hashes(conn, _FIFTY),
        page_listing.current_tiers(conn, _FIFTY, _NOW),
    ),
    "failures, the most severe first": lambda conn: list_failures(conn, order="severity"),
    "failures that are resolved": lambda conn: list_failures(conn, FailureFilter(resolved=True)),
    "failures that are not": lambda conn: list_failures(conn, FailureFilter(resolved=False)),
    "failures of a status that is rare": lambda conn: list_failures(conn, FailureFilter(http_status=404)),
    "what was held of a URL on a day": lambda conn: point_in_time.find_proofs(conn, _URL, _NOW - timedelta(days=60)),
    "metrics: runs": lambda conn: list(collector.run_metrics(conn)),
    "metrics: changes": lambda conn: list(collector.change_metrics(conn)),
    "metrics: the last hour": lambda conn: list(collector.last_hour_metrics(conn, _NOW)),
    "metrics: leases, alerts, envelopes": lambda conn: [
        *collector.lease_metrics(conn, _NOW),
        *collector.alert_metrics(conn),
        *collector.envelope_metrics(conn),
    ],
    "summary of a week, by source": lambda conn: collection_reports.collection_figures(
        conn, "source", since=_WEEK["since"], until=None
    ),
    "summary of a source, by month": lambda conn: collection_reports.collection_figures(
        conn, "month", since=None, until=None, source_id="source-7"
    ),
}
#: These read as many rows as they sum, and are held to no limit.
WHOLE: dict[str, Callable[[Connection], object]] = {
    "summary of 30 days, by source": lambda conn: collection_reports.collection_figures(
        conn, "source", since=_NOW - timedelta(days=30), until=None
    ),
    "summary of all, by source": lambda conn: collection_reports.collection_figures(
        conn, "source", since=None, until=None
    ),
    "summary of all, by month": lambda conn: collection_reports.collection_figures(
        conn, "month", since=None, until=None
    ),
}


def timed(ledger: Ledger, ask: Callable[[Connection], object], times: int = 6) -> float:
    """Milliseconds, the least; the first one does not count."""
    took = []
    for _ in range(times):
        with ledger.connect() as conn:
            began = perf_counter()
            ask(conn)
            took.append((perf_counter() - began) * 1000)
    return min(took[1:])


def filled(ledger: Ledger, rows: int) -> None:
    """Fill it, unless it has rows: indexes of the audit last, which takes a fifth of the time."""
    with ledger.connect() as conn:
        if conn.execute(select(audit_rows.c.audit_id).limit(1)).first() is not None:
            return
    began = perf_counter()
    indexes = sorted(audit_rows.indexes, key=lambda index: str(index.name))
    with ledger.begin() as conn:
        for index in indexes:
            index.drop(conn)
        fill(conn, rows)
        for index in indexes:
            index.create(conn)
    ledger.analyze()  # as each job does at its end
    if not ledger.place.is_sqlite:
        with ledger.begin() as conn:
            conn.execute(text("ANALYZE"))  # as the server does by itself
    sys.stderr.write(f"{ledger.place}: filled in {perf_counter() - began:.0f} s\n")


def measured(url: str, rows: int) -> dict[str, float]:
    with closing(open_ledger(url)) as ledger:
        filled(ledger, rows)
        took = {name: timed(ledger, ask) for name, ask in QUESTIONS.items()}
        return took | {name: timed(ledger, ask, 3) for name, ask in WHOLE.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--sqlite", metavar="FILE", help="this ledger, which is kept")
    parser.add_argument("--postgresql", metavar="URL", help="this ledger, which is kept")
    opts = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sqlite = measured(opts.sqlite or str(Path(folder) / "ledger.db"), opts.rows)
    with ExitStack() as stack:
        url = opts.postgresql or stack.enter_context(closing(Cluster())).ledger()
        postgresql = measured(url, opts.rows)
    print(f"{'ms':<50}{'SQLite':>10}{'PostgreSQL':>12}")
    for name in (*QUESTIONS, *WHOLE):
        print(f"{name:<50}{sqlite[name]:>10.1f}{postgresql[name]:>12.1f}")
    return int(any(took[name] > _MOST_MS for took in (sqlite, postgresql) for name in QUESTIONS))


if __name__ == "__main__":
    sys.exit(main())
