"""`scrapy audit --summary`, as a person reads it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.envelope.factories import SITE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.terminal.commands.conftest import Result

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


@pytest.mark.parametrize(
    "words",
    [
        ["--as-of", "2026-02-13", "--url", SITE],
        ["--by", "month"],
        ["--summary", "--by", "page"],
        ["--summary", "--by", "weather"],
        ["--summary", "--url", SITE],
    ],
)
def test_audit_options_without_meaning_are_refused(collected: Project, typed: Typed, words: list[str]) -> None:
    assert typed("audit", *words).code == 2
