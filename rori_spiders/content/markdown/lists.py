"""List items: each behind its marker, its further lines under its first, nested lists inside."""

import re
from itertools import islice, pairwise

from lxml.html import HtmlElement

from rori_spiders.content.dom_names import names
from rori_spiders.content.markdown import inline

_LISTS = names("ul ol menu dir")
# An enumerator stands in the first texts of an item: "1", "." may be two.
_FIRST_TEXTS = 6
_ENUMERATOR_CHARS = 40


class _Numbering:
    """The numbering of one ``ol``: the number of each item, and where markdown would count differently."""

    def __init__(self, ordered: HtmlElement) -> None:
        items = [item for item in ordered if item.tag == "li"]
        numbers = item_numbers(ordered)
        self.kind = kind_of(ordered)
        self.number = dict(zip(items, numbers, strict=True))
        # Markdown counts up from the first number, which may not be negative or have more than nine digits. Where an
        # item says its number itself, that is text: two numbers would be invented, none lost.
        self.counts_up = (
            all(after == before + 1 for before, after in pairwise(numbers))
            and all(number >= 0 for number in numbers)
            and not any(self.says_itself(item, "1") for item in items)
        )

    def says_itself(self, item: HtmlElement, kind: str) -> bool:
        """Whether *item* begins with its number in its own text, not in that of a list in it."""
        return says_itself("".join(islice(item.itertext(), _FIRST_TEXTS)), enumerator(self.number[item], kind))


class Items:
    """The lists of one page: which numbering each has, and which bullet, so that neighbours do not run together."""

    def __init__(self) -> None:
        self._numberings: dict[HtmlElement, _Numbering] = {}
        self._other: dict[HtmlElement, bool] = {}

    def item(self, element: HtmlElement, content: str, *, in_cell: bool) -> str:
        """An ``li`` as one or more lines, between single newlines."""
        content = content.strip(" \n" + inline.BREAK)
        if not content:
            return ""
        marker, content = self._marked(element, content)
        if in_cell:
            return f"\n{content}\n" if marker in "-*" else f"\n{marker} {content}\n"
        hang = "\n" + " " * (len(marker) + 1)
        body = re.sub(r"\n(?=[^\n])", hang, content)
        return f"\n{marker} {body}\n"

    def list(self, element: HtmlElement, content: str, *, nested: bool) -> str:
        """A list of items already converted. One that stands in a list without an item belongs to the item before."""
        content = content.strip("\n")
        if not content:
            return ""
        parent = element.getparent()
        if parent is not None and parent.tag in _LISTS:
            indent = "\n" + " " * (3 if parent.tag == "ol" else 2)
            return indent + re.sub(r"\n(?=[^\n])", indent, content) + "\n"
        # Only a list that begins with a bullet or with 1 may follow a paragraph without a blank line.
        close = nested and element.tag != "ol" and "\n\n" not in content
        return f"\n{content}\n" if close else f"\n\n{content}\n\n"

    def _marked(self, element: HtmlElement, content: str) -> tuple[str, str]:
        parent = element.getparent()
        other = self._is_other(parent)
        bullet = "*" if other else "-"
        if parent is None or parent.tag != "ol":
            return bullet, content
        if parent not in self._numberings:
            self._numberings[parent] = _Numbering(parent)
        counting = self._numberings[parent]
        number = counting.number.get(element)
        if number is None or not counting.kind:
            return bullet, content
        shown = enumerator(number, counting.kind)
        begins = inline.remove(content[:_ENUMERATOR_CHARS])
        own = says_itself(begins, shown) and counting.says_itself(element, counting.kind)
        if counting.kind == "1" and counting.counts_up:
            return shown + (")" if other else "."), content
        return bullet, content if own else f"{shown}{chr(92) if counting.kind == '1' else ''}. {content}"

    def _is_other(self, parent: HtmlElement | None) -> bool:
        """Whether this list directly follows one of its kind, with which markdown would join it."""
        if parent is None:
            return False
        if parent not in self._other:
            before = parent.getprevious()
            follows = before is not None and before.tag == parent.tag and not (before.tail or "").strip()
            self._other[parent] = follows and not self._is_other(before)
        return self._other[parent]


# The marker of each list item: numbers as markdown numbers them, letters and Roman numerals as text. Markdown knows
# only `1.` and `-`. A legal list counts (a), (b), (i), (ii); where only HTML's ``type`` or CSS holds that, the
# enumerator is written out as text of a bullet (`- a. text`), so that "paragraph (a)" can still be found.

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
_STYLE = re.compile(r"list-style(?:-type)?\s*:([^;]*)", re.IGNORECASE)
_STYLE_NAME = re.compile(r"(?<![\w-])(" + "|".join(_STYLES) + r")(?![\w-])", re.IGNORECASE)
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
    for style in _STYLE.finditer(ordered.get("style") or ""):
        if found := _STYLE_NAME.search(style[1]):
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


def item_numbers(ordered: HtmlElement) -> list[int]:
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
