"""A changed digit is always seen, in its own section, with what it was: on every page of the demo site."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

import rori_spiders.terminal.demo
from rori_spiders.content.changes.compare import compare
from rori_spiders.content.convert import convert
from rori_spiders.content.sections import outline

EDITS = 500
SITE = Path(rori_spiders.terminal.demo.__file__).parent / "site"


@pytest.fixture(scope="module")
def texts() -> list[str]:
    pages = sorted(SITE.rglob("regulations/**/index.html"))
    found = [convert(page.read_bytes(), url="https://www.example.gov/").markdown for page in pages]
    with_figures = [text for text in found if re.search(r"\d", text)]
    assert len(with_figures) >= 10
    return with_figures


@pytest.mark.slow
def test_compare_one_digit_edits_are_located(texts: list[str]) -> None:
    chance = random.Random(20261122)
    for _ in range(EDITS):
        text = chance.choice(texts)
        at = chance.choice([match.start() for match in re.finditer(r"\d", text)])
        digit = str((int(text[at]) + chance.randrange(1, 10)) % 10)
        edited = text[:at] + digit + text[at + 1 :]
        [section] = compare(text, edited).sections
        paths = {one.path for version in (text, edited) for one in outline(version) if one.start <= at < one.end}
        assert paths & {section.path, section.path_before}, (at, text[at - 20 : at + 20])
        [change] = section.changes
        assert any(mark.old != mark.new and digit in (mark.new or "") for mark in change.marks), change


def test_compare_random_edits_always_have_difference_and_lose_no_text(texts: list[str]) -> None:
    chance = random.Random(5)
    for _ in range(60):
        lines = chance.choice(texts).split("\n")
        edited = list(lines)
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(len(edited))
            way = chance.randrange(4)
            if way == 0:
                edited.insert(chance.randrange(len(edited)), edited.pop(at))
            elif way == 1:
                edited.insert(at, chance.choice(["", "A new line.", "## A heading", edited[at]]))
            elif way == 2 and len(edited) > 1:
                del edited[at]
            else:
                edited[at] = edited[at][::-1]
        old, new = "\n".join(lines), "\n".join(edited)
        difference = compare(old, new)
        assert difference.is_empty == (old == new)
        deleted = {t for s in difference.sections for c in s.changes if c.kind == "deleted" for _, t in c.words}
        assert not deleted & {" ".join(block.split()) for block in re.split(r"\n\s*\n", new)} - {""}
