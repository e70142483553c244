"""`$ref`: shown by the name of what it points to, resolved within the file, never fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from rori_spiders.content.documents.openapi.blocks import code

if TYPE_CHECKING:
    from rori_spiders.content.documents.openapi.values import Value

# A reference to a reference is rare, a third hop a mistake or a circle.
_MAX_HOPS = 10


def name(reference: str) -> str:
    """``Pet`` for ``#/components/schemas/Pet``; a reference to elsewhere as it is written."""
    local = reference.startswith("#/") and reference.count("/") in (2, 3)
    return code(_unescaped(reference.rpartition("/")[2]) if local else reference)


def resolved(value: Value, root: dict[str, Value]) -> dict[str, Value] | None:
    """The object that *value* is or points to; None when that is not within the file, or goes round in a circle."""
    for _ in range(_MAX_HOPS):
        if not isinstance(value, dict):
            return None
        reference = value.get("$ref")
        if not isinstance(reference, str):
            return value
        value = _at(reference, root)
    return None


def _at(reference: str, root: dict[str, Value]) -> Value:
    """RFC 6901, below the root of the same file."""
    if not reference.startswith("#/"):
        return None
    found: Value = root
    for step in reference[2:].split("/"):
        key = _unescaped(step)
        if isinstance(found, list) and key.isdecimal() and len(key) < 6 and int(key) < len(found):
            found = found[int(key)]
        elif isinstance(found, dict):
            found = found.get(key)
        else:
            return None
    return found


def _unescaped(step: str) -> str:
    return unquote(step).replace("~1", "/").replace("~0", "~")
