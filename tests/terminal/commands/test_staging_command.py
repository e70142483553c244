"""`scrapy staging`: how it stands, what is confirmed, what is pruned, and what it says to what it does not know."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from rori_spiders.staging.store_factory import DiskStore
from tests.envelope.factories import SITE, an_id
from tests.staging.job_driver import Job, begin, next_run
from tests.support.databases import open_empty_ledger

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.terminal.commands.conftest import Result

    Typed = Callable[..., Result]


@pytest.fixture
def ids(project: Project) -> list[str]:
    """Two texts of a page, staged in two runs."""
    with closing(open_empty_ledger(project.ledger)) as ledger:
        job = Job(ledger, DiskStore(project.staging), an_id(1))
        for text in ("old", "new"):
            job.page(begin(job, SITE)[0], text)
            next_run(job)
        return [json.loads(line)["envelope_id"] for line in job.store.index.lines()]


def test_staging_confirm_by_argument_file_and_stdin(project: Project, typed: Typed, ids: list[str]) -> None:
    (project.folder / "ids.txt").write_text(f"\n{ids[1]}\n")
    done = typed("staging", "confirm", ids[0], "--file", "ids.txt")
    assert (done.code, done.out) == (0, "2 confirmed, 0 already confirmed.\n"), done.err
    again = typed("staging", "confirm", "--file", "-", stdin=f"{ids[0]}\nno-such\x1b[31m\n")
    assert (again.code, again.out) == (1, "0 confirmed, 1 already confirmed.\n")
    assert "No staged envelope has the id no-such" in again.err
    assert "\x1b" not in again.err
    shown = json.loads(typed("staging", "--format", "json").out)
    assert (shown["staged"], shown["confirmed"], shown["prunable"], shown["pruned"]) == (2, 2, 0, 0)
    assert shown["bytes"] > 1_000


def test_staging_prune_after_retention_keeps_newest(project: Project, typed: Typed, ids: list[str]) -> None:
    with (project.staging / "_confirmed.jsonl").open("w") as log:
        log.write("".join(f'{{"envelope_id":"{one}"}}\n' for one in ids) + "nonsense\n")
    early = typed("staging", "prune")
    assert early.out.startswith("0 envelopes removed: confirmed before ")
    assert "2 newly confirmed" in early.err
    assert "'nonsense'" in early.err
    dry = typed("staging", "prune", "--dry-run", "--older-than", "0", "--format", "json")
    assert [one["envelope_id"] for one in json.loads(dry.out)] == [ids[0]]
    done = typed("staging", "prune", env={"RORI_RETENTION_DAYS": "0"})
    assert "1 envelope removed: " in done.out
    assert typed("verify").code == 0
    assert len(list(DiskStore(project.staging).paths())) == 1


@pytest.mark.parametrize(
    "words",
    [["prune", "--older-than", "-3"], ["prune", "extra"], ["confirm", "--file", "/no/such"], ["forget"], ["--dry-run"]],
)
def test_staging_confirm_unknown_id_is_refused(typed: Typed, ids: list[str], words: list[str]) -> None:
    assert typed("staging", *words).code == 2


def test_staging_before_first_collection_says_so(typed: Typed) -> None:
    assert "Nothing collected yet" in typed("staging").out
    assert typed("staging", "confirm", "x").code == 3
