"""What structure survives a round trip: `python -m benchmarks.content_structure FOLDER [--glob PATTERN] [--worst N]`.

Each page is written as markdown whole, read back (CommonMark with tables and definition lists), and compared: the text
by four words in a row, the structure by kinds of node that the page has (headings by level, items by depth and kind of
list, cells by row and column with spans filled, links by address, marks, quotes, terms, code). The score of a page is
the square root of both F1 multiplied. Paragraphs are counted apart: pages whose text stands in ``div`` and ``td`` read
back as paragraphs.
"""

from __future__ import annotations

import argparse
import statistics
from collections import Counter, defaultdict
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from benchmarks.content_articles import f1, shingles
from benchmarks.reading import body_of, text_of, tree_of
from rori_spiders.content.encoding import decode
from rori_spiders.content.html import tree
from rori_spiders.content.html.hidden import drop_unseen
from rori_spiders.content.markdown.renderer import render

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

_BASE = "https://www.example.org/folder/"
_LISTS = ("ul", "ol")
_LARGEST = 300_000
_SAME = {"b": "strong", "i": "em"}
_HEADINGS = {f"h{level}" for level in range(1, 7)}
# What is bold already: markdown has no second mark there.
_HEADED = {"b": ("strong", *_HEADINGS, "th"), "strong": ("b", *_HEADINGS, "th"), "i": ("em",), "em": ("i",)}
_PLAIN = {"strong", "em", "b", "i", "sup", "sub", "blockquote", "pre", "dt", "dd"}
_UNREAD = ("script", "style", "noscript", "template", "button", "select", "textarea", "svg", "iframe", "object")

Node = TypeVar("Node", bound="tuple[object, ...]")
Nodes = dict[str, Counter[tuple[object, ...]]]


class Scored(NamedTuple):
    name: str
    score: float
    kinds: dict[str, float]


def nodes(root: HtmlElement) -> Nodes:
    found: Nodes = defaultdict(Counter)
    for element in root.iter():
        for kind, node in _of(element):
            found[kind][node] += 1
    return found


def _of(element: HtmlElement) -> Iterator[tuple[str, tuple[object, ...]]]:
    tag = element.tag if isinstance(element.tag, str) else ""
    if tag == "table":
        yield from (("cell", cell) for cell in _cells(element))
        return
    said = text_of(element) if tag in _HEADINGS | _PLAIN | {"li", "a", "p"} else ""
    if not said:
        return
    if tag in _HEADINGS:
        yield "heading", (tag, said)
    elif tag == "li":
        above = [one.tag for one in element.iterancestors(*_LISTS)]
        own = deepcopy(element)
        for inner in list(own.iter(*_LISTS)):
            inner.drop_tree()
        yield "item", (len(above), above[0] if above else "ul", text_of(own))
    elif tag == "a" and element.get("href"):
        yield "link", (element.get("href"), said)
    elif tag in _PLAIN and next(element.iterancestors(tag, *_HEADED.get(tag, ())), None) is None:
        yield _SAME.get(tag, tag), (said,)
    elif tag == "p" and next(element.iterancestors("li", "td", "th", "dd", "dt"), None) is None:
        yield "paragraph", (said,)


def _cells(table: HtmlElement) -> Iterator[tuple[int, int, str]]:
    """Row, column and text of the cells of a table of data without tables in it."""
    if table.find(".//table") is not None or next(table.iterancestors("table"), None) is not None:
        return
    taken: set[tuple[int, int]] = set()
    cells = []
    for at, row in enumerate(table.iter("tr")):
        column = 0
        for cell in row.iterchildren("td", "th"):
            while (at, column) in taken:
                column += 1
            across, down = _span(cell, "colspan"), _span(cell, "rowspan")
            taken |= {(at + y, column + x) for y in range(down) for x in range(across)}
            if said := text_of(cell):
                cells.append((at, column, said))
            column += across
    full = {at: number for number, at in enumerate(sorted({at for at, _, _ in cells}))}
    if len(full) > 1 and any(column for _, column, _ in cells):
        yield from ((full[at], column, said) for at, column, said in cells)


def _span(cell: HtmlElement, name: str) -> int:
    given = cell.get(name) or ""
    return min(200, int(given)) if given.isdecimal() and int(given) else 1


def scored(path: Path) -> Scored:
    root = tree.parse(decode(body_of(path)).text)
    root.make_links_absolute(_BASE, resolve_base_href=False, handle_failures="ignore")
    drop_unseen(root)
    body = root.find("body")
    for unread in list(body.iter(*_UNREAD)):
        unread.drop_tree()
    wanted, said = nodes(body), shingles(text_of(body))
    read = tree_of(render(body))
    given, again = nodes(read), shingles(text_of(read))
    kinds = {kind: _f1(wanted[kind], given.get(kind, Counter())) for kind in wanted}
    structure = statistics.fmean(kinds.values()) if kinds else 1.0
    return Scored(path.name, (_f1(said, again) * structure) ** 0.5, kinds)


def _f1(wanted: Counter[Node], given: Counter[Node]) -> float:
    right = (wanted & given).total()
    return f1(right / max(1, given.total()), right / max(1, wanted.total()))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.content_structure", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--glob", default="*.html*", help="which files (default: *.html*)")
    parser.add_argument("--worst", type=int, default=0, help="list so many of the worst pages")
    given = parser.parse_args(arguments)
    paths = [path for path in sorted(given.folder.glob(given.glob)) if len(body_of(path)) <= _LARGEST]
    if not paths:
        parser.error(f"no {given.glob} of at most {_LARGEST:,} bytes in {given.folder}")
    pages = [scored(path) for path in paths]
    print(f"{len(pages)} pages: {statistics.fmean(page.score for page in pages):.3f}")
    for kind in sorted({kind for page in pages for kind in page.kinds}):
        of_kind = [page.kinds[kind] for page in pages if kind in page.kinds]
        print(f"  {kind:12} {statistics.fmean(of_kind):.3f} on {len(of_kind)} pages")
    for page in sorted(pages, key=lambda page: page.score)[: given.worst]:
        poor = {kind: round(value, 2) for kind, value in page.kinds.items() if value < 0.97}
        print(f"  {page.score:.3f} {page.name} {poor}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
