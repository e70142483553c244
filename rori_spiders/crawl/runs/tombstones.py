"""Decide when a missing page is marked gone: missing twice, at least a day apart, and not with too many others at
once (DESIGN §4.3).
"""

from datetime import datetime, timedelta

from sqlalchemy import Connection

from rori_spiders.ledger.operations import alerts
from rori_spiders.ledger.pages import page_history

MIN_CHECK_INTERVAL = timedelta(hours=24)
#: More than this share of a source's pages, and more than this number, do not go at once: a site that moved or broke
#: loses all of its pages on one day, and a person must look.
MASS_REMOVAL_SHARE = 0.05
MASS_REMOVAL_MIN_PAGES = 3

_MASS_REMOVAL_ALERT = {"event": "mass_removal", "cause": "pages missing"}


def should_mark_gone(missing_since: datetime | None, now: datetime) -> bool:
    """Whether a page that is not there *now* is gone, by when it was first missed."""
    return missing_since is not None and now - missing_since >= MIN_CHECK_INTERVAL


def is_mass_removal(missing: int, pages: int) -> bool:
    """Whether *missing* of a source's *pages* are too many to go at once."""
    return missing > MASS_REMOVAL_MIN_PAGES and missing > MASS_REMOVAL_SHARE * pages


def hold_mass_removal(conn: Connection, source_id: str, run_id: str, now: datetime) -> bool:
    """Whether none of the source's pages may go in the run that begins now; raises or clears the alert that says so.

    The run then holds them until a person accepts that they are gone (``review_holds/``).

    Counted are all pages that would go if they were still missing: those that have come back only make it careful.
    """
    missing = page_history.missing_urls(conn, source_id, since=now - MIN_CHECK_INTERVAL)
    pages = page_history.count_held_pages(conn, source_id)
    if not is_mass_removal(len(missing), pages):
        alerts.clear_alert(conn, source_id=source_id, now=now, **_MASS_REMOVAL_ALERT)
        return False
    message = (
        f"{len(missing)} of {pages} pages are missing: none is recorded as gone until a person accepts it "
        f"(`scrapy runs accept {run_id} --reason TEXT`, once that run has ended)"
    )
    alerts.raise_alert(
        conn, source_id=source_id, severity="high", message=message, pages=missing, now=now, **_MASS_REMOVAL_ALERT
    )
    return True


def clear_mass_removal_alert(conn: Connection, source_id: str, now: datetime) -> None:
    """Clear the alert once so many pages have come back, or gone, that the rest may go."""
    missing = page_history.missing_urls(conn, source_id, since=now - MIN_CHECK_INTERVAL)
    if not is_mass_removal(len(missing), page_history.count_held_pages(conn, source_id)):
        alerts.clear_alert(conn, source_id=source_id, now=now, **_MASS_REMOVAL_ALERT)
