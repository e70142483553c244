"""What a verification opens of a sample or since a time, and that it finds there what is wrong."""

from __future__ import annotations

import gzip
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import insert

from rori_spiders.ledger.tables import corpus_pages, corpus_runs
from rori_spiders.staging.verification.parallel_reads import map_in_threads
from rori_spiders.staging.verification.selection import Sample, VerificationScope
from rori_spiders.staging.verification.verify import VerificationProgress, verify_staging
from tests.envelope.factories import NOON, an_id
from tests.staging.job_driver import PAGES, begin, next_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.staging.job_driver import Job

LATER = NOON + timedelta(days=1)
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("sample", "expected"), [(Sample(count=7), 7), (Sample(share=0.25), 25), (Sample(share=1), 100)]
)
def test_choose_of_a_hundred_gives_the_number_in_order(sample: Sample, expected: int) -> None:
    chosen = list(sample.choose(range(100)))
    assert len(chosen) == expected
    assert chosen == sorted(set(chosen))


@pytest.mark.parametrize("sample", [Sample(count=2), Sample(share=0.2)])
def test_choose_again_and_again_leaves_nothing_out(sample: Sample) -> None:
    assert {one for _ in range(500) for one in sample.choose(range(10))} == set(range(10))


def test_choose_more_than_there_is_gives_all() -> None:
    assert list(Sample(count=5).choose("abc")) == ["a", "b", "c"]


@pytest.mark.parametrize("threads", [1, 4])
def test_map_in_threads_keeps_order_and_reads_no_further_than_needed(threads: int) -> None:
    read = []

    def numbers() -> Iterator[int]:
        for number in range(1000):
            read.append(number)
            yield number

    squares = map_in_threads(lambda number: number * number, numbers(), threads=threads)
    assert [next(squares) for _ in range(3)] == [0, 1, 4]
    assert len(read) <= 3 + 2 * threads


def test_map_in_threads_raises_what_the_function_raises() -> None:
    with pytest.raises(ZeroDivisionError):
        list(map_in_threads(lambda number: 1 // number, [1, 0], threads=4))


@pytest.fixture
def twice(job: Job) -> Job:
    """Two runs, an hour apart: the second has changed both pages."""
    for text in ("first", "second"):
        for visit in begin(job, *PAGES):
            job.page(visit, f"<h1>{text} {visit.url}</h1>")
        next_run(job)
    return job


def _damage(root: Path, text: bytes) -> None:
    for file in root.glob("_objects/*/*.gz"):
        if gzip.decompress(file.read_bytes()).startswith(text):
            file.write_bytes(b"torn")


def test_verify_of_a_sample_counts_what_it_opened_and_of_how_much(twice: Job) -> None:
    scope = VerificationScope(Sample(count=1))
    report = verify_staging(twice.ledger, twice.store, now=LATER, scope=scope)
    assert report.clean and not report.scope.is_whole
    assert report.sampled["files"] == (1, 4)
    assert report.counts["objects"] <= 3 < verify_staging(twice.ledger, twice.store, now=LATER).counts["objects"]
    assert report.counts["envelopes"] == 4, "rows are compared in full"
    assert verify_staging(twice.ledger, twice.store, now=LATER).sampled == {}


def test_verify_of_a_sample_of_all_finds_what_is_damaged(twice: Job, root: Path) -> None:
    _damage(root, b"<h1>second")
    scope = VerificationScope(Sample(share=1))
    found = verify_staging(twice.ledger, twice.store, now=LATER, scope=scope).findings
    assert {one.kind for one in found} == {"object_damaged"}


def test_verify_of_a_sample_reports_every_file_without_a_row(twice: Job, root: Path) -> None:
    for number in range(3):
        file = root / "example.org" / "2026-02-13" / f"added-{number}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}")
    scope = VerificationScope(Sample(count=1))
    found = verify_staging(twice.ledger, twice.store, now=LATER, scope=scope).findings
    assert [one.kind for one in found].count("file_without_row") == 3


def test_verify_since_opens_files_and_objects_of_later_runs_only(twice: Job, root: Path) -> None:
    _damage(root, b"<h1>first")
    since = VerificationScope(since=NOON + HOUR / 2)
    report = verify_staging(twice.ledger, twice.store, now=LATER, scope=since)
    whole = verify_staging(twice.ledger, twice.store, now=LATER)
    assert report.clean
    assert (report.counts["files"], report.counts["envelopes"], report.counts["runs"]) == (2, 2, 1)
    assert report.counts["facts"] == whole.counts["facts"], "the log of facts is always read whole"
    assert {one.kind for one in whole.findings} == {"object_damaged"}


def test_verify_since_a_time_before_all_runs_is_whole(twice: Job, root: Path) -> None:
    _damage(root, b"<h1>first")
    report = verify_staging(twice.ledger, twice.store, now=LATER, scope=VerificationScope(since=NOON - HOUR))
    assert report.counts["files"] == 4
    assert {one.kind for one in report.findings} == {"object_damaged"}


def test_verify_opens_objects_that_only_a_linked_document_names(twice: Job) -> None:
    own = twice.store.put_object(b"# Own text\n")
    with twice.ledger.begin() as conn:
        run = {"run_id": an_id(7), "domain": "example.org", "kind": "full", "state": "cancelled", "target": {}}
        times = {"started_at": NOON, "moved_at": NOON, "ended_at": NOON}
        conn.execute(insert(corpus_runs).values(**run, **times, rules="", requested_by="test"))
        page = {"run_id": an_id(7), "page_id": "a" * 64, "url": "https://example.org/stub", "found_by": "map"}
        linked = {"url": "https://example.org/a.pdf", "own_object": own, "object": "b" * 64, "reason": None}
        values = {"section": "", "template": "", "sampled": 0, "linked": linked}
        conn.execute(insert(corpus_pages).values(**page, **values))
    [found] = verify_staging(twice.ledger, twice.store, now=LATER).findings
    assert (found.kind, found.where) == ("object_missing", "https://example.org/stub")
    assert found.sentence == f"the object with its text of the linked document is missing: {'b' * 64}"


def test_verify_with_progress_names_the_last_step(twice: Job) -> None:
    progress = VerificationProgress()
    report = verify_staging(twice.ledger, twice.store, now=LATER, progress=progress)
    assert progress.step == "conversions"
    assert dict(progress.counts) == report.counts
