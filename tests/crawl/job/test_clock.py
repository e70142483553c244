"""A job whose machine's clock is set while it runs: it says so, goes on, and the next one clears the alert."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

#: For the job's own look at the clock, it is set back by an hour after the first.
_SET_BACK = """
import sys, time

real, looks = time.time, []

def set_back():
    if sys._getframe(1).f_globals.get("__name__") != "rori_spiders.runtime.wall_clock":
        return real()
    looks.append(1)
    return real() - 3600 * (len(looks) > 1)

time.time = set_back
"""


@pytest.fixture
def set_clock(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder: Path = tmp_path_factory.mktemp("python")
    (folder / "sitecustomize.py").write_text(_SET_BACK, encoding="utf-8")
    return {"PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}


def test_job_clock_set_back_is_reported(site: Site, project: Project, set_clock: dict[str, str]) -> None:
    site.page("/a", page("One"))
    project.manifest([source("a", site.at("/a"))], delay_s=0.05)
    done = project.scrapy("collect", env=set_clock)
    assert done.returncode == 0, done.stderr
    assert "The clock of this machine was set backwards by 3600.0 s, seen at " in done.stdout
    assert done.stderr.count(" was set backwards by 3600.0 s, seen at ") == 1
    [alert] = _alerts(project)
    assert (alert["event"], alert["severity"]) == ("clock_set", "warning")
    assert "set backwards by 3600.0 s" in alert["message"]

    assert project.scrapy("collect", "--force").returncode == 0
    assert _alerts(project) == []


def _alerts(project: Project) -> list[dict[str, str]]:
    shown: list[dict[str, str]] = json.loads(project.scrapy("alerts", "list", "--format", "json").stdout)
    return [one for one in shown if one["event"] == "clock_set"]
