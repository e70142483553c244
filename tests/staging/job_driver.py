"""A crawl of a small site, as the pipelines perform one: the whole writing order, without a network."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from sqlalchemy import select

from rori_spiders.content.sections import section_hashes
from rori_spiders.crawl.envelope import build_envelope
from rori_spiders.items import FrontierUrl
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.pages import page_history, page_state
from rori_spiders.ledger.runs import frontier, run_records
from rori_spiders.ledger.runs.frontier import IN_LEDGER
from rori_spiders.ledger.tables import envelopes
from rori_spiders.reasons import CAPTURED
from rori_spiders.staging.envelope_writer import (
    PageToStage,
    bare_hash,
    index_envelopes,
    mark_staged,
    reserve_and_write,
    reserve_envelopes,
    write_envelopes,
)
from rori_spiders.staging.recovery import recover_staging
from rori_spiders.staging.store import LogLine
from tests.envelope.factories import NOON, SITE, a_change, a_conversion, a_fetch, a_source, an_origin

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.envelope import Envelope
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.envelope_writer import Reservation
    from rori_spiders.staging.store import Store

SOURCE = "cfpb-reg-x"
#: Each page and the pages that it names: the second is found only through the first.
PAGES = {SITE: [SITE, SITE + "5/"], SITE + "5/": []}


@dataclass
class Job:
    """One process that works on the source's run until all its pages are done."""

    ledger: Ledger
    store: Store
    job_id: str
    now: datetime = NOON

    def work(self) -> None:
        """Recover, go on with the open run or begin one, stage every page, close the run."""
        recover_staging(self.ledger, self.store, self.now)
        with self.ledger.begin() as conn:
            run = self.open_run(conn)
            frontier.add_urls(conn, run, [FrontierUrl(run, SOURCE, SITE), *self.linked_visits(conn, run)])
        while visits := self.pending(run):
            for visit in visits:
                self.page(visit)
        with self.ledger.begin() as conn:
            run_records.close_run(conn, run, state="complete", reason=None, now=self.now)

    def open_run(self, conn: Connection) -> str:
        return run_records.open_run(
            conn,
            source_id=SOURCE,
            manifest_version="1.0.0",
            method="crawl",
            operator="system",
            job_id=self.job_id,
            now=self.now,
            resume_after=self.now - timedelta(days=7),
        ).run_id

    def linked_visits(self, conn: Connection, run: str) -> list[FrontierUrl]:
        """What the captured pages of a resumed run lead to, as its walker finds it."""
        found = []
        for row in frontier.list_urls(conn, run, "captured"):
            links = page_state.load_links(conn, SOURCE, [row.url]).get(row.url, ())
            found += [
                FrontierUrl(run, SOURCE, url, depth=row.depth + 1, found_on=row.url, found_by=IN_LEDGER)
                for url in links
            ]
        return found

    def pending(self, run: str) -> list[FrontierUrl]:
        with self.ledger.connect() as conn:
            return list(frontier.stream_pending_urls(conn, run))

    def page(self, visit: FrontierUrl, text: str | None = None) -> Reservation:
        raw = (text or f"<h1>{visit.url}</h1>").encode()
        envelope = self.envelope(visit, raw)
        links = PAGES.get(visit.url, [])

        def reserve(pages: Sequence[PageToStage]) -> list[Reservation]:
            with self.ledger.begin() as conn:
                return reserve_envelopes(conn, pages, now=self.now)

        [reservation] = reserve_and_write(self.store, [PageToStage(envelope, raw, links)], reserve)
        with self.ledger.begin() as conn:
            record(conn, visit, envelope, reservation.path, links, self.now)
        index_envelopes(self.ledger, self.store, [reservation.envelope_id])
        return reservation

    def envelope(self, visit: FrontierUrl, raw: bytes) -> Envelope:
        with self.ledger.connect() as conn:
            known = page_history.find_page(conn, SOURCE, visit.url)
        previous = known.content_hash if known else None
        origin = an_origin(
            visit.url,
            source=a_source(),
            run_id=visit.run_id,
            parent_crawl_id=visit.run_id,
            envelope_id=str(uuid4()),
            raw_object=_digest(raw),
            fetched=a_fetch(visit.url, raw, at=self.now),
        )
        change = a_change("modified" if previous else "new", previous)
        return build_envelope(converted=a_conversion(f"# {raw.decode()}\n"), change=change, **origin)


