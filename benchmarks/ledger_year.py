"""How large the ledger of a manifest is after a year: its sources visited as often as they say, on a clock of its own.

    .venv/bin/python -m benchmarks.ledger_year                  # fthb: 365 days, each crawl as long as its max_pages
    .venv/bin/python -m benchmarks.ledger_year --days 30
    .venv/bin/python -m benchmarks.ledger_year --manifest wikis --keep /tmp/year.db

Nothing is asked of anybody: the pages are invented, and recorded by the functions that a job records with, all runs of
a day in one transaction. Of a crawl there are as many pages as its max_pages allows, so the figure is an upper bound.
One page in fifty has changed since the visit before; half of the sources answer 304, the others send all bytes again,
with the headers that agencies send. Each run of a crawl reads a robots.txt, and a sitemap that names 2,000 URLs outside
the scope. Prints the rows and bytes of each table and index, what `scrapy ledger compact` leaves of the file, and
what `scrapy verify` finds in both. Ends with 1 when the file had more than 2 GB before, or when that finds anything.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from sqlalchemy import Engine, event

from rori_spiders.crawl.runs import page_records
from rori_spiders.crawl.runs.run import Run
from rori_spiders.items import Attempt, Change, Fetched, FrontierUrl, PageItem
from rori_spiders.ledger.audit import audit_log, fact_log
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.pages import compaction, page_history
from rori_spiders.ledger.pages.page_history import NewVersion
from rori_spiders.ledger.runs import crawl_summaries, listed_urls, run_records
from rori_spiders.ledger.runs.run_records import RobotsFileRecord
from rori_spiders.ledger.tables import envelopes
from rori_spiders.manifest.loading import load_packaged
from rori_spiders.manifest.scope import Scope
from rori_spiders.politeness.robots_policy import RobotsFile
from rori_spiders.reasons import CAPTURED, COMPLETE, Reason, ReasonCode
from rori_spiders.runtime.redaction import Redactor
from rori_spiders.staging.verification.fact_checks import check_facts
from rori_spiders.staging.verification.ledger_checks import check_runs
from rori_spiders.staging.verification.selection import Selection
from rori_spiders.urls.canonical import normalise_url, origin_of, url_hash
from rori_spiders.urls.list_marks import ListMarks
from rori_spiders.verdicts.verdict import FiredRule, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from rori_spiders.manifest.models import Source

_MOST_BYTES = 2_000_000_000
_BEGAN = datetime(2026, 1, 1, 7, tzinfo=UTC)
_DAYS = {"daily": 1, "weekly": 7, "biweekly": 14, "monthly": 30, "quarterly": 91}
_CHANGED_IN = 50
_LINKS = 20
_FOREIGN = 2000
_BATCH = 300
#: SQLite's own 2 MB would be filled anew with each source.
_CACHE_KIB = 1_000_000
_JOB = str(uuid4())
_REDACT = Redactor()
_CONTENT = Verdict("content", None, 0.97, (FiredRule("main-text", "body"),))
_ASKED = {
    "Accept": ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"],
    "Accept-Language": ["en"],
    "User-Agent": ["RORI-Collector/1.0 (+https://rori.dev/collector; research-purposes)"],
    "Accept-Encoding": ["gzip, deflate, br, zstd"],
}
_CAME = {
    "Server": ["Apache"],
    "X-Frame-Options": ["SAMEORIGIN"],
    "Strict-Transport-Security": ["max-age=31536000; includeSubDomains; preload"],
    "Content-Security-Policy": [
        (
            "default-src 'self' https://*.gov https://www.google-analytics.com; script-src 'self' 'unsafe-inline' "
            "https://dap.digitalgov.gov https://www.googletagmanager.com; img-src 'self' data: https:"
        )
    ],
    "X-Content-Type-Options": ["nosniff"],
    "Referrer-Policy": ["strict-origin-when-cross-origin"],
    "Cache-Control": ["max-age=300, public"],
    "Vary": ["Accept-Encoding, Cookie"],
    "Permissions-Policy": ["geolocation=(), microphone=(), camera=()"],
}


class Visitor:
    """One source over the year: its pages, and how its server answers."""

    def __init__(self, source: Source, number: int, pages: int = 0) -> None:
        self.source = source
        self._sends_304 = number % 2 == 0
        start = normalise_url(source.url)
        pages = pages or ((source.scrape_config.max_pages or 300) if source.method != "scrape" else 1)
        folder = start.rstrip("/")
        self.urls = [start, *(f"{folder}/section-{at:04}-of-the-rule" for at in range(1, pages))]
        self.days = _DAYS[source.frequency]
        self._scope = Scope(source)
        self._visits = 0

    def visit(self, conn: Connection, now: datetime) -> None:
        """One run; all pages of the first one are new."""
        number, self._visits = self._visits, self._visits + 1
        row = run_records.open_run(
            conn,
            source_id=self.source.id,
            manifest_version="1.0.0",
            method=self.source.method,
            operator="system",
            job_id=_JOB,
            now=now,
            resume_after=now,
        )
        self._read_lists(conn, row.run_id, now)
        run = Run(row.run_id, self.source, self._scope, "1.0.0", now)
        for begin in range(0, len(self.urls), _BATCH):
            some = range(begin, min(begin + _BATCH, len(self.urls)))
            ended = [(self._item(row.run_id, at, now + timedelta(seconds=2 * at), number), now) for at in some]
            self._record(conn, run, ended)
        run_records.close_run(conn, row.run_id, state="complete", reason=COMPLETE, now=now + timedelta(hours=1))
        if self.source.method != "scrape":
            crawl_summaries.save_summary(conn, row.run_id, json.dumps({"coverage": ["x" * 2000]}), now=now)

    def record_page(self, conn: Connection, run: Run, url: str, now: datetime) -> None:
        """One of its pages, at a first visit."""
        self.record_pages(conn, run, [url], now)

    def record_pages(self, conn: Connection, run: Run, urls: Sequence[str], now: datetime, visits: int = 0) -> None:
        """Some of them, in one transaction, after so many visits."""
        self._record(conn, run, [(self._item(run.run_id, self.urls.index(url), now, visits), now) for url in urls])

    def _read_lists(self, conn: Connection, run_id: str, now: datetime) -> None:
        origin = origin_of(self.urls[0])
        robots = RobotsFileRecord(run_id, origin, now, "rules", 200, None, "a" * 64, None)
        run_records.record_robots_file(conn, robots)
        file = RobotsFile(
            origin, "rules", "", 200, now, request_validators={}, response_validators={"ETag": ['"5f1-60a3c1b2d7e40"']}
        )
        rows = [page_records.robots_audit_row(robots, file, self.source.id, _REDACT)]
        if self.source.method == "crawl":
            counted = _foreign_marks().exclusions(run_id, f"{origin}/sitemap.xml", "b" * 64, "c" * 64)
            listed_urls.add_exclusions(conn, counted, now=now)
            rows += [listed_urls.exclusion_audit_row(one, self.source.id, at=now) for one in counted]
        audit_log.append_rows(conn, rows)

    def _item(self, run_id: str, at: int, now: datetime, number: int) -> PageItem:
        url = self.urls[at]
        is_changed = number == 0 or (at + number) % _CHANGED_IN == 0
        text_hash = sha256(f"{url} {number if is_changed else 0}".encode()).hexdigest()
        is_304 = self._sends_304 and not is_changed
        sent = {"If-None-Match": [f'"{text_hash[:16]}"']} if self._sends_304 and number else {}
        came = {"Date": [f"{now:%a, %d %b %Y %H:%M:%S} GMT"], "ETag": [f'"{text_hash[:16]}"'], "Age": [str(at % 300)]}
        facts = Fetched(
            url=url,
            final_url=url,
            status=304 if is_304 else 200,
            headers={**_CAME, **came, **({} if is_304 else {"Content-Type": ["text/html; charset=UTF-8"]})},
            body=b"",
            raw=b"" if is_304 else text_hash.encode(),
            at=now,
            tier="http",
            engine_version="scrapy",
            response_time_ms=120,
            ip_address="203.0.113.80",
            request_headers={**_ASKED, **sent},
        )
        reason = Reason(ReasonCode.NOT_MODIFIED) if is_304 else CAPTURED
        tried = Attempt("http", now, facts.status, None if is_304 else "content", reason, 120)
        links = () if is_304 else tuple(self.urls[at + 1 : at + 1 + _LINKS])
        return PageItem(
            FrontierUrl(
                run_id, self.source.id, url, depth=min(at, 2), found_on=self.urls[0] if at else None, found_by="link"
            ),
            "captured" if is_changed else "unchanged",
            reason if is_changed or is_304 else Reason(ReasonCode.SAME_TEXT),
            fetched=facts,
            verdict=None if is_304 else _CONTENT,
            attempts=(tried,),
            links=links,
            at=now,
            change=Change("new" if number == 0 else "modified" if is_changed else "unchanged", text_hash),
        )

    def _record(self, conn: Connection, run: Run, ended: Sequence[tuple[PageItem, datetime]]) -> None:
        """As the recorder of a job does, for pages that need nobody's review."""
        page_records.settle_urls(conn, run, ended, _REDACT)
        numbers = page_records.record_pages(conn, ended, _REDACT)
        audited = [
            page_records.page_audit_row(item, _REDACT, now=now, raw_hash=_raw_hash(item), robots_object="a" * 64)
            for item, now in ended
        ]
        audit_log.append_rows(conn, audited)
        staged = [(item, now) for item, now in ended if item.change is not None and item.change.changed]
        page_history.add_versions(conn, {numbers[item.visit.url]: (_version(item, now), 9000) for item, now in staged})
        if staged:
            rows = [self._envelope_row(item, now) for item, now in staged]
            conn.execute(envelopes.insert(), rows)
            for row in rows:
                fact_log.note_fact(conn, "envelope", row["envelope_id"])
        fact_log.append_noted_facts(conn)  # a job's transaction ends here

    def _envelope_row(self, item: PageItem, now: datetime) -> dict[str, object]:
        assert item.change is not None
        text_hash, path = item.change.content_hash, f"{self.source.domain}/{now:%Y-%m-%d}/{uuid4().hex}.json"
        return {
            "envelope_id": str(uuid4()),
            "run_id": item.visit.run_id,
            "source_id": self.source.id,
            "url": item.visit.url,
            "url_hash": url_hash(item.visit.url),
            "state": "indexed",
            "path": path,
            "file_hash": text_hash,
            "index_line": json.dumps({"url": item.visit.url, "path": path, "hashes": [text_hash] * 4, "at": str(now)}),
            "content_hash": text_hash,
            "change_type": item.change.change_type,
            "reserved_at": now,
            "staged_at": now,
        }


