"""Checks of what is written to: the ledger's database (SQLite or PostgreSQL), its disk, and the staging area
(folder or bucket).
"""

import os
import shlex
import shutil
import sqlite3
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, text

from rori_spiders.ledger import database_url, upgrades
from rori_spiders.ledger.tables import metadata
from rori_spiders.operations.doctor.checks import CheckContext, CheckResult
from rori_spiders.runtime.file_permissions import is_open_to_others
from rori_spiders.staging.consistency import check_no_staged_files, describe_missing_ledger, is_store_empty
from rori_spiders.staging.store_factory import open_store

MIB = 2**20
#: A page may need as much at once (staging/disk/store.py): jobs refuse to begin under it.
MIN_FREE = 64 * MIB
#: Sixteen such pages: a person should look before a job refuses.
ENOUGH_FREE = 16 * MIN_FREE
_NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "fuse.sshfs"})


def nearest_existing(path: Path) -> Path:
    """*path*, or the nearest folder above it that is there."""
    return next((one for one in (path, *path.parents) if one.exists()), Path("/"))


def free_bytes(path: Path) -> int:
    """What a user may still write where *path* is, or will be. Raises OSError."""
    return shutil.disk_usage(nearest_existing(path)).free


def file_system_type(path: Path) -> str:
    """The kind of the file system that holds *path*, such as ext4; "" where there is no /proc to tell."""
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    real = nearest_existing(path).resolve()
    kind, longest = "", -1
    for fields in map(str.split, mounts):
        at = Path(fields[1].replace("\\040", " "))
        if real.is_relative_to(at) and len(at.parts) >= longest:
            kind, longest = fields[2], len(at.parts)
    return kind


def is_network_file_system(kind: str) -> bool:
    return kind in _NETWORK


# The ledger's database: can it be reached, is it of this version, may we write, is there room.


def check_database(context: CheckContext) -> Iterator[CheckResult]:
    """Reached, of this version: a failure to open it has been reported."""
    if context.ledger is None:
        return
    with context.ledger.connect() as conn:
        version = upgrades.current_revision(conn)
        if context.ledger.place.path is not None:
            path = context.ledger.place.path
            found = f"SQLite {sqlite3.sqlite_version}, {path}, version {version}, {path.stat().st_size / MIB:,.1f} MiB"
            if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK):
                yield CheckResult("ledger", "ok", found)
            else:
                do = "Give this user write permission for the file and its folder, or run as a user who has it."
                yield CheckResult("ledger", "failed", f"{found}: read-only for this user", do)
        else:
            yield from check_postgresql(conn, str(context.ledger.place), version, context.now)


def check_room(context: CheckContext) -> Iterator[CheckResult]:
    """The disk under a SQLite ledger, also one that is not there yet."""
    path = database_url.parse_database_url(context.places.database_url).path if context.places else None
    if path is None:
        return
    kind, free = file_system_type(path), free_bytes(path)
    found = f"{free // MIB:,} MiB are free at {path.parent}{f' ({kind})' if kind else ''}"
    if is_network_file_system(kind):
        do = "Move the ledger to a local disk: on a network file system SQLite's locks fail, which corrupts data."
        yield CheckResult("ledger's disk", "failed", found, do)
    elif free < ENOUGH_FREE:
        yield CheckResult("ledger's disk", "failed" if free < MIN_FREE else "warning", found, "Free some space.")
    else:
        yield CheckResult("ledger's disk", "ok", found)


