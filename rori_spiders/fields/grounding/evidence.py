"""Ground a value: an answer becomes a value only with an exact quote from the page that supports it.

Input: a field, a value and a quote as a model gave them, the page, and the part of it that the model was shown.
Output: a ``GroundedValue``, whose quote is the page's own text, or an ``UngroundedValue`` with the reason. Support
is checked by type, on the words of the page, never on those of the model; what is doubtful is not supported.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property

from rori_spiders.fields.grounding.page import Page, TableCell
from rori_spiders.fields.grounding.plain_text import QuotePlace, locate_quote, to_plain_text
from rori_spiders.fields.grounding.quantities import (
    Unit,
    currency_of,
    day_of,
    days_in,
    has_unit_of,
    numbers_in,
    unit_name,
    unit_of,
)
from rori_spiders.fields.grounding.statements import (
    A_DAY,
    asserts_or_denies,
    count_words,
    find_words,
    is_distinguished,
    kinds_of,
    kinds_of_stretch,
    mentions_subject,
    names_a_kind,
    sentence_around,
    share_a_word,
    unknown_name,
    words_of,
)
from rori_spiders.fields.records import GroundedValue, SourceQuote, UngroundedValue, nested_values, value_at
from rori_spiders.fields.schema import InvalidValue, Value, validate_item
from rori_spiders.manifest.models import FieldDefinition

UngroundedReason = tuple[str, str]

#: Characters read beyond a quote, to see a number or date whole that the quote cuts.
_CONTEXT = 120
#: Fewest words of a statement that can ground a boolean.
_STATEMENT_WORDS = 3
#: Only a field about time may take the year out of a date.
_WHEN = re.compile(r"\b(?:dates?|years?|when|day|time|deadline)\b", re.IGNORECASE)
#: A field about a calendar year needs no unit ("year", not "years").
_A_YEAR = re.compile(r"\byear\b", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_NEGATIONS = frozenset({"not", "no", "non", "never", "neither", "nor", "without", "un"})


@dataclass(frozen=True)
class Evidence:
    """A passage of a page that is cited for a value."""

    page: Page
    place: QuotePlace
    start: int  # in the body
    end: int
    is_named: bool = False  # by the heads of the table's cell that it is

    @cached_property
    def text(self) -> str:
        """The quote as plain text."""
        return self.page.plain.text[self.place.start : self.place.end]

    @cached_property
    def cells(self) -> list[str]:
        """The cells of a table's row that the quote has; of other text, the quote."""
        return self.text.strip("| ").split("|") if self.page.table_head(self.start) else [self.text]

    @cached_property
    def _around(self) -> tuple[str, int]:
        begin = max(0, self.place.start - _CONTEXT)
        return self.page.plain.text[begin : self.place.end + _CONTEXT], begin

    def holds(self, start: int, end: int) -> bool:
        """Whether the span *start* to *end* of the surrounding text lies within the quote."""
        _, begin = self._around
        return self.place.start <= begin + start and begin + end <= self.place.end

    @cached_property
    def numbers(self) -> dict[Decimal, tuple[int, int]]:
        """The numbers that lie wholly within the quote, with their spans."""
        around, _ = self._around
        return {one.value: one[1:] for one in numbers_in(around) if self.holds(one.start, one.end)}

    @cached_property
    def days(self) -> dict[str, tuple[int, int]]:
        """The days that lie wholly within the quote, with their spans."""
        around, _ = self._around
        return {one.iso: one[1:] for one in days_in(around) if self.holds(one.start, one.end)}

    def currency_at(self, start: int, end: int) -> Unit:
        """The currency of the number at that span of the surrounding text: beside it, or in its table's header row."""
        around, _ = self._around
        written = currency_of(around, start, end)
        is_in_head = written.name is None and "$" in self.page.table_head(self.start)
        return written._replace(name="USD") if is_in_head else written

    def unit_at(self, start: int, end: int, wanted: str) -> Unit:
        """The unit of the number at that span of the surrounding text: behind it, or in its table's header row."""
        around, _ = self._around
        return unit_of(wanted, around, start, end, self.page.table_head(self.start))

    def raw(self, start: int, end: int) -> str:
        """That span of the surrounding text as the page writes it."""
        _, begin = self._around
        first, last = self.page.plain.original(begin + start, begin + end)
        return self.page.body[first:last]

    def is_of_day(self, start: int, end: int) -> bool:
        """Whether the number at that span of the surrounding text is part of a date."""
        around, _ = self._around
        return any(one.start <= start and end <= one.end for one in days_in(around))

    def counts_in(self, about: str, start: int, end: int) -> bool:
        """Whether the number at that span of the surrounding text has the unit that *about* names."""
        around, _ = self._around
        return has_unit_of(about, around, start, end, is_cell=bool(self.page.table_head(self.start)))

    def says_besides(self, start: int, end: int) -> bool:
        """Whether a word says what that span of the surrounding text is: in the quote outside of it, or in a head."""
        if self.is_named:
            return True
        _, begin = self._around
        text = self.page.plain.text
        return any(
            _LETTERS.search(text[one:other])
            for one, other in ((self.place.start, begin + start), (begin + end, self.place.end))
        )

    def kinds_of(self, value: Value) -> set[str]:
        """The words for what *value* shows that it is, by its form or by what stands around it."""
        is_day = isinstance(value, str) and value in self.days
        is_only_day = is_day and self.page.days == {value}
        return kinds_of(value, self._around[0]) | (A_DAY if is_only_day else set()) | self.kinds_of_occasion(value)

    def kinds_of_occasion(self, value: Value) -> set[str]:
        """The words for *value* as the day of the page's one occasion, or as when it begins or ends."""
        stretch = self.page.stretch
        if stretch is not None and isinstance(value, str) and value in self.days:
            return A_DAY
        return kinds_of_stretch(value, stretch)

    @cached_property
    def cell(self) -> tuple[TableCell, list[TableCell]] | None:
        """The table's cell that the quote is, whole and alone, and the other cells; None for another quote."""
        text = self.text.strip("| ")
        if not text or "|" in text:  # a row, or a part of it
            return None
        begins = self.page.body.find(text.split(" ")[0], self.start, self.end)
        found = self.page.table_cells(begins) if begins >= 0 else None
        return found if found is not None and found[0].text == text else None

    def is_named_cell(self, field: FieldDefinition, *, is_item: bool) -> bool:
        """Whether the quote is a table's cell whose heads have two thirds of *field*'s words, more than any other's.

        With half of them, 27 and 13 wrong cells of the pages by construction were accepted (2026-11-29), now none.

        Of a list, or as a part of an item (*is_item*), as many as any other's: each item has a row.
        """
        if self.cell is None:
            return False
        (_, *heads), others = self.cell
        name, about = field.name.rpartition(".")[2], f"{field.name} {field.description}"
        if not mentions_subject(" ".join(heads), name, field.description):
            return False
        if 3 * count_words(" ".join(heads), about) < 2 * count_words(about, about):
            return False
        most = count_words(" ".join(heads), about) - (0 if field.is_list or is_item else 1)
        return all(count_words(f"{one.row} {one.column}", about) <= most for one in others if one.row and one.text)

    def is_of_other_cell(self, field: FieldDefinition) -> bool:
        """Whether the quote is a table's cell and the table says that the value is not in it.

        Its heads have fewer of *field*'s words than those of a cell that has two thirds of them; or it heads its row
        with some of them, below a column whose head has none. A list's items stand in rows of any name.
        """
        if self.cell is None or field.is_list:
            return False
        (text, row, column), others = self.cell
        about = f"{field.name} {field.description}"
        most = max((count_words(f"{one.row} {one.column}", about) for one in others if one.row and one.text), default=0)
        if 3 * most >= 2 * count_words(about, about) and count_words(f"{row} {column}", about) < most:
            return True
        heads_its_row = not row and any(one.row == text and one.text for one in others)
        return heads_its_row and count_words(text, about) > 0 and not count_words(column, about)

    @cached_property
    def is_heading(self) -> bool:
        return self.page.is_heading(self.start, self.end)

    @cached_property
    def sentence(self) -> str:
        """The sentences that contain the quote, with the line that introduces its list."""
        block = self.page.plain.between(*self.page.block_around(self.start, self.end))
        start, end = sentence_around(self.page.plain.text, self.place.start, self.place.end)
        whole = self.page.plain.text[max(start, block[0]) : min(end, block[1])]
        return f"{self.page.leading_to(self.start)} {whole}".strip()

    @cached_property
    def context(self) -> str:
        """The quote's context: its sentence, its table's header row, its headings."""
        above = f"{self.page.section_at(self.start).path} {self.page.table_head(self.start)}"
        return f"{to_plain_text(above).text} {self.sentence}"


