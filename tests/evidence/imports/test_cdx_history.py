"""Captures of a web archive: what its list says of each, which bytes are believed, and what is asked for again."""

from __future__ import annotations

import gzip
import json
from base64 import b32encode
from hashlib import sha1
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.crawl.history import HistoryStopped, ServedAnswer
from rori_spiders.evidence.imports import cdx_history
from rori_spiders.evidence.imports.cdx_history import ArchiveHistory, parse_rows, replay_address
from rori_spiders.evidence.imports.importer import ImportReport
from rori_spiders.ledger.pages import imported_captures
from tests.evidence.imports.samples import HOST, an_importer, law

if TYPE_CHECKING:
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger

_ON_SQLITE = pytest.mark.parametrize("dialect", ["sqlite"])
SERVER, REPLAY = "https://archive.example/cdx/search/cdx", "https://archive.example/web"
URL = f"{HOST}/rules/1.html"
WALL = b"<html><body><h1>429 Too Many Requests</h1><p>You are asking too fast for this archive.</p></body></html>"


def digest(body: bytes) -> str:
    return b32encode(sha1(body, usedforsecurity=False).digest()).decode()


def row(day: str, body: bytes, *, status: str = "200", mime: str = "text/html", url: str = URL) -> list[str]:
    return [f"{day}080000", url, mime, status, digest(body)]


def a_list(*rows: list[str]) -> bytes:
    return json.dumps([["timestamp", "original", "mimetype", "statuscode", "digest"], *rows]).encode()


ROWS = (
    row("20190301", law(30), url=URL.replace("http://www.example.org", "http://www.example.org:80")),
    row("20190401", law(30)),
    row("20190501", law(60)),
    row("20190601", law(60), status="-", mime="warc/revisit"),
    row("20190701", b"", status="301"),
    row("20190801", b"", status="404"),
    ["2019", URL, "text/html", "200", "x"],
)
BODIES = {"20190301": law(30), "20190501": law(60)}


def _memento(day: str) -> dict[str, str]:
    months = {"03": "Mar", "05": "May"}
    return {"Content-Type": "text/html", "Memento-Datetime": f"01 {months[day[4:6]]} {day[:4]} 08:00:00 GMT"}


def _history(ledger: Ledger, folder: Path, **more: Any) -> ArchiveHistory:
    return ArchiveHistory(URL, SERVER, REPLAY, None, None, an_importer(ledger, folder), ImportReport(), **more)


def _read(history: ArchiveHistory, *rows: list[str], answers: dict[str, Any] | None = None) -> list[str]:
    """Answer each question; gives the days of the captures that were asked for."""
    reading, days = history.read(), list[str]()
    given = {day: ServedAnswer(day, 200, body, _memento(day)) for day, body in BODIES.items()} | (answers or {})
    try:
        url = next(reading)
        while True:
            if url.startswith(SERVER):
                url = reading.send(ServedAnswer(url, 200, a_list(*rows)))
                continue
            days.append(url.removeprefix(f"{REPLAY}/")[:8])
            assert url.startswith(f"{REPLAY}/{days[-1]}080000id_/http")
            url = reading.send(given[days[-1]])
    except StopIteration:
        return days


def _rows(ledger: Ledger) -> list[tuple[str, str, str | None, int | None]]:
    with ledger.connect() as conn:
        found = sorted(one.record for one, _ in imported_captures.stream_captures(conn, url=URL))
        by_record = {one.record: one for one, _ in imported_captures.stream_captures(conn)}
    return [(one[:8], by_record[one].state, by_record[one].trust, by_record[one].http_status) for one in found]


ALL = [
    ("20190301", "imported", "archived", 200),
    ("20190401", "imported", "stated", 200),
    ("20190501", "imported", "archived", 200),
    ("20190601", "imported", "stated", 200),
    ("20190701", "refused", "stated", 301),
    ("20190801", "refused", "stated", 404),
]


@_ON_SQLITE
def test_archive_history_asks_for_each_payload_once(ledger: Ledger, tmp_path: Path) -> None:
    history = _history(ledger, tmp_path)
    assert _read(history, *ROWS) == ["20190301", "20190501"]
    assert _rows(ledger) == ALL
    assert history.report.counts == {"imported": 4, "refused": 2, "malformed": 1}
    assert _read(_history(ledger, tmp_path), *ROWS) == []


