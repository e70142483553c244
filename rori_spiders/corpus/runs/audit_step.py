"""The state ``validation_audit``: each page as it would be published, checked alone and as part of the set; doubts
of the cleaning; and the files of the run.  A page that a person approved before, with the same source text, is
approved again. What the run worked with is written below ``domains/{domain}/runs/{run id}/`` of the staging
area, for people and tools; nothing reads it back.
"""

import asyncio
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

from sqlalchemy import Row

from rori_spiders.content.metadata.statements import PageStatements, statements_in
from rori_spiders.corpus.auditing.audit import PageAudit, audit_page, audit_set
from rori_spiders.corpus.auditing.findings import AuditReport, Finding, make_finding
from rori_spiders.corpus.auditing.page_checks import ExpectedDocument, detect_language
from rori_spiders.corpus.chunks.chunk_file import lines_of_document
from rori_spiders.corpus.chunks.references import ReferenceResolver
from rori_spiders.corpus.cleaning.cleaner import NEEDS_VARIANT_REVIEW
from rori_spiders.corpus.documents.document import Document, build_document, describe_page, format_document, one_line
from rori_spiders.corpus.documents.identity import doc_ids, subtype_row_for
from rori_spiders.corpus.documents.provenance import provenance_of
from rori_spiders.corpus.documents.titles import TitlesOfHosts
from rori_spiders.corpus.llm_cleaning.page_cleaner import TOO_LONG
from rori_spiders.corpus.publishing.chunk_files import published_chunk_lines
from rori_spiders.corpus.publishing.current_version import read_current_version
from rori_spiders.corpus.runs.cleaning_steps import OLDER_CLEANING
from rori_spiders.corpus.runs.page_map import title_endings
from rori_spiders.corpus.runs.review import APPROVED, NEEDS_REVIEW, PUBLISHABLE
from rori_spiders.corpus.runs.run import DELTA, RunContext
from rori_spiders.corpus.triage.model_triage import MIN_CONFIDENCE
from rori_spiders.ledger.corpus import human_decisions, run_pages, source_texts
from rori_spiders.runtime.redaction import get_redactor
from rori_spiders.staging.verification.parallel_reads import map_in_threads
from rori_spiders.urls.canonical import host_of


async def run_validation_audit(work: RunContext) -> None:
    """Store document, findings and gate of each included page with a text, and the report. Raises StagingError."""
    run_id = work.run.run_id
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=run_id, decision="include"))
    rows = [row for row in rows if row.clean_object is not None]
    # Published pages keep their ids.
    urls = [row.url for row in rows]
    base = read_current_version(work.store, work.run.domain).manifest
    ids = doc_ids(urls, {one.source_url: one.doc_id for one in base.documents()} if base is not None else {})
    of_site: dict[str, set[str]] = {}  # by host
    for row, texts in zip(rows, await work.in_threads(partial(_removed_boilerplate, work), rows), strict=True):
        of_site.setdefault(host_of(row.url), set()).update(texts)
    endings = await asyncio.to_thread(title_endings, work)
    held = await asyncio.to_thread(_held_texts, work, rows)
    audit = partial(_audit_document, work, of_site=of_site, endings=endings, held=held)
    found = await work.in_threads(lambda row: audit(row, ids[row.url]), rows)
    lines = [line for _, of_page in found for line in of_page]
    dangling = await asyncio.to_thread(_dangling_references, work, {row.url: ids[row.url] for row in rows}, lines)
    audits = [page._replace(findings=[*page.findings, *dangling.get(page.expected.doc_id, ())]) for page, _ in found]
    await asyncio.to_thread(_finish_audit, work, rows, audits)


#: References of a page that are listed.
_MOST_DANGLING = 20


def _dangling_references(
    work: RunContext, documents: Mapping[str, str], lines: Sequence[Mapping[str, Any]]
) -> dict[str, list[Finding]]:
    """doc_id -> what the page cites of the corpus that is not there. A delta's pages may cite those of its version."""
    base = read_current_version(work.store, work.run.domain).manifest
    left: dict[str, str] = {}  # what a delta leaves as it is
    others: list[Mapping[str, Any]] = []
    if base is not None and work.run.kind == DELTA:
        its = {row.url for row in work.ledger.read(partial(run_pages.list_pages, run_id=work.run.run_id))}
        left = {page.source_url: page.doc_id for page in base.pages if page.source_url not in its}
        former = published_chunk_lines(work.store, base)
        others = [json.loads(line) for doc_id in left.values() if doc_id in former for line in former[doc_id].lines]
    here = {**left, **documents}
    known = {one.source_url for one in base.documents()} if base is not None else set()
    resolver = ReferenceResolver([*lines, *others], here, known - here.keys())
    found: dict[str, list[Finding]] = {}
    for one in (one for line in lines for one in resolver.references_of(line) if one.resolution == "missing"):
        listed = found.setdefault(one.doc_id, [])
        if len(listed) < _MOST_DANGLING:
            says = f"{one.citation} is cited, but the text of {one.target_doc} has no such paragraph or section"
            if one.kind == "link":
                says = f"a link leads to {one.citation}, which was published before and is not in this version"
            listed.append(make_finding("dangling_reference", "", says))
    return found


