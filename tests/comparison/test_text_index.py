"""The index of texts: what it finds, what it adds, and that it is never believed over the ledger."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from rori_spiders.comparison.text_index import TextIndex, TextQuery, cut_snippet
from rori_spiders.exceptions import ActionRefused, LedgerError, UsageError
from rori_spiders.staging.store_factory import DiskStore
from tests.envelope.factories import NOON, SITE, an_id
from tests.staging.job_driver import SOURCE, Job, begin, next_run
from tests.support.databases import open_empty_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger

OTHER = f"{SITE}5/"


class Archive:
    """Two pages, of which the first has a second version, and their index."""

    def __init__(self, folder: Path, ledger: Ledger) -> None:
        self.ledger, self.store = ledger, DiskStore(folder / "staged")
        self.file = folder / "search.db"
        self.job = Job(ledger, self.store, an_id(1))
        for visit, text in zip(begin(self.job, SITE, OTHER), ("within 60 days", "Café of § 1024.17(c)"), strict=True):
            self.job.page(visit, f"Rule\n\nPay {text}. {visit.url}")
        next_run(self.job)
        self.job.page(begin(self.job, SITE)[0], f"Rule\n\nPay within 61 days. {SITE}")

    def find(self, *terms: str, **wanted: object) -> list[tuple[str, int, bool]]:
        index = TextIndex(self.file)
        index.update(self.ledger, self.store)
        query = TextQuery(terms=terms, **wanted)  # type: ignore[arg-type]
        return [(one.url, one.seq, one.is_current) for one in index.find(self.ledger, self.store, query, limit=9)]


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_empty_ledger(tmp_path / "ledger.db") as ledger:
        yield Archive(tmp_path, ledger)


@pytest.mark.parametrize(
    ("terms", "found"),
    [
        (["pay"], [(OTHER, 1, True), (SITE, 2, True)]),
        (["days", "PAY"], [(SITE, 2, True)]),
        (["within 61"], [(SITE, 2, True)]),
        (["61 within"], []),
        (["60"], []),
        (["1024.17(c)"], [(OTHER, 1, True)]),
        (["cafe"], [(OTHER, 1, True)]),
        (["pay", "OR", '"NEAR('], []),
    ],
)  # fmt: skip
def test_index_finds_current_texts_that_have_all_words(
    archive: Archive, terms: list[str], found: list[tuple[str, int, bool]]
) -> None:
    assert sorted(archive.find(*terms)) == sorted(found)


def test_index_finds_past_texts_where_they_are_wanted(archive: Archive) -> None:
    assert archive.find("60", past=True) == [(SITE, 1, False)]
    assert len(archive.find("pay", past=True)) == 3


def test_index_filters_by_source_and_time_of_capture(archive: Archive) -> None:
    later = archive.job.now
    assert len(archive.find("pay", sources=[SOURCE])) == 2
    assert archive.find("pay", sources=["other"]) == []
    assert archive.find("pay", since=later, past=True) == [(SITE, 2, True)]
    assert len(archive.find("pay", until=NOON + timedelta(seconds=1), past=True)) == 2


@pytest.mark.parametrize(
    ("cites", "found"),
    [
        ("12 CFR 1024.17", [(OTHER, 1, True), (SITE, 3, True)]),
        ("12 C.F.R. § 1024.17(c)", [(OTHER, 1, True)]),
        ("12 CFR part 1024", [(OTHER, 1, True), (SITE, 3, True)]),
        ("Regulation X", [(OTHER, 1, True), (SITE, 3, True)]),
        ("12 CFR 1024.1", []),
        ("12 CFR part 102", []),
    ],
)
def test_index_finds_texts_that_cite_a_section_or_what_is_in_it(
    archive: Archive, cites: str, found: list[tuple[str, int, bool]]
) -> None:
    for url, text in ((SITE, "See 12 CFR § 1024.17."), (OTHER, "It follows from 12 C.F.R. 1024.17(c)(1).")):
        next_run(archive.job)
        archive.job.page(begin(archive.job, url)[0], f"Rule\n\n{text} {url}")
    found = [(url, seq + (url == OTHER), current) for url, seq, current in found]
    assert sorted(archive.find(cites=cites)) == sorted(found)
    assert sorted(archive.find("follows", cites=cites)) == [one for one in found if one[0] == OTHER]


def test_index_snippet_of_a_citation_shows_and_marks_it(archive: Archive) -> None:
    next_run(archive.job)
    archive.job.page(begin(archive.job, SITE)[0], f"{'Words. ' * 99}Pay as 12 CFR 1024.17(a) says, in 60 days. {SITE}")
    archive.find("pay")
    index = TextIndex(archive.file)
    hits = index.find(archive.ledger, archive.store, TextQuery(cites="12 CFR 1024.17"), limit=9)
    assert [hit.url for hit in hits] == [SITE, OTHER]  # the newest first
    hit = hits[0]
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["12 CFR 1024.17(a)"]
    [hit] = index.find(archive.ledger, archive.store, TextQuery(terms=["60 DAYS"]), limit=9)
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["60 days"]


def test_index_is_added_to_for_a_time_and_goes_on(archive: Archive) -> None:
    index = TextIndex(archive.file)
    assert index.update(archive.ledger, archive.store, longest_s=0) == 3
    assert index.update(archive.ledger, archive.store, longest_s=60) == 0
    assert len(archive.find("pay", past=True)) == 3


def test_index_of_an_older_release_is_built_anew(archive: Archive) -> None:
    archive.find("pay")
    with closing(sqlite3.connect(archive.file)) as conn:
        conn.execute("DROP TABLE cited")
        conn.execute("PRAGMA user_version = 0")
    assert len(archive.find("pay", past=True)) == 3


def test_index_that_is_no_database_says_so(archive: Archive) -> None:
    archive.file.write_text("not a database, and long enough to be read as one" * 99)
    with pytest.raises(LedgerError, match=r"search\.db cannot be used: file is not a database"):
        TextIndex(archive.file)


@pytest.mark.parametrize("cites", ["nothing", "12 CFR 1024.5 and 12 CFR 1024.7"])
def test_query_of_no_citation_or_several_is_refused(cites: str) -> None:
    with pytest.raises(UsageError, match="is not one citation, such as 12 CFR"):
        TextQuery(cites=cites).check()


def test_index_adds_versions_once_as_they_come(archive: Archive) -> None:
    assert len(archive.find("pay", past=True)) == 3
    next_run(archive.job)
    archive.job.page(begin(archive.job, OTHER)[0], f"Rule\n\nPay nothing. {OTHER}")
    left: list[int] = []
    TextIndex(archive.file).update(archive.ledger, archive.store, report=left.append)
    assert left == [1]
    assert archive.find("nothing") == [(OTHER, 2, True)]
    assert len(archive.find("pay", past=True)) == 4


def test_index_counts_texts_that_are_missing(archive: Archive, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "staged" / "_objects")
    assert archive.find("days") == []
    assert TextIndex(archive.file).count_missing() == 3


def test_index_of_another_ledger_is_refused(archive: Archive, tmp_path: Path) -> None:
    archive.find("pay")
    other = tmp_path / "other"
    with open_empty_ledger(other / "ledger.db") as ledger:
        job = Job(ledger, archive.store, an_id(2))
        for visit in begin(job, SITE, OTHER):
            job.page(visit, f"Pay something else. {visit.url}")
        with pytest.raises(ActionRefused, match=r"search\.db is the index of another ledger"):
            TextIndex(archive.file).find(ledger, archive.store, TextQuery(terms=["pay"], past=True), limit=9)


@pytest.mark.parametrize("terms", [[], ["  "], ['""'], ["§", "-- *"]])
def test_query_without_a_word_is_refused(terms: list[str]) -> None:
    with pytest.raises(UsageError, match="no word"):
        TextQuery(terms=terms).expression()


@pytest.mark.parametrize(
    ("terms", "snippet"),
    [
        (["zz"], f"{'a ' * 119}a …"),
        (["B"], f"… {'a ' * 39}b{' c' * 40}"),
    ],
)
def test_snippet_is_cut_around_the_first_term(terms: list[str], snippet: str) -> None:
    assert cut_snippet("a " * 200 + "b" + " c" * 40, terms) == snippet


@pytest.mark.parametrize("terms", [["60", "days"], ["60 days"]])
def test_snippet_is_cut_where_most_terms_stand_close_together(terms: list[str]) -> None:
    text = f"In 30 days, by § 1060. {'Words. ' * 99}Within sixty (60) days.{' Words.' * 99}"
    assert "sixty (60) days" in cut_snippet(text, terms)
