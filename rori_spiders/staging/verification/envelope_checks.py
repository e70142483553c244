"""Each envelope file: does it hold what its name, its hashes, its row and its objects say?"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from sqlalchemy import and_, select

from rori_spiders.content.encoding import clean
from rori_spiders.envelope import parse_envelope
from rori_spiders.envelope.log_lines import format_wire_time
from rori_spiders.ledger.tables import envelopes, pages, versions
from rori_spiders.staging.envelope_writer import bare_hash
from rori_spiders.staging.verification.finding import Finding

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from sqlalchemy import Row

    from rori_spiders.envelope import Envelope
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.store import Store
    from rori_spiders.staging.verification.object_checks import ObjectChecker


def check_strays(store: Store) -> Iterator[Finding]:
    """Find files that do not belong in the staging area, and torn last lines."""
    for path in store.strays():
        if path.startswith("_tmp/"):
            yield Finding("temporary_file", path, "was left unfinished by a process that died", repairable=True)
        else:
            yield Finding("stray", path, "does not belong in a staging area: check it, and remove it")
    for name in store.torn():
        yield Finding("torn_line", name, "ends in the middle of a line", repairable=True)


def check_files(ledger: Ledger, store: Store, objects: ObjectChecker, counts: Counter[str]) -> Iterator[Finding]:
    """Every envelope file against itself, its row, its version and its objects."""
    for path in store.paths():
        counts["files"] += 1
        # The row is asked for after the file was seen: a file never comes before its row.
        with ledger.connect() as conn:
            row = conn.execute(select(envelopes).where(envelopes.c.path == path)).one_or_none()
            version = conn.execute(_VERSION_OF_PATH.where(envelopes.c.path == path)).one_or_none()
        try:
            data = store.read(path)
        except FileNotFoundError:  # pruned, or dropped by a recovery, since it was listed
            counts["files"] -= 1
            continue
        yield from _check_file(path, data, row, version, objects)


_VERSION_OF_PATH = (
    select(versions)
    .select_from(envelopes)
    .join(pages, and_(pages.c.source_id == envelopes.c.source_id, pages.c.url_hash == envelopes.c.url_hash))
    .join(versions, and_(versions.c.page_id == pages.c.page_id, versions.c.run_id == envelopes.c.run_id))
)


def _check_file(
    path: str, data: bytes, row: Row[Any] | None, version: Row[Any] | None, objects: ObjectChecker
) -> Iterator[Finding]:
    if row is None:
        yield Finding("file_without_row", path, "this file is not in the ledger")
    elif sha256(data).hexdigest() != row.file_hash:
        yield Finding("file_changed", path, "was changed after it was written: its hash differs")
    elif row.state == "pruned":
        yield Finding("file_not_pruned", path, "recorded as pruned, but still present")
    try:
        envelope = parse_envelope(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"]) or "the file"
        yield Finding("not_an_envelope", path, f"{error.error_count()} fields are wrong; {where}: {first['msg']}")
        return
    yield from _check_hashes(path, envelope)
    yield from _check_row(path, envelope, row)
    if row is not None and version is not None and sha256(data).hexdigest() == row.file_hash:
        yield from _check_version(path, envelope, version)
    for what, digest in (("body", envelope.integrity.content_hash), ("raw bytes", envelope.integrity.raw_hash)):
        if digest is not None:
            yield from objects.check(bare_hash(digest), path, what)


def _check_hashes(path: str, envelope: Envelope) -> Iterator[Finding]:
    content, integrity = envelope.content, envelope.integrity
    digest = bare_hash(integrity.content_hash)
    if _hash_text(content.body) != digest:
        yield Finding("content_hash", path, "content_hash is not the hash of content.body")
    html_hash = bare_hash(integrity.html_hash) if integrity.html_hash else None
    if (_hash_text(content.body_html) if content.body_html is not None else None) != html_hash:
        yield Finding("html_hash", path, "html_hash is not the hash of content.body_html")
    if content.body_length_chars != len(content.body):
        yield Finding("body_length", path, "body_length_chars is not the length of content.body")
    folder, _, name = path.rpartition("/")
    if not name.endswith(f"__{digest[:8]}.json"):
        yield Finding("name", path, f"its name does not end with the first 8 of its content hash, {digest[:8]}")
    if not name.startswith(f"{envelope.source.manifest_id}__"):
        yield Finding("name", path, f"its name does not begin with its source, {envelope.source.manifest_id}")
    if not folder.endswith(f"/{envelope.scrape.timestamp[:10]}"):
        yield Finding("name", path, f"it does not lie under the day of its capture, {envelope.scrape.timestamp[:10]}")


def _hash_text(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _check_row(path: str, envelope: Envelope, row: Row[Any] | None) -> Iterator[Finding]:
    if row is None:
        return
    expected = {
        "envelope_id": envelope.envelope_id,
        "run_id": envelope.audit.scrape_run_id,
        "source_id": envelope.source.manifest_id,
        "url": envelope.source.url,
        "content_hash": bare_hash(envelope.integrity.content_hash),
        "change_type": envelope.integrity.change_type,
    }
    wrong = [name for name, value in expected.items() if row._mapping[name] != value]
    if wrong:
        yield Finding("row_differs", path, f"file and ledger do not agree on: {', '.join(wrong)}")


def _check_version(path: str, envelope: Envelope, version: Row[Any]) -> Iterator[Finding]:
    """The version's row against the file that it was written with, which its hash proves unchanged."""
    integrity, metadata, digest = envelope.integrity, envelope.page_metadata, bare_hash(envelope.integrity.content_hash)
    sections = [[part.path, bare_hash(part.hash)] for part in integrity.section_hashes or ()]
    stored_sections = [[clean(heading), hashed] for heading, hashed in version.section_hashes[: len(sections)]]
    pairs = {
        "captured_at": (format_wire_time(version.captured_at), envelope.scrape.timestamp),
        "change_type": (version.change_type, integrity.change_type),
        "html_hash": (version.html_hash, integrity.html_hash and bare_hash(integrity.html_hash)),
        "raw_object": (version.raw_object, bare_hash(integrity.raw_hash or digest)),
        "body_object": (version.body_object, digest),
        "section_hashes": (stored_sections, sections),
        "converter_version": (version.converter_version, integrity.converter_version or version.converter_version),
        "tier": (version.tier, envelope.scrape.engine),
        "title": (version.title and clean(version.title), metadata.title),
        "published": (version.published and clean(version.published), metadata.published_date),
        "effective": (version.effective and clean(version.effective), metadata.effective_date),
    }
    wrong = [name for name, (row, file) in pairs.items() if (row or None) != (file or None)]
    if wrong:
        yield Finding("version_differs", path, f"its version in the ledger differs from the file: {', '.join(wrong)}")
