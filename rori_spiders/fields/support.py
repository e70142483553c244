"""Whether a stretch of a page supports a value of a field: by type, on the page's own words, never on the model's.

In: a page, a place in it, a value of its field's type. Out: None, or a word and a sentence for why not. What is
doubtful is not supported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING

from rori_spiders.fields.dates import day_of, days_in
from rori_spiders.fields.naming import unknown_name
from rori_spiders.fields.numbers import numbers_in
from rori_spiders.fields.plain import plain
from rori_spiders.fields.statements import says, sentence_around, share_a_word, speaks_of
from rori_spiders.fields.units import counts_in
from rori_spiders.fields.wording import places_of, words_of

if TYPE_CHECKING:
    from rori_spiders.fields.page import Page
    from rori_spiders.fields.quotes import Place
    from rori_spiders.fields.schema import Value
    from rori_spiders.manifest.models import FieldDefinition

Why = tuple[str, str]

#: Numbers and days go on no farther than this beyond a quote that cuts them.
_CONTEXT = 120
#: A yes or no takes a statement; these many words are the least.
_STATEMENT_WORDS = 3
#: Only what asks when takes a year out of a date.
_WHEN = re.compile(r"\b(?:dates?|years?|when|day|time|deadline)\b", re.IGNORECASE)
#: "Years" are counted; a year has a number.
_A_YEAR = re.compile(r"\byear\b", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_NEGATIONS = frozenset({"not", "no", "non", "never", "neither", "nor", "without", "un"})


@dataclass(frozen=True)
class Evidence:
    """A stretch of a page that a value is said to rest on."""

    page: Page
    place: Place
    start: int  # in the body
    end: int

    @cached_property
    def text(self) -> str:
        """The quote as a reader sees it."""
        return self.page.plain.text[self.place.start : self.place.end]

    @cached_property
    def _around(self) -> tuple[str, int]:
        begin = max(0, self.place.start - _CONTEXT)
        return self.page.plain.text[begin : self.place.end + _CONTEXT], begin

    def holds(self, start: int, end: int) -> bool:
        """Whether that part of what is around lies within the quote."""
        _, begin = self._around
        return self.place.start <= begin + start and begin + end <= self.place.end

    @cached_property
    def numbers(self) -> dict[Decimal, tuple[int, int]]:
        """The numbers that the quote holds whole, and where."""
        around, _ = self._around
        return {one.value: one[1:] for one in numbers_in(around) if self.holds(one.start, one.end)}

    @cached_property
    def days(self) -> set[str]:
        around, _ = self._around
        return {one.iso for one in days_in(around) if self.holds(one.start, one.end)}

    def is_of_day(self, start: int, end: int) -> bool:
        """Whether the number at that part of what is around is a year that belongs to a day."""
        around, _ = self._around
        return any(one.start <= start and end <= one.end for one in days_in(around))

    def counts_in(self, about: str, start: int, end: int) -> bool:
        """Whether the number at that part of what is around counts in what *about* names."""
        around, _ = self._around
        return counts_in(about, around, start, end, is_cell=bool(self.page.table_head(self.start)))

    def says_besides(self, start: int, end: int) -> bool:
        """Whether the quote has a word beside that part of what is around."""
        _, begin = self._around
        text = self.page.plain.text
        return any(
            _LETTERS.search(text[one:other])
            for one, other in ((self.place.start, begin + start), (begin + end, self.place.end))
        )

    @cached_property
    def is_heading(self) -> bool:
        return self.page.is_heading(self.start, self.end)

    @cached_property
    def sentence(self) -> str:
        """The whole sentences that the quote is of, and what leads to its list."""
        block = self.page.plain.between(*self.page.block_around(self.start, self.end))
        start, end = sentence_around(self.page.plain.text, self.place.start, self.place.end)
        whole = self.page.plain.text[max(start, block[0]) : min(end, block[1])]
        return f"{self.page.leading_to(self.start)} {whole}".strip()

    @cached_property
    def said(self) -> str:
        """All by which a reader knows what the quote is about: its sentence, the head of its table, the headings."""
        above = f"{self.page.section_at(self.start).path} {self.page.table_head(self.start)}"
        return f"{plain(above).text} {self.sentence}"


def why_not(field: FieldDefinition, value: Value, evidence: Evidence) -> Why | None:
    """Why *evidence* does not support *value*; None when it does."""
    return _value(field, value, evidence) or _subject(field, evidence)


def _value(field: FieldDefinition, value: Value, evidence: Evidence) -> Why | None:
    kind = field.item_type
    if kind == "boolean":
        return _truth(value, evidence, f"{field.name} {field.description}")
    if kind in {"number", "integer"}:
        return _number(value, evidence) or _unit(field, value, evidence)
    if kind == "object":
        return _object(value, evidence)
    return _text(value, evidence) or _alone(field, value, evidence) or _choice(field, value, evidence)


def _subject(field: FieldDefinition, evidence: Evidence) -> Why | None:
    """The page must be speaking of what was asked: a true number of another thing is no value."""
    page = evidence.page
    unknown = unknown_name(field.description, f"{page.plain.text} {page.url or ''}")
    if unknown is not None:
        return "unrelated", f"the page never names {unknown!r}"
    if speaks_of(evidence.said, field.name, field.description):
        return None
    return "unrelated", "neither the sentence nor what stands above it has half of the words of the field"


def _number(value: int | float, evidence: Evidence) -> Why | None:
    place = evidence.numbers.get(Decimal(str(value)))
    if place is None:
        return "value_not_in_quote", f"the quote holds no number {value}"
    if evidence.is_heading:
        return "only_a_heading", "a heading names a subject and states nothing"
    if not evidence.says_besides(*place):
        return "only_the_value", "the quote holds the number and nothing that says what it is"
    return None


def _unit(field: FieldDefinition, value: int | float, evidence: Evidence) -> Why | None:
    place = evidence.numbers[Decimal(str(value))]
    about = f"{field.name} {field.description}"
    if evidence.is_of_day(*place) and not _WHEN.search(about.replace("_", " ")):
        return "unrelated", f"{value} is of a date, and the field is none"
    is_year = _A_YEAR.search(about.replace("_", " ")) and 1900 <= value < 2100
    if is_year or evidence.counts_in(about, *place):
        return None
    return "unrelated", f"{value} does not count in what the field counts in"


def _text(value: str, evidence: Evidence) -> Why | None:
    if (day := day_of(value)) is not None and day in evidence.days:
        return None
    if places_of(words_of(value), words_of(evidence.text)):
        return None
    return "value_not_in_quote", f"the quote does not say {value[:80]!r}"


def _alone(field: FieldDefinition, value: str, evidence: Evidence) -> Why | None:
    """A single word may stand alone as a heading, or as one of a list's items in a line of its own."""
    if len(words_of(evidence.text)) > 1 or evidence.is_heading:
        return None
    if field.is_list and evidence.page.fills_its_line(evidence.start, evidence.end):
        return None
    return "only_the_value", f"the quote is the word {value!r} and nothing that says what it is"


