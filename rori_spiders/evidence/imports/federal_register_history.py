"""The documents of the Federal Register that amend a part of the CFR, by its documents API, oldest first.

A published document does not change, so its text is stated for the day of its publication. A document that is recorded
is not asked for again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import Any

from rori_spiders.crawl.history import History, HistoryStopped
from rori_spiders.crawl.tiers.official.api import NoFullText
from rori_spiders.crawl.tiers.official.federal_register import (
    DocumentPage,
    Search,
    document_id,
    document_path,
    full_text_url,
    parse_document_page,
)
from rori_spiders.evidence.imports.folders import instant_of_day
from rori_spiders.evidence.imports.importer import Importer, ImportReport
from rori_spiders.evidence.imports.records import ArchivedCapture, Record, StateRecord, name_record
from rori_spiders.ledger.pages import imported_captures
from rori_spiders.ledger.pages.imported_captures import ImportedFile
from rori_spiders.urls.canonical import normalise_url

KIND = "fr"


@dataclass(slots=True)
class DocumentHistory:
    """Reads the documents about one part into a ledger. ``site``: the origin that their pages lie at."""

    title: str
    part: str
    site: str
    api: str
    since: date
    until: date
    importer: Importer
    report: ImportReport

    @property
    def name(self) -> str:
        """What is imported, and from where."""
        return f"documents on {self.title} CFR {self.part} by {self.api}"

    def search(self) -> Search:
        """All documents of the part in these days, the oldest first."""
        conditions = (
            ("conditions[cfr][title]", self.title),
            ("conditions[cfr][part]", self.part),
            ("conditions[publication_date][gte]", self.since.isoformat()),
            ("conditions[publication_date][lte]", self.until.isoformat()),
        )
        return Search(conditions, order="oldest")

    def read(self) -> History:
        """Ask for what is not recorded yet. Raises HistoryStopped, LedgerError and StagingError."""
        address = f"{self.api}/documents?cfr={self.title}-{self.part}"
        file = self.importer.new_file(KIND, self.name, sha256(address.encode()).hexdigest())
        search, requested, seen = self.search(), set[str](), set[str]()
        url: str | None = search.url(self.api)
        while url is not None and url not in requested:
            requested.add(url)
            found = self._parse(url, (yield url).require_body())
            documents = [one for one in found.documents if document_path(one) and document_id(one) not in seen]
            seen.update(map(document_id, documents))
            yield from self._read_documents(file, documents)
            url = found.next_url if found.documents else None
            if url is None and len(seen) < found.count and documents:
                # Behind the most that the API gives of one search it goes on by publication date.
                url = search.beyond(str(documents[-1].get("publication_date"))).url(self.api)

    def _parse(self, url: str, body: bytes) -> DocumentPage:
        try:
            return parse_document_page(body, self.api)
        except ValueError as error:
            raise HistoryStopped(f"{url}: {error}") from error

    def _read_documents(self, file: ImportedFile, documents: list[dict[str, Any]]) -> History:
        recorded = self._find_recorded(file, [name_record(document_id(one)) for one in documents])
        for document in documents:
            record = name_record(document_id(document))
            if record in recorded:
                self.report.known += 1
                continue
            published = _parse_day(document)
            if published is None:
                continue
            url = normalise_url(f"{self.site}{document_path(document)}")
            at = instant_of_day(published, self.importer.now)
            made: Record
            try:
                address, accept = full_text_url(document, self.api)
            except NoFullText as error:
                made = StateRecord(record, url, at, "refused", str(error), "publisher")
            else:
                answer = yield address
                if answer.body is None:
                    # It is not recorded, so that the same command asks again.
                    self.report.counts["not given"] += 1
                    continue
                stated = next((one for name, one in answer.headers.items() if name.lower() == "content-type"), accept)
                made = ArchivedCapture(
                    record,
                    url,
                    at,
                    200,
                    {"Content-Type": stated},
                    answer.body,
                    "publisher",
                    published=published.isoformat(),
                )
            self.importer.import_records(file, [made], self.report)

    def _find_recorded(self, file: ImportedFile, records: list[str]) -> set[str]:
        with self.importer.ledger.connect() as conn:
            import_id = imported_captures.find_import(conn, KIND, file.sha256)
            if import_id is None:
                return set()
            return {one for some in _chunks(records) for one in imported_captures.find_recorded(conn, import_id, some)}


def _chunks(records: list[str], size: int = 500) -> Iterator[list[str]]:
    return (records[at : at + size] for at in range(0, len(records), size))


def _parse_day(document: dict[str, Any]) -> date | None:
    try:
        return date.fromisoformat(str(document.get("publication_date")))
    except ValueError:
        return None
