"""Accept a held page: read it again, compare it, stage it in the write order of a run. Or accept the page count of
a suspect run.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from rori_spiders import reviews
from rori_spiders.content.convert import Converted
from rori_spiders.crawl.runs.review_holds import apply, held_pages
from rori_spiders.crawl.runs.review_holds.apply import Reviewer, SourceLock
from rori_spiders.crawl.runs.review_holds.held_pages import CurrentPage, HeldPageReader, NotAcceptable
from rori_spiders.exceptions import ActionRefused, StagingError
from rori_spiders.items import Change, Fetched, PageItem
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.pages import held_pages as pages_held_pages
from rori_spiders.ledger.pages.held_pages import HeldPage
from rori_spiders.ledger.runs import crawl_summaries as kept
from rori_spiders.ledger.runs import frontier, run_records
from rori_spiders.ledger.runs.run_records import RunRow
from rori_spiders.ledger.tables.runs import OPEN_RUN_STATES
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.headers import register_header_secrets
from rori_spiders.manifest.models import Source
from rori_spiders.runtime.redaction import get_redactor
from rori_spiders.staging import crawl_summary, envelope_writer, ledger_logs
from rori_spiders.staging.envelope_writer import PageToStage, Reservation
from rori_spiders.staging.ledger_logs import write_pending_summaries
from rori_spiders.staging.store import Store
from rori_spiders.workers.pool import WorkPool


@dataclass(frozen=True, slots=True)
class AcceptedPage:
    """A page that was accepted. ``path`` is its envelope's; None when its text is the one that was held already."""

    url: str
    path: str | None
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class ReviewContext:
    """The dependencies of an acceptance. ``clock`` gives UTC."""

    ledger: Ledger
    store: Store
    catalog: Catalog
    pool: WorkPool
    environment: str
    clock: Callable[[], datetime]


class Acceptor:
    """Accepts held pages of one run, one by one. Close it when done.

    Raises UsageError for a run that is in progress, and where its source is not active.
    """

    def __init__(self, context: ReviewContext, run_id: str) -> None:
        self._context = context
        self._redactor = get_redactor()
        register_header_secrets(context.catalog.sources, self._redactor)
        with context.ledger.connect() as conn:
            self._run = _require_ended_run(conn, run_id)
        self._source = _load_catalog(context, self._run)
        self._turn = SourceLock(context.catalog, self._run)
        self._reader = HeldPageReader(context.store, self._redactor, context.pool)

    def accept(self, url: str, by: Reviewer) -> AcceptedPage:
        """Accept one page. Raises Declined, and nothing of it was written; Locked, LeaseLost and WriteError too."""
        with self._context.ledger.connect() as conn:
            held = pages_held_pages.get_held_page(conn, self._run.run_id, url)
            item = PageItem(held_pages.load_frontier_url(conn, self._run, url), "captured")
        item.fetched = facts = self._reader.facts(held)
        with self._context.ledger.connect() as conn:
            now = held_pages.load_current_page(conn, self._run.source_id, url, facts.at)
        if held.is_removal:
            item.state, item.change = "gone", held_pages.removal_change(now)
        else:
            item.converted = self._reader.page(facts, self._source)
            item.links = tuple((held.details or {}).get("links", ()))
            item.change = self._compared(item.converted, facts, now)
        if item.change.changed:
            self._stage(item, held, now)
        else:
            item.state = "unchanged"
            with self._begun(item, now):
                pass
        self._settle(item, held, by)
        return AcceptedPage(url, item.staged_path, is_gone=held.is_removal)

    def _compared(self, page: Converted, facts: Fetched, now: CurrentPage) -> Change:
        with self._context.ledger.connect() as conn:
            came = audit_log.response_of_version(conn, now.text.run_id, now.page.url_hash)
        return held_pages.compare_with_current(
            page, now, lambda: self._reader.again(now.text, came, facts, self._source)
        )

    @contextmanager
    def _begun(self, item: PageItem, now: CurrentPage) -> Iterator[Connection]:
        """Transaction A: our turn, nothing newer meanwhile."""
        assert item.fetched is not None
        with self._context.ledger.begin() as conn:
            self._turn.take(conn, self._context.clock())
            _require_ended_run(conn, self._run.run_id)
            row = frontier.find_url(conn, self._run.run_id, item.visit.url)
            if row is None or row.state != "failed":
                raise NotAcceptable("it was accepted just now")
            if held_pages.load_current_page(conn, self._run.source_id, item.visit.url, item.fetched.at) != now:
                raise NotAcceptable("it was fetched again just now")
            yield conn

    def _stage(self, item: PageItem, held: HeldPage, now: CurrentPage) -> None:
        """Steps 1 and 2 of the order of writing."""
        context = self._context
        envelope = held_pages.build_accepted_envelope(
            item, context.store, context.catalog, self._run, held, context.environment
        )

        def reserve(pages: Sequence[PageToStage]) -> list[Reservation]:
            with self._begun(item, now) as conn:
                return envelope_writer.reserve_envelopes(conn, pages, now=context.clock())

        assert item.fetched is not None
        page = PageToStage(envelope, item.fetched.received, item.links, screenshot=item.fetched.screenshot)
        [reservation] = envelope_writer.reserve_and_write(context.store, [page], reserve)
        with context.ledger.begin() as conn:
            envelope_writer.check_reserved(conn, context.store, [reservation])
        item.envelope_id, item.staged_path = reservation.envelope_id, reservation.path

    def _settle(self, item: PageItem, held: HeldPage, by: Reviewer) -> None:
        """Steps 3 to 5: everything in one transaction, then the lines in the files."""
        context, at = self._context, self._context.clock()
        with context.ledger.begin() as conn:
            self._turn.check(conn)
            failures = apply.apply_acceptance(conn, item, held, by, self._source, self._redactor, at)
        if item.envelope_id is not None:
            envelope_writer.index_envelopes(context.ledger, context.store, [item.envelope_id])
        ledger_logs.log_errors(context.ledger, context.store, failures)

    def close(self) -> None:
        """Give the leases back."""
        self._reader.close()
        with self._context.ledger.begin() as conn:
            self._turn.give_back(conn)