def reason_unsupported(
    field: FieldDefinition, value: Value, evidence: Evidence, *, is_item: bool = False
) -> UngroundedReason | None:
    """Return why *evidence* does not support *value*; None when it does."""
    why = _check_value(field, value, evidence)
    if why is not None and why[0] == "only_the_value" and evidence.is_named_cell(field, is_item=is_item):
        why = _check_value(field, value, replace(evidence, is_named=True))
    if why is None and not is_item and evidence.is_of_other_cell(field):
        why = "unrelated", "the cell heads its row, or the heads of another cell name the field better"
    return why or _check_subject(field, value, evidence)


def _check_value(field: FieldDefinition, value: Value, evidence: Evidence) -> UngroundedReason | None:
    kind = field.item_type
    if kind == "boolean":
        return _check_boolean(value, evidence, f"{field.name} {field.description}")
    if kind in {"number", "integer"}:
        return _check_number(value, evidence) or _check_unit(field, value, evidence)
    if kind == "date":
        return _check_day(value, evidence)
    if kind == "money":
        return _check_number(value["amount"], evidence) or _check_currency(value, evidence)
    if kind == "quantity":
        return _check_number(value["value"], evidence) or _check_named_unit(value, evidence)
    if kind == "object":
        return _check_object(value, evidence)
    return (
        _check_text(value, evidence)
        or _check_single_word(field, value, evidence)
        or _check_choice(field, value, evidence)
    )


