"""The ledger's database: can it be reached, is it of this version, may we write, is there room."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

from sqlalchemy import text

from rori_spiders.doctor.disks import LEAST, MIB, PLENTY, file_system, free_bytes, is_network
from rori_spiders.doctor.patient import Finding
from rori_spiders.ledger import places, upgrades

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from sqlalchemy import Connection

    from rori_spiders.doctor.patient import Patient

#: Leases last a minute: a clock that is off by as much gives one server to two jobs.
_CLOCKS_S = 5.0
#: From here on others are soon refused: a job keeps up to 5 (ledger/database.py).
_CONNECTIONS = 0.8
_RIGHTS = text(
    "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema() AND NOT"
    " has_table_privilege(current_user, quote_ident(table_schema) || '.' || quote_ident(table_name), 'SELECT, INSERT')"
)


def database(patient: Patient) -> Iterator[Finding]:
    """Reached, of this version: how it was opened has been told where it failed."""
    if patient.ledger is None:
        return
    with patient.ledger.connect() as conn:
        version = upgrades.current(conn)
        if patient.ledger.place.path is not None:
            yield from _sqlite(patient.ledger.place.path, version)
        else:
            yield from _postgresql(conn, str(patient.ledger.place), version, patient.now)


def room(patient: Patient) -> Iterator[Finding]:
    """The disk under a SQLite ledger, also one that is not there yet."""
    path = places.parse(patient.places.database_url).path if patient.places else None
    if path is None:
        return
    kind, free = file_system(path), free_bytes(path)
    found = f"{free // MIB:,} MiB are free at {path.parent}{f' ({kind})' if kind else ''}"
    if is_network(kind):
        do = "Move the ledger to a local disk: across a network SQLite loses its locks, and then its rows."
        yield Finding("ledger's disk", "failed", found, do)
    elif free < PLENTY:
        yield Finding("ledger's disk", "failed" if free < LEAST else "warning", found, "Free some space.")
    else:
        yield Finding("ledger's disk", "ok", found)


def _sqlite(path: Path, version: str | None) -> Iterator[Finding]:
    found = f"SQLite {sqlite3.sqlite_version}, {path}, version {version}, {path.stat().st_size / MIB:,.1f} MiB"
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK):
        yield Finding("ledger", "ok", found)
    else:
        do = "Give this user the right to write the file and its folder, or run as the user who may."
        yield Finding("ledger", "failed", f"{found}: read-only for this user", do)


def _postgresql(conn: Connection, place: str, version: str | None, now: datetime) -> Iterator[Finding]:
    server = conn.execute(text("SHOW server_version")).scalar_one()
    replica = conn.execute(text("SELECT pg_is_in_recovery()")).scalar_one()
    without = conn.execute(_RIGHTS).scalar_one()
    found = f"PostgreSQL {server}, {place}, version {version}"
    if replica:
        yield Finding("ledger", "failed", f"{found}: a replica, which cannot be written", "Name the primary server.")
    elif without:
        do = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO this user (docs/ledger.md)."
        yield Finding("ledger", "failed", f"{found}: {without} of its tables may not be written by this user", do)
    else:
        yield Finding("ledger", "ok", found)
    used, most = conn.execute(
        text("SELECT (SELECT count(*) FROM pg_stat_activity), current_setting('max_connections')::int")
    ).one()
    much = used >= most * _CONNECTIONS
    do = "Raise max_connections, or end what holds them (pg_stat_activity shows who)." if much else ""
    yield Finding("connections", "warning" if much else "ok", f"{used} of {most} are in use on the server", do)
    apart = abs((conn.execute(text("SELECT clock_timestamp()")).scalar_one() - now).total_seconds())
    late = apart > _CLOCKS_S
    do = "Synchronise both clocks: leases of other nodes end too early or too late." if late else ""
    yield Finding("database's clock", "failed" if late else "ok", f"{apart:.1f} s from this machine's", do)
