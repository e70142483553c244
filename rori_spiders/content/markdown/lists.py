"""The marker of each list item: numbers as markdown numbers them, letters and Roman numerals as text.

Markdown knows only `1.` and `-`. A legal list counts (a), (b), (i), (ii); where only HTML's ``type`` or CSS holds that,
the enumerator is written out as text of a bullet (`- a. text`), so that "paragraph (a)" can still be found.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_TYPES = {"1": "1", "a": "a", "A": "A", "i": "i", "I": "I"}
_STYLES = {
    "decimal": "1",
    "decimal-leading-zero": "1",
    "lower-alpha": "a",
    "lower-latin": "a",
    "upper-alpha": "A",
    "upper-latin": "A",
    "lower-roman": "i",
    "upper-roman": "I",
    "none": "",
    "disc": "",
    "circle": "",
    "square": "",
}
_STYLE = re.compile(r"list-style(?:-type)?\s*:[^;]*?(?<![\w-])(" + "|".join(_STYLES) + r")(?![\w-])", re.IGNORECASE)
_CLASS = re.compile(
    r"(?<![\w-])(?:list-|ol-|usa-list--)?((?:lower|upper)-?(?:alpha|latin|roman)|none|unstyled)(?![\w-])", re.IGNORECASE
)
_OWN = re.compile(r"\s*\\?\(?([0-9]{1,4}|[A-Za-z]{1,5})\\?[.)]")
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)


def kind_of(ordered: HtmlElement) -> str:
    """How an ``ol`` counts: "1", "a", "A", "i", "I", or "" for a list that shows no enumerator."""
    if found := _STYLE.search(ordered.get("style") or ""):
        return _STYLES[found[1].lower()]
    if (named := ordered.get("type")) in _TYPES:
        return named or "1"
    if found := _CLASS.search(ordered.get("class") or ""):
        name = found[1].lower().replace("-", "")
        return _STYLES.get(f"{name[:5]}-{name[5:]}", "")
    return "1"


def enumerator(number: int, kind: str) -> str:
    """*number* as a list of *kind* shows it, without punctuation."""
    if kind in "aA":
        word = _letters(number)
    elif kind in "iI":
        word = _roman(number)
    else:
        return str(number)
    return word.upper() if kind in "AI" else word


def _letters(number: int) -> str:
    word = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        word = chr(97 + rest) + word
    return word or str(number)


def _roman(number: int) -> str:
    if not 0 < number < 4000:
        return str(number)
    word = ""
    for value, letters in _ROMAN:
        while number >= value:
            word, number = word + letters, number - value
    return word


def numbers(ordered: HtmlElement) -> list[int]:
    """The numbers of the items of an ``ol``, by ``start``, ``value`` and ``reversed``."""
    items = [item for item in ordered if item.tag == "li"]
    step = -1 if ordered.get("reversed") is not None else 1
    number = _integer(ordered.get("start"), len(items) if step < 0 else 1)
    out = []
    for item in items:
        number = _integer(item.get("value"), number)
        out.append(number)
        number += step
    return out


def _integer(text: str | None, otherwise: int) -> int:
    try:
        number = int((text or "").strip())
    except ValueError:
        return otherwise
    return number if abs(number) < 1_000_000 else otherwise


def says_itself(text: str, shown: str) -> bool:
    """Whether an item's own text begins with the enumerator that its list would show."""
    found = _OWN.match(text)
    return found is not None and found[1].lower() == shown.lower()
