"""Who answers for the sources of an agency: each change of owner is an action, and there is no other record of it.

Functions over a Connection.
"""

from datetime import datetime

from sqlalchemy import Connection, func, select

from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.tables import actions

OWN_ACTION = "own_agency"


def list_owners(conn: Connection) -> dict[str, str]:
    """The owners by the names of their agencies; an agency without one is left out."""
    last = select(func.max(actions.c.action_id)).where(actions.c.action == OWN_ACTION).group_by(actions.c.target)
    query = select(actions.c.target, actions.c.details).where(actions.c.action_id.in_(last)).order_by(actions.c.target)
    return {row.target: row.details["owner"] for row in conn.execute(query) if row.details["owner"] is not None}


def set_owner(conn: Connection, agency: str, owner: str | None, *, actor: str, now: datetime) -> None:
    """Record that *owner* answers for the sources of *agency*; None: nobody any more."""
    before = list_owners(conn).get(agency)
    if owner != before:
        details = {"owner": owner, "before": before}
        activity_log.record_action(conn, now=now, actor=actor, action=OWN_ACTION, target=agency, details=details)
