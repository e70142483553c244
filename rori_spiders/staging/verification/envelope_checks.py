"""Each envelope file: does it hold what its name, its hashes, its row and its objects say?"""

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from itertools import chain, islice
from typing import Any, NamedTuple

from pydantic import ValidationError
from sqlalchemy import Row, and_, select

from rori_spiders.envelope import Envelope, parse_envelope
from rori_spiders.envelope.log_lines import format_wire_time
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.tables import envelopes, pages, versions
from rori_spiders.runtime.control_characters import replace_surrogates
from rori_spiders.staging.envelope_writer import bare_hash
from rori_spiders.staging.store import Store
from rori_spiders.staging.verification.finding import Finding
from rori_spiders.staging.verification.object_checks import ObjectChecker
from rori_spiders.staging.verification.parallel_reads import map_in_threads
from rori_spiders.staging.verification.selection import Selection

#: Files whose rows are asked for in one statement.
_ROWS_TOGETHER = 200


def check_strays(store: Store) -> Iterator[Finding]:
    """Find files that do not belong in the staging area, and torn last lines."""
    for path in store.strays():
        if path.startswith("_tmp/"):
            yield Finding("temporary_file", path, "was left unfinished by a process that died", repairable=True)
        else:
            yield Finding("stray", path, "does not belong in a staging area: check it, and remove it")
    for name in store.torn():
        yield Finding("torn_line", name, "ends in the middle of a line", repairable=True)


class _ListedFile(NamedTuple):
    """An envelope file with its row and the row of its version, where there are any."""

    path: str
    row: Row[Any] | None
    version: Row[Any] | None


def check_files(
    ledger: Ledger, store: Store, objects: ObjectChecker, selection: Selection, counts: Counter[str]
) -> Iterator[Finding]:
    """Every envelope file that *selection* opens, against itself, its row, its version and its objects."""
    unknown: list[_ListedFile] = []  # those without a row are always opened
    listed = selection.choose("files", _list_known_files(ledger, store, selection, unknown))
    opened = chain(listed, unknown)
    for findings in map_in_threads(lambda one: _open_file(store, one, objects), opened, threads=store.concurrent_reads):
        if findings is not None:
            counts["files"] += 1
            yield from findings


def _list_known_files(
    ledger: Ledger, store: Store, selection: Selection, unknown: list[_ListedFile]
) -> Iterator[_ListedFile]:
    """The files with a row of a run that is to be looked at; appends those without any row to *unknown*."""
    paths = store.paths()
    with ledger.connect() as conn:
        recent = selection.recent_runs()
        runs = None if recent is None else set(conn.execute(recent).scalars())
    while batch := list(islice(paths, _ROWS_TOGETHER)):
        # The rows are asked for after the files were seen: a file never comes before its row.
        with ledger.connect() as conn:
            rows = {row.path: row for row in conn.execute(select(envelopes).where(envelopes.c.path.in_(batch)))}
            found = conn.execute(_VERSIONS_WITH_PATHS.where(envelopes.c.path.in_(batch)))
            versions_of = {row.envelope_path: row for row in found}
        for path in batch:
            one = _ListedFile(path, rows.get(path), versions_of.get(path))
            if one.row is None:
                unknown.append(one)
            elif runs is None or one.row.run_id in runs:
                yield one


_VERSIONS_WITH_PATHS = (
    select(versions, envelopes.c.path.label("envelope_path"), pages.c.body_chars, pages.c.last_seq, pages.c.gone_at)
    .select_from(envelopes)
    .join(pages, and_(pages.c.source_id == envelopes.c.source_id, pages.c.url_hash == envelopes.c.url_hash))
    .join(versions, and_(versions.c.page_id == pages.c.page_id, versions.c.run_id == envelopes.c.run_id))
)


def _open_file(store: Store, one: _ListedFile, objects: ObjectChecker) -> list[Finding] | None:
    """What is wrong with the file; None when it is not there any more."""
    try:
        data = store.read(one.path)
    except FileNotFoundError:  # pruned, or dropped by a recovery, since it was listed
        return None
    return list(_check_file(one.path, data, one.row, one.version, objects))


def _check_file(
    path: str, data: bytes, row: Row[Any] | None, version: Row[Any] | None, objects: ObjectChecker
) -> Iterator[Finding]:
    is_as_written = row is not None and sha256(data).hexdigest() == row.file_hash
    if row is None:
        yield Finding("file_without_row", path, "this file is not in the ledger")
    elif not is_as_written:
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
    if is_as_written and version is not None:
        yield from _check_version(path, envelope, version)
    integrity = envelope.integrity
    named = (
        ("body", integrity.content_hash),
        ("raw bytes", integrity.raw_hash),
        ("picture of the page", integrity.screenshot_hash),
    )
    for what, digest in named:
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
    stored = version.section_hashes[: len(sections)]
    stored_sections = [[replace_surrogates(heading), hashed] for heading, hashed in stored]
    length = len(envelope.content.body)
    pairs = {
        "captured_at": (format_wire_time(version.captured_at), envelope.scrape.timestamp),
        "change_type": (version.change_type, integrity.change_type),
        "html_hash": (version.html_hash, integrity.html_hash and bare_hash(integrity.html_hash)),
        "raw_object": (version.raw_object, bare_hash(integrity.raw_hash or digest)),
        "body_object": (version.body_object, digest),
        "screenshot_object": (version.screenshot_object, bare_hash(integrity.screenshot_hash or "")),
        "section_hashes": (stored_sections, sections),
        "converter_version": (version.converter_version, integrity.converter_version or version.converter_version),
        "tier": (version.tier, envelope.scrape.engine),
        "title": (version.title and replace_surrogates(version.title), metadata.title),
        "published": (version.published and replace_surrogates(version.published), metadata.published_date),
        "body_chars": (version.body_chars if _is_last_text(version) else length, length),
        "effective": (version.effective and replace_surrogates(version.effective), metadata.effective_date),
    }
    wrong = [name for name, (row, file) in pairs.items() if (row or None) != (file or None)]
    if wrong:
        yield Finding("version_differs", path, f"its version in the ledger differs from the file: {', '.join(wrong)}")


def _is_last_text(version: Row[Any]) -> bool:
    """Whether its length is its page's: a page that is gone keeps that of its last text."""
    is_removal: bool = version.change_type == "deleted"
    return not is_removal and bool(version.seq == version.last_seq - (version.gone_at is not None))
