"""What is running and what waits, asked once and followed."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from rori_spiders.items import FrontierUrl
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.operations import source_status
from rori_spiders.ledger.queue import job_queue, leases
from rori_spiders.ledger.runs import frontier
from rori_spiders.ledger.tables import runs
from rori_spiders.monitor.control import activity
from rori_spiders.monitor.control.activity import ActivityStream
from rori_spiders.reasons import CAPTURED
from tests.ledger.factories import a_row
from tests.monitor.conftest import NOW

if TYPE_CHECKING:
    from fastapi.testclient import TestClient
    from sqlalchemy import Connection

    from rori_spiders.monitor.state.dependencies import AppState

JOB, OTHER_JOB = "33333333-3333-4333-8333-333333333333", "44444444-4444-4444-8444-444444444444"
RUN = "11111111-1111-4111-8111-111111111111"


def at_work(conn: Connection) -> None:
    """A job that has worked for ten minutes: of three pages two have ended, one a minute ago."""
    job_queue.enqueue_job(conn, job_id=JOB, sources=["a"], groups=["a.gov"], priority=0, operator="system", now=NOW)
    job_queue.start_job(conn, JOB, owner=f"n1:7:{JOB}", host="n1", now=NOW - timedelta(minutes=10), ttl_s=3600)
    started = {"source_id": "a", "manifest_version": "1", "method": "crawl", "operator": "system", "job_id": JOB}
    conn.execute(runs.insert().values(run_id=RUN, state="running", started_at=NOW - timedelta(minutes=10), **started))
    visits = [FrontierUrl(RUN, "a", f"https://a.gov/{n}") for n in range(3)]
    frontier.add_urls(conn, RUN, visits)
    for minutes, visit in ((9, visits[0]), (1, visits[1])):
        how = {"state": "captured", "reason": CAPTURED, "tier": "http", "verdict": "content", "attempts": 1}
        frontier.settle_url(conn, RUN, visit.url, **how, now=NOW - timedelta(minutes=minutes))  # type: ignore[arg-type]
        audit_log.append_row(
            conn, a_row(visit.url, run_id=RUN, manifest_id="a", timestamp=NOW - timedelta(minutes=minutes))
        )


def test_activity_lists_running_and_waiting_jobs_and_pause(served: AppState, viewer: TestClient) -> None:
    nothing = {"running": [], "waiting": [], "waiting_total": 0, "schedule_paused": None}
    assert viewer.get("/api/v1/activity").json() == nothing
    with served.ledger.begin() as conn:
        at_work(conn)
        job_queue.enqueue_job(
            conn, job_id=OTHER_JOB, sources=["b"], groups=["b.gov"], priority=0, operator="manual", now=NOW
        )
        source_status.pause_source(conn, source_status.ALL_SOURCES, by="person", reason="moving", now=NOW)
    found = viewer.get("/api/v1/activity").json()
    [job] = found["running"]
    assert (job["job_id"], job["node"], job["started_at"], job["is_heard_of"]) == (
        JOB,
        "n1",
        "2026-11-20T14:50:00Z",
        True,
    )
    [run] = job["runs"]
    assert (run["run_id"], run["percent"], run["per_minute"]) == (RUN, 66, 0.2)
    assert (run["counts"]["discovered"], run["counts"]["captured"], run["counts"]["pending"]) == (3, 2, 1)
    [waiting] = found["waiting"]
    assert (waiting["job_id"], waiting["sources"], waiting["state"], found["waiting_total"]) == (
        OTHER_JOB,
        ["b"],
        "waiting",
        1,
    )
    assert found["schedule_paused"] == {"by": "person", "reason": "moving", "at": "2026-11-20T15:00:00Z"}


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_activity_manual_job_is_listed_until_lease_ends(served: AppState, viewer: TestClient) -> None:
    with served.ledger.begin() as conn:
        values = {"source_id": "a", "manifest_version": "1", "method": "crawl", "operator": "manual", "job_id": "j"}
        conn.execute(runs.insert().values(run_id=RUN, state="running", started_at=NOW, **values))
    [job] = viewer.get("/api/v1/activity").json()["running"]
    assert (job["node"], job["is_heard_of"]) == (None, False)
    assert [(run["percent"], run["per_minute"]) for run in job["runs"]] == [(None, None)]
    with served.ledger.begin() as conn:
        leases.acquire_lease(conn, "a.gov", owner="desk:12:j", now=NOW)
    [job] = viewer.get("/api/v1/activity").json()["running"]
    assert (job["node"], job["is_heard_of"]) == ("desk", True)


class Reading:
    """A reading that counts how often it was asked for."""

    def __init__(self) -> None:
        self.times = 0
        self.said = "first"

    def __call__(self) -> str:
        self.times += 1
        return self.said


async def _next(events: object) -> str:
    return await asyncio.wait_for(anext(events), 20)  # type: ignore[call-overload]


def test_event_stream_followers_share_one_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity, "POLL_INTERVAL_S", 0.01)

    async def story() -> None:
        reading = Reading()
        shared = ActivityStream(reading)
        one, two = shared.events(), shared.events()
        assert [await _next(one), await _next(two)] == ["retry: 3000\n\n"] * 2
        assert [await _next(one), await _next(two)] == ["event: activity\ndata: first\n\n"] * 2
        before = reading.times
        late = shared.events()
        assert [await _next(late), await _next(late)] == ["retry: 3000\n\n", "event: activity\ndata: first\n\n"]
        reading.said = "second"
        told = [await _next(some) for some in (one, two, late)]
        assert told == ["event: activity\ndata: second\n\n"] * 3
        assert reading.times > before
        for some in (one, two, late):
            await some.aclose()
        assert shared.followers == 0
        await asyncio.sleep(0)
        assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []

    asyncio.run(story())


def test_event_stream_idle_connection_gets_keepalive_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity, "HEARTBEAT_S", 0.05)
    monkeypatch.setattr(activity, "MAX_STREAM_S", 0.12)

    async def story() -> list[str]:
        return [said async for said in ActivityStream(Reading()).events()]

    first, second, *others = asyncio.run(story())
    assert (first, second) == ("retry: 3000\n\n", "event: activity\ndata: first\n\n")
    assert others and set(others) == {": still here\n\n"}


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_event_stream_events_match_query(served: AppState, viewer: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity, "MAX_STREAM_S", 0.5)
    with served.ledger.begin() as conn:
        at_work(conn)
    answer = viewer.get("/api/v1/activity/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    [line] = [line for line in answer.text.splitlines() if line.startswith("data: ")]
    assert json.loads(line.removeprefix("data: ")) == viewer.get("/api/v1/activity").json()
