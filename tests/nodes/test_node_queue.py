"""One node's hand in the queue, and what Scrapyd's poller is told: it goes on whatever the ledger does."""

from __future__ import annotations

import socket
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from rori_spiders.configuration.locations import Locations
from rori_spiders.exceptions import LedgerError, UsageError
from rori_spiders.ledger.queue import job_queue
from rori_spiders.nodes import spiderqueue
from rori_spiders.nodes.node_queue import NodeQueue
from rori_spiders.nodes.spiderqueue import SCRAPYD, LedgerSpiderQueue, NoJob
from tests.ledger.factories import at
from tests.ledger.job_factories import TERMS, ident, queued
from tests.support.project import Project, source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger


class Config(dict[str, Any]):
    """Scrapyd's, as far as a queue asks it."""


@pytest.fixture
def backlog(ledger: Ledger, database_url: str, project: Project) -> Iterator[NodeQueue]:
    manifest = project.manifest([source("a", "http://127.0.9.1/a"), source("b", "http://127.0.9.2/b")])
    places = Locations((manifest,), str(project.staging), database_url, ("127.0.9.0/24",))
    one = NodeQueue(places, "n1:6800", TERMS)
    yield one
    one.close()


@pytest.fixture
def queue(backlog: NodeQueue, monkeypatch: pytest.MonkeyPatch) -> LedgerSpiderQueue:
    monkeypatch.setattr(spiderqueue, "node_queue_for", lambda node: backlog)
    return LedgerSpiderQueue(Config(), "default")


def test_node_queue_two_nodes_share_jobs(backlog: NodeQueue, queue: LedgerSpiderQueue) -> None:
    job_id = str(uuid4())
    queue.add("sources", priority=1.5, settings={"LOG_LEVEL": "DEBUG"}, _job=job_id, sources="a, b", _version="r1")
    other = NodeQueue(backlog.places, "n2:6800", TERMS)
    assert (queue.count(), other.claimable()) == (1, 1)
    assert [one["_job"] for one in queue.list()] == [job_id]
    job, lost = other.claim()
    assert job is not None and (job.groups, job.operator, lost) == (("127.0.9.1", "127.0.9.2"), "manual", [])
    assert (queue.count(), queue.list()) == (0, [])
    assert queue.pop().copy() is None
    other.close()


def test_node_queue_pop_returns_scrapyd_message(queue: LedgerSpiderQueue) -> None:
    job_id = uuid4()
    queue.add("a", settings={"LOG_LEVEL": "DEBUG"}, _job=job_id.hex, _version="r1", colour="red")
    assert queue.pop() == {
        "name": "a",
        "_job": job_id.hex,
        "_version": "r1",
        "colour": "red",
        "settings": {"LOG_LEVEL": "DEBUG", "RORI_JOB_ID": str(job_id), "RORI_OPERATOR": "manual"},
    }


def test_node_queue_offline_job_pauses_node(backlog: NodeQueue, queue: LedgerSpiderQueue) -> None:
    for name in ("a", "b"):
        queue.add(name, _job=str(uuid4()))
    job, _ = backlog.claim()
    assert job is not None
    now = datetime.now(UTC)
    with backlog._ledger().begin() as conn:
        job_queue.start_job(conn, job.job_id, owner="n1:1:x", host="n1", now=now, ttl_s=60)
        said = {"outcome": "offline", "reason": "no route", "cancelled": False}
        job_queue.end_job(conn, job.job_id, owner="n1:1:x", now=now, **said)  # type: ignore[arg-type]
    assert backlog.claimable() == 1
    assert backlog.process_ended(job.job_id) is None
    assert (backlog.claimable(), backlog.claim()) == (0, (None, []))


def test_node_queue_remove_and_clear(queue: LedgerSpiderQueue) -> None:
    for name in ("a", "b"):
        queue.add(name, _job=str(uuid4()))
    assert queue.remove(lambda message: message["name"] == "a") == 1
    assert [message["name"] for message in queue.list()] == ["b"]
    assert queue.clear() == 1
    assert queue.list() == []


def test_node_queue_remove_of_running_job_says_who_cancelled_it(backlog: NodeQueue, queue: LedgerSpiderQueue) -> None:
    job_id, now = str(uuid4()), datetime.now(UTC)
    queue.add("a", _job=job_id)
    backlog.claim()
    with backlog._ledger().begin() as conn:
        job_queue.start_job(conn, job_id, owner="n1:1:x", host="n1", now=now, ttl_s=60)
    assert queue.clear() == 0
    assert queue.remove(lambda message: message["name"] == "a") == 0
    with backlog._ledger().begin() as conn:
        running = job_queue.find_job(conn, job_id)
        assert running is not None and (running.state, running.cancelled_by) == ("running", SCRAPYD)
        assert job_queue.requeue_stopped_job(conn, job_id, now=now) is None


@pytest.mark.parametrize(("name", "sources"), [("sources", ""), ("sources", "a,nosuch"), ("nosuch", "")])
def test_node_queue_source_outside_active_manifest_is_refused(
    queue: LedgerSpiderQueue, name: str, sources: str
) -> None:
    with pytest.raises(UsageError):
        queue.add(name, _job=str(uuid4()), sources=sources)
    assert queue.list() == []


def test_node_queue_empty_claim_is_repeated_next_turn(queue: LedgerSpiderQueue) -> None:
    assert isinstance(queue.pop(), NoJob)
    queue.add("a", _job=str(uuid4()))
    assert [queue.count(), queue.count()] == [0, 1]


def test_node_queue_missing_ledger_stops_no_poller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = NodeQueue(Locations((), "", f"sqlite:///{tmp_path}/a-file/ledger.db"), "n1:6800", TERMS)
    (tmp_path / "a-file").write_text("no folder")
    monkeypatch.setattr(spiderqueue, "node_queue_for", lambda node: gone)
    queue = LedgerSpiderQueue(Config(), "default")
    assert (queue.count(), queue.pop().copy(), queue.count(), queue.count()) == (0, None, 0, 0)
    with pytest.raises(LedgerError):
        queue.list()
    (tmp_path / "a-file").unlink()
    assert queue.count() == 0
    assert (tmp_path / "a-file" / "ledger.db").exists()
    gone.close()


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_node_queue_sqlite_file_serves_one_machine(ledger: Ledger, backlog: NodeQueue, dialect: str) -> None:
    with ledger.begin() as conn:
        for number in (1, 2, 3):
            queued(conn, number, groups=[f"g{number}"])
        for number, host in ((1, socket.gethostname()), (2, "elsewhere")):
            owner = f"{host}:77:{ident(number)}"
            job_queue.start_job(conn, ident(number), owner=owner, host=host, now=at(days=3650), ttl_s=60)
    with pytest.raises(LedgerError, match=r"elsewhere:77:.* Use PostgreSQL"):
        backlog.claim()
