"""Read pages of a corpus run, their texts and differences."""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Row

from rori_spiders.comparison.diff_report import text_diff_document
from rori_spiders.comparison.version_diff import VersionTexts, compare_texts
from rori_spiders.exceptions import DamagedObject
from rori_spiders.ledger.corpus import human_decisions, run_pages
from rori_spiders.ledger.corpus.run_pages import PageFilter
from rori_spiders.ledger.corpus.run_states import CorpusRun
from rori_spiders.monitor.corpus.schemas import (
    CorpusDifference,
    CorpusFinding,
    CorpusOverride,
    CorpusPage,
    CorpusPageRow,
    CorpusPages,
    TextOf,
)
from rori_spiders.monitor.rest.errors import ApiError
from rori_spiders.staging.store import Store

_COLUMNS: Mapping[TextOf, str] = {
    "raw": "raw_object",
    "draft": "draft_object",
    "clean": "clean_object",
    "document": "document_object",
}


def list_pages(conn: Connection, run_id: str, page_filter: PageFilter, *, offset: int, limit: int) -> CorpusPages:
    """Read the matching pages."""
    total = run_pages.count_matching_pages(conn, run_id, page_filter)
    rows = (
        run_pages.list_matching_pages(conn, run_id, page_filter, offset=offset, limit=limit) if offset < total else []
    )
    return CorpusPages(items=[CorpusPageRow(**_page_fields(row)) for row in rows], total=total)


def get_page(conn: Connection, run_id: str, page_id: str) -> Row[Any]:
    """Read a page of the run. Raises ApiError 404."""
    row = run_pages.find_page(conn, run_id, page_id)
    if row is None:
        raise ApiError(404, "unknown_corpus_page", f"The run has no page {page_id}.")
    return row


def page_detail(conn: Connection, store: Store, run: CorpusRun, row: Row[Any]) -> CorpusPage:
    """Return the page with all its details."""
    missing: list[str] = []
    overrides = human_decisions.list_overrides(conn, run.domain, row.page_id)
    return CorpusPage(
        **_page_fields(row),
        **{name: getattr(row, name) for name in _DETAIL_COLUMNS},
        domain=run.domain,
        sampled=bool(row.sampled),
        texts=[name for name, column in _COLUMNS.items() if getattr(row, column) is not None],
        findings=[_finding_row(one) for one in row.findings or ()],
        removals=_read_removals(store, row.removals_object, missing),
        cleaning=_read_object(store, row.cleaning_object, "cleaning", missing),
        overrides=[
            CorpusOverride(decision=one.decision, reason=one.reason, by=one.created_by, at=one.created_at)
            for one in reversed(overrides)
        ],
        missing=missing,
    )


#: Columns of the ledger that only the detail of a page has.
_DETAIL_COLUMNS = (
    "run_id",
    "source_id",
    "template",
    "description",
    "dated",
    "met",
    "met_reason",
    "evidence",
    "got_at",
    "doc_id",
    "content_hash",
    "reviewed_at",
    "review_reason",
)


def _page_fields(row: Row[Any]) -> dict[str, Any]:
    values = {name: getattr(row, name, None) for name in CorpusPageRow.model_fields}
    return values | {"document": row.document_object, "flags": [str(one) for one in row.flags or ()]}


def _finding_row(one: Any) -> CorpusFinding:
    """A finding as its audit wrote it; one of another form is given whole."""
    finding = one if isinstance(one, dict) else {"says": str(one)}
    return CorpusFinding(**{name: str(finding.get(name) or "") for name in CorpusFinding.model_fields})


def _read_object(store: Store, digest: str | None, what: str, missing: list[str]) -> Any:
    if digest is None:
        return None
    try:
        return json.loads(store.get_object(digest))
    except (FileNotFoundError, DamagedObject, ValueError) as error:
        missing.append(f"{what}, object {digest}: {_missing_reason(error, store)}")
        return None


def _read_removals(store: Store, digest: str | None, missing: list[str]) -> Any:
    """Read the removals from the report of the cleaning by rules."""
    removals = _read_object(store, digest, "removals", missing)
    return removals.get("removals", []) if isinstance(removals, dict) else removals


def _missing_reason(error: Exception, store: Store) -> str:
    return f"not found in {store.location}" if isinstance(error, FileNotFoundError) else str(error)


def read_text(store: Store, row: Row[Any], which: TextOf) -> str:
    """Read one of a page's texts. Raises ApiError where it does not exist or was removed."""
    digest = getattr(row, _COLUMNS[which])
    if digest is None:
        raise ApiError(404, "not_held", f"The run does not have the {which} text of {row.url} yet.")
    try:
        return store.get_object(digest).decode("utf-8", "replace")
    except FileNotFoundError:
        why = f"The {which} text (object {digest}) is missing from {store.location}."
        raise ApiError(404, "not_held", why) from None
    except DamagedObject as error:
        raise ApiError(404, "not_held", str(error)) from None


def read_difference(store: Store, row: Row[Any], older: TextOf, newer: TextOf) -> CorpusDifference:
    """Compare two texts of a page, as two versions are compared."""
    texts = VersionTexts(read_text(store, row, older), read_text(store, row, newer))
    found = compare_texts(texts)
    return CorpusDifference.model_validate(text_diff_document(found, texts.notes))
