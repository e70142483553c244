"""Pressing Run where there is no node: the monitor starts the job's process, which really collects."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from rori_spiders import settings
from rori_spiders.configuration.locations import Locations
from rori_spiders.ledger.queue import job_queue
from rori_spiders.monitor.control.job_runner import MAX_CONCURRENT_JOBS, JobRunner
from rori_spiders.monitor.state.dependencies import AppState
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


@pytest.fixture
def served(project: Project) -> Iterator[AppState]:
    values = {name: value for name, value in vars(settings).items() if name.isupper()}
    places = Locations((), str(project.staging), f"sqlite:///{project.ledger}")
    with closing(AppState(places, values, project.folder)) as opened:
        yield opened


def queue(served: AppState, source_id: str, group: str, operator: str = "manual") -> str:
    job_id = str(uuid4())
    with served.ledger.begin() as conn:
        terms = {"priority": 9.0, "operator": operator, "now": served.now()}
        job_queue.enqueue_job(conn, job_id=job_id, sources=[source_id], groups=[group], **terms)  # type: ignore[arg-type]
    return job_id


def state(served: AppState, job_id: str) -> tuple[str, str | None, str | None]:
    with served.ledger.connect() as conn:
        found = job_queue.find_job(conn, job_id)
    assert found is not None
    return found.state, found.outcome, found.reason


def ended(runner: JobRunner) -> None:
    """Wait for the processes under way, and have their ends noted."""
    for one in list(runner._started.values()):
        one.process.wait(120)
    runner.round()


def test_job_runner_collects_waiting_job(served: AppState, project: Project, site: Site) -> None:
    for name in "ab":
        site.page(f"/{name}", f"<title>{name}</title><main><p>" + "A lender must say what a loan costs. " * 30)
    project.manifest([source(name, site.at(f"/{name}")) for name in "ab"], delay_s=0.02)
    given = {name: value for name, value in project.env.items() if name.startswith("RORI_")}
    made = [queue(served, name, site.host) for name in "ab"]
    queue(served, "d", "example.net", operator="system")
    runner = JobRunner(served, given)
    runner.round()
    assert list(runner._started) == made[:1], "one at a time asks the same servers; a schedule's is for nodes"
    ended(runner)
    ended(runner)
    assert [state(served, job_id) for job_id in made] == [("ended", "complete", None)] * 2
    assert {path.stem for path in (project.folder / "collect" / "jobs").iterdir()} == set(made)
    assert list(project.staging.rglob("*.json")), "something was staged"


@pytest.mark.usefixtures("forking_python")
def test_job_runner_process_that_never_starts_is_reported(served: AppState, project: Project) -> None:
    job_id = queue(served, "a", "example.org")
    runner = JobRunner(served, {"RORI_PARALLEL_RUNS": "none"})
    runner.round()
    ended(runner)
    word, outcome, reason = state(served, job_id)
    assert (word, outcome) == ("ended", "refused")
    log = project.folder / "collect" / "jobs" / f"{job_id}.log"
    assert reason == f"the process ended with exit code 2 before the job started; see {log}"
    assert "RORI_PARALLEL_RUNS is 'none'" in log.read_text(encoding="utf-8")
    runner.round()
    assert not runner._started, "it is not tried again and again"


@pytest.mark.usefixtures("forking_python")
def test_job_runner_two_jobs_run_at_once(served: AppState) -> None:
    for number in range(MAX_CONCURRENT_JOBS + 1):
        queue(served, "a", f"example{number}.org")
    runner = JobRunner(served, {"RORI_PARALLEL_RUNS": "none"})
    runner.round()
    assert len(runner._started) == MAX_CONCURRENT_JOBS
    ended(runner)
    assert len(runner._started) == 1
    ended(runner)
