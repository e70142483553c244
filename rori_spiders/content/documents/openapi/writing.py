"""Plain values as YAML, keys in the publisher's order, figures in the characters of the file.

PyYAML's own emitter took 57 % of the time of a large file, two milliseconds an example (2026-11).
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from rori_spiders.content.documents.openapi.values import NO_TEXT, Written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.content.documents.openapi.values import Value

# Text that needs no quotes: it begins with a letter or the like, and holds nothing that YAML would act on.
_PLAIN = re.compile(r"[^\W\d][^\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff]*")
_ACTING = re.compile(r":(?:\s|$)|\s#|\s$")
_WORDS = {"yes", "no", "on", "off", "y", "n", "null", "true", "false"}  # some readers take these for no text
_LITERAL = re.compile(r"[^\s#][^\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]*")


def as_written(value: Value) -> str:
    """*value*, a mapping or an array, as YAML; lines of a text as lines."""
    return "\n".join(_lines(value))


def _lines(value: Value) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _entry(f"{_scalar(key)}:", inner)
    elif isinstance(value, list) and value:
        for inner in value:
            yield from _entry("-", inner)
    else:
        yield _scalar(value)


def _entry(lead: str, value: Value) -> Iterator[str]:
    if isinstance(value, dict | list) and value:
        lines = _lines(value)
        if lead == "-":  # the first line of what is in an array stands beside its dash
            yield f"- {next(lines)}"
        else:
            yield lead
        yield from (f"  {line}" for line in lines)
    elif isinstance(value, str) and "\n" in value and _LITERAL.fullmatch(_trimmed(value)):
        yield f"{lead} |{'' if value.endswith(chr(10)) else '-'}"
        yield from (f"  {line}" if line else "" for line in _trimmed(value).split("\n"))
    else:
        yield f"{lead} {_scalar(value)}"


def _trimmed(text: str) -> str:
    """Without blanks at line ends, which nobody sees."""
    return "\n".join(line.rstrip(" \t\r") for line in text.split("\n")).rstrip("\n")


def _scalar(value: Value) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, Written):
        return str(value)
    is_plain = _PLAIN.fullmatch(value) and not _ACTING.search(value)
    if is_plain and value.lower() not in _WORDS and not NO_TEXT.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)
