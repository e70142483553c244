"""Plan a version: its documents, what changed since the previous version, and tombstones. Values in, values out.

A tombstone stays in every later version until its document is back: a loader that skipped a version learns of it
too.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import Row

from rori_spiders.corpus.publishing.current_version import CurrentVersion
from rori_spiders.corpus.publishing.version_manifest import (
    FORMAT,
    NULLIFIED,
    ChunkFile,
    ChunkTable,
    LinkedDocument,
    Manifest,
    PreviousVersion,
    ReferenceFile,
    Rights,
    Tombstone,
    VersionPage,
    WithheldPage,
    page_path,
    tombstone_path,
)
from rori_spiders.corpus.site_rules import Tokenizer
from rori_spiders.envelope.log_lines import format_wire_time


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
    linked: LinkedDocument | None = None


@dataclass(frozen=True, slots=True)
class PublishRequest:
    """A request to publish a version: domain, person, reason. Times have a zone.

    ``base_version``: the version that the documents were merged into, which must still be the latest; None: they are
    all anew. ``reason``: a person's, for a change of more than a third of the pages, or for a rollback.
    ``leaves_out``: pages that may not be published are left out and named; else they keep the version from being begun.
    ``tokenizers``: by which the chunks are counted, beside the estimate. ``unlisted``: URLs of published pages that the
    run never met, so that nobody has seen them gone; they are removed only for a *reason*.
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
    tokenizers: tuple[Tokenizer, ...] = ()
    unlisted: tuple[str, ...] = ()


def entries_from_manifest(manifest: Manifest) -> list[Entry]:
    """Return the documents of a version."""
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


def merge_delta(base: Manifest, changed: Iterable[Entry], gone: Collection[str]) -> list[Entry]:
    """Merge a delta into *base*: put *changed* and new documents in, take *gone* (doc_ids) out.

    A document whose page has another doc_id now takes the place of the one it had.
    """
    put_in = {one.doc_id: one for one in changed}
    moved = {one.url for one in put_in.values()}
    unchanged = [one for one in entries_from_manifest(base) if one.doc_id not in put_in and one.url not in moved]
    return sorted((*(one for one in unchanged if one.doc_id not in gone), *put_in.values()), key=lambda one: one.doc_id)


@dataclass(frozen=True, slots=True)
class VersionPlan:
    """A version without its number. ``left_out``: documents that may not be published."""

    request: PublishRequest
    before: CurrentVersion
    entries: Sequence[Entry]
    left_out: Sequence[Entry] = ()
    chunk_file: ChunkFile | None = None
    chunk_table: ChunkTable | None = None
    reference_file: ReferenceFile | None = None

    @property
    def is_published(self) -> bool:
        """Whether `latest` already names a version of the same request with the same documents."""
        there, request = self.before.manifest, self.request
        if there is None or (there.run_id, there.rolled_back_to) != (request.run_id, request.rolled_back_to):
            return False
        return {(one.doc_id, one.sha256) for one in there.pages} == {(one.doc_id, one.object) for one in self.entries}

    @property
    def contents_hash(self) -> str:
        """A hash of the contents and the previous version, independent of time and person."""
        request = self.request
        contents = [
            self.before.latest.manifest_sha256 if self.before.latest else None,
            [request.run_id, request.rolled_back_to, request.reason, request.approved_by],
            request.approved_at and format_wire_time(request.approved_at),
            [[*_comparison_key(one), one.object, one.content_hash, one.title] for one in self.entries],
            [_comparison_key(one) for one in self.left_out],
        ]
        return sha256(json.dumps(contents).encode()).hexdigest()

    def manifest(self, row: Row[Any]) -> Manifest:
        """Return the manifest of the version that *row* of the ledger reserves."""
        request, before = self.request, self.before
        previous = None
        if (latest := before.latest) is not None:
            previous = PreviousVersion(version=latest.version, manifest_sha256=latest.manifest_sha256)
        return Manifest(
            format=FORMAT,
            domain=request.domain,
            version=row.version,
            run_id=request.run_id,
            rolled_back_to=request.rolled_back_to,
            reason=request.reason,
            approved_by=request.approved_by,
            approved_at=format_wire_time(request.approved_at) if request.approved_at else None,
            published_by=row.published_by,
            created_at=format_wire_time(row.begun_at),
            previous=previous,
            pages=list(self._pages(row.version)),
            tombstones=list(self._tombstones(row.version)),
            refused=[
                WithheldPage(doc_id=one.doc_id, source_url=one.url, reasons=one.rights.reasons) for one in self.left_out
            ],
            chunks=self.chunk_file,
            chunk_table=self.chunk_table,
            references=self.reference_file,
        )

    def _pages(self, version: int) -> Iterable[VersionPage]:
        former = {one.doc_id: one for one in self.before.manifest.pages} if self.before.manifest else {}
        for one in self.entries:
            old = former.get(one.doc_id)
            is_same = old is not None and old.content_hash == one.content_hash
            yield VersionPage(
                doc_id=one.doc_id,
                path=page_path(one.doc_id),
                content_hash=one.content_hash,
                sha256=one.object,
                source_url=one.url,
                title=one.title,
                page_id=one.page_id,
                raw_hash=one.raw_hash,
                state="new" if old is None else "unchanged" if is_same else "changed",
                since=old.since if old is not None and is_same else version,
                rights=one.rights,
                linked=one.linked,
            )

    def removed_urls(self) -> set[str]:
        """The URLs of pages that this version or one before removed."""
        return {one.source_url for one in self._tombstones(0)}

    def _tombstones(self, version: int) -> Iterable[Tombstone]:
        if self.before.manifest is None:
            return
        here = {one.doc_id for one in self.entries}
        removed = [
            _make_tombstone(one.doc_id, one.source_url, one.title, version) for one in self.before.manifest.pages
        ]
        found = (one for one in (*self.before.manifest.tombstones, *removed) if one.doc_id not in here)
        yield from sorted(found, key=lambda one: one.doc_id)


def _comparison_key(one: Entry) -> list[Any]:
    return [one.doc_id, one.url, one.rights.model_dump()]


def _make_tombstone(doc_id: str, url: str, title: str | None, since: int) -> Tombstone:
    file = tombstone_file(doc_id, url, since)
    digest = sha256(file).hexdigest()
    return Tombstone(
        doc_id=doc_id, path=tombstone_path(doc_id), sha256=digest, source_url=url, title=title, since=since
    )


def tombstone_file(doc_id: str, url: str, since: int) -> bytes:
    """Return the file of a tombstone, the same in every version that has it."""
    front = f"doc_id: {doc_id}\nsource_url: {json.dumps(url)}\nremoved_in: {since}\n"
    return f"---\n{front}---\n\n{NULLIFIED}\n".encode()
