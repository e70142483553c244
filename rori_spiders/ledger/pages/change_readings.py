"""Which changes a person has read. Each reading, and each taken back, is an action; there is no other record of it.

Functions over a Connection.
"""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, Select, String, func, literal, select

from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.pages.vocabulary import format_version_id
from rori_spiders.ledger.tables import actions, changes

READ_ACTION, UNREAD_ACTION = "read_change", "unread_change"


def _last_readings(person: str) -> Select[tuple[str, datetime]]:
    """The changes that *person* has read and not marked as unread since, each with when."""
    own = (actions.c.actor == person, actions.c.action.in_((READ_ACTION, UNREAD_ACTION)))
    last = select(func.max(actions.c.action_id)).where(*own).group_by(actions.c.target)
    return select(actions.c.target, actions.c.at).where(actions.c.action_id.in_(last), actions.c.action == READ_ACTION)


def is_unread(person: str) -> ColumnElement[bool]:
    """Of a change in a query: *person* has not read it, or marked it as unread."""
    change_id = changes.c.page_id.cast(String) + literal("-") + changes.c.seq.cast(String)
    return change_id.not_in(select(_last_readings(person).subquery().c.target))


def read_times(conn: Connection, person: str, change_ids: Collection[str]) -> dict[str, datetime]:
    """When *person* read those of *change_ids* that they have read."""
    query = _last_readings(person).where(actions.c.target.in_(change_ids))
    return {row.target: row.at for row in conn.execute(query)}


def mark_changes(
    conn: Connection, chosen: Collection[tuple[int, int]], *, read: bool, actor: str, now: datetime
) -> list[tuple[int, int]]:
    """Record that *actor* has read changes, or wants them unread again. Gives those that belong to no change.

    One that is so already is left alone.
    """
    known = read_times(conn, actor, [format_version_id(*one) for one in chosen])
    unknown = []
    for page_id, seq in dict.fromkeys(chosen):
        its = (changes.c.page_id == page_id, changes.c.seq == seq, changes.c.importance > 0)
        change_id = format_version_id(page_id, seq)
        if conn.execute(select(changes.c.seq).where(*its)).one_or_none() is None:
            unknown.append((page_id, seq))
        elif (change_id in known) != read:
            action = READ_ACTION if read else UNREAD_ACTION
            activity_log.record_action(conn, now=now, actor=actor, action=action, target=change_id)
    return unknown
