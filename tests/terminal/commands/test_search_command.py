"""`scrapy search`: an index that is made by the first search, hits in each form, and what is refused."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from rori_spiders.staging.store_factory import DiskStore
from tests.envelope.factories import SITE, an_id
from tests.staging.job_driver import SOURCE, Job, begin
from tests.support.databases import open_empty_ledger

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.terminal.commands.conftest import Result

    Typed = Callable[..., Result]


@pytest.fixture
def archive(project: Project) -> Project:
    with closing(open_empty_ledger(project.ledger)) as ledger:
        job = Job(ledger, DiskStore(project.staging), an_id(1))
        job.page(begin(job, SITE)[0], f"Rule\n\nPay within 60 days of receipt. {SITE}")
    return project


def test_search_lists_hits_and_says_how_many(archive: Project, typed: Typed) -> None:
    found = typed("search", "60 days", "rule", "--format", "json")
    assert found.code == 0, found.err
    [row] = json.loads(found.out)
    assert (row["source"], row["url"], row["version"], row["is_current"]) == (SOURCE, SITE, "1-1", True)
    assert "Pay within 60 days of receipt." in row["text"]
    table = typed("search", "60 days")
    assert "within 60 days" in table.out
    assert table.out.endswith("\n1 text.\n")
    assert typed("search", "days 60").out.endswith("0 texts.\n")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["§"], "no word to search for"),
        (["--cites", "a rule"], "'a rule' is not one citation, such as 12 CFR 1024.41"),
        (["pay", "--agency", "FBI"], "no source of the active manifest has the agency 'FBI'. Agencies: "),
        (["pay", "--source", "nix"], "unknown source 'nix'"),
        (["pay", "--since", "2026-02-02", "--until", "2026-01-01"], "--since is not before --until"),
    ],
)
def test_search_that_cannot_be_done_says_why(archive: Project, typed: Typed, options: list[str], says: str) -> None:
    refused = typed("search", *options)
    assert refused.code == 2
    assert says in refused.err