def _held_texts(work: RunContext, rows: Sequence[Row[Any]]) -> dict[str, source_texts.HeldText]:
    """URL -> what the ledger has of the text that the run took from its sources."""
    urls = [row.url for row in rows]
    held = work.ledger.read(partial(source_texts.load_held_texts, urls=urls, sources=sorted(work.sources)))
    texts = {row.url: (row.linked or {}).get("own_object") or row.raw_object for row in rows}
    return {url: one for url, one in held.items() if one.body_object == texts[url]}


def _page_statements(work: RunContext, row: Row[Any], text: source_texts.HeldText | None) -> PageStatements:
    """What the page states of itself; nothing where its bytes are not there."""
    if row.stated:
        return PageStatements(**{**row.stated, "breadcrumbs": tuple(row.stated["breadcrumbs"])})
    if text is None or text.raw_object is None:
        return PageStatements()
    try:
        return statements_in(work.store.get_object(text.raw_object), row.url)
    except FileNotFoundError:
        return PageStatements()


def _audit_document(
    work: RunContext,
    row: Row[Any],
    doc_id: str,
    *,
    of_site: Mapping[str, Collection[str]],
    endings: TitlesOfHosts,
    held: Mapping[str, source_texts.HeldText],
) -> tuple[PageAudit, list[dict[str, Any]]]:
    """Build, store and check the page's document; with the lines of its chunks."""
    document = _build_page_document(work, row, doc_id, endings.strip(row.url, row.title), held.get(row.url))
    file, digest = format_document(document), document.front.content_hash
    note = {"doc_id": doc_id, "document_object": work.put(file), "content_hash": digest}
    work.ledger.write(partial(run_pages.update_page, run_id=work.run.run_id, page_id=row.page_id, values=note))
    expected = ExpectedDocument(row.url, doc_id, work.run.run_id)
    lines = [json.loads(line) for line in lines_of_document(document, {}).lines]
    return audit_page(file, expected, removed=of_site[host_of(row.url)], secrets=get_redactor()), lines


def _finish_audit(work: RunContext, rows: Sequence[Row[Any]], found: Sequence[PageAudit]) -> None:
    texts = {row.page_id: row.clean_object for row in rows}
    log_values = {"domain": work.run.domain, "run_id": work.run.run_id}

    def texts_of(page_ids: Sequence[str]) -> Iterator[str]:
        objects = [texts[page_id] for page_id in page_ids]
        return map_in_threads(work.text, objects, threads=work.store.concurrent_reads)

    report = audit_set(found, **log_values, texts_of=texts_of)
    _record_gates(work, rows, report)
    write_artifacts(work, report)


def _build_page_document(
    work: RunContext, row: Row[Any], doc_id: str, title: str | None, held: source_texts.HeldText | None
) -> Document:
    body = work.text(row.clean_object)
    source = work.sources.get(row.source_id or "")
    kind = subtype_row_for(
        row.url,
        source_type=source.source_type if source else None,
        category=source.effective_category if source else None,
        method=source.method if source else None,
    )
    return build_document(
        body,
        title=title,
        description=describe_page(row.description, body),
        language=row.language or detect_language(body),
        source_url=row.url,
        source_subtype=kind.subtype,
        doc_id=doc_id,
        run_id=work.run.run_id,
        published_at=_day_of_date(row.published),
        provenance=provenance_of(
            row.url,
            title,
            source=source,
            effective=_day_of_date(held.effective if held else None),
            retrieved_at=row.got_at,
            stated=_page_statements(work, row, held),
        ),
    )


def _day_of_date(text: str | None) -> str | None:
    try:
        return date.fromisoformat((text or "")[:10]).isoformat()
    except ValueError:
        return None


def _removed_boilerplate(work: RunContext, row: Row[Any]) -> list[str]:
    """Return the texts that were removed from the page as boilerplate."""
    removals = json.loads(work.text(row.removals_object)) if row.removals_object else {}
    return [one["text"] for one in removals.get("removals", ()) if one["operation"] == "remove_boilerplate"]


