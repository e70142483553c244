"""How much a change matters, by the rules of ``importance_rules.toml``: data that a reviewer reads and amends.

In: changed blocks of a ``Difference``. Out: for each the rule that fits it first. A rule orders a list, and hides
nothing.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, fields
from enum import IntEnum
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, cast

from rori_spiders.content.changes.model import text_of_side

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
    lowers: bool  # it is asked only where the first rule that fits is a high one
    law: bool | None  # whether it is for numbered law alone, or for all else; None: for both
    cell: bool  # it is for cells of a table whose row stayed

    def fits(self, block: ChangedBlock) -> bool:
        return (
            (not self.change or block.change in self.change)
            and (not self.marks or not self.marks.isdisjoint(block.marks))
            and (not self.whole or (block.is_all_marks and block.marks <= self.marks))
            and (self.law is None or self.law == block.is_law)
            and (not self.cell or block.is_cell)
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
    is_law: bool = False  # it stands in a section of law, or is a numbered paragraph
    is_cell: bool = False  # cells of a table row that stayed; `around` has their labels


def choose_rule(block: ChangedBlock) -> ImportanceRule:
    """The first rule that fits, or, where that is a high one, the first that lowers it; the last fits everything."""
    first = next(rule for rule in importance_rules() if not rule.lowers and rule.fits(block))
    if first.level < Importance.HIGH:
        return first
    return next((rule for rule in importance_rules() if rule.lowers and rule.fits(block)), first)


def find_rule(rule_id: str) -> ImportanceRule | None:
    """The rule of that id; None for one that is no longer in the list."""
    return _rules_by_id().get(rule_id)


@cache
def _rules_by_id() -> dict[str, ImportanceRule]:
    return {rule.rule_id: rule for rule in importance_rules()}


@cache
def importance_rules() -> tuple[ImportanceRule, ...]:
    """The rules in their order. Raises ValueError, which names the rule, for one that is not well formed."""
    return tuple(_read_rule(rule) for rule in read_rules_file()["rule"])


@cache
def _law_pattern() -> re.Pattern[str]:
    return re.compile(read_rules_file()["law"], re.IGNORECASE)


@cache
def read_rules_file() -> dict[str, Any]:
    return tomllib.loads(files("rori_spiders.comparison").joinpath("importance_rules.toml").read_text(encoding="utf-8"))


def _read_rule(rule: dict[str, Any]) -> ImportanceRule:
    known = {"id", *(field.name for field in fields(ImportanceRule))} - {"rule_id"}
    unknown = rule.keys() - known
    if unknown:
        raise ValueError(f"importance rule {rule.get('id')!r}: unknown keys {sorted(unknown)}")
    patterns = {
        name: re.compile(_with_expressions(rule[name]), re.IGNORECASE) if name in rule else None
        for name in ("changed", "near", "only")
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
        lowers=rule.get("lowers", False),
        law=rule.get("law"),
        cell=rule.get("cell", False),
    )


def _with_expressions(pattern: str) -> str:
    for name in ("number_word", "news_heading", "binds", "day"):
        pattern = pattern.replace(f"{{{name}}}", read_rules_file()[name])
    return pattern


def read_block(change: Change, path: str) -> ChangedBlock:
    """What the rules read of *change*, which stands under the headings *path*."""
    texts = change.texts
    cells = [part for cell in change.cells for part in (cell.row, cell.column)]
    sides = (_words_around(words, side) for words in texts for side in "-+")
    around = "\n".join([path, *cells, *filter(None, sides)])
    marks = frozenset(mark.kind for mark in change.marks) | ({"label"} if is_renumbered_heading(change) else set())
    # Of a section that moved, and of cells, the heading decides: labels of a row and a column are no lines of law.
    is_law = _law_pattern().search(path if change.what == "section" or change.cells else around) is not None
    kind: str = change.kind
    if kind == "changed" and _is_typography(texts):
        kind = "footnote_mark" if is_law and _has_moved_footnote(texts) else "typography"
    return ChangedBlock(kind, marks, tuple(_passages(texts)), around, is_all_marks(change), is_law, bool(change.cells))


_NUMBERED_HEADING = re.compile(
    r"#{1,6} \W{0,3}(?:(?:§+\s?"
    r"|\b(?:sec(?:tion|\.)|art(?:icle|\.)|(?:sub)?part|chapter|rule|title|appendix|schedule|annex)\s)"
    r"(?P<named>[a-z]{0,3}\d[\w.:()-]{0,30}|[ivxlcdm]{1,6}|[a-z])"
    r"|(?P<alone>\d{1,4}\.\d[\w.-]{0,30}|\d{1,3}-\d[\w.-]{0,30}|[ivxlc]{1,6}\.|\d{1,3}\.))"
    r"(?P<rest>[.:]?\s[^\n]*|)",
    re.IGNORECASE,
)


def is_renumbered_heading(change: Change) -> bool:
    """Whether nothing but the number of a section's heading changed: "§ 1024.18 Notices", "Rule 12-18 Notices"."""
    if change.what != "heading" or change.kind not in {"changed", "moved_and_changed"}:
        return False
    before, after = (_NUMBERED_HEADING.fullmatch(text_of_side(change.words, side)) for side in "-+")
    if not before or not after or before["rest"] != after["rest"]:
        return False
    return (before["named"] is None) == (after["named"] is None)


#: Ways to write the same: quotation marks, dashes, spaces, emphasis, numbers of footnotes, and spellings that a house
#: style changes.
_FOOTNOTE = re.compile(r"\[\^\w{1,20}\]")
_SAME_SIGNS = (
    (re.compile("[\u2018\u2019\u02bc`´]"), "'"),
    (re.compile("[\u201c\u201d\u00ab\u00bb]"), '"'),
    (re.compile(r"\s?(?:-{2,}|[\u2012-\u2015]|(?<=\s)-(?=\s))\s?"), "\u2014"),
    (re.compile("\u2026"), "..."),
    (
        re.compile(r"\[\^\w{1,20}\]|(?<!\\)\*{1,3}"),
        "",
    ),  # footnotes' marks, whose texts are lines of their own; emphasis
    (re.compile(r"\be-mail", re.IGNORECASE), "email"),
    (re.compile(r"\bweb[ -]?(?=sites?\b|pages?\b)", re.IGNORECASE), "web"),
)


def _is_typography(texts: Iterable[Words]) -> bool:
    """Whether both sides say the same in other signs; what came or went as a whole says more."""
    before, after = ([_plain_signs(text_of_side(words, side)) for words in texts] for side in "-+")
    return before == after and any(before)


def _has_moved_footnote(texts: Iterable[Words]) -> bool:
    """Whether as many marks of footnotes stand behind other words."""
    before, after = (
        [_plain_signs(_FOOTNOTE.sub("\x02", text_of_side(words, side))) for words in texts] for side in "-+"
    )
    return before != after and [text.count("\x02") for text in before] == [text.count("\x02") for text in after]


def _plain_signs(text: str) -> str:
    text = " ".join(text.split())
    for pattern, sign in _SAME_SIGNS:
        text = pattern.sub(sign, text)
    return text


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
        near = f"{text[:_NEAR_CHARS].rstrip()} … {text[-_NEAR_CHARS:].lstrip()}"
        parts.append(near if is_far else text[:_READ_CHARS])
    return "".join(parts)
