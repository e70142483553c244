"""When a page is gone: it was not there on two looks at least a day apart, and not too many went at once (DESIGN §4.3).

Functions over a Connection. What goes is decided page by page in ``pipelines/change.py``; here is what that rests on.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from rori_spiders.ledger import alerts, history

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

LOOKS_APART = timedelta(hours=24)
#: More than this share of a source's pages, and more than this number, do not go at once: a site that moved or broke
#: loses all of its pages on one day, and a person must look.
MASS_SHARE = 0.05
MASS_LEAST = 3

_ALERT = {"event": "mass_removal", "cause": "pages missing"}


def is_due(missing_since: datetime | None, now: datetime) -> bool:
    """Whether a page that is not there *now* is gone, by when it was first missed."""
    return missing_since is not None and now - missing_since >= LOOKS_APART


def is_mass(missing: int, pages: int) -> bool:
    """Whether *missing* of a source's *pages* are too many to go at once."""
    return missing > MASS_LEAST and missing > MASS_SHARE * pages


def held_back(conn: Connection, source_id: str, run_id: str, now: datetime) -> bool:
    """Whether none of the source's pages may go in the run that begins now; raises or clears the alert that says so.

    The run then holds them until a person accepts that they are gone (``acceptance/``).

    Counted are all pages that would go if they were still missing: those that have come back only make it careful.
    """
    missing = history.missing(conn, source_id, since=now - LOOKS_APART)
    pages = len(history.held(conn, source_id))
    if not is_mass(len(missing), pages):
        alerts.clear_alert(conn, source_id=source_id, now=now, **_ALERT)
        return False
    message = (
        f"{len(missing)} of {pages} pages are not there any more: none is taken for gone before a person accepts it "
        f"(`scrapy runs accept {run_id} --reason TEXT`, once that run has ended)"
    )
    alerts.raise_alert(conn, source_id=source_id, severity="high", message=message, pages=missing, now=now, **_ALERT)
    return True


def note_end(conn: Connection, source_id: str, now: datetime) -> None:
    """Clear the alert once so many pages have come back, or gone, that the rest may go."""
    missing = history.missing(conn, source_id, since=now - LOOKS_APART)
    if not is_mass(len(missing), len(history.held(conn, source_id))):
        alerts.clear_alert(conn, source_id=source_id, now=now, **_ALERT)
