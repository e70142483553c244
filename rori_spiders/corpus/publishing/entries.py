"""What a version is to hold: its documents, each an object of the staging area, and who wants it published."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rori_spiders.corpus.publishing.version import Rights

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from rori_spiders.corpus.publishing.version import Linked, Manifest


@dataclass(frozen=True, slots=True)
class Entry:
    """One document. ``object`` is the SHA-256 of its file, ``raw_hash`` that of the source text it was made of.

    ``linked``: another document's text is part of that.
    """

    doc_id: str
    url: str
    title: str | None
    object: str
    content_hash: str
    raw_hash: str | None
    page_id: str | None
    rights: Rights = field(default_factory=Rights)
    linked: Linked | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """Who wants which version published. Times have a zone.

    ``base_version``: the version that the documents were merged into, which must still be the latest; None: they are
    all anew. ``reason``: a person's, for a change of more than a third of the pages, or for a rollback.
    ``leaves_out``: pages that may not be published are left out and named; else they keep the version from being begun.
    """

    domain: str
    published_by: str
    run_id: str | None = None
    approved_by: str | None = None
    approved_at: datetime | None = None
    base_version: int | None = None
    rolled_back_to: int | None = None
    reason: str | None = None
    leaves_out: bool = False


def entries_of(manifest: Manifest) -> list[Entry]:
    """The documents of a version."""
    return [
        Entry(
            doc_id=one.doc_id,
            url=one.source_url,
            title=one.title,
            object=one.sha256,
            content_hash=one.content_hash,
            raw_hash=one.raw_hash,
            page_id=one.page_id,
            rights=one.rights,
            linked=one.linked,
        )
        for one in manifest.pages
    ]


def merged(base: Manifest, changed: Iterable[Entry], gone: Collection[str]) -> list[Entry]:
    """The documents of *base* with those of a delta: *changed* and new ones put in, *gone* (doc_ids) taken out.

    A document whose page has another doc_id now takes the place of the one it had.
    """
    put_in = {one.doc_id: one for one in changed}
    moved = {one.url for one in put_in.values()}
    kept = [one for one in entries_of(base) if one.doc_id not in put_in and one.url not in moved]
    return sorted((*(one for one in kept if one.doc_id not in gone), *put_in.values()), key=lambda one: one.doc_id)
