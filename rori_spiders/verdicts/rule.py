"""The form of a rule: what to look for, where, how much it proves, and who published it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rori_spiders.verdicts.verdict import Kind

Strength = Literal["strong", "medium", "weak"]
Place = Literal["url", "header", "title", "heading", "text", "noscript", "script", "source", "element"]

# How much text of its own (outside links and menus) a page may have for a rule to count. The 94 good pages that
# look suspicious quote every one of these phrases somewhere; all but five have more text than this (measured 2026-11).
WITHIN: dict[Strength, int] = {"strong": 4000, "medium": 1500, "weak": 400}


# What a title says beside a wall's words when it names a text about the thing: "Access denied: how to appeal", "Rule
# 503.2 Service unavailable to ...". Of the 190 captured refusals and errors none has both such words and so much text.
_TOPIC = re.compile(
    r"\b(?:frequently asked|how|what|when|why|your rights?|rights of|appeals?|procedures?|requirements|duties)\b|§"
    r"|\b(?:sec(?:tion|\.)|rule|part|chapter|article|order|bulletin|form) ?\d"
)
_TOPIC_PROSE = 200

_LETTERS = re.compile(r"\\.|[^\W\d_]+")


def names_a_topic(text: str, match: re.Match[str], prose: int) -> bool:
    """Whether the line of *text* (a title or headings) in which *match* was found names a text about what it says."""
    if prose < _TOPIC_PROSE:
        return False
    start, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
    return _TOPIC.search(text[start : end if end >= 0 else None]) is not None


@dataclass(frozen=True)
class Rule:
    """One sign of one kind.

    ``place``: ``url`` (final), ``header`` (lines of ``name: value``), ``title``, ``heading`` (h1, h2), ``text`` (as a
    reader sees it), ``noscript``, ``script`` (inline), ``source`` (addresses of scripts, frames, images), ``element``
    (lines of ``tag#id.class[name]``). ``within`` overrides `WITHIN`; headers and URLs need no thin page.
    """

    name: str
    kind: Kind
    vendor: str | None
    strength: Strength
    place: Place
    pattern: str
    source: str
    within: int | None = None
    also: tuple[Place, str] | None = None  # a second sign that must stand there too

    @property
    def counts_all(self) -> bool:
        """Small limits count all visible text: a page made of nothing but links has no prose, and is no wall."""
        return self.limit <= WITHIN["weak"]

    @property
    def limit(self) -> int:
        return WITHIN[self.strength] if self.within is None else self.within

    @property
    def is_common(self) -> bool:
        """Whether it looks for words that no vendor has for itself: a text about the thing may hold them, too."""
        return self.vendor is None and self.place in ("title", "heading", "text") and self.kind != "filtered"

    @cached_property
    def regex(self) -> re.Pattern[str]:
        return re.compile(_fold_pattern(self.pattern))

    @cached_property
    def also_regex(self) -> re.Pattern[str]:
        return re.compile(_fold_pattern(self.also[1]) if self.also else "(?!)")


def fold_case(text: str) -> str:
    """*text* in small letters, each where it was: rules are compared so, which is five times as fast as IGNORECASE."""
    return text.replace("İ", "i").lower()


def _fold_pattern(pattern: str) -> str:
    return _LETTERS.sub(lambda found: found[0] if found[0][0] == "\\" else found[0].lower(), pattern)
