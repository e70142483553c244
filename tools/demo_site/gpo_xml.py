"""Reads GPO's XML: CFR parts into sections and appendices, Federal Register documents into their heads and bodies."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from lxml.etree import _Element

_SOURCES = Path(__file__).parent / "sources"


@dataclass(frozen=True)
class Leaf:
    """One section or appendix of a part: what gets a page of its own."""

    key: str  # last segment of its URL: 103, a
    label: str  # § 1007.103, Appendix A to Part 1007
    subject: str
    body: tuple[_Element, ...]

    @property
    def heading(self) -> str:
        return f"{self.label} {self.subject}" if self.label.startswith("§") else f"{self.label}—{self.subject}"


@dataclass(frozen=True)
class Part:
    """One part of the CFR, annual edition."""

    number: str
    authority: str
    source: str
    leaves: tuple[Leaf, ...]

    def leaf(self, key: str) -> Leaf:
        return next(leaf for leaf in self.leaves if leaf.key == key)


@dataclass(frozen=True)
class Document:
    """One Federal Register document. `dates` is its DATES paragraph."""

    number: str
    agency: str
    cfr: str
    subject: str
    action: str
    summary: str
    root: _Element


def read_source(name: str) -> bytes:
    """The unpacked bytes of a source file, by its name without `.xml.gz`."""
    return gzip.decompress((_SOURCES / f"{name}.xml.gz").read_bytes())


def read_part(name: str) -> Part:
    root = _parse_source(name)
    number = text_at(root, ".//FDSYS/GRANULENUM")
    leaves = [*map(_read_section, root.iterfind(".//SECTION")), *map(_read_appendix, root.iterfind(".//APPENDIX"))]
    return Part(number, text_at(root, ".//PART/AUTH/P"), text_at(root, ".//PART/SOURCE/P"), tuple(leaves))


def read_document(name: str) -> Document:
    root = _parse_source(name)
    return Document(
        number=name.removeprefix("FR-"),
        agency=text_at(root, "PREAMB/AGENCY"),
        cfr=text_at(root, "PREAMB/CFR"),
        subject=text_at(root, "PREAMB/SUBJECT"),
        action=text_at(root, "PREAMB/ACT/P"),
        summary=text_at(root, "PREAMB/SUM/P"),
        root=root,
    )


def text_at(root: _Element, path: str) -> str:
    """The text of the first element at *path*, white space folded; "" without one."""
    found = root.find(path)
    return "" if found is None else text_of(found)


def text_of(element: _Element) -> str:
    """All text inside *element*, white space folded."""
    return " ".join("".join(map(str, element.itertext())).split())


def _parse_source(name: str) -> _Element:
    return etree.fromstring(read_source(name), etree.XMLParser(resolve_entities=False, no_network=True))


def _read_section(section: _Element) -> Leaf:
    label = text_at(section, "SECTNO").replace("§ ", "§ ")
    body = tuple(child for child in section if child.tag not in {"SECTNO", "SUBJECT"})
    return Leaf(label.rpartition(".")[2], label, text_at(section, "SUBJECT"), body)


def _read_appendix(appendix: _Element) -> Leaf:
    label, _, subject = text_at(appendix, "HD").partition("—")
    body = tuple(child for child in appendix if child is not appendix.find("HD"))
    return Leaf(label.split()[1].lower(), label, subject, body)
