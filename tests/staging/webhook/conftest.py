"""A ledger with envelopes that wait to be announced, on both databases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger import staged_envelopes
from rori_spiders.ledger.tables import envelopes
from tests.ledger.factories import RUN, SOURCE, a_run, at, url
from tests.staging.webhook.receiver import Receiver, receiving
from tests.support.databases import ledger  # on both databases; tests/staging has SQLite only

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.ledger.database import Ledger

__all__ = ["ids", "ledger", "receiver"]

#: More than two batches.
NUMBER = 230


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as server:
        yield server


@pytest.fixture
def ids(ledger: Ledger) -> list[str]:
    """In the order of staging; one was staged before the hook was set, one has no index line yet."""
    names = [f"{number:04}" for number in range(NUMBER)]
    with ledger.begin() as conn:
        a_run(conn, RUN)
        staged_envelopes.start_notifications(conn, now=at(1))
        common = {"run_id": RUN, "source_id": SOURCE, "file_hash": "1" * 64, "content_hash": "2" * 64}
        for minute, name in enumerate(["before", *names, "unindexed"]):
            line = json.dumps(
                {"envelope_id": name, "manifest_id": SOURCE, "url": url(name), "path": f"a/b/{name}.json"}
            )
            times = {"reserved_at": at(minute), "staged_at": at(minute)}
            state = "staged" if name == "unindexed" else "indexed"
            page = {"url": url(name), "url_hash": name, "path": f"a/b/{name}.json", "change_type": "new"}
            conn.execute(
                envelopes.insert().values(envelope_id=name, index_line=line, state=state, **common, **times, **page)
            )
    return names
