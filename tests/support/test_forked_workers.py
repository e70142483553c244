"""A template that has ended costs time, never a page."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def test_workers_of_ended_template_are_started_anew(site: Site, project: Project) -> None:
    site.page("/rule/", page("A rule"))
    project.manifest([source("rule", site.at("/rule/"), "scrape")], delay_s=0.001)
    assert project.scrapy("list").returncode == 0  # the commands' server is there

    for _ in range(3):  # it is noticed by the worker, or by the next command
        _kill_templates()
        done = project.scrapy("collect", "--force")
        assert done.returncode == 0, done.stderr
        assert "1 of 1 sources complete" in done.stdout


def _kill_templates() -> None:
    for found in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = found.read_bytes()
            parent = (found.parent / "stat").read_text("ascii").rpartition(")")[2].split()[1]
            ours = Path(f"/proc/{parent}/stat").read_text("ascii").rpartition(")")[2].split()[1] == str(os.getpid())
        except OSError:
            continue  # it ended meanwhile
        if b"multiprocessing.forkserver" in command and ours:
            os.kill(int(found.parent.name), signal.SIGKILL)
