"""The other collectors, and an environment for each, made by venv and pip once and kept below `build/benchmarks`."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ENVIRONMENTS = Path(__file__).parents[2] / "build" / "benchmarks"
_LIBRARIES = ("readability-lxml", "markdownify")
_VERSIONS = (
    "import sys, importlib.metadata as m; print(*(f'{name} {m.version(name)}' for name in sys.argv[1:]), sep=', ')"
)


@dataclass(frozen=True, slots=True)
class Rival:
    """A collector to compare with: its *script* beside this file, run with the URLs, a folder, and *arguments*."""

    name: str
    script: str
    environment: str
    packages: tuple[str, ...]
    arguments: tuple[str, ...] = ()


def list_rivals(cores: int) -> list[Rival]:
    """Those that there are; Scrapy's pool gets a process for each core."""
    scrapy = ("scrapy", *_LIBRARIES)
    return [
        Rival("scrapy, inline", "scrapy_pages.py", "scrapy", scrapy, ("0",)),
        Rival(f"scrapy, pool of {cores}", "scrapy_pages.py", "scrapy", scrapy, (str(cores),)),
        Rival("crawlee", "crawlee_pages.py", "crawlee", ("crawlee[parsel]", *_LIBRARIES)),
        Rival("crawl4ai", "crawl4ai_pages.py", "crawl4ai", ("crawl4ai", *_LIBRARIES)),
    ]


class EnvironmentFailed(Exception):
    """Raised when packages cannot be installed; its text is the installer's."""


def make_environment(name: str, packages: Sequence[str]) -> tuple[Path, str]:
    """The interpreter of the environment *name*, which is made when it is not there, and the versions that it holds."""
    python = ENVIRONMENTS / name / "bin" / "python"
    made, wanted = ENVIRONMENTS / name / ".made", "\n".join(packages)
    if not made.exists() or made.read_text("utf-8") != wanted:
        # With the pip of this interpreter: to give each one of its own takes longer than some packages.
        _run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(ENVIRONMENTS / name)])
        _run([sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", *packages])
        made.write_text(wanted, encoding="utf-8")
    return python, _run([str(python), "-c", _VERSIONS, *(package.partition("[")[0] for package in packages)])


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise EnvironmentFailed((done.stderr or done.stdout).strip()[-500:])
    return done.stdout.strip()
