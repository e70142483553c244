"""A streaming replica of PostgreSQL: who looks reads there, but never what is older than its own writes."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import psycopg
import pytest
from sqlalchemy import select, text

from rori_spiders.exceptions import LedgerError, UsageError
from rori_spiders.ledger import database
from rori_spiders.ledger.database import Ledger, open_ledger
from rori_spiders.ledger.tables import runs
from rori_spiders.operations.doctor.fleet_checks import check_replica
from tests.ledger.factories import OTHER_RUN, RUN, a_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.postgresql import Cluster


@pytest.fixture(scope="module")
def _replicating(cluster: Cluster) -> Iterator[Cluster]:
    cluster.start_replica()
    yield cluster
    cluster.stop_replica()


@pytest.fixture
def replicated(_replicating: Cluster, postgresql: Cluster) -> Cluster:
    """The server with its replica; what the test makes there is dropped afterwards."""
    return postgresql


@pytest.fixture
def looking(replicated: Cluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ledger]:
    """A ledger that reads from the replica, which has all that was written before."""
    monkeypatch.setattr(database, "MAX_REPLAY_AGE_S", 3600)  # a busy machine stands still at times
    url = replicated.ledger()
    replicated.wait_for_replica()
    with open_ledger(url, replica_url=replicated.replica_url(url)) as ledger:
        _read(ledger)  # asks how far the primary is, which also writes its log by itself
        replicated.wait_for_replica()
        yield ledger


def _read(ledger: Ledger) -> tuple[bool, set[str]]:
    """Whether the replica was read, and the runs that are there."""
    with ledger.connect() as conn:
        is_replica = conn.execute(text("SELECT pg_is_in_recovery()")).scalar_one()
        return is_replica, set(conn.execute(select(runs.c.run_id)).scalars())


def _replay(cluster: Cluster, action: str) -> None:
    with psycopg.connect(cluster.replica_url(cluster.url("postgres"))) as conn:
        conn.execute(f"SELECT pg_wal_replay_{action}()".encode())


def test_replica_is_read_and_shows_what_others_wrote(replicated: Cluster, looking: Ledger) -> None:
    url = looking.place.url.render_as_string(hide_password=False)
    with open_ledger(url) as other, other.begin() as conn:
        a_run(conn, RUN)
    replicated.wait_for_replica()
    assert _read(looking) == (True, {RUN})
    mark = looking.mark()
    assert looking.mark() == mark
    with open_ledger(url) as other, other.begin() as conn:
        a_run(conn, OTHER_RUN, source_id="other")
    replicated.wait_for_replica()
    assert looking.mark() != mark


@pytest.mark.parametrize("way", ["begin", "write"])
def test_replica_that_lacks_own_write_is_not_read(replicated: Cluster, looking: Ledger, way: str) -> None:
    assert _read(looking) == (True, set())
    _replay(replicated, "pause")
    try:
        if way == "begin":
            with looking.begin() as conn:
                a_run(conn, RUN)
        else:
            looking.write(lambda conn: a_run(conn, RUN))
        assert _read(looking) == (False, {RUN})
    finally:
        _replay(replicated, "resume")
    replicated.wait_for_replica()
    assert _read(looking) == (True, {RUN})


def test_replica_that_replays_nothing_is_not_read(
    replicated: Cluster, looking: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "MAX_REPLAY_AGE_S", 0)
    assert _read(looking) == (False, set())


def test_replica_refuses_writes(looking: Ledger) -> None:
    with pytest.raises(LedgerError, match="read-only"), looking.connect() as conn:
        a_run(conn, RUN)


def test_replica_age_is_the_time_since_it_had_all(replicated: Cluster, looking: Ledger) -> None:
    _replay(replicated, "pause")
    try:
        looking.write(lambda conn: a_run(conn, RUN))
        behind = looking.replica_age()
        assert behind is not None and behind > 0
    finally:
        _replay(replicated, "resume")
    url = looking.place.url.render_as_string(hide_password=False)
    with open_ledger(url, replica_url=url) as itself:
        assert itself.replica_age() is None


def test_doctor_fleet_says_how_old_the_replica_is(replicated: Cluster, looking: Ledger) -> None:
    url = looking.place.url.render_as_string(hide_password=False)
    found = {
        replica: (one.result, one.found)
        for replica in (replicated.replica_url(url), f"{url}&port=1", url)
        for one in check_replica(url, replica)
    }
    (reached, age), (unreachable, why), (primary, what) = found.values()
    assert (reached, "the primary" in age) == ("ok", True), age
    assert (unreachable, why.startswith("cannot be read: ")) == ("warning", True), why
    assert (primary, what) == ("warning", "it is not a streaming replica, or has replayed nothing yet")
    assert list(check_replica(url, "")) == []


def test_unreachable_replica_is_reported_once_and_primary_is_read(
    replicated: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    url = replicated.ledger()
    with open_ledger(url, replica_url=f"{url}&port=1") as ledger:
        assert _read(ledger) == _read(ledger) == (False, set())
    assert [one.levelno for one in caplog.records] == [logging.WARNING]
    assert "cannot be read; the primary is read instead" in caplog.text


def test_replica_of_sqlite_is_refused(path: Path, replicated: Cluster) -> None:
    with pytest.raises(UsageError, match="SQLite has none"):
        open_ledger(str(path), replica_url=replicated.url("x"))
    with pytest.raises(UsageError, match="SQLite has none"):
        open_ledger(replicated.url("x"), replica_url=str(path))
