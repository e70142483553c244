"""What is known of pages, as ``rights.py`` judges it: from the manifest, the ledger, and the bytes that were kept."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import lxml.html
from lxml.etree import ParserError

from rori_spiders.content import usage
from rori_spiders.content.decode import decode
from rori_spiders.corpus.publishing.rights import Known, judged, together
from rori_spiders.exceptions import DamagedObject
from rori_spiders.ledger.corpus.source_texts import load_rights_evidence
from rori_spiders.politeness.robots_policy import read_robots_txt
from rori_spiders.urls.canonical import origin_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from rori_spiders.content.usage import Signal
    from rori_spiders.corpus.publishing.entries import Entry
    from rori_spiders.ledger.corpus.source_texts import RightsEvidence
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.models import Source
    from rori_spiders.staging.store import Store

#: Pages whose rows are read at once.
BATCH = 200


def with_rights(
    ledger: Ledger, store: Store, sources: Mapping[str, Source], entries: Sequence[Entry], *, now: datetime
) -> list[Entry]:
    """*entries*, each with its rights as of now. *sources*: those of the corpus, by id. Raises StagingError."""
    found: list[Entry] = []
    for at in range(0, len(entries), BATCH):
        batch = entries[at : at + BATCH]
        urls = [url for one in batch for url in _of(one)]
        held = ledger.read(partial(load_rights_evidence, urls=urls, sources=sorted(sources)))
        told = {url: judged(known(store, sources, url, held.get(url), now=now)) for url in urls}
        found += [replace(one, rights=together({url: told[url] for url in _of(one)})) for one in batch]
    return found


def _of(entry: Entry) -> tuple[str, ...]:
    """Whatever its text was taken from."""
    return (entry.url, entry.linked.url) if entry.linked else (entry.url,)


def known(
    store: Store, sources: Mapping[str, Source], url: str, held: RightsEvidence | None, *, now: datetime
) -> Known:
    """What is known of the page at *url*, which a source holds as *held* says (None: none does)."""
    if held is None:
        return Known(url)
    said = sources[held.source_id].metadata
    robots = _object(store, held.robots_object)
    signals = None if held.headers is None else _signals(store, held, robots, url, now)
    text = None if robots is None else robots.decode(errors="replace")
    is_newer = held.raw_hash is not None and held.raw_hash != held.raw_object
    return Known(url, said.rights, said.terms_url, signals, text, is_newer=is_newer)


def _signals(store: Store, held: RightsEvidence, robots: bytes | None, url: str, now: datetime) -> tuple[Signal, ...]:
    headers = held.headers or {}
    of_site = (
        read_robots_txt(origin_of(url), status=200, body=robots, at=now).content_signal if robots is not None else None
    )
    kind = next((values[0] for name, values in headers.items() if name.lower() == "content-type" and values), None)
    raw = _object(store, held.raw_object)
    meta = _in_page(raw, kind) if raw is not None and (kind is None or "html" in kind.lower()) else ()
    return (*usage.in_robots(of_site), *usage.in_headers(headers), *meta)


def _in_page(raw: bytes, kind: str | None) -> tuple[Signal, ...]:
    try:
        root = lxml.html.document_fromstring(decode(raw, kind).text)
    except (ParserError, ValueError):  # nothing to read
        return ()
    return usage.in_page(root)


def _object(store: Store, digest: str | None) -> bytes | None:
    """The bytes of an object; None when there is none, or it is not what it was."""
    if digest is None:
        return None
    try:
        return store.get_object(digest)
    except (FileNotFoundError, DamagedObject):
        return None
