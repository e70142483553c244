"""Which paths are closed: the longest pattern that matches decides; of equals, Allow (RFC 9309 §2.2.2).

Protego, which Scrapy brings, measures a pattern after it has escaped `?`, `&` and others as `%3F`: `/*?q` counts as six
octets there, and opens what a `Disallow` of five closes. It also takes `Allow: /index.html` for `Allow: /$`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterable

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


class Paths:
    """The rules of one group, for the paths of one origin."""

    def __init__(self, rules: Iterable[tuple[bool, str]], origin: str) -> None:
        """*rules*: whether it allows, and its pattern as written, in any order."""
        host = _bare_host(origin)
        found = {pattern for allow, text in rules if (pattern := _pattern(text, host, allow=allow)) is not None}
        self._patterns = sorted(found, key=lambda one: (-one.octets, not one.allow))
        # Most rules are plain beginnings: one look tells that none of them speaks of a path.
        self._beginnings = tuple({one.parts[0] for one in found if len(one.parts) == 1})
        self._starred = [one for one in self._patterns if len(one.parts) > 1]

    def allows(self, url: str) -> bool:
        """Whether *url* (absolute, or a path with its query) may be asked for. `/robots.txt` always may."""
        path = _spelt(_ORIGIN.sub("", url).partition("#")[0])
        if not path.startswith("/"):
            path = f"/{path}"
        if path == "/robots.txt":
            return True
        patterns = self._patterns if path.startswith(self._beginnings) else self._starred
        return next((one.allow for one in patterns if one.matches(path)), True)


def _pattern(text: str, host: str, *, allow: bool) -> _Pattern | None:
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
    parts = tuple(_spelt(part) for part in re.split(r"\*+", body))
    octets = len(text) if text.isascii() else len(quote(text, safe=_ASCII))
    return _Pattern(octets, allow, parts, ends=body != text)


def _bare_host(origin: str) -> str:
    return origin.partition("://")[2].lower().removeprefix("www.")


def _spelt(text: str) -> str:
    """A path or a piece of one in one spelling: what needs no escape has none, the others are in capitals."""
    if _AS_IT_IS(text):
        return text

    def one(found: re.Match[str]) -> str:
        char = chr(int(found[1], 16))
        return char if char in _PLAIN or (char.isascii() and char.isalnum()) else found[0].upper()

    return _ESCAPE.sub(one, quote(text, safe=f"/?%{_PLAIN}", errors="replace"))