@_ON_SQLITE
def test_archive_history_of_a_prefix_reads_each_page_that_a_source_collects(ledger: Ledger, tmp_path: Path) -> None:
    importer, report = an_importer(ledger, tmp_path), ImportReport()
    history = ArchiveHistory(f"{HOST}/rules/*", SERVER, REPLAY, None, None, importer, report)
    other = URL.replace("1.html", "gone.html")
    rows = (
        row("20190301", law(30), url=URL.replace("http://", "https://", 1)),
        row("20190501", law(60), url=other),
        row("20190701", law(60), url="http://www.elsewhere.example/rules/1.html"),
    )
    assert _read(history, *rows) == ["20190301", "20190501"]
    assert report.counts == {"imported": 2, "out of scope": 1}
    with ledger.connect() as conn:
        found = {one.url for one, _ in imported_captures.stream_captures(conn)}
    assert found == {URL, other}, "the scheme is that of the prefix"


@_ON_SQLITE
def test_archive_history_of_a_prefix_says_where_the_list_is_cut(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cdx_history, "_MAX_PREFIX_ROWS", 2)
    importer, report = an_importer(ledger, tmp_path), ImportReport()
    history = ArchiveHistory(f"{HOST}/rules/*", SERVER, REPLAY, None, None, importer, report)
    with pytest.raises(HistoryStopped, match="more than 2 captures below"):
        _read(history, row("20190301", law(30)), row("20190501", law(60)))
    assert report.counts == {"imported": 2}


@_ON_SQLITE
def test_archive_history_with_a_limit_goes_on_with_what_is_left(ledger: Ledger, tmp_path: Path) -> None:
    history = _history(ledger, tmp_path, limit=1)
    assert (_read(history, *ROWS), history.is_cut) == (["20190301"], True)
    assert _read(_history(ledger, tmp_path), *ROWS) == ["20190501"]
    assert _rows(ledger) == ALL


@_ON_SQLITE
def test_archive_history_page_of_the_archive_is_no_capture(ledger: Ledger, tmp_path: Path) -> None:
    wall = ServedAnswer("x", 200, WALL, {"Content-Type": "text/html"})
    history = _history(ledger, tmp_path)
    _read(history, *ROWS, answers={"20190301": wall, "20190401": wall})
    assert history.report.counts["not given"] == 2
    assert _rows(ledger) == ALL[2:]
    assert _read(_history(ledger, tmp_path), *ROWS) == ["20190301"]
    assert _rows(ledger) == ALL


@_ON_SQLITE
def test_archive_history_other_bytes_at_the_same_time_are_damaged(ledger: Ledger, tmp_path: Path) -> None:
    history = _history(ledger, tmp_path)
    _read(history, ROWS[0], answers={"20190301": ServedAnswer("x", 200, law(31), _memento("20190301"))})
    assert [one.reason for one in history.report.damaged] == ["its bytes do not have the digest of the archive's list"]
    assert _rows(ledger) == [("20190301", "damaged", None, None)]


@_ON_SQLITE
def test_archive_history_digest_of_bytes_as_sent_is_proof(ledger: Ledger, tmp_path: Path) -> None:
    packed = gzip.compress(law(30), mtime=0)
    sent = sha1(packed, usedforsecurity=False).digest()
    answer = ServedAnswer("x", 200, law(30), _memento("20190301"), sha1=sent)
    _read(_history(ledger, tmp_path), row("20190301", packed), answers={"20190301": answer})
    assert _rows(ledger) == ALL[:1]


@_ON_SQLITE
def test_archive_history_that_gives_nothing_is_left_alone(ledger: Ledger, tmp_path: Path) -> None:
    rows = [row(f"2019030{day}", law(day)) for day in range(1, 9)]
    refusal = ServedAnswer("x", 429, None, {}, "rate_limited: HTTP 429")
    with pytest.raises(HistoryStopped, match="did not give 5 captures in a row; the last: x: rate_limited"):
        _read(_history(ledger, tmp_path), *rows, answers={one[0][:8]: refusal for one in rows})
    assert _rows(ledger) == []


@pytest.mark.parametrize("body", [b"<html>busy</html>", b'{"message": 1}\n[]', b'["a"]', b"nothing"])
def test_cdx_list_that_is_none_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match="not a CDX list"):
        parse_rows(body)


def test_cdx_list_of_pywb_is_read_as_that_of_wayback() -> None:
    line = {"urlkey": "org,example)/", "timestamp": "20190301080000", "url": URL, "mime": "text/html", "status": "200"}
    assert parse_rows(f"{json.dumps(line)}\n".encode()) == [line]
    assert parse_rows(b"") == parse_rows(b"[]") == []


@pytest.mark.parametrize(
    ("server", "replay"),
    [
        (SERVER, REPLAY),
        ("http://localhost:8080/gov/cdx", "http://localhost:8080/gov"),
        ("https://archive.example/list", None),
    ],
)
def test_replay_address_by_the_address_of_the_list(server: str, replay: str | None) -> None:
    assert replay_address(server) == replay
