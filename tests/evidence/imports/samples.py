"""What imports are tried with: files that GNU wget and py-wacz wrote, and records that are made as needed.

The files in `fixtures/` are of one recursive `wget --warc-file` of a small site, which answered a page in chunks, a
challenge with HTTP 200, a redirect, and 404.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warcio.statusandheaders import StatusAndHeaders  # type: ignore[import-untyped]
from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

from rori_spiders.crawl.source_finder import SourceFinder
from rori_spiders.evidence.imports.importer import Importer
from rori_spiders.evidence.imports.pooled_assessor import assessment_arguments
from rori_spiders.ledger.pages.imported_captures import ImportedFile, new_import_id
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.loading import parse_manifest
from rori_spiders.staging.store_factory import DiskStore
from rori_spiders.workers.assessment import ResponseAssessment, assess_response
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.evidence.imports.records import ArchivedCapture
    from rori_spiders.exceptions import ConversionError
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.models import Source

FIXTURES = Path(__file__).with_name("fixtures")
HOST = "http://www.example.org"
NOW = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
MAX_BYTES = 2**20
LAW = (
    "<html><head><title>Rule</title></head><body><h1>Section {days}</h1><p>A lender must give the borrower a written "
    "notice within {days} days after the application is received, and must keep a copy of the notice.</p><p>This "
    "section applies to every loan that is secured by a dwelling. The notice must state its reasons.</p></body></html>"
)


def law(days: int) -> bytes:
    """A page of regulation."""
    return LAW.format(days=days).encode()


def catalog(*first: dict[str, Any], **more: Any) -> Catalog:
    """One crawl of the site that the files were made of, behind sources with these fields."""
    others = [source(one["id"], one["url"], one["method"]) for one in first]
    text = json.dumps({"version": "1.0.0", "sources": [*others, source("law", f"{HOST}/", "crawl", **more)]})
    return Catalog([parse_manifest(text, name="law", origin="law")])


class InProcess:
    """Assesses in this process; with *stop_after* it is interrupted behind so many captures."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.assessed = 0
        self._stop_after = stop_after

    def assess(self, captures: Sequence[tuple[ArchivedCapture, Source]]) -> list[ResponseAssessment | ConversionError]:
        self.assessed += len(captures)
        if self._stop_after is not None and self.assessed > self._stop_after:
            raise KeyboardInterrupt
        return [assess_response(**assessment_arguments(*one)) for one in captures]


def an_importer(ledger: Ledger, folder: Path, assessor: InProcess | None = None) -> Importer:
    """An importer of pages of the site."""
    return Importer(ledger, DiskStore(folder / "staged"), SourceFinder(catalog()), assessor or InProcess(), "ann", NOW)


def a_file(name: str = "wget.warc.gz", sha256: str = "a" * 64, kind: str = "warc") -> ImportedFile:
    return ImportedFile(new_import_id(), kind, name, sha256, None, "ann", NOW)


def a_warc(*pages: tuple[str, bytes], is_packed: bool = True, **more: Any) -> BytesIO:
    """A WARC file of responses with these URLs (below the site) and bodies; *more* as for ``add_response``."""
    file = BytesIO()
    writer = WARCWriter(file, gzip=is_packed)
    for path, body in pages:
        add_response(writer, path, body, **more)
    file.seek(0)
    return file


def add_response(
    writer: WARCWriter,
    path: str,
    body: bytes,
    *,
    status: str = "200 OK",
    at: str = "2019-03-01T08:00:00Z",
    headers: Sequence[tuple[str, str]] = (),
    warc_headers: dict[str, str] | None = None,
) -> None:
    """Write one response."""
    pairs = [("Content-Type", "text/html; charset=utf-8"), *headers]
    record = writer.create_warc_record(
        f"{HOST}{path}",
        "response",
        payload=BytesIO(body),
        length=len(body),
        http_headers=StatusAndHeaders(status, pairs, protocol="HTTP/1.1"),
        warc_headers_dict={"WARC-Date": at, **(warc_headers or {})},
    )
    writer.write_record(record)
