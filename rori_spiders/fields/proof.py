"""Proof: an answer becomes a value only with an exact quote from the page that holds it.

In: a field, a value and a quote as a model gave them, the page, and the part of it that the model was shown. Out: a
``Found``, whose quote is the page's own text, or an ``Unsupported`` with the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.fields.quotes import locate
from rori_spiders.fields.record import Found, Proof, Unsupported
from rori_spiders.fields.schema import NotThat, item_of
from rori_spiders.fields.support import Evidence, why_not

if TYPE_CHECKING:
    from rori_spiders.fields.page import Page
    from rori_spiders.fields.schema import Value
    from rori_spiders.fields.support import Why
    from rori_spiders.manifest.models import FieldDefinition

#: A quote of everything would prove everything.
LONGEST_QUOTE = 1000

#: Why an answer is no value (docs/fields.md explains each).
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
    "value_not_in_quote",
    "only_a_heading",
    "only_the_value",
    "too_short",
    "unrelated",
    "denied",
    "ambiguous",
    "unprovable",
)


def prove(
    field: FieldDefinition, value: Value, quote: object, page: Page, part: tuple[int, int] | None = None
) -> Found | Unsupported:
    """*value*, of a list one item, as what the page says, or why it is not.

    *part*: start and end, in the body, of what the model was shown; a quote from elsewhere is none.
    """
    try:
        read = item_of(field, value)
    except NotThat as error:
        return _unsupported(field, value, quote, page, (error.word, str(error)))
    evidence = _evidence(quote, page, part or (0, len(page.body)))
    if isinstance(evidence, Evidence):
        why = why_not(field, read, evidence)
        if why is None:
            return Found(field=field.name, value=read, proof=_proof(evidence))
    else:
        why = evidence
    return _unsupported(field, value, quote, page, why)


def _evidence(quote: object, page: Page, part: tuple[int, int]) -> Evidence | Why:
    if not isinstance(quote, str) or not quote.strip():
        return "no_quote", "no quote was given"
    if len(quote) > LONGEST_QUOTE:
        return "quote_too_long", f"the quote has {len(quote)} characters, at most {LONGEST_QUOTE} prove anything"
    place = locate(quote, page.plain, page.plain.between(*part))
    if place is None:
        return "quote_not_found", "these words do not stand in what the model was shown"
    start, end = page.plain.original(place.start, place.end)
    if end > page.section_at(start).end:
        return "crosses_sections", "the quote goes on below another heading"
    if page.is_instruction(start, end):
        return "instruction", "the quote is of a sentence that talks to a model, not to a reader"
    if page.steers(start, end):
        return "steering", "the sentence asks for an answer, or puts itself above other text: it may not be for readers"
    if page.is_struck_out(start, end):
        return "struck_out", "the quote is of text that is struck out"
    return Evidence(page, place, start, end)


def _proof(evidence: Evidence) -> Proof:
    page = evidence.page
    return Proof(
        quote=page.body[evidence.start : evidence.end],
        start=evidence.start,
        end=evidence.end,
        heading_path=page.section_at(evidence.start).path,
        occurrences=evidence.place.occurrences,
        url=page.url,
        content_hash=page.content_hash,
    )


def _unsupported(field: FieldDefinition, value: Value, quote: object, page: Page, why: Why) -> Unsupported:
    word, says = why
    return Unsupported(
        field=field.name,
        value=value,
        quote=quote if isinstance(quote, str) else None,
        reason=word,
        says=says,
        url=page.url,
    )
