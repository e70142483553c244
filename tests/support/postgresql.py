"""A PostgreSQL server of the tests' own, and a database for each test: Debian's binaries, a socket, no port.

One server a test session (a worker of pytest-xdist is one), begun by the first test that asks for it. It lives in a
temporary folder and ends with the session, also when that is killed: a shell waits for the end of a pipe that only the
session holds. Its time zone is none that the tests expect, so that nobody relies on it.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TypedDict
from urllib.parse import quote

import psycopg

from rori_spiders.ledger.database import upgrade_ledger

_USER = "tests"
#: The folder and the port of the replica, whose socket lies beside that of its primary.
_REPLICA, _REPLICA_PORT = "replica", 5433
#: Roles named so must give their password; all others are let in.
LOCKED_OUT = "locked_out"
_HBA = f"local all {LOCKED_OUT} scram-sha-256\nlocal all,replication all trust\n"
# Who sets synchronous_commit to remote_apply waits for the replica; nobody else does.
# fsync is for power failures. A commit is with the kernel before it is told, so it outlives a killed server.
_CONF = """
listen_addresses = ''
fsync = off
full_page_writes = off
shared_buffers = 32MB
max_connections = 100
synchronous_standby_names = '*'
synchronous_commit = local
timezone = 'Asia/Kolkata'
log_timezone = 'UTC'
log_line_prefix = '%m [%p] '
"""
#: Starts the server, says so, and stops it at the end of the pipe. In a session of its own: Ctrl-C is for the tests.
_KEEPER = """
"$0/pg_ctl" -D "$1/cluster" -l "$1/log" -w -s start </dev/null >&2 || { cat "$1/log" >&2; exit 1; }
echo ready
read -r _
"$0/pg_ctl" -D "$1/cluster" -m immediate -s stop
rm -rf "$1"
"""
#: Gives the query for all that a ledger is but its rows. Whatever changes a definition changes the number of a row of
#: some catalogue, `xmin`, or how many there are. Of relations, what emptying and statistics change is left out.
_SHAPE = """
SELECT string_agg(format('SELECT %L, count(*)::text, sum(xmin::text::bigint)::text FROM %1$s', oid::regclass),
    ' UNION ALL ' ORDER BY oid) || $$
    UNION ALL SELECT relname, relchecks::text, (to_jsonb(pg_class) - '{relfilenode, relpages, reltuples, relallvisible,
        relallfrozen, relfrozenxid, relminmxid, reltoastrelid}'::text[])::text
    FROM pg_class WHERE oid >= 16384 AND relnamespace <> 'pg_toast'::regnamespace
    UNION ALL SELECT string_agg(version_num, ' '), datacl::text, (SELECT count(*) FROM pg_db_role_setting
        WHERE setdatabase = pg_database.oid)::text
    FROM alembic_version, pg_database WHERE datname = current_database() GROUP BY oid, datacl ORDER BY 1, 2, 3 $$
FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'r' AND NOT relisshared
AND relname NOT IN ('pg_class', 'pg_statistic', 'pg_statistic_ext_data', 'pg_largeobject')
"""
#: Empties a ledger, and lets its sequences begin anew. To a replica no trigger objects: the audit is append-only.
_EMPTY = """
SET session_replication_role = replica;
DO $$
DECLARE
    name text;
    has_rows boolean;
    filled text[] := '{}';
BEGIN
    FOR name IN SELECT oid::regclass FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
        EXECUTE 'SELECT EXISTS (SELECT FROM ' || name || ')' INTO has_rows;
        IF has_rows AND name <> 'alembic_version' THEN
            filled := filled || name;
        END IF;
    END LOOP;
    IF filled <> '{}' THEN
        EXECUTE 'TRUNCATE ' || array_to_string(filled, ', ') || ' CASCADE';
    END IF;
    PERFORM setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
        FROM pg_sequences WHERE last_value IS NOT NULL;
END $$
"""
_END_OTHERS = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


def _binaries() -> Path:
    """Debian's, of the newest version that is installed. PostgreSQL has no other place for them there."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))
    if not found:
        raise FileNotFoundError("Tests of the ledger on PostgreSQL need its server: sudo apt-get install postgresql")
    return found[-1]


class _Account(TypedDict, total=False):
    """What `subprocess` takes to start a program as another user."""

    user: str
    group: str
    extra_groups: list[str]


