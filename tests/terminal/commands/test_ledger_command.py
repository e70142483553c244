"""`scrapy ledger upgrade` and `scrapy verify`."""

from __future__ import annotations

import json
import re
from contextlib import closing
from typing import TYPE_CHECKING

from rori_spiders.staging.store_factory import DiskStore
from tests.envelope.factories import SITE, an_id
from tests.staging.job_driver import Job, begin, next_run
from tests.support.databases import open_empty_ledger

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.project import Project
    from tests.terminal.commands.conftest import Result


def test_ledger_upgrade_creates_ledger_then_does_nothing(three: Project, typed: Callable[..., Result]) -> None:
    said = typed("ledger", "upgrade")
    assert said.code == 0
    assert said.out.startswith(f"Upgraded the ledger at {three.ledger} to version ")
    assert said.out.endswith("(before: no tables).\n")
    assert "is up to date (version " in typed("ledger", "upgrade").out


def test_ledger_backup_counts_one_file_in_the_singular(
    project: Project, typed: Callable[..., Result], tmp_path: Path
) -> None:
    with closing(open_empty_ledger(project.ledger)) as ledger:
        job = Job(ledger, DiskStore(project.staging), an_id(1))
        job.page(begin(job, SITE)[0], "Rule\n\nPay within 60 days.")
        next_run(job)
    said = typed("ledger", "backup", str(tmp_path / "backup"))
    [staged] = [line for line in said.out.splitlines() if line.startswith("Staged files: ")]
    assert "1 index line, " in staged and "1 envelope." in staged and not re.search(r"\b1 \w+s\b", staged), staged


def test_verify_empty_ledger_passes(three: Project, typed: Callable[..., Result]) -> None:
    typed("ledger", "upgrade")
    said = typed("verify")
    assert said.code == 0
    assert "Everything agrees." in said.out


def test_verify_missing_objects_are_found(collected: Project, typed: Callable[..., Result]) -> None:
    """The audit names a staged file, and a version stands in the ledger, but nothing was ever staged."""
    for options in ([], ["--repair"]):
        said = typed("verify", *options)
        assert said.code == 1
        assert "problems" in said.out
        assert "example.org/2026-02-13/a-page____abababab.json" in said.out
    found = json.loads(typed("verify", "--format", "json").out)
    assert {"kind", "where", "sentence", "repairable"} == set(found[0])


def test_verify_staged_files_without_ledger_fail(three: Project, typed: Callable[..., Result]) -> None:
    folder = three.staging / "example.org" / "2026-02-13"
    folder.mkdir(parents=True)
    (folder / "a-page__x__abababab.json").write_text("{}", encoding="utf-8")
    said = typed("verify")
    assert said.code == 3
    assert "but no ledger at" in said.err


def test_verify_of_a_part_says_what_it_opened_and_not_that_everything_agrees(
    three: Project, typed: Callable[..., Result]
) -> None:
    typed("ledger", "upgrade")
    said = typed("verify", "--sample", "5%", "--since", "2026-02-13")
    assert said.code == 0
    assert "Everything agrees" not in said.out
    assert "A random sample (5%) was opened" in said.out
    assert "of runs that ended before 2026-02-13 00:00 UTC were not opened" in said.out
    as_json = typed("verify", "--sample", "3", "--format", "json")
    assert json.loads(as_json.out) == []
    assert "A random sample (3) was opened" in as_json.err


def test_verify_with_a_wrong_part_is_refused(three: Project, typed: Callable[..., Result]) -> None:
    for wrong in ("0", "0%", "101%", "-1", "x%", "nan%", "1.5"):
        said = typed("verify", f"--sample={wrong}")
        assert said.code == 2, wrong
        assert "expected a number of at least 1 or a share such as 5%" in said.err
    assert "--since is in the future" in typed("verify", "--since", "2999-01-01").err
