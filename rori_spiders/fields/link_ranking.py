"""Keywords of the fields that are still missing: links that contain one are followed first. A step."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.content.dom_names import names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rori_spiders.fields.schema import Value
    from rori_spiders.manifest.models import FieldDefinition

_WORD = re.compile(r"[^\W\d_]{4,}")
#: Words of field descriptions that are common in URLs and do not characterise a page.
_STOP_WORDS = names(
    "that this with from which what when where their there have page pages site website value number name date list"
    " text type each every other only must shall whether first last"
)


def keywords_for_missing_fields(fields: Iterable[FieldDefinition], values: Mapping[str, Value]) -> tuple[str, ...]:
    """Return the words of the *fields* without a value; a list field always counts as missing."""
    wanted = [one for one in fields if one.is_list or values.get(one.name) is None]
    found = (
        word.lower() for one in wanted for word in _WORD.findall(f"{one.name.replace('_', ' ')} {one.description}")
    )
    return tuple(dict.fromkeys(word for word in found if word not in _STOP_WORDS))