def check_permissions(context: CheckContext) -> Iterator[CheckResult]:
    """Files of releases before RORI_UMASK keep their rights: the ledger holds password hashes and sessions."""
    if context.places is None:
        return
    ledger = database_url.parse_database_url(context.places.database_url).path
    files = (f"{ledger}{ending}" for ending in ("", "-wal", "-shm")) if ledger else ()
    staging = (context.places.staging,) if "://" not in context.places.staging else ()
    readable = [path for path in map(Path, (*files, *staging)) if is_open_to_others(path)]
    if readable:
        found = f"every user of this machine may read {', '.join(map(str, readable))}"
        do = f"chmod -R o= {' '.join(map(shlex.quote, map(str, readable)))}"
        yield CheckResult("permissions", "warning", found, do)
    else:
        yield CheckResult("permissions", "ok", "ledger and staging area are closed to other users of this machine")


# A ledger on PostgreSQL: may we write there, are there connections left, does its clock agree with ours.

#: Of the minute for which a lease is given, what jobs and people who compare logs may be off without harm.
_CLOCKS_S = 5.0
#: From here on others are soon refused: a job keeps up to 6 (ledger/database.py).
_CONNECTIONS_SHARE = 0.8
#: Our tables on which this user lacks a right. `has_table_privilege` with several names is true when one is held.
_RIGHTS = text(
    "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"
    " AND relname = ANY(:names)"
    " AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')"
    " AND (relname = ANY(:never_changed) OR has_table_privilege(oid, 'UPDATE'))"
    " AND (relname = ANY(:never_removed) OR has_table_privilege(oid, 'DELETE')))"
    " ORDER BY relname"
)
#: Rights that docs/reference/ledger.md recommends to revoke: a job does without them.
_NEVER_CHANGED = ("audit", "fact_leaves", "audit_chains")
_NEVER_REMOVED = (*_NEVER_CHANGED, "log_heads")
_SEQUENCES = text(
    "SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
    " AND CASE WHEN relkind = 'S' THEN NOT has_sequence_privilege(oid, 'USAGE') ELSE false END"
)
#: What a session has by itself, of its server, database or role: ours sets its own.
_READ_ONLY = text("SELECT reset_val = 'on' FROM pg_settings WHERE name = 'default_transaction_read_only'")
_USED = text("SELECT coalesce(sum(numbackends), 0)::int FROM pg_stat_database")
_MOST = text("SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int")


def check_postgresql(conn: Connection, place: str, version: str | None, now: datetime) -> Iterator[CheckResult]:
    """*version*: of the ledger. Everything is asked; nothing is locked, no row of ours read."""
    server = conn.execute(text("SELECT split_part(current_setting('server_version'), ' ', 1)")).scalar_one()
    found = f"PostgreSQL {server}, {place}, version {version}"
    if problem := _find_write_problem(conn):
        yield CheckResult("ledger", "failed", f"{found}: {problem[0]}", problem[1])
    else:
        yield CheckResult("ledger", "ok", found)
    yield _check_connections(conn)
    apart = abs((conn.execute(text("SELECT clock_timestamp()")).scalar_one() - now).total_seconds())
    late = apart > _CLOCKS_S
    do = "Synchronise both clocks: leases use the server's clock, crawl windows and audit times this machine's."
    yield CheckResult("database's clock", "failed" if late else "ok", f"{apart:.1f} s from this machine's", do * late)


def _find_write_problem(conn: Connection) -> tuple[str, str] | None:
    """Why a job could not write, and what to do."""
    if conn.execute(text("SELECT pg_is_in_recovery()")).scalar_one():
        return "a read-only replica", "Set RORI_DATABASE_URL to the primary server."
    if conn.execute(_READ_ONLY).scalar_one():
        do = "Set default_transaction_read_only = off: ALTER ROLE, ALTER DATABASE or postgresql.conf has it on."
        return "read-only for this user", do
    tables = {
        "names": list(metadata.tables),
        "never_changed": list(_NEVER_CHANGED),
        "never_removed": list(_NEVER_REMOVED),
    }
    without = conn.execute(_RIGHTS, tables).scalars().all()
    if without:
        shown = ", ".join(without[:3]) + (", ..." if len(without) > 3 else "")
        do = (
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO this user "
            "(docs/reference/ledger.md)."
        )
        return f"this user cannot write {len(without)} of its tables ({shown})", do
    if number := conn.execute(_SEQUENCES).scalar_one():
        do = "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO this user (docs/reference/ledger.md)."
        return f"this user cannot use {number} of its sequences", do
    return None


