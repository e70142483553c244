"""GPOTABLE, GPO's table markup, as an HTML table: caption, header rows with their spans, row headings, cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lxml.etree import _Element


@dataclass
class _Head:
    """One column heading with those below it."""

    text: str
    below: list[_Head] = field(default_factory=list)

    @property
    def width(self) -> int:
        return sum(head.width for head in self.below) or 1

    @property
    def depth(self) -> int:
        return 1 + max((head.depth for head in self.below), default=0)


def table(gpotable: _Element, inline: Callable[[_Element], str]) -> str:
    """The HTML of *gpotable*; *inline* renders what is inside a cell."""
    captions = [inline(found) for found in gpotable.iterfind("*") if found.tag in {"TTITLE", "TDESC"}]
    caption = " ".join(text for text in captions if text)
    return "\n".join(
        [
            "<table>",
            *([f"<caption>{caption}</caption>"] if caption else []),
            "<thead>",
            *_header_rows(_heads(gpotable, inline)),
            "</thead>",
            "<tbody>",
            *(_row(row, inline) for row in gpotable.iterfind("ROW")),
            "</tbody>",
            "</table>",
        ]
    )


def _heads(gpotable: _Element, inline: Callable[[_Element], str]) -> list[_Head]:
    """The tree of headings: CHED's H is the level, 1 the uppermost."""
    top: list[_Head] = []
    levels: list[list[_Head]] = [top]
    for ched in gpotable.iterfind("BOXHD/CHED"):
        head = _Head(inline(ched))
        del levels[int(ched.get("H", "1")) :]
        levels[-1].append(head)
        levels.append(head.below)
    return top


def _header_rows(heads: list[_Head]) -> Iterator[str]:
    rows = max((head.depth for head in heads), default=0)
    for level in range(rows):
        cells = "".join(_header_cell(head, rows - level) for head in heads)
        yield f"<tr>{cells}</tr>"
        heads = [below for head in heads for below in head.below]


def _header_cell(head: _Head, rows_left: int) -> str:
    columns = f' colspan="{head.width}"' if head.width > 1 else ""
    rows = f' rowspan="{rows_left}"' if rows_left > 1 and not head.below else ""
    return f'<th scope="{"colgroup" if head.below else "col"}"{columns}{rows}>{head.text}</th>'


def _row(row: _Element, inline: Callable[[_Element], str]) -> str:
    cells = [inline(entry) for entry in row.iterfind("ENT")]
    return f'<tr><th scope="row">{cells[0]}</th>{"".join(f"<td>{cell}</td>" for cell in cells[1:])}</tr>'
