"""Runs of a job from their first URL to their outcome: begun under a lease, gone on with, ended, judged."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from functools import partial
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from sqlalchemy.exc import DBAPIError

from rori_spiders import schedule
from rori_spiders.crawl.job.job import EndedRun, Job
from rori_spiders.crawl.page_request import update_request
from rori_spiders.crawl.runs import outcome as runs_outcome
from rori_spiders.crawl.runs import tombstones
from rori_spiders.crawl.runs.baseline import load_baseline
from rori_spiders.crawl.runs.run import Run, SeenTimes, SourceHistory
from rori_spiders.crawl.runs.shared_pages import find_other_source, is_awaited, settle_shared_pages
from rori_spiders.crawl.tiers.browser.budget import browser_budget
from rori_spiders.exceptions import StagingError, WriteError
from rori_spiders.items import FrontierUrl
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.pages import page_history, page_state
from rori_spiders.ledger.runs import frontier, listed_urls, run_records, tier_memory
from rori_spiders.ledger.runs.frontier import IN_LEDGER, FinalState
from rori_spiders.manifest.scope import Scope, narrower_first
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.runtime.plugins import load_plugins
from rori_spiders.runtime.plurals import format_count
from rori_spiders.schedule import status
from rori_spiders.staging import crawl_summary
from rori_spiders.staging.ledger_logs import write_pending_summaries
from rori_spiders.urls.canonical import url_hash

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
    from datetime import datetime

    from scrapy import Request
    from scrapy.crawler import Crawler
    from sqlalchemy import Connection

    from rori_spiders.crawl.page_request import StoredPage
    from rori_spiders.crawl.runs.run import RunOutcome
    from rori_spiders.ledger.operations.source_status import SourceState
    from rori_spiders.manifest.models import Source
    from rori_spiders.staging.crawl_summary import Coverage


logger = logging.getLogger(__name__)

#: Held pages of one question.
_HELD_BATCH_SIZE = 1000


class Lifecycle:
    """Begins and ends the runs of one job, at most RORI_PARALLEL_RUNS at once."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._job = job = Job.of(crawler)
        self._requests: dict[str, Callable[[list[FrontierUrl]], Awaitable[list[Request]]]] = {}  # by run
        self._at_once = job.settings.getint("RORI_PARALLEL_RUNS")
        self._ended = asyncio.Event()
        self._has_stopped = False  # the job is closing: no run begins any more
        self._revisiting: set[str] = set()  # runs that ask for those
        self._revisited: set[str] = set()  # runs that have asked for the pages that nothing leads to any more
        self._loading: set[str] = set()  # runs whose stored pages are being read
        self._closes: dict[str, datetime] = {}  # when the hours of sources end
        #: Runs begin and end one at a time: an end must not give back the lease that a beginning has just taken.
        self._turn = asyncio.Lock()
        #: Several of a run's last URLs may end at the same time: only one of them ends the run.
        self._finishing = asyncio.Lock()

    @classmethod
    def of(cls, crawler: Crawler) -> Lifecycle:
        if crawler not in _lifecycles:
            _lifecycles[crawler] = cls(crawler)
        return _lifecycles[crawler]

    # --- beginning ------------------------------------------------------------------------------------------------

    async def begin_each(self, chosen: Iterable[Source]) -> AsyncIterator[Run]:
        """Begin the sources' runs one after the other, as others end.

        A job that is offline begins no more of them. Those in whose runs a job was offline go last: where it was their
        servers that were down, others answer first.
        """
        offline = await self._job.storage.read(run_records.find_offline_sources)
        chosen = sorted(chosen, key=lambda source: source.id in offline)
        waiting = self._job.sources_waiting = list(narrower_first(self._job.manifests.catalog, chosen))
        while waiting:
            while len(self._job.runs) >= self._at_once:
                self._ended.clear()
                self._job.is_full = True
                await self._ended.wait()
                self._job.is_full = False
            if self._job.connectivity.offline_reason is not None:
                return
            source = waiting[0]
            if self._job.operator == "system" and not await self._may_begin(source):
                waiting.pop(0)
                continue
            begun = await self._begin(source)
            if self._has_stopped and begun is None:
                return
            waiting.pop(0)
            if begun is not None:
                yield begun
        async with self._turn:
            self._job.leasing.claimed.clear()  # from here on each run holds what it needs
            await self._release_unused()

    async def _may_begin(self, source: Source) -> bool:
        """Whether a schedule still starts the source, now that its turn has come; and note when its hours end."""
        now, catalog = self._job.now(), self._job.manifests.catalog
        why_not = await self._job.storage.read(lambda conn: status.reason_not_to_start(catalog, source, conn, now))
        if why_not is not None:
            self._job.paused_sources[source.id] = why_not
            logger.info("%(source)s does not start: %(why)s", {"source": source.id, "why": why_not})
            return False
        if (closes := schedule.current_closing(schedule.crawl_window_for(source.url, catalog.rules), now)) is not None:
            self._closes[source.id] = closes
        return True

    async def _begin(self, source: Source) -> Run | None:
        """Begin the source's run if its leases can be ours."""
        scope = Scope(source)
        async with self._turn:
            if self._has_stopped:
                return None
            if (why_not := await self._hold(self._job.manifests.catalog.groups_of(source))) is None:
                return await self._opened(source, scope)
            await self._release_unused()
        self._job.locked_sources[source.id] = why_not
        logger.warning("%(source)s is locked: %(why)s", {"source": source.id, "why": why_not})
        return None

    async def _hold(self, groups: list[str]) -> str | None:
        """Take the leases of all *groups*. None when they are ours, else why not, in words."""
        for group in groups:
            if (why_not := await self._job.leasing.hold(group)) is not None:
                return why_not
        return None

    async def _opened(self, source: Source, scope: Scope) -> Run:
        # Now that the leases are ours, what their last holder left is too.
        await self._job.storage.run(lambda: self._job.storage.recover(self._job.now()))
        given_up = await self._given_up(source)
        sitemaps = await self._sitemaps(given_up) if given_up is not None else None
        run = await self._job.storage.write(lambda conn: self._open(conn, source, scope, given_up, sitemaps))
        if given_up is not None:
            await self._write_summary(source.id)
        if run.resumed:
            await self._job.storage.read(partial(self._restore, run=run))
        self._job.runs[run.run_id] = run
        if run.history.removals_held:
            logger.warning("%(source)s: too many pages are missing, so none is recorded as gone", {"source": source.id})
        logger.info(
            "%(source)s: %(what)s (run %(run)s)",
            {
                "source": source.id,
                "what": f"continues with {format_count(run.frontier.urls_pending, 'URL')}" if run.resumed else "begins",
                "run": run.run_id,
            },
        )
        return run

    def _restore(self, conn: Connection, run: Run) -> None:
        """Take over what earlier jobs of *run* found; what its lists count, by the bytes that were kept of these."""
        counted = run_records.count_pages(conn, run.run_id)
        tally = {state: pages for state, pages in counted.items() if state not in {"discovered", "pending"}}
        known = frontier.stream_url_hashes(conn, run.run_id)
        run.frontier.restore(known, frontier.stream_pending_urls(conn, run.run_id), tally)
        get_object = self._job.storage.store.get_object
        run.frontier.restore_counted(listed_urls.stream_counted_url_hashes(conn, run.run_id, get_object))

    async def _given_up(self, source: Source) -> str | None:
        """The run of a site or wiki that was left for too long, and ends when the next one begins."""
        if source.method not in crawl_summary.SUMMARY_METHODS:
            return None
        since = self._since(source)
        return await self._job.storage.read(lambda conn: run_records.find_stale_run(conn, source.id, **since))

    def _since(self, source: Source) -> dict[str, datetime]:
        """Since when a run must have been begun, and left, to be gone on with."""
        now = self._job.now()
        return {"begun_after": now - schedule.MAX_RUN_AGE, "resume_after": now - schedule.max_run_pause(source)}

    def _open(
        self, conn: Connection, source: Source, scope: Scope, given_up: str | None, sitemaps: Coverage | None
    ) -> Run:
        now, version = self._job.now(), self._job.manifests.catalog.loaded_of(source.id).manifest.version
        row = run_records.open_run(
            conn,
            source_id=source.id,
            manifest_version=version,
            method=source.method,
            operator=self._job.operator,
            job_id=self._job.job_id,
            now=now,
            plugins=[one.as_record() for one in load_plugins().active],
            **self._since(source),
        )
        if given_up is not None and not row.resumed:
            runs_outcome.save_run_summary(conn, given_up, source, sitemaps, now=now)
        seen = page_history.stream_last_seen_times(conn, source.id) if source.method == "crawl" else ()
        held = page_history.held_urls(conn, source.id) if source.scrape_config.max_pages is not None else {}
        return Run(
            row.run_id,
            source,
            scope,
            version,
            row.started_at,
            resumed=row.resumed,
            taken_up_at=now,
            closes_at=self._closes.get(source.id),
            history=SourceHistory(
                removals_held=tombstones.hold_mass_removal(conn, source.id, row.run_id, now),
                last_seen=SeenTimes(seen),
                missing={url_hash(url) for url in page_history.missing_urls(conn, source.id, since=now)},
                held={key for key, url in held.items() if _may_be_revisited(scope.excludes(url))},
                baseline=load_baseline(conn, source, before=row.started_at),
                unrendered={key: at for at, key in enumerate(frontier.unrendered_url_hashes(conn, source.id))},
                browser_budget=browser_budget(source, self._job.settings),
            ),
            remembered_tiers=tier_memory.remembered_tiers(conn, source.id, now=now),
            other_source=find_other_source(conn, self._job, source),
            group_of=self._job.manifests.group,
        )

    async def load_pending(self, run: Run) -> list[FrontierUrl]:
        """Of what earlier jobs of *run* left pending, the lists, and pages for which requests are to be made now."""
        lists = list(run.frontier.outstanding.values())
        return [*lists, *await self._load_stored(run)]

    async def _load_stored(self, run: Run) -> list[FrontierUrl]:
        """Stored pages for which requests are to be made now; none, while there are enough of them."""
        if not (wanted := run.frontier.wanted_from_ledger):
            return []
        group_of = run.frontier.group_of_stored
        load = partial(frontier.load_pending_urls, run_id=run.run_id, wanted=wanted, group_of=group_of)
        return run.frontier.load(await self._job.storage.read(load))

    async def ask_for_stored(self, run: Run) -> None:
        """Make requests for stored pages of *run*, once few of those made are left. Raises LedgerError."""
        ask = self._requests.get(run.run_id)
        if ask is None or run.run_id in self._loading or run.limits.stop_reason or self._job.stop.has_begun:
            return
        self._loading.add(run.run_id)
        try:
            while visits := await self._load_stored(run):
                self._crawl(await ask(visits))
        finally:
            self._loading.discard(run.run_id)

    async def ask_for_unrecorded(self, run: Run, visits: Iterable[FrontierUrl]) -> None:
        """Make requests for those of *visits* that are stored: the page that led to them could not be recorded."""
        if (ask := self._requests.get(run.run_id)) is not None:
            self._crawl(await ask(run.frontier.load(visits)))

    def _crawl(self, requests: Iterable[Request]) -> None:
        engine = self._crawler.engine
        assert engine is not None
        for request in requests:
            engine.crawl(request)

    async def register_urls(self, run: Run, pending: list[FrontierUrl], first: list[FrontierUrl]) -> list[FrontierUrl]:
        """Record the *first* visits of a run beside those that were *pending*; gives all that are to be fetched now."""
        found = run.frontier.classify(first)
        await self._take_in(run, [*found.accepted, *found.deferred], found.excluded)
        await self.end_if_done(run)
        return [*pending, *run.frontier.admit(found.accepted)]

    async def _take_in(self, run: Run, pending: list[FrontierUrl], excluded: list[tuple[FrontierUrl, Reason]]) -> None:
        if pending or excluded:
            await self._job.storage.write(lambda conn: self._record_found(conn, run, pending, excluded))

    def _record_found(
        self, conn: Connection, run: Run, pending: list[FrontierUrl], excluded: list[tuple[FrontierUrl, Reason]]
    ) -> None:
        frontier.add_urls(conn, run.run_id, [*pending, *(visit for visit, _ in excluded)])
        ends = [FinalState(visit.url, "excluded", reason) for visit, reason in excluded]
        now = self._job.now()
        frontier.settle_urls(conn, run.run_id, ends, now=now)
        if excluded:
            audit_log.append_rows(conn, [audit_log.excluded_row(visit, reason, at=now) for visit, reason in excluded])

    # --- ending ---------------------------------------------------------------------------------------------------

    async def end_if_done(self, run: Run) -> None:
        """End the run when nothing of it is out, once it has asked for the pages that nothing leads to any more."""
        async with self._finishing:
            await self._end_if_done(run)
            if run.run_id not in self._job.runs:
                for other in list(self._job.runs.values()):  # it may have waited for this one
                    await self._end_if_done(other)

    async def _end_if_done(self, run: Run) -> None:
        while self._is_out(run) and run.frontier.deferred and run.limits.stop_reason is None:
            if not await self._settle_deferred(run):
                return
        if self._is_out(run) and run.run_id not in self._revisited:
            self._revisited.add(run.run_id)
            await self._revisit(run)
            await self._end_if_done(run)
        elif self._is_out(run):
            await self.end(run)

    def _is_out(self, run: Run) -> bool:
        return run.frontier.is_done and run.run_id in self._job.runs

    async def _settle_deferred(self, run: Run) -> bool:
        """Ask for the deferred pages that are this run's own after all; exclude the others. False: some wait on.

        A page may be found by a long way first, and read before the short one is known: its links then look too deep.
        """
        if shared := run.frontier.shared_pages():
            if any(is_awaited(self._job, run, visit) for visit in shared):
                return False
            settled = await settle_shared_pages(self._job, run, shared)
            run.frontier.take_unheld(settled.to_ask)
            new = [(visit, reason) for visit, reason in settled.excluded if run.frontier.exclude(visit)]
            await self._take_in(run, [], new)
            await self._ask_for(run, [*settled.linked, *settled.to_ask], settled.stored)
            return True
        depths = await self._link_depths(run)
        nearer = [
            replace(visit, depth=depths[visit.url])
            for visit in run.frontier.deferred.values()
            if depths.get(visit.url, visit.depth) < visit.depth
        ]
        if not await self._ask_for(run, nearer):
            await self._take_in(run, [], run.frontier.exclude_deferred())
        return True

    async def _link_depths(self, run: Run) -> dict[str, int]:
        """By URL, how deep the pages of the run lie by the shortest way through the links that it has read."""
        rows = await self._job.storage.read(lambda conn: frontier.list_urls(conn, run.run_id))
        depths = {row.url: row.depth for row in rows if url_hash(row.url) not in run.frontier.deferred}
        same_depth = [(row.url, row.read_at) for row in rows if row.read_at is not None]
        links: dict[str, tuple[str, ...]] = {}
        read = [row.url for row in rows if row.state in {"captured", "unchanged"}]
        for at in range(0, len(read), page_state.BATCH_SIZE):  # the ledger's thread also renews leases
            some = read[at : at + page_state.BATCH_SIZE]
            links |= await self._job.storage.read(partial(page_state.load_links, source_id=run.source_id, urls=some))
            following = partial(page_state.load_next_urls, source_id=run.source_id, urls=some)
            same_depth += (await self._job.storage.read(following)).items()
        return await asyncio.to_thread(shortest_depths, depths, links, same_depth)

    async def _revisit(self, run: Run) -> None:
        """Ask for the pages that we hold and this run did not meet: gone, or only no longer linked? Their answer tells.

        Also for those that failed last time, where the page that names them is as it was: beside a sitemap nobody else
        does. Not when nothing of the site could be read: then their absence says nothing.
        """
        if run.limits.stop_reason or run.run_id not in self._revisiting:
            return
        if not run.frontier.tally["captured"] + run.frontier.tally["unchanged"]:
            return
        failed = await self._job.storage.read(
            lambda conn: frontier.previously_failed_urls(conn, run.run_id, run.source_id)
        )
        await self._ask_again(run, [(row.url, row.depth, row.found_on) for row in failed])
        depth, after = run.source.scrape_config.max_depth or 0, 0
        while held := await self._job.storage.read(
            partial(page_history.load_held_urls, source_id=run.source_id, after=after, limit=_HELD_BATCH_SIZE)
        ):
            await self._ask_again(run, [(url, depth, None) for url in held.values()])
            after = max(held)

    async def _ask_again(self, run: Run, met_last: Iterable[tuple[str, int, str | None]]) -> None:
        """Ask for pages that this run did not meet: each with its depth, and where it was found."""
        visits = [
            FrontierUrl(run.run_id, run.source_id, url, depth=at, found_on=found_on, found_by=IN_LEDGER)
            for url, at, found_on in met_last
            if url_hash(url) not in run.frontier.known and _may_be_revisited(run.scope.excludes(url))
        ]
        await self._ask_for(run, visits)

    async def _ask_for(
        self, run: Run, visits: Iterable[FrontierUrl], stored: Mapping[str, StoredPage] | None = None
    ) -> bool:
        """Ask for those of *visits* that are new to the run, beside its walker; whether there are any.

        *stored*: by URL, pages of other sources that answer the requests.
        """
        if (ask := self._requests.get(run.run_id)) is None:
            return False
        found = run.frontier.classify(visits)
        await self._take_in(run, [*found.accepted, *found.deferred], found.excluded)
        requests = await ask(run.frontier.admit(found.accepted))
        for request in requests:
            if stored and (answer := stored.get(request.url)) is not None:
                update_request(request, stored_page=answer)
        self._crawl(requests)
        return bool(found.accepted)

    def set_request_factory(
        self, run: Run, requests: Callable[[list[FrontierUrl]], Awaitable[list[Request]]], *, revisits: bool
    ) -> None:
        """How requests of *run* are made: by its walker. *revisits*: of pages that nothing leads to, too."""
        self._requests[run.run_id] = requests
        if revisits:
            self._revisiting.add(run.run_id)

    async def end(self, run: Run) -> None:
        """Judge the run from the ledger, close it, and give back the leases that no other run needs."""
        async with self._turn:
            self._requests.pop(run.run_id, None)
            if self._job.runs.pop(run.run_id, None) is None:
                return  # it ended while this call waited for its turn
            self._job.page_states.forget_run(run.source_id)
            job = self._job
            is_read = run.source.method == "crawl" and run.frontier.is_done
            sitemaps = await self._sitemaps(run.run_id) if is_read else None
            try:
                closed = await job.storage.write(
                    lambda conn: runs_outcome.finalise_run(
                        conn, run, job_id=job.job_id, operator=job.operator, now=job.now(), sitemaps=sitemaps
                    )
                )
            except (WriteError, DBAPIError):
                job.runs[run.run_id] = run  # it has not ended, and is listed among those that have not
                raise
            await self._write_summary(run.source_id)
            self._log_outcome(run, closed.outcome, closed.counts)
            if closed.note is not None:
                logger.warning("%(source)s: %(note)s", {"source": run.source_id, "note": closed.note})
            self._log_interval_change(run, closed.before, closed.after)
            await self._release_unused()
        self._ended.set()

    async def _sitemaps(self, run_id: str) -> Coverage:
        """What became of what the sitemaps of a run that ends here name, by the bytes that were kept of them."""
        read = await self._job.storage.read(lambda conn: crawl_summary.list_read_sitemaps(conn, run_id))
        coverage = crawl_summary.Coverage("sitemap", run_id)
        get_object = self._job.storage.store.get_object
        for one in read:
            try:
                body = await self._job.storage.run(partial(get_object, one.body))
                marks = await self._job.storage.run(partial(get_object, one.marks)) if one.marks else None
                # Not in the ledger's thread, where leases are renewed: a large one takes seconds. Nor in a worker: it
                # would import the ledger for bytes that one has read before.
                named, excluded = await asyncio.to_thread(crawl_summary.sitemap_pages, body, one.url, marks)
            except (ValueError, OSError, StagingError):
                continue  # it was no sitemap, or its bytes are not there any more: it lists nothing that can be proved
            await self._job.storage.read(partial(coverage.add, urls=named, on=one.url, excluded=excluded))
        return coverage

    async def _write_summary(self, source_id: str) -> None:
        """The file of the run's summary, whose row is there; what cannot be written now is written by the next job."""
        try:
            await self._job.storage.run(
                lambda: write_pending_summaries(self._job.storage.ledger, self._job.storage.store)
            )
        except (WriteError, DBAPIError) as error:
            logger.error(  # noqa: TRY400  (no traceback: the program is not at fault)
                "%(source)s: its crawl summary is deferred to the next job: %(error)s",
                {"source": source_id, "error": error},
            )

    def _log_outcome(self, run: Run, outcome: RunOutcome, counts: dict[str, int]) -> None:
        self._job.ended.append(EndedRun(run, outcome, counts))
        level = logging.INFO if outcome.state == "complete" else logging.WARNING
        logger.log(
            level,
            "%(source)s: %(state)s%(why)s. %(captured)d captured, %(unchanged)d unchanged, %(excluded)d excluded, "
            "%(failed)d failed, %(gone)d gone of %(discovered)d",
            {
                "source": run.source_id,
                "state": outcome.state,
                "why": f" ({outcome.reason})" if outcome.reason else "",
                **counts,
            },
        )

    @staticmethod
    def _log_interval_change(run: Run, before: SourceState, after: SourceState) -> None:
        words = {"source": run.source_id, "interval": schedule.describe_interval(run.source, after)}
        if after.interval_factor > before.interval_factor:
            logger.warning(
                "%(source)s: rate limited until the retries were exhausted; its interval is now %(interval)s", words
            )
        elif after.interval_factor < before.interval_factor:
            logger.info("%(source)s: complete runs again; its interval is back to %(interval)s", words)

    async def _release_unused(self) -> None:
        leasing = self._job.leasing
        used = {self._job.manifests.group(host) for run in self._job.runs.values() for host in run.scope.hosts}
        await leasing.release(leasing.groups - used - leasing.claimed)

    async def stop(self, reason: Reason) -> None:
        """End what is still open: the job is closing, and the URLs that are out stay pending."""
        async with self._turn:  # a run that is beginning now ends like the others
            self._has_stopped = True
        while self._job.runs:
            run = next(iter(self._job.runs.values()))
            run.limits.stop(reason)
            await self.end(run)
        self._job.leasing.claimed.clear()
        await self._release_unused()


