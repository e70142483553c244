"""The form of a rule: what to look for, where, how much it proves, and who published it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

from rori_spiders.verdicts.verdict import KINDS, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

Strength = Literal["strong", "medium", "weak"]
Place = Literal["url", "header", "title", "heading", "text", "noscript", "script", "source", "element"]
PLACES: tuple[Place, ...] = get_args(Place)

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

    def __post_init__(self) -> None:
        for value, known in ((self.kind, KINDS), (self.strength, WITHIN), (self.place, PLACES)):
            if value not in known:
                raise ValueError(f"rule {self.name}: {value!r} is none of {', '.join(known)}")

    @cached_property
    def counts_all(self) -> bool:
        """Small limits count all visible text: a page of nothing but links has no prose, and is not a wall."""
        return self.limit <= WITHIN["weak"]

    @cached_property
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
    def needed(self) -> tuple[str, ...]:
        """Words of which one stands in every text that `regex` finds something in; none where that is not known."""
        return needed_words(_fold_pattern(self.pattern))

    def may_match(self, text: str) -> bool:
        """Whether *text*, folded, is worth a search: to look for its words takes a tenth of that."""
        for word in self.needed:  # `any` takes twice as long
            if word in text:
                return True
        return not self.needed

    @cached_property
    def also_regex(self) -> re.Pattern[str]:
        return re.compile(_fold_pattern(self.also[1]) if self.also else "(?!)")


def fold_case(text: str) -> str:
    """*text* in small letters, each where it was: rules are compared so, which is five times as fast as IGNORECASE."""
    return text.replace("İ", "i").lower()


def _fold_pattern(pattern: str) -> str:
    return _LETTERS.sub(lambda found: found[0] if found[0][0] == "\\" else found[0].lower(), pattern)


# The words without which an expression finds nothing: of each alternative the longest run of characters that must be
# there, or what a group that must be there needs.

_LEAST_WORD = 4
_TOKEN = re.compile(
    r"(?P<escape>\\.)|(?P<set>\[\^?\]?(?:\\.|[^\]\\]){0,200}+\])|(?P<open>\((?:\?(?:[:=!]|<[=!]|P<\w+>|[a-z]+\)))?)|(?P<close>\))"
    r"|(?P<or>\|)|(?P<repeat>[*+?]|\{\d*(?:,\d*)?\})|(?P<any>[.^$])|(?P<plain>.)",
    re.DOTALL,
)


def needed_words(pattern: str) -> tuple[str, ...]:
    """Words of which one is in whatever *pattern*, without flags but "(?m)", matches; () where none is known."""
    alternatives = _Alternatives(_TOKEN.finditer(pattern)).read()
    return tuple(dict.fromkeys(alternatives)) if alternatives is not None else ()


class _Alternatives:
    """Reads an expression token by token."""

    def __init__(self, tokens: Iterator[re.Match[str]]) -> None:
        self._tokens = list(tokens)
        self._at = 0

    def read(self) -> list[str] | None:
        """The words of the alternatives up to the end of their group; None where one of them needs none."""
        words: list[str] = []
        is_known = True
        while True:
            best = self._read_one()
            is_known = is_known and bool(best)
            words += best
            if self._at >= len(self._tokens) or self._tokens[self._at].lastgroup == "close":
                return words if is_known else None
            self._at += 1  # the "|"

    def _read_one(self) -> list[str]:
        run, best = "", list[str]()
        while self._at < len(self._tokens) and self._tokens[self._at].lastgroup not in {"or", "close"}:
            token = self._tokens[self._at]
            kind, text = token.lastgroup, token[0]
            self._at += 1
            inner: list[str] | None = None
            literal = ""
            if kind == "open" and not text.endswith(")"):
                inner = self.read()
                self._at += 1
                inner = None if text in {"(?=", "(?!", "(?<=", "(?<!"} else inner
            elif kind == "plain" or (kind == "escape" and not text[1].isalnum()):
                literal = text[-1]
            repeat = self._take_repeat()
            is_sure = repeat in {"", "+"}
            if literal and is_sure:
                run += literal
            best = _better(best, [run] if run else [])
            best = _better(best, inner if inner and is_sure else [])
            if not literal or repeat:
                run = ""
        return best

    def _take_repeat(self) -> str:
        taken = ""
        while self._at < len(self._tokens) and self._tokens[self._at].lastgroup == "repeat":
            taken += self._tokens[self._at][0]
            self._at += 1
        return taken


def _better(one: list[str], other: list[str]) -> list[str]:
    """Of two lists, each of which is needed, that whose shortest word is longer; those of short words are none."""
    least = min(map(len, other), default=0)
    return other if least >= _LEAST_WORD and least > min(map(len, one), default=0) else one
