"""The pages that a run of the corpus decides about: one row a URL, filled step by step. Each write can be repeated."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select, update

from rori_spiders.ledger.dialects import insert_missing
from rori_spiders.ledger.tables import corpus_pages as pages

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection, Row

#: Rows of one statement.
BATCH = 500
#: What is made of a page's text by the steps from the cleaning on, and what a person said of that.
CLEANED = (
    "draft_object", "removals_object", "clean_object", "cleaned_by", "cleaning_object", "document_object",
    "content_hash", "flags", "findings", "gate", "review", "reviewed_by", "reviewed_at", "review_reason",
)  # fmt: skip
#: The same, and where the text came from.
FETCHED = ("got", "got_reason", "got_at", "raw_object", "linked", *CLEANED)
#: What may be known of a page when it is added.
_KNOWN = (
    "source_id", "title", "description", "dated", "met", "met_reason", "decision", "decided_by", "rule", "reason",
    "confidence",
)  # fmt: skip


def add(conn: Connection, run_id: str, found: Sequence[Mapping[str, Any]]) -> None:
    """Rows of *found* that the run does not have yet: page_id, url, found_by, section, template, and what is known."""
    columns = dict.fromkeys(_KNOWN) | {"sampled": 0}
    rows = [{**columns, **one, "run_id": run_id} for one in found]
    for at in range(0, len(rows), BATCH):
        insert_missing(conn, pages, rows[at : at + BATCH])


def note(conn: Connection, run_id: str, page_id: str, values: Mapping[str, Any]) -> None:
    """What is known now of one page."""
    conn.execute(update(pages).where(pages.c.run_id == run_id, pages.c.page_id == page_id).values(**values))


def note_all(conn: Connection, run_id: str, values: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """The same of several pages, each with what is known of it."""
    for page_id, known in values:
        note(conn, run_id, page_id, known)


def find(conn: Connection, run_id: str, page_id: str) -> Row[Any] | None:
    """One page."""
    return conn.execute(select(pages).where(pages.c.run_id == run_id, pages.c.page_id == page_id)).one_or_none()


def listed(conn: Connection, run_id: str, **where: Any) -> list[Row[Any]]:
    """Pages by URL; *where* names columns and what they must hold, None for no value."""
    query = select(pages).where(pages.c.run_id == run_id).order_by(pages.c.url)
    for name, value in where.items():
        query = query.where(pages.c[name].is_(None) if value is None else pages.c[name] == value)
    return list(conn.execute(query))


def counts(conn: Connection, run_id: str, column: str) -> Counter[str | None]:
    """How many pages have which value of *column*."""
    its = pages.c[column]
    query = select(its, func.count()).where(pages.c.run_id == run_id).group_by(its)
    return Counter({row[0]: row[1] for row in conn.execute(query)})


def reset(conn: Connection, run_id: str, page_ids: Sequence[str], columns: Sequence[str]) -> None:
    """Forget *columns* of these pages, so that the steps that fill them do so again."""
    for at in range(0, len(page_ids), BATCH):
        its = pages.c.page_id.in_(page_ids[at : at + BATCH])
        conn.execute(update(pages).where(pages.c.run_id == run_id, its).values(dict.fromkeys(columns)))
