"""Alerts of corpora: a run that could not go on, a draft that waits, a version that was published without a person, or
was not published, or not loaded. One open a domain."""

from datetime import datetime

from sqlalchemy import Connection

from rori_spiders.ledger.operations import alerts
from rori_spiders.reviews.events import CORPUS_DRAFT, CORPUS_FAILED, CORPUS_UNATTENDED, CORPUS_UNPUBLISHED, EVENTS


def note_failed(conn: Connection, domain: str, says: str, *, now: datetime) -> None:
    """Open the alert: a run of the corpus of *domain* failed."""
    _raise_corpus_alert(conn, CORPUS_FAILED, domain, f"The corpus of {domain}: {says}", now)


def note_draft(conn: Connection, domain: str, says: str | None, *, now: datetime) -> None:
    """Open the alert: a draft of changes waits for review; *says*: its contents."""
    about = f": {says}" if says else ""
    _raise_corpus_alert(conn, CORPUS_DRAFT, domain, f"A draft of the corpus of {domain} awaits review{about}", now)


def note_unattended(conn: Connection, domain: str, version: int, says: str, *, now: datetime) -> None:
    """Open the alert: a version was published unattended, as the site rules allow; *says*: its contents."""
    about = f"Version {version} of the corpus of {domain} was published without review: {says}"
    _raise_corpus_alert(conn, CORPUS_UNATTENDED, domain, about, now)


def note_unpublished(conn: Connection, domain: str, version: int, says: str, *, now: datetime) -> None:
    """A version of it could not be published, or its loader failed."""
    _raise_corpus_alert(conn, CORPUS_UNPUBLISHED, domain, f"Version {version} of the corpus of {domain}: {says}", now)


def clear_corpus_alert(conn: Connection, event: str, domain: str, *, now: datetime) -> None:
    """Clear the alert: a run needs review or was cancelled, a draft was approved, a version was published."""
    alerts.clear_alert(conn, source_id="", event=event, cause=domain, now=now)


def _raise_corpus_alert(conn: Connection, event: str, domain: str, message: str, now: datetime) -> None:
    severity = EVENTS[event].severity
    alerts.raise_alert(
        conn, source_id="", event=event, cause=domain, severity=severity, message=message[:1000], now=now
    )
