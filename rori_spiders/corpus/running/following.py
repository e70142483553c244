"""Published corpora follow what is collected: what has changed becomes a draft, without anybody asking for it.

In: the sources in force, and when each corpus was looked at last. Out: the drafts that a machine is to bring forward,
and what could not be looked at, in sentences: that is looked at again next time. Nothing is published.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rori_spiders.corpus.running.beginning import MACHINES
from rori_spiders.corpus.running.freshness import open_draft
from rori_spiders.corpus.states import WORK
from rori_spiders.exceptions import RoriError
from rori_spiders.ledger.corpus import run_states, source_texts

if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.corpus.run_states import CorpusRun
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.staging.store import Store


def follow(
    ledger: Ledger,
    store: Callable[[], Store],
    catalog: Catalog,
    looked: MutableMapping[str, datetime],
    *,
    now: datetime,
) -> tuple[list[CorpusRun], list[str]]:
    """Look at each published corpus whose sources were collected since *looked*, which is kept up.

    *store* opens the staging area: it is asked for where there is something to compare, which is seldom.
    """
    found: dict[str, CorpusRun] = {}
    failures = []
    for domain in ledger.read(partial(run_states.domains_in_state, state="published")):
        try:
            if ledger.read(partial(_is_due, domain=domain, looked=looked.get(domain))):
                draft = open_draft(ledger, store(), catalog, domain, now=now)
                found |= {draft.run_id: draft} if draft is not None else {}
            looked[domain] = now
        except RoriError as error:
            failures.append(f"{domain}: {error}")
    left = ledger.read(partial(run_states.idle_runs_begun_by, by=MACHINES, states=WORK, now=now))
    return [*({run.run_id: run for run in left} | found).values()], failures


def _is_due(conn: Connection, domain: str, looked: datetime | None) -> bool:
    last = run_states.newest_run(conn, domain, state="published")
    its = sorted(last.target.get("sources", ())) if last is not None else []
    return last is not None and source_texts.was_collected_since(conn, its, looked or last.started_at)
