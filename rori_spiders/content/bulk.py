"""Very large tables, of which only the first rows are looked at for what hides, changes by itself or is furniture.

A register of 100,000 rows is one thing; to weigh each of its cells takes longer than all else. The rows beyond the
first few hundred are set aside, and put back before markdown is written: from the tree, straight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# Rows left to tell by what the table is. No menu or layout of 2,633 measured pages had as many.
_KEPT_ROWS = 500
_LARGE = 2000
_GROUPS = ("table", "tbody")


class Aside(NamedTuple):
    """Rows that were taken out of the end of ``group``, in ``rows``."""

    group: HtmlElement
    rows: HtmlElement


def set_aside(root: HtmlElement) -> list[Aside]:
    """Take all but the first rows out of the very large tables of *root*."""
    found = []
    for group in list(root.iter(*_GROUPS)):
        if len(group) > _LARGE:
            rows = group.makeelement("tbody")
            rows.extend(group[_KEPT_ROWS:])
            found.append(Aside(group, rows))
    return found


def put_back(asides: list[Aside]) -> None:
    """Give the tables their rows back; those that were taken out of the page keep what they have."""
    for group, rows in asides:
        group.extend(rows)
