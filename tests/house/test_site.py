"""The documentation is current, builds as a site, and each of its links and anchors leads somewhere (`make docs`)."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.house.code import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path


def test_generated_docs_are_current() -> None:
    made = runpy.run_path(str(REPOSITORY / "docs" / "generate.py"))["generate"]()
    stale = [path.name for path, text in made.items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "run: python docs/generate.py"


def test_generated_part_between_empty_comments_leaves_the_next_section() -> None:
    fill = runpy.run_path(str(REPOSITORY / "docs" / "generate.py"))["_fill_part"]
    begin, end = "<!-- generated: docs/generate.py -->", "<!-- end -->"
    for empty in ("\n", "\n\n", "\n\n\n"):
        text = f"## a\n\n{begin}{empty}{end}\n\nown words\n\n## b\n\n{begin}\n\nold\n\n{end}\n"
        filled = fill(fill(text, "A\n", "x", heading="## a\n\n"), "B\n", "x", heading="## b\n\n")
        assert filled == f"## a\n\n{begin}\n\nA\n\n{end}\n\nown words\n\n## b\n\n{begin}\n\nB\n\n{end}\n"
    with pytest.raises(AssertionError, match="has no end"):
        fill(f"{begin}\n\n## b\n\n{begin}\n\n{end}\n", "A\n", "x")


@pytest.mark.slow
def test_docs_site_builds_without_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    assert (tmp_path / "site" / "index.html").is_file()
