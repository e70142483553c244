"""An environment for each rival, made by venv and pip once and kept below `build/benchmarks`."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_KEPT = Path(__file__).parents[2] / "build" / "benchmarks"
_LIBRARIES = ("readability-lxml", "markdownify")


@dataclass(frozen=True, slots=True)
class Rival:
    """A collector to compare with: its *script* beside this file, run with the URLs, a folder, and *arguments*."""

    name: str
    script: str
    environment: str
    packages: tuple[str, ...]
    arguments: tuple[str, ...] = ()


def rivals(cores: int) -> list[Rival]:
    """Those that there are; *cores* processes for Scrapy's pool."""
    scrapy = ("scrapy", *_LIBRARIES)
    return [
        Rival("scrapy, inline", "scrapy_pages.py", "scrapy", scrapy, ("0",)),
        Rival(f"scrapy, pool of {cores}", "scrapy_pages.py", "scrapy", scrapy, (str(cores),)),
        Rival("crawlee", "crawlee_pages.py", "crawlee", ("crawlee[parsel]", *_LIBRARIES)),
        Rival("crawl4ai", "crawl4ai_pages.py", "crawl4ai", ("crawl4ai", *_LIBRARIES)),
    ]


class RivalUnavailable(Exception):
    """Raised when a rival cannot be installed; its text is the installer's."""


def python_of(rival: Rival) -> Path:
    """The interpreter of the rival's environment, which is made when it is not there."""
    folder = _KEPT / rival.environment
    python, made = folder / "bin" / "python", folder / ".made"
    wanted = "\n".join(rival.packages)
    if made.exists() and made.read_text("utf-8") == wanted:
        return python
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", *rival.packages],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RivalUnavailable(done.stderr.strip()[-500:])
    made.write_text(wanted, encoding="utf-8")
    return python


def versions_of(rival: Rival) -> str:
    """The installed versions of what was asked for, `name==version`."""
    names = [package.partition("[")[0] for package in rival.packages]
    code = "import sys, importlib.metadata as m; print(*(f'{n}=={m.version(n)}' for n in sys.argv[1:]))"
    done = subprocess.run([str(python_of(rival)), "-c", code, *names], capture_output=True, text=True, check=True)
    return done.stdout.strip()
