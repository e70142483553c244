"""`pause` and `resume`: by whom, why, and who wins."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.operations import activity_log, source_status

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.terminal.commands.conftest import Result


def test_pause_then_resume_restores_source(three: Project, typed: Callable[..., Result]) -> None:
    said = typed("pause", "a-page", "--reason", "the agency asked us to wait")
    assert said.code == 0
    assert said.out == "Paused a-page. Resume with: scrapy resume a-page\n"
    assert [row["id"] for row in json.loads(typed("due", "--format", "json").out)] == ["b-site"]
    told = json.loads(typed("sources", "show", "a-page", "--format", "json").out)
    assert told["status"] == "paused"
    assert "the agency asked us to wait" in told["pause"]
    said = typed("resume", "a-page")
    assert said.code == 0
    assert said.out.splitlines()[0] == "Resumed a-page."
    assert "Due now; the next `scrapy collect` or `scrapy dispatch` collects it." in said.out
    assert [row["id"] for row in json.loads(typed("due", "--format", "json").out)] == ["b-site", "a-page"]


def test_pause_stores_person_and_reason(three: Project, typed: Callable[..., Result]) -> None:
    typed("pause", "a-page", "--reason", "because")
    typed("resume", "a-page")
    ledger = open_ledger(f"sqlite:///{three.ledger}")
    with ledger.connect() as connection:
        done = activity_log.recent_actions(connection, target="a-page")
    ledger.close()
    assert [(row["action"], row["reason"]) for row in done] == [("resume", None), ("pause", "because")]
    assert all(row["actor"] for row in done)


def test_resume_resets_breaker(three: Project, typed: Callable[..., Result]) -> None:
    ledger = open_ledger(f"sqlite:///{three.ledger}")
    with ledger.begin() as connection:
        for _ in range(5):
            source_status.record_outcome(
                connection,
                "a-page",
                run_id="r",
                state="failed",
                operator="system",
                changed=False,
                now=datetime(2026, 2, 13, tzinfo=UTC),
            )
    ledger.close()
    assert "the circuit breaker" in typed("due", "--explain", "a-page").out
    assert json.loads(typed("sources", "show", "a-page", "--format", "json").out)["failures_in_a_row"] == 5
    assert typed("resume", "a-page").code == 0
    assert json.loads(typed("sources", "show", "a-page", "--format", "json").out)["failures_in_a_row"] == 0


def test_resume_manifest_pause_stays_and_is_named(three: Project, typed: Callable[..., Result]) -> None:
    said = typed("resume", "c-paused")
    assert said.code == 1
    assert "the manifest pauses it" in said.out
    assert "Change its status in the manifest" in said.out
    assert not three.ledger.exists()


def test_resume_both_pauses_leaves_that_of_manifest(three: Project, typed: Callable[..., Result]) -> None:
    typed("pause", "c-paused", "--reason", "x")
    said = typed("resume", "c-paused")
    assert said.code == 1
    assert said.out.splitlines()[0] == "Resumed c-paused."
    assert "the manifest pauses it" in said.out


def test_resume_source_not_paused_is_reported(three: Project, typed: Callable[..., Result]) -> None:
    said = typed("resume", "a-page")
    assert said.code == 0
    assert said.out.splitlines()[0] == "a-page was not paused."
    assert not three.ledger.exists(), "nothing to write"


def test_pause_unknown_source_creates_no_ledger(three: Project, typed: Callable[..., Result]) -> None:
    assert typed("pause", "nope", "--reason", "x").code == 2
    assert not three.ledger.exists()


def test_pause_all_then_resume_keeps_single_pauses(three: Project, typed: Callable[..., Result]) -> None:
    typed("pause", "a-page", "--reason", "the agency asked us to wait")
    said = typed("pause", "--all", "--reason", "the network is being moved")
    assert (said.code, said.out) == (0, "Paused all 3 sources. Resume with: scrapy resume --all\n")
    due = typed("due").out
    assert "No sources due: all sources are paused since" in due
    assert "the network is being moved" in due
    listed = {row["id"]: row["status"] for row in json.loads(typed("sources", "--format", "json").out)}
    assert set(listed.values()) == {"paused"}
    told = typed("due", "--explain", "b-site").out
    assert "Paused: all sources are paused since" in told
    assert told.endswith("To resume: `scrapy resume --all`.\n")
    said = typed("collect")
    assert (said.code, said.out.splitlines()[0].partition(" since ")[0]) == (
        0,
        "Collection is paused: all sources are paused",
    )
    said = typed("collect", "--source", "b-site")
    assert said.code == 1
    assert "b-site skipped: all sources are paused" in said.out
    said = typed("resume", "b-site")
    assert said.code == 1
    assert "Run: scrapy resume --all" in said.out
    said = typed("resume", "--all")
    assert said.code == 0
    assert said.out.splitlines() == [
        "Resumed all sources.",
        "Still paused, individually or by the manifest: a-page, c-paused",
    ]
    assert [row["id"] for row in json.loads(typed("due", "--format", "json").out)] == ["b-site"]
    assert typed("resume", "--all").out.splitlines()[0] == "`scrapy pause --all` was not in effect."
    ledger = open_ledger(f"sqlite:///{three.ledger}")
    with ledger.connect() as connection:
        done = activity_log.recent_actions(connection, target=source_status.ALL_SOURCES)
        assert source_status.ALL_SOURCES not in source_status.load_states(connection)
    ledger.close()
    assert [(row["action"], row["reason"]) for row in done] == [
        ("resume", None),
        ("pause", "the network is being moved"),
    ]


@pytest.mark.parametrize(
    "words", [["pause", "--reason", "x"], ["pause", "a-page", "--all", "--reason", "x"], ["resume"]]
)
def test_pause_needs_one_source_or_all(words: list[str], three: Project, typed: Callable[..., Result]) -> None:
    assert typed(*words).code == 2
    assert not three.ledger.exists()
