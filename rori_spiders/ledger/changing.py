"""How much changed, day by day."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from rori_spiders.ledger import dialects
from rori_spiders.ledger.tables import pages, runs, versions

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection


def by_day(conn: Connection, since: datetime, days: int) -> dict[str, list[int]]:
    """Source -> the texts that came, changed or went on each of so many *days* in UTC; without any: left out.

    What a source had until it was first collected whole has not come then: its publisher had it before. *since* is the
    beginning of the first day, in UTC.
    """
    day = dialects.day(conn, versions.c.captured_at)
    whole = (
        select(runs.c.source_id, func.min(runs.c.finished_at).label("at"))
        .where(runs.c.state == "complete")
        .group_by(runs.c.source_id)
        .subquery()
    )
    has_come = (versions.c.change_type != "new") | (versions.c.captured_at > whole.c.at)
    query = (
        select(pages.c.source_id, day, func.count())
        .join_from(versions, pages, pages.c.page_id == versions.c.page_id)
        .outerjoin(whole, whole.c.source_id == pages.c.source_id)
        .where(versions.c.captured_at >= since, has_come)
        .group_by(pages.c.source_id, day)
    )
    found: dict[str, list[int]] = {}
    for source_id, on, number in conn.execute(query):
        place = (date.fromisoformat(on) - since.date()).days
        if place < days:  # later ones are of a clock that was wrong
            found.setdefault(source_id, [0] * days)[place] += number
    return found
