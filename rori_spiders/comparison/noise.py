"""What changes by itself: noise lines, as a source's manifest names them, and what the history of a site shows.

In: a changed block. Out: whether noise lines cover it, or which one would; whether text has come and gone in its place,
or it has itself. They order the list of changes and hide nothing: every text stays, and every change is listed. Noise
lines never cover what binds, nor a line that speaks of law; words (`*`) not in a line that speaks of terms, such as who
pays how much.
"""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal

from rori_spiders.content.changes.model import Change, Words, text_of_side
from rori_spiders.content.html.volatile import LINE_CHARS, speaks_of_law, speaks_of_terms
from rori_spiders.manifest.base import MIN_NOISE_LINE_LETTERS

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
    return [side for side in _both(change.words) if side.strip()] or [""]


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


# What the history of a site shows.

#: Of each kind of trace, so many are kept of a change.
MAX_TRACES = 40
#: A place is known to rotate once text came and went in it in three of a page's last five versions; a section or a
#: label ("Next class:"), once its text was swapped on three days on one page; a passage, once it came, went and came on
#: a site; a line, once its figures changed on five days on one page. Judgements, that no amended rule is known to
#: reach; `python -m benchmarks.change_inbox --material agencies` has what they do.
_VERSIONS, _IN_VERSIONS, _DAYS, _TURNS, _LINE_DAYS = 5, 3, 3, 3, 5
_SWAPPED_SHARE = 0.5
#: Words of both sides that changed, for each that stayed: half of a line is another, or most of it.
_HALF, _MOST = 1, 2
#: Shorter than "3 views" says nothing about where it stands.
_LINE_CHARS = 6
_LINE_FIGURES = re.compile(rf"(?:[\d#]|\b(?:{_MONTHS})\b|[ ,:/.-])+")
#: Fewer letters are no passage that could be known again.
_PASSAGE_LETTERS = 12

#: "Next class:", before what is said of it.
_LABEL = re.compile(r"\W{0,6}((?:[\w']{1,20} ){0,3}[\w']{1,20}):\W{0,3}\s")

Rotation = Literal["", "passage", "place"]


class SiteHistory:
    """What came and went on the pages of a site so far, by the traces that its changes left (`trace_change`)."""

    def __init__(self) -> None:
        self._turns: dict[str, list[bool]] = defaultdict(list)  # of a passage: came, went, came; never one twice
        self._places: dict[int, deque[frozenset[str]]] = defaultdict(lambda: deque(maxlen=_VERSIONS))
        self._days: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))  # of sections, labels, lines

    def add_change(self, page_id: int, day: str, details: Mapping[str, Any]) -> None:
        """Changes are added in the order of their captures."""
        for name, came in (("went", False), ("came", True)):
            for passage in details.get(name, ()):
                if not (turns := self._turns[passage]) or turns[-1] != came:
                    turns.append(came)
        self._places[page_id].append(frozenset(details.get("places", ())))
        for one in (*details.get("swapped", ()), *details.get("lines", ())):
            self._days[one][page_id].add(day)

    def find_rotation(self, page_id: int, change: Change, path: str) -> Rotation:
        """Whether this passage came and went before, or others in its place; "": neither is known."""
        if change.kind not in _KINDS:
            return ""
        went, came = passage_ids(change)
        versions = self._places.get(page_id, ())
        is_restless_place = sum(place_id(change, path) in places for places in versions) >= _IN_VERSIONS
        # Where text rotates, another half of a line is another passage, too.
        if not _is_swapped(change, _HALF if is_restless_place else _MOST):
            if self._most_days(line_id(change)) >= _LINE_DAYS:
                return "passage"
            # What stands there came by itself, and shows another figure.
            return "place" if is_restless_place and (went in self._turns or came in self._turns) else ""
        known = [self._turns_with(one, is_new) >= _TURNS for one, is_new in ((went, False), (came, True)) if one]
        if known and all(known):
            return "passage"
        if is_restless_place:
            return "place"
        names = (section_id(path), *_label_ids(change))
        return "place" if any(self._most_days(one) >= _DAYS for one in names) else ""

    def _most_days(self, name: str) -> int:
        return max(map(len, self._days.get(name, {}).values()), default=0) if name else 0

    def _turns_with(self, passage: str, came: bool) -> int:
        turns = self._turns.get(passage, [])
        return len(turns) + (not turns or turns[-1] != came)


