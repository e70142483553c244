"""Interpret a robots.txt response (RFC 9309). Steps: bytes in, a `RobotsFile` out."""

from __future__ import annotations

import math
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from urllib.parse import quote

from rori_spiders import ROBOTS_TOKEN

# How long a site asks robots to wait between requests: the values of `Crawl-delay` and `Request-rate`. Neither is in
# RFC 9309. What cannot be read says nothing.

_NUMBER = r"[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+"
_DELAY = re.compile(rf"({_NUMBER})\s*([a-z]*)", re.IGNORECASE)
# `1/10`, `1/10s`, `30/1h`; hours of the day may follow: `1/10 0600-0845`.
_RATE = re.compile(
    rf"([0-9]+)\s*/\s*({_NUMBER})\s?([a-z]*)(?:\s+[0-9]{{3,4}}\s*-\s*[0-9]{{3,4}}\s*[a-z]*)?", re.IGNORECASE
)
_UNITS = {
    1: ("", "s", "sec", "secs", "second", "seconds"),
    60: ("m", "min", "mins", "minute", "minutes"),
    3600: ("h", "hour", "hours"),
    86400: ("d", "day", "days"),
}
_SECONDS = {unit: seconds for seconds, units in _UNITS.items() for unit in units}
_LONGEST = 60  # characters: no pace needs more, and none of these patterns is tried on a line of 500 KB


def parse_crawl_delay(value: str) -> float | None:
    """Seconds between requests. A comma is a decimal point, as half the world writes it: `0,5` is half a second."""
    found = _DELAY.fullmatch(value) if len(value) <= _LONGEST else None
    return _to_seconds(found[1], found[2]) if found else None


def parse_request_rate(value: str) -> float | None:
    """Seconds between requests: `2/10s` is one in five.

    A rate for some hours of the day holds all day: a run may last into them, and slower is never rude.
    """
    found = _RATE.fullmatch(value) if len(value) <= _LONGEST else None
    if found is None or not (requests := float(found[1])):
        return None
    seconds = _to_seconds(found[2], found[3])
    return seconds / requests if seconds else None


def _to_seconds(number: str, unit: str) -> float | None:
    if unit.lower() not in _SECONDS:
        return None
    seconds = float(number.replace(",", ".")) * _SECONDS[unit.lower()]
    return seconds if math.isfinite(seconds) else None


# The server's answer to a request for its robots.txt:
#
# - 2xx with text: rules. Only the first 500 KiB are read.
# - 4xx: no rules.
# - 5xx, 429, no answer, or an HTML page in its place: disallowed for now, and a failure to retry.

#: RFC 9309 §2.5: a crawler reads at least 500 KiB; like the big ones, we read exactly that.
MAX_BYTES = 500 * 1024

_PACE = {"crawl-delay": parse_crawl_delay, "request-rate": parse_request_rate}
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_MARKUP = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_HEAD_CHARS = 2048


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """The robots.txt of one origin as this job saw it.

    ``delay_s``: seconds between requests that the site asks for, by Crawl-delay or Request-rate, the longest of them.
    ``content_signal``: its Content-Signal record for us (contentsignals.org), as written. ``sitemaps``: as written.
    ``status`` 304: ``body`` was received before, and the server confirmed it now. The validators are the headers that
    made the request conditional, and those that the response gave.
    """

    origin: str
    outcome: str  # rules | no_rules | unavailable
    reason: str
    status: int | None
    at: datetime
    body: bytes = b""
    paths: PathRules | None = None
    delay_s: float | None = None
    content_signal: str | None = None
    sitemaps: tuple[str, ...] = ()
    request_validators: Mapping[str, list[str]] = field(default_factory=dict)
    response_validators: Mapping[str, list[str]] | None = None  # None: no answer of the origin's own /robots.txt

    @property
    def is_wall(self) -> bool:
        """Whether a server that is well answered something else than rules in their place: a page, a redirect."""
        return self.outcome == "unavailable" and self.status is not None and self.status < 400

    def allows(self, url: str) -> bool:
        if self.outcome == "no_rules":
            return True
        return self.paths is not None and self.paths.allows(url)


def read_robots_txt(origin: str, *, status: int, body: bytes, at: datetime) -> RobotsFile:
    """Judge the answer to ``{origin}/robots.txt``."""
    if status == 429 or status >= 500:
        return RobotsFile(origin, "unavailable", f"robots.txt answered HTTP {status}", status, at, body)
    if status >= 400:
        return RobotsFile(origin, "no_rules", f"robots.txt answered HTTP {status}: no rules", status, at, body)
    if not 200 <= status < 300:
        return RobotsFile(origin, "unavailable", f"robots.txt answered HTTP {status}", status, at, body)
    text = _decode_text(body)
    records = read_records(text)
    if _is_html(text, records):
        return RobotsFile(origin, "unavailable", "an HTML page stands in place of robots.txt", status, at, body)
    return RobotsFile(
        origin,
        "rules",
        "",
        status,
        at,
        body,
        paths=PathRules(records.rules, origin),
        delay_s=_requested_delay(records),
        content_signal=", ".join(dict.fromkeys(value for _, value in records.records_for("content-signal") if value))
        or None,
        sitemaps=tuple(records.sitemaps),
    )


