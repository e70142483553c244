"""Whole pages: what must be told, of which kind, and what must be content."""

from __future__ import annotations

import re
from pathlib import Path

from rori_spiders.verdicts import judge
from tests.support.cases import cases
from tests.verdicts.pages import SENTENCE
from tests.verdicts.walls import GOOD, MENU, WALLS

FIXTURES = Path(__file__).parent / "fixtures"
URL = "https://www.example.gov/rules/1026"


@cases(("kind", "body"), WALLS, ids=[f"{kind}-{at}" for at, (kind, _) in enumerate(WALLS)])
def test_judge_walls_are_detected_by_kind(kind: str, body: str) -> None:
    assert judge(status=200, url=URL, headers={}, body=body.encode()).kind == kind


@cases("body", GOOD, ids=range(len(GOOD)))
def test_judge_good_pages_are_content(body: str) -> None:
    verdict = judge(status=200, url=URL, headers={}, body=body.encode())
    assert verdict.is_content, verdict


def regulator_pages() -> list[tuple[str, str]]:
    """Kind and page of what a regulator's site could send, in our words: a line each, the long parts abridged."""
    lines = [line for name in ("refusals", "pages") for line in (FIXTURES / f"{name}.tsv").read_text().splitlines()]
    return [(kind, _whole(page)) for kind, _, page in (line.partition("\t") for line in lines)]


def _whole(page: str) -> str:
    return re.sub(r"\{words (\d+)\}", lambda found: SENTENCE * int(found[1]), page).replace("{menu}", MENU)


@cases(("kind", "body"), regulator_pages(), ids=[f"{kind}-{at}" for at, (kind, _) in enumerate(regulator_pages())])
def test_judge_pages_of_regulator_get_expected_kind(kind: str, body: str) -> None:
    verdict = judge(status=200, url=URL, headers={}, body=body.encode())
    assert verdict.kind == kind, (verdict, body[:300])
