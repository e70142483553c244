"""A template that has ended costs time, never a page; a client that is killed does not end it."""

from __future__ import annotations

import os
import signal
import socket
from contextlib import suppress
from multiprocessing import forkserver
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.command_client import starter
from tests.support.forked_workers import PRELOADED
from tests.support.forking_python import of_interpreter
from tests.support.pages import page
from tests.support.project import Project, source

if TYPE_CHECKING:
    from tests.support.server import Site


@pytest.mark.crawl
def test_workers_of_ended_template_are_started_anew(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_TESTS", "1")  # a server of its own: others have workers of the shared one's template
    project = Project(tmp_path)
    site.page("/rule/", page("A rule"))
    project.manifest([source("rule", site.at("/rule/"), "scrape")], delay_s=0.001)
    assert project.scrapy("list").returncode == 0
    server = starter(tuple(sorted(of_interpreter(project.env).items()))).pid

    for _ in range(3):  # it is noticed by the worker, or by the next command
        _kill_templates(server)
        done = project.scrapy("collect", "--force")
        assert done.returncode == 0, done.stderr
        assert "1 of 1 sources complete" in done.stdout


def test_template_survives_client_that_is_killed_as_it_connects() -> None:
    template: Any = forkserver.ForkServer()
    template.set_forkserver_preload(PRELOADED)
    template.ensure_running()
    try:
        with socket.socket(socket.AF_UNIX) as killed:
            killed.connect(template._forkserver_address)
        ended, given = template.connect_to_new_process([])  # EOFError where the template has ended
        pid = forkserver.read_signed(ended)
        os.kill(pid, signal.SIGKILL)
        assert forkserver.read_signed(ended) == -signal.SIGKILL
        os.close(ended)
        os.close(given)
    finally:
        with suppress(ChildProcessError):
            template._stop()


def _kill_templates(server: int) -> None:
    for found in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = found.read_bytes()
            parent = (found.parent / "stat").read_text("ascii").rpartition(")")[2].split()[1]
        except OSError:
            continue  # it ended meanwhile
        if b"multiprocessing.forkserver" in command and parent == str(server):
            os.kill(int(found.parent.name), signal.SIGKILL)