@cache
def _foreign_marks() -> ListMarks:
    marks = ListMarks()
    for _ in range(_FOREIGN):
        marks.exclude("page", Reason(ReasonCode.OUTSIDE_INCLUDE_PATTERNS), is_new=True)
    return marks


def _raw_hash(item: PageItem) -> str | None:
    """As the recorder has it: of an answer without bytes there is none."""
    assert item.fetched is not None
    return item.fetched.raw_hash if item.fetched.received else None


def _version(item: PageItem, now: datetime) -> NewVersion:
    assert item.change is not None
    text_hash = item.change.content_hash
    sections = [
        (f"Section {at} of the rule > ({at})", sha256(f"{text_hash}{at}".encode()).hexdigest()) for at in range(12)
    ]
    return NewVersion(
        run_id=item.visit.run_id,
        captured_at=now,
        change_type=item.change.change_type,
        content_hash=text_hash,
        html_hash=text_hash,
        raw_object=text_hash,
        body_object=text_hash,
        section_hashes=sections,
        converter_version="1",
        tier="http",
        title="A section of the rule",
    )


def _print_sizes(path: Path) -> int:
    """The bytes of the file; prints what takes them."""
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        of = dict(conn.execute("SELECT name, tbl_name FROM sqlite_master"))
        sizes = conn.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 14").fetchall()
        for name, size in sizes:
            rows = conn.execute(f"SELECT count(*) FROM {of.get(name, name)}").fetchone()[0]  # noqa: S608
            print(f"{name:32} {rows:>10,} rows {size / 1e6:>9,.1f} MB {size / max(rows, 1):>7,.0f} bytes each")
    return path.stat().st_size


