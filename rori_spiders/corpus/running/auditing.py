"""The state ``validation_audit``: each page as it would be published, checked alone and beside the others.

A page that a person approved before, with the same source text, is approved again, as it was approved.
"""

from __future__ import annotations

import asyncio
import json
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from rori_spiders.corpus.auditing.front import Expected
from rori_spiders.corpus.auditing.page import audited
from rori_spiders.corpus.auditing.spoken import language_in
from rori_spiders.corpus.auditing.whole import audit
from rori_spiders.corpus.documents.describing import described
from rori_spiders.corpus.documents.document import made, written
from rori_spiders.corpus.documents.naming import doc_ids
from rori_spiders.corpus.documents.subtypes import row_for
from rori_spiders.corpus.publishing.standing import standing
from rori_spiders.corpus.reviewing.approving import APPROVED
from rori_spiders.corpus.running.artifacts import keep_artifacts
from rori_spiders.corpus.running.doubts import doubts_of, gate_with
from rori_spiders.ledger.corpus import human_decisions, run_pages
from rori_spiders.runtime.redaction import get_redactor

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import Row

    from rori_spiders.corpus.auditing.page import Audited
    from rori_spiders.corpus.auditing.report import AuditReport
    from rori_spiders.corpus.documents.document import Document
    from rori_spiders.corpus.running.work import Work


async def validated(work: Work) -> None:
    """A document, findings and a gate for each included page with a text; the report. Raises StagingError."""
    run_id = work.run.run_id
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=run_id, decision="include"))
    rows = [row for row in rows if row.clean_object is not None]
    ids = _doc_ids(work, [row.url for row in rows])
    # In threads, page by page: while a step holds the event loop, the process cannot say that it is alive.
    of_site = {text for row in rows for text in await asyncio.to_thread(_removed, work, row)}
    found = [await asyncio.to_thread(_documented, work, row, ids[row.url], of_site) for row in rows]
    await asyncio.to_thread(_ended, work, rows, found)


def _documented(work: Work, row: Row[Any], doc_id: str, of_site: Collection[str]) -> Audited:
    """The page's document, kept and checked."""
    document = _document(work, row, doc_id)
    file, digest = written(document), document.front.content_hash
    note = {"doc_id": doc_id, "document_object": work.put(file), "content_hash": digest}
    work.ledger.write(partial(run_pages.update_page, run_id=work.run.run_id, page_id=row.page_id, values=note))
    return audited(file, Expected(row.url, doc_id, work.run.run_id), removed=of_site, secrets=get_redactor())


def _ended(work: Work, rows: Sequence[Row[Any]], found: Sequence[Audited]) -> None:
    texts = {row.page_id: row.clean_object for row in rows}
    told = {"domain": work.run.domain, "run_id": work.run.run_id}
    report = audit(found, **told, text_of=lambda page_id: work.text(texts[page_id]))
    _note_gates(work, rows, report)
    keep_artifacts(work, report)


def _doc_ids(work: Work, urls: Sequence[str]) -> dict[str, str]:
    """Of pages that were published before, the ids that they had then."""
    base = standing(work.store, work.run.domain).manifest
    held = {page.source_url: page.doc_id for page in base.pages} if base is not None else {}
    held |= {grave.source_url: grave.doc_id for grave in base.tombstones} if base is not None else {}
    return doc_ids(urls, held)


def _document(work: Work, row: Row[Any], doc_id: str) -> Document:
    body = work.text(row.clean_object)
    source = work.sources.get(row.source_id or "")
    kind = row_for(
        row.url,
        source_type=source.source_type if source else None,
        category=source.effective_category if source else None,
        method=source.method if source else None,
    )
    return made(
        body,
        title=row.title,
        description=described(row.description, body),
        language=language_in(body),
        source_url=row.url,
        source_subtype=kind.subtype,
        doc_id=doc_id,
        run_id=work.run.run_id,
        published_at=_day(row.dated),
    )


def _day(said: str | None) -> str | None:
    try:
        return date.fromisoformat((said or "")[:10]).isoformat()
    except ValueError:
        return None


def _removed(work: Work, row: Row[Any]) -> list[str]:
    """Texts that counting took out of the page."""
    told = json.loads(work.text(row.removals_object)) if row.removals_object else {}
    return [one["text"] for one in told.get("removals", ()) if one["operation"] == "remove_boilerplate"]


def _note_gates(work: Work, rows: Sequence[Row[Any]], report: AuditReport) -> None:
    approvals = work.ledger.read(partial(human_decisions.list_approvals, domain=work.run.domain))
    by_id = {page.page_id: page for page in report.pages}
    values: list[tuple[str, Mapping[str, Any]]] = []
    for row in rows:
        page = by_id[row.page_id]
        doubts = doubts_of(work, row)
        findings = [*(one.model_dump() for one in page.findings), *(one.told() for one in doubts)]
        flags = list(dict.fromkeys([*page.flags, *(one.flag for one in doubts)]))
        known: dict[str, Any] = {"findings": findings, "flags": flags, "gate": gate_with(page.gate, doubts)}
        approval = approvals.get((row.page_id, row.raw_object))
        if approval is not None and approval.clean_object == row.clean_object and known["gate"] != "excluded":
            known |= {"review": APPROVED, "reviewed_by": approval.approved_by, "reviewed_at": approval.approved_at}
            known |= {"review_reason": approval.reason}
        values.append((row.page_id, known))
    work.ledger.write(lambda conn: run_pages.update_pages(conn, work.run.run_id, values))
