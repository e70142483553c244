"""Envelopes that the ingestion side has confirmed, and those whose time is over. Functions over a Connection.

``pruning`` comes before a file is removed and ``pruned`` after it, so that a crash between the two is known as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import and_, func, select, update

from rori_spiders.ledger.tables import envelopes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection

#: Ids in one statement; older builds of SQLite take 999 at most.
_AT_ONCE = 500
#: What has, or had, a file that the index names.
_STAGED = ("staged", "indexed", "pruning", "pruned")


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What became of ids that were confirmed: *now* for the first time, *before* already, or of no staged envelope."""

    now: int = 0
    before: int = 0
    unknown: tuple[str, ...] = ()

    def __add__(self, other: Confirmed) -> Confirmed:
        return Confirmed(self.now + other.now, self.before + other.before, self.unknown + other.unknown)


@dataclass(frozen=True, slots=True)
class Prunable:
    """A staged file whose time is over."""

    envelope_id: str
    source_id: str
    path: str
    confirmed_at: datetime


@dataclass(frozen=True, slots=True)
class Standing:
    """How many envelopes are in the staging area, and how they stand."""

    staged: int  # files that are there
    confirmed: int  # of these
    prunable: int  # of these
    pruned: int  # files that were there


def confirm(conn: Connection, envelope_ids: Sequence[str], *, now: datetime) -> Confirmed:
    """The ingestion side has these. Can be repeated: the first time stays."""
    done = Confirmed()
    wanted = list(dict.fromkeys(envelope_ids))
    for start in range(0, len(wanted), _AT_ONCE):
        done += _confirm(conn, wanted[start : start + _AT_ONCE], now)
    return done


def _confirm(conn: Connection, wanted: list[str], now: datetime) -> Confirmed:
    of_these = and_(envelopes.c.envelope_id.in_(wanted), envelopes.c.state.in_(_STAGED))
    known = set(conn.execute(select(envelopes.c.envelope_id).where(of_these)).scalars())
    news = and_(of_these, envelopes.c.confirmed_at.is_(None))
    first = conn.execute(update(envelopes).where(news).values(confirmed_at=now)).rowcount
    return Confirmed(first, len(known) - first, tuple(one for one in wanted if one not in known))


def prunable(conn: Connection, *, before: datetime) -> Iterator[Prunable]:
    """The files that were confirmed before then, the oldest confirmation first; never the newest of a page."""
    query = select(*_PRUNABLE).where(_is_prunable(before)).order_by(envelopes.c.confirmed_at, envelopes.c.path)
    for row in conn.execute(query.execution_options(yield_per=_AT_ONCE)):
        yield Prunable(*row)


def begin_pruning(conn: Connection, *, before: datetime, now: datetime, limit: int = _AT_ONCE) -> list[Prunable]:
    """The next of them, whose files are to be removed now: from here on nobody may count on them."""
    query = select(*_PRUNABLE).where(_is_prunable(before)).order_by(envelopes.c.confirmed_at, envelopes.c.path)
    found = [Prunable(*row) for row in conn.execute(query.limit(limit).with_for_update(skip_locked=True))]
    these = envelopes.c.envelope_id.in_([one.envelope_id for one in found])
    conn.execute(update(envelopes).where(these).values(state="pruning", pruned_at=now))
    return found


def in_pruning(conn: Connection) -> list[Prunable]:
    """Those whose files are about to be removed, or were about to be when a process died."""
    query = select(*_PRUNABLE).where(envelopes.c.state == "pruning").order_by(envelopes.c.path)
    return [Prunable(*row) for row in conn.execute(query)]


def end_pruning(conn: Connection, removed: Sequence[Prunable]) -> list[Prunable]:
    """Their files are gone; gives those of which nobody else has said so meanwhile."""
    ids = [one.envelope_id for one in removed]
    done: set[str] = set()
    for start in range(0, len(ids), _AT_ONCE):
        these = and_(envelopes.c.envelope_id.in_(ids[start : start + _AT_ONCE]), envelopes.c.state == "pruning")
        ended = update(envelopes).where(these).values(state="pruned").returning(envelopes.c.envelope_id)
        done |= set(conn.execute(ended).scalars())
    return [one for one in removed if one.envelope_id in done]


def standing(conn: Connection, *, before: datetime) -> Standing:
    """How the envelopes stand, when those confirmed before then may be pruned."""

    def count(*conditions: ColumnElement[bool]) -> int:
        return conn.execute(select(func.count()).select_from(envelopes).where(*conditions)).scalar_one()

    there = envelopes.c.state.in_(("staged", "indexed"))
    return Standing(
        staged=count(there),
        confirmed=count(there, envelopes.c.confirmed_at.is_not(None)),
        prunable=count(_is_prunable(before)),
        pruned=count(envelopes.c.state == "pruned"),
    )


_PRUNABLE = tuple(envelopes.c[name] for name in ("envelope_id", "source_id", "path", "confirmed_at"))


def _is_prunable(before: datetime) -> ColumnElement[bool]:
    return and_(envelopes.c.state == "indexed", envelopes.c.confirmed_at < before, envelopes.c.newest.is_(False))