def of_a_run(*texts: str) -> list[LogLine]:
    """Lines of one run."""
    return [LogLine("run", text) for text in texts]


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def record(
    conn: Connection, visit: FrontierUrl, envelope: Envelope, path: str, links: list[str], now: datetime
) -> None:
    """Transaction B."""
    digest = bare_hash(envelope.integrity.content_hash)
    page = page_history.ensure_page(conn, SOURCE, visit.url, now=now)
    version = page_history.NewVersion(
        run_id=visit.run_id,
        captured_at=now,
        change_type=envelope.integrity.change_type,
        content_hash=digest,
        raw_object=bare_hash(envelope.integrity.raw_hash or ""),
        body_object=digest,
        section_hashes=section_hashes(envelope.content.body),
        converter_version=envelope.integrity.converter_version or "",
        tier="http",
        html_hash=bare_hash(envelope.integrity.html_hash or ""),
        title=envelope.page_metadata.title,
    )
    page_history.add_version(conn, page.page_id, version, body_chars=len(envelope.content.body))
    found = [FrontierUrl(visit.run_id, SOURCE, url, depth=visit.depth + 1, found_by="link") for url in links]
    frontier.add_urls(conn, visit.run_id, found)
    frontier.settle_url(
        conn,
        visit.run_id,
        visit.url,
        state="captured",
        reason=CAPTURED,
        tier="http",
        verdict="content",
        attempts=1,
        now=now,
    )
    row = audit_log.AuditRow(
        run_id=visit.run_id,
        timestamp=now,
        manifest_id=SOURCE,
        url=visit.url,
        engine="http",
        state="captured",
        build="tests",
        content_hash=digest,
        content_changed=True,
        staged_path=path,
    )
    audit_log.append_row(conn, row)
    mark_staged(conn, envelope.envelope_id, now=now)


def begin(job: Job, *urls: str) -> list[FrontierUrl]:
    """The visits, in this order, of a run that has discovered *urls*."""
    with job.ledger.begin() as conn:
        run = job.open_run(conn)
        frontier.add_urls(conn, run, [FrontierUrl(run, SOURCE, url) for url in urls])
    visits = {visit.url: visit for visit in job.pending(run)}
    return [visits[url] for url in urls]


def reserve_envelope(conn: Connection, envelope: Envelope, *, links: list[str], now: datetime) -> Reservation:
    """Step 1 for one page, whose bytes come with step 2."""
    return reserve_envelopes(conn, [PageToStage(envelope, None, links)], now=now)[0]


def write_envelope(store: Store, reservation: Reservation, *, raw: bytes | None) -> None:
    """Step 2 for one page."""
    assert not write_envelopes(store, [replace(reservation, raw=raw)])


def reserved(job: Job, visit: FrontierUrl, text: str) -> Reservation:
    with job.ledger.begin() as conn:
        return reserve_envelope(conn, job.envelope(visit, text.encode()), links=[], now=job.now)


def rows(ledger: Ledger) -> dict[str, Any]:
    with ledger.connect() as conn:
        return {row.path: row for row in conn.execute(select(envelopes))}


def next_run(job: Job) -> None:
    """The open run ends, and an hour passes."""
    with job.ledger.begin() as conn:
        (run,) = run_records.recent_runs(conn, SOURCE, limit=1)
        run_records.close_run(conn, run.run_id, state="complete", reason=None, now=job.now)
    job.now += timedelta(hours=1)
