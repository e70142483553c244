"""Logs in a bucket: each line once, whoever writes it and at whatever hour; a reader that follows misses none."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from rori_spiders.staging.s3.bucket import Bucket
from rori_spiders.staging.s3.client import parse_s3_uri
from rori_spiders.staging.s3.log_segments import SegmentedLog
from rori_spiders.staging.store import LogLine
from tests.staging import child_processes
from tests.staging.job_driver import of_a_run

if TYPE_CHECKING:
    from tests.staging.s3.fixtures import Area

NIGHT = datetime(2026, 11, 22, 23, 59, 59, tzinfo=UTC)
MORNING = NIGHT + timedelta(seconds=2)


def line(number: int, made: datetime = NIGHT, run: str = "run") -> LogLine:
    return LogLine(run, json.dumps({"n": number, "staged_at": f"{made:%Y-%m-%dT%H:%M:%SZ}"}, separators=(",", ":")))


class Writer(SegmentedLog):
    """A process that writes, with a clock of its own."""

    def __init__(self, area: Area, now: datetime = NIGHT) -> None:
        self.now = now
        super().__init__(Bucket(parse_s3_uri(area.uri)), "_index", lambda: self.now)


def texts(area: Area) -> list[str]:
    return list(Writer(area).lines())


def test_log_segment_is_written_for_each_call_and_day(area: Area) -> None:
    writer = Writer(area)
    writer.append([line(1), line(2), line(3, run="other")])
    writer.append([line(4)])
    writer.now = MORNING
    writer.append([line(5, MORNING)])
    assert area.keys("staged/_index/") == [
        "_index/2026-11-22/other/00000001.jsonl",
        "_index/2026-11-22/run/00000001.jsonl",
        "_index/2026-11-22/run/00000002.jsonl",
        "_index/2026-11-22/run/00000003.jsonl",
        "_index/2026-11-23/run/00000001.jsonl",
    ]
    assert area.get("_index/2026-11-22/run/00000003.jsonl") == b"", "it says that the run goes on the next day"
    assert [json.loads(text)["n"] for text in texts(area)] == [3, 1, 2, 4, 5]
    assert next(Writer(area).places())[0] == "_index/2026-11-22/other/00000001.jsonl:1"
    assert list(writer.strays()) == []
    area.put("_index/notes.txt", b"?")
    assert list(writer.strays()) == ["_index/notes.txt"]


def test_log_segment_job_declared_dead_writes_nothing_twice(area: Area) -> None:
    suspended, rescuer = Writer(area), Writer(area)
    suspended.append([line(1)])
    assert rescuer.append_missing([line(1), line(2)]) == 1
    suspended.append([line(2)])
    suspended.append([line(3)])
    assert texts(area) == [text for _, text in (line(1), line(2), line(3))]


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize(("first", "second"), [(NIGHT, MORNING), (MORNING, NIGHT)])
def test_log_segment_two_rescues_around_midnight_write_each_line_once(
    area: Area, begun: bool, first: datetime, second: datetime
) -> None:
    if begun:
        Writer(area).append([line(0)])
    lines = [line(1), line(2)]
    late = Writer(area, second)
    # The second has looked, and found nothing, before the first has written.
    look, looked = late._texts, list[bool]()

    def looking(run_id: str, since: object) -> set[str]:
        found = look(run_id, NIGHT.date())
        if not looked:
            looked.append(True)
            assert Writer(area, first).append_missing(lines) == 2
        return found

    late._texts = looking  # type: ignore[method-assign]
    assert late.append_missing(lines) == 0
    assert sorted(texts(area)) == sorted(one.text for one in ([line(0)] if begun else []) + lines)


def test_log_segment_late_rescue_is_found_by_readers(area: Area) -> None:
    Writer(area).append([line(1)])
    weeks_later = NIGHT + timedelta(days=30)
    rescuer = Writer(area, weeks_later)
    assert rescuer.append_missing([line(1), line(2)]) == 1
    days = [key.split("/")[1] for key in area.keys("staged/_index/")]
    assert days == ["2026-11-22", "2026-12-21", "2026-12-22"], "the day before holds only its end"
    rescuer.append([line(3, weeks_later)])
    assert [json.loads(text)["n"] for text in texts(area)] == [1, 2, 3]


def test_log_segment_clock_set_back_breaks_no_chain(area: Area) -> None:
    writer = Writer(area, MORNING)
    writer.append([line(1, MORNING)])
    writer.now = NIGHT
    writer.append([line(2)])
    other = Writer(area, NIGHT)
    assert other.append_missing([line(2), line(3)]) == 1
    assert [json.loads(text)["n"] for text in texts(area)] == [1, 2, 3]


def test_log_segment_concurrent_appends_of_same_lines_append_once(area: Area) -> None:
    wanted = [f"{number}:x" for number in range(12)]

    def append() -> None:
        store = area.store()
        for start in range(0, len(wanted), 4):
            store.index.append_missing(of_a_run(*wanted[start : start + 4]))

    writers = [child_processes.start(append) for _ in range(3)]
    assert [child_processes.end(writer) for writer in writers] == [0, 0, 0]
    assert sorted(area.store().index.lines()) == sorted(wanted)
