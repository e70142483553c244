"""The past of a part of the CFR, by the eCFR's versioner API: the text of each day on which something of it changed.

The eCFR states, today, which text it had on a day from 2017 on. That is the publisher's word given later, and nothing
that was seen on the day. Of each day the whole part is asked for, once; a section is recorded where its XML is not that
of the day before, and as absent where it is no longer there. The last row of a day is that of the part itself, so
a day without it was not read to its end.
"""

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urlencode

from rori_spiders.crawl.history import History, HistoryStopped, ServedAnswer
from rori_spiders.crawl.tiers.official.api import XML, json_objects, parse_json_object
from rori_spiders.crawl.tiers.official.cfr_part import split_part
from rori_spiders.crawl.tiers.official.ecfr import CfrPlace, parse_titles
from rori_spiders.evidence.imports.folders import instant_of_day
from rori_spiders.evidence.imports.importer import Importer, ImportReport
from rori_spiders.evidence.imports.records import ArchivedCapture, Record, StateRecord, name_record
from rori_spiders.ledger.pages import imported_captures
from rori_spiders.ledger.pages.imported_captures import ABSENT, IMPORTED, ImportedFile
from rori_spiders.urls.canonical import normalise_url

#: The eCFR's point-in-time system begins in January 2017; what it has of 2016 is not reliable (CMS' eregs, issue 248).
FIRST_DAY = date(2017, 1, 1)
KIND = "ecfr"
#: Attributes of the eCFR's divisions: a number in the title, an address with the day. They change without the text.
_DIVISION = re.compile(rb"<(DIV\d)\b[^<>]*>")
_NOT_FOUND = frozenset({404, 410})
#: A judgement: the eCFR states each day within two business days; a day that it has not after a month, it has not.
_LATE = timedelta(days=30)


