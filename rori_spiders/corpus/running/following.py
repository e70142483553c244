"""Published corpora follow what is collected: what has changed becomes a draft, without anybody asking for it.

In: the sources in force, and when each corpus was looked at last. Out: the drafts that a machine is to bring forward,
and what could not be looked at, in sentences: that is looked at again next time. Nothing is published.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rori_spiders.corpus.running.beginning import SYSTEM
from rori_spiders.corpus.running.freshness import open_draft
from rori_spiders.corpus.states import WORK
from rori_spiders.exceptions import RoriError
from rori_spiders.ledger.corpus import runs, texts

if TYPE_CHECKING:
    from collections.abc import MutableMapping
    from datetime import datetime

    from rori_spiders.ledger.corpus.runs import CorpusRun
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.stores.base import Store


def follow(
    ledger: Ledger, store: Store, catalog: Catalog, looked: MutableMapping[str, datetime], *, now: datetime
) -> tuple[list[CorpusRun], list[str]]:
    """Look at each published corpus whose sources were collected since *looked*, which is kept up."""
    found: dict[str, CorpusRun] = {}
    failures = []
    for domain in ledger.read(partial(runs.domains, state="published")):
        try:
            if _is_due(ledger, domain, looked.get(domain)):
                draft = open_draft(ledger, store, catalog, domain, now=now)
                found |= {draft.run_id: draft} if draft is not None else {}
            looked[domain] = now
        except RoriError as error:
            failures.append(f"{domain}: {error}")
    left = ledger.read(partial(runs.begun_by, by=SYSTEM, states=WORK, now=now))
    return [*({run.run_id: run for run in left} | found).values()], failures


def _is_due(ledger: Ledger, domain: str, looked: datetime | None) -> bool:
    last = ledger.read(partial(runs.newest, domain=domain, state="published"))
    its = sorted(last.target.get("sources", ())) if last is not None else []
    since = looked or (last.started_at if last is not None else None)
    return since is not None and ledger.read(partial(texts.collected_since, sources=its, since=since))