class Cluster:
    """A running server; ``database()`` makes a database in it and gives its URL."""

    def __init__(self) -> None:
        self._bin = _binaries()
        self.folder = Path(tempfile.mkdtemp(prefix="rori-pg-"))
        # PostgreSQL refuses to run as root; Debian's package brings the user.
        self._as: str | None = None
        if os.geteuid() == 0:
            self._as = "postgres"
            account = pwd.getpwnam(self._as)
            os.chown(self.folder, account.pw_uid, account.pw_gid)
        self._run("initdb", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "-U", _USER)
        (self.folder / "cluster" / "pg_hba.conf").write_text(_HBA)
        with (self.folder / "cluster" / "postgresql.conf").open("a") as conf:
            conf.write(f"{_CONF}unix_socket_directories = '{self.folder}'\n")
        self._keeper = subprocess.Popen(
            ["/bin/sh", "-c", _KEEPER, str(self._bin), str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            cwd="/",
            **self._account(),
        )
        assert self._keeper.stdout is not None
        assert self._keeper.stdout.readline() == b"ready\n", "PostgreSQL did not start; it says why above"
        self._numbers = count(1)
        self._template: str | None = None
        self._shape: list[tuple[object, ...]] = []  # of the template
        self._made: list[str] = []
        self._emptied: list[str] = []

    def _account(self) -> _Account:
        return _Account(user=self._as, group=self._as, extra_groups=[]) if self._as else _Account()

    def _run(self, program: str, *args: str, data: str = "cluster") -> None:
        """One of its programs on the cluster. What it prints is in the error when it fails."""
        done = subprocess.run(
            [self._bin / program, "-D", self.folder / data, *args],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL,  # a daemon keeps what it is given
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            cwd="/",
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
            **self._account(),
        )
        assert done.returncode == 0, f"{program}: {done.stdout}"

    def url(self, database: str, *, user: str = _USER, password: str | None = None) -> str:
        """The URL of a database of this server."""
        said = f"{user}:{quote(password)}" if password else user
        return f"postgresql://{said}@/{database}?host={self.folder}"

    def sql(self, *statements: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Run statements as the server's owner, each at once; the rows of the last one."""
        with psycopg.connect(self.url(database), autocommit=True) as conn:
            answers = [conn.execute(statement.encode()) for statement in statements]
            return answers[-1].fetchall() if answers and answers[-1].description else []

    def empty(self, *options: str) -> str:
        """The URL of a new database without tables."""
        name = f"test_{next(self._numbers)}"
        self.sql(f"CREATE DATABASE {name} {' '.join(options)}")
        self._made.append(name)
        return self.url(name)

    def ledger(self) -> str:
        """The URL of a new, empty ledger of this program's version: one that was emptied, or a copy of the first."""
        if self._template is None:
            url = self.empty()
            upgrade_ledger(url)
            self._template = name_of(url)
            self._made.remove(self._template)
            with psycopg.connect(url) as conn:
                self._shape = _shape(conn)
        if not self._emptied:
            return self.empty(f"TEMPLATE {self._template}")
        name = f"test_{next(self._numbers)}"  # who still knows it by its former name finds nothing
        self.sql(f"ALTER DATABASE {self._emptied.pop()} RENAME TO {name}")
        self._made.append(name)
        return self.url(name)

    def drop_made(self) -> None:
        """Drop the databases that were made so far, but for the first ledger, of which the others are copies.

        A ledger is emptied instead, for a tenth of what a new one costs, unless more than its rows has changed.
        """
        emptied = [name for name in self._made if self._is_emptied(name)]
        self._emptied += emptied
        if dropped := [name for name in self._made if name not in emptied]:
            self.sql(*(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)" for name in dropped))
        self._made.clear()

    def _is_emptied(self, name: str) -> bool:
        """Whether the database is a new ledger again; who is connected is not any more."""
        if self._template is None:
            return False
        with suppress(psycopg.Error), psycopg.connect(self.url(name), autocommit=True) as conn:
            ended = conn.execute(_END_OTHERS).fetchall()
            if all(is_ended for (is_ended,) in ended) and _shape(conn) == self._shape:
                conn.execute(_EMPTY)
                return True
        return False

    def start_replica(self) -> None:
        """Start a streaming replica of this server, until ``stop_replica``."""
        self._run(
            "pg_basebackup", "-R", "-X", "stream", "-c", "fast", "-h", str(self.folder), "-U", _USER, data=_REPLICA
        )
        self._run(
            "pg_ctl", "start", "-w", "-o", f"-p {_REPLICA_PORT}", "-l", str(self.folder / "replica.log"), data=_REPLICA
        )

    def replica_url(self, url: str) -> str:
        """The URL on the replica of a database of this server."""
        return f"{url}&port={_REPLICA_PORT}"

    def wait_for_replica(self) -> None:
        """Until it has all that was written so far."""
        # A transaction that has written nothing before its commit waits for nobody.
        self.sql("SET synchronous_commit = remote_apply", "SELECT pg_logical_emit_message(true, 'tests', 'wait')")

    def stop_replica(self) -> None:
        self._run("pg_ctl", "stop", "-m", "immediate", "-w", data=_REPLICA)
        shutil.rmtree(self.folder / _REPLICA)

    def restart(self) -> None:
        """As after a crash: no connection is told goodbye, and what was not committed is gone."""
        self._run("pg_ctl", "restart", "-m", "immediate", "-w", "-l", str(self.folder / "log"))

    def stop(self) -> None:
        self._run("pg_ctl", "stop", "-m", "immediate", "-w")

    def start(self) -> None:
        """After ``stop``."""
        self._run("pg_ctl", "start", "-w", "-l", str(self.folder / "log"))

    def close(self) -> None:
        """End the server, and remove what it had."""
        self._keeper.communicate(b"")


def _shape(conn: psycopg.Connection) -> list[tuple[object, ...]]:
    [(query,)] = conn.execute(_SHAPE).fetchall()
    return conn.execute(query.encode()).fetchall()


def name_of(url: str) -> str:
    """The database's name in a URL that ``Cluster`` gave."""
    return url.partition("?")[0].rpartition("/")[2]
