"""`scrapy demo --monitor`: the steps of a newcomer in their order, and a user who may sign in."""

from __future__ import annotations

import re
import subprocess
from argparse import Namespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings

from rori_spiders.runtime.redacted_output import program_name
from rori_spiders.terminal.commands import demo
from tests.support.databases import write_empty_ledger

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that were run, without running them."""
    words: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        words.append(command[3:])
        return subprocess.CompletedProcess(command, returncode=0)

    def replace_process(_: str, command: list[str]) -> None:
        words.append(command[3:])
        raise SystemExit(0)

    monkeypatch.setattr("rori_spiders.terminal.commands.demo.subprocess.run", run)
    monkeypatch.setattr("rori_spiders.terminal.commands.demo.os.execv", replace_process)
    return words


def _command(folder: Path) -> demo.Demo:
    command = demo.Demo()
    url = f"sqlite:///{write_empty_ledger(folder / 'ledger.db')}"
    command.settings = Settings({"RORI_DATABASE_URL": url, "RORI_STAGING": str(folder / "staged")})
    return command


def test_demo_monitor_runs_each_step_and_makes_a_user(
    tmp_path: Path, started: list[list[str]], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RORI_DATABASE_URL", raising=False)
    opts = Namespace(monitor=True, edit=False, set=["RORI_UMASK=0077"])
    passwords, steps = [], []
    monkeypatch.setattr("sys.argv", ["/srv/collector/.venv/bin/rori"])
    program_name.cache_clear()
    for _ in range(2):  # whoever tries it again gets another password
        with pytest.raises(SystemExit):
            _command(tmp_path).answer(opts)
        printed = capsys.readouterr().out
        passwords += re.findall(r"password (\S+) \(", printed)
        steps += re.findall(r"^  (/srv/collector/.venv/bin/rori .*?)  \S", printed, re.MULTILINE)
    program_name.cache_clear()
    assert len(steps) == 6 and len(set(map(len, steps))) == 1, "the second column begins at one place"
    more = ["-s", "RORI_UMASK=0077"]
    more_of_both = ["--before-monitor", *more]
    assert started[:3] == [["demo", *more_of_both], ["demo", "--edit", *more_of_both], ["monitor", "--demo", *more]]
    assert len(set(passwords)) == 2


def test_demo_monitor_failed_step_ends_it(
    tmp_path: Path, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    failing: subprocess.CompletedProcess[str] = subprocess.CompletedProcess(["scrapy"], returncode=3)
    monkeypatch.setattr("rori_spiders.terminal.commands.demo.subprocess.run", lambda *_, **__: failing)
    assert _command(tmp_path).answer(Namespace(monitor=True, edit=False, set=None)) == 3
    assert started == []
