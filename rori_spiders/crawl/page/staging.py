"""The envelopes of changed pages: their paths reserved in the ledger, then their raw bytes and their files written.

Pages that come at about the same time, or while others are written, are staged together: a transaction or a flush of
the disk serves the more pages the faster they come. What is alone in its run waits for nobody.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from uuid import uuid4
from weakref import WeakKeyDictionary

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from rori_spiders.crawl.envelope import Origin, build_deletion_envelope, build_envelope
from rori_spiders.crawl.job.job import Job
from rori_spiders.envelope import Envelope
from rori_spiders.exceptions import LedgerError, WriteError
from rori_spiders.items import PageItem
from rori_spiders.staging import envelope_writer
from rori_spiders.staging.envelope_writer import PageToStage, Reservation
from rori_spiders.urls.canonical import host_of, origin_of

#: How long a page waits for others to be staged with, seconds, while more of its run are out; nothing waits for it. The
#: thread takes 2.8 CPU-ms a page where it took 5.6, with 6 pages a group instead of one or two (real pages, 2026-11).
GROUP_WINDOW_S = 0.2
#: Pages of one group: each has up to three files open until the group is written.
MAX_GROUP_SIZE = 32


@dataclass(slots=True, eq=False)
class _PendingPage:
    """A page that waits to be staged, and what became of it."""

    item: PageItem
    done: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    page: PageToStage | None = None
    reservation: Reservation | None = None
    error: Exception | None = None


async def stage_envelope(job: Job, item: PageItem) -> None:
    """Steps 1 and 2 of the order of writing (staging/envelope_writer.py). What cannot be written stops the job."""
    if job not in _stagers:
        _stagers[job] = EnvelopeStager(job)
    with job.stopping_on_write_errors(job.runs.get(item.visit.run_id)):
        await _stagers[job].stage(item)


class EnvelopeStager:
    """Stages the changed pages of one job, a group at a time, in the job's staging thread."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._waiting: list[_PendingPage] = []
        self._writing: asyncio.Task[None] | None = None
        self._is_awaited = asyncio.Event()  # another one waits

    async def stage(self, item: PageItem) -> None:
        """Stage the envelope of *item*, with those of others that are ready. Raises WriteError, LeaseLost."""
        pending = _PendingPage(item)
        self._waiting.append(pending)
        self._is_awaited.set()
        if self._writing is None or self._writing.done():
            self._writing = asyncio.ensure_future(self._write())
        await pending.done

    async def _write(self) -> None:
        while self._waiting:
            await self._gather()
            group, self._waiting = self._waiting[:MAX_GROUP_SIZE], self._waiting[MAX_GROUP_SIZE:]
            try:
                await self._job.storage.run_staging(lambda group=group: self._stage(group))  # type: ignore[misc]
            except Exception as error:  # the ledger failed before: nothing was tried
                for one in group:
                    one.error = one.error or error
            for one in group:
                if one.done.done():
                    continue  # nobody waits for it any more
                if one.error is not None:
                    one.done.set_exception(one.error)
                else:
                    one.done.set_result(None)

    async def _gather(self) -> None:
        """Wait for others to be staged with those that wait already."""
        clock = asyncio.get_running_loop().time
        until = clock() + GROUP_WINDOW_S
        while len(self._waiting) < MAX_GROUP_SIZE and self._more_may_come() and not self._job.stop.has_begun:
            self._is_awaited.clear()
            try:
                await asyncio.wait_for(self._is_awaited.wait(), until - clock())
            except TimeoutError:
                return

    def _more_may_come(self) -> bool:
        """Whether the runs of those that wait have other URLs out that can come."""
        if self._job.is_held_back:
            return False
        runs = [self._job.runs.get(run_id) for run_id in {one.item.visit.run_id for one in self._waiting}]
        return sum(len(run.frontier.outstanding) for run in runs if run is not None) > len(self._waiting)

    # --- in the staging thread ----------------------------------------------------------------------------------------

    def _stage(self, group: Sequence[_PendingPage]) -> None:
        for step in (self._render, self._write_files, self._check):
            _do_together(step, [one for one in group if one.error is None])
        for one in group:
            if one.error is None and one.reservation is not None:
                assert one.page is not None
                one.item.envelope_id, one.item.staged_path = one.reservation.envelope_id, one.reservation.path
                one.item.envelope = one.page.envelope
        # A failure of the ledger is passed on to all pages that wait for it.
        failure = next((one.error for one in group if isinstance(one.error, LedgerError)), None)
        if failure is not None:
            raise failure

    def _render(self, group: Sequence[_PendingPage]) -> None:
        for one in group:
            if one.page is None:
                assert one.item.fetched is not None
                envelope = _build_envelope(self._job, one.item)
                one.page = PageToStage(
                    envelope, one.item.fetched.received, one.item.links, screenshot=one.item.fetched.screenshot
                )

    def _write_files(self, group: Sequence[_PendingPage]) -> None:
        """Steps 1 and 2."""
        job, hosts = self._job, {host_of(one.item.visit.url) for one in group}

        def reserve_in(conn: Connection, pages: Sequence[PageToStage]) -> list[Reservation]:
            for leased in {job.manifests.group(host) for host in hosts}:
                job.leasing.check(conn, leased)
            return envelope_writer.reserve_envelopes(conn, pages, now=job.now())

        def reserve(pages: Sequence[PageToStage]) -> list[Reservation]:
            return job.storage.ledger.write(lambda conn: reserve_in(conn, pages))

        pages = [one.page for one in group if one.page is not None]
        written = {one.envelope_id: one for one in envelope_writer.reserve_and_write(job.storage.store, pages, reserve)}
        for one in group:
            assert one.page is not None
            one.reservation = written[one.page.envelope.envelope_id]

    def _check(self, group: Sequence[_PendingPage]) -> None:
        reservations = [one.reservation for one in group if one.reservation is not None]
        store = self._job.storage.store
        self._job.storage.ledger.write(lambda conn: envelope_writer.check_reserved(conn, store, reservations))


