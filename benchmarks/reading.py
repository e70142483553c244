"""Markdown read back: to text, and to an HTML tree."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import lxml.html
from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin

from rori_spiders.content.dom_names import names

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from lxml.html import HtmlElement

_READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).use(deflist_plugin)
_BLOCKS = names(
    "address article blockquote br caption dd div dl dt footer h1 h2 h3 h4 h5 h6 header hr li main ol p pre section"
    " table tbody td th thead tr ul body"
)
_UNREAD = names("script style noscript template head")


def tree_of(markdown: str) -> HtmlElement:
    """What a reader of CommonMark with tables and definition lists shows of *markdown*."""
    return fragment(_READER.render(markdown))


def fragment(html: str) -> HtmlElement:
    return lxml.html.fragment_fromstring(html or " ", create_parent="div")


def text_of(element: HtmlElement) -> str:
    """The text of *element*, white space folded, a space where a block begins or ends."""
    out: list[str] = []
    waiting: list[tuple[str, HtmlElement | None]] = [("", element)]
    while waiting:
        text, inner = waiting.pop()
        out.append(text)
        if inner is None or not isinstance(inner.tag, str) or inner.tag in _UNREAD:
            continue
        edge = " " if inner.tag in _BLOCKS else ""
        out += [edge, inner.text or ""]
        waiting.append((edge, None))
        for child in reversed(inner):
            waiting += [(child.tail or "", None), ("", child)]
    return " ".join("".join(out).split())


def lines_of(path: Path, parser: argparse.ArgumentParser) -> list[str]:
    """The lines of a file of labels; what is no such file ends the program with a sentence."""
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        parser.error(f"{path} cannot be read as labels: {getattr(error, 'strerror', None) or error}")


def label_of(line: str, number: int, parser: argparse.ArgumentParser) -> dict[str, Any]:
    """One line of labels; what is none ends the program with a sentence."""
    try:
        label = json.loads(line)
    except ValueError as error:
        parser.error(f"line {number} is no label: {error}")
    if not isinstance(label, dict):
        parser.error(f"line {number} is no label: it is no JSON object")
    return label


def body_of(path: Path) -> bytes:
    """The bytes of a page, which may be gzipped."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
