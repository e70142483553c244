"""A Chromium whose processes a test can tell from all others: they carry a mark in their environment."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from tests.project import Project

CHROMIUM = "/usr/bin/chromium"


class MarkedChromium:
    """For RORI_CHROMIUM of *project*. Zombies, which have no environment any more, are not counted."""

    def __init__(self, project: Project) -> None:
        assert Path(CHROMIUM).exists(), (
            "the tests of the browser need Chromium: make setup, or apt-get install chromium"
        )
        self._mark = f"RORI_TEST_MARK={uuid4().hex}"
        self.path = project.folder / "marked-chromium"
        self.path.write_text(f'#!/bin/sh\nexport {self._mark}\nexec {CHROMIUM} "$@"\n', encoding="utf-8")
        self.path.chmod(0o755)
        project.env |= {"RORI_CHROMIUM": str(self.path), "RORI_TIERS": "mediawiki,http,browser"}

    def processes(self) -> list[int]:
        """The processes of it that live."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if self._mark.encode() in (process / "environ").read_bytes().split(b"\0"):
                    found.append(int(process.name))
            except OSError:
                continue
        return found

    def wait(self, *, alive: bool, timeout: float = 60.0) -> list[int]:
        """Wait until there are such processes, or none any more. Raises TimeoutError."""
        until = time.monotonic() + timeout
        while bool(found := self.processes()) != alive:
            if time.monotonic() > until:
                raise TimeoutError(f"processes of Chromium: {found}")
            time.sleep(0.1)
        return found
