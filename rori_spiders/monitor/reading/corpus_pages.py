"""Pages of a run of the corpus as the API gives them, with their texts and what differs between these."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rori_spiders.comparison.bounded import compared_texts
from rori_spiders.comparison.document import told
from rori_spiders.comparison.texts import Texts
from rori_spiders.exceptions import DamagedObject
from rori_spiders.ledger.corpus import page_lists, pages, people
from rori_spiders.monitor.answers.corpus_pages import (
    CorpusDifference,
    CorpusFinding,
    CorpusOverride,
    CorpusPage,
    CorpusPageRow,
    CorpusPages,
)
from rori_spiders.monitor.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection, Row

    from rori_spiders.ledger.corpus.page_lists import Asked
    from rori_spiders.ledger.corpus.runs import CorpusRun
    from rori_spiders.monitor.answers.corpus_pages import TextOf
    from rori_spiders.stores.base import Store

_COLUMNS: Mapping[TextOf, str] = {
    "raw": "raw_object",
    "draft": "draft_object",
    "clean": "clean_object",
    "document": "document_object",
}


def listed(conn: Connection, run_id: str, asked: Asked, *, offset: int, limit: int) -> CorpusPages:
    """The pages that fit."""
    total = page_lists.count(conn, run_id, asked)
    rows = page_lists.listed(conn, run_id, asked, offset=offset, limit=limit) if offset < total else []
    return CorpusPages(items=[CorpusPageRow(**_row(row)) for row in rows], total=total)


def find(conn: Connection, run_id: str, page_id: str) -> Row[Any]:
    """The page. Refused where there is none."""
    row = pages.find(conn, run_id, page_id)
    if row is None:
        raise Refused(404, "unknown_corpus_page", f"The run has no page {page_id}.")
    return row


def detail(conn: Connection, store: Store, run: CorpusRun, row: Row[Any]) -> CorpusPage:
    """The page, with all that is known of it."""
    missing: list[str] = []
    said = people.override_history(conn, run.domain, row.page_id)
    return CorpusPage(
        **_row(row),
        **{name: getattr(row, name) for name in _MORE},
        domain=run.domain,
        sampled=bool(row.sampled),
        texts=[name for name, column in _COLUMNS.items() if getattr(row, column) is not None],
        findings=[_finding(one) for one in row.findings or ()],
        removals=_removals(store, row.removals_object, missing),
        cleaning=_object(store, row.cleaning_object, "cleaning", missing),
        overrides=[
            CorpusOverride(decision=one.decision, reason=one.reason, by=one.created_by, at=one.created_at)
            for one in reversed(said)
        ],
        missing=missing,
    )


#: What a page has beyond a row of a list, under the names of the ledger.
_MORE = (
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


def _row(row: Row[Any]) -> dict[str, Any]:
    told = {name: getattr(row, name, None) for name in CorpusPageRow.model_fields}
    return told | {"document": row.document_object, "flags": [str(one) for one in row.flags or ()]}


def _finding(one: Any) -> CorpusFinding:
    """A finding as its audit wrote it; one of another form is told whole."""
    given = one if isinstance(one, dict) else {"says": str(one)}
    return CorpusFinding(**{name: str(given.get(name) or "") for name in CorpusFinding.model_fields})


def _object(store: Store, digest: str | None, what: str, missing: list[str]) -> Any:
    if digest is None:
        return None
    try:
        return json.loads(store.get_object(digest))
    except (FileNotFoundError, DamagedObject, ValueError) as error:
        missing.append(f"{what}, object {digest}: {_why(error, store)}")
        return None


def _removals(store: Store, digest: str | None, missing: list[str]) -> Any:
    """Of what the cleaning by rules has told of its work: what it took out."""
    told = _object(store, digest, "removals", missing)
    return told.get("removals", []) if isinstance(told, dict) else told


def _why(error: Exception, store: Store) -> str:
    return f"it is not in {store.location}" if isinstance(error, FileNotFoundError) else str(error)


def text(store: Store, row: Row[Any], which: TextOf) -> str:
    """One of a page's texts. Refused where there is none, or none any more."""
    digest = getattr(row, _COLUMNS[which])
    if digest is None:
        raise Refused(404, "not_held", f"The run has no such text of {row.url} yet: {which}.")
    try:
        return store.get_object(digest).decode("utf-8", "replace")
    except FileNotFoundError:
        why = f"The {which} text, object {digest}, is not in {store.location}."
        raise Refused(404, "not_held", why) from None
    except DamagedObject as error:
        raise Refused(404, "not_held", str(error)) from None


def difference(store: Store, row: Row[Any], older: TextOf, newer: TextOf) -> CorpusDifference:
    """What differs between two texts of a page, by the code that compares versions."""
    texts = Texts(text(store, row, older), text(store, row, newer))
    found = compared_texts(texts)
    return CorpusDifference.model_validate(told(found, texts.notes))
