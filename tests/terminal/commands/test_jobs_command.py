"""`scrapy jobs`: the queue as an operator reads it, and a job cancelled from the terminal."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.queue import job_queue
from tests.ledger.factories import at
from tests.ledger.job_factories import OWNER, claimed, ident, queued
from tests.support.databases import open_empty_ledger
from tests.support.output_schema import find_problems

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.terminal.commands.conftest import Result

    Typed = Callable[..., Result]


@pytest.fixture
def queue(project: Project) -> Project:
    """One job runs, one waits with four sources, one has ended."""
    with closing(open_empty_ledger(project.ledger)) as ledger, ledger.begin() as conn:
        queued(conn, 1, groups=["a.gov"], sources=["a"])
        queued(conn, 2, groups=["b.gov"], sources=["b", "c", "d", "e"], minutes=1)
        queued(conn, 3, groups=["c.gov"], sources=["=x"], priority=5)
        for number in (3, 1):
            claimed(conn)
            job_queue.start_job(conn, ident(number), owner=OWNER, host="n", now=at(2), ttl_s=60)
        job_queue.end_job(conn, ident(3), owner=OWNER, outcome="complete", reason=None, cancelled=False, now=at(3))
    return project


def test_jobs_list_running_queued_and_ended(queue: Project, typed: Typed) -> None:
    said = typed("jobs").out
    running, waiting, ended = (line for line in said.splitlines() if "00000000-" in line)
    assert "running" in running and "n1:6800" in running and "2026-02-13 14:32" in running
    assert "waiting" in waiting and "b, c, d and 1 more" in waiting
    assert "ended" in ended and "complete" in ended
    assert "1 job running, 1 queued" in said
    [first, second, third] = json.loads(typed("jobs", "--format", "json").out)
    assert (first["state"], first["sources"], first["owner"]) == ("running", ["a"], OWNER)
    assert (second["sources"], second["groups"]) == (["b", "c", "d", "e"], ["b.gov"])
    assert third["outcome"] == "complete"
    assert len(json.loads(typed("jobs", "--limit", "1", "--format", "json").out)) == 3
    assert "'=x" in typed("jobs", "--format", "csv").out


def test_jobs_show_one_job(queue: Project, typed: Typed) -> None:
    said = typed("jobs", "show", ident(2)).out
    assert "b, c, d, e" in said and "waiting" in said
    shown = json.loads(typed("jobs", "show", ident(1), "--format", "json").out)
    assert (shown["node"], find_problems("jobs-show", shown)) == ("n1:6800", [])


def test_jobs_cancel_queued_and_running(queue: Project, typed: Typed) -> None:
    waiting = typed("jobs", "cancel", ident(2))
    assert (waiting.code, waiting.out.startswith("Cancelled ")) == (0, True)
    running = typed("jobs", "cancel", ident(1))
    assert (running.code, "on n1:6800 will stop" in running.out) == (0, True)
    over = typed("jobs", "cancel", ident(3))
    assert (over.code, "has already ended" in over.out) == (1, True)
    with closing(open_ledger(str(queue.ledger))) as ledger, ledger.connect() as conn:
        assert {(one["action"], one["target"]) for one in activity_log.recent_actions(conn)} == {
            ("cancel_job", ident(1)),
            ("cancel_job", ident(2)),
        }
        assert [job.state for job in job_queue.list_jobs(conn)] == ["running", "cancelled", "ended"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("cancel",), "required: ID"),
        (("cancel", "nosuch"), "unknown job 'nosuch'"),
        (("show", "nosuch"), "unknown job 'nosuch'"),
        (("show", "nosuch", "more"), "unexpected argument: more"),
        (("show", "nosuch", "--limit", "1"), "unknown option: --limit"),
        (("nosuch",), "invalid choice: 'nosuch'"),
        (("--all",), "unknown option: --all"),
        (("list", "--all"), "unknown option: --all"),
        (("--limit", "0"), "--limit"),
    ],
)
def test_jobs_invalid_arguments_are_refused(queue: Project, typed: Typed, words: tuple[str, ...], why: str) -> None:
    done = typed("jobs", *words)
    assert (done.code, done.out) == (2, "")
    assert why in done.err
    assert ("Usage: scrapy jobs" in done.err) is not why.startswith("unknown job")


def test_jobs_without_ledger_are_none(project: Project, typed: Typed) -> None:
    assert typed("jobs").out.strip().endswith("No jobs queued or running.")
    assert typed("jobs", "cancel", "x").code == 2
    assert not project.ledger.exists()