def unreachable_robots_txt(origin: str, reason: str, at: datetime) -> RobotsFile:
    """No answer at all: disallowed for now."""
    return RobotsFile(origin, "unavailable", f"robots.txt could not be fetched: {reason}", None, at)


def _decode_text(body: bytes) -> str:
    """The lines that are read. UTF-8 is the rule; UTF-16 is read too, since misread rules would allow everything.

    Bytes that are no UTF-8 are written as escapes: a `Disallow: /caf\\xe9` closes `/caf%E9`.
    """
    utf16 = body.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    text = body[:MAX_BYTES].decode(*(("utf-16", "replace") if utf16 else ("utf-8", "surrogateescape")))
    if len(body) > MAX_BYTES:  # half a rule is another rule
        text = text[: max(text.rfind("\n"), text.rfind("\r"), 0)]
    return _NOT_UTF8.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", text.replace("\x00", "").replace("\ufeff", ""))


def _requested_delay(records: Records) -> float | None:
    delays = (_PACE[key](value) for key, value in records.records_for(*_PACE))
    return max((seconds for seconds in delays if seconds is not None), default=None)


def _is_html(text: str, records: Records) -> bool:
    """No robots.txt begins with a tag; a page in its place begins with any tag, with a comment, or with words."""
    head = text[:_HEAD_CHARS]
    return head.lstrip().startswith("<") or (not records.agents and _MARKUP.search(head) is not None)


# The records of a robots.txt that speak to us (RFC 9309 §2.2.1). All groups that name our product token, merged;
# without any, all that name `*`; without these, none. Only User-agent, Allow and Disallow make groups: a Crawl-delay,
# a Sitemap or a record that nobody knows between two User-agent lines does not end their run (§2.2.4). Protego lets
# it, and takes a group of `rori` for ours.

EVERYONE = "*"
US = ROBOTS_TOKEN.lower()

_LINE_END = re.compile(r"\r\n|\r|\n")
_TOKEN = re.compile(r"[A-Za-z_-]+")
# What people write, by what they mean: the variants and typing errors that Google's parser reads too.
_KEYS = {
    "user-agent": ("user-agent", "useragent", "user agent"),
    "disallow": ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"),
    "allow": ("allow",),
    "sitemap": ("sitemap", "sitemaps", "site-map"),
    "crawl-delay": ("crawl-delay", "crawl delay", "crawldelay"),
    "request-rate": ("request-rate", "request rate"),
    "content-signal": ("content-signal",),
}
_MEANT = {written: key for key, forms in _KEYS.items() for written in forms}
_KEY = "|".join(sorted(map(re.escape, _MEANT), key=len, reverse=True))
# The colon may be missing before a single word, as Google's parser has it: more words are prose.
_RECORD = re.compile(rf"({_KEY})(?:\s*:\s*(.*)|\s+(\S+))", re.IGNORECASE | re.DOTALL)


@dataclass(slots=True)
class _Group:
    """One group, as far as it concerns us."""

    names: frozenset[str] = frozenset()  # of US and EVERYONE, those that it is for
    rules: list[tuple[bool, str]] = field(default_factory=list)  # allows?, pattern
    others: list[tuple[frozenset[str], str, str]] = field(default_factory=list)  # names so far, key, value


@dataclass(slots=True)
class Records:
    """What a robots.txt says, line by line."""

    rules: list[tuple[bool, str]] = field(default_factory=list)  # those that we obey: whether it allows, its pattern
    sitemaps: list[str] = field(default_factory=list)  # of the whole file
    agents: int = 0  # User-agent lines
    groups: list[_Group] = field(default_factory=list)

    def records_for(self, *keys: str) -> list[tuple[str, str]]:
        """Key and value of the records under *keys* that hold for us, from the nearest place that has any.

        Nearest first: after our name; elsewhere in our group; in the group of `*`; before any group. A site that gives
        us a group of rules and everyone a Crawl-delay has not said that we may be faster than everyone.
        """
        for name in (US, EVERYONE):
            own = [other for group in self.groups if name in group.names for other in group.others]
            near = [(key, value) for names, key, value in own if key in keys and name in names]
            if found := near or _records_under(keys, own):
                return found
        return _records_under(keys, self.groups[0].others) if self.groups else []


def read_records(text: str) -> Records:
    """The records of *text*. No text is an error: lines that are not records are ignored."""
    records = Records(groups=[_Group()])  # the first holds what stands before any group
    naming = False
    for line in _LINE_END.split(text):
        found = _RECORD.fullmatch(line.partition("#")[0].strip())
        if found is None:
            continue
        key, value = _MEANT[found[1].lower()], (found[2] or found[3] or "").strip()
        if key == "user-agent":
            if not naming:
                records.groups.append(_Group())
            naming = True
            records.agents += 1
            records.groups[-1].names |= _agents_named(value)
        elif key in {"allow", "disallow"}:
            naming = False
            records.groups[-1].rules.append((key == "allow", value))
        elif key == "sitemap":
            records.sitemaps += [value] if value else []
        else:
            group = records.groups[-1]
            group.others.append((group.names, key, value))
    # The rules of our own groups, be they empty; else those of everyone's.
    name = US if any(US in group.names for group in records.groups) else EVERYONE
    records.rules = [rule for group in records.groups if name in group.names for rule in group.rules]
    return records