def _record_gates(work: RunContext, rows: Sequence[Row[Any]], report: AuditReport) -> None:
    approvals = work.ledger.read(partial(human_decisions.list_approvals, domain=work.run.domain))
    by_id = {page.page_id: page for page in report.pages}
    values: list[tuple[str, Mapping[str, Any]]] = []
    all_doubts = map_in_threads(partial(find_doubts, work), rows, threads=work.store.concurrent_reads)
    for row, doubts in zip(rows, all_doubts, strict=True):
        page = by_id[row.page_id]
        findings = [*(one.model_dump() for one in page.findings), *(one.to_finding() for one in doubts)]
        flags = list(dict.fromkeys([*page.flags, *(one.flag for one in doubts)]))
        known: dict[str, Any] = {"findings": findings, "flags": flags, "gate": gate_with(page.gate, doubts)}
        approval = approvals.get((row.page_id, row.raw_object))
        if approval is not None and approval.clean_object == row.clean_object and known["gate"] != "excluded":
            known |= {"review": APPROVED, "reviewed_by": approval.approved_by, "reviewed_at": approval.approved_at}
            known |= {"review_reason": approval.reason}
        values.append((row.page_id, known))
    work.ledger.write(lambda conn: run_pages.update_pages(conn, work.run.run_id, values))


# Doubts of the cleaning, in addition to the audit's findings: they hold the page for a person.

#: Most characters of a model's flag in a finding; the ``cleaning_object`` has all.
_MOST_FLAGS, _LONGEST_FLAG = 10, 200
#: Flags of variants of the page; the other flags are about rules.
_OF_RULES = frozenset({"rule_kept_block", "rule_kept_section", "rule_removed_what_binds"})
#: Sentences for the reviewer by flag (docs/explanation/corpus.md).
_SAYS = {
    "contains_pricing_toggle": "prices are shown for one period at a time: {}",
    "contains_calculator": "a calculator, whose results are not in the text: {}",
    "has_query_driven_prices": "prices depend on the query: {}",
    "has_table_with_missing_headers": "a table has a column without a title; its first row: {}",
    "lost_content": "part of the page was not loaded when it was captured: {}",
    "needs_variant_review": "check the page itself: one visit does not show all of its content ({})",
    "rule_kept_block": "a block was kept although a site rule names it: {}",
    "rule_kept_section": "a section was kept although a site rule names it (it is most of the page, "
    "or partly struck out): {}",
    "rule_removed_what_binds": "a site rule removed text that may be binding: {}",
    OLDER_CLEANING: "the approved text keeps an older cleaning ({}): clean the page again to see the new one",
}
WRITTEN_BY_PERSON = "written_by_person"
LEADS, TOOK = "leads_to_document", "took_document"


@dataclass(frozen=True, slots=True)
class Doubt:
    """A doubt, in the form of the audit's findings. ``severity``: review, or note, which does not hold the page."""

    flag: str
    code: str
    says: str
    severity: str = "review"

    def to_finding(self) -> dict[str, Any]:
        return {"code": self.code, "severity": self.severity, "where": "", "says": self.says}


def find_doubts(work: RunContext, row: Row[Any]) -> list[Doubt]:
    """Find doubts: flags of the cleaning by rules, refused or missing model cleanings, and the model's own doubts."""
    done = json.loads(work.text(row.removals_object)) if row.removals_object else {}
    found = []
    for one in done.get("flags", ()):
        name = one["name"]
        if name == LEADS:
            found.append(Doubt(LEADS, LEADS, _why_document_not_appended(row, one["evidence"])))
            continue
        says = _SAYS.get(name, "{}").format(one_line(one["evidence"]))
        if name == OLDER_CLEANING:
            found.append(Doubt(name, name, says, "note"))
            continue
        found.append(Doubt(name if name in _OF_RULES else NEEDS_VARIANT_REVIEW, name, says))
    if row.linked and row.linked["object"]:
        # A note: the site rules ask for it, and the reviewer sees where the text comes from.
        message = f"the text is that of the linked document {one_line(row.linked['url'])}"
        found.append(Doubt(TOOK, TOOK, message, "note"))
    if row.cleaned_by == run_pages.WRITTEN:
        message = "a person wrote the text: compare it with the page and the sources that it names"
        found.append(Doubt(WRITTEN_BY_PERSON, WRITTEN_BY_PERSON, message))
    rewritten = json.loads(work.text(row.cleaning_object)) if row.cleaning_object else {}
    return [*found, *_model_doubts(rewritten)]


def _why_document_not_appended(row: Row[Any], document: str) -> str:
    why = row.linked["reason"] if row.linked else "set `take_linked_documents` in the site rules to take its text"
    return f"the page has little text and links to {one_line(document)}; {why}"


