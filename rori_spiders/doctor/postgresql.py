"""A ledger on PostgreSQL: may we write there, are there connections left, does its clock agree with ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

from rori_spiders.doctor.patient import Finding
from rori_spiders.ledger.tables import metadata

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from sqlalchemy import Connection

#: Of the minute for which a lease is given, what jobs and people who compare logs may be off without harm.
_CLOCKS_S = 5.0
#: From here on others are soon refused: a job keeps up to 6 (ledger/connections.py).
_CONNECTIONS = 0.8
#: Our tables on which this user lacks a right. `has_table_privilege` with several names is true when one is held.
_RIGHTS = text(
    "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"
    " AND relname = ANY(:names)"
    " AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')"
    " AND (relname = ANY(:kept) OR has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')))"
    " ORDER BY relname"
)
#: Their rows are never changed or removed.
_KEPT = ("audit",)
_SEQUENCES = text(
    "SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
    " AND CASE WHEN relkind = 'S' THEN NOT has_sequence_privilege(oid, 'USAGE') ELSE false END"
)
#: What a session has by itself, of its server, database or role: ours sets its own.
_READ_ONLY = text("SELECT reset_val = 'on' FROM pg_settings WHERE name = 'default_transaction_read_only'")
_USED = text("SELECT coalesce(sum(numbackends), 0)::int FROM pg_stat_database")
_MOST = text("SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int")


def postgresql(conn: Connection, place: str, version: str | None, now: datetime) -> Iterator[Finding]:
    """*version*: of the ledger. Everything is asked; nothing is locked, no row of ours read."""
    server = conn.execute(text("SELECT split_part(current_setting('server_version'), ' ', 1)")).scalar_one()
    found = f"PostgreSQL {server}, {place}, version {version}"
    if problem := _problem(conn):
        yield Finding("ledger", "failed", f"{found}: {problem[0]}", problem[1])
    else:
        yield Finding("ledger", "ok", found)
    yield _connections(conn)
    apart = abs((conn.execute(text("SELECT clock_timestamp()")).scalar_one() - now).total_seconds())
    late = apart > _CLOCKS_S
    do = "Synchronise both clocks: leases go by the server's, hours and times in the audit by this machine's."
    yield Finding("database's clock", "failed" if late else "ok", f"{apart:.1f} s from this machine's", do * late)


def _problem(conn: Connection) -> tuple[str, str] | None:
    """Why a job could not write, and what to do."""
    if conn.execute(text("SELECT pg_is_in_recovery()")).scalar_one():
        return "a replica, which cannot be written", "Name the primary server in RORI_DATABASE_URL."
    if conn.execute(_READ_ONLY).scalar_one():
        do = "Set default_transaction_read_only = off: ALTER ROLE, ALTER DATABASE or postgresql.conf has it on."
        return "read-only for this user", do
    without = conn.execute(_RIGHTS, {"names": list(metadata.tables), "kept": list(_KEPT)}).scalars().all()
    if without:
        shown = ", ".join(without[:3]) + (", ..." if len(without) > 3 else "")
        do = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO this user (docs/ledger.md)."
        return f"{len(without)} of its tables may not be written by this user ({shown})", do
    if number := conn.execute(_SEQUENCES).scalar_one():
        do = "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO this user (docs/ledger.md)."
        return f"{number} of its sequences may not be used by this user", do
    return None


def _connections(conn: Connection) -> Finding:
    used, most = conn.execute(_USED).scalar_one(), conn.execute(_MOST).scalar_one()
    found = f"{most - used} of {most} are left on the server"
    if used < most * _CONNECTIONS:
        return Finding("connections", "ok", found)
    do = "Raise max_connections, or end what holds them (pg_stat_activity shows who)."
    return Finding("connections", "warning", found, do)
