"""Expressions that begin with a word: the same matches as with ``\\b`` at the front."""

from __future__ import annotations

import re

import pytest

from rori_spiders.content.citations.word_start import compile_at_word
from tests.support.cases import cases

_TEXT = "Part 12, part 13; apart 14 _part 15 §part 16\npart 17. Counterparts 18, parts 19 Reg 20 Regs 21 xReg 22"


@cases("pattern", [r"[Pp]arts?\s(?P<n>\d+)", r"part\s\d", r"Regs?\s(\d+)", r"Reg\w*", r"R"])
def test_compile_at_word_finds_what_a_word_boundary_in_front_finds(pattern: str) -> None:
    found = [(match.span(), match.groups()) for match in compile_at_word(pattern).finditer(_TEXT)]
    assert found == [(match.span(), match.groups()) for match in re.finditer(rf"\b{pattern}", _TEXT)]


@pytest.mark.parametrize("pattern", [r"(?:VA\s)?Circular", r"V?A", r"[Vv]*A", r"\d"])
def test_compile_at_word_without_a_certain_first_letter_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="begins with no letter"):
        compile_at_word(pattern)
