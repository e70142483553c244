"""The version of a URL at an instant, and its proof: checks before and after, audit rows, envelope.

Functions over a Connection. A *look* is an audit row of the page: what was seen then. Between two of them nothing is
known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select

from rori_spiders.ledger.audit.facts import AUDIT
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.tables import audit, envelopes, versions
from rori_spiders.urls.canonical import url_hash

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from rori_spiders.ledger.pages.page_history import HeldVersion


@dataclass(frozen=True, slots=True)
class Observation:
    """One audit row: the observed state of a page at a time."""

    source_id: str
    at: datetime
    state: str
    reason: str | None
    http_status: int | None
    content_hash: str | None
    run_id: str
    seq: int
    row_hash: str  # of its leaf in the log of facts
    robots_object: str | None


@dataclass(frozen=True, slots=True)
class VersionProof:
    """A version that was held, what showed it first and last up to the instant, and what was seen next."""

    held: HeldVersion
    captured: Observation | None
    confirmed: Observation | None
    before: Observation | None  # the last look up to the instant, whatever it saw
    after: Observation | None  # the next one
    replaced_at: datetime | None  # when another text, or the removal, was captured
    envelope: str | None  # path
    envelope_state: str | None


def find_proofs(conn: Connection, url: str, at: datetime, source_id: str | None = None) -> list[VersionProof]:
    """What was held of *url* (normalised; also one that led to the page) at *at*, one a source."""
    found = page_history.held_at(conn, url, at)
    return [_build_proof(conn, held, at) for held in found if source_id in (None, held.source_id)]


def nearest_observations(
    conn: Connection, url: str, at: datetime, source_id: str | None = None
) -> tuple[Observation | None, Observation | None]:
    """The last look at *url* up to *at*, and the next one, under any of its page's addresses."""
    urls = page_history.page_urls(conn, url, source_id)
    return _find_observation(conn, urls, source_id, upto=at), _find_observation(conn, urls, source_id, after=at)


def _build_proof(conn: Connection, held: HeldVersion, at: datetime) -> VersionProof:
    version, urls = held.version, [held.url]
    later = select(versions.c.captured_at).where(
        versions.c.page_id == version.page_id, versions.c.seq == version.seq + 1
    )
    of_file = (envelopes.c.run_id == version.run_id) & (envelopes.c.url_hash == url_hash(held.url))
    file = conn.execute(select(envelopes.c.path, envelopes.c.state).where(of_file)).one_or_none()
    captured = _find_observation(conn, urls, held.source_id, run_id=version.run_id, content_hash=version.content_hash)
    return VersionProof(
        held,
        captured=captured,
        confirmed=_find_observation(
            conn, urls, held.source_id, upto=held.confirmed_at, content_hash=version.content_hash
        ),
        before=_find_observation(conn, urls, held.source_id, upto=at),
        after=_find_observation(conn, urls, held.source_id, after=at),
        replaced_at=conn.execute(later).scalar(),
        envelope=file.path if file else None,
        envelope_state=file.state if file else None,
    )


def _find_observation(
    conn: Connection,
    urls: Sequence[str],
    source_id: str | None,
    *,
    upto: datetime | None = None,
    after: datetime | None = None,
    **same: Any,
) -> Observation | None:
    """The last look up to a time, or the first one, after a time if that is given."""
    query = select(audit).where(audit.c.url_hash.in_([url_hash(one) for one in urls]), audit.c.kind == "page")
    for name, value in (same | ({"manifest_id": source_id} if source_id is not None else {})).items():
        query = query.where(audit.c[name] == value)
    if upto is not None:
        query = query.where(audit.c.timestamp <= upto).order_by(audit.c.timestamp.desc(), audit.c.audit_id.desc())
    else:
        query = (query if after is None else query.where(audit.c.timestamp > after)).order_by(
            audit.c.timestamp, audit.c.audit_id
        )
    row = conn.execute(query.limit(1)).mappings().one_or_none()
    if row is None:
        return None
    same_names = ("state", "reason", "http_status", "content_hash", "run_id", "seq", "robots_object")
    return Observation(
        source_id=row["manifest_id"],
        at=row["timestamp"],
        row_hash=AUDIT.hash_row(row).hex(),
        **{name: row[name] for name in same_names},
    )
