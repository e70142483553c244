"""What a URL of www.ecfr.gov names: a title of the CFR, or something within one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable

#: From the top down, as the API orders and names them.
LEVELS = ("subtitle", "chapter", "subchapter", "part", "subpart", "section", "appendix")
_TEXTS = frozenset({"part", "subpart", "section", "appendix"})

_HUMAN = re.compile(r"/(?:current|on/(?P<date>\d{4}-\d{2}-\d{2}))/title-(?P<title>[1-9]\d?)(?P<rest>/.*)?")
_SEGMENT = re.compile(rf"({'|'.join(LEVELS)})-(.+)")
# The site as it was until 2021, and as it is still linked: pt12.9.1026, sp12.9.1026.c, se12.9.1026_132 (§ 1026.32).
_OLD = re.compile(
    r"(?P<kind>pt|sp|se)(?P<title>[1-9]\d?)\.[\d.]*?(?P<part>\d+)(?:\.(?P<subpart>[a-z]{1,2})|_1(?P<section>\d+))?"
)
_OLD_PATHS = frozenset({"/cgi-bin/text-idx", "/cgi-bin/retrieveECFR", "/cgi-bin/retrieveecfr"})


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the CFR. ``within``: levels below the title with their names, from the top down."""

    title: str
    within: tuple[tuple[str, str], ...] = ()
    date: str | None = None  # None: as it is now

    @property
    def has_text(self) -> bool:
        """Whether its page shows text; above a part it shows a table of contents."""
        return any(level in _TEXTS for level, _ in self.within)

    @property
    def number(self) -> str | None:
        """The number that its text must hold: of the section, else of the part."""
        named = dict(self.within)
        return named.get("section") or named.get("part")

    @property
    def root(self) -> str:
        """The path of the title's page."""
        return f"/on/{self.date}/title-{self.title}" if self.date else f"/current/title-{self.title}"


def place_of(url: str) -> Place | None:
    """What *url* names; None for pages that are no place in the CFR: searches, comparisons, lists of changes."""
    parts = urlsplit(url)
    if parts.path in _OLD_PATHS:
        return _old(parts.query)
    found = _HUMAN.fullmatch(parts.path)
    if found is None or parts.query not in {"", "toc=1"}:
        return None
    within = _within(segment for segment in (found["rest"] or "").split("/") if segment)
    return None if within is None else Place(found["title"], within, found["date"])


def _within(segments: Iterable[str]) -> tuple[tuple[str, str], ...] | None:
    named: dict[str, str] = {}
    group = False
    for segment in segments:
        if segment.startswith("subject-group-"):
            group = True  # a heading between sections, which the API does not know
            continue
        found = _SEGMENT.fullmatch(unquote(segment))
        if found is None or found[1] in named:
            return None
        named[found[1]] = found[2]
    if group and not {"section", "appendix"} & named.keys():
        return None
    if "section" in named and "part" not in named:  # the API asks for a section by its part
        part, point, _ = named["section"].partition(".")
        if not point:
            return None
        named["part"] = part
    if ("subpart" in named and "part" not in named) or ("appendix" in named and len(named) == 1):
        return None
    return tuple((level, named[level]) for level in LEVELS if level in named)


def _old(query: str) -> Place | None:
    said = parse_qs(query)
    node = (said.get("node") or said.get("n") or [""])[0]
    found = _OLD.fullmatch(node)
    if found is None:
        return None
    below = {"pt": None, "sp": found["subpart"], "se": found["section"]}
    within = [("part", found["part"])]
    if found["kind"] != "pt":
        if (name := below[found["kind"]]) is None:
            return None
        is_section = found["kind"] == "se"
        within.append(("section", f"{found['part']}.{name}") if is_section else ("subpart", name.upper()))
    elif found["subpart"] or found["section"]:
        return None
    return Place(found["title"], tuple(within))
