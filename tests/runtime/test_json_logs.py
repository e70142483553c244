"""`RORI_LOG_FORMAT=json` in real processes: a crawl with a log file, as Scrapyd has it, and the shell."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

JOB = "7c0e6a52-93d6-4f0e-9d0a-0e1f8f8b7c11"


def test_json_logs_every_line_of_job_is_an_object(project: Project, site: Site) -> None:
    site.page("/a", "<h1>Part 1024</h1>" + "text " * 200)
    project.manifest([source("a", site.at("/a"))], delay_s=0.05)
    file = project.folder / "job.log"
    env = {"RORI_LOG_FORMAT": "json", "RORI_STAGIN": "elsewhere", "RORI_JOB_ID": JOB}
    done = project.scrapy("crawl", "a", "-s", f"LOG_FILE={file}", env=env)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert {"timestamp", "level", "logger", "message", "node", "pid"} <= set.intersection(*map(set, lines))
    assert any(line["logger"].startswith("scrapy") for line in lines)
    [ended] = [line for line in lines if line.get("source") == "a" and "captured" in line]
    assert (ended["state"], ended["captured"]) == ("complete", 1)
    assert {line.get("job") for line in lines} == {JOB}  # from the first line on
    [slip] = [line for line in lines if line.get("name") == "RORI_STAGIN"]
    assert slip["message"].endswith("did you mean RORI_STAGING?")


def test_json_logs_shell_logs_objects(project: Project) -> None:
    done = project.scrapy("shell", env={"RORI_LOG_FORMAT": "json", "RORI_LOG_LEVEL": "INFO"}, stdin="print(6 * 7)\n")
    logged = [line for line in done.stderr.splitlines() if line.startswith("{")]
    assert logged
    assert all("timestamp" in json.loads(line) for line in logged)


def test_json_logs_dispatcher_logs_objects(project: Project, site: Site) -> None:
    project.manifest([source("a", site.at("/a"))], delay_s=0.05)
    with project.start("dispatch", env={"RORI_LOG_FORMAT": "json", "RORI_LOG_LEVEL": "INFO"}) as process:
        assert process.stdout is not None
        begun = next(line for line in process.stdout if "Queueing due sources" in line)
        process.terminate()
    assert json.loads(begun)["logger"] == "rori_spiders.nodes.dispatcher"