def _do_together(step: Callable[[Sequence[_PendingPage]], None], group: Sequence[_PendingPage]) -> None:
    """Do *step* for all; where it fails for one of them, for each alone, and only that one fails."""
    if not group:
        return
    try:
        step(group)
    except Exception as error:
        if len(group) == 1 or isinstance(error, (WriteError, DBAPIError)):
            for one in group:
                one.error = error
        else:
            for one in group:
                _do_together(step, [one])


_stagers: WeakKeyDictionary[Job, EnvelopeStager] = WeakKeyDictionary()


def _build_envelope(job: Job, item: PageItem) -> Envelope:
    assert item.change is not None
    if item.change.change_type == "deleted":
        return build_deletion_envelope(
            previous_content_hash=item.change.previous_content_hash,
            title=item.change.previous_title,
            **_origin_of_item(job, item),
        )
    assert item.converted is not None
    return build_envelope(converted=item.converted, change=item.change, **_origin_of_item(job, item))


def _origin_of_item(job: Job, item: PageItem) -> Origin:
    assert item.fetched is not None
    source = job.manifests.catalog.source(item.visit.source_id)
    robots = job.robots.get(origin_of(item.visit.url))
    return {
        "visit": item.visit,
        "source": source,
        "manifest_version": job.manifests.catalog.loaded_of(source.id).manifest.version,
        "fetched": item.fetched,
        "raw_object": item.fetched.raw_hash,
        "content_signal": robots.content_signal if robots is not None else None,
        "run_id": item.visit.run_id,
        "parent_crawl_id": None if source.method == "scrape" else item.visit.run_id,
        "job_id": job.job_id,
        "operator": job.operator,
        "environment": job.environment,
        "envelope_id": str(uuid4()),
    }
