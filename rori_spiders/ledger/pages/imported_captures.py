"""Imported captures: what files of others say that a page was. Functions over a Connection.

Their rows are apart from those of our own requests: no question about versions, looks or coverage reads them.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, Select, func, select, tuple_

from rori_spiders.exceptions import ActionRefused
from rori_spiders.ledger.audit.fact_log import note_fact, note_rows
from rori_spiders.ledger.dialects import insert_missing, insert_new
from rori_spiders.ledger.pages.page_history import PageRow, VersionRow
from rori_spiders.ledger.tables import import_withdrawals, imported_captures, imports
from rori_spiders.urls.canonical import url_hash

#: What the API, exports and listings call the origin of these captures.
IMPORTED = "imported"
#: The publisher states that on this day there was no such page: an earlier text is not its text any more.
ABSENT = "absent"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedCapture:
    """One record of an imported file. Hashes are hex; a text and its bytes there are only in the state ``imported``."""

    import_id: str
    record: str
    source_id: str | None
    url: str | None
    captured_at: datetime | None
    recorded_at: datetime
    state: str  # imported | refused | unreadable | damaged | unchanged | absent | no_text
    trust: str | None = None  # archived | stated | publisher
    http_status: int | None = None
    content_type: str | None = None
    verdict: str | None = None
    rules: Sequence[str] | None = None
    reason: str | None = None
    raw_hash: str | None = None
    content_hash: str | None = None
    section_hashes: Sequence[tuple[str, str]] | None = None
    converter_version: str | None = None
    body_chars: int | None = None
    title: str | None = None
    published: str | None = None


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file that captures were imported from."""

    import_id: str
    kind: str
    name: str
    sha256: str
    software: str | None
    imported_by: str
    imported_at: datetime


_FIELDS = tuple(field.name for field in fields(ImportedCapture))


def ensure_import(conn: Connection, new: ImportedFile) -> str:
    """The id of the file with this kind and hash, which *new* becomes where it was never imported.

    Raises ActionRefused for one that was withdrawn.
    """
    same = (imports.c.kind == new.kind) & (imports.c.sha256 == new.sha256)
    found = conn.execute(select(imports.c.import_id).where(same)).scalar()
    if found is None:
        insert_missing(conn, imports, [{field.name: getattr(new, field.name) for field in fields(ImportedFile)}])
        found = conn.execute(select(imports.c.import_id).where(same)).scalar_one()
        if found == new.import_id:
            note_fact(conn, "import", found)
    _require_not_withdrawn(conn, found)
    return str(found)


def find_import(conn: Connection, kind: str, sha256: str) -> str | None:
    """The id of the file with this kind and hash; None where nothing of it was recorded. Raises as `ensure_import`."""
    same = (imports.c.kind == kind) & (imports.c.sha256 == sha256)
    found = conn.execute(select(imports.c.import_id).where(same)).scalar()
    if found is not None:
        _require_not_withdrawn(conn, found)
    return found


def new_import_id() -> str:
    return str(uuid4())


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """That an import was withdrawn, or restored: who decided, when and why."""

    import_id: str
    seq: int
    withdrawn: bool
    at: datetime
    actor: str
    reason: str


def find_withdrawal(conn: Connection, import_id: str) -> Withdrawal | None:
    """The last decision about an import; None where there is none."""
    of_import = select(import_withdrawals).where(import_withdrawals.c.import_id == import_id)
    row = conn.execute(of_import.order_by(import_withdrawals.c.seq.desc()).limit(1)).one_or_none()
    return None if row is None else Withdrawal(*row)


def decide(conn: Connection, import_id: str, *, withdrawn: bool, at: datetime, actor: str, reason: str) -> None:
    """Withdraw an import, or restore it: a fact. Raises ActionRefused where it is so already."""
    last = find_withdrawal(conn, import_id)
    if (last is not None and last.withdrawn) is withdrawn:
        how = f"was withdrawn already, {last.at:%Y-%m-%d} by {last.actor}" if last and withdrawn else "is not withdrawn"
        raise ActionRefused(f"import {import_id} {how}")
    new = Withdrawal(import_id, 1 if last is None else last.seq + 1, withdrawn, at, actor, reason)
    conn.execute(import_withdrawals.insert().values({one.name: getattr(new, one.name) for one in fields(Withdrawal)}))
    note_fact(conn, "import_withdrawal", import_id, new.seq)


