"""A Scrapy project in a temporary folder, as an operator has one: `scrapy.cfg`, its own ledger and staging.

In: a manifest and commands. Out: what `scrapy` printed, and the files that it left.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.support.command_client import Starter, starter
from tests.support.forking_python import of_interpreter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_REPOSITORY = Path(__file__).parents[2]
_CFG = "[settings]\ndefault = rori_spiders.settings\n"


def command_environment() -> dict[str, str]:
    """The caller's environment without what is the project's, or pytest's."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("RORI_", "SCRAPY_", "COVERAGE_", "PYTEST_"))}
    return {**kept, "PYTHONPATH": str(_REPOSITORY), "PYTHONUTF8": "1", "COLUMNS": "160", "NO_COLOR": "1"}


def forking_program(env: Mapping[str, str]) -> str:
    """What stands in for an interpreter with *env*: what it is to import has been imported already."""
    return str(starter(tuple(sorted(of_interpreter(env).items()))).python)


class Project:
    """One project folder. `env` is what its commands get: the caller's, without RORI_* and SCRAPY_* variables."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "scrapy.cfg").write_text(_CFG, encoding="utf-8")
        self.env = command_environment()
        self.env["RORI_CONVERT_WORKERS"] = "1"  # each takes half a second to start, and tests have few pages
        self._interpreter = of_interpreter(self.env)
        self.env["RORI_TIERS"] = "official,mediawiki,http"  # a browser takes seconds: tests that want it say so

    @property
    def staging(self) -> Path:
        return self.folder / "collect" / "staged"

    @property
    def ledger(self) -> Path:
        return self.folder / "collect" / "ledger.db"

    def scrapy(
        self, *args: str, env: Mapping[str, str] | None = None, timeout: float = 120.0, stdin: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run ``scrapy ARGS`` in the folder; its output as text. Raises TimeoutExpired after *timeout* seconds."""
        whole = {**self.env, **(env or {})}
        if began := self.starter(whole):
            return began.run(args, cwd=self.folder, env=whole, stdin=stdin or "", timeout=timeout)
        return subprocess.run(
            [sys.executable, "-m", "scrapy", *args],
            cwd=self.folder,
            env=whole,
            input=stdin or "",
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    @property
    def python(self) -> str:
        """An interpreter for what the collector starts by itself: its ``-m scrapy`` has been imported already."""
        return forking_program(self._interpreter)

    def starter(self, env: Mapping[str, str]) -> Starter | None:
        """The process to start a command with *env* from, unless its interpreter starts in another way."""
        if of_interpreter(env) != self._interpreter:
            return None
        return starter(tuple(sorted(self._interpreter.items())))

    def start(
        self,
        *args: str,
        env: Mapping[str, str] | None = None,
        begin: Sequence[str] | None = None,
        obedient: bool = False,
    ) -> subprocess.Popen[str]:
        """Start ``scrapy ARGS`` without waiting, for tests that interrupt or kill it. Use it as a context manager.

        *begin* are words before the command; with any, also none, an interpreter of its own runs it.
        *obedient*: it obeys the modes of files, also as root.
        """
        whole = {**self.env, **(env or {})}
        if begin is None and (began := self.starter(whole)):
            return began.start(args, cwd=self.folder, env=whole, obedient=obedient)
        assert not obedient, "only a fork gives up what lets root do without"
        return subprocess.Popen(
            [*(begin or ()), sys.executable, "-m", "scrapy", *args],
            cwd=self.folder,
            env=whole,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def manifest(self, sources: Iterable[Mapping[str, Any]], *, delay_s: float | None = None, **top: Any) -> Path:
        """Write a manifest of *sources*, name it in RORI_MANIFEST and its hosts in RORI_ALLOWED_ADDRESSES.

        *delay_s* is set for every host that *domains* does not name; without it the collector's own 2 seconds hold.
        """
        listed = [dict(one) for one in sources]
        hosts = list(dict.fromkeys(urlsplit(one["url"]).hostname for one in listed))
        domains = {host: {"delay_s": delay_s} for host in hosts} if delay_s is not None else {}
        domains |= top.pop("domains", {})
        whole = {**_TOP, **({"domains": domains} if domains else {}), **top, "sources": listed}
        (self.folder / "manifest.json").write_text(json.dumps(whole, indent=1), encoding="utf-8")
        return self.use_manifest()

    def use_manifest(self) -> Path:
        """Name the manifest of the folder, which may be a copy of another project's, in the environment."""
        path = self.folder / "manifest.json"
        sources = json.loads(path.read_text(encoding="utf-8"))["sources"]
        netlocs = dict.fromkeys(urlsplit(one["url"]).netloc for one in sources)
        self.env |= {"RORI_MANIFEST": str(path), "RORI_ALLOWED_ADDRESSES": ",".join(netlocs)}
        return path


_TOP = {
    "$schema": "https://rori.dev/schemas/scrape-manifest-v1.json",
    "version": "1.0.0",
    "created": "2026-02-13T00:00:00Z",
    "updated": "2026-02-13T00:00:00Z",
    "vertical": "fthb",
}


def is_soon(holds: Callable[[], bool], seconds: float = 60.0) -> bool:
    """Whether it *holds*, looked at again and again until it does, for so long at most."""
    until = monotonic() + seconds
    while not holds() and monotonic() < until:
        select.select([], [], [], 0.05)
    return holds()


def source(manifest_id: str, url: str, method: str = "scrape", **more: Any) -> dict[str, Any]:
    """A source with everything required, for `Project.manifest`; *more* replaces and adds fields."""
    return {
        "id": manifest_id,
        "name": f"Test source {manifest_id}",
        "url": url,
        "domain": urlsplit(url).hostname,
        "jurisdiction": "federal",
        "source_type": "regulation",
        "method": method,
        "frequency": "weekly",
        "status": "active",
        **more,
    }