def trace_change(blocks: Iterable[tuple[str, Change]], words_of: Mapping[str, int]) -> dict[str, list[str]]:
    """What later changes of the site are held against, hashed: passages that ``went`` and ``came``, their ``places``,
    and the sections and labels of which half was ``swapped``.

    *blocks*: with their heading paths; *words_of*: of each such section, before and after together.
    """
    went, came, places, swapped = (dict[str, None]() for _ in range(4))
    moved: dict[str, int] = defaultdict(int)
    for path, change in blocks:
        if change.kind not in _KINDS:
            continue
        moved[path] += sum(len(text.split()) for words in change.texts for op, text in words if op != "=")
        if _is_swapped(change):
            one, other = passage_ids(change)
            went[one], came[other], places[place_id(change, path)] = None, None, None
            swapped.update(dict.fromkeys(_label_ids(change)))
    for path, number in moved.items():
        if path in words_of and number >= _SWAPPED_SHARE * words_of[path]:
            swapped[section_id(path)] = None
    found = {"went": went, "came": came, "places": places, "swapped": swapped}
    return {name: [one for one in ids if one][:MAX_TRACES] for name, ids in found.items()}


def _is_swapped(change: Change, times: int = _MOST) -> bool:
    """Whether more came and went together than *times* what stayed; a figure in a sentence that stayed is no other
    passage."""
    if change.kind in {"inserted", "deleted"}:
        return True
    counts: Counter[bool] = Counter()
    for words in change.texts:
        for op, text in words:
            counts[op == "="] += len(text.split())
    return counts[False] > times * counts[True]


def passage_ids(change: Change) -> tuple[str, str]:
    """What went and what came, each known again whatever figures it has; "": nothing, or too little."""
    went, came = (
        " ".join(text for words in change.texts for op, text in words if op in {"=", side})
        if _has(change, side)
        else ""
        for side in "-+"
    )
    return _hash_line(went), _hash_line(came)


def _has(change: Change, side: str) -> bool:
    return any(op == side for words in change.texts for op, _ in words)


def _label_ids(change: Change) -> list[str]:
    """The labels with which the line begins, before and after."""
    labels = (_LABEL.match(line) for line in _sides(change))
    return [hash_text(f"label {one[1].casefold()}") for one in labels if one]


def line_id(change: Change) -> str:
    """What stayed of a line that changed, without figures and months, hashed; "": too little to know it again by."""
    stayed = "".join(text if op == "=" else "#" for op, text in change.words) if change.kind == "changed" else ""
    words = _LINE_FIGURES.sub("#", stayed).strip()
    return hash_text(words) if len(words) >= _LINE_CHARS else ""


def alike_id(changes: Sequence[Change]) -> str:
    """Edits of the same words, whatever their figures and dates; "": too few letters to know them again by."""
    forms = [(one.kind, one.what, [line_form(side) for words in one.texts for side in _both(words)]) for one in changes]
    letters = sum(map(str.isalpha, "".join(form for _, _, sides in forms for form in sides)))
    return hash_text(repr(forms)) if letters >= _PASSAGE_LETTERS else ""


def _both(words: Words) -> list[str]:
    return [text_of_side(words, side) for side in "-+"]


def place_id(change: Change, path: str) -> str:
    """Where a block stands: its section's heading, its kind and its number there."""
    place = change.new or change.old
    return hash_text(f"{line_form(path)} {change.what} {place.number if place else 0}")


def section_id(path: str) -> str:
    """A section by its last heading, on whichever page of the site; "": it has none."""
    heading = line_form(path.rpartition(" > ")[2]).casefold()
    return hash_text(heading) if heading else ""


def _hash_line(text: str) -> str:
    form = line_form(text).strip(" -*>|#").casefold()
    return hash_text(form) if sum(map(str.isalpha, form)) >= _PASSAGE_LETTERS else ""


def hash_text(text: str) -> str:
    """Twelve digits by which a text is known again."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