def _require_not_withdrawn(conn: Connection, import_id: str) -> None:
    last = find_withdrawal(conn, import_id)
    if last is not None and last.withdrawn:
        raise ActionRefused(
            f"this import was withdrawn {last.at:%Y-%m-%d} by {last.actor} ({last.reason}): "
            f"`scrapy import restore {import_id}` takes it back"
        )


def withdrawn_ids() -> Select[Any]:
    """A query for the ids of imports that are withdrawn now."""
    of_import = (import_withdrawals.c.import_id, import_withdrawals.c.seq)
    newest = select(of_import[0], func.max(of_import[1])).group_by(of_import[0])
    return select(of_import[0]).where(import_withdrawals.c.withdrawn, tuple_(*of_import).in_(newest))


def find_recorded(conn: Connection, import_id: str, records: Collection[str]) -> set[str]:
    """Those of *records* that the ledger has already; at most some hundreds at once."""
    of_file = (imported_captures.c.import_id == import_id) & imported_captures.c.record.in_(records)
    return set(conn.execute(select(imported_captures.c.record).where(of_file)).scalars()) if records else set()


def add_captures(conn: Connection, captures: Sequence[ImportedCapture]) -> set[str]:
    """Record captures, each a fact; gives the records that were new."""
    rows = [_row_of(one) for one in captures]
    added = insert_new(conn, imported_captures, rows)
    note_rows(conn, "imported_capture", [row for row in rows if (row["import_id"], row["record"]) in added])
    return {record for _, record in added}


def _row_of(capture: ImportedCapture) -> dict[str, Any]:
    row = {name: getattr(capture, name) for name in _FIELDS}
    return row | {"url_hash": None if capture.url is None else url_hash(capture.url)}


def find_capture(conn: Connection, import_id: str, record: str) -> ImportedCapture | None:
    """The capture of one record of a file."""
    of_record = (imported_captures.c.import_id == import_id) & (imported_captures.c.record == record)
    row = conn.execute(_select_captures().where(of_record)).mappings().one_or_none()
    return None if row is None else _capture_of(row)


def list_of_import(conn: Connection, import_id: str) -> list[ImportedCapture]:
    """The captures of one file, oldest first."""
    of_file = _select_captures().where(imported_captures.c.import_id == import_id)
    order = of_file.order_by(imported_captures.c.captured_at, imported_captures.c.record)
    return [_capture_of(row) for row in conn.execute(order).mappings()]


def list_imports(conn: Connection) -> list[tuple[ImportedFile, dict[str, int]]]:
    """The imported files, withdrawn ones too, newest first, each with how many captures it has by state."""
    states: dict[str, dict[str, int]] = {}
    counted = select(imported_captures.c.import_id, imported_captures.c.state, func.count())
    for import_id, state, count in conn.execute(counted.group_by(*list(counted.selected_columns)[:2])):
        states.setdefault(import_id, {})[state] = count
    rows = conn.execute(select(imports).order_by(imports.c.imported_at.desc(), imports.c.import_id))
    return [(ImportedFile(*row), states.get(row.import_id, {})) for row in rows]


def stream_captures(
    conn: Connection, *, source_ids: Sequence[str] = (), url: str | None = None, state: str | None = None
) -> Iterator[tuple[ImportedCapture, ImportedFile]]:
    """Captures of imports that are not withdrawn, with their files, by URL and time; *url* is normalised."""
    columns = (*(imported_captures.c[name] for name in _FIELDS), *(one.label(f"of_{one.name}") for one in imports.c))
    query = select(*columns).join_from(imported_captures, imports)
    query = query.where(imported_captures.c.import_id.not_in(withdrawn_ids()))
    if source_ids:
        query = query.where(imported_captures.c.source_id.in_(source_ids))
    if url is not None:
        query = query.where(imported_captures.c.url_hash == url_hash(url))
    if state is not None:
        query = query.where(imported_captures.c.state == state)
    order = ("url", "captured_at", "import_id", "record")
    with conn.execute(
        query.order_by(*(imported_captures.c[name] for name in order)).execution_options(yield_per=500)
    ) as rows:
        for row in rows.mappings():
            file = ImportedFile(**{field.name: row[f"of_{field.name}"] for field in fields(ImportedFile)})
            yield _capture_of({name: row[name] for name in _FIELDS}), file


