"""Values that a page does not state, claimed by a model that takes whatever has the right type; and honest ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rori_spiders
from rori_spiders.content.convert import convert
from rori_spiders.fields.grounding.evidence import ground
from rori_spiders.fields.grounding.page import Page
from rori_spiders.fields.records import GroundedValue
from rori_spiders.fields.schema import define_fields
from tests.fields.absent import planted, texts_of_site
from tests.fields.inventing import inventions
from tests.fields.planted import Absent, absences, claims

_SITE = Path(rori_spiders.__file__).parent / "terminal" / "demo" / "site"
_FIXTURES = Path(__file__).parent.parent
#: Pages of fixtures that are too short to have a section without the field.
_LEAST_BYTES = 3000


@pytest.fixture(scope="module")
def cases() -> list[Absent]:
    """Of real rules and regulations: the demo's site, and what the converter's tests expect."""
    pages = [convert(path.read_bytes(), url="https://example.gov/").markdown for path in sorted(_SITE.rglob("*.html"))]
    texts = sorted(_FIXTURES.glob("content/**/expected.md"))
    pages += [path.read_text(encoding="utf-8") for path in texts if path.stat().st_size > _LEAST_BYTES]
    return absences(pages, 500)


def _accepted(case: Absent) -> list[object]:
    page = Page(case.text)
    answers = (ground(case.field, value, quote, page) for value, quote in claims(case))
    return [answer for answer in answers if isinstance(answer, GroundedValue)]


def test_grounding_values_missing_from_page_are_rejected(cases: list[Absent]) -> None:
    assert len(cases) == 500 and sum(len(list(claims(case))) for case in cases) > 6800
    assert [(case.field.name, accepted) for case in cases if (accepted := _accepted(case))] == []


def test_grounding_values_of_other_subjects_are_mostly_rejected() -> None:
    """Harder: values of other things stay beside words of the subject, and quotes are lines and pairs of sentences."""
    cases = planted(texts_of_site(), 500)
    wrong = []
    for case in cases:
        page = Page(case.text)
        answers = (ground(case.field, value, quote, page) for value, quote in inventions(case.text, case.field))
        wrong += [case.kind] * any(isinstance(answer, GroundedValue) for answer in answers)
    assert len(cases) == 500 and "made up" not in wrong
    assert len(wrong) <= 6, "docs/explanation/fields.md says how many of these get through"


def test_grounding_honest_values_are_accepted() -> None:
    lines = (Path(__file__).parent / "fixtures" / "honest.jsonl").read_text(encoding="utf-8").splitlines()
    accepted = 0
    for line in lines:
        honest = json.loads(line)
        (field,) = define_fields([honest["field"]])
        accepted += isinstance(ground(field, honest["value"], honest["quote"], Page(honest["page"])), GroundedValue)
    assert (len(lines), accepted) == (60, 50)


def test_grounding_heading_above_counts_as_context() -> None:
    (field,) = define_fields(["annual_fee:number:annual fee"])
    page = Page("# Fees\n\n## Annual fee\n\n0.35% of the balance.\n\n## Other\n\n0.5% of the balance.\n")
    assert isinstance(ground(field, 0.35, "0.35% of the balance.", page), GroundedValue)
    assert not isinstance(ground(field, 0.5, "0.5% of the balance.", page), GroundedValue)
    table = Page("# Limits\n\n| County | Loan limit |\n| --- | --- |\n| Adams | 498257 |\n")
    (limit,) = define_fields(["loan_limit:integer:loan limit"])
    assert isinstance(ground(limit, 498257, "| Adams | 498257 |", table), GroundedValue)
