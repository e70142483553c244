"""A Chromium whose processes a test can tell from all others: it notes the process group that it leads.

`CHROMIUM` is the product's. `QUICK_CHROMIUM` is for tests in which the browser is not what is proven: Debian's
headless shell, the same engine without a desktop's browser around it, starts for a fourth of the CPU time. Where that
is not installed, it is Chromium. What the tier does with Chromium as a whole (its processes, what it asks by itself,
its viewer of PDF, downloads, walls) is tested with Chromium.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.project import Project

CHROMIUM = "/usr/bin/chromium"
# Not by its name in /usr/bin, which is a script that starts it: a signal must reach the browser.
_HEADLESS_SHELL = "/usr/lib/chromium/chromium-headless-shell"
QUICK_CHROMIUM = _HEADLESS_SHELL if Path(_HEADLESS_SHELL).exists() else CHROMIUM


class MarkedChromium:
    """For RORI_CHROMIUM of *project*. Zombies, which only wait for their parent, are not counted."""

    def __init__(self, project: Project, program: str = CHROMIUM) -> None:
        assert Path(program).exists(), "these tests need Chromium: make test, or apt-get install chromium"
        self._groups = project.folder / "chromium-groups"
        path = project.folder / "marked-chromium"
        path.write_text(f'#!/bin/sh\necho $$ >> "{self._groups}"\nexec {program} "$@"\n', encoding="utf-8")
        path.chmod(0o755)
        project.env |= {"RORI_CHROMIUM": str(path), "RORI_TIERS": "mediawiki,http,browser"}

    @property
    def launches(self) -> int:
        return len(self._led())

    def processes(self) -> list[int]:
        """The processes of it that live, whoever started them."""
        groups, found = self._led(), []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                state, _, group, *_ = (process / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue
            if group in groups and state != "Z":
                found.append(int(process.name))
        return found

    def wait(self, *, alive: bool, timeout: float = 60.0) -> list[int]:
        """Wait until there are such processes, or none any more. Raises TimeoutError."""
        until = time.monotonic() + timeout
        while bool(found := self.processes()) != alive:
            if time.monotonic() > until:
                raise TimeoutError(f"processes of Chromium: {found}")
            time.sleep(0.1)
        return found

    def _led(self) -> set[str]:
        return set(self._groups.read_text(encoding="ascii").split()) if self._groups.exists() else set()
