"""When failures of pages were overcome: the first later end of the same URL, of the same source, that was none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from rori_spiders.ledger.failures import OVERCOME
from rori_spiders.ledger.tables import audit

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy import Connection, Row


def when(conn: Connection, rows: Iterable[Row[Any]]) -> dict[int, datetime]:
    """Number of a row of the audit -> when its page was captured, unchanged or gone afterwards; others are left out.

    Some hundreds of rows at once. A page that a person accepted later bears the time of its answer.
    """
    later = audit.alias("later")
    first = (
        select(later.c.timestamp)
        .where(
            later.c.url_hash == audit.c.url_hash,
            later.c.timestamp >= audit.c.timestamp,
            later.c.audit_id > audit.c.audit_id,
            later.c.manifest_id == audit.c.manifest_id,
            later.c.kind == "page",
            later.c.state.in_(OVERCOME),
        )
        .order_by(later.c.timestamp)
        .limit(1)
        .scalar_subquery()
    )
    query = select(audit.c.audit_id, first).where(audit.c.audit_id.in_([row.audit_id for row in rows]))
    return {audit_id: at for audit_id, at in conn.execute(query) if at is not None}