_lifecycles: WeakKeyDictionary[Crawler, Lifecycle] = WeakKeyDictionary()


def _may_be_revisited(excluded: Reason | None) -> bool:
    """Whether a page that we hold is asked for again: also one that the list at the start URL has dropped."""
    return excluded is None or excluded.code == ReasonCode.OUTSIDE_START_LIST


def shortest_depths(
    depths: Mapping[str, int], links: Mapping[str, Iterable[str]], same_depth: Iterable[tuple[str, str]]
) -> dict[str, int]:
    """The depths of all pages that *links* lead to, by URL.

    *depths* are those known so far, of the ways by which pages were found; *links*, the pages that each page names;
    *same_depth*, pairs of URLs of which the second lies as deep as the first: redirects, next pages of a list.
    """
    shortest = dict(depths)
    steps: dict[str, list[tuple[str, int]]] = {
        url: [(target, 1) for target in targets] for url, targets in links.items()
    }
    for url, target in same_depth:
        steps.setdefault(url, []).append((target, 0))
    waiting = [(depth, url) for url, depth in shortest.items()]
    heapify(waiting)
    while waiting:
        depth, url = heappop(waiting)
        if depth > shortest[url]:
            continue
        for target, step in steps.get(url, ()):
            if target not in shortest or depth + step < shortest[target]:
                shortest[target] = depth + step
                heappush(waiting, (depth + step, target))
    return shortest
