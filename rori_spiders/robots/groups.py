"""The records of a robots.txt that speak to us (RFC 9309 §2.2.1).

All groups that name our product token, merged; without any, all that name `*`; without these, none. Only User-agent,
Allow and Disallow make groups: a Crawl-delay, a Sitemap or a record that nobody knows between two User-agent lines does
not end their run (§2.2.4). Protego lets it, and takes a group of `rori` for ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rori_spiders import ROBOTS_TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    _groups: list[_Group] = field(default_factory=list)

    def said(self, *keys: str) -> list[tuple[str, str]]:
        """Key and value of the records under *keys* that hold for us, from the nearest place that has any.

        Nearest first: after our name; elsewhere in our group; in the group of `*`; before any group. A site that gives
        us a group of rules and everyone a Crawl-delay has not said that we may be faster than everyone.
        """
        for name in (US, EVERYONE):
            own = [other for group in self._groups if name in group.names for other in group.others]
            near = [(key, value) for names, key, value in own if key in keys and name in names]
            if found := near or _under(keys, own):
                return found
        return _under(keys, self._groups[0].others) if self._groups else []


def read_records(text: str) -> Records:
    """The records of *text*. No text is an error: what is no record is passed over."""
    records = Records(_groups=[_Group()])  # the first holds what stands before any group
    naming = False
    for line in _LINE_END.split(text):
        found = _RECORD.fullmatch(line.partition("#")[0].strip())
        if found is None:
            continue
        key, value = _MEANT[found[1].lower()], (found[2] or found[3] or "").strip()
        if key == "user-agent":
            if not naming:
                records._groups.append(_Group())
            naming = True
            records.agents += 1
            records._groups[-1].names |= _names(value)
        elif key in {"allow", "disallow"}:
            naming = False
            records._groups[-1].rules.append((key == "allow", value))
        elif key == "sitemap":
            records.sitemaps += [value] if value else []
        else:
            group = records._groups[-1]
            group.others.append((group.names, key, value))
    records.rules = _rules(records._groups)
    return records


def _names(value: str) -> frozenset[str]:
    """Whether a User-agent line names us or everyone: by its product token alone, whatever follows it."""
    if value.split()[:1] == [EVERYONE]:
        return frozenset((EVERYONE,))
    token = _TOKEN.match(value)
    return frozenset((US,)) if token is not None and token[0].lower() == US else frozenset()


def _rules(groups: list[_Group]) -> list[tuple[bool, str]]:
    """The rules of our own groups, be they empty; else those of everyone's."""
    name = US if any(US in group.names for group in groups) else EVERYONE
    return [rule for group in groups if name in group.names for rule in group.rules]


def _under(keys: tuple[str, ...], others: Iterable[tuple[frozenset[str], str, str]]) -> list[tuple[str, str]]:
    return [(key, value) for _, key, value in others if key in keys]
