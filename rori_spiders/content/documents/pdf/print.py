"""The print of a document: the size of its body, and the sizes and the weight that stand out from it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rori_spiders.content.documents.pdf.lines import Line

if TYPE_CHECKING:
    from rori_spiders.content.documents.pdf.page import Page

# Print shops set headings from 1.2 times the body's size on; below 1.15 a difference is a change of font.
_LARGER = 1.15
# More of a document than this cannot be headings: it is a poster, or its body has two sizes. Bold is used for more.
_LARGE_SHARE, _BOLD_SHARE = 0.25, 0.15
# Characters of which the body must have so many to be one: some four lines.
_LEAST_BODY = 300


class Print:
    """The sizes of a document's print: of its body, and of what is larger."""

    def __init__(self, pages: list[Page]) -> None:
        chars: Counter[float] = Counter()
        bold = total = 0
        for page in pages:
            for line in lines_of(page):
                chars[rounded(line.size)] += len(line.text)
                bold += len(line.text) * line.bold
                total += len(line.text)
        self.body = max(chars, key=lambda size: (chars[size], -size), default=0.0)
        larger = {size: count for size, count in chars.items() if size >= _LARGER * self.body}
        has_body = chars[self.body] >= _LEAST_BODY
        self.larger = sorted(larger, reverse=True) if has_body and sum(larger.values()) <= _LARGE_SHARE * total else []
        self.bold_tells = has_body and bold <= _BOLD_SHARE * total


def rounded(size: float) -> float:
    """Half points: the same print differs by less from page to page."""
    return round(size * 2) / 2


def lines_of(page: Page) -> list[Line]:
    """The lines of a page, tables left out."""
    return [item for item in page.items if isinstance(item, Line)]