@dataclass(slots=True)
class PartHistory:
    """Reads the past of one part into a ledger. ``url``: of the part's page, below which those of its sections lie."""

    place: CfrPlace
    url: str
    api: str
    since: date
    until: date
    importer: Importer
    report: ImportReport
    _current: dict[str, bytes | None] = field(default_factory=dict)  # by URL: what its XML says; None: not there

    @property
    def part(self) -> str:
        return str(dict(self.place.within)["part"])

    @property
    def name(self) -> str:
        """What is imported, and from where."""
        return f"{self.place.title} CFR {self.part} by {self.api}"

    def read(self) -> History:
        """Ask for what is not recorded yet. Raises HistoryStopped, LedgerError and StagingError."""
        address = f"{self.api}/full/title-{self.place.title}.xml?{self._query()}"
        file = self.importer.new_file(KIND, self.name, sha256(address.encode()).hexdigest())
        recorded = self._load_recorded(file)
        days = yield from self._list_days()
        for day in sorted({*days, *recorded}):
            is_read = self._front_record(day) in recorded.get(day, {})
            if is_read or day not in days:
                for one in recorded[day].values():
                    if one.url is not None and one.state in {IMPORTED, ABSENT}:
                        body = self.importer.store.get_object(one.raw_hash) if one.raw_hash is not None else None
                        self._current[one.url] = body and _digest(body)
                self.report.known += is_read and day in days
                continue
            answer = yield f"{self.api}/full/{day.isoformat()}/title-{self.place.title}.xml?{self._query()}"
            if answer.status in _NOT_FOUND:
                self._record_missing(file, day, answer.status)
                continue
            records = self._records_of(day, answer)
            self.importer.import_records(file, records, self.report)

    def _record_missing(self, file: ImportedFile, day: date, status: int) -> None:
        """That the eCFR has no text of a day: remembered once the day is old, as a late one may still come."""
        if self.importer.now.date() - day <= _LATE:
            self.report.counts["without a text"] += 1
        else:
            reason = f"the eCFR answered HTTP {status}: it has no text of the part for {day.isoformat()}"
            at, url = instant_of_day(day, self.importer.now), normalise_url(self.url)
            row = StateRecord(self._front_record(day), url, at, "no_text", reason, "publisher", status)
            self.importer.import_records(file, [row], self.report)

    def _query(self) -> str:
        return urlencode(list(self.place.within), quote_via=quote)

    def _front_record(self, day: date) -> str:
        return name_record(day.isoformat(), "part", self.part)

    # --- which days ---------------------------------------------------------------------------------------------------

    def _list_days(self) -> Generator[str, ServedAnswer, set[date]]:
        """The first day, and those since then on which a section was amended or issued."""
        title = f"title-{self.place.title}"
        try:
            current = parse_titles((yield f"{self.api}/titles.json").require_body()).get(title)
        except ValueError as error:
            raise HistoryStopped(f"{self.api}/titles.json: {error}") from error
        if current is None:
            raise HistoryStopped(f"the eCFR reports no current date for title {self.place.title}")
        last = min(self.until, date.fromisoformat(current))
        if self.since > last:
            raise HistoryStopped(f"title {self.place.title} is current up to {current}: --since lies behind that")
        days, page, pages = {self.since}, 1, 1
        while page <= pages:
            span = [("issue_date[gte]", self.since.isoformat()), ("issue_date[lte]", last.isoformat())]
            further = [("page", str(page))] if page > 1 else []
            url = f"{self.api}/versions/{title}.json?{urlencode([*span, *self.place.within, *further])}"
            try:
                answer = parse_json_object((yield url).require_body())
            except ValueError as error:
                raise HistoryStopped(f"{url}: {error}") from error
            versions, meta = answer.get("content_versions"), answer.get("meta")
            if not isinstance(versions, list):
                raise HistoryStopped(f"{url}: the API's response is not a list of versions")
            days |= {one for one in _days_of(versions) if self.since <= one <= last}
            pages = int(str(meta.get("total_pages") or 1)) if isinstance(meta, dict) else 1
            page += 1
        return days

    # --- what is recorded ---------------------------------------------------------------------------------------------

    def _load_recorded(self, file: ImportedFile) -> dict[date, dict[str, imported_captures.ImportedCapture]]:
        """By day and record, what an earlier import recorded."""
        found: dict[date, dict[str, imported_captures.ImportedCapture]] = {}
        with self.importer.ledger.connect() as conn:
            if (import_id := imported_captures.find_import(conn, KIND, file.sha256)) is None:
                return found
            for capture in imported_captures.list_of_import(conn, import_id):
                day = date.fromisoformat(capture.record.split(" ")[0])
                found.setdefault(day, {})[capture.record] = capture
        return found

    # --- the text of a day --------------------------------------------------------------------------------------------

    def _records_of(self, day: date, answer: ServedAnswer) -> list[Record]:
        """What *answer* states of *day* that is not as it was: the part's own row last. Raises HistoryStopped."""
        try:
            text = split_part(answer.require_body(), self.part)
        except ValueError as error:
            raise HistoryStopped(f"{answer.url}: {error}") from error
        at, front = instant_of_day(day, self.importer.now), normalise_url(self.url)
        bodies = {normalise_url(place.url(self.url)): body for place, body in text.sections.items()}
        records: list[Record] = []
        for url, body in bodies.items():
            if self._is_new(url, body):
                records.append(_capture(name_record(day.isoformat(), _below(url, front)), url, at, body))
        for url in [one for one, digest in self._current.items() if digest and one not in bodies and one != front]:
            self._current[url] = None
            reason = f"the eCFR has no such section on {day.isoformat()}"
            record = name_record(day.isoformat(), _below(url, front))
            records.append(StateRecord(record, url, at, "absent", reason, "publisher"))
        if self._is_new(front, text.front):
            records.append(_capture(self._front_record(day), front, at, text.front))
        else:
            reason = f"as before; of {len(bodies)} sections and appendices {len(records)} have changed"
            records.append(StateRecord(self._front_record(day), front, at, "unchanged", reason, "publisher"))
        return records

    def _is_new(self, url: str, body: bytes) -> bool:
        digest = _digest(body)
        if self._current.get(url) == digest:
            return False
        self._current[url] = digest
        return True


def _digest(body: bytes) -> bytes:
    """What is the same for all days on which the XML says the same."""
    return sha256(b" ".join(_DIVISION.sub(rb"<\1>", body).split())).digest()


def _below(url: str, front: str) -> str:
    return url.removeprefix(front).lstrip("/")


def _capture(record: str, url: str, at: datetime, body: bytes) -> ArchivedCapture:
    return ArchivedCapture(record, url, at, 200, {"Content-Type": XML}, body, "publisher")


def _days_of(versions: list[Any]) -> Iterator[date]:
    for one in json_objects(versions):
        for name in ("amendment_date", "issue_date"):
            try:
                yield date.fromisoformat(str(one.get(name)))
            except ValueError:
                continue
