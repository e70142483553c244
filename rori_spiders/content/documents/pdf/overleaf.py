"""Tables that go on over the end of a page: one table, in which a comment says where the next page begins.

A table goes on when it is the last of its page and the next one the first of the following page, both have the same
columns, the second no head of its own or the same again, and its first row had no room on the page before. A head that
is printed again is left out; what else stands between the two stays where it was, and then they are not put together.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.content.documents.pdf.page_marks import page_mark
from rori_spiders.content.documents.pdf.tables import NEAR, Rows, Table

if TYPE_CHECKING:
    from collections.abc import Collection

    from rori_spiders.content.documents.pdf.page_layout import Item, Page

# Columns of text are as wide as their text: one of their edges, or the middle, stands on one place.
_SAME = 4.0
# A row is kept whole, or with another, or with a line of space: so much more than its height may be left white.
_ROOM, _SPACE = 1.5, 14.0
# Lines of a foot below a table.
_FOOT = 3
_ENDS = re.compile(r"[.:;?!][\"”’)\]]*$")


def last_table(page: Page) -> Table | None:
    """The table that a page ends with, but for the lines of a foot."""
    return next((item for item in page.items[: -_FOOT - 2 : -1] if isinstance(item, Table)), None)


def join(pages: list[Page], running: Collection[int]) -> dict[int, int]:
    """Put the tables of *pages* together. *running*: ids of the heads and feet of pages that were left in the text.

    Returns the pages whose beginning stands in a table, with the characters of heads that were left out.
    """
    lowest = min((item.y for page in pages for item in page.items if id(item) not in running), default=0.0)
    begun: dict[int, int] = {}
    table: Table | None = None
    for page in pages:
        heads = next((at for at, item in enumerate(page.items) if id(item) not in running), len(page.items))
        first = page.items[heads] if heads < len(page.items) else None
        if table and isinstance(first, Table) and _goes_on(table, first, lowest):
            begun[page.number] = _append(table, first, page.number)
            page.items = [*page.items[:heads], *page.items[heads + 1 :]]
            if not page.items and not page.aside and not page.entries:
                continue
        table = _ending(page, running)
    return begun


def _ending(page: Page, running: Collection[int]) -> Table | None:
    """The table that a page ends with; running lines below it are put above, where they are on their own page still."""
    if page.aside or page.entries:
        return None
    feet: list[Item] = []
    for item in reversed(page.items):
        if isinstance(item, Table):
            at = len(page.items) - len(feet) - 1
            page.items = [*page.items[:at], *reversed(feet), item]
            return item
        if id(item) not in running:
            break
        feet.append(item)
    return None


def _goes_on(table: Table, after: Table, lowest: float) -> bool:
    last, first = (table.blocks or [""])[-1], (after.blocks or [""])[0]
    if not isinstance(last, Rows) or not isinstance(first, Rows) or not have_same_columns(table, after):
        return False
    head = next(block.head for block in table.blocks if isinstance(block, Rows))
    return first.head in ([], head) and table.y - lowest <= _ROOM * after.first + _SPACE


def have_same_columns(table: Table, other: Table) -> bool:
    """Whether the columns of two tables stand at the same places."""
    if not table.columns or len(table.columns) != len(other.columns) or table.is_ruled != other.is_ruled:
        return False
    for (left, right), (x0, x1) in zip(table.columns, other.columns, strict=True):
        steps = abs(left - x0), abs(right - x1), abs(left + right - x0 - x1) / 2
        if (max(steps) > NEAR) if table.is_ruled else (min(steps) > _SAME):
            return False
    return True


def _append(table: Table, after: Table, number: int) -> int:
    """Put *after*, of page *number*, below *table*; returns the characters of a head that is left out."""
    last, first, *rest = *table.blocks[-1:], *after.blocks
    if not isinstance(last, Rows) or not isinstance(first, Rows):
        raise TypeError("only rows go on in rows")
    again = first.head
    lines = first.lines
    if not again and not last.head and len(lines) > 1 and lines[0] == last.lines[0] and _is_label(lines[0]):
        again, lines = lines[0], lines[1:]
    mark = page_mark(number)
    if lines and last.lines and _is_rest(last.lines[-1], lines[0]):
        for at, text in enumerate(lines[0]):
            if text:
                space = "" if last.lines[-1][at].endswith("-") else " "
                last.lines[-1][at] += f"{space}{mark}{space}{text}"
        last.lines += lines[1:]
    else:
        last.lines += [[mark, *[""] * (len(table.columns) - 1)], *lines]
    table.blocks += rest
    table.y = after.y
    return sum(len(text.replace(" ", "")) for text in again)


def _is_label(row: list[str]) -> bool:
    return all(row) and not any(char.isdigit() for text in row for char in text)


def _is_rest(row: list[str], after: list[str]) -> bool:
    """Whether *after* is what had no room in the cells of *row*: sentences go on there, in small letters."""
    texts = [(text, more) for text, more in zip(row, after, strict=False) if more]
    return 0 < len(texts) < len(after) and all(
        text and more[0].islower() and not _ENDS.search(text) for text, more in texts
    )
