"""`scrapy audit --summary` and `--as-of`, as a person reads them."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import Reason
from rori_spiders.staging.store_factory import DiskStore
from tests.commands.conftest import START, Result
from tests.envelope.factories import NOON, SITE, an_id
from tests.staging.job_driver import Job, begin, next_run
from tests.support.databases import open_empty_ledger

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project

    Typed = Callable[..., Result]


def test_audit_summary_by_source_agency_and_month(collected: Project, typed: Typed) -> None:
    said = typed("audit", "--summary")
    assert said.code == 0, said.err
    assert "median ms" in said.out
    [row] = json.loads(typed("audit", "--summary", "--by", "agency", "--format", "json").out)
    assert (row["agency"], row["requests"], row["pages"], row["failed"], row["failure_rate"]) == ("CFPB", 4, 4, 2, 50.0)
    assert (row["median_ms"], row["p95_ms"], row["read"], row["changed"]) == (120, 120, 2, 1)
    assert (row["usd"], row["days_between_changes"]) == (None, None)
    [month] = json.loads(typed("audit", "--summary", "--by", "month", "--format", "json").out)
    assert month["month"] == "2026-02"
    assert json.loads(typed("audit", "--summary", "--since", "2027-01-01", "--format", "json").out) == []
    pages = json.loads(typed("audit", "--summary", "--by", "page", "--source", "a-page", "--format", "json").out)
    assert len(pages) == 4


@pytest.fixture
def texts(project: Project) -> Project:
    """A page held with two texts, an hour apart."""
    with closing(open_empty_ledger(project.ledger)) as ledger:
        job = Job(ledger, DiskStore(project.staging), an_id(1))
        for text in ("old", "new"):
            job.page(begin(job, SITE)[0], text)
            next_run(job)
    return project


def test_audit_as_of_day_has_proof_and_text(texts: Project, typed: Typed) -> None:
    said = typed("audit", "--as-of", "2026-02-13", "--url", SITE, "--verify-chain")
    assert said.code == 0, said.err
    assert said.out.startswith("As of 2026-02-13 23:59:59 UTC:\n")
    assert "not checked since" in said.out
    assert "are unchanged" in said.out
    early = f"{NOON:%Y-%m-%dT%H}:30:00Z"
    [held] = json.loads(typed("audit", "--as-of", early, "--url", SITE, "--format", "json").out)
    assert (held["version"], held["replaced_at"]) == (1, "2026-02-13T13:00:30Z")
    assert "the text between the two checks is unknown" in held["says"]
    assert held["envelope"].endswith(".json")
    assert typed("audit", "--as-of", early, "--url", SITE, "--text").out == "# old\n"
    assert typed("audit", "--as-of", "2026-02-13T20:00:00+02:00", "--url", SITE, "--text").out == "# new\n"


def test_audit_as_of_nothing_held_is_reported(texts: Project, typed: Typed) -> None:
    said = typed("audit", "--as-of", "2026-02-12", "--url", SITE)
    assert said.code == 1
    assert "not checked before then" in said.out
    assert "Next check: 2026-02-13 12:00:30 UTC" in said.out
    silent = typed("audit", "--as-of", "2026-02-12", "--url", SITE, "--text")
    assert (silent.code, silent.out) == (1, "")
    assert json.loads(typed("audit", "--as-of", "2026-02-12", "--url", SITE, "--format", "json").out) == []


def test_audit_as_of_failed_last_check_is_reported(collected: Project, typed: Typed) -> None:
    said = typed("audit", "--as-of", "2026-02-14", "--url", f"{START}broken")
    assert (said.code, f"ended as failed, HTTP 503: {Reason('server_error', http_status=503)}" in said.out) == (1, True)


@pytest.mark.parametrize(
    "words",
    [
        ["--as-of", "2999-01-01", "--url", SITE],
        ["--as-of", "2026-02-13"],
        ["--as-of", "yesterday", "--url", SITE],
        ["--as-of", "2026-02-13", "--url", SITE, "--limit", "3"],
        ["--text"],
        ["--verify-chain"],
        ["--by", "month"],
        ["--summary", "--by", "page"],
        ["--summary", "--by", "weather"],
        ["--summary", "--url", SITE],
    ],
)
def test_audit_options_without_meaning_are_refused(texts: Project, typed: Typed, words: list[str]) -> None:
    assert typed("audit", *words).code == 2
