"""The state ``scraping``: the newest stored text of each included page; a missing one is fetched through the gates
of a collection.  A page without a text is ``failed`` with the reason, and stays on the list. The text of a PDF
that a stub page leads to is appended to the page's own text where the site rules say so (``linked``).
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Row

from rori_spiders.content.metadata.statements import PageStatements
from rori_spiders.corpus.cleaning.cleaner import append_document, clean_body, is_pdf
from rori_spiders.corpus.publishing.current_version import read_current_version
from rori_spiders.corpus.publishing.version_manifest import LinkedDocument
from rori_spiders.corpus.runs.run import DELTA, RunContext, hosts_of
from rori_spiders.crawl.adhoc.messages import FetchedPage, PageNotFetched
from rori_spiders.envelope.models import parse_envelope
from rori_spiders.ledger.corpus import run_pages, source_texts
from rori_spiders.ledger.corpus.page_ids import page_id_for_url
from rori_spiders.urls.canonical import host_of, normalise_url

STAGED, FETCHED, FAILED, GONE = "staged", "fetched", "failed", "gone"
#: Pages whose texts are looked up at once.
TEXTS_BATCH = 200
_NOBODY_FETCHES = "no text stored, and this run fetches nothing"
_NO_ENVELOPE = (
    "its envelope {path} {what} in the staging area: restore it from a copy (`scrapy verify` lists all such files) and"
    " include the page again, or exclude it"
)


async def run_scraping(work: RunContext) -> None:
    """Collect the text of each included page, or record why there is none. Raises StagingError."""
    await collect_texts(
        work, work.ledger.read(partial(run_pages.list_pages, run_id=work.run.run_id, decision="include", got=None))
    )
    await append_linked_documents(work)


async def collect_texts(work: RunContext, rows: Sequence[Row[Any]]) -> None:
    """Collect the texts of these pages."""
    missing = []
    for at in range(0, len(rows), TEXTS_BATCH):
        batch = rows[at : at + TEXTS_BATCH]
        held = work.ledger.read(
            partial(source_texts.load_held_texts, urls=[row.url for row in batch], sources=sorted(work.sources))
        )
        stored = [row for row in batch if row.url in held]
        found = await work.in_threads(partial(_stored_text_values, work), [held[row.url] for row in stored])
        known = [(row.page_id, values) for row, values in zip(stored, found, strict=True)]
        work.ledger.write(partial(run_pages.update_pages, run_id=work.run.run_id, values=known))
        missing += [row for row in batch if row.url not in held]
    await _fetch_pages(work, missing)


def _stored_text_values(work: RunContext, text: source_texts.HeldText) -> Mapping[str, Any]:
    if text.gone:
        return {"got": GONE, "got_reason": "removed by the publisher", "got_at": text.at}
    values = {"title": text.title, "raw_object": text.body_object, "dated": text.published, "published": text.published}
    if text.envelope_path is not None:
        try:
            envelope = parse_envelope(work.store.read(text.envelope_path))
        except (FileNotFoundError, ValueError) as error:
            what = "is missing" if isinstance(error, FileNotFoundError) else "is damaged"
            reason = _NO_ENVELOPE.format(path=text.envelope_path, what=what)
            return {"got": FAILED, "got_reason": reason, "got_at": work.now()}
        values["description"] = envelope.page_metadata.description
        values["language"] = envelope.content.language if envelope.content.language_source == "document" else None
    return {"got": STAGED, "got_reason": None, "got_at": text.at, **{name: one for name, one in values.items() if one}}


async def _fetch_pages(work: RunContext, rows: Sequence[Row[Any]]) -> None:
    if work.fetch is None:
        _record_texts(work, [(row.page_id, {"got": FAILED, "got_reason": _NOBODY_FETCHES}) for row in rows])
        return
    if rows:
        async for result in work.fetch([row.url for row in rows]):
            _record_texts(work, [(page_id_for_url(result.url), _fetched_page_values(work, result))])


def _fetched_page_values(work: RunContext, result: FetchedPage | PageNotFetched) -> Mapping[str, Any]:
    if isinstance(result, FetchedPage):
        stated = {
            "title": result.title,
            "description": result.description,
            "language": result.language,
            "dated": result.published,
            "published": result.published,
            "stated": {name: getattr(result, name) for name in PageStatements._fields},
        }
        known = {name: one for name, one in stated.items() if one}
        return {"got": FETCHED, "got_reason": None, "got_at": result.at, "raw_object": work.put(result.body), **known}
    state = GONE if result.state == GONE else FAILED
    return {"got": state, "got_reason": result.reason or result.state, "got_at": work.now()}


def _record_texts(work: RunContext, values: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    work.ledger.write(lambda conn: run_pages.update_pages(conn, work.run.run_id, values))


# Linked documents: ``linked`` records the document, or why it was not used.

_IN_CORPUS = "it is itself a page of the corpus; exclude this page"


class _DocumentText(NamedTuple):
    """The object of a document's text, or the reason for its absence."""

    digest: str | None
    reason: str | None = None


