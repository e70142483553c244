"""From an approved run to what a version is to hold."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from rori_spiders.corpus.publishing.entries import Entry, Request, merged
from rori_spiders.corpus.publishing.knowing import with_rights
from rori_spiders.corpus.publishing.publishing import publish, rollback
from rori_spiders.corpus.publishing.standing import standing
from rori_spiders.corpus.running.beginning import DELTA
from rori_spiders.corpus.running.linked import linked_in
from rori_spiders.corpus.running.scraping import GONE
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.corpus import run_pages
from rori_spiders.ledger.corpus.page_ids import action_target
from rori_spiders.ledger.operations import activity_log
from rori_spiders.reviews.corpus_alerts import clear_unattended

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Row

    from rori_spiders.corpus.running.work import Work
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.models import Source
    from rori_spiders.staging.store import Store


def publish_run(work: Work, *, by: str, reason: str | None = None, leaves_out: bool = False) -> Row[Any]:
    """Publish the approved run of *work*; the version's row. Raises UsageError, and as ``publishing.publish``."""
    run, now = work.run, work.now()
    if run.state not in {"approved", "published"}:
        raise UsageError(
            f"the run of {run.domain} is {run.state}: approve it first (scrapy corpus approve {run.domain})"
        )
    approved_by, approved_at = work.ledger.read(
        partial(activity_log.last_action, target=action_target(run.domain), action="corpus_approve")
    )
    request = Request(
        domain=run.domain,
        published_by=by,
        run_id=run.run_id,
        approved_by=approved_by,
        approved_at=approved_at,
        base_version=run.base_version if run.kind == DELTA else None,
        reason=reason,
        leaves_out=leaves_out,
    )
    entries = entries_of_run(work)
    work.ledger.write(
        partial(
            activity_log.record_action, now=now, actor=by, action="corpus_publish", target=action_target(run.domain), reason=reason,
            details={"run_id": run.run_id, "pages": len(entries)},
        )
    )  # fmt: skip
    row = publish(work.ledger, work.store, request, entries, now=now)
    work.ledger.write(partial(clear_unattended, domain=run.domain, now=now))  # a policy tells of its own after this
    return row


def entries_of_run(work: Work) -> list[Entry]:
    """What the version of the run would hold, each with its rights as of now. Raises StagingError."""
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=work.run.run_id))
    return with_rights(work.ledger, work.store, work.sources, _entries(work, rows), now=work.now())


def roll_back(
    ledger: Ledger, store: Store, sources: Mapping[str, Source], request: Request, *, now: datetime
) -> Row[Any]:
    """Publish the pages of an older version once more; the new version's row. Raises as ``publishing.rollback``.

    Who did it is kept once it is done: one that was refused has not happened.
    """
    judged = partial(with_rights, ledger, store, sources, now=now)
    row = rollback(ledger, store, request, now=now, judged=judged)
    told = {"to": request.rolled_back_to, "version": row.version}
    ledger.write(
        partial(
            activity_log.record_action, now=now, actor=request.published_by, action="corpus_roll_back",
            target=action_target(request.domain), reason=request.reason, details=told,
        )
    )  # fmt: skip
    ledger.write(partial(clear_unattended, domain=request.domain, now=now))
    return row


def _entries(work: Work, rows: Sequence[Row[Any]]) -> list[Entry]:
    included = [
        row for row in rows if row.decision == "include" and row.document_object is not None and row.got != GONE
    ]
    changed = [
        Entry(
            doc_id=row.doc_id,
            url=row.url,
            title=row.title,
            object=row.document_object,
            content_hash=row.content_hash,
            raw_hash=row.raw_object,
            page_id=row.page_id,
            linked=linked_in(row),
        )
        for row in included
    ]
    base = standing(work.store, work.run.domain).manifest if work.run.kind == DELTA else None
    if base is None:
        return changed
    there = {page.source_url: page.doc_id for page in base.pages}
    left = {row.url for row in rows} - {row.url for row in included}
    return merged(base, changed, {there[url] for url in left if url in there})