def _choice(field: FieldDefinition, value: str, evidence: Evidence) -> Why | None:
    """Of a closed choice, the quote must say this one, not deny it, and name no other."""
    if field.enum is None:
        return None
    words, wanted = words_of(evidence.text), words_of(value)
    places = places_of(wanted, words)
    if any(word.text in _NEGATIONS for at in places for word in words[max(0, at - 3) : at]):
        return "denied", f"the quote denies {value!r}"
    taken = {at + step for at in places for step in range(len(wanted))}
    for other in field.enum:
        sought = words_of(other)
        if other != value and any(not taken & set(range(at, at + len(sought))) for at in places_of(sought, words)):
            return "ambiguous", f"the quote says {other!r} as well as {value!r}"
    return None


def _truth(value: bool, evidence: Evidence, about: str) -> Why | None:
    if evidence.is_heading:
        return "only_a_heading", "a heading names a subject and states nothing"
    if len(_LETTERS.findall(evidence.text)) < _STATEMENT_WORDS:
        return "too_short", f"fewer than {_STATEMENT_WORDS} words state nothing"
    if not share_a_word(evidence.sentence, about):
        return "unrelated", "the quote has no word in common with what the field is"
    stated = says(evidence.sentence, about)
    if stated is None:
        return "ambiguous", "the sentence denies twice, or on a condition: it may be read either way"
    if stated is not value:
        return "denied", f"the sentence {'asserts' if stated else 'denies'}, and the answer is {str(value).lower()}"
    return None


def _object(value: dict[str, Value], evidence: Evidence) -> Why | None:
    """Each text and number in it, at any depth, must stand in the quote."""
    leaves = list(_leaves(value))
    if not leaves:
        return "value_not_in_quote", "the object holds no value"
    for leaf in leaves:
        if isinstance(leaf, bool):
            return "unprovable", "a truth value within an object cannot be proven: make it a field"
        if isinstance(leaf, str):
            why = _text(leaf, evidence)
        else:
            known = Decimal(str(leaf)) in evidence.numbers
            why = None if known else ("value_not_in_quote", f"the quote holds no number {leaf}")
        if why is not None:
            return why
    return None


def _leaves(value: Value) -> list[Value]:
    if isinstance(value, dict):
        return [leaf for one in value.values() for leaf in _leaves(one)]
    if isinstance(value, list):
        return [leaf for one in value for leaf in _leaves(one)]
    return [] if value is None or value == "" else [value]