def _check_subject(field: FieldDefinition, value: Value, evidence: Evidence) -> UngroundedReason | None:
    """Check that the page is about the field's subject: a correct number of something else is not a value.

    What the page as a whole is about may stand in its title or main heading, far from the value; which of its values
    this is must stand near it.
    """
    page = evidence.page
    unknown = unknown_name(field.description, f"{page.plain.text} {page.url or ''}")
    if unknown is not None:
        return "unrelated", f"the page does not mention {unknown!r}"
    name = field.name.rpartition(".")[2]
    if mentions_subject(evidence.context, name, field.description):
        return None
    kinds = evidence.kinds_of(value)
    if mentions_subject(evidence.context, name, field.description, kinds):
        return None
    if is_distinguished(evidence.context, page.subject, f"{name} {field.description}", kinds) and mentions_subject(
        f"{page.subject} {evidence.context}", name, field.description, kinds
    ):
        return None
    of_occasion = evidence.kinds_of_occasion(value)  # all of a page about one occasion is about it
    if names_a_kind(f"{name} {field.description}", of_occasion) and mentions_subject(
        page.plain.text, name, field.description, kinds
    ):
        return None
    return "unrelated", "the sentence and its headings have fewer than half of the field's words"


def _check_number(value: int | float, evidence: Evidence) -> UngroundedReason | None:
    place = evidence.numbers.get(Decimal(str(value)))
    if place is None:
        return "value_not_in_quote", f"the number {value} is not in the quote"
    if evidence.is_heading:
        return "only_a_heading", "the quote is a heading, which states nothing"
    if not evidence.says_besides(*place):
        return "only_the_value", "the quote is the number alone; nothing says what it is"
    return None


