"""The HTML that mammoth made, put in order: notes as notes, lists with their own numbers, links that lead somewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from lxml import html

if TYPE_CHECKING:
    from lxml.html import HtmlElement

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
