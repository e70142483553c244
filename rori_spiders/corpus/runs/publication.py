"""Publish an approved run: from its pages to the entries of a version."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row

from rori_spiders.corpus.documents.document import NotADocument, parse_document
from rori_spiders.corpus.publishing.current_version import read_current_version
from rori_spiders.corpus.publishing.publisher import publish_version, roll_back_version
from rori_spiders.corpus.publishing.usage_rights import add_rights
from rori_spiders.corpus.publishing.version_plan import Entry, PublishRequest, merge_delta
from rori_spiders.corpus.runs.page_texts import GONE, linked_document_of
from rori_spiders.corpus.runs.run import DELTA, RunContext
from rori_spiders.exceptions import ActionRefused, DamagedObject
from rori_spiders.ledger.corpus import human_decisions, published_versions, run_pages, run_states
from rori_spiders.ledger.corpus.page_ids import action_target
from rori_spiders.ledger.corpus.run_states import CorpusRun
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.operations import activity_log
from rori_spiders.manifest.models import Source
from rori_spiders.reviews.corpus_alerts import clear_corpus_alert
from rori_spiders.reviews.events import CORPUS_UNATTENDED
from rori_spiders.staging.store import Store


def publish_run(work: RunContext, *, by: str, reason: str | None = None, leaves_out: bool = False) -> Row[Any]:
    """Publish the run of *work*; return the version's row. Raises as ``publishing.publish``, and UsageError."""
    run, now = work.run, work.now()
    if run.state not in {"approved", "published"}:
        raise ActionRefused(
            f"the run of {run.domain} is {run.state}: approve it first (scrapy corpus approve {run.domain})"
        )
    approved_by, approved_at = work.ledger.read(
        partial(activity_log.last_action, target=action_target(run.domain), action="corpus_approve")
    )
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=run.run_id))
    request = PublishRequest(
        domain=run.domain,
        published_by=by,
        run_id=run.run_id,
        approved_by=approved_by,
        approved_at=approved_at,
        base_version=run.base_version if run.kind == DELTA else None,
        reason=reason,
        leaves_out=leaves_out,
        tokenizers=tuple(work.rules.tokenizers),
        unlisted=tuple(unlisted_pages(work.store, run, rows)),
    )
    entries = entries_of_run(work)
    work.ledger.write(
        partial(
            activity_log.record_action,
            now=now,
            actor=by,
            action="corpus_publish",
            target=action_target(run.domain),
            reason=reason,
            details={"run_id": run.run_id, "pages": len(entries)},
        )
    )
    row = publish_version(work.ledger, work.store, request, entries, now=now)
    work.ledger.write(
        partial(clear_corpus_alert, event=CORPUS_UNATTENDED, domain=run.domain, now=now)
    )  # a policy tells of its own after this
    return row


def unlisted_pages(store: Store, run: CorpusRun, rows: Sequence[Row[Any]]) -> list[str]:
    """The URLs of published pages that are not among the *rows* of a full *run*: its version would not have them."""
    base = read_current_version(store, run.domain).manifest if run.kind != DELTA else None
    met = {row.url for row in rows}
    return [page.source_url for page in base.pages if page.source_url not in met] if base is not None else []


def entries_of_run(work: RunContext) -> list[Entry]:
    """Return the documents of the run's version, with their current rights. Raises StagingError."""
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=work.run.run_id))
    return add_rights(work.ledger, work.store, work.sources, _entries_from_rows(work, rows), now=work.now())


def roll_back(
    ledger: Ledger, store: Store, sources: Mapping[str, Source], request: PublishRequest, *, now: datetime
) -> Row[Any]:
    """Publish the pages of an older version again; return the new row. Raises as ``publishing.rollback``.

    What was approved since that version needs another approval: a run under way would publish it again, unasked.
    Who did it is kept once it is done: one that was refused has not happened.
    """
    judged = partial(add_rights, ledger, store, sources, now=now)
    row = roll_back_version(ledger, store, request, now=now, judged=judged)
    ledger.write(partial(_finish_rollback, request=request, version=row.version, now=now))
    return row


def _finish_rollback(conn: Connection, request: PublishRequest, version: int, now: datetime) -> None:
    domain = request.domain
    back = published_versions.original_version(conn, domain, request.rolled_back_to)
    since = back.approved_at or back.published_at if back is not None else None
    withdrawn = human_decisions.withdraw_approvals_between(conn, domain, since, now) if since else []
    run = run_states.find_open_run(conn, domain)
    if run is not None:
        run_pages.reset_columns(conn, run.run_id, withdrawn, run_pages.REVIEW_COLUMNS)
        if run.state == "approved":
            says = f"version {version} was published since: look at what was rolled back, and approve it again"
            run_states.move_run(conn, run, "ready_for_review", now=now, says=says)
    details = {"to": request.rolled_back_to, "version": version, "approvals_withdrawn": len(withdrawn)}
    activity_log.record_action(
        conn, now=now, actor=request.published_by, action="corpus_roll_back", target=action_target(domain),
        reason=request.reason, details=details,
    )  # fmt: skip
    clear_corpus_alert(conn, event=CORPUS_UNATTENDED, domain=domain, now=now)


def _entries_from_rows(work: RunContext, rows: Sequence[Row[Any]]) -> list[Entry]:
    included = [
        row for row in rows if row.decision == "include" and row.document_object is not None and row.got != GONE
    ]
    changed = [
        Entry(
            doc_id=row.doc_id,
            url=row.url,
            title=_document_title(work, row),
            object=row.document_object,
            content_hash=row.content_hash,
            raw_hash=row.raw_object,
            page_id=row.page_id,
            linked=linked_document_of(row),
        )
        for row in included
    ]
    base = read_current_version(work.store, work.run.domain).manifest if work.run.kind == DELTA else None
    if base is None:
        return changed
    there = {page.source_url: page.doc_id for page in base.pages}
    left = {row.url for row in rows} - {row.url for row in included}
    return merge_delta(base, changed, {there[url] for url in left if url in there})


def _document_title(work: RunContext, row: Row[Any]) -> str | None:
    """The title that the document states, without what its site adds to each."""
    try:
        return parse_document(work.text(row.document_object)).front.title
    except (FileNotFoundError, DamagedObject, NotADocument, UnicodeDecodeError):
        title: str | None = row.title  # publishing says what is wrong with it
        return title
