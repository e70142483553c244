"""Tables of legal XML to pipe tables: GPOTABLE of the Government Publishing Office, HTML's own, RegML's.

Every cell's text stands in its row; a short cell that spans several rows is repeated in each, and so is a label over
several columns, so that no figure moves under another heading. Passages, and figures across columns, stand once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.content.documents.escaping import cell
from rori_spiders.content.markdown.tables import repeated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lxml import etree

    Text = Callable[[etree._Element], str]

# Spans beyond this are mistakes or attacks: the widest table of a year of the Federal Register has 22 columns.
_MAX_SPAN = 100


def pipe_table(head: list[str], rows: list[list[str]]) -> str:
    """A GFM table. Without a head the first row of cells stays empty: inventing one would give figures a meaning."""
    width = max([len(head), *(len(row) for row in rows)], default=0)
    if not width:
        return ""
    lines = [head, ["---"] * width, *rows]
    return "\n".join(
        "| " + " | ".join(cell(text) for text in line + [""] * (width - len(line))) + " |" for line in lines
    )


def gpo(table: etree._Element, text: Text) -> str:
    """GPOTABLE: ``CHED H="2"`` stands below the last ``H="1"``; ``ENT A="01"`` spans one column more."""
    rows: list[list[str]] = []
    for row in _named(table, "ROW"):
        cells: list[str] = []
        for entry in _named(row, "ENT"):
            words, further = text(entry), _span(entry.get("A"), default=0)
            cells += [words, *[repeated(words, may_state=False)] * further]
        rows.append(cells)
    return pipe_table(_gpo_head(table, text), rows)


def _gpo_head(table: etree._Element, text: Text) -> list[str]:
    heads = [(_span(head.get("H"), default=1), text(head)) for head in _named(table, "CHED")]
    columns: list[str] = []
    above: dict[int, str] = {}
    for index, (level, label) in enumerate(heads):
        above = {depth: name for depth, name in above.items() if depth < level} | {level: label}
        if index + 1 == len(heads) or heads[index + 1][0] <= level:
            columns.append(": ".join(above[depth] for depth in sorted(above) if above[depth]))
    return columns


def html(table: etree._Element, text: Text) -> str:
    """TABLE with TR, TH, TD in any case, spans filled."""
    grid: list[list[str]] = []
    carried: dict[int, tuple[int, str]] = {}  # column -> rows still to fill, text
    head: list[str] = []
    for row in _named(table, "TR"):
        cells = [child for child in row if _local(child) in ("TD", "TH")]
        line = _filled(cells, carried, text)
        if not grid and not head and cells and all(_local(child) == "TH" for child in cells):
            head = line
        else:
            grid.append(line)
    return pipe_table(head, grid)


def _filled(cells: list[etree._Element], carried: dict[int, tuple[int, str]], text: Text) -> list[str]:
    line: list[str] = []
    waiting = list(cells)
    while waiting or len(line) in carried:
        column = len(line)
        if column in carried:
            left, words = carried.pop(column)
            if left > 1:
                carried[column] = (left - 1, words)
            line.append(words)
            continue
        element = waiting.pop(0)
        words, down = text(element), _span(_attribute(element, "rowspan"), default=1)
        for place in range(_span(_attribute(element, "colspan"), default=1)):
            shown = words if place == 0 else repeated(words, may_state=_local(element) == "TH")
            if down > 1:
                carried[len(line)] = (down - 1, repeated(shown))
            line.append(shown)
    return line


def regml(table: etree._Element, text: Text) -> str:
    """RegML: rows of columns in a header, then rows of cells."""
    heads = [[text(column) for column in _named(row, "COLUMN")] for row in _named(table, "COLUMNHEADERROW")]
    rows = [[text(entry) for entry in _named(row, "CELL")] for row in _named(table, "ROW")]
    return pipe_table(heads[0] if heads else [], heads[1:] + rows)


def _named(element: etree._Element, name: str) -> Iterable[etree._Element]:
    return (child for child in element.iterdescendants() if _local(child) == name)


def _local(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2].upper()


def _attribute(element: etree._Element, name: str) -> str | None:
    return element.get(name) or element.get(name.upper())


def _span(value: str | None, *, default: int) -> int:
    return min(int(value), _MAX_SPAN) if value and value.isdecimal() and len(value) < 6 else default
