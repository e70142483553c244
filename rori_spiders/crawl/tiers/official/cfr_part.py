"""A part of the CFR as it is organised: its sections and appendices, cut out of the part's XML, and their versions.

Steps: bytes in, bytes out. Each cut is what the API sent, byte for byte.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from urllib.parse import quote
from xml.parsers import expat  # it refuses entities, below

from rori_spiders.crawl.tiers.official.api import json_objects, parse_json_object

#: Values of the attribute TYPE, and the levels of a URL.
_CUT = {"SECTION": "section", "APPENDIX": "appendix"}
_PREFIX = re.compile(r"^(?:§+|part\b)\s*", re.IGNORECASE)
_RESERVED = re.compile(r"\[reserved\]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PartPlace:
    """A section or appendix. ``level``: as in URLs; ``name``: ``1024.5``, ``Appendix A to Part 1024``."""

    level: str
    name: str

    @property
    def key(self) -> tuple[str, str]:
        """What is the same for all spellings of its name."""
        return self.level, " ".join(self.name.casefold().split())

    def url(self, part_url: str) -> str:
        """Its address below that of its part."""
        return f"{part_url.rstrip('/')}/{self.level}-{quote(self.name, safe='()')}"


@dataclass(frozen=True, slots=True)
class PartText:
    """``front``: what stands outside of sections and appendices. ``words``: all of it, without markup."""

    front: bytes
    sections: Mapping[PartPlace, bytes]
    words: str


def split_part(body: bytes, part: str) -> PartText:
    """Cut the XML of *part* into its sections and appendices.

    Raises ValueError for XML that is broken off or not well-formed, and for that of another part.
    """
    cutter = _Cutter(body, part)
    try:
        cutter.parser.Parse(body, True)  # it is expat's own signature
    except expat.ExpatError as error:
        raise ValueError(f"the XML of part {part} breaks off or is not well-formed: {error}") from error
    if cutter.whole is None:
        raise ValueError(f"the API's response does not contain part {part}")
    start, end = cutter.whole
    head = body[: cutter.root]
    front_pieces, at = [], start
    for first, last in sorted(cutter.cuts.values()):
        front_pieces.append(body[at:first])
        at = last
    front = head + b"".join(front_pieces) + body[at:end]
    cuts = {place: head + body[first:last] for place, (first, last) in cutter.cuts.items()}
    return PartText(front, cuts, " ".join("".join(cutter.words).split()))


class _Cutter:
    """Notes where elements begin and end. A second one of the same name stays where it is, in the front."""

    def __init__(self, body: bytes, part: str) -> None:
        self.root: int | None = None
        self.whole: tuple[int, int] | None = None
        self.cuts: dict[PartPlace, tuple[int, int]] = {}
        self.words: list[str] = []
        self._body, self._part = body, part
        self._depth = 0
        self._open: list[tuple[int, int, PartPlace | None]] = []  # depth, first byte, what it is; None: the part
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = self._refuse

    def _start(self, _tag: str, attributes: dict[str, str]) -> None:
        at = self.parser.CurrentByteIndex
        if self.root is None:
            self.root = at
        self._depth += 1
        kind, name = attributes.get("TYPE", ""), " ".join(_PREFIX.sub("", attributes.get("N", "").strip()).split())
        if not self._open:
            if self.whole is None and kind == "PART" and name == self._part:
                self._open.append((self._depth, at, None))
        elif len(self._open) == 1 and kind in _CUT and name:
            place = PartPlace(_CUT[kind], name)
            if place not in self.cuts:
                self._open.append((self._depth, at, place))

    def _end(self, _tag: str) -> None:
        if self._open and self._open[-1][0] == self._depth:
            _, first, place = self._open.pop()
            at = self.parser.CurrentByteIndex
            # Of an empty element expat names the end of its only tag.
            last = self._body.index(b">", at) + 1 if self._body.startswith(b"</", at) else at
            if place is None:
                self.whole = (first, last)
            else:
                self.cuts[place] = (first, last)
        self._depth -= 1

    def _text(self, text: str) -> None:
        if self._open:
            self.words.append(text)

    def _refuse(self, name: str, *_: object) -> None:
        raise ValueError(f"the XML declares an entity: {name[:40]}")


@dataclass(frozen=True, slots=True)
class SectionVersion:
    """The newest version of a section: its days, ``YYYY-MM-DD`` or None."""

    amended: str | None = None
    effective: str | None = None
    issued: str | None = None


@dataclass(frozen=True, slots=True)
class PartVersions:
    """What the API says of a part's versions.

    ``state_id`` changes with any version; "" where the answer does not name all of them. ``current`` has the sections
    and appendices that are there now, by their keys; ``places`` their names, but for reserved ones.
    """

    state_id: str = ""
    issued: str = ""  # the newest issue
    current: Mapping[tuple[str, str], SectionVersion] = field(default_factory=dict)
    places: tuple[PartPlace, ...] = ()


def parse_versions(answer: bytes) -> PartVersions:
    """Raises ValueError for what is not a list of versions."""
    read = parse_json_object(answer)
    if not isinstance(read.get("content_versions"), list):
        raise ValueError("the API's response is not a list of versions")  # noqa: TRY004  # it is a value of the server
    entries = json_objects(read["content_versions"])
    newest: dict[tuple[str, str], tuple[tuple[str, str], PartPlace, dict[str, Any]]] = {}
    for one in entries:
        level = str(one.get("type") or "section")
        place = PartPlace(level, " ".join(_PREFIX.sub("", str(one.get("identifier") or "").strip()).split()))
        order = (str(one.get("issue_date") or ""), str(one.get("date") or ""))
        if place.name and (place.key not in newest or order >= newest[place.key][0]):
            newest[place.key] = (order, place, one)
    current = {key: found for key, found in newest.items() if not found[2].get("removed")}
    return PartVersions(
        state_id=_state_id(entries, read.get("meta")),
        issued=max((order[0] for order, _, _ in newest.values()), default=""),
        current={key: _section_version(one) for key, (_, _, one) in current.items()},
        places=tuple(place for _, place, one in current.values() if not _RESERVED.search(str(one.get("name") or ""))),
    )


def _section_version(one: Mapping[str, Any]) -> SectionVersion:
    amended, effective, issued = (one.get(name) or None for name in ("amendment_date", "date", "issue_date"))
    return SectionVersion(amended, effective or amended, issued)


def _state_id(entries: list[dict[str, Any]], meta: object) -> str:
    """The API gives a thousand versions at once: where there are more, nothing says that none is new."""
    fields = meta if isinstance(meta, dict) else {}
    count = str(fields.get("result_count") or len(entries))
    if not entries or not count.isdecimal() or int(count) > len(entries):
        return ""
    names = ("type", "identifier", "date", "amendment_date", "issue_date", "removed")
    facts = sorted(repr([one.get(name) for name in names]) for one in entries)
    return sha256("\n".join(facts).encode()).hexdigest()[:32]