def _model_doubts(exchange: Mapping[str, Any]) -> Iterator[Doubt]:
    """*exchange* is a page's ``cleaning_object`` (``llm_cleaning/cleaning_record.py``)."""
    for one in exchange.get("refusals", ()):
        yield Doubt("guards", one["code"], one["says"])
    for one in exchange.get("failures", ()):
        # A block that was not sent to the model is as without a model: no doubt.
        severity = "note" if one["code"] == TOO_LONG else "review"
        yield Doubt(
            "not_cleaned", one["code"], f"the model did not clean the page or a part of it: {one['says']}", severity
        )
    confidence = exchange.get("confidence")
    if confidence is not None and confidence < MIN_CONFIDENCE:
        yield Doubt("unsure_model", "confidence", f"the model's confidence is low ({confidence:g})")
    for flag in exchange.get("quality_flags", ())[:_MOST_FLAGS]:
        yield Doubt("model_flag", "quality_flag", f"flagged by the model: {one_line(flag)[:_LONGEST_FLAG]}")
    if withheld := exchange.get("withheld", ()):
        yield Doubt(
            "addresses_a_model",
            "withheld",
            f"the page addresses a language model: {one_line(withheld[0])[:_LONGEST_FLAG]}",
        )


def gate_with(gate: str, doubts: Sequence[Doubt]) -> str:
    """Return the audit's gate, lowered to review where the cleaning is in doubt."""
    return NEEDS_REVIEW if gate == PUBLISHABLE and any(one.severity == "review" for one in doubts) else gate


# The files of a run: written from the ledger and the objects at the end of the audit, and again after decisions.

_LINK = ("page_id", "url", "title", "description", "source_id", "found_by", "section", "template", "met", "met_reason")
_DECISION = ("decision", "decided_by", "rule", "reason", "confidence", "evidence")
_STATE = (
    "got",
    "got_reason",
    "linked",
    "cleaned_by",
    "doc_id",
    "content_hash",
    "flags",
    "gate",
    "review",
    "reviewed_by",
)


def write_artifacts(work: RunContext, report: AuditReport) -> None:
    """Write the files of the run. Raises StagingError."""
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=work.run.run_id))
    below = f"domains/{work.run.domain}/runs/{work.run.run_id}"
    for name, text in _artifact_files(work, rows):
        work.store.domains.replace(f"{below}/{name}", text.encode())
    work.store.domains.replace(f"{below}/reports/audit.json", report.model_dump_json(indent=1).encode())


def _artifact_files(work: RunContext, rows: Sequence[Row[Any]]) -> Iterator[tuple[str, str]]:
    yield "map/links.json", _to_json([_select_columns(row, _LINK) for row in rows])
    yield "map/sections.json", _to_json(_section_rows(rows))
    yield "manifest.json", _to_json(_run_manifest(work, rows))
    yield "reports/llm-cleaning.jsonl", "".join(_model_exchange_lines(work, rows))
    for row in rows:
        if row.raw_object is not None:
            folder = "raw" if row.decision == "include" else "samples"
            yield f"{folder}/{row.page_id}.md", work.text(row.raw_object)
        if row.document_object is not None and row.decision == "include":
            yield f"clean/{row.page_id}.md", work.text(row.document_object)


def _section_rows(rows: Sequence[Row[Any]]) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        section = found.setdefault(row.section, {"section": row.section, "pages": 0, "templates": {}, "samples": []})
        section["pages"] += 1
        section["templates"][row.template] = section["templates"].get(row.template, 0) + 1
        if row.sampled:
            section["samples"].append(row.page_id)
    return [found[name] for name in sorted(found)]


def _run_manifest(work: RunContext, rows: Sequence[Row[Any]]) -> dict[str, Any]:
    run = work.run
    manifest: dict[str, Any] = {
        "run_id": run.run_id,
        "domain": run.domain,
        "kind": run.kind,
        "target": run.target,
        "model": run.model,
    }
    manifest |= {"base_version": run.base_version, "requested_by": run.requested_by, "rules": run.rules}
    return manifest | {"pages": [_select_columns(row, ("page_id", "url", *_DECISION, *_STATE)) for row in rows]}


def _model_exchange_lines(work: RunContext, rows: Sequence[Row[Any]]) -> Iterator[str]:
    for row in rows:
        if row.cleaning_object is not None:
            line = {"page_id": row.page_id, "url": row.url, **json.loads(work.text(row.cleaning_object))}
            yield f"{json.dumps(line, ensure_ascii=False)}\n"


def _select_columns(row: Row[Any], names: Sequence[str]) -> Mapping[str, Any]:
    return {name: getattr(row, name) for name in names}


def _to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, default=str) + "\n"
