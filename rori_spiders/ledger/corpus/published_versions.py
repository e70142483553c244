"""Published versions of a corpus: numbered per domain, reserved before anything is written, never taken back."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, or_, select, update

from rori_spiders.ledger.audit.fact_log import note_fact
from rori_spiders.ledger.dialects import lock_for_writing
from rori_spiders.ledger.tables import corpus_versions as versions

PUBLISHING, PUBLISHED, ABANDONED = "publishing", "published", "abandoned"
LOADER_STARTED, LOADER_DONE, LOADER_FAILED = "started", "done", "failed"


def reserve_version(conn: Connection, domain: str, values: Mapping[str, Any], *, now: datetime) -> Row[Any]:
    """The version that is being published: the one that a killed process left of the same contents, or the next number.

    *values*: contents_hash, run_id, rolled_back_to, approved_by, approved_at, published_by. One of other contents that
    was left behind is abandoned: its number is not used again.
    """
    lock_for_writing(conn, versions, domain)
    left = conn.execute(
        select(versions).where(versions.c.domain == domain, versions.c.state == PUBLISHING)
    ).one_or_none()
    if left is not None and left.contents_hash == values["contents_hash"]:
        return left
    if left is not None:
        abandon_version(conn, domain, left.version)
    last = conn.execute(select(func.max(versions.c.version)).where(versions.c.domain == domain)).scalar_one() or 0
    number = last + 1
    row = {"domain": domain, "version": number, "prefix": version_prefix(domain, number), "state": PUBLISHING}
    conn.execute(versions.insert().values(**row, begun_at=now, **values))
    note_fact(conn, "corpus_version", domain, number)
    return conn.execute(select(versions).where(versions.c.domain == domain, versions.c.version == number)).one()


def version_prefix(domain: str, version: int) -> str:
    """Where a version lies, below the staging area."""
    return f"domains/{domain}/corpora/v{version}"


def abandon_version(conn: Connection, domain: str, version: int) -> None:
    """It will not be published, and its number not be used again."""
    its = (versions.c.domain == domain) & (versions.c.version == version) & (versions.c.state == PUBLISHING)
    conn.execute(update(versions).where(its).values(state=ABANDONED))
    note_fact(conn, "corpus_version", domain, version)


def adopt_version(conn: Connection, domain: str, version: int, values: Mapping[str, Any], *, now: datetime) -> None:
    """`latest` names this version, so it is published, whatever the ledger knew. *values*: as far as they are known."""
    lock_for_writing(conn, versions, domain)
    whole = {**values, "state": PUBLISHED, "published_at": now}
    if find_version(conn, domain, version) is not None:
        _update_version(conn, domain, version, whole)
        return
    row = {"domain": domain, "version": version, "prefix": version_prefix(domain, version)}
    conn.execute(versions.insert().values({"begun_at": now, **row, **whole}))
    note_fact(conn, "corpus_version", domain, version)


def mark_published(
    conn: Connection, domain: str, version: int, *, manifest_hash: str, pages: int, tombstones: int, now: datetime
) -> None:
    """It is whole, and `latest` names it."""
    values = {"manifest_hash": manifest_hash, "pages": pages, "tombstones": tombstones}
    _update_version(conn, domain, version, {"state": PUBLISHED, "published_at": now, **values})


def record_loader_state(
    conn: Connection, domain: str, version: int, state: str, *, now: datetime, execution: str | None, says: str | None
) -> None:
    """What became of the loader that was started with it."""
    values = {"loader_state": state, "loader_execution": execution, "loader_says": says, "loader_at": now}
    _update_version(conn, domain, version, values)


def begin_loader(conn: Connection, domain: str, version: int, *, now: datetime, lost_before: datetime) -> bool:
    """Have a loader started for it by the first caller; False while one is under way since *lost_before*, or done."""
    its = (versions.c.domain == domain) & (versions.c.version == version) & (versions.c.state == PUBLISHED)
    free = or_(
        versions.c.loader_state.is_(None),
        versions.c.loader_state == LOADER_FAILED,
        (versions.c.loader_state == LOADER_STARTED) & (versions.c.loader_at < lost_before),
    )
    values = {"loader_state": LOADER_STARTED, "loader_execution": None, "loader_says": None, "loader_at": now}
    note_fact(conn, "corpus_version", domain, version)
    return conn.execute(update(versions).where(its, free).values(values)).rowcount == 1


def latest_version(conn: Connection, domain: str) -> Row[Any] | None:
    """The highest version that was published."""
    of = select(versions).where(versions.c.domain == domain, versions.c.state == PUBLISHED)
    return conn.execute(of.order_by(versions.c.version.desc()).limit(1)).one_or_none()


def find_version(conn: Connection, domain: str, version: int) -> Row[Any] | None:
    """One version."""
    return conn.execute(
        select(versions).where(versions.c.domain == domain, versions.c.version == version)
    ).one_or_none()


def original_version(conn: Connection, domain: str, version: int | None) -> Row[Any] | None:
    """The version whose pages *version* has: itself, or the one that it went back to, and so on."""
    row = None if version is None else find_version(conn, domain, version)
    while row is not None and row.rolled_back_to is not None:
        row = find_version(conn, domain, row.rolled_back_to)
    return row


def version_of_run(conn: Connection, domain: str, run_id: str) -> Row[Any] | None:
    """The version in which a run was published."""
    its = (versions.c.domain == domain) & (versions.c.run_id == run_id) & (versions.c.state == PUBLISHED)
    return conn.execute(select(versions).where(its).order_by(versions.c.version).limit(1)).one_or_none()


def list_versions(conn: Connection, domain: str | None = None, *, limit: int = 50) -> list[Row[Any]]:
    """Versions, newest first: of one domain by their numbers, which no clock can turn round."""
    if domain is not None:
        its = select(versions).where(versions.c.domain == domain).order_by(versions.c.version.desc())
        return list(conn.execute(its.limit(limit)))
    query = select(versions).order_by(versions.c.begun_at.desc(), versions.c.domain, versions.c.version.desc())
    return list(conn.execute(query.limit(limit)))


def list_all_versions(conn: Connection) -> list[Row[Any]]:
    """All versions of all domains, in order."""
    return list(conn.execute(select(versions).order_by(versions.c.domain, versions.c.version)))


def _update_version(conn: Connection, domain: str, version: int, values: Mapping[str, Any]) -> None:
    its = update(versions).where(versions.c.domain == domain, versions.c.version == version)
    conn.execute(its.values(**values))
    note_fact(conn, "corpus_version", domain, version)
