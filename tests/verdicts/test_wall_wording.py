"""Walls in words that no rule knows: what the model of wordings suspects is in doubt, and no more."""

from __future__ import annotations

from rori_spiders.verdicts.wall_language import read_main_text, verdict_from_language
from rori_spiders.verdicts.wall_wording import pieces, wall_probability
from tests.support.cases import cases

_NOBODY_HOME = "# Bad luck\n\nWhatever you were after isn't here any more. Have a look around from our front page."


@cases(
    "markdown",
    [
        _NOBODY_HOME,
        "# A glitch\n\nYour request failed for a reason we didn't foresee. Error code GX-1140.",
        "# Who goes there?\n\nYour browser is being inspected for security. You will be redirected in five seconds.",
    ],
)
def test_verdict_from_language_wording_of_walls_is_doubt(markdown: str) -> None:
    verdict = verdict_from_language(read_main_text(markdown, None), has_form=False)
    assert verdict is not None
    assert (verdict.kind, verdict.is_doubtful, verdict.rules[0].rule) == ("content", True, "doubt-wording")


@cases(
    "markdown",
    [
        "# Water shut-offs\n\nService can be stopped when a bill is 60 days late. Call us first; a plan can be made.",
        "# Missing persons\n\nCall the hotline when a person cannot be found. There is no need to wait.",
        "# Passwords\n\nWe could not find your password? Ask the clerk for another.",
        f"{_NOBODY_HOME}\n\nThe clerk shall keep what is left behind.",
        f"{_NOBODY_HOME}\n\n" + "Trains run every ten minutes, boats every hour. " * 8,
    ],
)
def test_verdict_from_language_wording_of_something_else_is_none(markdown: str) -> None:
    assert verdict_from_language(read_main_text(markdown, None), has_form=False) is None


def test_verdict_from_language_wording_of_page_as_short_as_ever_is_none() -> None:
    verdict = verdict_from_language(
        read_main_text(_NOBODY_HOME, None), has_form=False, last_good_chars=len(_NOBODY_HOME)
    )
    assert verdict is None


def test_wall_probability_text_without_known_pieces_is_that_of_bias() -> None:
    assert wall_probability("") == wall_probability("ѮѮѮѮ")
    assert pieces("No entry") == {
        " no",
        "no ",
        " no ",
        " en",
        "ent",
        "ntr",
        "try",
        "ry ",
        " ent",
        "entr",
        "ntry",
        "try ",
    }