def _check_runs(path: Path, now: datetime) -> list[str]:
    """What `scrapy verify` finds in the ledger: in the sum of each run, and in the log of facts."""
    with open_ledger(str(path)) as ledger:
        counts: Counter[str] = Counter()
        return [
            str(finding) for finding in (*check_runs(ledger, now, counts, Selection()), *check_facts(ledger, counts))
        ]


def _compact(path: Path, now: datetime) -> int:
    """As `scrapy ledger compact` does; gives the bytes of the file."""
    with open_ledger(str(path)) as ledger:
        with ledger.connect() as conn:
            found = compaction.list_compactable(conn, before=now - timedelta(days=90))
        with ledger.begin() as conn:
            for run_id in found:
                compaction.compact_run(conn, run_id)
        ledger.vacuum()
    return path.stat().st_size


def main() -> None:
    """Visit for so many days, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manifest", default="fthb")
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--keep", type=Path, help="keep the ledger here")
    given = parser.parse_args()
    sources = load_packaged(given.manifest).manifest.sources
    visitors = [Visitor(one, at) for at, one in enumerate(sources) if one.status == "active"]
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        path = given.keep or Path(folder) / "ledger.db"
        event.listen(Engine, "connect", lambda connection, _: connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}"))
        ledger = open_ledger(str(path.absolute()))
        runs = visits = 0
        for day in range(given.days):
            with ledger.begin() as conn:
                for at, visitor in enumerate(visitors):
                    if (day + at) % visitor.days == 0:
                        visitor.visit(conn, _BEGAN + timedelta(days=day, seconds=at))
                        runs, visits = runs + 1, visits + len(visitor.urls)
            if day % 30 == 0:
                print(f"day {day}: {path.stat().st_size / 1e6:,.0f} MB", flush=True)
        ledger.close()
        took = time.process_time() - began
        print(f"{len(visitors)} sources, {given.days} days, {runs:,} runs, {visits:,} visits of pages")
        size = _print_sizes(path)
        print(f"{size / 1e6:,.1f} MB, {size / visits:,.0f} bytes a visit; {took:,.0f} s of a processor", flush=True)
        now = _BEGAN + timedelta(days=given.days)
        broken = _check_runs(path, now)
        compacted = _compact(path, now)
        print(f"{compacted / 1e6:,.1f} MB once it is compacted", flush=True)
        broken += _check_runs(path, now)
        print(*broken or ["verified: the log of facts and the sum of each run, before and after"], sep="\n")
    sys.exit(size > _MOST_BYTES or bool(broken))


if __name__ == "__main__":
    main()
