"""The replica's row of the Fleet card, over a real streaming replica: it follows, it stands still, it is gone."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import psycopg
import pytest

from rori_spiders import settings
from rori_spiders.configuration.locations import Locations
from rori_spiders.monitor.state.dependencies import AppState
from tests.ledger.factories import RUN, a_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fastapi.testclient import TestClient

    from tests.support.postgresql import Cluster


@pytest.fixture(scope="module")
def _replicating(cluster: Cluster) -> Iterator[Cluster]:
    cluster.start_replica()
    yield cluster
    cluster.stop_replica()


@pytest.fixture
def served(
    _replicating: Cluster, postgresql: Cluster, tmp_path: Path, clock: Callable[[], object]
) -> Iterator[AppState]:
    """A monitor that reads from the replica."""
    url = postgresql.ledger()
    postgresql.wait_for_replica()
    values = {name: value for name, value in vars(settings).items() if name.isupper()}
    places = Locations((), str(tmp_path / "staged"), url, replica_url=postgresql.replica_url(url))
    with closing(AppState(places, values, tmp_path, now=clock, patience_s=1.0)) as opened:  # type: ignore[arg-type]
        yield opened


def _replica(client: TestClient) -> tuple[str, str]:
    answer = client.get("/api/v1/fleet")
    assert answer.status_code == 200, answer.text
    [row] = [one for one in answer.json()["checks"] if one["check"] == "replica"]
    return row["result"], row["found"]


def _replay(served: AppState, action: str) -> None:
    with psycopg.connect(served.places.replica_url) as conn:
        conn.execute(f"SELECT pg_wal_replay_{action}()".encode())


def test_fleet_shows_how_far_the_replica_is(
    served: AppState, viewer: TestClient, postgresql: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rori_spiders.operations.doctor.fleet_checks.MAX_REPLAY_AGE_S", 3600)
    postgresql.wait_for_replica()
    result, found = _replica(viewer)
    assert (result, "the primary" in found) == ("ok", True), found
    _replay(served, "pause")
    try:
        served.ledger.write(lambda conn: a_run(conn, RUN))
        monkeypatch.setattr("rori_spiders.operations.doctor.fleet_checks.MAX_REPLAY_AGE_S", 0)
        result, found = _replica(viewer)
        assert (result, found.endswith(" s behind the primary, which is read instead")) == ("warning", True), found
    finally:
        _replay(served, "resume")


def test_fleet_says_that_the_replica_is_gone(served: AppState, viewer: TestClient, postgresql: Cluster) -> None:
    postgresql.wait_for_replica()
    postgresql.stop_replica()
    try:
        result, found = _replica(viewer)
        assert (result, found.startswith("cannot be read: ")) == ("warning", True), found
    finally:
        postgresql.start_replica()
    assert _replica(viewer)[0] == "ok"
