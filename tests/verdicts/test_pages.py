"""Whole pages: what must be told, of which kind, and what must be content."""

from __future__ import annotations

import pytest

from rori_spiders.verdicts import judge
from tests.verdicts.walls import GOOD, WALLS

URL = "https://www.example.gov/rules/1026"


@pytest.mark.parametrize(("kind", "body"), WALLS, ids=[f"{kind}-{at}" for at, (kind, _) in enumerate(WALLS)])
def test_walls_are_told_by_kind(kind: str, body: str) -> None:
    assert judge(status=200, url=URL, headers={}, body=body.encode()).kind == kind


@pytest.mark.parametrize("body", GOOD, ids=range(len(GOOD)))
def test_good_pages_are_content(body: str) -> None:
    verdict = judge(status=200, url=URL, headers={}, body=body.encode())
    assert verdict.is_content, verdict
