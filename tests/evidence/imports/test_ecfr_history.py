"""The past of a part of the CFR: which days are asked for, what of each is recorded, and what a stop leaves."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import pytest

from rori_spiders.comparison.imported_change_log import describe_imported_changes
from rori_spiders.comparison.version_diff import TextArchive
from rori_spiders.crawl.history import HistoryStopped, ServedAnswer
from rori_spiders.crawl.source_finder import SourceFinder
from rori_spiders.crawl.tiers.official.ecfr import parse_cfr_part
from rori_spiders.evidence.imports.ecfr_history import PartHistory
from rori_spiders.evidence.imports.importer import ImportReport
from rori_spiders.ledger.pages import imported_captures, imported_changes
from rori_spiders.ledger.pages.change_records import ChangeFilter
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.loading import parse_manifest
from tests.crawl.tiers.official.publishers import text
from tests.evidence.imports.samples import an_importer
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger

_ON_SQLITE = pytest.mark.parametrize("dialect", ["sqlite"])
URL = "https://www.ecfr.gov/current/title-1/part-2"
API = "https://www.ecfr.gov/api/versioner/v1"
PART = text("ecfr-title-1-part-2.xml")
#: A section more, so that the numbers of all that follow shift, and one of them amended.
AMENDED = PART.replace(b'NODE="1:1.0.1.1.2.0.1.', b'NODE="1:1.0.1.1.2.0.2.').replace(
    b"A primary purpose of this chapter", b"The primary purpose of this chapter"
)
DAYS = {"2024-01-01": PART, "2024-02-01": PART.replace(b"\n\n", b"\n"), "2024-03-01": AMENDED}


def _history(ledger: Ledger, folder: Path, **more: object) -> PartHistory:
    manifest = parse_manifest(
        json.dumps({"version": "1.0.0", "sources": [source("part-2", URL)]}), name="x", origin="x"
    )
    importer = replace(an_importer(ledger, folder), sources=SourceFinder(Catalog([manifest])))
    place = parse_cfr_part(URL)
    assert place is not None
    made = PartHistory(place, URL, API, date(2024, 1, 1), date(2026, 11, 30), importer, ImportReport())
    return replace(made, **more)  # type: ignore[arg-type]


def _answer(url: str, texts: dict[str, bytes]) -> bytes:
    if url.endswith("/titles.json"):
        return json.dumps({"titles": [{"number": 1, "up_to_date_as_of": "2024-06-01"}]}).encode()
    if "/versions/" in url:
        versions = [{"identifier": "2.1", "amendment_date": day, "issue_date": day} for day in (*texts, "2024-07-01")]
        return json.dumps({"content_versions": versions, "meta": {"total_pages": "1"}}).encode()
    return texts[url.split("/full/")[1][:10]]


def _read(history: PartHistory, texts: dict[str, bytes], answers: int = 99) -> list[str]:
    """Answer at most so many questions; gives them, without the API's address."""
    reading, asked = history.read(), list[str]()
    try:
        url = next(reading)
        while True:
            asked.append(url.removeprefix(f"{API}/"))
            if len(asked) > answers:
                return asked
            url = reading.send(ServedAnswer(url, 200, _answer(url, texts)))
    except StopIteration:
        return asked


def _rows(ledger: Ledger) -> list[tuple[str, str]]:
    with ledger.connect() as conn:
        return sorted((one.record, one.state) for one, _ in imported_captures.stream_captures(conn))


@_ON_SQLITE
def test_part_history_records_what_changed_and_not_what_only_moved(ledger: Ledger, tmp_path: Path) -> None:
    history = _history(ledger, tmp_path)
    asked = _read(history, DAYS)
    assert [one.split("?")[0] for one in asked] == [
        "titles.json",
        "versions/title-1.json",
        *(f"full/{day}/title-1.xml" for day in DAYS),
    ]
    rows = _rows(ledger)
    assert [one for one in rows if not one[0].startswith("2024-01-01")] == [
        ("2024-02-01 part 2", "unchanged"),
        ("2024-03-01 part 2", "unchanged"),
        ("2024-03-01 section-2.1", "imported"),
    ]
    assert {state for record, state in rows if record.startswith("2024-01-01")} == {"imported"}
    assert history.report.counts == {"imported": len(rows) - 2, "unchanged": 2}


@_ON_SQLITE
@pytest.mark.parametrize("answers", [1, 2, 3, 4])
def test_part_history_stopped_then_read_again_asks_for_the_rest(ledger: Ledger, tmp_path: Path, answers: int) -> None:
    _read(_history(ledger, tmp_path), DAYS, answers)
    asked = _read(_history(ledger, tmp_path), DAYS)
    assert len([one for one in asked if one.startswith("full/")]) == len(DAYS) - max(0, answers - 2)
    assert _rows(ledger)[-3:] == [
        ("2024-02-01 part 2", "unchanged"),
        ("2024-03-01 part 2", "unchanged"),
        ("2024-03-01 section-2.1", "imported"),
    ]