def _check_unit(field: FieldDefinition, value: int | float, evidence: Evidence) -> UngroundedReason | None:
    place = evidence.numbers[Decimal(str(value))]
    about = f"{field.name} {field.description}"
    if evidence.is_of_day(*place) and not _WHEN.search(about.replace("_", " ")):
        return "unrelated", f"{value} is part of a date; the field is not a date"
    is_year = _A_YEAR.search(about.replace("_", " ")) and 1900 <= value < 2100
    if is_year or evidence.counts_in(about, *place):
        return None
    return "unrelated", f"{value} does not have the unit of the field"


def _check_day(value: str, evidence: Evidence) -> UngroundedReason | None:
    place = evidence.days.get(value)
    if place is None:
        return "value_not_in_quote", f"the day {value} is not in the quote"
    if not evidence.says_besides(*place):
        return "only_the_value", "the quote is the day alone; nothing says what it is"
    return None


def _check_currency(value: dict[str, Value], evidence: Evidence) -> UngroundedReason | None:
    written = evidence.currency_at(*evidence.numbers[Decimal(str(value["amount"]))]).name
    if written == value["currency"]:
        return None
    found = f"beside it is {written}" if written else "no currency stands beside it"
    return "unrelated", f"{value['amount']} is not in {value['currency']}: {found}"


def _check_named_unit(value: dict[str, Value], evidence: Evidence) -> UngroundedReason | None:
    wanted = unit_name(value["unit"])
    written = evidence.unit_at(*evidence.numbers[Decimal(str(value["value"]))], wanted).name
    if written == wanted:
        return None
    found = f"behind it is {written!r}" if written else "no unit stands behind it"
    return "unrelated", f"{value['value']} is not in {value['unit'][:80]!r}: {found}"


def _as_written(field: FieldDefinition, value: Value, evidence: Evidence) -> tuple[Value, str | None]:
    """The grounded *value*, and the page's own words for it where the value is another writing of them."""
    kind = field.item_type
    if kind == "date":
        return value, evidence.raw(*evidence.days[value])
    if kind in {"number", "integer"}:
        return value, evidence.raw(*evidence.numbers[Decimal(str(value))])
    if kind == "money":
        _, start, end = evidence.currency_at(*evidence.numbers[Decimal(str(value["amount"]))])
        return value, evidence.raw(start, end)
    if kind == "quantity":
        unit = unit_name(value["unit"])
        _, start, end = evidence.unit_at(*evidence.numbers[Decimal(str(value["value"]))], unit)
        raw = evidence.raw(start, end)
        return {"value": value["value"], "unit": unit, "raw": raw}, raw
    return value, None


def _check_text(value: str, evidence: Evidence) -> UngroundedReason | None:
    if (day := day_of(value)) is not None and day in evidence.days:
        return None
    if find_words(words_of(value), words_of(evidence.text)):
        return None
    return "value_not_in_quote", f"{value[:80]!r} is not in the quote"


def _check_single_word(field: FieldDefinition, value: str, evidence: Evidence) -> UngroundedReason | None:
    """Allow a single word only in a heading, in a cell that heads name, or as a list's item in a line of its own."""
    if len(words_of(evidence.text)) > 1 or evidence.is_heading or evidence.is_named:
        return None
    if field.is_list and evidence.page.fills_its_line(evidence.start, evidence.end):
        return None
    return "only_the_value", f"the quote is the word {value!r} alone; nothing says what it is"


def _check_choice(field: FieldDefinition, value: str, evidence: Evidence) -> UngroundedReason | None:
    """Check a field with ``enum``: the quote names this value, does not deny it, and names no other."""
    if field.enum is None:
        return None
    words, wanted = words_of(evidence.text), words_of(value)
    cells = [[word.text for word in words_of(cell)] for cell in evidence.cells[1:]]
    if [word.text for word in wanted] in cells:
        # The first cell may name all of them: "rate type, fixed or variable".
        others = (other for other in field.enum if other != value)
        also = next((other for other in others if [word.text for word in words_of(other)] in cells), None)
        return None if also is None else ("ambiguous", f"the row has both {also!r} and {value!r}")
    places = find_words(wanted, words)
    if any(word.text in _NEGATIONS for at in places for word in words[max(0, at - 3) : at]):
        return "denied", f"the quote denies {value!r}"
    taken = {at + step for at in places for step in range(len(wanted))}
    for other in field.enum:
        sought = words_of(other)
        if other != value and any(not taken & set(range(at, at + len(sought))) for at in find_words(sought, words)):
            return "ambiguous", f"the quote has both {other!r} and {value!r}"
    return None


