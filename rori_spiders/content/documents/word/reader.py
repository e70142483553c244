"""Word files (.docx) to markdown: mammoth makes HTML of them, and our own HTML side makes markdown of that.

In: the bytes. Out: a `Document` of format ``markdown``. Before mammoth sees the file, what it would drop or change is
written out as text: numbering (`numbering`), formulas (`runs`). Tracked changes are accepted, hidden text goes. Files
within a file (``w:altChunk``, ECMA-376 part 1, §17.17.2) stand where Word shows their text: HTML and plain text are
put in their place; of any other kind a note says that it was left out.
"""

import io
import re
import zipfile
from collections.abc import Mapping
from urllib.parse import urljoin

import mammoth  # type: ignore[import-untyped]  # it ships no types
from lxml import etree, html
from lxml.etree import _Element
from lxml.html import HtmlElement

from rori_spiders.content.documents.document import Document
from rori_spiders.content.documents.file_types import kind_of
from rori_spiders.content.documents.office_package import Package
from rori_spiders.content.documents.word import numbering, wordprocessingml
from rori_spiders.content.documents.word import runs as word_runs
from rori_spiders.content.documents.word.styles import Styles
from rori_spiders.content.documents.word.wordprocessingml import W, text_run
from rori_spiders.content.encoding import plain_text
from rori_spiders.content.html import tree
from rori_spiders.content.html.hidden import drop_unseen
from rori_spiders.content.markdown import renderer
from rori_spiders.exceptions import UnreadableDocument

# Elements that mammoth is to meet. 119,000, of paragraphs and tables, took 14 s and 212 MB on a busy core; a page is to
# take ten seconds at most, and a process for conversion 272 MB (workers/worker.py; measured 2026-11). A paragraph with
# two kinds of letters has seven elements: this is room for 11,000 of them.
MAX_ELEMENTS = 80_000
# Paragraphs and cells, which all stay; counted in the bytes, for parsing 600,000 of them took 10 s and 385 MB.
_BLOCK = re.compile(rb"<w:(?:p|tc)[ />]")
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
    if main in package.names and len(_BLOCK.findall(package.bytes(main))) > MAX_ELEMENTS:  # before it is parsed
        raise package.unreadable(f"holds more than {MAX_ELEMENTS:,} elements, the maximum")
    document = package.required_xml(main)
    files, unread = set_aside(document, related, package)
    removed += unread
    parts = _prepared(package, {main: document}, targets, styles, removed)
    root = tree.parse(f"<html><body>{_html(package, parts, styles)}</body></html>")
    put_back(root, files)
    title, links = arrange(root, url)
    text = renderer.render(root, base=url)
    if not text.strip():
        raise package.unreadable("holds no text")
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
        word_runs.write_formulas(root)
        removed += word_runs.write_runs(root, styles)
        counting.write_out(root)
        left += wordprocessingml.reduce(root)
        if left > MAX_ELEMENTS:
            raise package.unreadable(f"holds more than {MAX_ELEMENTS:,} elements, the maximum")
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


# The HTML that mammoth made, put in order: notes as notes, lists with their own numbers, links that lead somewhere.

_NOTE = re.compile(r"#?(?:footnote|endnote)(?:-ref)?-")
_COUNTED = re.compile(r"(\d{1,9})\.\Z")


def arrange(root: HtmlElement, url: str) -> tuple[str | None, tuple[str, ...]]:
    """Change the tree; the document's title, where it has one in that style, and its links."""
    _notes(root)
    _lists(root)
    for box in root.xpath("//input[@type='checkbox']"):
        box.tail = ("☐" if box.get("checked") is None else "☑") + (box.tail or "")
        box.drop_tag()
    found: dict[str, None] = {}
    for anchor in root.xpath("//a"):
        href = anchor.get("href") or ""
        if not href or href.startswith("#"):  # a place in the file: no address leads there
            anchor.drop_tag()
        elif (link := _absolute(href, url)).startswith(("http://", "https://")):
            found[link] = None
    titles = [" ".join(each.text_content().split()) for each in root.xpath("//h1[@class='title']")]
    return next((title for title in titles if title), None), tuple(found)


