"""A node does not start without a password: one sentence says so, and nothing listens."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.project import Project

pytestmark = pytest.mark.crawl


def test_scrapyd_application_without_password_is_refused(project: Project) -> None:
    conf = Path(__file__).parents[2] / "scrapyd.conf"
    (project.folder / "scrapyd.conf").write_text(conf.read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "scrapyd", "--pidfile="],
        cwd=project.folder,
        env={**project.env, "SCRAPYD_USERNAME": "ops"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Scrapyd does not start: SCRAPYD_PASSWORD must be set in the environment.")
    assert "Traceback" not in done.stderr
