"""The status of a source, from what its last run and its state say."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from rori_spiders.items import FrontierUrl
from rori_spiders.ledger.operations import source_status as stored_status
from rori_spiders.ledger.queue import job_queue, leases
from rori_spiders.ledger.runs import frontier, run_records
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.loading import parse_manifest
from rori_spiders.reasons import CAPTURED, Reason
from rori_spiders.schedule.status import (
    STATUSES,
    SourceStatus,
    StatusCache,
    politeness_status,
    source_facts,
    source_status,
    source_statuses,
)
from tests.support.databases import open_empty_ledger
from tests.support.project import source
from tests.support.runs import JOB_ID, opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection

NOW = datetime(2026, 2, 13, 12, 0, tzinfo=UTC)


def catalog(status: str = "active") -> Catalog:
    one = {**source("a", "https://www.example.org/", method="crawl"), "name": "A", "status": status}
    text = json.dumps({"version": "1", "sources": [one]})
    return Catalog([parse_manifest(text, name="mine", origin="a test")])


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    ledger = open_empty_ledger(tmp_path / "ledger.db")
    with ledger.begin() as found:
        yield found
    ledger.close()


def run(connection: Connection, state: str, *, at: datetime = NOW, pages: int = 1) -> None:
    begun = opened(connection, "a", at)
    frontier.add_urls(
        connection, begun.run_id, [FrontierUrl(begun.run_id, "a", f"https://www.example.org/{n}") for n in range(pages)]
    )
    if state == "partial":
        run_records.close_run(
            connection, begun.run_id, state=state, reason=Reason("stopped", error="by Ctrl-C"), now=at
        )
    elif state != "running":
        for visit in list(frontier.stream_pending_urls(connection, begun.run_id)):
            frontier.settle_url(
                connection,
                begun.run_id,
                visit.url,
                state="unchanged",
                reason=CAPTURED,
                tier="http",
                verdict="content",
                attempts=1,
                now=at,
            )
        run_records.close_run(connection, begun.run_id, state=state, reason=None, now=at + timedelta(minutes=1))


@pytest.mark.parametrize(
    ("state", "status"),
    [
        ("complete", "OK"),
        ("failed", "failed"),
        ("incomplete", "failed"),
        ("suspect", "suspect"),
        ("cancelled", "pending"),
        ("partial", "partial"),
        ("running", "running"),
    ],
)
def test_source_status_follows_last_run(connection: Connection, state: str, status: str) -> None:
    run(connection, "complete", at=NOW - timedelta(days=7))
    run(connection, state)
    [one] = source_statuses(catalog(), connection, NOW)
    assert one.status == status
    assert status in STATUSES


def _job_asks_its_servers(connection: Connection, sources_of_it: list[str], group: str = "example.org") -> None:
    job_queue.enqueue_job(
        connection, job_id=JOB_ID, sources=sources_of_it, groups=[group], priority=0, operator="system", now=NOW
    )
    assert leases.acquire_lease(connection, group, owner=f"n1:7:{JOB_ID}", now=NOW)


def test_source_status_due_with_busy_servers_is_locked(connection: Connection) -> None:
    _job_asks_its_servers(connection, ["b"])
    [one] = source_statuses(catalog(), connection, NOW)
    assert one.status == "locked"
    assert one.locked == f"example.org is held by n1:7:{JOB_ID} until 2026-02-13 12:01:00 UTC"
    assert source_facts(catalog(), one, politeness_status(catalog(), one.source, connection))["locked"] == one.locked
    [later] = source_statuses(catalog(), connection, NOW + timedelta(minutes=2))
    assert (later.status, later.locked) == ("pending", None), "the lease is over"


def test_source_status_waiting_in_running_job_is_not_locked(connection: Connection) -> None:
    _job_asks_its_servers(connection, ["b", "a"])
    [one] = source_statuses(catalog(), connection, NOW)
    assert one.status == "pending"


def test_source_status_not_due_is_not_locked(connection: Connection) -> None:
    run(connection, "complete")
    stored_status.record_outcome(
        connection, "a", run_id="r", state="complete", operator="system", changed=False, now=NOW
    )
    _job_asks_its_servers(connection, ["b"])
    [one] = source_statuses(catalog(), connection, NOW)
    assert one.status == "OK"


def test_source_status_locked_job_ends_with_next_run(connection: Connection) -> None:
    job_queue.enqueue_job(connection, job_id=JOB_ID, sources=["a"], groups=[], priority=0, operator="system", now=NOW)
    job_queue.start_job(connection, JOB_ID, owner="n1:7:x", host="n1", now=NOW, ttl_s=60)
    job_queue.end_job(connection, JOB_ID, owner="n1:7:x", outcome="locked", reason="a: held", cancelled=False, now=NOW)
    [one] = source_statuses(catalog(), connection, NOW)
    assert (one.status, one.locked) == ("locked", "the last job found it locked at 2026-02-13 12:00:00 UTC: a: held")
    run(connection, "failed", at=NOW + timedelta(minutes=5))
    [one] = source_statuses(catalog(), connection, NOW + timedelta(minutes=9))
    assert one.status == "failed"


def test_source_status_without_run_is_pending() -> None:
    [one] = source_statuses(catalog(), None, NOW)
    assert (one.status, one.outcome, one.pages, one.next_due) == ("pending", "none yet", 0, None)


@pytest.mark.parametrize("status", ["paused", "proposed", "retired"])
def test_source_status_manifest_wins(connection: Connection, status: str) -> None:
    run(connection, "failed")
    stored_status.pause_source(connection, "a", by="breaker", reason="x", now=NOW)
    [one] = source_statuses(catalog(status), connection, NOW)
    assert one.status == status
    assert one.hindrance is not None


def test_source_status_paused_in_ledger(connection: Connection) -> None:
    run(connection, "complete")
    stored_status.pause_source(connection, "a", by="person", reason="x", now=NOW)
    [one] = source_statuses(catalog(), connection, NOW)
    assert one.status == "paused"


def test_source_status_stopped_run_counts_remaining(connection: Connection) -> None:
    run(connection, "partial", pages=3)
    [one] = source_statuses(catalog(), connection, NOW)
    assert one.outcome == "partial: 3 pages, 3 pending, 0 % done (Stopped: by Ctrl-C)"


def test_source_status_never_collected_has_facts() -> None:
    one = catalog()
    source = one.source("a")
    told = source_facts(one, source_status(one, source, None, NOW), politeness_status(one, source, None))
    assert told["status"] == "pending"
    assert told["manifest"] == "mine 1 (a test)"
    assert told["group"] == "example.org"
    assert told["held_by"] is None


def test_source_status_cached_equals_computed(connection: Connection) -> None:
    """Also where only the time, a lease, a page or a pause has changed; what has not is the same object."""
    memory, whole = StatusCache(), catalog()

    def equal_status(now: datetime = NOW) -> SourceStatus:
        [one], [fresh] = source_statuses(whole, connection, now, memory), source_statuses(whole, connection, now)
        assert one == fresh
        return one

    equal_status()
    run(connection, "complete", at=NOW - timedelta(days=7))
    complete = equal_status()
    assert equal_status() is complete
    _job_asks_its_servers(connection, ["b"])
    assert equal_status().status == "locked"
    assert equal_status(NOW + timedelta(minutes=2)).status == "OK"
    run(connection, "running", pages=3)
    assert equal_status().status == "running"
    stored_status.pause_source(connection, "a", by="person", reason="a move", now=NOW)
    assert equal_status().status == "paused"
    [other] = source_statuses(catalog("retired"), connection, NOW, memory)
    assert other.status == "retired", "another manifest is in force"
    assert equal_status().status == "paused"
