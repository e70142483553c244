"""What the attributes of XML say, where no vocabulary of the law says it: ``<rate date="2026-01-01">5.50</rate>``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.content.documents.escape import collapsed, escaped
from rori_spiders.content.documents.vocabulary import local, role
from rori_spiders.content.names import names

if TYPE_CHECKING:
    from lxml import etree

_OF_LAW = ("container", "section", "marked", "facts")
# Paragraphs' attributes are layout; a feed's links are links of the page.
_SILENT = frozenset({"P", "FP", "PARA", "LINK"})
# Of identity, looks and machinery.
_NOT_TOLD = names(
    "id idref guid uuid class style href src url xmlns lang version encoding"
    " ispermalink identifier temporalid role rel target width height align size"
    " colspan rowspan rend schemalocation nonamespaceschemalocation"
)


def silence(root: etree._Element) -> None:
    """Take from a document in a vocabulary of the law the attributes that are told of others: there they are layout.

    Elements of nothing but attributes keep them: what they say stands nowhere else.
    """
    if not any(role(element.tag) in _OF_LAW for element in root.iter()):
        return
    for element in root.iter():
        if is_empty(element) or not of(element) or any(role(above.tag) == "table" for above in element.iterancestors()):
            continue
        for name in _told(element):
            del element.attrib[name]


def of(element: etree._Element) -> str:
    """``date 2026-01-01, value 5.25``; "" for an element that the law's vocabularies know, or without such."""
    if role(element.tag) is not None or local(element.tag) in _SILENT:
        return ""
    return ", ".join(f"{escaped(name)} {escaped(collapsed(value))}" for name, value in _told(element).items())


def _told(element: etree._Element) -> dict[str, str]:
    given = {str(name): str(value).strip() for name, value in element.items()}
    return {name: value for name, value in given.items() if value and "}" not in name and name.lower() not in _NOT_TOLD}


def alone(element: etree._Element) -> str:
    """The same behind the element's name, which is then all there is to tell what it is: ``rate: value 5.25``."""
    said = of(element)
    return f"{escaped(str(element.tag).rpartition('}')[2])}: {said}" if said else ""


def is_empty(element: etree._Element) -> bool:
    return not len(element) and not (element.text or "").strip()
