"""Record the outcome of URLs: transaction B of the write order (module `staging`), then the line in the index. URLs
of a run that end at about the same time are recorded together.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from sqlalchemy.exc import DBAPIError

from rori_spiders.crawl.runs import page_records
from rori_spiders.exceptions import LeaseLost, WriteError
from rori_spiders.ledger.audit import audit_log, failure_states
from rori_spiders.ledger.pages import held_pages
from rori_spiders.ledger.runs import listed_urls, run_records
from rori_spiders.ledger.runs.run_records import RobotsFileRecord
from rori_spiders.staging import envelope_writer, ledger_logs
from rori_spiders.urls.canonical import host_of, origin_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.crawl.job.job import Job
    from rori_spiders.crawl.runs.run import Run
    from rori_spiders.items import PageItem
    from rori_spiders.ledger.runs.listed_urls import ListExclusion
    from rori_spiders.politeness.robots_policy import RobotsFile


# The recorder of a job. URLs of a run that end at about the same time are recorded together. One transaction holds
# their final states, versions, links and validators, what they discovered and excluded, the robots.txt that allowed
# them, and their audit rows: all of it is there after a crash, or they are still pending.

#: How long an end waits for others to be recorded with, seconds, while more of its run are out; nothing waits for it.
#: A kill meanwhile loses pages that must be fetched again, or, of those that a 304 confirmed, only have to be asked for
#: once more: these can wait for more of their kind (second visits to 2,000 pages, 2026-11: a transaction costs
#: as much as twenty of its pages).
BATCH_WINDOW_S = 0.5
CONFIRMED_BATCH_WINDOW_S = 5.0
#: URLs of one transaction, which stays far under the time that another writer waits for the ledger.
MAX_BATCH_SIZE = 200


@dataclass(slots=True)
class _PendingRecord:
    """An item that waits to be recorded."""

    run: Run
    item: PageItem
    now: datetime
    done: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    is_recorded: bool = False


class Recorder:
    """Records items of one job; all writing happens in the job's one ledger thread."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._waiting: list[_PendingRecord] = []
        self._writing: asyncio.Task[None] | None = None
        self._is_awaited = asyncio.Event()  # something came for which to look again
        self._robots_recorded: dict[tuple[str, str], RobotsFile] = {}  # by run and origin
        self._stored_robots: dict[str, tuple[object, str | None]] = {}  # by origin: the file, and its object

    @classmethod
    def of(cls, job: Job) -> Recorder:
        """The one recorder of *job*."""
        if job not in _recorders:
            _recorders[job] = cls(job)
        return _recorders[job]

    async def record(self, run: Run, item: PageItem) -> None:
        """Record *item*; then the run counts it. Raises WriteError or LeaseLost: it stays pending.

        Also when only its lines could not be appended: then it is recorded and counted, and the next start appends
        them.
        """
        ending = _PendingRecord(run, item, item.at or self._job.now())
        self._waiting.append(ending)
        if not _is_confirmed(item) or len(self._waiting) >= MAX_BATCH_SIZE or not self._more_may_come():
            self._is_awaited.set()
        if self._writing is None or self._writing.done():
            self._writing = asyncio.ensure_future(self._write())
        try:
            await ending.done
        finally:
            if ending.is_recorded:
                run.frontier.settle(item.visit, item.state, changed=item.change is not None and item.change.changed)
                self._job.page_states.forget(item.visit)

    # --- together -------------------------------------------------------------------------------------------------

    async def _write(self) -> None:
        while self._waiting:
            await self._gather()
            now, self._waiting = self._waiting[:MAX_BATCH_SIZE], self._waiting[MAX_BATCH_SIZE:]
            for run in {id(one.run): one.run for one in now}.values():
                await self._write_together(run, [one for one in now if one.run is run])

    async def _gather(self) -> None:
        """Wait for others to be recorded with those that wait already."""
        clock = asyncio.get_running_loop().time
        began = clock()
        while len(self._waiting) < MAX_BATCH_SIZE and self._more_may_come() and not self._job.stop.has_begun:
            all_confirmed = all(_is_confirmed(one.item) for one in self._waiting)
            left = began + (CONFIRMED_BATCH_WINDOW_S if all_confirmed else BATCH_WINDOW_S) - clock()
            if left <= 0:
                return
            self._is_awaited.clear()
            with suppress(TimeoutError):  # at least as often it looks whether the job is closing
                await asyncio.wait_for(self._is_awaited.wait(), min(left, BATCH_WINDOW_S))

    def _more_may_come(self) -> bool:
        """Whether the runs of those that wait have other URLs out that can come."""
        if self._job.is_held_back:
            return False
        if self._waiting and len(self._waiting[-1].run.frontier.outstanding) > len(self._waiting):
            return True
        runs_waiting = {id(one.run): one.run for one in self._waiting}
        return sum(len(run.frontier.outstanding) for run in runs_waiting.values()) > len(self._waiting)

    async def _write_together(self, run: Run, endings: Sequence[_PendingRecord]) -> None:
        """Record them in one transaction; where one of them cannot be, each in its own, and only that one fails."""
        requests = run.usage.take_requests()
        try:
            failures = await self._job.storage.run(lambda: self._record(run, endings, requests))
        except Exception as error:
            run.usage.give_back_requests(requests)
            if len(endings) > 1 and not isinstance(error, (WriteError, LeaseLost, DBAPIError)):
                for one in endings:
                    await self._write_together(run, [one])
            else:
                _resolve_futures(endings, error)
            return
        for one in endings:
            one.is_recorded = True
        try:
            await self._job.storage.run(lambda: self._lines(endings, failures))
        except Exception as error:
            _resolve_futures(endings, error)  # their lines are missing: the next start appends them
        else:
            _resolve_futures(endings)

    # --- in the ledger's thread -----------------------------------------------------------------------------------

    def _record(self, run: Run, endings: Sequence[_PendingRecord], requests: int) -> list[int]:
        """Transaction B for all of them; gives the rows of the audit that the error log is to tell."""
        if run.run_id not in self._job.runs:
            raise LeaseLost(f"{run.source_id}: its run ended without this page; the next job continues with it")
        ended = [(one.item, one.now) for one in endings]
        evidence = {id(item): self._evidence(item) for item, _ in ended}
        listed = {id(item): self._exclusions(item, evidence[id(item)]) for item, _ in ended}
        remembered = dict(run.tiers.remembered)

        def recording(conn: Connection) -> list[int]:
            run.tiers.restore(remembered)
            return self._all_of(conn, run, ended, evidence, listed, requests)

        try:
            failures = self._job.storage.ledger.write(recording)
        except BaseException:
            run.tiers.restore(remembered)  # the ledger rolls back, so this run does too
            raise
        for origin in {origin_of(item.visit.url) for item, _ in ended} & self._job.robots.keys():
            self._robots_recorded[run.run_id, origin] = self._job.robots[origin]
        return failures

    def _all_of(
        self,
        conn: Connection,
        run: Run,
        ended: Sequence[tuple[PageItem, datetime]],
        evidence: dict[int, str | None],
        listed: dict[int, list[ListExclusion]],
        requests: int,
    ) -> list[int]:
        redact = self._job.redactor
        self._job.leasing.check(conn, self._job.manifests.group(host_of(run.source.url)))
        spent = sum(attempt.credits for item, _ in ended for attempt in item.attempts)
        run_records.add_requests(conn, run.run_id, requests=requests, credits=spent)
        for origin in sorted({origin_of(item.visit.url) for item, _ in ended}):
            self._robots(conn, run, origin)
        page_records.settle_urls(conn, run, ended, redact)
        for item, now in ended:
            page_records.remember_tier(conn, run, item, now)
        page_ids = page_records.record_pages(conn, ended, redact)
        page_records.update_reviews(conn, run, ended, redact)  # which look where redirects lead
        states = {item.visit.url: item.state for item, _ in ended if item.visit.kind == "page"}
        before = audit_log.find_last_states(conn, run.run_id, states)
        audit_log.append_rows(conn, self._audit_rows(ended, evidence, listed))
        for item, now in ended:
            listed_urls.add_exclusions(conn, listed[id(item)], now=now)
            if held_pages.is_held_item(item):
                held_pages.save_held_page(conn, item, redact.text, now=now)
        staged = {item.envelope_id: (item, now) for item, now in ended if item.envelope_id is not None}
        page_records.add_versions(conn, [item for item, _ in staged.values()], page_ids)
        envelope_writer.mark_envelopes_staged(conn, {envelope_id: now for envelope_id, (_, now) in staged.items()})
        return failure_states.note_unlogged(conn, run.run_id, states, before)

    def _audit_rows(
        self,
        ended: Sequence[tuple[PageItem, datetime]],
        evidence: dict[int, str | None],
        listed: dict[int, list[ListExclusion]],
    ) -> list[audit_log.AuditRow]:
        """Those of exclusions, which have few columns, stand together behind the others."""
        redact, made, excluded = self._job.redactor, list[audit_log.AuditRow](), list[audit_log.AuditRow]()
        for item, now in ended:
            robots_object = self._robots_object(origin_of(item.visit.url))
            made.append(
                page_records.page_audit_row(
                    item, redact, now=now, raw_hash=evidence[id(item)], robots_object=robots_object
                )
            )
            excluded += [
                audit_log.excluded_row(visit, reason.masked(redact.url), at=now) for visit, reason in item.excluded
            ]
            made += [listed_urls.exclusion_audit_row(one, item.visit.source_id, at=now) for one in listed[id(item)]]
        return made + excluded

    def _evidence(self, item: PageItem) -> str | None:
        """The hash of the bytes as received, which are kept as an object, unless the text is the one that we hold.

        Then the hash alone says what came: a page with a clock has other bytes at each visit. Of an answer that was
        refused, its beginning is kept, under its own hash.
        """
        if item.fetched is None or not item.fetched.received:
            return None
        if item.state == "unchanged" or item.envelope_id is not None:  # staging has kept them, under this hash
            return item.fetched.raw_hash
        store = self._job.storage.store
        if item.fetched.screenshot is not None and held_pages.is_held_item(item):
            store.put_object(item.fetched.screenshot)  # a person may accept the page: then it is staged with it
        return store.put_object(page_records.evidence_bytes(item, item.fetched))

    def _exclusions(self, item: PageItem, evidence: str | None) -> list[ListExclusion]:
        """What the item's list names outside the scope, once the list and its marks are objects."""
        if item.listed is None or not item.listed.marks:
            return []
        put_object = self._job.storage.store.put_object
        body = evidence if item.listed.body is None else put_object(item.listed.body)
        assert body is not None
        marks, visit = item.listed.marks, item.visit
        marks_object = put_object(marks.encode())
        return listed_urls.exclusions_of_list(
            marks, visit.run_id, visit.url, list_object=body, marks_object=marks_object
        )

    def _robots_object(self, origin: str) -> str | None:
        file = self._job.robots.get(origin)
        if file is None or file.status is None:
            return None
        stored = self._stored_robots.get(origin)
        if stored is None or stored[0] is not file:
            stored = self._stored_robots[origin] = (file, self._job.storage.store.put_object(file.body))
        return stored[1]

    def _robots(self, conn: Connection, run: Run, origin: str) -> None:
        """What the robots.txt of *origin* said, once for each run: as a row of its own, and in the audit."""
        file = self._job.robots.get(origin)
        if file is None or file is self._robots_recorded.get((run.run_id, origin)):
            return
        reason, stored = self._job.redactor.text(file.reason) or None, self._robots_object(origin)
        seen = RobotsFileRecord(run.run_id, origin, file.at, file.outcome, file.status, reason, stored, file.delay_s)
        run_records.record_robots_file(conn, seen)
        audit_log.append_row(conn, page_records.robots_audit_row(seen, file, run.source_id, self._job.redactor))

    def _lines(self, endings: Sequence[_PendingRecord], failures: Sequence[int]) -> None:
        """Steps 4 and 5, and the lines of failures and of those that are overcome."""
        ledger, store = self._job.storage.ledger, self._job.storage.store
        staged = [one.item.envelope_id for one in endings if one.item.envelope_id is not None]
        if staged:
            envelope_writer.index_envelopes(ledger, store, staged)
        ledger_logs.log_errors(ledger, store, failures)


_recorders: WeakKeyDictionary[Job, Recorder] = WeakKeyDictionary()


def _is_confirmed(item: PageItem) -> bool:
    return item.state == "unchanged" and item.fetched is not None and item.fetched.status == 304


def _resolve_futures(endings: Sequence[_PendingRecord], error: Exception | None = None) -> None:
    for one in endings:
        if one.done.done():
            continue  # nobody waits for it any more
        if error is not None:
            one.done.set_exception(error)
        else:
            one.done.set_result(None)
