"""The documentation is current, builds as a site, and each of its links and anchors leads somewhere (`make docs`)."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.house.code import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path


def test_generated_docs_are_current() -> None:
    made = runpy.run_path(str(REPOSITORY / "docs" / "generate.py"))["generate"]()
    stale = [path.name for path, text in made.items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "run: python docs/generate.py"


def test_docs_site_builds_without_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    assert (tmp_path / "site" / "index.html").is_file()
