"""A node by hand: what people know of Scrapyd works over the ledger's queue."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.error import HTTPError
from uuid import UUID, uuid4

import pytest

from tests.nodes.node import Node
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import Project, source

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.server import Site

pytestmark = [pytest.mark.crawl, pytest.mark.timeout(400)]  # jobs, each a process


def test_queued_job_runs_to_its_end(site: Site, project: Project, tmp_path: Path) -> None:
    crawl_output = CrawlOutput(project)
    for name in "abc":
        site.page(f"/{name}", page(f"Page {name}"))
    held = site.slow("/a", page("Page a"), times=1, seconds=300)
    project.manifest([source(name, site.at(f"/{name}")) for name in "abc"], delay_s=0.05)
    env = {**project.env, "RORI_DATABASE_URL": str(project.ledger), "RORI_STAGING": str(project.staging)}
    assert project.scrapy("ledger", "upgrade").returncode == 0
    with Node(tmp_path / "node", env, starter=project.starter(env)) as node:
        first = node.post("schedule.json", project="default", spider="sources", sources="a,b", jobid=str(uuid4()))
        assert first["status"] == "ok"
        site.log.wait_for("/a")
        second = node.post("schedule.json", project="default", spider="c", priority="3")
        [pending] = node.get("listjobs.json")["pending"]  # its group is held
        assert (pending["id"], pending["spider"]) == (second["jobid"], "c")
        assert node.get("status.json", job=first["jobid"])["currstate"] == "running"
        assert node.get("status.json", job=second["jobid"])["currstate"] == "pending"
        assert node.get("daemonstatus.json") | {"node_name": ""} == {
            "status": "ok",
            "node_name": "",
            "pending": 0,
            "running": 1,
            "finished": 0,
        }
        assert second["jobid"] in node.text("jobs")
        assert node.post("cancel.json", project="default", job=second["jobid"])["prevstate"] == "pending"
        for wrong, why in (
            ({"spider": "sources"}, "name the sources"),
            ({"spider": "sources", "sources": "nosuch"}, "the active manifest has no source with the ID nosuch"),
            ({"spider": "c", "jobid": "mine"}, "invalid job id 'mine'"),
            ({"spider": "c", "jobid": first["jobid"]}, "already exists"),
        ):
            answer = node.post("schedule.json", project="default", **wrong)
            assert answer["status"] == "error" and why in answer["message"]
        held.release()
        node.wait("listjobs.json", '"finished": [{')
        away = project.ledger.rename(tmp_path / "away.db")
        with pytest.raises(HTTPError) as told:
            node.text("jobs")
        assert told.value.code == 503 and b"was removed or replaced" in told.value.read()
        told.value.close()
        away.rename(project.ledger)
    queue = crawl_output.rows("SELECT * FROM jobs ORDER BY queued_at")
    assert [(job["job_id"], job["state"], job["outcome"]) for job in queue] == [
        (first["jobid"], "ended", "complete"),
        (str(UUID(second["jobid"])), "cancelled", None),
    ]
    assert queue[0]["node"] == node.name and queue[0]["operator"] == "manual"
    assert {run["job_id"] for run in crawl_output.runs()} == {first["jobid"]}
    assert [run["state"] for run in crawl_output.runs()] == ["complete"] * 2
    assert not crawl_output.rows("SELECT * FROM leases WHERE owner IS NOT NULL")
