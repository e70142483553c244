"""The version of a URL at an instant, and its proof: checks before and after, audit rows, envelope.

Functions over a Connection. A *look* is an audit row of the page: what was seen then. Between two of them nothing is
known. Four clocks are kept apart: what the publisher says of publication and of force (``published``, ``effective``, in
its words), when we captured the bytes (``captured_at``), and when the ledger recorded them (``known_at``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, or_, select

from rori_spiders.ledger.audit import fact_log
from rori_spiders.ledger.audit.facts import AUDIT, FACT_KINDS
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.tables import audit, envelopes, page_aliases, pages, versions
from rori_spiders.urls.canonical import url_hash

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from rori_spiders.ledger.pages.page_history import HeldVersion, PageRow

#: Of three kinds of facts each, some hundred bytes a page.
_RUNS_KEPT = 30


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
class LeafPositions:
    """Where the log of facts has what proves a version; None where it has no leaf of the row as it is now."""

    version: int | None
    envelope: int | None
    last_look: int | None  # of the audit row that saw the text last up to the instant


@dataclass(frozen=True, slots=True)
class VersionProof:
    """A version that was held, what showed it first and last up to the instant, and what was seen next."""

    held: HeldVersion
    captured: Observation | None
    confirmed: Observation | None
    before: Observation | None  # the last look up to the instant, whatever it saw
    after: Observation | None  # the next one
    replaced_at: datetime | None  # when another text, or the removal, was captured
    is_removal_next: bool  # whether that was the removal
    effective_until: str | None  # from when on, in the publisher's words, a later version is in force
    envelope: str | None  # path
    envelope_state: str | None
    known_at: datetime | None  # when the ledger recorded it: its envelope was staged
    leaves: LeafPositions


@dataclass(frozen=True, slots=True)
class AbsentPage:
    """A page of which no text was held at the instant, and the looks before and after it."""

    source_id: str | None  # None: no source has it
    url: str
    state: str  # not_captured | removed | moved
    since: datetime | None  # when its removal was captured
    first_captured_at: datetime | None  # if that was later
    before: Observation | None
    after: Observation | None


def find_proofs(conn: Connection, url: str, at: datetime, source_id: str | None = None) -> list[VersionProof]:
    """What was held of *url* (normalised; also one that led to the page) at *at*, one a source."""
    return _find_proofs(conn, url, at, source_id, _LeafFinder(conn))


def _find_proofs(
    conn: Connection, url: str, at: datetime, source_id: str | None, leaves: _LeafFinder
) -> list[VersionProof]:
    found = page_history.held_at(conn, url, at)
    return [_build_proof(conn, held, at, leaves) for held in found if source_id in (None, held.source_id)]


def find_absent(
    conn: Connection, url: str, at: datetime, found: Sequence[VersionProof], source_id: str | None = None
) -> list[AbsentPage]:
    """As ``find_proofs``, of the sources that have the page and are not among those of *found*."""
    wanted = url_hash(url)
    aliased = select(page_aliases.c.page_id).where(page_aliases.c.url_hash == wanted)
    query = select(pages).where(or_(pages.c.url_hash == wanted, pages.c.page_id.in_(aliased)))
    having = {one.held.source_id for one in found}
    rows = [
        row
        for row in conn.execute(query.order_by(pages.c.source_id, pages.c.page_id)).mappings().all()
        if source_id in {None, row["source_id"]} and row["source_id"] not in having
    ]
    if rows or found:
        return [_build_absent(conn, page_history.PageRow(**row), at) for row in rows]
    before, after = nearest_observations(conn, url, at, source_id)
    of = before or after
    return [AbsentPage(of.source_id, url, "not_captured", None, None, before, after)] if of is not None else []


def list_pages(conn: Connection, at: datetime, source_id: str | None = None) -> Iterator[VersionProof | AbsentPage]:
    """Every page that was ever captured, as it stood at *at*, by source and URL."""
    leaves = _LeafFinder(conn)
    query = select(pages).where(pages.c.last_seq > 0).order_by(pages.c.source_id, pages.c.url)
    if source_id is not None:
        query = query.where(pages.c.source_id == source_id)
    for row in conn.execute(query.execution_options(yield_per=500)).mappings():
        page = page_history.PageRow(**row)
        found = _find_proofs(conn, page.url, at, page.source_id, leaves)
        of_page = [one for one in found if one.held.version.page_id == page.page_id]
        yield of_page[0] if of_page else _build_absent(conn, page, at)


def _build_absent(conn: Connection, page: PageRow, at: datetime) -> AbsentPage:
    of_page = select(versions.c.captured_at, versions.c.change_type).where(versions.c.page_id == page.page_id)
    last = conn.execute(of_page.where(versions.c.captured_at <= at).order_by(versions.c.seq.desc()).limit(1)).first()
    first = None if last else conn.execute(of_page.order_by(versions.c.seq).limit(1)).first()
    is_removed = last is not None and last.change_type == "deleted"
    return AbsentPage(
        page.source_id,
        page.url,
        "not_captured" if last is None else "removed" if is_removed else "moved",
        since=last.captured_at if last is not None and is_removed else None,
        first_captured_at=first.captured_at if first else None,
        before=_find_observation(conn, [page.url], page.source_id, upto=at),
        after=_find_observation(conn, [page.url], page.source_id, after=at),
    )


def nearest_observations(
    conn: Connection, url: str, at: datetime, source_id: str | None = None
) -> tuple[Observation | None, Observation | None]:
    """The last look at *url* up to *at*, and the next one, under any of its page's addresses."""
    urls = page_history.page_urls(conn, url, source_id)
    return _find_observation(conn, urls, source_id, upto=at), _find_observation(conn, urls, source_id, after=at)


