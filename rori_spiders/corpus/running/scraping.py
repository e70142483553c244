"""The state ``scraping``: the newest held text of each included page; what is not held is fetched through all gates.

A page that gives no text is ``failed`` with the reason, and stays on the list: nothing is dropped in silence.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from rori_spiders.corpus.running.linked import take_documents
from rori_spiders.crawl.adhoc.messages import FetchedPage
from rori_spiders.ledger.corpus import run_pages, source_texts
from rori_spiders.ledger.corpus.page_ids import page_id_for_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Row

    from rori_spiders.corpus.running.work import Work
    from rori_spiders.crawl.adhoc.messages import PageNotFetched

STAGED, FETCHED, FAILED, GONE = "staged", "fetched", "failed", "gone"
#: Pages whose texts are looked up at once.
BATCH = 200
_NOBODY_FETCHES = "not held, and nothing is fetched in this run"


async def scraped(work: Work) -> None:
    """A text for each page that is included, or why there is none. Raises StagingError."""
    await _own_texts(work)
    await take_documents(work)


async def _own_texts(work: Work) -> None:
    await got(
        work, work.ledger.read(partial(run_pages.list_pages, run_id=work.run.run_id, decision="include", got=None))
    )


async def got(work: Work, rows: Sequence[Row[Any]]) -> None:
    """The texts of these pages."""
    missing = []
    for at in range(0, len(rows), BATCH):
        batch = rows[at : at + BATCH]
        held = work.ledger.read(
            partial(source_texts.load_held_texts, urls=[row.url for row in batch], sources=sorted(work.sources))
        )
        known = [(row.page_id, _held(held[row.url])) for row in batch if row.url in held]
        work.ledger.write(partial(run_pages.update_pages, run_id=work.run.run_id, values=known))
        missing += [row for row in batch if row.url not in held]
    await _fetch(work, missing)


def _held(text: source_texts.HeldText) -> Mapping[str, Any]:
    if text.gone:
        return {"got": GONE, "got_reason": "its publisher has removed it", "got_at": text.at}
    told = {"title": text.title, "raw_object": text.body_object, "dated": text.published}
    return {"got": STAGED, "got_reason": None, "got_at": text.at, **{name: one for name, one in told.items() if one}}


async def _fetch(work: Work, rows: Sequence[Row[Any]]) -> None:
    if work.fetch is None:
        _note(work, [(row.page_id, {"got": FAILED, "got_reason": _NOBODY_FETCHES}) for row in rows])
        return
    if rows:
        async for told in work.fetch([row.url for row in rows]):
            _note(work, [(page_id_for_url(told.url), _fetched(work, told))])


def _fetched(work: Work, told: FetchedPage | PageNotFetched) -> Mapping[str, Any]:
    if isinstance(told, FetchedPage):
        known = {"raw_object": work.put(told.body), **({"title": told.title} if told.title else {})}
        return {"got": FETCHED, "got_reason": None, "got_at": told.at, **known}
    state = GONE if told.state == GONE else FAILED
    return {"got": state, "got_reason": told.reason or told.state, "got_at": work.now()}


def _note(work: Work, values: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    work.ledger.write(lambda conn: run_pages.update_pages(conn, work.run.run_id, values))
