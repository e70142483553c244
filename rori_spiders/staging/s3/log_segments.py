"""A log in a bucket: S3 appends to nothing, so each call leaves a segment, ``{log}/{day}/{run id}/{number}.jsonl``.

The segments of a run (of the log of fields: of a source) are a chain: within a day they count from 1 on without a gap,
and an empty one says that the run goes on with number 1 of the next day. So each process that writes for a run, the
run's own job or one that took it for dead, wants the same key next, and the server gives it to one of them
(``IfNoneMatch``). The other reads what was written, and adds only what is missing. Days are those of writing, UTC: a
segment never appears in a day that was over when it was written, but for the end of the day before.

Clocks of nodes that differ by less than a day keep to this.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from rori_spiders.exceptions import StagingError
from rori_spiders.staging.layout import encode_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rori_spiders.staging.s3.bucket import Bucket
    from rori_spiders.staging.store import LogLine

_ONE_DAY = timedelta(days=1)
#: When a line of the index, the error log or the log of fields came to be.
_LINE_DATE = re.compile(r'"(?:staged_at|timestamp)":"(\d{4}-\d\d-\d\d)T')
_SEGMENT_KEY = re.compile(r"(\d{4}-\d\d-\d\d)/([^/]+)/(\d{8})\.jsonl")
#: So often another process wrote first for the same run; each time it has written something.
_MAX_ATTEMPTS = 100


@dataclass(frozen=True, slots=True, order=True)
class Segment:
    day: date
    number: int
    is_end: bool = False  # empty: the run goes on in the next day

    def next(self) -> Segment:
        return Segment(self.day + _ONE_DAY, 1) if self.is_end else Segment(self.day, self.number + 1)


class SegmentedLog:
    """The log *name* (``_index``, ...) of a bucket; see ``store.Log``. *clock* says what day it is."""

    is_one_sequence = False  # a listing is by run

    def __init__(self, bucket: Bucket, name: str, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._bucket = bucket
        self._name = name
        self._clock = clock
        self._last: dict[str, Segment] = {}  # by run: what this process wrote or read last

    def append(self, lines: Sequence[LogLine]) -> None:
        """Append *lines*; on return they are there. All of a run at once, or none."""
        for run_id, texts in _group_by_run(lines).items():
            last = self._last.get(run_id)
            if last is None or not self._write(run_id, texts, last):  # another job may have taken this one for dead
                self._append_missing(run_id, texts)

    def append_missing(self, lines: Sequence[LogLine]) -> int:
        """Append those of *lines* that their runs have not, letter for letter; how many."""
        return sum(self._append_missing(run_id, texts) for run_id, texts in _group_by_run(lines).items())

    def _append_missing(self, run_id: str, texts: Sequence[str]) -> int:
        for _ in range(_MAX_ATTEMPTS):
            last = self._end_of(run_id, texts)  # before it is read: what comes meanwhile takes the next number
            there = self._texts(run_id, since=_first_day(texts))
            missing = [text for text in dict.fromkeys(texts) if text not in there]
            if not missing or self._write(run_id, missing, last):
                return len(missing)
        raise StagingError(f"{self._bucket.location}: other processes keep writing the {self._name} of run {run_id}.")

    def lines(self) -> Iterator[str]:
        return (line for _, line in self.places())

    def places(self) -> Iterator[tuple[str, str]]:
        """Each line with where it is: by day, then run by run."""
        keys = (
            entry.key for entry in self._bucket.entries(f"{self._name}/") if self._is_segment(entry.key, entry.size)
        )
        for key, data in self._bucket.get_all(keys):
            for number, line in enumerate(_split_lines(data), start=1):
                yield f"{key}:{number}", line

    def strays(self) -> Iterator[str]:
        """Keys that belong to no segment."""
        return (entry.key for entry in self._bucket.entries(f"{self._name}/") if not self._parts(entry.key))

    # --- one run ----------------------------------------------------------------------------------------------------

    def _write(self, run_id: str, texts: Sequence[str], last: Segment) -> bool:
        """Write *texts* as the run's next segment; False when another process has written something there."""
        body = b"".join(encode_line(text) for text in texts)
        at, today = last.next(), self._clock().astimezone(UTC).date()
        while at.day < today:
            if not self._bucket.put_new(self._key(run_id, at), b""):
                return self._forget(run_id)
            at = Segment(at.day + _ONE_DAY, 1)
        key = self._key(run_id, at)
        if not self._bucket.put_new(key, body) and self._bucket.get(key) != body:
            return self._forget(run_id)
        self._last[run_id] = at
        return True

    def _forget(self, run_id: str) -> bool:
        self._last.pop(run_id, None)
        return False

    def _end_of(self, run_id: str, texts: Sequence[str]) -> Segment:
        """The run's last segment as far as yesterday; where it has none, that before its first.

        That is one of the day when *texts* were made, so that all who want to write them begin at the same place.
        """
        yesterday = self._clock().astimezone(UTC).date() - _ONE_DAY
        begin = max(yesterday, _first_day(texts) or yesterday + _ONE_DAY)
        found = [segment for day in self._days(yesterday) for segment in self._of_day(run_id, day)]
        return max(found, default=Segment(begin, 0))

    def _texts(self, run_id: str, since: date | None) -> set[str]:
        """What the run has from that day on: no line is written before it was made."""
        segments = (segment for day in self._days(since) for segment in self._of_day(run_id, day))
        keys = [self._key(run_id, segment) for segment in segments if not segment.is_end]
        return {line for _, data in self._bucket.get_all(keys) for line in _split_lines(data)}

    def _days(self, since: date | None) -> list[str]:
        days, _ = self._bucket.level(f"{self._name}/")
        return [day for day in days if since is None or day >= since.isoformat()]

    def _of_day(self, run_id: str, day: str) -> list[Segment]:
        entries = self._bucket.entries(f"{self._name}/{day}/{run_id}/")
        found = ((self._parts(entry.key), entry.size) for entry in entries)
        return [Segment(date.fromisoformat(parts[1]), int(parts[3]), size == 0) for parts, size in found if parts]

    def _key(self, run_id: str, at: Segment) -> str:
        return f"{self._name}/{at.day}/{run_id}/{at.number:08}.jsonl"

    def _is_segment(self, key: str, size: int) -> bool:
        return size > 0 and self._parts(key) is not None

    def _parts(self, key: str) -> re.Match[str] | None:
        return _SEGMENT_KEY.fullmatch(key.removeprefix(f"{self._name}/"))


def _group_by_run(lines: Iterable[LogLine]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in lines:
        found.setdefault(line.run_id, []).append(line.text)
    return found


def _first_day(texts: Iterable[str]) -> date | None:
    """The first day on which any of them can have been written; None when that is not known."""
    found = [_LINE_DATE.search(text) for text in texts]
    days = [date.fromisoformat(match[1]) for match in found if match]
    return min(days) if days and len(days) == len(found) else None


def _split_lines(data: bytes) -> list[str]:
    return data.decode(errors="replace").split("\n")[:-1]
