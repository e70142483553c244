"""A page whose values are known: its HTML, its fields, and where it states each of them.

Values are compared as a reader would: case and white space of texts do not count, 3.0 is 3, an amount is the same in
its currency.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence, Set

    from rori_spiders.manifest.models import FieldDefinition

TAG = re.compile(r"<[^>]*>")


class Statement(NamedTuple):
    """A value and the words of the page that state it, as a reader sees them."""

    value: Any
    quote: str


@dataclass(frozen=True)
class Sample:
    """``stated``: by field, in order; a field that the page does not state is missing. ``stale``: values that it had.

    ``asides``: sentences of the page about something else, with figures in them. ``order``: an order to a model that
    somebody planted in it, and the false value that it wants for a field.
    """

    name: str
    half: str
    url: str
    html: str
    fields: Sequence[FieldDefinition]
    stated: Mapping[str, Sequence[Statement]]
    stale: Mapping[str, Statement] = field(default_factory=dict)
    asides: Sequence[str] = ()
    order: tuple[str, str, Any] | None = None  # field, sentence, value


def comparable(value: Any) -> Hashable:
    """*value* in the form in which two are compared."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, dict):
        return json.dumps({key: str(comparable(one)) for key, one in value.items()}, sort_keys=True)
    return " ".join(str(value).replace("’", "'").split()).strip(" .,;").casefold()


class Score(NamedTuple):
    """Values that were accepted and are right, accepted and false, and stated but not accepted."""

    right: int = 0
    false: int = 0
    missed: int = 0

    def plus(self, other: Score) -> Score:
        return Score(*(one + more for one, more in zip(self, other, strict=True)))

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.false) if self.right + self.false else 1.0

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0


def score_field(sample: Sample, name: str, accepted: Sequence[Any], claimed: Set[Hashable]) -> Score:
    """The score of the values *accepted* for the field *name*; only of what was *claimed* can one be missed."""
    found = {comparable(one) for one in accepted if one not in (None, "", [], {})}
    stated = {comparable(one.value) for one in sample.stated.get(name, ())}
    return Score(len(found & stated), len(found - stated), len((stated & claimed) - found))
