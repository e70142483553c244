"""Whole pages, each a folder: what is given, the site's rules, what is left, and all that is told of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from rori_spiders.corpus.cleaning.cleaner import clean_body
from rori_spiders.corpus.site_rules import parse_site_rules
from tests.support.cases import cases

if TYPE_CHECKING:
    from rori_spiders.corpus.cleaning.cleaner import Draft

FIXTURES = Path(__file__).parent / "fixtures"
CASES = sorted(case.name for case in FIXTURES.iterdir())


def cleaned(case: str, body: str) -> Draft:
    page = json.loads((FIXTURES / case / "page.json").read_text())
    return clean_body(body, rules=parse_site_rules((FIXTURES / case / "rules.yaml").read_text()), **page)


@cases("case", CASES)
def test_cleaning_case_gives_expected_text_and_report(case: str) -> None:
    draft = cleaned(case, (FIXTURES / case / "input.md").read_text())
    assert draft.body == (FIXTURES / case / "expected.md").read_text()
    assert json.loads((FIXTURES / case / "told.json").read_text()) == {
        "removals": [[one.operation, one.rule, one.binds, one.text] for one in draft.removals],
        "repairs": [[one.operation, one.rule, one.before, one.after] for one in draft.repairs],
        "flags": [[one.name, one.evidence] for one in draft.flags],
        "document": draft.document,
    }


@cases("case", CASES)
def test_cleaning_expected_text_is_clean(case: str) -> None:
    left = (FIXTURES / case / "expected.md").read_text()
    again = cleaned(case, left)
    assert (again.body, again.removals, again.repairs) == (left, (), ())


@cases("case", CASES)
def test_cleaning_repairs_have_their_positions(case: str) -> None:
    body = (FIXTURES / case / "input.md").read_text()
    draft = cleaned(case, body)
    assert all(body[one.start : one.end] == one.text for one in draft.removals)
    assert all(body[one.start : one.end] == one.before for one in draft.repairs)
