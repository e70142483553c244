"""The captures that a web archive has of a URL, or of all below one (``https://www.hud.gov/fha/*``): its CDX list, and
each capture's bytes as they were archived (`id_`).

A capture is believed when its bytes have the digest of the list (SHA-1): a page of the archive itself, an error or
"too many requests", never has it. One with a digest that is recorded already repeats that capture and is not asked for;
what the archive has as a redirect or an error is recorded by its status alone.
"""

import json
from base64 import b32decode
from binascii import Error as NotBase32
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha1, sha256
from typing import Any
from urllib.parse import urlencode, urlsplit

from rori_spiders.crawl.history import History, HistoryStopped, ServedAnswer
from rori_spiders.evidence.imports.importer import Importer, ImportReport
from rori_spiders.evidence.imports.records import (
    ArchivedCapture,
    ArchivedRevisit,
    DamagedRecord,
    Record,
    StateRecord,
    name_record,
)
from rori_spiders.evidence.imports.warc_files import is_no_page
from rori_spiders.ledger.pages import imported_captures
from rori_spiders.ledger.pages.imported_captures import ImportedFile
from rori_spiders.urls.canonical import normalise_url

KIND = "cdx"
#: Rows of one answer of the list.
_PAGE_SIZE = 1000
#: Rows of the list of a whole prefix, which is in the order of URLs, so that no time goes on with it: some 15 MB.
_MAX_PREFIX_ROWS = 100_000
#: Captures in a row that the archive does not give: it is left alone then.
_MAX_FAILURES = 5
_FIELDS = ("timestamp", "original", "mimetype", "statuscode", "digest")
_REVISIT = "warc/revisit"


@dataclass(frozen=True, slots=True)
class CdxRow:
    """One capture in the list. ``status``: None where the list has none, as of a capture that repeats another."""

    timestamp: str
    original: str
    mime: str
    status: int | None
    digest: str
    captured_at: datetime

    @property
    def record(self) -> str:
        return name_record(self.timestamp, self.original)


@dataclass(slots=True)
class ArchiveHistory:
    """Reads the captures of *url* in an archive into a ledger.

    A *url* that ends with ``*`` stands for all that begin with it and that a source collects. ``server``: the archive's
    CDX list; ``replay``: what stands before the time in the address of a capture. At most *limit* are asked for.
    """

    url: str
    server: str
    replay: str
    since: date | None
    until: date | None
    importer: Importer
    report: ImportReport
    limit: int | None = None
    _failures: int = 0
    _requested: int = 0
    _recorded: dict[str, imported_captures.ImportedCapture] = field(default_factory=dict)
    _by_digest: set[tuple[str, str]] = field(default_factory=set)  # digest and URL of captures with bytes

    @property
    def name(self) -> str:
        """What is imported, and from where."""
        return f"captures of {self.url} by {self.server}"

    @property
    def is_cut(self) -> bool:
        """Whether more captures are left than *limit* lets be asked for."""
        return self.limit is not None and self._requested >= self.limit

    def read(self) -> History:
        """Ask for what is not recorded yet. Raises HistoryStopped, LedgerError and StagingError."""
        address = f"{self.server}?{urlencode([('url', self.url)])}"
        file = self.importer.new_file(KIND, self.name, sha256(address.encode()).hexdigest())
        with self.importer.ledger.connect() as conn:
            import_id = imported_captures.find_import(conn, KIND, file.sha256)
            recorded = imported_captures.list_of_import(conn, import_id) if import_id is not None else []
        self._recorded = {one.record: one for one in recorded}
        listed, begin = set[str](), f"{self.since:%Y%m%d}" if self.since else ""
        while True:
            url = self._list_url(begin)
            answer = yield url
            rows = list(self._parse(url, answer))
            new = [one for one in rows if one.record not in listed]
            listed.update(one.record for one in new)
            for row in new:
                yield from self._read_capture(file, row)
                if self.is_cut:
                    return
            if len(rows) < self._page_size or not new:
                return
            if self._is_prefix:
                what = f"the archive has more than {_MAX_PREFIX_ROWS:,} captures below {self.url}"
                raise HistoryStopped(f"{what}: name a narrower prefix, or --since and --until, for the rest")
            begin = rows[-1].timestamp

    @property
    def _is_prefix(self) -> bool:
        return self.url.endswith("*")

    @property
    def _page_size(self) -> int:
        return _MAX_PREFIX_ROWS if self._is_prefix else _PAGE_SIZE

    # --- the list -----------------------------------------------------------------------------------------------------

    def _list_url(self, begin: str) -> str:
        span = [("from", begin)] if begin else []
        span += [("to", f"{self.until:%Y%m%d}235959")] if self.until else []
        query = [
            ("url", self.url),
            ("output", "json"),
            ("fl", ",".join(_FIELDS)),
            ("limit", str(self._page_size)),
            *span,
        ]
        return f"{self.server}?{urlencode(query)}"

    def _parse(self, url: str, answer: ServedAnswer) -> Iterator[CdxRow]:
        try:
            entries = parse_rows(answer.require_body())
        except ValueError as error:
            raise HistoryStopped(f"{url}: {error}") from error
        for entry in entries:
            row = _row_of(entry)
            if row is None:
                self.report.counts["malformed"] += 1
            else:
                yield row

    # --- a capture ----------------------------------------------------------------------------------------------------

    def _read_capture(self, file: ImportedFile, row: CdxRow) -> History:
        try:
            url = self._page_url(row.original)
        except ValueError:
            self.report.counts["malformed"] += 1
            return
        if is_no_page(row.mime):
            self.report.counts["no page"] += 1
            return
        if (known := self._recorded.get(row.record)) is not None:
            self.report.known += 1
            if known.raw_hash is not None and known.trust == "archived":
                self.importer.remember(row.digest, known.import_id, known.record)
                self._by_digest.add((row.digest, url))
            return
        if self.importer.sources.find(url) is None:
            self.report.counts["out of scope"] += 1
            return
        if (record := self._without_bytes(row, url)) is None:
            self._requested += 1
            answer = yield f"{self.replay}/{row.timestamp}id_/{row.original}"
            record = self._with_bytes(row, url, answer)
            if record is None:
                return
        self.importer.import_records(file, [record], self.report)

    def _page_url(self, original: str) -> str:
        """The URL that a capture is filed under: with the scheme of the one asked for, where only that differs."""
        url = normalise_url(original)
        scheme, _, wanted = normalise_url(self.url.removesuffix("*")).partition("://")
        rest = url.partition("://")[2]
        is_its = rest.startswith(wanted) if self._is_prefix else rest == wanted
        return f"{scheme}://{rest}" if is_its else url

    def _without_bytes(self, row: CdxRow, url: str) -> Record | None:
        if row.status is not None and not 200 <= row.status < 300:
            reason = f"the archive has HTTP {row.status}"
            return StateRecord(row.record, url, row.captured_at, "refused", reason, "stated", row.status)
        if (row.digest, url) in self._by_digest:
            return ArchivedRevisit(row.record, url, row.captured_at, row.digest, "stated")
        return None

    def _with_bytes(self, row: CdxRow, url: str, answer: ServedAnswer) -> Record | None:
        """The capture that *answer* is; None for an answer that is none, so that it is asked for again."""
        headers = {name.lower(): value for name, value in answer.headers.items()}
        digest = parse_digest(row.digest)
        if answer.body is not None:
            is_proved = digest is not None and digest in {
                answer.sha1,
                sha1(answer.body, usedforsecurity=False).digest(),
            }
            is_memento = _time_of_memento(headers) == row.captured_at
            if is_proved or (is_memento and digest is None):
                self._failures = 0
                named = headers.get("x-archive-orig-content-type") or headers.get("content-type") or row.mime
                if is_proved:
                    self._by_digest.add((row.digest, url))
                return ArchivedCapture(
                    row.record,
                    url,
                    row.captured_at,
                    row.status or 200,
                    {"Content-Type": named},
                    answer.body,
                    "archived" if is_proved else "stated",
                    row.digest if is_proved else None,
                )
            if is_memento:
                reason = "its bytes do not have the digest of the archive's list"
                self._failures = 0
                return DamagedRecord(row.record, reason, url, row.captured_at)
        self.report.counts["not given"] += 1
        self._failures += 1
        if self._failures >= _MAX_FAILURES:
            why = answer.reason if answer.body is None else "an answer of the archive itself"
            raise HistoryStopped(
                f"the archive did not give {_MAX_FAILURES} captures in a row; the last: {answer.url}: {why}"
            )
        return None


