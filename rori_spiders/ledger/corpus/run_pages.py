"""The pages that a run of the corpus decides about: one row a URL, filled step by step; filtered and counted for a
reader. Each write can be repeated.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, func, or_, select, update

from rori_spiders.ledger.dialects import insert_missing
from rori_spiders.ledger.tables import corpus_pages as pages
from rori_spiders.ledger.tables import corpus_runs as runs

#: Rows of one statement.
BATCH_SIZE = 500
#: What a person said of a page's text.
REVIEW_COLUMNS = ("review", "reviewed_by", "reviewed_at", "review_reason")
#: The same, and what the validation makes of the text.
VALIDATED_COLUMNS = ("document_object", "content_hash", "flags", "findings", "gate", *REVIEW_COLUMNS)
#: What is made of a page's text by the steps from the cleaning on, and what a person said of that.
CLEANED_COLUMNS = (
    "draft_object", "removals_object", "clean_object", "cleaned_by", "cleaning_object", *VALIDATED_COLUMNS,
)  # fmt: skip
#: ``cleaned_by``: a person wrote the text; the page is to be cleaned again, whatever text of it was approved.
WRITTEN, CLEANED_AGAIN = "person", "again"
#: The same, and where the text came from.
FETCHED_COLUMNS = ("got", "got_reason", "got_at", "raw_object", "linked", *CLEANED_COLUMNS)
#: What may be known of a page when it is added.
_INITIAL_COLUMNS = (
    "source_id", "title", "description", "dated", "met", "met_reason", "decision", "decided_by", "rule", "reason",
    "confidence",
)  # fmt: skip


def add_pages(conn: Connection, run_id: str, found: Sequence[Mapping[str, Any]]) -> None:
    """Rows of *found* that the run does not have yet: page_id, url, found_by, section, template, and what is known."""
    columns = dict.fromkeys(_INITIAL_COLUMNS) | {"sampled": 0}
    rows = [{**columns, **one, "run_id": run_id} for one in found]
    for at in range(0, len(rows), BATCH_SIZE):
        insert_missing(conn, pages, rows[at : at + BATCH_SIZE])


def update_page(conn: Connection, run_id: str, page_id: str, values: Mapping[str, Any]) -> None:
    """What is known now of one page."""
    conn.execute(update(pages).where(pages.c.run_id == run_id, pages.c.page_id == page_id).values(**values))


def update_pages(conn: Connection, run_id: str, values: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """The same of several pages, each with what is known of it."""
    for page_id, known in values:
        update_page(conn, run_id, page_id, known)


def find_page(conn: Connection, run_id: str, page_id: str) -> Row[Any] | None:
    """One page."""
    return conn.execute(select(pages).where(pages.c.run_id == run_id, pages.c.page_id == page_id)).one_or_none()


def newest_runs_of_pages(conn: Connection, domain: str, page_ids: Iterable[str]) -> dict[str, str]:
    """Page -> the newest run of *domain* that has it; pages that none has are left out."""
    wanted = pages.c.page_id.in_(list(page_ids))
    query = select(pages.c.page_id, pages.c.run_id).join(runs, runs.c.run_id == pages.c.run_id)
    rows = conn.execute(query.where(runs.c.domain == domain, wanted).order_by(runs.c.started_at, runs.c.run_id))
    return {row.page_id: row.run_id for row in rows}


def list_pages(conn: Connection, run_id: str, **where: Any) -> list[Row[Any]]:
    """Pages by URL; *where* names columns and what they must hold, None for no value."""
    query = select(pages).where(pages.c.run_id == run_id).order_by(pages.c.url)
    for name, value in where.items():
        query = query.where(pages.c[name].is_(None) if value is None else pages.c[name] == value)
    return list(conn.execute(query))


def count_values(conn: Connection, run_id: str, column: str) -> Counter[str | None]:
    """How many pages have which value of *column*."""
    its = pages.c[column]
    query = select(its, func.count()).where(pages.c.run_id == run_id).group_by(its)
    return Counter({row[0]: row[1] for row in conn.execute(query)})


def reset_columns(conn: Connection, run_id: str, page_ids: Sequence[str], columns: Sequence[str]) -> None:
    """Forget *columns* of these pages, so that the steps that fill them do so again."""
    for at in range(0, len(page_ids), BATCH_SIZE):
        its = pages.c.page_id.in_(page_ids[at : at + BATCH_SIZE])
        conn.execute(update(pages).where(pages.c.run_id == run_id, its).values(dict.fromkeys(columns)))


# The pages of a run of the corpus as a person looks through them: filtered, a stretch at a time, counted.


@dataclass(frozen=True, slots=True)
class PageFilter:
    """A filter of pages; None matches everything, the empty string pages without a value."""

    section: str | None = None
    decision: str | None = None
    got: str | None = None
    gate: str | None = None
    review: str | None = None
    found_by: str | None = None
    waiting: bool = False  # included, with a text that may be published, and nobody has looked at it
    words: str = ""  # in URL, title, reason or rule; upper and lower case are the same


class PageStatus(NamedTuple):
    """The status of a page, as far as it is counted."""

    section: str
    decision: str | None
    got: str | None
    gate: str | None
    review: str | None
    found_by: str


def list_matching_pages(
    conn: Connection, run_id: str, page_filter: PageFilter, *, offset: int = 0, limit: int = 50
) -> list[Row[Any]]:
    """Pages that fit, section by section, by their URLs."""
    query = select(pages).where(*_matches(run_id, page_filter)).order_by(pages.c.section, pages.c.url)
    return list(conn.execute(query.offset(offset).limit(limit)))


def count_matching_pages(conn: Connection, run_id: str, page_filter: PageFilter) -> int:
    """How many fit."""
    return int(conn.execute(select(func.count()).select_from(pages).where(*_matches(run_id, page_filter))).scalar_one())


def count_by_status(conn: Connection, run_ids: Iterable[str]) -> dict[str, Counter[PageStatus]]:
    """Run -> how many of its pages stand how."""
    ids = list(run_ids)
    columns = [pages.c[name] for name in PageStatus._fields]
    query = select(pages.c.run_id, func.count(), *columns).where(pages.c.run_id.in_(ids))
    found: dict[str, Counter[PageStatus]] = {run_id: Counter() for run_id in ids}
    for run_id, number, *status in conn.execute(query.group_by(pages.c.run_id, *columns)):
        found[run_id][PageStatus(*status)] = number
    return found


def _matches(run_id: str, page_filter: PageFilter) -> list[ColumnElement[bool]]:
    fits = [pages.c.run_id == run_id]
    for name in PageStatus._fields:
        value = getattr(page_filter, name)
        if value is not None:
            fits.append(pages.c[name].is_(None) if value == "" else pages.c[name] == value)
    if page_filter.waiting:
        fits += [pages.c.decision == "include", pages.c.document_object.is_not(None), pages.c.review.is_(None)]
        fits.append(pages.c.gate.in_(("publishable", "needs_review")))
    if page_filter.words:
        texts = (pages.c.url, pages.c.title, pages.c.reason, pages.c.rule)
        fits.append(or_(*(text.icontains(page_filter.words, autoescape=True) for text in texts)))
    return fits
