"""Commands that begin in a process which has imported the collector are processes of their own all the same."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def asked(project: Project, name: str, **env: str) -> str:
    done = project.scrapy("settings", "--get", name, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def test_command_server_each_process_has_own_environment(project: Project) -> None:
    assert asked(project, "RORI_OPERATOR", RORI_OPERATOR="somebody") == "somebody"
    assert asked(project, "RORI_OPERATOR") != "somebody"


def test_command_server_other_interpreter_is_started(project: Project) -> None:
    (project.folder / "sitecustomize.py").write_text("print('another')", encoding="utf-8")
    path = f"{project.env['PYTHONPATH']}:{project.folder}"
    assert asked(project, "BOT_NAME", PYTHONPATH=path).splitlines() == ["another", "rori"]
    assert asked(project, "BOT_NAME") == "rori"


def test_command_server_exit_code_and_stdin(project: Project) -> None:
    refused = project.scrapy("verify", "--no-such-option")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "unknown option" in refused.stderr
    shell = project.scrapy("shell", "--nolog", stdin="print(6 * 7)\n")
    assert "42" in shell.stdout


def test_command_server_timeout_kills_process(project: Project, site: Site) -> None:
    held = site.slow("/", seconds=600)
    project.manifest([source("a", site.at("/"))], delay_s=0.02)
    with pytest.raises(subprocess.TimeoutExpired):
        project.scrapy("crawl", "a", timeout=5)
    held.release()
    # Workers see that their parent is gone, and end by themselves: at once, but not before it.
    deadline = time.monotonic() + 30
    while left := [one for one in Path("/proc").glob("[0-9]*") if _is_in(one, project)]:
        assert time.monotonic() < deadline, left


def _is_in(process: Path, project: Project) -> bool:
    try:
        return (process / "cwd").readlink() == project.folder
    except OSError:
        return False  # it has ended meanwhile
