"""How much a change matters, by the rules of ``importance_rules.toml``: data that a reviewer reads and amends.

In: changed blocks of a ``Difference``. Out: for each the rule that fits it first. A rule orders a list, and hides
nothing.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rori_spiders.content.changes.model import Change, Words

#: Of the words around a change, so many characters to each side are read by a rule's ``near``: a sentence or two.
_NEAR_CHARS = 240
#: Of a passage that came or went, so much is read by a rule: what binds stands in its first pages.
_READ_CHARS = 20_000


ImportanceName = Literal["high", "medium", "low", "initial"]


class Importance(IntEnum):
    """Levels in their order; initial is what a source held when it was collected first."""

    INITIAL = 0
    LOW = 1
    MEDIUM = 2
    HIGH = 3

    @property
    def word(self) -> ImportanceName:
        return cast("ImportanceName", self.name.lower())


@dataclass(frozen=True, slots=True)
class ImportanceRule:
    """One rule; an empty condition holds for everything."""

    rule_id: str
    level: Importance
    says: str
    change: frozenset[str]
    marks: frozenset[str]
    changed: re.Pattern[str] | None
    near: re.Pattern[str] | None
    only: re.Pattern[str] | None
    whole: bool
    recurs: bool

    def fits(self, block: ChangedBlock) -> bool:
        return (
            (not self.change or block.change in self.change)
            and (not self.marks or not self.marks.isdisjoint(block.marks))
            and (not self.whole or (block.is_all_marks and block.marks <= self.marks))
            and (self.changed is None or any(map(self.changed.search, block.passages)))
            and (self.near is None or self.near.search(block.around) is not None)
            and (self.only is None or (block.passages != () and all(map(self.only.fullmatch, block.passages))))
        )


@dataclass(frozen=True, slots=True)
class ChangedBlock:
    """What the rules read of a block: the kind of its change, its marks, what came or went, and what stands around."""

    change: str
    marks: frozenset[str] = frozenset()
    passages: tuple[str, ...] = ()
    around: str = ""
    is_all_marks: bool = False  # each passage that came or went is a mark, or part of one


def choose_rule(block: ChangedBlock) -> ImportanceRule:
    """The first rule that fits; the last of the list fits everything."""
    return next(rule for rule in importance_rules() if rule.fits(block))


def find_rule(rule_id: str) -> ImportanceRule | None:
    """The rule of that id; None for one that is no longer in the list."""
    return next((rule for rule in importance_rules() if rule.rule_id == rule_id), None)


@cache
def importance_rules() -> tuple[ImportanceRule, ...]:
    """The rules in their order. Raises ValueError, which names the rule, for one that is not well formed."""
    text = files("rori_spiders.comparison").joinpath("importance_rules.toml").read_text(encoding="utf-8")
    return tuple(_read_rule(rule) for rule in tomllib.loads(text)["rule"])


def _read_rule(rule: dict[str, Any]) -> ImportanceRule:
    unknown = rule.keys() - {"id", "level", "says", "change", "marks", "changed", "near", "only", "whole", "recurs"}
    if unknown:
        raise ValueError(f"importance rule {rule.get('id')!r}: unknown keys {sorted(unknown)}")
    patterns = {
        name: re.compile(rule[name], re.IGNORECASE) if name in rule else None for name in ("changed", "near", "only")
    }
    return ImportanceRule(
        rule["id"],
        Importance[rule["level"].upper()],
        rule["says"],
        frozenset(rule.get("change", ())),
        frozenset(rule.get("marks", ())),
        **patterns,
        whole=rule.get("whole", False),
        recurs=rule.get("recurs", rule["level"] == "medium"),
    )


def read_block(change: Change, path: str) -> ChangedBlock:
    """What the rules read of *change*, which stands under the headings *path*."""
    texts = [change.words, *(cell.words for cell in change.cells)]
    cells = [part for cell in change.cells for part in (cell.row, cell.column)]
    sides = (_words_around(words, side) for words in texts for side in "-+")
    around = "\n".join([path, *cells, *filter(None, sides)])
    marks = frozenset(mark.kind for mark in change.marks)
    return ChangedBlock(change.kind, marks, tuple(_passages(texts)), around, is_all_marks(change))


def is_all_marks(change: Change) -> bool:
    """Whether each passage that came or went is one of the change's marks, or part of one."""
    texts = [text for mark in change.marks for text in (mark.old, mark.new) if text]
    passages = [text.strip() for op, text in change.words if op != "=" and text.strip()]
    return bool(passages) and all(any(passage in text for text in texts) for passage in passages)


def _passages(texts: Iterable[Words]) -> Iterable[str]:
    return (text.strip()[:_READ_CHARS] for words in texts for op, text in words if op != "=" and text.strip())


def _words_around(words: Words, side: str) -> str:
    """The text of one side without what is far from every change."""
    parts = []
    for op, text in words:
        if op not in {"=", side}:
            continue
        is_far = op == "=" and len(text) > 2 * _NEAR_CHARS
        parts.append(f"{text[:_NEAR_CHARS]} … {text[-_NEAR_CHARS:]}" if is_far else text[:_READ_CHARS])
    return "".join(parts)
