"""List items: each behind its marker, its further lines under its first, nested lists inside."""

from __future__ import annotations

import re
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from rori_spiders.content.markdown import lists, marks
from rori_spiders.content.names import names

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_LISTS = names("ul ol menu dir")
# An enumerator stands in the first texts of an item: "1", "." may be two.
_FIRST_TEXTS = 6
_ENUMERATOR_CHARS = 40


class _Numbering:
    """How one ``ol`` counts: the number of each item, and where markdown's own counting would differ."""

    def __init__(self, ordered: HtmlElement) -> None:
        items = [item for item in ordered if item.tag == "li"]
        numbers = lists.numbers(ordered)
        self.kind = lists.kind_of(ordered)
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
        return lists.says_itself(
            "".join(islice(item.itertext(), _FIRST_TEXTS)), lists.enumerator(self.number[item], kind)
        )


class Items:
    """The lists of one page: which numbering each has, and which bullet, so that neighbours do not run together."""

    def __init__(self) -> None:
        self._numberings: dict[HtmlElement, _Numbering] = {}
        self._other: dict[HtmlElement, bool] = {}

    def item(self, element: HtmlElement, content: str, *, in_cell: bool) -> str:
        """An ``li`` as one or more lines, between single newlines."""
        content = content.strip(" \n" + marks.BREAK)
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
        shown = lists.enumerator(number, counting.kind)
        begins = marks.remove(content[:_ENUMERATOR_CHARS])
        own = lists.says_itself(begins, shown) and counting.says_itself(element, counting.kind)
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
