"""A PostgreSQL server that goes away, at any moment: each transaction is committed once."""

from __future__ import annotations

import logging
import threading
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Connection, select, text

from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.tables import runs, writers
from tests.ledger.factories import RUN, a_row, a_run
from tests.support.postgresql import name_of
from tests.support.postgresql_proxy import Cutting

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger
    from tests.support.postgresql import Cluster


@pytest.fixture
def url(postgresql: Cluster) -> str:
    """A ledger with a run."""
    made = postgresql.ledger()
    with closing(open_ledger(made)) as ledger:
        ledger.write(lambda conn: a_run(conn, RUN))
    return made


@pytest.fixture
def way(postgresql: Cluster, tmp_path: Path) -> Iterator[Cutting]:
    with Cutting(postgresql.folder, tmp_path) as cutting:
        yield cutting


def through(url: str, folder: Path) -> str:
    return f"{url.partition('?')[0]}?host={folder}"


def one_more(conn: Connection) -> int:
    """Read, then write, and leave a row that cannot be taken back."""
    requests = int(conn.execute(select(runs.c.requests)).scalar_one()) + 1
    conn.execute(runs.update().values(requests=requests))
    audit_log.append_row(conn, a_row(str(requests)))
    return requests


def found(ledger: Ledger) -> tuple[int, int]:
    with ledger.connect() as conn:
        assert audit_log.verify_chain(conn, RUN) == []
        return conn.execute(select(runs.c.requests)).scalar_one(), len(list(audit_log.query_rows(conn)))


@pytest.mark.parametrize("hears", [False, True])
def test_retrying_write_connection_broken_at_any_message_commits_once(
    url: str, way: Cutting, tmp_path: Path, *, hears: bool
) -> None:
    with closing(open_ledger(through(url, tmp_path))) as ledger:
        at = 0
        while way.cuts == at:  # until the transaction ends before the message comes
            at += 1
            way.cut(at, hears=hears)
            assert ledger.write(one_more) == at
        assert at > 8
        assert found(ledger) == (at, at)


def test_retrying_read_is_repeated(url: str, way: Cutting, tmp_path: Path) -> None:
    with closing(open_ledger(through(url, tmp_path))) as ledger:
        for at in range(1, 8):
            way.cut(at, hears=True)
            assert ledger.read(lambda conn: conn.execute(select(runs.c.run_id)).scalars().all()) == [RUN]


def test_retrying_write_survives_server_restart(
    url: str, postgresql: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    times = []

    def restarting(conn: Connection) -> int:
        requests = one_more(conn)
        times.append(requests)
        if len(times) == 1:
            postgresql.restart()
        return requests

    with closing(open_ledger(url)) as ledger, caplog.at_level(logging.WARNING):
        assert ledger.write(restarting) == 1
        assert times == [1, 1]
        assert found(ledger) == (1, 1)
    assert caplog.messages == ["The ledger's server is unavailable; waiting up to 30 s for it"]


def test_retrying_write_survives_terminated_connections(url: str, postgresql: Cluster) -> None:
    ended = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name_of(url)}'"
    with closing(open_ledger(url)) as ledger:
        for requests in range(1, 4):
            postgresql.sql(ended)
            assert ledger.write(one_more) == requests
        with ledger.begin() as conn:
            one_more(conn)
        assert found(ledger) == (4, 4)


def test_retrying_write_fails_when_server_stays_away(url: str, postgresql: Cluster) -> None:
    with closing(open_ledger(url, timeout_s=0.5)) as ledger:
        postgresql.stop()
        try:
            with pytest.raises(LedgerError, match=r"cannot be reached: .*Check that the server runs"):
                ledger.write(one_more)
            with pytest.raises(LedgerError, match="cannot be reached"):
                ledger.read(one_more)
            with pytest.raises(LedgerError, match="cannot be reached"), ledger.connect():
                pass
        finally:
            postgresql.start()
        assert ledger.write(one_more) == 1


def test_retrying_writes_with_conflict_both_commit(url: str) -> None:
    """PostgreSQL ends one of them, which comes again."""
    ready = threading.Barrier(2)
    times: list[str] = []

    def locking(first: str, second: str) -> None:
        def work(conn: Connection) -> None:
            times.append(first)
            conn.execute(text("SELECT pg_advisory_xact_lock(hashtext(:of))"), {"of": first})
            if times.count(first) == 1:
                ready.wait(10)
            conn.execute(text("SELECT pg_advisory_xact_lock(hashtext(:of))"), {"of": second})
            one_more(conn)

        with closing(open_ledger(url)) as own:
            own.write(work)

    with ExitStack() as stack:
        for names in (("a", "b"), ("b", "a")):
            thread = threading.Thread(target=locking, args=names)
            thread.start()
            stack.callback(thread.join)
    assert len(times) == 3
    with closing(open_ledger(url)) as ledger:
        assert found(ledger) == (2, 2)


def test_retrying_write_error_of_work_is_not_retried(url: str) -> None:
    times = []

    def refused(conn: Connection) -> None:
        times.append(one_more(conn))
        raise LedgerError("not now")

    with closing(open_ledger(url)) as ledger:
        with pytest.raises(LedgerError, match="not now"):
            ledger.write(refused)
        assert times == [1]
        assert found(ledger) == (0, 0)


def test_retrying_writer_leaves_no_row_after_close(url: str, postgresql: Cluster) -> None:
    assert postgresql.sql("SELECT count(*) FROM writers", database=name_of(url)) == [(0,)]
    with closing(open_ledger(url)) as ledger:
        ledger.write(one_more)
        assert ledger.read(lambda conn: conn.execute(select(writers.c.number)).scalars().all()) == [1]
