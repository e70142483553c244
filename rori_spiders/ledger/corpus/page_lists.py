"""The pages of a run of the corpus as a person looks through them: filtered, a stretch at a time, counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import func, or_, select

from rori_spiders.ledger.tables import corpus_pages as pages

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import ColumnElement, Connection, Row


@dataclass(frozen=True, slots=True)
class Asked:
    """Which pages; None: whatever it is. The empty word asks for those that have no value."""

    section: str | None = None
    decision: str | None = None
    got: str | None = None
    gate: str | None = None
    review: str | None = None
    found_by: str | None = None
    waiting: bool = False  # included, with a text that may be published, and nobody has looked at it
    words: str = ""  # in URL, title, reason or rule; upper and lower case are the same


class Standing(NamedTuple):
    """How a page stands, as far as it is counted."""

    section: str
    decision: str | None
    got: str | None
    gate: str | None
    review: str | None
    found_by: str


def listed(conn: Connection, run_id: str, asked: Asked, *, offset: int = 0, limit: int = 50) -> list[Row[Any]]:
    """Pages that fit, section by section, by their URLs."""
    query = select(pages).where(*_fit(run_id, asked)).order_by(pages.c.section, pages.c.url)
    return list(conn.execute(query.offset(offset).limit(limit)))


def count(conn: Connection, run_id: str, asked: Asked) -> int:
    """How many fit."""
    return int(conn.execute(select(func.count()).select_from(pages).where(*_fit(run_id, asked))).scalar_one())


def standings(conn: Connection, run_ids: Iterable[str]) -> dict[str, Counter[Standing]]:
    """Run -> how many of its pages stand how."""
    ids = list(run_ids)
    columns = [pages.c[name] for name in Standing._fields]
    query = select(pages.c.run_id, func.count(), *columns).where(pages.c.run_id.in_(ids))
    found: dict[str, Counter[Standing]] = {run_id: Counter() for run_id in ids}
    for run_id, number, *standing in conn.execute(query.group_by(pages.c.run_id, *columns)):
        found[run_id][Standing(*standing)] = number
    return found


def _fit(run_id: str, asked: Asked) -> list[ColumnElement[bool]]:
    fits = [pages.c.run_id == run_id]
    for name in Standing._fields:
        value = getattr(asked, name)
        if value is not None:
            fits.append(pages.c[name].is_(None) if value == "" else pages.c[name] == value)
    if asked.waiting:
        fits += [pages.c.decision == "include", pages.c.document_object.is_not(None), pages.c.review.is_(None)]
        fits.append(pages.c.gate.in_(("publishable", "needs_review")))
    if asked.words:
        texts = (pages.c.url, pages.c.title, pages.c.reason, pages.c.rule)
        fits.append(or_(*(text.icontains(asked.words, autoescape=True) for text in texts)))
    return fits
