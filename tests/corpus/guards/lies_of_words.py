"""Lies in words: numbers, amounts, dates; what binds, permits, denies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.corpus.guards.lying import at_random, lie, put, swap

if TYPE_CHECKING:
    from random import Random

# --- numbers, amounts, dates ----------------------------------------------------------------------------------------


@lie
def digit_changed(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"\d", text), lambda found: str((int(found[0]) + rng.randrange(1, 10)) % 10))


@lie
def digit_dropped(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?<=\d)\d", text), "")


@lie
def digit_doubled(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"\d", text), lambda found: found[0] * 2)


@lie
def digits_swapped(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(\d)(?!\1)\d", text), lambda found: found[0][::-1])


@lie
def price_rounded(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"\$[\d,]*\d\d\d\b", text), lambda found: found[0][:-2] + "00") or put(
        text, at_random(rng, r"(?<=\d)\.\d+", text), ""
    )


@lie
def about_a_number(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?<= )\$?\d[\d,.]*", text), lambda found: f"about {found[0]}")


@lie
def currency_changed(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"\$(?=\d)", text), rng.choice(["€", "£", "", "C$"]))


@lie
def percent_dropped(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r" ?%| percent", text), rng.choice(["", "‰", " basis points"]))


@lie
def scale_changed(rng: Random, text: str) -> str | None:
    scales = {"million": "billion", "thousand": "million", "billion": "million"}
    return swap(rng, text, r"\b(?:million|thousand|billion)\b", scales)


@lie
def comma_to_point(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?<=\d),(?=\d)", text), ".")


@lie
def number_word_changed(rng: Random, text: str) -> str | None:
    words = {
        "one": "two",
        "two": "three",
        "three": "two",
        "eight": "six",
        "five": "four",
        "twelve": "ten",
        "ten": "nine",
    }
    return swap(rng, text, r"\b(?i:one|two|three|five|eight|ten|twelve)\b", words)


@lie
def number_spelled_out(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?<= )(?:30|60|90|2|3)(?= )", text), "many")


@lie
def range_opened(rng: Random, text: str) -> str | None:
    swaps = {"more": "less", "less": "more", "before": "after", "after": "before", "within": "after", "above": "below"}
    return swap(rng, text, r"\b(?:more|less|before|after|within|above)\b", swaps)


@lie
def month_changed(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"\b(?:January|June|July|August|November|December|October)\b", text), "March")


@lie
def date_reformatted(rng: Random, text: str) -> str | None:
    return put(
        text, at_random(rng, r"\b(\w+) (\d{1,2}), (\d{4})", text), lambda found: f"{found[2]} {found[1]} {found[3]}"
    )


@lie
def sign_turned(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?<= )(?=\$?\d)", text), "-")


@lie
def exponent_flattened(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"<sup>(.+?)</sup>", text), lambda found: found[1])


# --- words that bind, permit, deny ----------------------------------------------------------------------------------


@lie
def not_dropped(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"\b(?:not|no|never) ", text), "")


@lie
def not_added(rng: Random, text: str) -> str | None:
    return put(
        text, at_random(rng, r"(?<= )(?:is|are|may|must|shall|will)(?= )", text), lambda found: f"{found[0]} not"
    )


@lie
def not_moved(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(\w+) not (\w+) ", text), lambda found: f"{found[1]} {found[2]} not ")


@lie
def duty_weakened(rng: Random, text: str) -> str | None:
    return swap(rng, text, r"\b(?:shall|must|may)\b", {"shall": "may", "must": "may", "may": "must"})


@lie
def and_became_or(rng: Random, text: str) -> str | None:
    return swap(rng, text, r"\b(?:and|or)\b", {"and": "or", "or": "and"})


@lie
def exception_dropped(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r",? (?:unless|except|only)\b[^.\n]*", text), "")


@lie
def who_changed(rng: Random, text: str) -> str | None:
    swaps = {"bureau": "board", "lender": "borrower", "state": "county", "employee": "employer", "consumer": "creditor"}
    return swap(rng, text, r"\b(?i:Bureau|lender|state|employee|consumer)\b", swaps)


@lie
def word_left_out(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?<=[a-z] )[a-z]{4,} (?=[a-z])", text), "")


@lie
def word_put_in(rng: Random, text: str) -> str | None:
    return put(
        text, at_random(rng, r"(?<=[a-z] )(?=[a-z])", text), rng.choice(["usually ", "allegedly ", "former ", "all "])
    )


@lie
def capital_made_small(rng: Random, text: str) -> str | None:
    return put(
        text,
        at_random(rng, r"(?m)(?<=[a-z] )[A-Z][A-Za-z]+(?= [a-z])(?!.*\|$)", text),
        lambda found: found[0].upper() + "S",
    )
