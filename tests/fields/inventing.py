"""The worst that a model may answer with quotes that are real: everything that a page holds, as a value of a field.

In: a page's text and a field. Out: claims, a value and a quote each.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from rori_spiders.fields.grounding.quantities import numbers_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.fields.schema import Value
    from rori_spiders.manifest.models import FieldDefinition

_LINES = re.compile(r"\n\s*")
_SENTENCES = re.compile(r"(?<=[.!?;:]) +")
_NAMES = re.compile(r"[A-Z][\w.-]+(?: [A-Z][\w.-]+)*|\(?\d[\d,./() -]*\d|[A-Z]+-[\d-]+")
_DAYS = re.compile(r"[A-Z][a-z]+ \d{1,2}, \d{4}|\d{1,2}/\d{1,2}/\d{2,4}|\d{4}")


def inventions(text: str, field: FieldDefinition) -> Iterator[tuple[Value, str]]:
    """Each value of the field's type that stands in a sentence, a line or two sentences, with that as its quote."""
    for quote in quotes(text):
        for value in dict.fromkeys(_values(quote, field)):
            yield value, quote


def quotes(text: str) -> list[str]:
    """The lines of *text*, their sentences, and each two of these that follow each other."""
    found: list[str] = []
    for line in _LINES.split(text):
        sentences = _SENTENCES.split(line)
        pairs = [f"{one} {other}" for one, other in pairwise(sentences)]
        found += [line, *sentences, *pairs]
    return [one for one in dict.fromkeys(found) if one.strip() and len(one) <= 1000]


def _values(quote: str, field: FieldDefinition) -> Iterator[Value]:
    kind = field.item_type
    if kind == "boolean":
        yield from (True, False)
    elif kind in {"number", "integer"}:
        for one in numbers_in(quote):
            yield int(one.value) if one.value == int(one.value) else float(one.value)
    elif field.enum is not None:
        yield from field.enum
    else:
        yield quote[:60].rpartition(" ")[0] or quote
        yield from (found[0] for kind in (_NAMES, _DAYS) for found in kind.finditer(quote))
