"""How changes of one level stand among each other: points by the ``weight`` rules of ``importance_rules.toml``.

In: the details of a change as the ledger has them, its page, and how often lines like it changed on the site. Out:
the points with their reasons. No text is compared again, so all rows can be weighed anew.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any

from rori_spiders.comparison.importance import read_rules_file

_KEYS = {
    *("id", "points", "says", "rules", "place", "words", "marks"),
    *("stayed", "changed", "versions", "days", "whole", "length", "sections"),
}
_FIGURES = re.compile(r"[#\d][#\d.,:/%$-]*")
_MONTHS = re.compile(r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b")
#: Lines that begin alike in so many words, figures left out, are taken for lines of one kind.
_OPENING_WORDS = 3
_LEAST_WORDS = 2
_LIST_MARKS = re.compile(r"^(?:[-*>|] ?)+")


@dataclass(frozen=True, slots=True)
class WeightRule:
    """One rule; a condition that is None or empty holds for everything."""

    rule_id: str
    points: int
    says: str
    rules: frozenset[str]
    marks: frozenset[str]
    sections: frozenset[str]
    place: re.Pattern[str] | None
    words: re.Pattern[str] | None
    stayed: int | None
    changed: int | None
    versions: int | None
    days: int | None
    whole: bool | None
    length: int | None

    def fits(self, change: WeighedChange) -> bool:
        return (
            (not self.rules or change.rule in self.rules)
            and (not self.marks or not self.marks.isdisjoint(change.swapped_marks))
            and (self.place is None or self.place.search(change.place) is not None)
            and (self.words is None or self.words.search(change.line) is not None)
            and (self.stayed is None or change.stayed >= self.stayed)
            and (self.changed is None or 0 < change.changed <= self.changed)
            and (self.versions is None or change.versions <= self.versions)
            and (self.days is None or change.days >= self.days)
            and (self.whole is None or self.whole == change.is_whole)
            and (self.length is None or change.length >= self.length)
            and (not self.sections or not self.sections.isdisjoint(change.sections))
        )


@dataclass(frozen=True, slots=True)
class WeighedChange:
    """What the rules read of a change."""

    rule: str
    swapped_marks: frozenset[str]
    place: str
    line: str
    stayed: int
    changed: int
    versions: int
    days: int
    is_whole: bool  # the line came or went as a whole
    length: int  # words of the excerpt's line, both sides
    sections: frozenset[str]  # what became of sections: changed, added, removed, moved


@cache
def weight_rules() -> tuple[WeightRule, ...]:
    """The rules in their order. Raises ValueError, which names the rule, for one that is not well formed."""
    return tuple(_read_rule(rule) for rule in read_rules_file()["weight"])


def _read_rule(rule: dict[str, Any]) -> WeightRule:
    if unknown := rule.keys() - _KEYS:
        raise ValueError(f"weight rule {rule.get('id')!r}: unknown keys {sorted(unknown)}")
    place, words = (re.compile(rule[name], re.IGNORECASE) if name in rule else None for name in ("place", "words"))
    return WeightRule(
        rule["id"],
        rule["points"],
        rule["says"],
        frozenset(rule.get("rules", ())),
        frozenset(rule.get("marks", ())),
        frozenset(rule.get("sections", ())),
        place,
        words,
        *(rule.get(name) for name in ("stayed", "changed", "versions", "days", "whole", "length")),
    )


def weigh_change(details: dict[str, Any], *, title: str | None, versions: int, days: int) -> tuple[int, list[str]]:
    """The points of a change and the ids of the rules that fit.

    *versions*: how many of the page are held, with its own; *days*: on how many lines like it changed on the site.
    """
    excerpt = details.get("excerpt") or [""]
    counts: Counter[str] = Counter()
    for op, text in excerpt[1:]:
        counts[op] += len(text.split())
    change = WeighedChange(
        rule=next(iter(details.get("rules", ())), ""),
        swapped_marks=frozenset(kind for kind, old, new in details.get("marks", ()) if old and new),
        place="\n".join([excerpt[0], *(path for _, path in details.get("sections", ())), title or ""]),
        line="".join(text for _, text in excerpt[1:]),
        # Of two lines of which one took the other's place, some words are the same, too: it is no sentence that stayed.
        stayed=counts["="] if counts["="] >= max(counts["+"], counts["-"]) else 0,
        changed=details.get("words_added", 0) + details.get("words_removed", 0),
        versions=versions,
        days=days,
        is_whole=not counts["="] and (counts["+"] == 0) != (counts["-"] == 0),
        length=counts.total(),
        sections=frozenset(how for how, _ in details.get("sections", ())),
    )
    fitting = [rule for rule in weight_rules() if rule.fits(change)]
    return sum(rule.points for rule in fitting), [rule.rule_id for rule in fitting]


def line_shape(details: dict[str, Any]) -> str:
    """By what a line that changes again is known, hashed; "": by nothing, so its change never counts as one of many.

    The line's first words without figures. In a section of law, all that stayed of it: sections begin alike.
    """
    excerpt = details.get("excerpt") or [""]
    stayed = "".join(text if op == "=" else "#" for op, text in excerpt[1:])
    if stayed.startswith("…"):  # the middle of a long line, which its words know, figures apart
        return next(iter(details.get("lines", ())), "")
    if _is_law(excerpt[0], details):
        return _hash_words(_without_figures(stayed))
    is_removal = all(op == "-" for op, _ in excerpt[1:])
    whole = "".join(text for op, text in excerpt[1:] if is_removal or op != "-")
    return _hash_words(_without_figures(_LIST_MARKS.sub("", whole.strip()))[:_OPENING_WORDS])


def _without_figures(text: str) -> list[str]:
    """The words, with one "#" for figures and dates that follow each other."""
    words = _FIGURES.sub("#", _MONTHS.sub("#", text)).split()
    plain = ["#" if not word.strip("#|,.-") else word for word in words]
    return [word for word, before in zip(plain, ["", *plain], strict=False) if word != "#" or before != "#"]


def _is_law(heading: str, details: dict[str, Any]) -> bool:
    return "part" in details or re.match(r"§|Sec(?:tion|\.) \d", heading) is not None


def _hash_words(words: list[str]) -> str:
    if len(words) < _LEAST_WORDS or all(word == "#" for word in words):
        return ""
    return sha256(" ".join(words).casefold().encode("utf-8", "surrogatepass")).hexdigest()[:12]


def find_weight_rule(rule_id: str) -> WeightRule | None:
    """The rule of that id; None for one that is no longer in the list."""
    return next((rule for rule in weight_rules() if rule.rule_id == rule_id), None)