def parse_rows(body: bytes) -> list[dict[str, Any]]:
    """The rows of a CDX list: a JSON array with its names first (Wayback), or a JSON object a line (pywb).

    Raises ValueError for anything else.
    """
    text = body.decode("utf-8", "replace").strip()
    try:
        is_pywb = text.startswith("{")
        read = [json.loads(line) for line in text.splitlines()] if is_pywb else json.loads(text) if text else []
    except ValueError:
        read = None
    if not isinstance(read, list) or any(not isinstance(one, dict if is_pywb else list) for one in read):
        raise ValueError("the answer is not a CDX list")
    if is_pywb:
        return read
    names: Sequence[Any] = read[0] if read else []
    return [dict(zip(names, one, strict=False)) for one in read[1:]]


def _row_of(entry: dict[str, Any]) -> CdxRow | None:
    """A row; None for one without a time or a URL."""
    timestamp = str(entry.get("timestamp") or "")
    original = str(entry.get("original") or entry.get("url") or "")
    status = str(entry.get("statuscode") or entry.get("status") or "-")
    mime = str(entry.get("mimetype") or entry.get("mime") or "")
    try:
        at = datetime.strptime(timestamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    if len(timestamp) != len("20190301080000") or not original.lower().startswith(("http://", "https://")):
        return None
    number = int(status) if status.isdecimal() and mime != _REVISIT else None
    return CdxRow(timestamp, original, mime, number, str(entry.get("digest") or ""), at)


def parse_digest(text: str) -> bytes | None:
    """A SHA-1 in base32, as CDX lists have it; None for any other."""
    try:
        digest = b32decode(text.rpartition(":")[2].upper())
    except (NotBase32, ValueError):
        return None
    return digest if len(digest) == sha1(usedforsecurity=False).digest_size else None


def _time_of_memento(headers: dict[str, str]) -> datetime | None:
    """When a capture was made, by RFC 7089; None if it is not a capture."""
    try:
        return parsedate_to_datetime(headers.get("memento-datetime", ""))
    except ValueError:
        return None


def replay_address(server: str) -> str | None:
    """What stands before the time in addresses of captures, by the address of the CDX *server*, as Wayback and pywb
    have it; None for others.
    """
    parts = urlsplit(server)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    if path.endswith("/cdx/search/cdx"):
        return f"{origin}/web"
    head, _, last = path.rpartition("/")
    return f"{origin}{head}" if last == "cdx" and head else None