def _check_boolean(value: bool, evidence: Evidence, about: str) -> UngroundedReason | None:
    if evidence.is_heading:
        return "only_a_heading", "the quote is a heading, which states nothing"
    if len(_LETTERS.findall(evidence.text)) < _STATEMENT_WORDS:
        return "too_short", f"the quote has fewer than {_STATEMENT_WORDS} words, too few for a statement"
    if not share_a_word(evidence.sentence, about):
        return "unrelated", "the quote shares no word with the field's name and description"
    stated = asserts_or_denies(evidence.sentence, about)
    if stated is None:
        return "ambiguous", "the sentence has a double negation or a condition, so it can be read either way"
    if stated is not value:
        return "denied", f"the sentence {'asserts' if stated else 'denies'} it, but the answer is {str(value).lower()}"
    return None


def _check_object(value: dict[str, Value], evidence: Evidence) -> UngroundedReason | None:
    """Check that each text and number of *value*, at any depth, is in the quote."""
    leaves = list(_leaf_values(value))
    if not leaves:
        return "value_not_in_quote", "the object has no values"
    for leaf in leaves:
        if isinstance(leaf, bool):
            return "unprovable", "a boolean inside an object cannot be grounded; define it as a field of its own"
        if isinstance(leaf, str):
            why = _check_text(leaf, evidence)
        else:
            known = Decimal(str(leaf)) in evidence.numbers
            why = None if known else ("value_not_in_quote", f"the number {leaf} is not in the quote")
        if why is not None:
            return why
    return None


def _leaf_values(value: Value) -> list[Value]:
    if isinstance(value, dict):
        return [leaf for one in value.values() for leaf in _leaf_values(one)]
    if isinstance(value, list):
        return [leaf for one in value for leaf in _leaf_values(one)]
    return [] if value is None or value == "" else [value]


#: Longest quote, in characters: a quote of the whole page would support anything.
MAX_QUOTE_CHARS = 1000

#: Reason codes of ungrounded answers (docs/explanation/fields.md explains each).
REASONS = (
    "wrong_type",
    "not_allowed",
    "no_quote",
    "quote_too_long",
    "quote_not_found",
    "crosses_sections",
    "instruction",
    "steering",
    "struck_out",
    "recognised",
    "value_not_in_quote",
    "only_a_heading",
    "only_the_value",
    "too_short",
    "unrelated",
    "denied",
    "ambiguous",
    "unprovable",
    "apart",
    "incomplete",
)


def ground(
    field: FieldDefinition,
    value: Value,
    quote: object,
    page: Page,
    part: tuple[int, int] | None = None,
    *,
    is_item: bool = False,
) -> GroundedValue | UngroundedValue:
    """Ground *value* (of a list: one item) by its *quote*, or return why it cannot be grounded.

    *part*: start and end, in the body, of the text that the model was shown; the quote must lie within it. *is_item*:
    it is a part of an item of a list of objects.
    """
    try:
        read = validate_item(field, value)
    except InvalidValue as error:
        return _ungrounded_value(field, value, quote, page, (error.word, str(error)))
    evidence = _find_evidence(quote, page, part or (0, len(page.body)))
    if isinstance(evidence, Evidence):
        why = reason_unsupported(field, read, evidence, is_item=is_item)
        if why is None:
            value, raw = _as_written(field, read, evidence)
            return GroundedValue(field=field.name, value=value, raw=raw, proof=_source_quote(evidence))
    else:
        why = evidence
    return _ungrounded_value(field, value, quote, page, why)


