"""Captures of a folder of saved pages: which file was which URL, and when.

An ``index.csv`` in the folder states both, with the columns ``file``, ``url`` and ``captured_at``. Without one the
path below the folder is the path of the URL below a base URL, and the day is a folder's name (``2019-03-01/``), or the
same for all. A file's own time is never believed: copying changes it.
"""

import csv
import mimetypes
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, urljoin

from rori_spiders.evidence.imports.records import ArchivedCapture, DamagedRecord, name_record
from rori_spiders.exceptions import UsageError
from rori_spiders.urls.canonical import normalise_url

INDEX = "index.csv"
_COLUMNS = ("file", "url", "captured_at")
_DAY = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})")
_INDEX_NAMES = {"index.html", "index.htm"}
#: Of files without an index: what pages are saved as.
_ENDINGS = frozenset({".html", ".htm", ".xhtml", ".pdf", ".xml", ".docx", ".xlsx", ".txt", ".json", ".md"})


@dataclass(frozen=True, slots=True)
class SavedFile:
    """One file of a folder, and what it is said to be."""

    path: Path
    name: str  # below the folder
    url: str
    captured_at: datetime

    def read(self, max_bytes: int) -> tuple[str, ArchivedCapture | DamagedRecord]:
        """Its SHA-256, and the capture that it is."""
        data = self.path.read_bytes()
        digest = sha256(data).hexdigest()
        facts = sha256(f"{self.url} {self.captured_at.isoformat()}".encode()).hexdigest()[:8]
        record = name_record(self.name, facts)
        if len(data) > max_bytes:
            reason = f"it has {len(data)} bytes, more than RORI_MAX_BYTES"
            return digest, DamagedRecord(record, reason, self.url, self.captured_at)
        mime, _ = mimetypes.guess_type(self.name)
        headers = {"Content-Type": mime} if mime else {}
        return digest, ArchivedCapture(record, self.url, self.captured_at, 200, headers, data, "stated")


def list_saved_files(folder: Path, *, base_url: str | None, day: date | None) -> list[SavedFile]:
    """The files of *folder*. Raises UsageError, with every problem, where a file has no URL or no day."""
    index = folder / INDEX
    if index.is_file():
        if base_url is not None or day is not None:
            raise UsageError(f"{index} states URLs and times: --base-url and --date are for folders without it")
        return _read_index(folder, index)
    if base_url is None:
        raise UsageError(f"{folder} has no {INDEX}: give --base-url, the URL of the folder")
    found, undated = [], []
    for path in sorted(one for one in folder.rglob("*") if one.is_file() and one.suffix.lower() in _ENDINGS):
        parts = list(path.relative_to(folder).parts)
        own_day = next((one for part in parts[:-1] if (one := _parse_day(part))), None)
        below = [part for part in parts[:-1] if _parse_day(part) is None]
        if (own_day or day) is None:
            undated.append("/".join(parts))
            continue
        last = "" if parts[-1].lower() in _INDEX_NAMES else parts[-1]
        url = normalise_url(urljoin(f"{base_url.rstrip('/')}/", "/".join(map(quote, [*below, last]))))
        found.append(SavedFile(path, "/".join(parts), url, end_of_day(own_day or day)))  # type: ignore[arg-type]
    if undated:
        shown = ", ".join(undated[:5])
        raise UsageError(f"no date for {shown}: put the files in folders such as 2019-03-01/, or give --date")
    return found


def _read_index(folder: Path, index: Path) -> list[SavedFile]:
    found, problems = [], []
    with index.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        if missing := [name for name in _COLUMNS if name not in (rows.fieldnames or ())]:
            raise UsageError(f"{index}: no column {', '.join(missing)}; expected {', '.join(_COLUMNS)}")
        for number, row in enumerate(rows, 2):
            try:
                found.append(_saved_file(folder, row["file"] or "", row["url"] or "", row["captured_at"] or ""))
            except ValueError as error:
                problems.append(f"{index}, line {number}: {error}")
    if problems:
        raise UsageError("\n".join(problems))
    return found


def _saved_file(folder: Path, name: str, url: str, at: str) -> SavedFile:
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
        raise ValueError(f"{name!r} is not a file in the folder")
    return SavedFile(path, name, normalise_url(url), _parse_time(at))


def _parse_time(text: str) -> datetime:
    if (day := _parse_day(text)) is not None:
        return end_of_day(day)
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        raise ValueError(f"captured_at is {text!r}, not a day, nor a time with its zone such as 2019-03-01T08:00:00Z")
    return at.astimezone(UTC)


def _parse_day(text: str) -> date | None:
    found = _DAY.fullmatch(text.strip())
    if found is None:
        return None
    try:
        return date(*map(int, found.groups()))
    except ValueError:
        return None


def end_of_day(day: date) -> datetime:
    """The last second of *day* in UTC: what was saved on a day is claimed for no earlier time."""
    return datetime.combine(day, time(23, 59, 59), UTC)


def instant_of_day(day: date, now: datetime) -> datetime:
    """When a text of *day* counts as known at the earliest: the day's end in UTC, or *now* while it is not over."""
    return min(end_of_day(day), now)
