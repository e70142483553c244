"""Noise lines: lines that change by themselves, as a source's manifest names them.

In: a changed block. Out: whether noise lines cover it, or which one would. They order the list of changes and hide
nothing: every text stays, and every change is listed. What binds is never covered, nor a line that speaks of law; words
(`*`) not in a line that speaks of terms, such as who pays how much.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.content.html.volatile import LINE_CHARS, speaks_of_law, speaks_of_terms
from rori_spiders.manifest.base import MIN_NOISE_LINE_LETTERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rori_spiders.content.changes.model import Change

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_FIGURE = rf"(?:\d+(?:st|nd|rd|th)?|\b(?:{_MONTHS}|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?))"
#: A number, date or time with the signs inside it: "June 3, 2026, 4:15 p.m. ET".
_FIGURES = re.compile(rf"{_FIGURE}(?:[ ,:/.-]*(?:{_FIGURE}|[ap]\.?m\b\.?|[ECMP][SD]?T\b|UTC\b))*")
_KINDS = frozenset({"changed", "inserted", "deleted", "moved_and_changed"})


def line_form(line: str) -> str:
    """The line with ``#`` for each number, date and time, and single spaces."""
    return _FIGURES.sub("#", " ".join(line.split()))


def is_covered(change: Change, noise_lines: Iterable[str]) -> bool:
    """Whether the noise lines cover a whole block before and after, and nothing in it binds or speaks of law."""
    if why_never_covered(change):
        return False
    forms = [line_form(line) for line in _sides(change)]
    figures_only = any(map(speaks_of_terms, _sides(change)))
    return any(
        all(_fits(form, line_form(line)) for form in forms)
        for line in noise_lines
        if not ("*" in line and figures_only)
    )


def why_never_covered(change: Change) -> str:
    """Why no noise line covers a block, in words; "": one may."""
    if change.kind not in _KINDS:
        return "it only moved"
    if change.cells or change.what == "table row":
        return "it is in a table"
    if any(mark.kind == "operative" for mark in change.marks):
        return "a word came or went that binds, permits or excepts"
    lines = _sides(change)
    if max(map(len, lines)) > LINE_CHARS:
        return f"it has more than {LINE_CHARS} characters: it is text, not a line"
    if any(map(speaks_of_law, lines)):
        return "the line speaks of law"
    return ""


def noise_line_of(change: Change) -> str:
    """The noise line that would cover a block: ``#`` for figures, ``*`` for words that differ; "": too little stays."""
    if why_never_covered(change):
        return ""
    forms = [line_form(line).split(" ") for line in _sides(change)]
    old, new = forms[0], forms[-1]
    line = " ".join(old)
    if old != new:
        first = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), None)
        begins = min(len(old), len(new)) if first is None else first
        longest = min(len(old), len(new)) - begins
        ends = next((at for at in range(longest) if old[-1 - at] != new[-1 - at]), longest)
        line = " ".join([*old[:begins], "*", *(old[-ends:] if ends else ())])
    return line if sum(map(str.isalpha, line)) >= MIN_NOISE_LINE_LETTERS and is_covered(change, [line]) else ""


def _sides(change: Change) -> list[str]:
    """The line before and after; one of them where it came or went."""
    sides = ["".join(text for op, text in change.words if op in {"=", side}) for side in "-+"]
    return [side for side in sides if side.strip()] or [""]


def _fits(form: str, noise_line: str) -> bool:
    """Whether *form* is *noise_line*, in which ``*`` stands for any words. Takes linear time."""
    first, *others = noise_line.split("*")
    if not others:
        return form == noise_line
    *middle, last = others
    if len(form) < len(first) + len(last) or not (form.startswith(first) and form.endswith(last)):
        return False
    at, end = len(first), len(form) - len(last)
    for part in middle:
        found = form.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True
