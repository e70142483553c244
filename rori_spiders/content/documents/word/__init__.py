"""Word files (.docx) to markdown: mammoth makes HTML of them, and our own HTML side makes markdown of that.

In: the bytes. Out: a `Document` of format ``markdown``. Before mammoth sees the file, what it would drop or change is
written out as text: numbering (`numbering`), tracked changes and hidden text (`runs`), formulas (`formulas`).
"""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import mammoth  # type: ignore[import-untyped]  # it ships no types
from lxml import etree

from rori_spiders.content import markdown, tree
from rori_spiders.content.documents.document import Document
from rori_spiders.content.documents.package import Package
from rori_spiders.content.documents.word import chunks, formulas, numbering, runs, slim
from rori_spiders.content.documents.word.page import arrange
from rori_spiders.content.documents.word.styles import Styles
from rori_spiders.content.documents.word.words import W

if TYPE_CHECKING:
    from lxml.etree import _Element

    from rori_spiders.exceptions import UnreadableDocument

# Elements that mammoth is to meet. 119,000, of paragraphs and tables, took 14 s and 212 MB on a busy core; a page is to
# take ten seconds at most, and a process for conversion 272 MB (workers/worker.py; measured 2026-11). A paragraph with
# two kinds of letters has seven elements: this is room for 11,000 of them.
MAX_ELEMENTS = 80_000
_TEXTS = ("footnotes", "endnotes")
# Parts that hold text for every page of paper, or for colleagues: left out, and said so.
_LEFT_OUT = {"header": "page_header", "footer": "page_footer", "comments": "comments"}


def read(body: bytes, *, url: str) -> Document:
    """The text of a Word file. Raises UnreadableDocument as `Package` does, and for a file without text."""
    package = Package(body, url, "Word file")
    main = package.main("word/document.xml")
    related = package.targets(main)
    targets = {kind: target for kind, target in related.values() if target in package.names}
    removed = [word for kind, word in _LEFT_OUT.items() if kind in targets and _has_text(package, targets[kind])]
    styles = Styles(package.xml(targets.get("styles", "")))
    document = package.xml(main)
    if document is None:
        raise package.unreadable(f"is broken: {main} is missing")
    files, unread = chunks.set_aside(document, related, package)
    removed += unread
    parts = _prepared(package, {main: document}, targets, styles, removed)
    root = tree.parse(f"<html><body>{_html(package, parts, styles)}</body></html>")
    chunks.put_back(root, files)
    title, links = arrange(root, url)
    text = markdown.render(root, base=url)
    if not text.strip():
        raise _without_text(package)
    return Document(
        text,
        "markdown",
        title=title or package.title() or _first_heading(text),
        language=package.language() or styles.language,
        metadata={**package.facts(), "kind": "docx"},
        links=links,
        removed=tuple(dict.fromkeys(removed)),
    )


def _prepared(
    package: Package, main: dict[str, _Element], targets: dict[str, str], styles: Styles, removed: list[str]
) -> dict[str, bytes]:
    """The parts that mammoth is to read, each parsed, cleaned and written anew."""
    numbers = package.xml(targets.get("numbering", ""))
    counting = numbering.Counting(numbers, styles)
    parts: dict[str, bytes] = {}
    left = 0
    for name in (*main, *(targets[kind] for kind in _TEXTS if kind in targets)):
        root = main[name] if name in main else package.xml(name)
        if root is None:
            raise package.unreadable(f"is broken: {name} is missing")
        formulas.write_out(root)
        removed += runs.write_out(root, styles)
        counting.write_out(root)
        left += slim.reduce(root)
        if left > MAX_ELEMENTS:
            raise package.unreadable(f"holds more than {MAX_ELEMENTS:,} elements; larger ones are not read")
        parts[name] = etree.tostring(root)
    if numbers is not None:
        numbering.only_bullets(numbers)
        parts[targets["numbering"]] = etree.tostring(numbers)
    return parts


def _html(package: Package, parts: dict[str, bytes], styles: Styles) -> str:
    """What mammoth makes of the prepared parts. Pictures are left out: it never gets them."""
    cleaned = io.BytesIO()
    with zipfile.ZipFile(cleaned, "w") as out:
        for name in sorted(package.names):
            if name in parts:
                out.writestr(name, parts[name])
            elif name.endswith((".rels", "styles.xml", "[Content_Types].xml")):
                root = package.xml(name)
                out.writestr(name, etree.tostring(root) if root is not None else b"")
    try:
        made = mammoth.convert_to_html(
            cleaned,
            style_map=styles.map(),
            include_embedded_style_map=False,
            convert_image=lambda image: [],
        )
    except RecursionError as error:
        raise package.unreadable("is nested too deeply") from error
    except (KeyError, IndexError, AttributeError, TypeError, ValueError, OSError) as error:
        raise package.unreadable(f"is broken ({type(error).__name__}: {error})") from error
    return str(made.value)


def _has_text(package: Package, name: str) -> bool:
    root = package.xml(name)
    return root is not None and any((text.text or "").strip() for text in root.iter(f"{W}t"))


def _first_heading(text: str) -> str | None:
    line = next((line for line in text.splitlines() if line.startswith("#")), "")
    return line.lstrip("#").strip() or None


def _without_text(package: Package) -> UnreadableDocument:
    return package.unreadable("holds no text")
