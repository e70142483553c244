"""Import captures: choose the source, judge and convert as a run does, and record each apart from what we saw.

A batch is judged together; then its objects are stored, then its rows recorded in one transaction, each a fact. What
is recorded already is passed over, so an import that was stopped is completed by the same command, and one that is
repeated changes nothing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from rori_spiders.content.metadata.dates import believed
from rori_spiders.evidence.imports.records import ArchivedCapture, ArchivedRevisit, DamagedRecord, Record, StateRecord
from rori_spiders.exceptions import ConversionError
from rori_spiders.ledger.operations.activity_log import record_action
from rori_spiders.ledger.pages import imported_captures
from rori_spiders.ledger.pages.imported_captures import IMPORTED, ImportedCapture, ImportedFile
from rori_spiders.runtime.control_characters import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from rori_spiders.content.convert import Converted
    from rori_spiders.crawl.source_finder import Finder
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.models import Source
    from rori_spiders.staging.store import Store
    from rori_spiders.workers.assessment import ResponseAssessment

#: Captures that are judged, stored and recorded together: each up to RORI_MAX_BYTES of memory.
_BATCH_SIZE = 8
#: Of records that no source collects, which are counted and not recorded.
OUT_OF_SCOPE = "out of scope"
_FIRST_STATUS_OF_REDIRECTS, _LAST_STATUS_OF_REDIRECTS = 300, 399


class Assessor(Protocol):
    """Judges and converts responses."""

    def assess(
        self, captures: Sequence[tuple[ArchivedCapture, Source]]
    ) -> list[ResponseAssessment | ConversionError]: ...


@dataclass(slots=True)
class ImportReport:
    """What became of the records of one file."""

    counts: Counter[str] = field(default_factory=Counter)  # by state, of what is new
    known: int = 0  # that were recorded before
    damaged: list[DamagedRecord] = field(default_factory=list)  # also those that were recorded before


@dataclass(slots=True)
class Importer:
    """Imports files into one ledger and one staging area."""

    ledger: Ledger
    store: Store
    sources: Finder
    assessor: Assessor
    actor: str
    now: datetime
    _places: dict[str, tuple[str, str]] = field(default_factory=dict)  # digests of payloads: import and record

    def new_file(self, kind: str, name: str, sha256: str) -> ImportedFile:
        """What is imported, by its hash: that of a file, or of the address of all that a server is asked for."""
        return ImportedFile(imported_captures.new_import_id(), kind, name, sha256, None, self.actor, self.now)

    def import_records(
        self,
        file: ImportedFile,
        records: Iterable[Record],
        report: ImportReport,
        software: Callable[[], str | None] = lambda: None,
    ) -> None:
        """Record what is new of *records*, which stand in *file*. Raises LedgerError and StagingError.

        *report* is written as it goes, so that it says what was done also where this is stopped. *software* wrote the
        file: it is asked once the first records are read.
        """
        chosen = self._in_scope(records, report)
        import_id: str | None = None
        while batch := list(islice(chosen, _BATCH_SIZE)):
            if import_id is None:
                new = replace(file, software=software())
                import_id = self.ledger.write(lambda conn, new=new: imported_captures.ensure_import(conn, new))  # type: ignore[misc]
            rows = self._build_rows(import_id, self._pass_over_known(import_id, batch, report))
            added = self.ledger.write(lambda conn, rows=rows: imported_captures.add_captures(conn, rows))  # type: ignore[misc]
            report.counts.update(one.state for one in rows if one.record in added)

    def remember(self, digest: str, import_id: str, record: str) -> None:
        """Know where the payload with *digest* is recorded, for records that repeat it."""
        self._places.setdefault(digest, (import_id, record))

    def record_action(self, target: str, report: ImportReport, details: Mapping[str, object]) -> None:
        """Record who imported how much of what, if anything was new."""
        new = {state: count for state, count in report.counts.items() if state != OUT_OF_SCOPE}
        if new:
            self.ledger.write(
                lambda conn: record_action(
                    conn, now=self.now, actor=self.actor, action="import", target=target, details={**details, **new}
                )
            )

    def _in_scope(self, records: Iterable[Record], report: ImportReport) -> Iterator[tuple[Record, Source | None]]:
        for record in records:
            source = None if record.url is None else self.sources.find(record.url)
            if isinstance(record, DamagedRecord):
                report.damaged.append(record)
            elif source is None:
                report.counts[OUT_OF_SCOPE] += 1
                continue
            yield record, source

    def _pass_over_known(
        self, import_id: str, batch: Sequence[tuple[Record, Source | None]], report: ImportReport
    ) -> list[tuple[Record, Source | None]]:
        names = [record.record for record, _ in batch]
        known = self.ledger.read(lambda conn: imported_captures.find_recorded(conn, import_id, names))
        report.known += len(known)
        for record, _ in batch:
            if isinstance(record, ArchivedCapture) and record.digest is not None:
                self.remember(record.digest, import_id, record.record)
        return [one for one in batch if one[0].record not in known]

    def _build_rows(self, import_id: str, new: Sequence[tuple[Record, Source | None]]) -> list[ImportedCapture]:
        """The rows of new records, in their order, once the objects that they name are stored."""
        captures = [(one, source) for one, source in new if isinstance(one, ArchivedCapture) and source is not None]
        assessed = dict(zip((one.record for one, _ in captures), self.assessor.assess(captures), strict=True))
        rows: dict[str, ImportedCapture] = {}
        objects: list[bytes] = []
        for record, source in new:
            source_id = None if source is None else source.id
            if isinstance(record, ArchivedCapture):
                row = self._capture_row(import_id, record, source_id, assessed[record.record], objects)
            elif isinstance(record, ArchivedRevisit):
                row = self._revisit_row(import_id, record, source_id, rows)
            elif isinstance(record, StateRecord):
                stated = {"state": record.state, "reason": record.reason, "trust": record.trust}
                row = self._row(import_id, record, source_id, **stated, http_status=record.http_status)
            else:
                row = self._row(import_id, record, source_id, state="damaged", reason=record.reason)
            rows[record.record] = row
        self.store.put_objects(objects)
        return list(rows.values())

    def _row(self, import_id: str, record: Record, source_id: str | None, **values: object) -> ImportedCapture:
        facts = {"import_id": import_id, "record": record.record, "source_id": source_id, "url": record.url}
        return ImportedCapture(
            **facts | {"captured_at": record.captured_at, "recorded_at": self.now} | values  # type: ignore[arg-type]
        )

    def _capture_row(
        self,
        import_id: str,
        record: ArchivedCapture,
        source_id: str | None,
        found: ResponseAssessment | ConversionError,
        objects: list[bytes],
    ) -> ImportedCapture:
        if record.captured_at > self.now:
            return self._row(import_id, record, source_id, state="damaged", reason="its time is in the future")
        facts: dict[str, object] = {
            "trust": record.trust,
            "http_status": record.status,
            "content_type": record.content_type,
            "raw_hash": sha256(record.body).hexdigest(),
        }
        if isinstance(found, ConversionError):
            return self._row(import_id, record, source_id, state="unreadable", reason=str(found), **facts)
        facts |= {"verdict": found.verdict.kind, "rules": [fired.rule for fired in found.verdict.rules]}
        if _FIRST_STATUS_OF_REDIRECTS <= record.status <= _LAST_STATUS_OF_REDIRECTS:
            reason = f"the server answered HTTP {record.status}, not a page"
            return self._row(import_id, record, source_id, state="refused", reason=reason, **facts)
        if not found.verdict.is_content:
            return self._row(import_id, record, source_id, state="refused", reason=found.verdict.kind, **facts)
        if found.converted is None or isinstance(found.converted, ConversionError):
            return self._row(import_id, record, source_id, state="unreadable", reason=str(found.converted), **facts)
        text = replace_surrogates(found.converted.markdown).encode()
        objects += [record.body, text]
        return self._row(
            import_id, record, source_id, state=IMPORTED, **facts, **_describe_text(found.converted, text, record)
        )

    def _revisit_row(
        self, import_id: str, record: ArchivedRevisit, source_id: str | None, rows: dict[str, ImportedCapture]
    ) -> ImportedCapture:
        """What the record that it repeats became, at this record's own time."""
        place = self._places.get(record.digest)
        first = None
        if place is not None:
            first = rows.get(place[1]) if place[0] == import_id else None
            first = first or self.ledger.read(lambda conn: imported_captures.find_capture(conn, *place))
        if first is None or first.url != record.url:
            reason = "it repeats a record that was not imported before it"
            return self._row(import_id, record, source_id, state="unreadable", reason=reason)
        same = (
            *("state", "http_status", "content_type", "verdict", "rules", "reason", "raw_hash", "content_hash"),
            *("section_hashes", "converter_version", "body_chars", "title", "published"),
        )
        repeated = {name: getattr(first, name) for name in same}
        return self._row(import_id, record, source_id, trust=record.trust, **repeated)


def _describe_text(converted: Converted, text: bytes, record: ArchivedCapture) -> dict[str, object]:
    best = believed(converted.metadata.dates, "published_date", record.captured_at.date().isoformat())
    return {
        "content_hash": sha256(text).hexdigest(),
        "section_hashes": converted.section_hashes,
        "converter_version": converted.converter_version,
        "body_chars": len(replace_surrogates(converted.markdown)),
        "title": converted.title,
        "published": record.published or (best.date if best else None),
    }