def _check_connections(conn: Connection) -> CheckResult:
    used, most = conn.execute(_USED).scalar_one(), conn.execute(_MOST).scalar_one()
    found = f"{most - used} of {most} are available on the server"
    if used < most * _CONNECTIONS_SHARE:
        return CheckResult("connections", "ok", found)
    do = "Raise max_connections, or close unused connections (see pg_stat_activity)."
    return CheckResult("connections", "warning", found, do)


# The staging area: is it there, may we write, is there room, does it belong to this ledger.


def check_staging(context: CheckContext) -> Iterator[CheckResult]:
    """A folder is looked at, never written; a bucket, or what a plug-in opens, is read."""
    if context.places is None:
        return
    place = context.places.staging
    if place.startswith("s3://"):
        yield from _check_bucket(place)
    elif "://" not in place:
        yield from _check_folder(Path(place))
        if not Path(place).is_dir():
            return
    store = open_store(place)
    if "://" in place and not place.startswith("s3://"):
        found = f"{store.location}, opened by a plug-in; writing is tested by each job when it starts"
        yield CheckResult("staging", "ok", found)
    empty = is_store_empty(store)
    if context.ledger is not None and empty:
        check_no_staged_files(context.ledger, store)
    elif not context.places.has_ledger and not empty:
        raise describe_missing_ledger(store, context.places.shown_ledger)
    torn = store.torn()
    if torn:
        do = "Nothing; the next job repairs it. If it remains: `scrapy verify --repair`."
        yield CheckResult("staging files", "warning", f"the last line of {', '.join(torn)} is incomplete", do)
    else:
        found = "nothing staged yet" if empty else "readable, and belongs to the ledger"
        yield CheckResult("staging files", "ok", found)


def _check_bucket(place: str) -> Iterator[CheckResult]:
    from rori_spiders.staging.s3.listing import inspect_bucket  # boto3 is loaded where there is a bucket

    seen = inspect_bucket(place)
    versions = "" if seen.versioned is None else ", versioned" if seen.versioned else ", not versioned"
    found = f"{place} at {seen.endpoint} can be listed{versions}"
    if seen.expiring:
        do = (
            "Exclude the prefix from the rule: only `scrapy staging prune` knows which envelopes are confirmed "
            "(docs/how-to/staging-s3.md)."
        )
        yield CheckResult(
            "staging", "failed", f"{found}; its rule {', '.join(seen.expiring)} expires what is staged", do
        )
        return
    unreadable_rules = "its lifecycle rules cannot be read; " if seen.expiring is None else ""
    yield CheckResult(
        "staging", "ok", f"{found}; {unreadable_rules}writing and deleting are tested by each job when it starts"
    )


def _check_folder(path: Path) -> Iterator[CheckResult]:
    there = nearest_existing(path)
    if not there.is_dir():
        yield CheckResult("staging", "failed", f"{there} is a file", "Set RORI_STAGING to a folder.")
        return
    free, kind = free_bytes(path), file_system_type(path)
    found = f"{path}, {free // MIB:,} MiB free{f' ({kind})' if kind else ''}"
    if there != path:
        found = f"{path} does not exist yet; the first job creates it; {free // MIB:,} MiB free"
    if not os.access(there, os.W_OK | os.X_OK):
        yield CheckResult(
            "staging", "failed", f"{found}; this user cannot write {there}", "Give this user write permission."
        )
    elif free < ENOUGH_FREE:
        do = "Free some space, or prune confirmed envelopes."
        yield CheckResult("staging", "failed" if free < MIN_FREE else "warning", found, do)
    else:
        yield CheckResult("staging", "ok", found)