def ground_item(
    field: FieldDefinition, answers: Sequence[GroundedValue | UngroundedValue], page: Page
) -> tuple[GroundedValue | None, list[UngroundedValue]]:
    """Ground an item of a list of objects by the *answers* about its parts; return it, and what was rejected.

    The parts stand with the first of them: in one row, item or paragraph, or that is the heading above the others.
    Two right values of two items make no third.
    """
    rejected = [one for one in answers if isinstance(one, UngroundedValue)]
    parts: list[GroundedValue] = []
    for one in answers:
        if isinstance(one, GroundedValue):
            if not parts or _stand_together(parts[0].proof, one.proof, page):
                parts.append(one)
                continue
            says = f"it stands in another row, item or paragraph than {parts[0].field}"
            why = {"value": one.value, "quote": one.proof.quote, "reason": "apart", "says": says, "url": page.url}
            rejected.append(UngroundedValue(field=one.field, **why))
    inside = field.fields or ()
    value = nested_values(parts, inside, f"{field.name}.")
    required = [leaf.name for one in inside if one.required for leaf in one.leaves if leaf.required]
    lacking = [name for name in required if value_at(value, name) is None]
    if parts and lacking:
        says = f"without its {', '.join(lacking)} it is no item"
        why = {"value": value, "quote": parts[0].proof.quote, "reason": "incomplete", "says": says, "url": page.url}
        return None, [*rejected, UngroundedValue(field=field.name, **why)]
    if not parts:
        return None, rejected
    return GroundedValue(field=field.name, value=value, proof=parts[0].proof, parts=tuple(parts)), rejected


def _stand_together(first: SourceQuote, other: SourceQuote, page: Page) -> bool:
    if page.is_heading(other.start, other.end):
        first, other = other, first
    if page.is_heading(first.start, first.end):
        heading, section = page.section_at(first.start), page.section_at(other.start)
        return section.start == heading.start or section.path.startswith(f"{heading.path} > ")
    block = page.block_around(first.start, first.end)
    return block == page.block_around(other.start, other.end) and page.is_one_block(*block)


def _find_evidence(quote: object, page: Page, part: tuple[int, int]) -> Evidence | UngroundedReason:
    if not isinstance(quote, str) or not quote.strip():
        return "no_quote", "the model gave no quote"
    if len(quote) > MAX_QUOTE_CHARS:
        return "quote_too_long", f"the quote has {len(quote)} characters; the limit is {MAX_QUOTE_CHARS}"
    place = locate_quote(quote, page.plain, page.plain.between(*part))
    if place is None:
        return "quote_not_found", "the quote is not in the text that the model was shown"
    start, end = page.plain.original(place.start, place.end)
    if end > page.section_at(start).end:
        return "crosses_sections", "the quote runs across a heading"
    if page.is_instruction(start, end):
        return "instruction", "the quote's sentence addresses a language model, not a reader"
    if page.steers(start, end):
        return "steering", "the quote's sentence has signs of a prompt injection"
    if page.is_struck_out(start, end):
        return "struck_out", "the quote is struck-out text"
    if page.is_recognised(start, end):
        return "recognised", "the quote was read by OCR: its words and digits may be wrong"
    return Evidence(page, place, start, end)


def _source_quote(evidence: Evidence) -> SourceQuote:
    page = evidence.page
    heads = {"row_head": evidence.cell[0].row, "column_head": evidence.cell[0].column} if evidence.cell else {}
    return SourceQuote(
        **heads,
        quote=page.body[evidence.start : evidence.end],
        start=evidence.start,
        end=evidence.end,
        heading_path=page.section_at(evidence.start).path,
        occurrences=evidence.place.occurrences,
        url=page.url,
        content_hash=page.content_hash,
    )


def _ungrounded_value(
    field: FieldDefinition, value: Value, quote: object, page: Page, why: UngroundedReason
) -> UngroundedValue:
    word, says = why
    return UngroundedValue(
        field=field.name,
        value=value,
        quote=quote if isinstance(quote, str) else None,
        reason=word,
        says=says,
        url=page.url,
    )
