"""From what is due to what is collected: real dispatchers, a job of the queue, and pauses under way."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pytest

from tests.support.jobs import job
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def made(project: Project, site: Site, *ids: str) -> None:
    for one in ids:
        site.page(f"/{one}", page(f"Page {one}"))
    project.manifest([source(one, site.at(f"/{one}")) for one in ids], delay_s=0.1)


def test_dispatch_due_sources_are_collected(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    made(project, site, "a", "b")
    with job(project, "dispatch", "--once", "--format", "json") as one, job(project, "dispatch", "--once") as other:
        said = [one.communicate(timeout=60)[0], other.communicate(timeout=60)[0]]
    assert (one.returncode, other.returncode) == (0, 0), said
    [queued] = crawl_output.rows("SELECT * FROM jobs")
    assert (json.loads(queued["sources"]), queued["operator"], queued["state"]) == (["a", "b"], "system", "waiting")

    explained = project.scrapy("due", "--explain", "a").stdout
    assert f"It is queued in job {queued['job_id']}, which has waited for a node since " in explained

    with job(project, "dispatch", "-s", "RORI_DISPATCH_INTERVAL=1", "--loglevel", "DEBUG") as loop:
        assert loop.stdout is not None
        assert any("Queueing due sources every 1 s" in line for line in loop.stdout)
        project.manifest([source("a", site.at("/a")), source("b", site.at("/b"))], delay_s=0.2)
        line = next(line for line in loop.stdout if "The manifest changed" in line)
        assert "it now has 2 sources" in line
        loop.send_signal(signal.SIGTERM)
        said = [loop.communicate(timeout=10)[0]]
    assert loop.returncode == 0, said

    as_a_node = ("crawl", "sources", "-a", "sources=a,b", "-s", f"RORI_JOB_ID={queued['job_id']}")
    done = project.scrapy(*as_a_node, "-s", "RORI_OPERATOR=system")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {row["job_id"] for row in crawl_output.rows("SELECT * FROM runs")} == {queued["job_id"]}
    again = project.scrapy("dispatch", "--once")
    assert again.stdout == "Queued 0 jobs with 0 sources.\n", again.stdout + again.stderr

    # A job whose sources another one has collected meanwhile begins none of them.
    late = project.scrapy("crawl", "sources", "-a", "sources=a,b", env={"RORI_OPERATOR": "system"})
    assert late.returncode == 0
    assert "held     a: collected in the meantime; no longer due" in late.stdout
    assert len(site.log.hits("/a")) == 1


def test_dispatch_pause_all_stops_running_jobs_and_starts_none(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    made(project, site, "a", "b")
    held = site.slow("/a", times=1)
    with job(project, "collect", env={"RORI_PARALLEL_RUNS": "1"}) as running:
        site.log.wait_for("/a", timeout=60)
        assert project.scrapy("pause", "--all", "--reason", "the network is being moved").returncode == 0
        held.release()
        said, _ = running.communicate(timeout=60)
    assert running.returncode == 0, said
    assert crawl_output.last_run("a")["state"] == "complete"
    assert "held     b: all sources are paused since" in said
    assert not site.log.hits("/b")
    once = project.scrapy("dispatch", "--once")
    assert once.stdout == "Queued 0 jobs with 0 sources. All sources are paused. Resume with: scrapy resume --all\n"


def test_dispatch_run_now_starts_first(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    made(project, site, "a", "b")
    done = project.scrapy("dispatch", "--prioritize", "b", "--format", "json")
    assert done.returncode == 0, done.stderr
    [row] = json.loads(done.stdout)
    [queued] = crawl_output.rows("SELECT * FROM jobs")
    assert (row["id"], row["what"], row["job"]) == ("b", "queued", queued["job_id"])
    assert (queued["operator"], queued["priority"]) == ("manual", 100.0)
    assert project.scrapy("dispatch", "--prioritize", "b").returncode == 1
    wrong = project.scrapy("dispatch", "--prioritize", "c")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "no source 'c'" in wrong.stderr


def test_dispatch_broken_ledger_exits_with_3(project: Project, site: Site) -> None:
    made(project, site, "a")
    project.ledger.parent.mkdir()
    project.ledger.write_bytes(b"no database at all" * 100)
    broken = project.scrapy("dispatch", "--once")
    assert (broken.returncode, broken.stdout) == (3, ""), broken.stderr
    assert project.scrapy("dispatch", timeout=60).returncode == 3
    nowhere = {"RORI_MANIFEST": str(project.folder / "nowhere.json"), "RORI_DATABASE_URL": "sqlite:///other.db"}
    assert project.scrapy("dispatch", "--once", env=nowhere).returncode == 2
