"""The activity log: every action of a person or rule that changes what is collected or published."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, or_, select

from rori_spiders.ledger.audit.fact_log import note_fact
from rori_spiders.ledger.tables import actions
from rori_spiders.runtime.redaction import get_redactor

#: What a person does to say that the number of pages which a run found is right.
ACCEPT_RUN = "accept_run"
#: What `scrapy verify --record` found; its details are those of the monitor's schema Verification.
VERIFY = "verify"
#: Who acts where no person does: this program by itself, another one by a webhook, the rules of a site. No person has
#: one of these names.
SYSTEM, HOOK, POLICY = "system", "hook", "policy"
PROGRAM_ACTORS = frozenset({SYSTEM, HOOK, POLICY})


def record_action(
    conn: Connection,
    *,
    now: datetime,
    actor: str,
    action: str,
    target: str,
    reason: str | None = None,
    details: Mapping[str, Any] | None = None,
) -> int:
    """Keep that *actor* did *action* (``pause``, ``activate``, ...) to *target*; gives the row's number."""
    redacted = get_redactor().text(reason) if reason else reason
    row = {"at": now, "actor": actor, "action": action, "target": target, "reason": redacted, "details": details}
    number = int(conn.execute(actions.insert().values(row).returning(actions.c.action_id)).scalar_one())
    note_fact(conn, "action", number)
    return number


def recent_actions(
    conn: Connection, *, target: str | None = None, words: str = "", limit: int = 20, before: int | None = None
) -> list[dict[str, Any]]:
    """The last actions, newest first; on one target, or on all; with *before*, those with a lower number.

    With *words* those that have them in actor, action, target or reason; upper and lower case are the same, in ASCII.
    """
    query = select(actions).order_by(actions.c.action_id.desc()).limit(limit)
    if target is not None:
        query = query.where(actions.c.target == target)
    if words:
        columns = (actions.c.actor, actions.c.target, actions.c.reason, func.replace(actions.c.action, "_", " "))
        query = query.where(or_(*(one.icontains(words, autoescape=True) for one in columns)))
    if before is not None:
        query = query.where(actions.c.action_id < before)
    return [{**row} for row in conn.execute(query).mappings()]


def find_last(conn: Connection, action: str) -> dict[str, Any] | None:
    """The row of the last action so named; None where there is none."""
    query = select(actions).where(actions.c.action == action).order_by(actions.c.action_id.desc()).limit(1)
    row = conn.execute(query).mappings().one_or_none()
    return None if row is None else {**row}


def last_action(conn: Connection, *, target: str, action: str) -> tuple[str, datetime] | tuple[None, None]:
    """By whom, and when, *action* was done to *target* last."""
    its = (actions.c.target == target, actions.c.action == action)
    query = select(actions.c.actor, actions.c.at).where(*its).order_by(actions.c.action_id.desc()).limit(1)
    row = conn.execute(query).one_or_none()
    return (row.actor, row.at) if row is not None else (None, None)