def _build_proof(conn: Connection, held: HeldVersion, at: datetime, leaves: _LeafFinder) -> VersionProof:
    version, urls = held.version, [held.url]
    later = select(versions.c.captured_at, versions.c.change_type, versions.c.effective).where(
        versions.c.page_id == version.page_id, versions.c.seq > version.seq
    )
    others = conn.execute(later.order_by(versions.c.seq)).all()
    replaced = others[0] if others else None
    of_file = (envelopes.c.run_id == version.run_id) & (envelopes.c.url_hash == url_hash(held.url))
    columns = (envelopes.c[name] for name in ("envelope_id", "path", "state", "staged_at"))
    file = conn.execute(select(*columns).where(of_file)).one_or_none()
    captured = _find_observation(conn, urls, held.source_id, run_id=version.run_id, content_hash=version.content_hash)
    confirmed = _find_observation(conn, urls, held.source_id, upto=held.confirmed_at, content_hash=version.content_hash)
    return VersionProof(
        held,
        captured=captured,
        confirmed=confirmed,
        before=_find_observation(conn, urls, held.source_id, upto=at),
        after=_find_observation(conn, urls, held.source_id, after=at),
        replaced_at=replaced.captured_at if replaced else None,
        is_removal_next=replaced is not None and replaced.change_type == "deleted",
        effective_until=next((one.effective for one in others if one.effective not in {None, version.effective}), None),
        envelope=file.path if file else None,
        envelope_state=file.state if file else None,
        known_at=file.staged_at if file else None,
        leaves=LeafPositions(
            version=leaves.find("version", (version.page_id, version.seq)),
            envelope=leaves.find("envelope", (file.envelope_id,)) if file else None,
            last_look=leaves.find("audit", (confirmed.run_id, confirmed.seq)) if confirmed else None,
        ),
    )


class _LeafFinder:
    """Finds leaves of rows as they are now; keeps those of the last few runs, since pages of one come together."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn
        self._positions = lru_cache(maxsize=_RUNS_KEPT)(partial(fact_log.load_positions, conn))

    def find(self, name: str, key: tuple[Any, ...]) -> int | None:
        """Where the log of facts has the row with this key; None where it has no such leaf."""
        kind = FACT_KINDS[name]
        row = kind.load_rows(self._conn, [key]).get(key)
        return None if row is None else self._positions(name, kind.subject_of(row)).get(kind.hash_row(row))


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
