"""XML to markdown: the law's own vocabularies to headings, paragraphs and tables, any other to readable text.

In: bytes. Out: a `Document`.
"""

import re
from collections.abc import Iterable
from urllib.parse import urljoin

from lxml import etree

from rori_spiders.content.documents.document import Document
from rori_spiders.content.documents.xml import legal_text, parser
from rori_spiders.content.documents.xml.vocabulary import local
from rori_spiders.exceptions import UnreadableDocument


def read(body: bytes, *, url: str) -> Document:
    """Any XML document as markdown; every word of its text nodes stands in it.

    Raises UnreadableDocument as `xml_parser.parse` does, and for a document without text.
    """
    root = parser.parse(body, url=url)
    markdown = legal_text.to_markdown(root, base=url)
    if not markdown.strip():
        raise UnreadableDocument(f"{url}: the XML document holds no text")
    title = title_of(root)
    return Document(
        markdown,
        "markdown",
        title=title,
        language=language(root),
        metadata=metadata(root),
        links=links(root, url),
    )


# What an XML document says about itself: title, dates, agency, identifier, links.

# Where each vocabulary keeps a fact, best first. A path is a chain of tags; the first element with text wins.
_TITLES = (
    ("PREAMB", "SUBJECT"),
    ("PART", "HD"),
    ("FDSYS", "TITLE"),
    ("TITLESTMT", "TITLE"),
    ("DIV1", "HEAD"),
    ("DIV5", "HEAD"),
    ("DIV6", "HEAD"),
    ("DIV8", "HEAD"),
    ("DIV9", "HEAD"),
    ("CHANNEL", "TITLE"),
    ("FEED", "TITLE"),
    ("SECTION", "SUBJECT"),
    ("TITLE-TEXT",),
)
_FACTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "agency": (("PREAMB", "AGENCY"), ("PREAMBLE", "AGENCY")),
    "identifier": (("FRDOC",), ("PREAMBLE", "DOCUMENTNUMBER"), ("FDSYS", "GRANULENUM")),
    "published_date": (("FDSYS", "ORIGINALDATE"),),
    "modified_date": (("FDSYS", "DATE"), ("AMDDATE",)),
}
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
_LINKING = ("href", "url", "src")


def title_of(root: etree._Element) -> str | None:
    return _first(root, _TITLES)


def language(root: etree._Element) -> str | None:
    return root.get("{http://www.w3.org/XML/1998/namespace}lang") or root.get("lang")


def metadata(root: etree._Element) -> dict[str, str]:
    """The facts that were found; ``kind`` is the name of the root element."""
    facts = {"kind": local(root.tag).lower()}
    for name, paths in _FACTS.items():
        value = _first(root, paths)
        if value and name.endswith("_date"):
            iso = _ISO.search(value)
            value = iso[0] if iso else None
        if value:
            facts[name] = value[:500]
    return facts


def links(root: etree._Element, url: str) -> tuple[str, ...]:
    """Web addresses in attributes and in elements made for them (``loc``, ``url``, ``link``)."""
    found: dict[str, None] = {}
    for element in root.iter():
        values = [element.get(name) for name in _LINKING]
        if local(element.tag) in ("LOC", "URL", "LINK", "FEDERALREGISTERURL") and not len(element):
            values.append((element.text or "").strip())
        for value in values:
            if value and not value.startswith("#") and (link := _absolute(url, value)):
                found[link] = None
    return tuple(found)


def _absolute(url: str, value: str) -> str | None:
    try:
        link = urljoin(url, value.strip())
    except ValueError:  # "http://[" and the like
        return None
    return link if link.startswith(("http://", "https://")) else None


def _first(root: etree._Element, paths: Iterable[tuple[str, ...]]) -> str | None:
    for path in paths:
        for element in root.iter():
            if local(element.tag) == path[-1] and _under(element, path[:-1]):
                words = " ".join("".join(str(part) for part in element.itertext()).split())
                if words:
                    return words
    return None


def _under(element: etree._Element, path: tuple[str, ...]) -> bool:
    if not path:
        return True
    parent = element.getparent()
    return parent is not None and local(parent.tag) == path[-1]
