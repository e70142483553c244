"""`scrapy verify`: what is changed, lost or added behind the program's back is found; what a crash left is mended."""

from __future__ import annotations

import gzip
import json
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import delete, text, update

from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.runs import frontier
from rori_spiders.ledger.tables import envelopes, run_urls, versions
from rori_spiders.staging.envelope_writer import bare_hash
from rori_spiders.staging.store_factory import DiskStore
from rori_spiders.staging.verification import verify
from rori_spiders.staging.verification.verify import verify_staging
from tests.envelope.factories import NOON, SITE
from tests.staging import child_processes
from tests.staging.job_driver import Job, begin, next_run, of_a_run, reserved, rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rori_spiders.staging.envelope_writer import Reservation
    from rori_spiders.staging.verification.finding import Finding

LATER = NOON + timedelta(days=1)


class Area:
    """Two pages staged by a run that is complete, and hands to spoil them with."""

    def __init__(self, job: Job) -> None:
        self.job = job
        job.work()
        self.root = Path(job.store.location)
        self.path = next(path for path in job.store.paths() if "__1024-5__" in path)
        self.file = self.root / self.path
        self.index = self.root / "_index.jsonl"

    def edit(self, section: str, name: str, value: Any) -> None:
        envelope = json.loads(self.file.read_bytes())
        envelope[section][name] = value
        self.file.write_text(json.dumps(envelope))

    def execute(self, statement: Any) -> None:
        with self.job.ledger.begin() as conn:
            conn.execute(statement)

    def object_of(self, name: str) -> Path:
        digest = bare_hash(json.loads(self.file.read_bytes())["integrity"][name])
        return self.root / "_objects" / digest[:2] / f"{digest}.gz"

    def kinds(self) -> list[str]:
        return sorted({finding.kind for finding in verify_staging(self.job.ledger, self.job.store, now=LATER).findings})


@pytest.fixture
def area(job: Job) -> Area:
    return Area(job)


def test_verify_after_run_is_clean_and_counts(area: Area) -> None:
    report = verify_staging(area.job.ledger, area.job.store, now=LATER)
    assert report.findings == ()
    assert report.clean
    assert report.counts == {"files": 2, "objects": 4, "index_lines": 2, "envelopes": 2, "runs": 1, "facts": 8}