def _load_catalog(context: ReviewContext, run: RunRow) -> Source:
    try:
        return context.catalog.source(run.source_id)
    except KeyError:
        raise ActionRefused(
            f"the source of the run, {run.source_id!r}, is not in the active manifest: activate the one that has it, "
            "or name it in RORI_MANIFEST"
        ) from None


def _require_ended_run(conn: Connection, run_id: str) -> RunRow:
    run = run_records.get_run(conn, run_id)
    if run.state == "running":
        to_do = f"let it end first (`scrapy collect --source {run.source_id}`)"
        raise ActionRefused(f"run {run_id} is in progress, or its job died: {to_do}")
    return run


# Accepting the number of pages that a suspect run found: the run is complete, and its count the usual one.

SUSPECT = "suspect"


def refresh_run_summary(context: ReviewContext, run_id: str) -> None:
    """Give the run a summary that knows what was accepted, beside the one of its end. None for a single page."""
    with context.ledger.connect() as conn:
        run = run_records.get_run(conn, run_id)
        if run.method not in crawl_summary.SUMMARY_METHODS or run.state in OPEN_RUN_STATES:
            return
        sitemaps = crawl_summary.Coverage("sitemap", run_id)
        get_object = context.store.get_object
        for one in crawl_summary.list_read_sitemaps(conn, run_id):
            with suppress(ValueError, OSError, StagingError):  # no sitemap, or its bytes are not there any more
                marks = get_object(one.marks) if one.marks else None
                named, excluded = crawl_summary.sitemap_pages(get_object(one.body), one.url, marks)
                sitemaps.add(conn, named, one.url, excluded)
    source = context.catalog.source(run.source_id)
    with context.ledger.begin() as conn:
        now = context.clock()
        note = crawl_summary.explain_empty_run(conn, run_id, source)
        kept.save_summary(
            conn, run_id, crawl_summary.make_summary(conn, run_id, source, sitemaps, note, now=now), now=now
        )
    write_pending_summaries(context.ledger, context.store)


def accept_page_count(conn: Connection, run_id: str, by: Reviewer, now: datetime) -> int | None:
    """Accept it, with who and why, in the caller's transaction; gives the number of good pages.

    None, and nothing is changed, where the run is not suspect: somebody else was here before.
    """
    run = run_records.get_run(conn, run_id)
    if run.state != SUSPECT:
        return None
    counts = run_records.count_pages(conn, run_id)
    good = counts["captured"] + counts["unchanged"]
    details = {"pages": good, "was": run.reason}
    activity_log.record_action(
        conn, now=now, actor=by.actor, action=activity_log.ACCEPT_RUN, target=run_id, reason=by.reason, details=details
    )
    ended = run.finished_at or now
    beyond = frontier.why_in_part(conn, run_id)
    found = run_records.close_run(conn, run_id, state="complete", reason=beyond, now=ended)
    apply.update_source_check(conn, run, "complete", changed=bool(found["changed"]), at=ended)
    reviews.note_pages(conn, run.source_id, state="complete", reason=beyond, now=now)
    return good
