"""Who is to look at a change and by when, and what people write about it. Each is an action; comments are nothing else.

Functions over a Connection. Those that act give the ids that belong to no change: the caller undoes all of it then.
"""

from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, bindparam, delete, or_, select

from rori_spiders.ledger.dialects import upsert
from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.pages.vocabulary import format_version_id
from rori_spiders.ledger.tables import actions, change_assignments, change_reviews, changes

ASSIGN_ACTION, COMMENT_ACTION = "assign_change", "comment_change"

IS_ASSIGNED = and_(change_assignments.c.page_id == changes.c.page_id, change_assignments.c.seq == changes.c.seq)


class ChangeComment(NamedTuple):
    """What a person wrote about a change."""

    by: str
    at: datetime
    text: str


def is_overdue(now: datetime) -> ColumnElement[bool]:
    """Of a change in a query with its assignment and review: its day is over, and it is neither closed nor called not
    material."""
    undecided = or_(change_reviews.c.decision.is_(None), change_reviews.c.decision == "material")
    return and_(change_assignments.c.due_on < now.astimezone(UTC).date().isoformat(), undecided)


def assign_changes(
    conn: Connection,
    chosen: Collection[tuple[int, int]],
    assignee: str | None,
    *,
    due_on: date | None,
    comment: str | None,
    actor: str,
    now: datetime,
) -> list[tuple[int, int]]:
    """Record that *assignee* is to look at changes by the end of *due_on*; None takes the assignment back.

    One that stays as it is is left alone, unless there is a comment.
    """
    wanted = None if assignee is None else (assignee, due_on.isoformat() if due_on else None)
    unknown = []
    for page_id, seq in dict.fromkeys(chosen):
        query = select(change_assignments.c.assignee, change_assignments.c.due_on)
        found = conn.execute(_of_change(query, page_id, seq)).one_or_none()
        if found is None:
            unknown.append((page_id, seq))
            continue
        before = None if found.assignee is None else (found.assignee, found.due_on)
        if before == wanted and not comment:
            continue
        its = (change_assignments.c.page_id == page_id, change_assignments.c.seq == seq)
        if wanted is None:
            conn.execute(delete(change_assignments).where(*its))
        else:
            row = {"assignee": wanted[0], "due_on": wanted[1], "assigned_by": actor, "assigned_at": now}
            upsert(conn, change_assignments, [{"page_id": page_id, "seq": seq, **row}])
        _record(
            conn, ASSIGN_ACTION, (page_id, seq), comment, actor, now, _details(wanted) | {"before": _details(before)}
        )
    return unknown


def _details(assigned: tuple[str, str | None] | None) -> dict[str, Any]:
    assignee, due_on = assigned or (None, None)
    return {"assignee": assignee, "due_on": due_on}


def comment_changes(
    conn: Connection, chosen: Collection[tuple[int, int]], text: str, *, actor: str, now: datetime
) -> list[tuple[int, int]]:
    """Record what *actor* writes about changes. A comment stays: a later one corrects it."""
    unknown = []
    for page_id, seq in dict.fromkeys(chosen):
        if conn.execute(_of_change(select(changes.c.seq), page_id, seq)).one_or_none() is None:
            unknown.append((page_id, seq))
        else:
            _record(conn, COMMENT_ACTION, (page_id, seq), text, actor, now, None)
    return unknown


#: Made once: a query for each batch of an export leaves cycles, which memory has until somebody looks for garbage.
_COMMENTS = (
    select(actions.c.target, actions.c.actor, actions.c.at, actions.c.reason)
    .where(actions.c.action.in_((ASSIGN_ACTION, COMMENT_ACTION)))
    .where(actions.c.target.in_(bindparam("targets", expanding=True)), actions.c.reason.is_not(None))
    .order_by(actions.c.action_id)
)


def list_comments(conn: Connection, changes_named: Sequence[tuple[int, int]]) -> dict[str, tuple[ChangeComment, ...]]:
    """The comments on changes by their ids, oldest first: those that stand alone, and those of assignments."""
    targets = [format_version_id(*one) for one in changes_named]
    found: dict[str, tuple[ChangeComment, ...]] = {}
    for target, *comment in conn.execute(_COMMENTS, {"targets": targets}):
        found[target] = (*found.get(target, ()), ChangeComment(*comment))
    return found


def _of_change(query: Any, page_id: int, seq: int) -> Any:
    its = (changes.c.page_id == page_id, changes.c.seq == seq, changes.c.importance > 0)
    return query.select_from(changes.outerjoin(change_assignments, IS_ASSIGNED)).where(*its)


def _record(
    conn: Connection,
    action: str,
    change: tuple[int, int],
    text: str | None,
    actor: str,
    now: datetime,
    details: dict[str, Any] | None,
) -> None:
    activity_log.record_action(
        conn, now=now, actor=actor, action=action, target=format_version_id(*change), reason=text, details=details
    )
