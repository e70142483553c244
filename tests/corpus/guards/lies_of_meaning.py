"""Lies of one sign or word that turn the meaning: units, bounds, duties, signs of numbers, notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.corpus.guards.lying import at_random, lie, put, swap

if TYPE_CHECKING:
    from random import Random

# --- numbers and their units ----------------------------------------------------------------------------------------


@lie
def dollars_became_percent(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"\$(\d[\d,.]*\d)", text), lambda it: f"{it[1]}%")


@lie
def percent_became_dollars(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(\d[\d.]*) ?(?:%|percent)", text), lambda it: f"${it[1]}")


@lie
def unit_of_time_changed(rng: Random, text: str) -> str | None:
    units = {"days": "months", "months": "days", "years": "months", "hours": "days", "day": "month", "year": "month"}
    return swap(rng, text, r"(?<=[\w-] )(?:days|months|years|hours|day|year)\b", units)


@lie
def kind_of_days_dropped(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?i)\b(?:business|calendar|working|consecutive|fiscal) (?=\w)", text), "")


@lie
def minus_dropped(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?<![\w)])[-−–](?=\$?\d)", text), "")


@lie
def minus_became_dash(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?<=\d)[-−–](?=\d)", text), lambda it: "−" if it[0] != "−" else "-")


@lie
def brackets_round_a_number_dropped(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"\((\$?\d[\d,.]*%?)\)", text), lambda it: it[1])


@lie
def brackets_put_round_a_number(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?<= )\$?\d[\d,.]*\d(?= )", text), lambda it: f"({it[0]})")


@lie
def digits_parted_by_a_blank(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?<=\d)(?=\d)", text), rng.choice([" ", "\u00a0", "\u2009", "&nbsp;"]))


@lie
def numbers_exchanged(rng: Random, text: str) -> str | None:
    """Two numbers of one sentence: their counts stay as they were."""
    found = at_random(rng, r"(?<![\w.,/])(\d+)([ ,][^\n.|]*? )(\d+)(?![\w.,/])", text)
    return None if found is None or found[1] == found[3] else put(text, found, f"{found[3]}{found[2]}{found[1]}")


@lie
def amount_rounded_up(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"\$\d[\d,]*\.\d\d\b", text), lambda it: it[0][:-3])


@lie
def year_shortened(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"\b(?:19|20)(\d\d)\b", text), lambda it: f"'{it[1]}")


# --- bounds, duties, conditions -------------------------------------------------------------------------------------


@lie
def bound_turned(rng: Random, text: str) -> str | None:
    bounds = {
        "at least": "at most", "at most": "at least", "no more than": "no less than", "no less than": "no more than",
        "not less than": "not more than", "not more than": "not less than", "more than": "less than", "up to": "from",
        "less than": "more than", "maximum": "minimum", "minimum": "maximum", "over": "under", "under": "over",
    }  # fmt: skip
    return swap(rng, text, rf"(?i)\b(?:{'|'.join(bounds)})\b", bounds)


@lie
def before_became_after(rng: Random, text: str) -> str | None:
    turns = {"before": "after", "after": "before", "until": "from", "since": "until", "prior to": "following"}
    return swap(rng, text, rf"\b(?:{'|'.join(turns)})\b", turns)


@lie
def shall_became_should(rng: Random, text: str) -> str | None:
    weaker = {"shall": "should", "must": "should", "will": "can", "required": "asked"}
    return swap(rng, text, r"\b(?:shall|must|will|required)\b", weaker)


@lie
def may_not_became_may(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"\b(may|shall|must|can|does|is|are)(?: not|not|n't)\b", text), lambda it: it[1])


@lie
def condition_word_dropped(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?i)\b(?:unless|except|only|if|provided that|until|without|solely) ", text), "")


@lie
def each_became_any(rng: Random, text: str) -> str | None:
    turns = {"all": "some", "any": "each", "each": "any", "every": "some", "both": "either", "either": "both"}
    return swap(rng, text, rf"\b(?:{'|'.join(turns)})\b", turns)


@lie
def prefix_of_denial_dropped(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"\b(?:un|in|non-?|dis|im)(?=[a-z]{5,}(?:able|ed|ible|ive|al)\b)", text), "")


@lie
def who_and_whom_exchanged(rng: Random, text: str) -> str | None:
    found = at_random(rng, r"\b([A-Za-z]{5,})( (?:by|to|from|of|against) (?:the |an? )?)([A-Za-z]{5,})\b", text)
    return None if found is None or found[1] == found[3] else put(text, found, f"{found[3]}{found[2]}{found[1]}")


# --- notes, signs, letters ------------------------------------------------------------------------------------------


@lie
def note_moved(rng: Random, text: str) -> str | None:
    """A note's number (set high, or in brackets) goes to another word."""
    found = at_random(rng, r"(<sup>\w+</sup>|\\\[\d+\\\]|\\\*)( \w+)", text)
    return put(text, found, lambda it: f"{it[2]}{it[1]}")


@lie
def note_dropped(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"<sup>\w+</sup>|\\\[\d+\\\]|(?<=\w)\\\*|[†‡]", text), "")


@lie
def sign_of_law_dropped(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"[§¶©®™°] ?", text), "")


@lie
def look_alike_of_a_capital(rng: Random, text: str) -> str | None:
    letters = dict(zip("ABEKMHOPCTX", "АВЕКМНОРСТХ", strict=True))  # Cyrillic
    return put(text, at_random(rng, rf"\b[{''.join(letters)}](?=[a-z]{{2}})", text), lambda it: letters[it[0]])


@lie
def letter_for_a_digit(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?<=\d)[01](?=\d|\b)", text), lambda it: {"0": "O", "1": "l"}[it[0]])


@lie
def no_width_by_its_name(rng: Random, text: str) -> str | None:
    names = ["&#8203;", "&shy;", "&zwnj;", "&#x2060;", "&ZeroWidthSpace;"]
    return put(text, at_random(rng, r"(?m)(?<=^[A-Za-z]{2})(?=[a-z]{3})", text), rng.choice(names))


@lie
def line_of_its_own_put_in(rng: Random, text: str) -> str | None:
    """A sign that some programs end a line at, and markdown does not."""
    return put(text, at_random(rng, r"(?<=[a-z]) (?=[a-z])", text), rng.choice(["\u2028", "\u2029", "\x85", "\x0c"]))


@lie
def stroke_laid_over(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"\b[a-z]{4,}\b", text), lambda it: "".join(f"{one}\u0336" for one in it[0]))