async def append_linked_documents(work: RunContext) -> None:
    """Append linked documents to included pages that are not cleaned yet. Raises StagingError."""
    if not work.rules.take_linked_documents:
        return
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=work.run.run_id))
    # In threads: a step that blocks the event loop delays the heartbeat of the process.
    stubs = await asyncio.to_thread(lambda: list(_find_stubs(work, rows)))
    refused = _document_refusals(work, rows)
    found = {url: _DocumentText(None, why) for _, url in stubs if (why := refused(url)) is not None}
    found |= await _document_texts(work, sorted({url for _, url in stubs} - set(found)))
    for row, url in stubs:
        known = await asyncio.to_thread(_joined_text_values, work, row, url, found[url])
        work.ledger.write(partial(run_pages.update_page, run_id=work.run.run_id, page_id=row.page_id, values=known))


def own_text(row: Row[Any]) -> str | None:
    """Return the object of the page's own text, without an appended document."""
    own: str | None = row.linked["own_object"] if row.linked else row.raw_object
    return own


def linked_document_of(row: Row[Any]) -> LinkedDocument | None:
    """Return the document whose text was appended to the page's, or None."""
    link = row.linked
    if not link or not link["object"]:
        return None
    return LinkedDocument(url=link["url"], raw_hash=link["object"], own_hash=link["own_object"])


def _find_stubs(work: RunContext, rows: Sequence[Row[Any]]) -> Iterator[tuple[Row[Any], str]]:
    for row in rows:
        if row.decision != "include" or row.raw_object is None or row.draft_object is not None or row.linked:
            continue
        text = work.text(row.raw_object)
        document = clean_body(text, url=row.url, title=row.title or "", rules=work.rules).document
        if document is not None:
            yield row, _normalise_document_url(document)


def _normalise_document_url(document: str) -> str:
    """Normalise the URL; an invalid one stays unchanged and is refused later."""
    try:
        return normalise_url(document)
    except ValueError:
        return document


def _document_refusals(work: RunContext, rows: Sequence[Row[Any]]) -> Callable[[str], str | None]:
    """Return why a document is not requested; None: it is."""
    here = {row.url: row for row in rows}
    base = read_current_version(work.store, work.run.domain).manifest if work.run.kind == DELTA else None
    published = {page.source_url for page in base.pages} if base is not None else set()

    def why(url: str) -> str | None:
        try:
            normalise_url(url)
        except ValueError as error:
            return f"invalid URL: {error}"
        row = here.get(url)
        if row is None:
            return _IN_CORPUS if url in published else None
        if row.decision == "exclude":
            return f"excluded by a person: {row.reason}" if row.decided_by == "override" else None
        return _IN_CORPUS if row.decision == "include" else "it is a page of this run that is not decided yet"

    return why


async def _document_texts(work: RunContext, urls: Sequence[str]) -> dict[str, _DocumentText]:
    """Return the texts of documents: stored ones of the run's sources, else fetched ones."""
    held = work.ledger.read(partial(source_texts.load_held_texts, urls=urls, sources=sorted(work.sources)))
    found = {url: _stored_document(text) for url, text in held.items()}
    return found | await _fetch_documents(work, [url for url in urls if url not in found])


def _stored_document(text: source_texts.HeldText) -> _DocumentText:
    return _DocumentText(None, "removed by the publisher") if text.gone else _DocumentText(text.body_object)


async def _fetch_documents(work: RunContext, urls: Sequence[str]) -> dict[str, _DocumentText]:
    hosts = {*hosts_of(work.run, work.sources), *work.rules.triage.allowed_hosts}
    elsewhere = _DocumentText(
        None, "its host is not one of this corpus: add it to `triage.allowed_hosts`, or collect it"
    )
    nobody = "its text is not stored, and this run fetches nothing" if work.fetch is None else "no response"
    found = {url: _DocumentText(None, nobody) if host_of(url) in hosts else elsewhere for url in urls}
    wanted = [url for url in urls if found[url] is not elsewhere]
    if work.fetch is not None and wanted:
        async for result in work.fetch(wanted):
            found[result.url] = _fetched_document(work, result)
    return found


def _fetched_document(work: RunContext, result: FetchedPage | PageNotFetched) -> _DocumentText:
    if not isinstance(result, FetchedPage):
        return _DocumentText(None, result.reason)
    if not is_pdf(result.final_url):
        return _DocumentText(None, f"it redirects to {result.final_url}, which is not a PDF")
    return _DocumentText(work.put(result.body))


def _joined_text_values(work: RunContext, row: Row[Any], url: str, text: _DocumentText) -> Mapping[str, Any]:
    linked = {"url": url, "own_object": row.raw_object, "object": text.digest, "reason": text.reason}
    if text.digest is None:
        return {"linked": linked}
    whole = append_document(work.text(row.raw_object), work.text(text.digest))
    return {"linked": linked, "raw_object": work.put(whole)}