def list_texts(conn: Connection, url: str, source_id: str | None = None) -> list[tuple[ImportedCapture, ImportedFile]]:
    """The imported texts of *url*, oldest first."""
    sources = () if source_id is None else (source_id,)
    found = stream_captures(conn, source_ids=sources, url=url, state=IMPORTED)
    return [one for one in found if one[0].captured_at is not None]


def newest_texts(
    conn: Connection, url: str, at: datetime, source_id: str | None = None
) -> list[tuple[ImportedCapture, ImportedFile]]:
    """The last imported text of *url* that was captured by *at*, one a source, if it was there still."""
    newest = {}
    for capture, file in stream_captures(conn, source_ids=() if source_id is None else (source_id,), url=url):
        is_stated = capture.state in {IMPORTED, ABSENT}
        if is_stated and capture.captured_at is not None and capture.captured_at <= at:
            newest[capture.source_id] = (capture, file)
    return [one for one in newest.values() if one[0].state == IMPORTED]


def count_pages(conn: Connection, at: datetime, source_id: str | None = None) -> int:
    """Of how many URLs a text was imported that was captured by *at*."""
    is_text = (imported_captures.c.state == IMPORTED) & (imported_captures.c.captured_at <= at)
    is_shown = imported_captures.c.import_id.not_in(withdrawn_ids())
    query = select(func.count(imported_captures.c.url_hash.distinct())).where(is_text, is_shown)
    if source_id is not None:
        query = query.where(imported_captures.c.source_id == source_id)
    return int(conn.execute(query).scalar_one())


def find_page(conn: Connection, source_id: str, url: str) -> PageRow | None:
    """A page of which there are imported texts alone, as if the ledger had it; None where there is none."""
    found = list_texts(conn, url, source_id)
    if not found:
        return None
    return as_page(found[0][0], found[-1][0])


def as_page(first: ImportedCapture, last: ImportedCapture) -> PageRow:
    """The page of imported texts in the form of the ledger's, which has no such page."""
    assert first.source_id is not None
    assert first.url is not None
    assert first.captured_at is not None
    return PageRow(
        page_id=0,
        source_id=first.source_id,
        url=first.url,
        url_hash=url_hash(first.url),
        title=last.title,
        first_seen_at=first.captured_at,
        last_seen_at=None,
        missing_since=None,
        gone_at=None,
        last_seq=0,
        content_hash=None,
        body_chars=None,
        next_url=None,
    )


def as_version(capture: ImportedCapture, page_id: int) -> VersionRow:
    """An imported text in the form of a version, to be compared with others."""
    assert capture.captured_at is not None
    assert capture.content_hash is not None
    assert capture.raw_hash is not None
    return VersionRow(
        page_id=page_id,
        seq=0,
        is_stated=capture.trust == "publisher",
        run_id=capture.import_id,
        captured_at=capture.captured_at,
        change_type=IMPORTED,
        content_hash=capture.content_hash,
        raw_object=capture.raw_hash,
        body_object=capture.content_hash,
        section_hashes=capture.section_hashes or [],
        converter_version=capture.converter_version or "",
        tier=IMPORTED,
        title=capture.title,
        published=capture.published,
    )


def _select_captures() -> Select[Any]:
    return select(*(imported_captures.c[name] for name in _FIELDS))


def _capture_of(row: Any) -> ImportedCapture:
    sections = row["section_hashes"]
    return ImportedCapture(**{**row, "section_hashes": sections and [(path, digest) for path, digest in sections]})