def _agents_named(value: str) -> frozenset[str]:
    """Whether a User-agent line names us or everyone: by its product token alone, whatever follows it."""
    if value.split()[:1] == [EVERYONE]:
        return frozenset((EVERYONE,))
    token = _TOKEN.match(value)
    return frozenset((US,)) if token is not None and token[0].lower() == US else frozenset()


def _records_under(keys: tuple[str, ...], others: Iterable[tuple[frozenset[str], str, str]]) -> list[tuple[str, str]]:
    return [(key, value) for _, key, value in others if key in keys]


# Which paths are closed: the longest pattern that matches decides; of equals, Allow (RFC 9309 §2.2.2). Protego, which
# Scrapy brings, measures a pattern after it has escaped `?`, `&` and others as `%3F`: `/*?q` counts as six octets
# there, and opens what a `Disallow` of five closes. It also takes `Allow: /index.html` for `Allow: /$`.

_ORIGIN = re.compile(r"^https?://[^/?#]*", re.IGNORECASE)
_ESCAPE = re.compile("%([0-9A-Fa-f]{2})")
# Characters that say the same with and without their escape. `/`, `?`, `%` and `#` do not, `*` and `$` not in a rule.
_PLAIN = "-._~:@!'(),;=&+[]"
_AS_IT_IS = re.compile(rf"[A-Za-z0-9/?{re.escape(_PLAIN)}]*").fullmatch
_ASCII = "".join(map(chr, range(0x80)))


class _Pattern(NamedTuple):
    octets: int  # as written, what is not ASCII escaped: how special the rule is
    allow: bool
    parts: tuple[str, ...]  # what stands between the stars
    ends: bool  # whether it must reach the end of the path

    def matches(self, path: str) -> bool:
        """Each part is looked for once, from left to right: the time grows with the path's length, no faster."""
        first, *middle = self.parts
        if not path.startswith(first):
            return False
        at = len(first)
        if not middle:
            return not self.ends or at == len(path)
        last = middle.pop()
        for part in middle:
            found = path.find(part, at)
            if found < 0:
                return False
            at = found + len(part)
        if self.ends:
            return len(path) - len(last) >= at and path.endswith(last)
        return path.find(last, at) >= 0


class PathRules:
    """The rules of one group, for the paths of one origin."""

    def __init__(self, rules: Iterable[tuple[bool, str]], origin: str) -> None:
        """*rules*: whether it allows, and its pattern as written, in any order."""
        host = _bare_host(origin)
        found = {pattern for allow, text in rules if (pattern := _parse_pattern(text, host, allow=allow)) is not None}
        self._patterns = sorted(found, key=lambda one: (-one.octets, not one.allow))
        # Most rules are plain beginnings: one look tells that none of them speaks of a path.
        self._beginnings = tuple({one.parts[0] for one in found if len(one.parts) == 1})
        self._starred = [one for one in self._patterns if len(one.parts) > 1]

    def allows(self, url: str) -> bool:
        """Whether *url* (absolute, or a path with its query) may be asked for. `/robots.txt` always may."""
        path = _normalise_path(_ORIGIN.sub("", url).partition("#")[0])
        if not path.startswith("/"):
            path = f"/{path}"
        if path == "/robots.txt":
            return True
        patterns = self._patterns if path.startswith(self._beginnings) else self._starred
        return next((one.allow for one in patterns if one.matches(path)), True)


def _parse_pattern(text: str, host: str, *, allow: bool) -> _Pattern | None:
    """The pattern of a rule; None when the rule says nothing.

    One that begins with neither `/` nor `*` is none, as all readers have it: epa.gov lists old names such as
    `Disallow: about`, and has its pages under `/aboutepa`. But a `Disallow` of a whole URL of this very host is
    plain enough.
    """
    if not allow and (origin := _ORIGIN.match(text)) is not None and _bare_host(origin[0]) == host:
        text = text[origin.end() :]
    if not text.startswith(("/", "*")):
        return None
    body = text.removesuffix("$")
    parts = tuple(_normalise_path(part) for part in re.split(r"\*+", body))
    octets = len(text) if text.isascii() else len(quote(text, safe=_ASCII))
    return _Pattern(octets, allow, parts, ends=body != text)


def _bare_host(origin: str) -> str:
    return origin.partition("://")[2].lower().removeprefix("www.")


def _normalise_path(text: str) -> str:
    """A path or a piece of one in one spelling: what needs no escape has none, the others are in capitals."""
    if _AS_IT_IS(text):
        return text

    def one(found: re.Match[str]) -> str:
        char = chr(int(found[1], 16))
        return char if char in _PLAIN or (char.isascii() and char.isalnum()) else found[0].upper()

    return _ESCAPE.sub(one, quote(text, safe=f"/?%{_PLAIN}", errors="replace"))
