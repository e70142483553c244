"""The doctor's lines fit a terminal, narrow or wide, and bring no control character to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rori_spiders.operations.doctor.checks import CheckResult
from rori_spiders.operations.doctor.storage_checks import file_system_type, is_network_file_system
from rori_spiders.terminal.commands.doctor import result_lines, setting_lines

FINDINGS = [
    CheckResult("program", "ok", "1.0.0", "not said of what is ok"),
    CheckResult("a longer name", "failed", "word " * 60 + "\x1b[2J", "Do what is to be done. " * 5),
]


@pytest.mark.parametrize("width", [80, 160])
def test_doctor_lines_fit_terminal(width: int) -> None:
    lines = list(result_lines(FINDINGS, width=width, colour=False))
    assert max(map(len, lines)) <= width
    assert lines[0] == "ok       program        1.0.0"
    assert not any("\x1b" in line for line in lines)
    assert any("→ Do what" in line for line in lines)
    assert all(line.startswith(" " * 24) for line in lines[2:])


def test_doctor_long_value_is_folded() -> None:
    rows = [{"setting": "RORI_X", "origin": "default", "value": "x" * 200}]
    assert max(map(len, setting_lines(rows, width=80))) <= 80


def test_doctor_file_systems_are_named() -> None:
    assert file_system_type(Path("/proc")) == "proc"
    assert is_network_file_system("nfs4")
    assert not is_network_file_system("ext4")
