"""Expressions that begin with a word: the same matches as with ``\\b`` at the front. Triggers: in each text that has a
match.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from rori_spiders.content import citations
from rori_spiders.content.citations import expressions, patterns, references, state_codes
from rori_spiders.content.citations.expressions import Trigger, Triggered, compile_at_word, trigger
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


_CITED = [line.split("\t")[2] for line in (Path(__file__).parent / "state_citations.tsv").read_text().splitlines()[1:]]


def _expressions() -> list[tuple[re.Pattern[str], tuple[Trigger, ...]]]:
    modules = [module for name, module in sys.modules.items() if name.startswith(f"{citations.__name__}.")]
    held = [held for module in modules for held in vars(module).values() if isinstance(held, Triggered)]
    held += [series.head for series in patterns.SERIES]
    return [(one.regex, (one.trigger,)) for one in held] + [(one.regex, one.triggers) for one in patterns.PATTERNS]


def test_triggers_are_in_each_text_that_their_expression_matches() -> None:
    matches = 0
    for text in _CITED:
        for regex, triggers in _expressions():
            if regex.search(text):
                matches += 1
                assert all(one.is_in(text) for one in triggers), (regex.pattern, text)
    assert matches > 700


@cases("blank", [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()])
def test_trigger_knows_each_blank_of_re(blank: str) -> None:
    assert re.fullmatch(r"\s", blank)
    assert trigger(r"x\s{1,3}y").is_in(f"x{blank}y")


def test_trigger_knows_each_digit_of_re() -> None:
    digits = [chr(code) for code in range(sys.maxunicode + 1) if re.fullmatch(r"\d", chr(code))]
    assert [one for one in digits if not trigger(r"x\dy").is_in(f"x{one}y")] == []


def test_trigger_of_other_text_is_not_in_it() -> None:
    assert not references._THIS.trigger.is_in("These parts of that section")
    assert not state_codes._UNIFORM.trigger.is_in("The Code is uniform.")


def test_triggers_are_in_any_text_where_none_could_be_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expressions, "_triggers_in", lambda _text: frozenset())
    assert trigger("x").is_in("y")


def test_triggers_of_text_with_half_a_character_are_found() -> None:
    assert trigger("xy").is_in("\ud800 xy")
