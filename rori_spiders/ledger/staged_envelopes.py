"""Envelopes after staging: announced to the webhook in their order, confirmed by the ingestion side, and pruned;
and how far a followed log was read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select, update

from rori_spiders.ledger.dialects import insert_missing, upsert
from rori_spiders.ledger.tables import audit, cursors, envelopes

_WEBHOOK_CURSOR = "hook"
#: The row of the audit that tells of an envelope.
AUDIT_OF_ENVELOPE = and_(
    audit.c.url_hash == envelopes.c.url_hash,
    audit.c.run_id == envelopes.c.run_id,
    audit.c.staged_path == envelopes.c.path,
)


@dataclass(frozen=True, slots=True)
class UnannouncedEnvelope:
    """An envelope whose index line is there, and that was not announced."""

    envelope_id: str
    run_id: str
    index_line: str


def start_notifications(conn: Connection, *, now: datetime) -> None:
    """What is staged from *now* on is announced; the first such time stays."""
    insert_missing(conn, cursors, [{"name": _WEBHOOK_CURSOR, "position": now.isoformat()}])


def acquire_announcer(conn: Connection, owner: str, *, now: datetime, ttl_s: float) -> bool:
    """Whether *owner* may announce until *ttl_s* seconds from *now*: nobody else does."""
    free = or_(cursors.c.owner.is_(None), cursors.c.owner == owner, cursors.c.held_until < now)
    values = {"owner": owner, "held_until": now + timedelta(seconds=ttl_s)}
    return conn.execute(update(cursors).where(cursors.c.name == _WEBHOOK_CURSOR, free).values(values)).rowcount == 1


def release_announcer(conn: Connection, owner: str) -> None:
    conn.execute(
        update(cursors)
        .where(cursors.c.name == _WEBHOOK_CURSOR, cursors.c.owner == owner)
        .values(owner=None, held_until=None)
    )


def list_unannounced(conn: Connection, *, limit: int) -> list[UnannouncedEnvelope]:
    """The next ones to announce."""
    if (conditions := _unannounced_query(conn)) is None:
        return []
    query = select(envelopes.c.envelope_id, envelopes.c.run_id, envelopes.c.index_line).where(*conditions)
    ordered = query.order_by(envelopes.c.staged_at, envelopes.c.envelope_id).limit(limit)
    return [UnannouncedEnvelope(*row) for row in conn.execute(ordered)]


def list_index_lines(conn: Connection) -> Iterator[str]:
    """What the whole index says, in the order in which the audit recorded its pages."""
    query = select(envelopes.c.index_line).join_from(envelopes, audit, AUDIT_OF_ENVELOPE).order_by(audit.c.audit_id)
    yield from conn.execute(query.execution_options(yield_per=500)).scalars()


def count_unannounced(conn: Connection) -> int:
    """How many wait."""
    conditions = _unannounced_query(conn)
    query = select(func.count()).select_from(envelopes)
    return 0 if conditions is None else conn.execute(query.where(*conditions)).scalar_one()


def oldest_unannounced_at(conn: Connection) -> datetime | None:
    """When the first of those that wait was staged; None: none waits."""
    conditions = _unannounced_query(conn)
    query = select(func.min(envelopes.c.staged_at))
    return None if conditions is None else conn.execute(query.where(*conditions)).scalar()


def mark_announced(conn: Connection, batch: Sequence[UnannouncedEnvelope], *, now: datetime) -> None:
    """The hook has taken them."""
    these = envelopes.c.envelope_id.in_([one.envelope_id for one in batch])
    conn.execute(update(envelopes).where(these).values(announced_at=now))


def _unannounced_query(conn: Connection) -> tuple[ColumnElement[Any], ...] | None:
    since = read_cursor(conn, _WEBHOOK_CURSOR)
    if not since:
        return None
    listed = envelopes.c.state.in_(("indexed", "pruning", "pruned"))
    return listed, envelopes.c.announced_at.is_(None), envelopes.c.staged_at >= datetime.fromisoformat(since)


# Envelopes that the ingestion side has confirmed, and those whose time is over. Functions over a Connection.
# ``pruning`` comes before a file is removed and ``pruned`` after it, so that a crash between the two is known as one.

#: Ids in one statement; older builds of SQLite take 999 at most.
_BATCH_SIZE = 500
#: What has, or had, a file that the index names.
_STAGED_STATES = ("staged", "indexed", "pruning", "pruned")


@dataclass(frozen=True, slots=True)
class ConfirmationCounts:
    """Results of a confirmation: ids confirmed *now*, confirmed *before*, and unknown."""

    now: int = 0
    before: int = 0
    unknown: tuple[str, ...] = ()

    def __add__(self, other: ConfirmationCounts) -> ConfirmationCounts:
        return ConfirmationCounts(self.now + other.now, self.before + other.before, self.unknown + other.unknown)


@dataclass(frozen=True, slots=True)
class PrunableEnvelope:
    """A staged file whose time is over."""

    envelope_id: str
    source_id: str
    path: str
    confirmed_at: datetime


@dataclass(frozen=True, slots=True)
class RetentionStatus:
    """The numbers of envelopes in the staging area, by state."""

    staged: int  # files that are there
    confirmed: int  # of these
    prunable: int  # of these
    pruned: int  # files that were there


def confirm_envelopes(conn: Connection, envelope_ids: Sequence[str], *, now: datetime) -> ConfirmationCounts:
    """The ingestion side has these. Can be repeated: the first time stays."""
    done = ConfirmationCounts()
    wanted = list(dict.fromkeys(envelope_ids))
    for start in range(0, len(wanted), _BATCH_SIZE):
        done += _confirm_batch(conn, wanted[start : start + _BATCH_SIZE], now)
    return done


def _confirm_batch(conn: Connection, wanted: list[str], now: datetime) -> ConfirmationCounts:
    of_these = and_(envelopes.c.envelope_id.in_(wanted), envelopes.c.state.in_(_STAGED_STATES))
    known = set(conn.execute(select(envelopes.c.envelope_id).where(of_these)).scalars())
    news = and_(of_these, envelopes.c.confirmed_at.is_(None))
    first = conn.execute(update(envelopes).where(news).values(confirmed_at=now)).rowcount
    return ConfirmationCounts(first, len(known) - first, tuple(one for one in wanted if one not in known))


def list_prunable(conn: Connection, *, before: datetime) -> Iterator[PrunableEnvelope]:
    """The files that were confirmed before then, the oldest confirmation first; never the newest of a page."""
    query = select(*_PRUNABLE_COLUMNS).where(_is_prunable(before)).order_by(envelopes.c.confirmed_at, envelopes.c.path)
    for row in conn.execute(query.execution_options(yield_per=_BATCH_SIZE)):
        yield PrunableEnvelope(*row)


def begin_pruning(
    conn: Connection, *, before: datetime, now: datetime, limit: int = _BATCH_SIZE
) -> list[PrunableEnvelope]:
    """The next of them, whose files are to be removed now: from here on nobody may count on them."""
    query = select(*_PRUNABLE_COLUMNS).where(_is_prunable(before)).order_by(envelopes.c.confirmed_at, envelopes.c.path)
    found = [PrunableEnvelope(*row) for row in conn.execute(query.limit(limit).with_for_update(skip_locked=True))]
    these = envelopes.c.envelope_id.in_([one.envelope_id for one in found])
    conn.execute(update(envelopes).where(these).values(state="pruning", pruned_at=now))
    return found


def list_in_pruning(conn: Connection) -> list[PrunableEnvelope]:
    """Those whose files are about to be removed, or were about to be when a process died."""
    query = select(*_PRUNABLE_COLUMNS).where(envelopes.c.state == "pruning").order_by(envelopes.c.path)
    return [PrunableEnvelope(*row) for row in conn.execute(query)]


def end_pruning(conn: Connection, removed: Sequence[PrunableEnvelope]) -> list[PrunableEnvelope]:
    """Their files are gone; gives those of which nobody else has said so meanwhile."""
    ids = [one.envelope_id for one in removed]
    done: set[str] = set()
    for start in range(0, len(ids), _BATCH_SIZE):
        these = and_(envelopes.c.envelope_id.in_(ids[start : start + _BATCH_SIZE]), envelopes.c.state == "pruning")
        ended = update(envelopes).where(these).values(state="pruned").returning(envelopes.c.envelope_id)
        done |= set(conn.execute(ended).scalars())
    return [one for one in removed if one.envelope_id in done]


def retention_status(conn: Connection, *, before: datetime) -> RetentionStatus:
    """How the envelopes stand, when those confirmed before then may be pruned."""

    def count(*conditions: ColumnElement[bool]) -> int:
        return conn.execute(select(func.count()).select_from(envelopes).where(*conditions)).scalar_one()

    there = envelopes.c.state.in_(("staged", "indexed"))
    return RetentionStatus(
        staged=count(there),
        confirmed=count(there, envelopes.c.confirmed_at.is_not(None)),
        prunable=count(_is_prunable(before)),
        pruned=count(envelopes.c.state == "pruned"),
    )


_PRUNABLE_COLUMNS = tuple(envelopes.c[name] for name in ("envelope_id", "source_id", "path", "confirmed_at"))


def _is_prunable(before: datetime) -> ColumnElement[bool]:
    return and_(envelopes.c.state == "indexed", envelopes.c.confirmed_at < before, envelopes.c.newest.is_(False))


# How far something that is followed was read: a position in its reader's own words.


def confirmations_cursor(location: str) -> str:
    """The name for the confirmations in one staging area: a position in another says nothing of them."""
    return f"confirmations {sha256(location.encode()).hexdigest()[:16]}"


def read_cursor(conn: Connection, name: str) -> str:
    """Where reading goes on; "" at the beginning."""
    return conn.execute(select(cursors.c.position).where(cursors.c.name == name)).scalar() or ""


def move_cursor(conn: Connection, name: str, to: str) -> None:
    """Everything before *to* was read."""
    upsert(conn, cursors, [{"name": name, "position": to}])
