"""The state ``deterministic_preflight``: the text of each included page, cleaned by rules; what was approved stays.

Boilerplate is counted over all texts of the run; those of the version that a delta changes count, too.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from rori_spiders.corpus.cleaning.boilerplate import count_boilerplate
from rori_spiders.corpus.cleaning.clean import clean
from rori_spiders.corpus.publishing.standing import standing
from rori_spiders.corpus.running.beginning import DELTA
from rori_spiders.corpus.running.heading import headed
from rori_spiders.ledger.corpus import human_decisions, run_pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Row

    from rori_spiders.corpus.cleaning.boilerplate import Boilerplate
    from rori_spiders.corpus.cleaning.draft import Draft
    from rori_spiders.corpus.running.work import Work

#: By whom a text was cleaned.
APPROVED, DRAFT, MODEL = "approved", "draft", "model"


async def cleaned(work: Work) -> None:
    """A draft for each included page that has a text and no draft yet. Raises StagingError."""
    run = work.run
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=run.run_id, decision="include"))
    waiting = [row for row in rows if row.raw_object is not None and row.draft_object is None]
    if not waiting:
        return
    approvals = work.ledger.read(partial(human_decisions.list_approvals, domain=run.domain))
    # In threads: while a step holds the event loop, the process cannot say that it is alive.
    counted = await asyncio.to_thread(lambda: count_boilerplate(_texts(work, rows)))
    for row in waiting:
        known = await asyncio.to_thread(_drafted, work, row, counted)
        if (approval := approvals.get((row.page_id, row.raw_object))) is not None:
            known = {**known, "clean_object": approval.clean_object, "cleaned_by": APPROVED}
        work.ledger.write(partial(run_pages.update_page, run_id=run.run_id, page_id=row.page_id, values=known))


def _drafted(work: Work, row: Row[Any], counted: Boilerplate) -> Mapping[str, Any]:
    text = work.text(row.raw_object)
    draft = clean(text, url=row.url, title=row.title or "", rules=work.rules, boilerplate=counted)
    body = headed(draft.body, row.title)
    return {"draft_object": work.put(body), "removals_object": work.put(told(draft, headed=body != draft.body))}


def told(draft: Draft, *, headed: bool = False) -> str:
    """What was done to a text, as JSON: removals, repairs, flags, the document that it leads to, a title put above."""
    done = {
        "removals": [asdict(one) for one in draft.removals],
        "repairs": [asdict(one) for one in draft.repairs],
        "flags": [asdict(one) for one in draft.flags],
        "document": draft.document,
        "headed_with_title": headed,
    }
    return json.dumps(done, ensure_ascii=False)


def _texts(work: Work, rows: Sequence[Row[Any]]) -> Iterator[tuple[str, str]]:
    here = set()
    for row in rows:
        here.add(row.url)
        if row.raw_object is not None:
            yield row.url, work.text(row.raw_object)
    if work.run.kind == DELTA and (base := standing(work.store, work.run.domain).manifest) is not None:
        for page in base.pages:
            if page.source_url not in here and page.raw_hash and work.store.has_object(page.raw_hash):
                yield page.source_url, work.text(page.raw_hash)
