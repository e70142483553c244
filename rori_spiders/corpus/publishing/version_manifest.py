"""The form of a version's ``manifest.json`` and of ``latest.json``: written byte for byte the same each time.

Readers ignore keys that they do not know: later forms only ever add some.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from typing import Annotated, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from rori_spiders.ledger.corpus.published_versions import version_prefix

FORMAT: Literal["rori-corpus-version/1"] = "rori-corpus-version/1"
LATEST_FORMAT: Literal["rori-corpus-latest/1"] = "rori-corpus-latest/1"
MANIFEST = "manifest.json"
#: Text of a tombstone, for loaders that read texts.
NULLIFIED = "<!-- nullified -->"

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
#: A file's name without its suffix.
DocId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.~-]{0,199}$")]
PageState = Literal["new", "changed", "unchanged"]
RightsVerdict = Literal["permitted", "forbidden", "not_known"]


class NotAVersion(ValueError):
    """Raised for an inconsistent manifest; the text lists every problem."""


class _ManifestModel(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class Rights(_ManifestModel):
    """Usage rights of a page: "permitted" only with evidence that says so.

    ``reasons`` are those of the verdict, ``conditions`` what else its publisher asks (``told`` in
    versions before 1.0), ``unknown`` what could not be looked at.
    """

    verdict: RightsVerdict = "not_known"
    reasons: list[str] = []
    conditions: list[str] = Field(default=[], validation_alias=AliasChoices("conditions", "told"))
    unknown: list[str] = []


class LinkedDocument(_ManifestModel):
    """The document whose text was appended to the page's own, with the hashes of both source texts."""

    url: str
    raw_hash: Digest
    own_hash: Digest


class VersionPage(_ManifestModel):
    """A document of a version. ``sha256`` is that of its file, ``since`` the version that had this text first."""

    doc_id: DocId
    path: str
    content_hash: Digest
    sha256: Digest
    source_url: str
    title: str | None
    page_id: str | None
    raw_hash: Digest | None
    state: PageState
    since: int
    rights: Rights
    linked: LinkedDocument | None = Field(default=None, exclude_if=lambda linked: linked is None)


class Tombstone(_ManifestModel):
    """A document of an earlier version that this one does not have. ``since``: the version that removed it."""

    doc_id: DocId
    path: str
    sha256: Digest
    source_url: str
    title: str | None
    since: int


class WithheldPage(_ManifestModel):
    """An approved page that was omitted because it may not be published."""

    doc_id: DocId
    source_url: str
    reasons: list[str]


class PreviousVersion(_ManifestModel):
    """The previous version: versions form a chain."""

    version: int
    manifest_sha256: Digest


class ChunkFile(_ManifestModel):
    """The chunks of the version's documents. ``tokenizers``: by which they are counted."""

    path: Literal["chunks.jsonl"]
    sha256: Digest
    format: Literal["rori-chunks/1"]
    chunker: int
    tokenizers: list[str]
    chunks: int


class ChunkTable(_ManifestModel):
    """The same chunks as Parquet."""

    path: Literal["chunks.parquet"]
    sha256: Digest


class ReferenceFile(_ManifestModel):
    """Who refers to whom. ``resolutions``: how many references of each kind."""

    path: Literal["references.jsonl"]
    sha256: Digest
    format: Literal["rori-references/1"]
    references: int
    resolutions: dict[str, int]


class Manifest(_ManifestModel):
    """The manifest of a version. Times are UTC, ``2026-11-23T03:32:41Z``."""

    format: Literal["rori-corpus-version/1"]
    domain: str
    version: int
    run_id: str | None
    rolled_back_to: int | None
    reason: str | None  # a person's, for a rollback, or for so large a change
    approved_by: str | None
    approved_at: str | None
    published_by: str
    created_at: str
    previous: PreviousVersion | None
    pages: list[VersionPage]
    tombstones: list[Tombstone]
    refused: list[WithheldPage]
    chunks: ChunkFile | None = Field(default=None, exclude_if=lambda chunks: chunks is None)  # none before 1.0
    chunk_table: ChunkTable | None = Field(default=None, exclude_if=lambda table: table is None)  # only with pyarrow
    references: ReferenceFile | None = Field(default=None, exclude_if=lambda references: references is None)

    @model_validator(mode="after")
    def _holds_together(self) -> Manifest:
        names = Counter(one.doc_id.casefold() for one in self.documents())
        problems = [f"{name} is listed {number} times" for name, number in sorted(names.items()) if number > 1]
        problems += [f"{one.doc_id} lies at {one.path}" for one in self.pages if one.path != page_path(one.doc_id)]
        problems += [
            f"{one.doc_id} lies at {one.path}" for one in self.tombstones if one.path != tombstone_path(one.doc_id)
        ]
        if self.previous is not None and self.previous.version >= self.version:
            problems.append(f"version {self.version} follows version {self.previous.version}")
        if problems:
            raise ValueError("; ".join(problems[:20]))
        return self

    def documents(self) -> Iterator[VersionPage | Tombstone]:
        """The documents and tombstones."""
        yield from self.pages
        yield from self.tombstones


class Latest(_ManifestModel):
    """The contents of ``latest.json``. ``manifest``: a path below the staging area."""

    format: Literal["rori-corpus-latest/1"]
    domain: str
    version: int
    manifest: str
    manifest_sha256: Digest


def page_path(doc_id: str) -> str:
    return f"pages/{doc_id}.md"


def tombstone_path(doc_id: str) -> str:
    return f"tombstones/{doc_id}.md"


def latest_path(domain: str) -> str:
    """Return the path of the pointer to the current version, below the staging area."""
    return f"domains/{domain}/corpora/latest.json"


def format_manifest(form: Manifest | Latest) -> bytes:
    """Format the file."""
    return form.model_dump_json(indent=1).encode() + b"\n"


def read_manifest(data: bytes, domain: str, version: int) -> Manifest:
    """Parse the manifest of this version. Raises NotAVersion."""
    try:
        manifest = Manifest.model_validate_json(data)
    except ValidationError as error:
        raise _describe_errors(error) from None
    if (manifest.domain, manifest.version) != (domain, version):
        raise NotAVersion(f"the file is the manifest of version {manifest.version} of {manifest.domain}")
    return manifest


def read_latest(data: bytes, domain: str) -> Latest:
    """Parse a ``latest.json``. Raises NotAVersion."""
    try:
        latest = Latest.model_validate_json(data)
    except ValidationError as error:
        raise _describe_errors(error) from None
    if latest.domain != domain or latest.manifest != f"{version_prefix(domain, latest.version)}/{MANIFEST}":
        raise NotAVersion(f"the file names {latest.manifest} of {latest.domain}")
    return latest


def latest_for(domain: str, version: int, manifest: bytes) -> Latest:
    """Return the pointer to a version, given the bytes of its manifest."""
    path = f"{version_prefix(domain, version)}/{MANIFEST}"
    digest = sha256(manifest).hexdigest()
    return Latest(format=LATEST_FORMAT, domain=domain, version=version, manifest=path, manifest_sha256=digest)


def _describe_errors(error: ValidationError) -> NotAVersion:
    messages = (f"{'.'.join(map(str, one['loc'])) or 'as a whole'}: {one['msg']}" for one in error.errors()[:5])
    return NotAVersion("; ".join(messages))