def _notes(root: HtmlElement) -> None:
    """A mark ``<sup>1</sup>`` in the text, and the note behind the text beginning with the same mark."""
    for anchor in root.xpath("//sup/a[@href]"):
        if _NOTE.match(anchor.get("href")):
            anchor.text = (anchor.text or "").strip("[]")
            for raised in anchor.getparent().iterancestors("sup"):  # the file says it, and mammoth does
                raised.drop_tag()
    for item in root.xpath("//li[@id]"):
        if not _NOTE.match(item.get("id")):
            continue
        number = item.getparent().index(item) + 1
        for back in item.xpath(".//a[starts-with(@href, '#footnote-ref-') or starts-with(@href, '#endnote-ref-')]"):
            back.drop_tree()
        mark = html.Element("sup")
        mark.text = str(number)
        first = item.find("p")
        holder = item if first is None else first
        mark.tail = " " + (holder.text or "").lstrip()
        holder.text = None
        holder.insert(0, mark)
        item.tag = "div"
        item.getparent().tag = "div"


def _lists(root: HtmlElement) -> None:
    """A list whose labels count 1., 2., 3. is one that markdown numbers; all others keep their labels as text.

    An item that holds only a list stands for a level that the file left out: its list takes its place.
    """
    for item in reversed(root.xpath("//li[count(*) = 1 and (ul or ol) and not(normalize-space(text()))]")):
        listed = item.getparent()
        at = listed.index(item)
        listed[at : at + 1] = list(item[0])
    for listed in root.xpath("//ul"):
        labels = [_label(item) for item in listed if item.tag == "li"]
        counted = [_COUNTED.match(label) for label in labels]
        numbers = [int(found[1]) for found in counted if found]
        if numbers and len(numbers) == len(labels) and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
            listed.tag = "ol"
            listed.set("start", str(numbers[0]))
            for item in listed.iterchildren("li"):
                item[0].drop_tree()  # the list says it now
    for label in root.xpath("//span[@class='enumerator']"):
        label.drop_tag()


def _label(item: HtmlElement) -> str:
    first = item[0] if len(item) and not (item.text or "").strip() else None
    is_label = first is not None and first.tag == "span" and first.get("class") == "enumerator"
    return (first.text or "").strip() if is_label and first is not None else ""


def _absolute(href: str, url: str) -> str:
    try:
        return urljoin(url, href)
    except ValueError:
        return ""


_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
#: Bytes of one; they are read beside the document, whose own bounds do not count them.
MAX_BYTES = 2_097_152

Chunks = dict[str, list["HtmlElement"]]


def set_aside(root: _Element, targets: Mapping[str, tuple[str, str]], package: Package) -> tuple[Chunks, list[str]]:
    """Leave a mark for each file in *root*; what is to stand at each mark, and ``embedded_files`` for what cannot."""
    chunks: Chunks = {}
    removed: list[str] = []
    for at, chunk in enumerate(list(root.iter(f"{W}altChunk"))):
        mark = f"\ue000{at}\ue001"
        blocks = _blocks(package, targets.get(chunk.get(_ID, ""), ("", ""))[1])
        if not blocks:
            removed.append("embedded_files")
        chunks[mark] = blocks
        holder = etree.Element(f"{W}p")
        holder.append(text_run(mark))
        chunk.getparent().replace(chunk, holder)  # type: ignore[union-attr]  # the root is the document
    return chunks, removed


def put_back(root: HtmlElement, chunks: Chunks) -> None:
    """Put the text of each file where its mark stands in *root*."""
    for holder in list(root.iter("p")) if chunks else ():
        blocks = chunks.get(holder.text_content())
        if blocks is not None:
            for block in blocks:
                holder.addprevious(block)
            tree.drop(holder)


def _blocks(package: Package, name: str) -> list[HtmlElement]:
    if name not in package.names or package.size(name) > MAX_BYTES:
        return []
    body = package.bytes(name)
    kind = kind_of(body, None)
    if kind == "text":
        return [_paragraph(part) for part in plain_text(body).split("\n\n") if part.strip()]
    if kind != "html":
        return []
    try:
        parsed = tree.parse(plain_text(body)).find("body")
    except UnreadableDocument:
        return []
    drop_unseen(parsed)
    whole = html.Element("div")
    whole.text = parsed.text
    whole.extend(list(parsed))
    return [whole]


def _paragraph(text: str) -> HtmlElement:
    made = html.Element("p")
    made.text = " ".join(text.split())
    return made
