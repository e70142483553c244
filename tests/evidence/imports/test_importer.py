"""Imports into a ledger: judged, recorded as facts, and apart from all that was collected."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, select, update
from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

from rori_spiders.crawl.source_finder import SourceFinder
from rori_spiders.evidence.imports.importer import ImportReport
from rori_spiders.evidence.imports.warc_files import WarcReader
from rori_spiders.evidence.point_in_time import describe_page
from rori_spiders.exceptions import ConversionError
from rori_spiders.ledger.audit.fact_log import count_leaves
from rori_spiders.ledger.operations.activity_log import recent_actions
from rori_spiders.ledger.pages import imported_captures, page_history, point_in_time
from rori_spiders.ledger.tables import actions, audit, changes, envelopes, pages, run_urls, runs, source_state, versions
from rori_spiders.ledger.tables import imported_captures as imported_captures_table
from rori_spiders.staging.store_factory import DiskStore
from rori_spiders.staging.verification.verify import verify_staging
from tests.evidence.imports.samples import (
    FIXTURES,
    HOST,
    MAX_BYTES,
    NOW,
    InProcess,
    a_file,
    a_warc,
    add_response,
    an_importer,
    catalog,
    law,
)

if TYPE_CHECKING:
    from pathlib import Path

    from rori_spiders.evidence.imports.importer import Importer
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.pages.imported_captures import ImportedCapture

_ON_SQLITE = pytest.mark.parametrize("dialect", ["sqlite"])
#: Tables that only requests of our own write.
_OWN = (audit, changes, envelopes, pages, run_urls, runs, source_state, versions)


def _import(importer: Importer, file: BytesIO, sha256: str = "a" * 64) -> ImportReport:
    report = ImportReport()
    importer.import_records(a_file(sha256=sha256), WarcReader(MAX_BYTES).read(file), report)
    return report


def _import_wget(importer: Importer, report: ImportReport | None = None) -> ImportReport:
    report = report or ImportReport()
    reader = WarcReader(MAX_BYTES)
    with (FIXTURES / "wget.warc.gz").open("rb") as file:
        importer.import_records(a_file(), reader.read(file), report, lambda: reader.software)
    return report


def _captures(ledger: Ledger, **wanted: Any) -> list[ImportedCapture]:
    with ledger.connect() as conn:
        return [one for one, _ in imported_captures.stream_captures(conn, **wanted)]


def _leaves(ledger: Ledger) -> int:
    with ledger.connect() as conn:
        return count_leaves(conn)


@_ON_SQLITE
def test_import_wget_file_takes_pages_and_records_why_others_are_none(ledger: Ledger, tmp_path: Path) -> None:
    report = _import_wget(an_importer(ledger, tmp_path))
    assert (report.counts, report.damaged) == ({"imported": 4, "refused": 4, "out of scope": 1}, [])
    found = {(one.url or "").removeprefix(HOST): one for one in _captures(ledger)}
    blocked, rule = found["/rules/blocked.html"], found["/rules/1.html"]
    assert (blocked.state, blocked.verdict, blocked.content_hash) == ("refused", "challenge", None)
    assert blocked.raw_hash is not None and not DiskStore(tmp_path / "staged").has_object(blocked.raw_hash)
    assert (found["/gone.html"].state, found["/gone.html"].verdict) == ("refused", "not_found")
    assert found["/old"].reason == "the server answered HTTP 302, not a page"
    assert (rule.state, rule.trust, rule.source_id, rule.title) == ("imported", "archived", "law", "Rule 60")
    assert rule.content_hash is not None
    assert "within 60 days" in DiskStore(tmp_path / "staged").get_object(rule.content_hash).decode()
    with ledger.connect() as conn:
        [(file, counts)] = imported_captures.list_imports(conn)
    assert (file.software, file.imported_by, counts) == (
        "Wget/1.21.3 (linux-gnu)",
        "ann",
        {"imported": 4, "refused": 4},
    )


def test_import_writes_nothing_that_counts_as_seen(ledger: Ledger, tmp_path: Path) -> None:
    _import_wget(an_importer(ledger, tmp_path))
    url, at = f"{HOST}/rules/1.html", NOW
    with ledger.connect() as conn:
        for table in _OWN:
            assert conn.execute(select(func.count()).select_from(table)).scalar_one() == 0, table.name
        assert page_history.held_at(conn, url, at) == []
        assert point_in_time.find_proofs(conn, url, at) == []
        assert point_in_time.nearest_observations(conn, url, at) == (None, None)
        [row] = describe_page(conn, url, at)
    assert (row["state"], row["provenance"], row["file_sha256"]) == ("imported", "imported", "a" * 64)
    assert row["says"].startswith("Not seen by this collector: wget.warc.gz, imported by ann, states")
    assert "last_seen" not in row


def test_import_is_verified_and_each_record_is_a_fact(ledger: Ledger, tmp_path: Path) -> None:
    before = _leaves(ledger)
    _import_wget(an_importer(ledger, tmp_path))
    assert _leaves(ledger) == before + 1 + 8
    store = DiskStore(tmp_path / "staged")
    assert verify_staging(ledger, store, now=NOW).findings == ()
    with ledger.begin() as conn:
        is_two = imported_captures_table.c.url == f"{HOST}/rules/2.html"
        conn.execute(update(imported_captures_table).where(is_two).values(title="Forged"))
    assert [one.kind for one in verify_staging(ledger, store, now=NOW).findings] == ["fact_changed"]
    [two] = _captures(ledger, url=f"{HOST}/rules/2.html")
    [path] = (tmp_path / "staged").rglob(f"{two.content_hash}*")
    path.unlink()
    assert "object_missing" in {one.kind for one in verify_staging(ledger, store, now=NOW).findings}


def test_import_of_the_same_file_again_changes_nothing(ledger: Ledger, tmp_path: Path) -> None:
    importer = an_importer(ledger, tmp_path)
    importer.record_action("wget.warc.gz", _import_wget(importer), {})
    before = _captures(ledger), _leaves(ledger)
    later = an_importer(ledger, tmp_path)
    later.now += timedelta(days=1)
    report = _import_wget(later)
    later.record_action("wget.warc.gz", report, {})
    assert (report.known, report.counts) == (8, {"out of scope": 1})
    assert (_captures(ledger), _leaves(ledger)) == before
    with ledger.connect() as conn:
        [action] = recent_actions(conn)
        assert conn.execute(select(func.count()).select_from(actions)).scalar_one() == 1
    assert (action["actor"], action["action"], action["target"]) == ("ann", "import", "wget.warc.gz")
    assert action["details"] == {"imported": 4, "refused": 4}


def test_import_that_was_stopped_is_completed(ledger: Ledger, tmp_path: Path) -> None:
    pages_of_file = [(f"/{number}", law(number)) for number in range(1, 21)]
    file = a_warc(*pages_of_file)
    report = ImportReport()
    with pytest.raises(KeyboardInterrupt):
        an_importer(ledger, tmp_path, InProcess(stop_after=10)).import_records(
            a_file(), WarcReader(MAX_BYTES).read(file), report
        )
    assert report.counts == {"imported": 8}
    again = _import(an_importer(ledger, tmp_path), file)
    assert (again.known, again.counts) == (8, {"imported": 12})
    assert {one.url for one in _captures(ledger)} == {f"{HOST}{path}" for path, _ in pages_of_file}
    assert verify_staging(ledger, DiskStore(tmp_path / "staged"), now=NOW).findings == ()


@_ON_SQLITE
def test_import_of_damaged_file_records_what_is_damaged(ledger: Ledger, tmp_path: Path) -> None:
    data = a_warc(("/a", law(1)), ("/b", law(2)), is_packed=False).getvalue()
    report = _import(an_importer(ledger, tmp_path), BytesIO(data.replace(b"within 1 days", b"within 9 days")))
    assert report.counts == {"damaged": 1, "imported": 1}
    [damaged] = report.damaged
    assert (damaged.url, damaged.record) == (f"{HOST}/a", "0")
    [row] = _captures(ledger, state="damaged")
    assert (row.record, row.url, row.content_hash) == ("0", f"{HOST}/a", None)
    assert "digest" in (row.reason or "")


@_ON_SQLITE
def test_import_of_revisit_repeats_the_text_at_its_own_time(ledger: Ledger, tmp_path: Path) -> None:
    file = BytesIO()
    writer = WARCWriter(file)
    for path, at in (("/a", "2019-03-01T08:00:00Z"), ("/b", "2019-04-01T08:00:00Z")):
        add_response(writer, path, law(1 if path == "/a" else 2), at=at)
    file.seek(0)
    digest = next(iter(WarcReader(MAX_BYTES).read(file))).digest  # type: ignore[union-attr]
    file.seek(0, 2)
    for name, at in ((digest, "2020-03-01T08:00:00Z"), ("sha1:unknown", "2020-04-01T08:00:00Z")):
        head = {"WARC-Date": at}
        url = f"{HOST}/a"
        writer.write_record(writer.create_revisit_record(url, name, url, at, warc_headers_dict=head))
    report = _import(an_importer(ledger, tmp_path), file)
    assert report.counts == {"imported": 3, "unreadable": 1}
    first, again, unknown = _captures(ledger, url=f"{HOST}/a")
    assert (first.content_hash, first.trust) == (again.content_hash, "archived")
    assert again.captured_at == datetime(2020, 3, 1, 8, tzinfo=UTC)
    assert unknown.reason == "it repeats a record that was not imported before it"


@_ON_SQLITE
def test_import_of_capture_from_the_future_is_damaged(ledger: Ledger, tmp_path: Path) -> None:
    writer = WARCWriter(file := BytesIO())
    add_response(writer, "/a", law(1), at="2031-03-01T08:00:00Z")
    report = _import(an_importer(ledger, tmp_path), file)
    assert report.counts == {"damaged": 1}
    assert _captures(ledger)[0].reason == "its time is in the future"


@_ON_SQLITE
def test_import_of_page_that_cannot_be_converted_is_unreadable(ledger: Ledger, tmp_path: Path) -> None:
    class Slow(InProcess):
        def assess(self, captures: Any) -> list[Any]:
            return [ConversionError("took too long") for _ in captures]

    report = _import(an_importer(ledger, tmp_path, Slow()), a_warc(("/a", law(1))))
    assert report.counts == {"unreadable": 1}
    assert _captures(ledger)[0].reason == "took too long"


@_ON_SQLITE
def test_newest_texts_are_those_captured_by_then(ledger: Ledger, tmp_path: Path) -> None:
    writer = WARCWriter(file := BytesIO())
    for year in (2018, 2019, 2020):
        add_response(writer, "/a", law(year), at=f"{year}-03-01T08:00:00Z")
    _import(an_importer(ledger, tmp_path), file)
    with ledger.connect() as conn:
        [(capture, _)] = imported_captures.newest_texts(conn, f"{HOST}/a", datetime(2019, 12, 31, tzinfo=UTC))
        assert imported_captures.newest_texts(conn, f"{HOST}/a", datetime(2017, 1, 1, tzinfo=UTC)) == []
    assert capture.captured_at == datetime(2019, 3, 1, 8, tzinfo=UTC)


def test_source_finder_takes_the_source_in_scope() -> None:
    finder = SourceFinder(catalog(scrape_config={"include_patterns": ["/rules/*"]}))
    found = {path: finder.find(f"{HOST}{path}") for path in ("/rules/1", "/robots.txt", "/other")}
    assert [path for path, source in found.items() if source is not None] == ["/rules/1"]
    assert finder.find("https://elsewhere.example/rules/1") is None
    single = {"id": "rule-7", "method": "scrape", "url": f"{HOST}/rules/7"}
    both = SourceFinder(catalog(single, scrape_config={"include_patterns": ["/rules/*"]}))
    assert [one and one.id for one in map(both.find, (f"{HOST}/rules/7", f"{HOST}/rules/1"))] == ["rule-7", "law"]
    assert SourceFinder(catalog(), only="another").find(f"{HOST}/rules/1") is None
