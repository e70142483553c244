"""The text of the one document that a page only leads to, taken as the page's text where the site's rules say so.

In: included pages with their texts. Out: the same, each stub with the document's text below its own, and in ``linked``
what that was made of; or why it was not taken, in words.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rori_spiders.corpus.cleaning.clean import clean
from rori_spiders.corpus.cleaning.stub import is_pdf, with_document
from rori_spiders.corpus.publishing.standing import standing
from rori_spiders.corpus.publishing.version import Linked
from rori_spiders.corpus.running.beginning import DELTA, hosts_of
from rori_spiders.crawl.adhoc.messages import FetchedPage
from rori_spiders.ledger.corpus import run_pages, source_texts
from rori_spiders.urls.canonical import host_of, normalise_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlalchemy import Row

    from rori_spiders.corpus.running.work import Work
    from rori_spiders.crawl.adhoc.messages import PageNotFetched

_IN_CORPUS = "it is a page of the corpus itself, so that this page is not needed: exclude it"


class _Text(NamedTuple):
    """Of a document: its object, or why there is none."""

    digest: str | None
    reason: str | None = None


async def take_documents(work: Work) -> None:
    """Do so for each included page that is not cleaned yet. Raises StagingError."""
    if not work.rules.take_linked_documents:
        return
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=work.run.run_id))
    # In threads: while a step holds the event loop, the process cannot say that it is alive.
    stubs = await asyncio.to_thread(lambda: list(_stubs(work, rows)))
    refused = _refused(work, rows)
    found = {url: _Text(None, why) for _, url in stubs if (why := refused(url)) is not None}
    found |= await _texts(work, sorted({url for _, url in stubs} - set(found)))
    for row, url in stubs:
        known = await asyncio.to_thread(_joined, work, row, url, found[url])
        work.ledger.write(partial(run_pages.update_page, run_id=work.run.run_id, page_id=row.page_id, values=known))


def own_text(row: Row[Any]) -> str | None:
    """The object of the page's own text, whatever was put below it."""
    own: str | None = row.linked["own_object"] if row.linked else row.raw_object
    return own


def linked_in(row: Row[Any]) -> Linked | None:
    """The document whose text is part of the page's; None: none is."""
    told = row.linked
    if not told or not told["object"]:
        return None
    return Linked(url=told["url"], raw_hash=told["object"], own_hash=told["own_object"])


def _stubs(work: Work, rows: Sequence[Row[Any]]) -> Iterator[tuple[Row[Any], str]]:
    for row in rows:
        if row.decision != "include" or row.raw_object is None or row.draft_object is not None or row.linked:
            continue
        text = work.text(row.raw_object)
        document = clean(text, url=row.url, title=row.title or "", rules=work.rules).document
        if document is not None:
            yield row, _address(document)


def _address(document: str) -> str:
    """In its one spelling; what cannot be read stays as it is, and is refused."""
    try:
        return normalise_url(document)
    except ValueError:
        return document


def _refused(work: Work, rows: Sequence[Row[Any]]) -> Callable[[str], str | None]:
    """Why a document is not even asked for; None: it may be."""
    here = {row.url: row for row in rows}
    base = standing(work.store, work.run.domain).manifest if work.run.kind == DELTA else None
    published = {page.source_url for page in base.pages} if base is not None else set()

    def why(url: str) -> str | None:
        try:
            normalise_url(url)
        except ValueError as error:
            return f"its address cannot be read: {error}"
        row = here.get(url)
        if row is None:
            return _IN_CORPUS if url in published else None
        if row.decision == "exclude":
            return f"a person has excluded it: {row.reason}" if row.decided_by == "override" else None
        return _IN_CORPUS if row.decision == "include" else "it waits for a decision of its own"

    return why


async def _texts(work: Work, urls: Sequence[str]) -> dict[str, _Text]:
    """Document -> its text: what the run's sources hold, else what is fetched through all gates."""
    held = work.ledger.read(partial(source_texts.load_held_texts, urls=urls, sources=sorted(work.sources)))
    found = {url: _of_held(text) for url, text in held.items()}
    return found | await _fetched(work, [url for url in urls if url not in found])


def _of_held(text: source_texts.HeldText) -> _Text:
    return _Text(None, "its publisher has removed it") if text.gone else _Text(text.body_object)


async def _fetched(work: Work, urls: Sequence[str]) -> dict[str, _Text]:
    hosts = {*hosts_of(work.run, work.sources), *work.rules.triage.allowed_hosts}
    elsewhere = _Text(None, "it lies on no host of this corpus: name its host in `triage.allowed_hosts`, or collect it")
    nobody = "it is not held, and nothing is fetched in this run" if work.fetch is None else "it was not answered"
    found = {url: _Text(None, nobody) if host_of(url) in hosts else elsewhere for url in urls}
    wanted = [url for url in urls if found[url] is not elsewhere]
    if work.fetch is not None and wanted:
        async for told in work.fetch(wanted):
            found[told.url] = _of_answer(work, told)
    return found


def _of_answer(work: Work, told: FetchedPage | PageNotFetched) -> _Text:
    if not isinstance(told, FetchedPage):
        return _Text(None, told.reason)
    if not is_pdf(told.final_url):
        return _Text(None, f"it leads on to {told.final_url}, which is no PDF")
    return _Text(work.put(told.body))


def _joined(work: Work, row: Row[Any], url: str, text: _Text) -> Mapping[str, Any]:
    linked = {"url": url, "own_object": row.raw_object, "object": text.digest, "reason": text.reason}
    if text.digest is None:
        return {"linked": linked}
    whole = with_document(work.text(row.raw_object), work.text(text.digest))
    return {"linked": linked, "raw_object": work.put(whole)}
