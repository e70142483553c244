"""What a run works with, as files below ``domains/{domain}/runs/{run id}/`` of the staging area: for people and tools.

Written from the ledger and the objects, at the end of the audit; written anew when a page is decided about or cleaned
again. Nothing reads them back.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from rori_spiders.ledger.corpus import run_pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Row

    from rori_spiders.corpus.auditing.report import AuditReport
    from rori_spiders.corpus.running.work import Work

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


def keep_artifacts(work: Work, report: AuditReport) -> None:
    """Write them. Raises StagingError."""
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=work.run.run_id))
    below = f"domains/{work.run.domain}/runs/{work.run.run_id}"
    for name, text in _files(work, rows):
        work.store.domains.replace(f"{below}/{name}", text.encode())
    work.store.domains.replace(f"{below}/reports/audit.json", report.model_dump_json(indent=1).encode())


def _files(work: Work, rows: Sequence[Row[Any]]) -> Iterator[tuple[str, str]]:
    yield "map/links.json", _json([_picked(row, _LINK) for row in rows])
    yield "map/sections.json", _json(_sections(rows))
    yield "manifest.json", _json(_manifest(work, rows))
    yield "reports/llm-cleaning.jsonl", "".join(_said(work, rows))
    for row in rows:
        if row.raw_object is not None:
            folder = "raw" if row.decision == "include" else "samples"
            yield f"{folder}/{row.page_id}.md", work.text(row.raw_object)
        if row.document_object is not None and row.decision == "include":
            yield f"clean/{row.page_id}.md", work.text(row.document_object)


def _sections(rows: Sequence[Row[Any]]) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        section = found.setdefault(row.section, {"section": row.section, "pages": 0, "templates": {}, "samples": []})
        section["pages"] += 1
        section["templates"][row.template] = section["templates"].get(row.template, 0) + 1
        if row.sampled:
            section["samples"].append(row.page_id)
    return [found[name] for name in sorted(found)]


def _manifest(work: Work, rows: Sequence[Row[Any]]) -> dict[str, Any]:
    run = work.run
    told: dict[str, Any] = {
        "run_id": run.run_id,
        "domain": run.domain,
        "kind": run.kind,
        "target": run.target,
        "model": run.model,
    }
    told |= {"base_version": run.base_version, "requested_by": run.requested_by, "rules": run.rules}
    return told | {"pages": [_picked(row, ("page_id", "url", *_DECISION, *_STATE)) for row in rows]}


def _said(work: Work, rows: Sequence[Row[Any]]) -> Iterator[str]:
    for row in rows:
        if row.cleaning_object is not None:
            told = {"page_id": row.page_id, "url": row.url, **json.loads(work.text(row.cleaning_object))}
            yield f"{json.dumps(told, ensure_ascii=False)}\n"


def _picked(row: Row[Any], names: Sequence[str]) -> Mapping[str, Any]:
    return {name: getattr(row, name) for name in names}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, default=str) + "\n"
