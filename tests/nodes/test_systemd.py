"""The units in docs/systemd, as systemd itself reads them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.house.code import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_units_verify_without_a_word(tmp_path: Path) -> None:
    """With a program that is there in the place of the venv's: an unknown directive or a wrong value is a line."""
    units = [path for path in (REPOSITORY / "docs" / "systemd").iterdir() if path.suffix in {".service", ".timer"}]
    assert len(units) == 5
    for path in units:
        text = re.sub(r"/srv/rori/venv/bin/\w+", sys.executable, path.read_text("utf-8"))
        (tmp_path / path.name).write_text(text, "utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(tmp_path / path.name for path in units)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