@pytest.mark.parametrize("error", [KeyError("state"), TypeError("no text"), IndexError("none")])
def test_verify_error_of_the_program_is_not_reported_as_damage(
    area: Area, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def give(_: int) -> Finding:
        raise error

    def fail(*_: object) -> Iterator[Finding]:
        return map(give, range(1))

    monkeypatch.setattr(verify, "check_pages", fail)
    (finding,) = verify_staging(area.job.ledger, area.job.store, now=LATER).findings
    assert (finding.kind, finding.where) == ("check_failed", "pages")
    assert "test_verify.py, line" in str(finding)


def _untrigger(area: Area, statement: str) -> None:
    """Change the audit as only somebody with the database file in hand can."""
    with area.job.ledger.begin() as conn:
        triggers = conn.execute(text("SELECT name, sql FROM sqlite_master WHERE type='trigger'")).all()
        for trigger in triggers:
            conn.execute(text(f"DROP TRIGGER {trigger.name}"))
        conn.execute(text(statement))
        for trigger in triggers:
            conn.execute(text(trigger.sql))


SPOILT: dict[str, tuple[Callable[[Area], object], list[str]]] = {
    "a letter of the body": (
        lambda a: a.edit("content", "body", "# changed\n"),
        ["body_length", "content_hash", "file_changed"],
    ),
    "the html": (lambda a: a.edit("content", "body_html", "<p>"), ["file_changed", "html_hash"]),
    "the html is gone": (lambda a: a.edit("content", "body_html", None), ["file_changed", "html_hash"]),
    "the title": (lambda a: a.edit("page_metadata", "title", "Other"), ["file_changed"]),
    "the run": (
        lambda a: a.edit("audit", "scrape_run_id", "99999999-9999-4999-8999-999999999999"),
        ["file_changed", "row_differs"],
    ),
    "the day": (lambda a: a.edit("scrape", "timestamp", "2026-02-14T12:00:00Z"), ["file_changed", "name"]),
    "a field of the wrong type": (lambda a: a.edit("scrape", "retry_count", "1"), ["file_changed", "not_an_envelope"]),
    "a file cut short": (lambda a: a.file.write_bytes(a.file.read_bytes()[:100]), ["file_changed", "not_an_envelope"]),
    "an empty file": (lambda a: a.file.write_bytes(b""), ["file_changed", "not_an_envelope"]),
    "a file of garbage": (lambda a: a.file.write_bytes(b"\xff\0"), ["file_changed", "not_an_envelope"]),
    "a file removed": (lambda a: a.file.unlink(), ["file_missing"]),
    "a file renamed": (
        lambda a: a.file.rename(a.file.with_name("cfpb-reg-x__1024-5__00000000.json")),
        ["file_missing", "file_without_row", "name"],
    ),
    "a file copied": (
        lambda a: a.file.with_name("copy.json").write_bytes(a.file.read_bytes()),
        ["file_without_row", "name"],
    ),
    "a file linked": (lambda a: a.file.with_name("link.json").symlink_to(a.file), ["stray"]),
    "a note left": (lambda a: (a.root / "notes.txt").write_text("?"), ["stray"]),
    "the raw bytes removed": (lambda a: a.object_of("raw_hash").unlink(), ["object_missing"]),
    "the body's object changed": (
        lambda a: a.object_of("content_hash").write_bytes(gzip.compress(b"other")),
        ["object_damaged"],
    ),
    "an object torn": (lambda a: a.object_of("raw_hash").write_bytes(b"\x1f\x8b"), ["object_damaged"]),
    "an index line removed": (
        lambda a: a.index.write_text(a.index.read_text().splitlines(keepends=True)[0]),
        ["index_line_missing"],
    ),
    "the index removed": (lambda a: a.index.unlink(), ["index_line_missing"]),
    "an index line doubled": (
        lambda a: a.index.write_text(a.index.read_text() + a.index.read_text().splitlines(keepends=True)[0]),
        ["index_line_twice"],
    ),
    "an index line edited": (
        lambda a: a.index.write_text(a.index.read_text().replace('"content_changed":true', '"content_changed":false')),
        ["index_line_differs"],
    ),
    "an index line of another": (
        lambda a: a.job.store.index.append(of_a_run('{"envelope_id":"x"}')),
        ["index_line_without_row"],
    ),
    "an index line of nonsense": (lambda a: a.job.store.index.append(of_a_run("[1]", "{", '{"a":1}')), ["index_line"]),
    "a torn index line": (lambda a: a.index.write_bytes(a.index.read_bytes() + b"{"), ["torn_line"]),
    "a version removed": (
        lambda a: a.execute(delete(versions).where(versions.c.page_id == 2)),
        ["fact_missing", "page_differs", "totals_differ", "version_missing"],
    ),
    "a row removed": (
        lambda a: a.execute(delete(envelopes).where(envelopes.c.path == a.path)),
        [
            "audit_without_envelope",
            "fact_missing",
            "file_without_row",
            "index_line_without_row",
            "version_without_envelope",
        ],
    ),
    "a row edited": (
        lambda a: a.execute(update(envelopes).where(envelopes.c.path == a.path).values(content_hash="0" * 64)),
        ["audit_differs", "fact_changed", "row_differs", "version_missing"],
    ),
    "a url's state edited": (
        lambda a: a.execute(update(run_urls).values(state="unchanged")),
        ["audit_missing", "run_sum"],
    ),
    "a url reopened": (lambda a: a.execute(update(run_urls).values(state="pending")), ["run_sum"]),
    "an audit row edited": (
        lambda a: _untrigger(a, "UPDATE audit SET engine = 'browser' WHERE seq = 1"),
        ["audit_differs", "fact_changed"],
    ),
    "an audit row removed": (
        lambda a: _untrigger(a, "DELETE FROM audit WHERE seq = 2"),
        ["audit_missing", "fact_missing", "page_differs"],
    ),
}


@pytest.mark.parametrize("how", SPOILT)
def test_verify_finds_what_was_spoilt_and_nothing_else(area: Area, how: str) -> None:
    spoil, expected = SPOILT[how]
    spoil(area)
    assert area.kinds() == expected


def test_findings_are_sentences_with_a_place(area: Area) -> None:
    area.edit("content", "body", "# changed\n")
    (area.root / "_tmp" / "old").write_text("")
    for finding in verify_staging(area.job.ledger, area.job.store, now=LATER).findings:
        assert str(finding).startswith(f"{finding.where}: ")
        assert len(finding.sentence) > 20


def test_verify_pruned_envelope_needs_line_but_no_file(area: Area) -> None:
    area.execute(update(envelopes).where(envelopes.c.path == area.path).values(state="pruned"))
    assert area.kinds() == ["file_not_pruned", "prune_unrecorded"]
    with area.job.ledger.begin() as conn:
        details = {"files": [area.path]}
        activity_log.record_action(conn, now=LATER, actor="anna", action="prune", target="staging", details=details)
    area.file.unlink()
    assert area.kinds() == []
    area.index.unlink()
    assert area.kinds() == ["index_line_missing"]


def _die_with_a_temporary_file(area: Area) -> None:
    (area.root / "_tmp" / "0123456789abcdef").write_bytes(b"half")


def _lose_a_line(area: Area) -> None:
    area.index.write_bytes(area.index.read_bytes().splitlines(keepends=True)[1])


def _tear(area: Area) -> None:
    area.index.write_bytes(area.index.read_bytes()[:-9])


def _reserve(area: Area) -> None:
    _reservation(area)


def _reserve_and_write(area: Area) -> None:
    reservation = _reservation(area)
    area.job.store.put_object(b"text")
    area.job.store.put_object(reservation.body)
    area.job.store.write_envelope(reservation.path, reservation.data)


def _reservation(area: Area) -> Reservation:
    area.job.now += timedelta(hours=1)
    (visit,) = begin(area.job, SITE + "9/")
    return reserved(area.job, visit, "text")


def _stage_only(area: Area) -> None:
    area.execute(update(envelopes).values(state="staged"))


LEFT: list[Callable[[Area], None]] = [
    _die_with_a_temporary_file,
    _lose_a_line,
    _tear,
    _reserve,
    _reserve_and_write,
    _stage_only,
]


@pytest.mark.parametrize("leave", LEFT)
def test_repair_mends_what_a_crash_leaves(area: Area, leave: Callable[[Area], None]) -> None:
    before = {path: area.job.store.read(path) for path in area.job.store.paths()}
    leave(area)
    found = verify_staging(area.job.ledger, area.job.store, now=LATER)
    assert found.findings
    assert all(finding.repairable for finding in found.findings)
    report = verify_staging(area.job.ledger, area.job.store, repair=True, now=LATER)
    assert report.findings == ()
    assert report.mended == found.findings
    assert verify_staging(area.job.ledger, area.job.store, now=LATER).findings == ()
    assert all(area.job.store.read(path) == data for path, data in before.items())
    lines = [json.loads(line)["path"] for line in area.job.store.index.lines()]
    assert sorted(lines) == list(area.job.store.paths())


def test_repair_leaves_what_no_crash_can_leave(area: Area) -> None:
    area.edit("page_metadata", "title", "Other")
    area.file.with_name("copy.json").write_bytes(b"{}")
    _die_with_a_temporary_file(area)
    spoilt = {path: area.job.store.read(path) for path in area.job.store.paths()}
    report = verify_staging(area.job.ledger, area.job.store, repair=True, now=LATER)
    assert [finding.kind for finding in report.mended] == ["temporary_file"]
    assert "file_changed" in {finding.kind for finding in report.findings}
    assert {path: area.job.store.read(path) for path in area.job.store.paths()} == spoilt


def test_repair_of_clean_area_writes_nothing(area: Area) -> None:
    before = {path: path.stat().st_mtime_ns for path in area.root.rglob("*")}
    assert verify_staging(area.job.ledger, area.job.store, repair=True, now=LATER).clean
    assert {path: path.stat().st_mtime_ns for path in area.root.rglob("*")} == before


def test_verify_of_read_only_area(area: Area) -> None:
    for path in (area.root, *area.root.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    ledger = area.job.ledger

    def look() -> None:
        assert list(DiskStore(area.root).paths())
        assert DiskStore(area.root).torn() == ()
        assert list(DiskStore(area.root).strays()) == []

    for parent in area.root.parents:
        if parent.owner() == Path.home().owner() and "pytest" in str(parent):
            parent.chmod(0o755)
    assert child_processes.run(look, as_nobody=True) == 0
    assert verify_staging(ledger, DiskStore(area.root), now=LATER).clean


def test_pages_of_an_open_run_need_no_sum_yet(job: Job) -> None:
    first, _second = begin(job, SITE, SITE + "5/")
    job.page(first)
    assert verify_staging(job.ledger, job.store, now=LATER).findings == ()
    next_run(job)
    with job.ledger.connect() as conn:
        assert frontier.list_urls(conn, first.run_id, "pending")
    assert verify_staging(job.ledger, job.store, now=LATER).findings == (), (
        "incomplete, and says so: the sum is as recorded"
    )
    assert len(rows(job.ledger)) == 1
