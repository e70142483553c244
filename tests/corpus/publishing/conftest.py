"""A ledger and a staging area in a temporary folder, with a run that is approved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.corpus.publishing import publisher
from rori_spiders.ledger.corpus import published_versions, run_states
from rori_spiders.ledger.corpus.run_states import CorpusRun
from rori_spiders.staging.store_factory import DiskStore
from tests.corpus.publishing.factories import DOMAIN, NOW, RUN, entries, request
from tests.support.databases import open_empty_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.store import Store


@dataclass
class Corpus:
    """A domain's corpus: what is published, and how."""

    ledger: Ledger
    store: Store

    def publish(self, site: Mapping[str, str], run_id: str | None = RUN, **given: Any) -> Any:
        return publisher.publish_version(
            self.ledger, self.store, request(run_id, **given), entries(self.store, site), now=NOW
        )

    def rows(self) -> dict[int, str]:
        """Version -> its state in the ledger."""
        with self.ledger.connect() as conn:
            return {row.version: row.state for row in published_versions.list_versions(conn, DOMAIN)}

    def approved(self, run_id: str = RUN) -> None:
        """A run that is approved."""
        known = {"run_id": run_id, "domain": DOMAIN, "kind": "full", "state": "approved", "target": {}, "rules": ""}
        told: dict[str, Any] = {**dict.fromkeys(CorpusRun.__slots__), **known}
        told |= {"requested_by": "ann", "started_at": NOW, "moved_at": NOW}
        with self.ledger.begin() as conn:
            assert run_states.begin_run(conn, CorpusRun(**told)) is None

    def state(self, run_id: str = RUN) -> str:
        with self.ledger.connect() as conn:
            run = run_states.find_run(conn, run_id)
        assert run is not None
        return run.state


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = open_empty_ledger(tmp_path / "ledger.db")
    yield opened
    opened.close()


@pytest.fixture
def corpus(ledger: Ledger, tmp_path: Path) -> Corpus:
    return Corpus(ledger, DiskStore(tmp_path / "staged"))
