"""A publisher's directives for users of a page: no indexing, no archiving, no training.

Recorded with the page, and no reason not to collect it. Said in robots.txt (`Content-Signal`), in headers
(`X-Robots-Tag`, `Content-Signal`, `TDM-Reservation`) and in meta elements (`robots`, our token, `tdm-reservation`).
Sources: RFC 9309, contentsignals.org, the TDM Reservation Protocol (W3C community group), and what search engines
document of the others.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from lxml.html import HtmlElement

from rori_spiders import ROBOTS_TOKEN

#: Words of X-Robots-Tag and of the robots meta that say what may become of the text.
DIRECTIVES = frozenset({"noindex", "none", "noarchive", "nosnippet", "noimageindex", "noai", "noimageai"})
#: Headers, meta elements and records whose value is the signal.
VALUED = ("content-signal", "tdm-reservation", "tdm-policy")

_OURS = ROBOTS_TOKEN.lower()
_TOKEN = re.compile(r"[a-z_-]+")
# What stands before a colon in an X-Robots-Tag is the name of a robot, but for these.
_WITH_VALUES = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})


class Signal(NamedTuple):
    """One wish: its name in lower case, its value as written (None for a bare word), and where it stands."""

    signal: str
    value: str | None
    source: str  # robots.txt | header | meta


def in_page(root: HtmlElement) -> tuple[Signal, ...]:
    """The signals of a page's meta elements, those for every robot and those for us."""
    found: dict[Signal, None] = {}
    for meta in root.iter("meta"):
        name, content = (meta.get("name") or "").strip().lower(), " ".join((meta.get("content") or "").split())
        if name in {"robots", _OURS}:
            found.update(dict.fromkeys(_directives(content, "meta")))
        elif name in VALUED and content:
            found[Signal(name, content, "meta")] = None
    return tuple(found)


def in_headers(headers: Mapping[str, Iterable[str]]) -> tuple[Signal, ...]:
    """The signals of a response's headers; an X-Robots-Tag for another robot gives none."""
    found: dict[Signal, None] = {}
    for line in _values(headers, "x-robots-tag"):
        found.update(dict.fromkeys(_for_us(line)))
    for name in VALUED:
        if value := ", ".join(_values(headers, name)):
            found[Signal(name, value, "header")] = None
    return tuple(found)


def in_robots(content_signal: str | None) -> tuple[Signal, ...]:
    """The signal of a robots.txt, by its Content-Signal record."""
    return (Signal("content-signal", content_signal, "robots.txt"),) if content_signal else ()


def x_robots_tag(headers: Mapping[str, Iterable[str]]) -> str | None:
    """The X-Robots-Tag as received, for whomever; of several headers each on a line of its own. None without any."""
    return "\n".join(_values(headers, "x-robots-tag")) or None


def _values(headers: Mapping[str, Iterable[str]], name: str) -> list[str]:
    lines = (value for key, values in headers.items() if key.lower() == name for value in values)
    return [text for line in lines if (text := " ".join(line.split()))]


def _for_us(line: str) -> Iterator[Signal]:
    """The directives of one header. A name holds until the next: `noai, googlebot: noindex, noarchive`."""
    ours = True
    for piece in line.split(","):
        name, colon, rest = piece.partition(":")
        token = _TOKEN.match(name.strip().lower()) if colon else None
        if token is not None and token[0] in _WITH_VALUES:
            continue
        if token is not None:
            ours = token[0] == _OURS
        if ours:
            yield from _directives(rest if colon else piece, "header")


def _directives(text: str, source: str) -> Iterator[Signal]:
    for word in re.split(r"[\s,;]+", text.lower()):
        if word in DIRECTIVES:
            yield Signal(word, None, source)
