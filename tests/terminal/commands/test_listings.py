"""`sources`, `due`, `runs`, `audit`: what a person asks first, before and after the first collection."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.audit.audit_log import RECORD_FIELDS
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.runs.run_records import recent_runs
from rori_spiders.reasons import Reason
from tests.support.project import source
from tests.terminal.commands.conftest import PAGES, START, Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project

    Typed = Callable[..., Result]


@pytest.mark.parametrize("command", ["audit", "runs", "verify"])
def test_listings_before_first_collection_name_next_command(three: Project, typed: Typed, command: str) -> None:
    said = typed(command)
    assert said == Result(0, "Nothing collected yet: run `scrapy collect`.\n", "")
    assert json.loads(typed(command, "--format", "json").out) == []
    assert not three.ledger.parent.exists(), "reading makes no ledger"


def test_sources_of_another_manifest_than_collected_say_so(collected: Project, typed: Typed) -> None:
    collected.manifest([source("other", "https://www.example.gov/other")])
    shown = typed("sources").out
    assert shown.endswith(
        "\nNone of these sources collected yet: run `scrapy collect`. 1 source of other manifests: see `scrapy runs`.\n"
    )


def test_sources_before_first_collection_are_listed(three: Project, typed: Typed) -> None:
    said = typed("sources")
    assert said.code == 0
    assert "Nothing collected yet: run `scrapy collect`." in said.out
    told = {row["id"]: row for row in json.loads(typed("sources", "--format", "json").out)}
    assert list(told) == ["a-page", "b-site", "c-paused"]
    assert [row["status"] for row in told.values()] == ["pending", "pending", "paused"]
    assert told["a-page"]["agency"] == "CFPB"
    assert told["a-page"]["due"] == "at once"
    assert told["c-paused"]["due"] == "-"
    assert not three.ledger.parent.exists()


def test_sources_after_collection_have_status(collected: Project, typed: Typed) -> None:
    [row, *_] = json.loads(typed("sources", "--format", "json").out)
    assert row["status"] == "changed"
    assert row["last_checked_at"] == "2026-02-13T07:10:00Z"
    assert row["next_due"] == "2026-02-20T04:09:00Z", "at its assigned time"
    assert row["pages"] == 1
    assert row["last_run"] == "complete: 5 pages, 1 changed, 2 failed"
    lines = typed("sources").out.splitlines()
    assert lines[0].split()[:4] == ["source", "agency", "method", "status"]
    assert "Nothing collected" not in " ".join(lines)


def test_sources_show_one_source(collected: Project, typed: Typed) -> None:
    said = typed("sources", "show", "a-page")
    facts = {line[:18].strip(): line[18:].strip() for line in said.out.splitlines() if line[18:]}
    assert facts["Manifest"].startswith("manifest 1.0.0 (")
    assert facts["Group"] == "example.org"
    assert facts["Delay in s"] == "2.0"
    assert facts["Failures in a row"] == "0"
    assert "Last successful check: 2026-02-13 07:10 UTC" in said.out
    told = json.loads(typed("sources", "show", "a-page", "--format", "json").out)
    assert told["status"] == "changed"
    assert told["held_by"] is None


def test_sources_show_before_first_collection(three: Project, typed: Typed) -> None:
    said = typed("sources", "show", "b-site")
    assert said.code == 0
    assert "none yet" in said.out
    assert not three.ledger.parent.exists()


@pytest.mark.parametrize("command", [("sources", "show"), ("due", "--explain"), ("resume",)])
def test_sources_show_unknown_id_suggests_nearest(three: Project, typed: Typed, command: tuple[str, ...]) -> None:
    said = typed(*command, "a-pagee")
    assert said.code == 2
    assert "no source 'a-pagee' in the active manifest. Did you mean 'a-page'?" in said.err


_LISTINGS = (
    ("audit",), ("audit", "--summary"), ("runs", "list"), ("alerts", "list"), ("as-of", "2026-02-13"), ("changes",),
)  # fmt: skip


def test_listing_of_unknown_source_is_refused_with_near_names(collected: Project, typed: Typed) -> None:
    for command in _LISTINGS:
        said = typed(*command, "--source", "a-pagee")
        assert (said.code, said.out) == (2, ""), command
        assert "unknown source 'a-pagee'" in said.err, command
        assert "Did you mean 'a-page'?" in said.err, command
        assert typed(*command, "--source", "b-site").code in {0, 1}, command  # no run of it yet


def test_due_sources_are_in_order(three: Project, typed: Typed) -> None:
    rows = json.loads(typed("due", "--format", "json").out)
    assert [row["id"] for row in rows] == ["b-site", "a-page"]
    assert rows[0]["hours"] == "02:00-06:00 New York time"
    assert rows[1]["start"] == "now"
    assert "2 of 3 sources due" in typed("due").out


def test_due_what_if_compares_plans(collected: Project, typed: Typed) -> None:
    said = typed("due", "--what-if", "frequency=daily", "--source", "a-page", "--days", "14")
    assert said.code == 0, said.err
    assert "Foreseen for 14 days with 5 runs at once" in said.out
    rows = {row["measure"]: row for row in json.loads(typed("due", "--what-if", "nodes=3", "--format", "json").out)}
    assert rows["sources"]["now"] == rows["sources"]["what_if"] > 0
    assert typed("due", "--what-if", "nodes=none").code == 2
    assert typed("due", "--source", "a-page").code == 2


def test_due_intervals_of_one_run_proposes_nothing(collected: Project, typed: Typed) -> None:
    assert "0 sources would be checked more often" in typed("due", "--intervals").out
    rows = json.loads(typed("due", "--intervals", "--format", "json").out)
    assert {row["proposed"] == row["frequency"] for row in rows} == {True}


def test_due_what_if_before_first_collection_leaves_out_sites(three: Project, typed: Typed) -> None:
    said = typed("due", "--what-if", "frequency=daily")
    assert said.code == 0, said.err
    assert "Left out, since no run of theirs is complete: 1 source (b-site)." in said.out
    assert not three.ledger.parent.exists(), "reading makes no ledger"


def test_due_explain_prints_schedule(collected: Project, typed: Typed) -> None:
    said = typed("due", "--explain", "a-page")
    assert said.out.splitlines()[0] == "a-page: Test source a-page"
    assert "Interval: weekly, every 7 days." in said.out
    said = typed("due", "--explain", "c-paused")
    assert "the manifest pauses it" in said.out


def test_runs_are_listed(collected: Project, typed: Typed) -> None:
    [run] = json.loads(typed("runs", "--format", "json").out)
    assert (run["state"], run["discovered"], run["changed"], run["failed"]) == ("complete", 5, 1, 2)
    assert run["run_id"] in typed("runs").out
    assert typed("runs", "--nolog", "--limit", "1").out == typed("runs", "list").out
    assert typed("runs", "--source", "b-site").out.endswith("No runs of source 'b-site'.\n")
    assert run["run_id"] in typed("runs", "list", "--source", "a-page").out


def test_runs_show_has_reasons_of_missing_pages(collected: Project, typed: Typed) -> None:
    said = typed("runs", "show", _run_id(collected))
    assert f"1  excluded: {Reason('exclude_pattern', rule='/search*')}" in said.out
    assert f"1  failed: {Reason('server_error', http_status=503)}" in said.out
    assert f"{START}broken  {Reason('server_error', http_status=503)}" in said.out
    assert "5 discovered = 1 captured + 1 unchanged + 1 excluded + 2 failed" in said.out


def test_runs_show_unknown_run_is_refused(collected: Project, typed: Typed) -> None:
    said = typed("runs", "show", "nope")
    assert said.code == 2
    assert "'nope'" in said.err


def _run_id(project: Project) -> str:
    ledger = open_ledger(f"sqlite:///{project.ledger}", migrate=False)
    with ledger.connect() as connection:
        [run] = recent_runs(connection)
    ledger.close()
    return run.run_id


def test_audit_columns_start_with_specification(collected: Project, typed: Typed) -> None:
    rows = json.loads(typed("audit", "--format", "json").out)
    assert [row["url"] for row in rows] == list(PAGES)
    assert tuple(rows[0])[: len(RECORD_FIELDS)] == RECORD_FIELDS
    assert rows[0]["content_hash"] == "sha256:" + "ab" * 32
    assert rows[0]["timestamp"] == "2026-02-13T07:00:00Z"
    assert rows[0]["staged_path"].startswith("example.org/2026-02-13/")
    [header, *_] = csv.reader(io.StringIO(typed("audit", "--format", "csv").out))
    assert tuple(header[: len(RECORD_FIELDS)]) == RECORD_FIELDS


def test_audit_csv_has_no_formula(collected: Project, typed: Typed) -> None:
    rows = list(csv.DictReader(io.StringIO(typed("audit", "--status", "404", "--format", "csv").out)))
    assert [row["error"] for row in rows] == ['\'=HYPERLINK("http://evil")']


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param([], 5, id="all"),
        pytest.param(["--source", "a-page"], 5, id="source"),
        pytest.param(["--source", "b-site"], 0, id="another source"),
        pytest.param(["--status", "failed"], 2, id="state"),
        pytest.param(["--status", "404"], 1, id="HTTP status"),
        pytest.param(["--status", "200", "--limit", "1"], 1, id="HTTP status, limited"),
        pytest.param(["--since", "2026-02-13"], 5, id="since a day"),
        pytest.param(["--since", "2026-02-14"], 0, id="since the next day"),
        pytest.param(["--until", "2026-02-13"], 5, id="until the end of a day"),
        pytest.param(["--until", "2026-02-12"], 0, id="until the day before"),
        pytest.param(["--since", "2026-02-13T07:03:00Z"], 2, id="since a time"),
        pytest.param(["--until", "2026-02-13T02:03:00-05:00"], 3, id="until a time in New York"),
        pytest.param(["--url", START.upper().replace("HTTPS", "https")], 1, id="a URL, otherwise spelled"),
        pytest.param(["--limit", "2"], 2, id="the newest"),
        pytest.param(["--kind", "robots"], 0, id="another kind"),
        pytest.param(["--kind", "all"], 5, id="all kinds"),
    ],
)
def test_audit_filters_by_source_date_and_status(
    collected: Project, typed: Typed, options: list[str], expected: int
) -> None:
    said = typed("audit", *options, "--format", "json")
    assert said.code == 0
    assert len(json.loads(said.out)) == expected


def test_audit_limit_gives_newest_oldest_first(collected: Project, typed: Typed) -> None:
    urls = [row["url"] for row in json.loads(typed("audit", "--limit", "2", "--format", "json").out)]
    assert urls == list(PAGES)[-2:]


def test_audit_without_match_says_so(collected: Project, typed: Typed) -> None:
    assert "No matching audit rows." in typed("audit", "--source", "b-site").out


@pytest.mark.parametrize("when", ["yesterday", "2026-13-01", "13.02.2026", "2026-02-13T99:00"])
def test_audit_invalid_date_is_refused(three: Project, typed: Typed, when: str) -> None:
    said = typed("audit", "--since", when)
    assert said.code == 2
    assert "2026-02-13T14:30:00Z" in said.err


def test_listing_closed_pipe_is_no_error(collected: Project) -> None:
    with collected.start("audit", "--format", "json", begin=()) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(60) in (0, 1)


def test_listing_json_is_all_of_stdout(collected: Project) -> None:
    done = collected.scrapy("sources", "--format", "json")
    assert done.returncode == 0
    assert done.stderr == ""
    assert len(json.loads(done.stdout)) == 3
