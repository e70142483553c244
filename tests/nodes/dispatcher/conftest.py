"""A dispatcher over each database, with a manifest that a test may change between two rounds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.configuration.locations import Locations
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.queue import job_queue
from rori_spiders.nodes.dispatcher import Dispatcher
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlalchemy import Connection

    from rori_spiders.ledger.queue.job_queue import QueuedJob

#: 02:30 in New York: everything may be asked.
NIGHT = datetime(2026, 2, 13, 7, 30, tzinfo=UTC)
NOON = datetime(2026, 2, 13, 17, 0, tzinfo=UTC)
SOURCES = [
    source("fed-a", "https://www.hud.gov/a", priority="high"),
    source("fed-b", "https://www.hud.gov/b", method="crawl"),
    source("state", "https://www.example.org/", jurisdiction="state:CA"),
    source("body", "https://www.example.com/", jurisdiction="national"),
]


@dataclass
class DispatcherSetup:
    """The places of one project, and what a test does there."""

    places: Locations
    manifest: Path

    def write(self, sources: list[dict[str, Any]]) -> None:
        text = json.dumps({"version": "1", "sources": sources})
        self.manifest.write_text(text + " " * len(text) if self.manifest.exists() else text, encoding="utf-8")

    def dispatcher(self, **more: Any) -> Dispatcher:
        terms: dict[str, Any] = {"tiers": ("http",), "waiting": 20, "timeout_s": 10.0, **more}
        return Dispatcher(self.places, **terms)

    def do(self, work: Callable[[Connection], Any]) -> Any:
        """Something in one transaction."""
        ledger = open_ledger(self.places.database_url)
        try:
            with ledger.begin() as connection:
                return work(connection)
        finally:
            ledger.close()

    def jobs(self) -> list[QueuedJob]:
        """All jobs there are, those that ended last."""
        found: list[QueuedJob] = self.do(job_queue.list_jobs)
        return found


@pytest.fixture
def setup(database_url: str, tmp_path: Path) -> DispatcherSetup:
    manifest = tmp_path / "manifest.json"
    made = DispatcherSetup(Locations((manifest,), str(tmp_path / "staged"), database_url), manifest)
    made.write(SOURCES)
    return made
