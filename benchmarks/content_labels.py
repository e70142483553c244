"""Labelled pages: what must be kept, what is boilerplate. `python -m benchmarks.content_labels LABELS.jsonl FOLDER`.

A label: ``file`` (its name, in FOLDER or a folder below it), ``url``, ``keep`` and ``drop`` (phrases), ``headings``
([level, text]), ``cells`` ([text in its row or over its column, text]), ``enumerators`` (text with its marker, or
``type``, ``index`` and ``text`` of a list's item), ``links`` ([text, address]). Markdown is read back and searched;
quotes, dashes and white space are made one kind. Each figure is the mean over the pages that have such labels. ``-v``
lists what was missed.
"""

from __future__ import annotations

import argparse
import re
import statistics
import unicodedata
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urljoin

from benchmarks.reading import body_of, label_of, lines_of, text_of, tree_of
from rori_spiders.content.convert import convert
from rori_spiders.content.markdown.lists import enumerator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lxml.html import HtmlElement

_UNKNOWN = "https://unknown.invalid/"
_FOLDED = str.maketrans("‘’‚‛′`´“”„‟″«»‐‑‒–—―−", "''''''' \"\"\"\"\"\"\"-------".replace(" ", ""))
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_KINDS = ("keep", "drop", "headings", "cells", "enumerators", "links")


class Read(NamedTuple):
    """A page's markdown, read back. ``numbered`` has the numbers of ordered lists, ``text`` has none."""

    text: str
    numbered: str
    headings: set[tuple[int, str]]
    rows: list[list[list[str]]]
    links: set[tuple[str, str]]


def folded(text: str) -> str:
    return " ".join(_UNSEEN.sub("", unicodedata.normalize("NFKC", text)).translate(_FOLDED).split())


def read(markdown: str, url: str) -> Read:
    root = tree_of(markdown)
    text = folded(text_of(root))
    headings = {(int(one.tag[1]), folded(text_of(one))) for one in root.iter("h1", "h2", "h3", "h4", "h5", "h6")}
    rows = [[[folded(text_of(cell)) for cell in row] for row in table.iter("tr")] for table in root.iter("table")]
    links = {(folded(text_of(one)), _address(one.get("href") or "", url)) for one in root.iter("a")}
    return Read(text, folded(text_of(_with_numbers(root))), headings, rows, links)


def _with_numbers(root: HtmlElement) -> HtmlElement:
    for ordered in root.iter("ol"):
        for number, item in enumerate(ordered.iterchildren("li"), int(ordered.get("start") or 1)):
            item.text = f"{number}. {item.text or ''}"
    return root


def _address(href: str, url: str) -> str:
    return unquote(urljoin(url or _UNKNOWN, href.strip())).partition("#")[0].rstrip("/")


def found(label: dict[str, Any], page: Read) -> dict[str, list[tuple[Any, bool]]]:
    """Each label of a page by its kind, and whether the page has it."""
    url = label.get("url") or ""
    checks: dict[str, Callable[[Any], bool]] = {
        "keep": lambda said: _says(page, said),
        "drop": lambda said: _says(page, said),
        "headings": lambda head: (head[0], folded(head[1])) in page.headings,
        "cells": lambda cell: _has_cell(page, *map(folded, cell)),
        "enumerators": lambda item: _has_enumerator(page, item),
        "links": lambda link: (folded(link[0]), _address(link[1], url)) in page.links,
    }
    return {kind: [(one, checks[kind](one)) for one in label[kind]] for kind in _KINDS}


def _says(page: Read, said: str) -> bool:
    return folded(said) in page.text or folded(said) in page.numbered


def _has_cell(page: Read, beside: str, said: str) -> bool:
    return any(_in_row(table, beside, said) or _below(table, beside, said) for table in page.rows)


def _in_row(table: list[list[str]], beside: str, said: str) -> bool:
    return any(any(beside in cell for cell in row) and any(said in cell for cell in row) for row in table)


def _below(table: list[list[str]], over: str, said: str) -> bool:
    columns = {column for row in table[:2] for column, cell in enumerate(row) if over and over in cell}
    return any(said in row[column] for row in table[1:] for column in columns if column < len(row))


def _has_enumerator(page: Read, item: str | dict[str, Any]) -> bool:
    if isinstance(item, str):
        return _says(page, item)
    shown = enumerator(item["index"], item["type"])
    ways = (f"{shown}. ", f"{shown}) ", f"({shown}) ")
    pattern = r"(?<![\w.])(?:" + "|".join(map(re.escape, ways)) + ")" + re.escape(folded(item["text"]))
    return any(re.search(pattern, text) for text in (page.text, page.numbered))


def scores(pages: Iterable[dict[str, list[tuple[Any, bool]]]]) -> dict[str, list[float]]:
    of_kind: dict[str, list[float]] = defaultdict(list)
    for page in pages:
        for kind, labels in page.items():
            if labels:
                of_kind[kind].append(sum(is_there for _, is_there in labels) / len(labels))
    return of_kind


def path_of(folder: Path, name: str) -> Path | None:
    """The page in *folder*, else the first of that name below it; None where there is none."""
    path = folder / name
    return path if path.exists() else next(iter(sorted(folder.rglob(Path(name).name))), None)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.content_labels", description=__doc__)
    parser.add_argument("labels", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="list what was missed, and what boilerplate was kept"
    )
    given = parser.parse_args(arguments)
    pages = []
    for number, line in enumerate(lines_of(given.labels, parser), 1):
        label = label_of(line, number, parser)
        if not label.keys() >= {"file", *_KINDS}:
            parser.error(f"line {number} is no labelled page: it needs file, {', '.join(_KINDS)}")
        url = label.get("url") or _UNKNOWN
        path = path_of(given.folder, label["file"])
        if path is None:
            parser.error(f"line {number}: {label['file']} is neither in {given.folder} nor in a folder below it")
        try:
            body = body_of(path)
        except OSError as error:
            parser.error(f"line {number}: {path} cannot be read: {error.strerror or error}")
        pages.append(found(label, read(convert(body, url=url).markdown, url)))
        missed = [(kind, one) for kind, all_ in pages[-1].items() for one, there in all_ if there == (kind == "drop")]
        if given.verbose:
            print(*(f"{label['file']}: {kind}: {one}" for kind, one in missed), sep="\n")
    if not pages:
        parser.error(f"{given.labels} holds no labels")
    of_kind = scores(pages)
    print(f"{len(pages)} pages; under 0.97 of their phrases: {sum(share < 0.97 for share in of_kind['keep'])}")
    for kind in _KINDS:
        if of_kind[kind]:
            print(f"  {kind:12} {statistics.fmean(of_kind[kind]):.3f} on {len(of_kind[kind])} pages")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