@_ON_SQLITE
def test_part_history_day_without_its_last_row_is_read_again(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add, added = imported_captures.add_captures, 0

    def killed(*args: object) -> set[str]:
        nonlocal added
        added += 1
        if added > 1:
            raise KeyboardInterrupt
        return add(*args)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(imported_captures, "add_captures", killed)
        history = _history(ledger, tmp_path)
        many = PART.replace(b"</DIV5>", b"".join(_section(number) for number in range(20, 32)) + b"</DIV5>")
        with pytest.raises(KeyboardInterrupt):
            _read(history, {"2024-01-01": many})
    half = len(_rows(ledger))
    _read(_history(ledger, tmp_path), {"2024-01-01": many})
    assert 0 < half < len(_rows(ledger))
    assert ("2024-01-01 part 2", "imported") in _rows(ledger)


def _section(number: int) -> bytes:
    words = b"Each agency must publish its rules in the daily journal before they take effect, with their reasons."
    return b'<DIV8 N="2.%d" TYPE="SECTION"><HEAD>Section 2.%d Notice.</HEAD><P>%s</P></DIV8>' % (number, number, words)


_ANSWERS: list[Callable[[str], ServedAnswer]] = [
    lambda url: ServedAnswer(url, 503, None, reason="server_error: HTTP 503"),
    lambda url: ServedAnswer(url, 200, PART[:900]),
    lambda url: ServedAnswer(url, 200, PART.replace(b'N="2"', b'N="3"')),
]


@_ON_SQLITE
@pytest.mark.parametrize("answer", _ANSWERS)
def test_part_history_without_the_text_stops_and_records_nothing_of_the_day(
    ledger: Ledger, tmp_path: Path, answer: Callable[[str], ServedAnswer]
) -> None:
    reading = _history(ledger, tmp_path).read()
    url = next(reading)
    while "/full/" not in url:
        url = reading.send(ServedAnswer(url, 200, _answer(url, DAYS)))
    with pytest.raises(HistoryStopped):
        reading.send(answer(url))
    assert _rows(ledger) == []


@_ON_SQLITE
@pytest.mark.parametrize(
    ("now", "is_old"), [(datetime(2026, 11, 1, tzinfo=UTC), True), (datetime(2024, 1, 20, tzinfo=UTC), False)]
)
def test_part_history_day_without_the_part_is_asked_for_again_only_while_it_is_recent(
    ledger: Ledger, tmp_path: Path, now: datetime, is_old: bool
) -> None:
    asked, rows = [], []
    for _ in range(2):
        history = _history(ledger, tmp_path)
        history.importer.now = now
        reading = history.read()
        url = next(reading)
        while "/full/2024-02" not in url:
            is_first = "/full/2024-01" in url
            asked += [url] if is_first else []
            missing = ServedAnswer(url, 404, None, reason="not_found")
            url = reading.send(missing if is_first else ServedAnswer(url, 200, _answer(url, DAYS)))
        rows.append(_rows(ledger))
    assert len(asked) == (1 if is_old else 2)
    assert rows == [[("2024-01-01 part 2", "no_text")] if is_old else []] * 2  # and it claims no text, nor an absence
    with ledger.connect() as conn:
        assert imported_captures.list_texts(conn, URL) == []


@_ON_SQLITE
def test_part_history_tells_sections_that_came_changed_and_went(ledger: Ledger, tmp_path: Path) -> None:
    longer = PART.replace(b"</DIV5>", _section(20) + b"</DIV5>")
    texts = {"2024-01-01": PART, "2024-02-01": longer, "2024-03-01": AMENDED, "2024-04-01": longer}
    history = _history(ledger, tmp_path)
    _read(history, texts)
    archive = TextArchive(ledger, history.importer.store, lambda: Catalog([]))
    assert describe_imported_changes(archive, clock=lambda: history.importer.now) == 0
    with ledger.connect() as conn:
        found = list(imported_changes.list_imported_changes(conn, ChangeFilter()))
    assert {(one.record, one.kind, one.trust) for one in found} == {
        ("2024-02-01 section-2.20", "new_page", "publisher"),
        ("2024-03-01 section-2.1", "text", "publisher"),
        ("2024-03-01 section-2.20", "removed", "publisher"),
        ("2024-04-01 section-2.1", "text", "publisher"),
        ("2024-04-01 section-2.20", "returned", "publisher"),
    }
    [amended] = [one for one in found if one.record == "2024-03-01 section-2.1"]
    assert (amended.from_at, amended.at) == (_end_of(date(2024, 1, 1)), _end_of(date(2024, 3, 1)))
    note = "An imported text was stated later, by its publisher: this collector has not seen it."
    assert note in amended.details["notes"]


def _end_of(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 23, 59, 59, tzinfo=UTC)
