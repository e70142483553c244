"""Numbering of paragraphs, written out as text: "(a)", "Section 1.02", "IV." are part of what the law says.

Word keeps none of it in the text; ``numbering.xml`` says how to count. Here each numbered paragraph gets its label as
a first run, and its list becomes one of bullets, so that mammoth nests it and does not count itself.
"""

import re

from lxml import etree
from lxml.etree import _Element

from rori_spiders.content.documents.word.styles import LABEL, Styles
from rori_spiders.content.documents.word.wordprocessingml import W, text_run, value
from rori_spiders.content.markdown.lists import enumerator

_LEVELS = 9
_FORMS = {"upperLetter": "A", "lowerLetter": "a", "upperRoman": "I", "lowerRoman": "i"}
_SILENT = {"bullet", "none"}
_ONES = (
    *("One", "Two", "Three", "Four", "Five", "Six", "Seven"),
    *("Eight", "Nine", "Ten", "Eleven", "Twelve", "Thirteen", "Fourteen"),
    *("Fifteen", "Sixteen", "Seventeen", "Eighteen", "Nineteen"),
)
_TENS = ("Twenty", "Thirty", "Forty", "Fifty", "Sixty", "Seventy", "Eighty", "Ninety")
_ORDINALS = {"One": "First", "Two": "Second", "Three": "Third", "Five": "Fifth", "Eight": "Eighth", "Nine": "Ninth"}
_ORDINALS |= {"Twelve": "Twelfth"}
_PLACE = re.compile(r"%([1-9])")


class _Level:
    def __init__(self, element: _Element) -> None:
        self.form = value(element, "numFmt") or "decimal"
        self.text = value(element, "lvlText") or ""
        start = value(element, "start") or ""
        self.start = int(start) if start.isdecimal() else 1
        self.is_legal = value(element, "isLgl") is not None
        restart = value(element, "lvlRestart") or ""
        self.restarts = restart != "0"


class Counting:
    """The counters of one file, moved on paragraph by paragraph."""

    def __init__(self, root: _Element | None, styles: Styles) -> None:
        self._styles = styles
        self._is_english = (styles.language or "en").casefold().startswith("en")
        self._abstract: dict[str, dict[int, _Level]] = {}
        self._lists: dict[str, tuple[str, dict[int, int]]] = {}
        self._counts: dict[str, list[int | None]] = {}
        self._begun: set[str] = set()
        if root is not None:
            self._read(root)

    def _read(self, root: _Element) -> None:
        for each in root.findall(f"{W}abstractNum"):
            levels = {_number(level.get(f"{W}ilvl")): _Level(level) for level in each.findall(f"{W}lvl")}
            self._abstract[each.get(f"{W}abstractNumId", "")] = levels
        for each in root.findall(f"{W}num"):
            kind = value(each, "abstractNumId") or ""
            starts = {}
            for override in each.findall(f"{W}lvlOverride"):
                at = _number(override.get(f"{W}ilvl"))
                if (start := value(override, "startOverride")) is not None:
                    starts[at] = _number(start)
                if (level := override.find(f"{W}lvl")) is not None:
                    own = f"{kind}/{each.get(f'{W}numId')}"
                    self._abstract[own] = {**self._abstract.get(kind, {}), at: _Level(level)}
                    kind = own
            self._lists[each.get(f"{W}numId", "")] = (kind, starts)

    def write_out(self, root: _Element) -> None:
        """Put its label before the text of each numbered paragraph of the tree."""
        for paragraph in root.iter(f"{W}p"):
            place = self._place(paragraph)
            if place is None or not (label := self._next(*place)):
                continue
            about = paragraph.find(f"{W}pPr")
            if about is None:
                about = etree.Element(f"{W}pPr")
                paragraph.insert(0, about)
            _place_in(about, *place)
            paragraph.insert(paragraph.index(about) + 1, text_run(f"{label} ", LABEL))

    def _place(self, paragraph: _Element) -> tuple[str, int] | None:
        """The list and level of a paragraph: its own, or those of its style."""
        about = paragraph.find(f"{W}pPr")
        by_style = self._styles.numbering(value(about, "pStyle"))
        number = value(about, "numPr", "numId")
        level = value(about, "numPr", "ilvl")
        if number is None and by_style is None:
            return None
        listed, deep = by_style or ("0", 0)
        return (number if number is not None else listed), (_number(level) if level is not None else deep)

    def _next(self, number: str, level: int) -> str:
        kind, starts = self._lists.get(number, ("", {}))
        levels = self._abstract.get(kind, {})
        if level not in levels or not 0 <= level < _LEVELS:
            return ""
        counts = self._counts.setdefault(kind, [None] * _LEVELS)
        if number not in self._begun:
            self._begun.add(number)
            for at, start in starts.items():
                if 0 <= at < _LEVELS:
                    counts[at] = start - 1
        before = counts[level]
        counts[level] = levels[level].start if before is None else before + 1
        for deeper in range(level + 1, _LEVELS):
            if deeper not in levels or levels[deeper].restarts:
                counts[deeper] = None
        return self._label(levels, level, counts)

    def _label(self, levels: dict[int, _Level], level: int, counts: list[int | None]) -> str:
        own = levels[level]
        if own.form in _SILENT:
            return ""

        def shown(found: re.Match[str]) -> str:
            at = int(found[1]) - 1
            each = levels.get(at, own)
            count = counts[at]
            form = "decimal" if own.is_legal or (each.form in _ENGLISH and not self._is_english) else each.form
            return _shown(each.start if count is None else count, form)

        return _PLACE.sub(shown, own.text).strip()


def _place_in(about: _Element, number: str, level: int) -> None:
    """Say in the paragraph itself where it stands: mammoth does not look for it in styles."""
    for old in about.findall(f"{W}numPr"):
        about.remove(old)
    numbered = etree.SubElement(about, f"{W}numPr")
    etree.SubElement(numbered, f"{W}ilvl").set(f"{W}val", str(level))
    etree.SubElement(numbered, f"{W}numId").set(f"{W}val", number)


def only_bullets(root: _Element) -> None:
    """Make every list one of bullets: its numbers have been written out."""
    for form in root.iter(f"{W}numFmt"):
        form.set(f"{W}val", "bullet")


#: Forms that are words or endings of the document's language.
_ENGLISH = frozenset({"cardinalText", "ordinalText", "ordinal"})


def _shown(number: int, form: str) -> str:
    """A number as Word shows it (ECMA-376 part 1, §17.18.59), in words as English Word has them up to 99.

    Larger ones in words, and those of other scripts and languages, are shown in figures.
    """
    if form in ("cardinalText", "ordinalText") and 0 < number < 100:
        return _in_words(number, is_ordinal=form == "ordinalText")
    if form in ("upperLetter", "lowerLetter") and number > 0:
        letter = chr(ord(_FORMS[form]) + (number - 1) % 26)
        return letter * ((number - 1) // 26 + 1)  # after z comes aa, then bb
    if form in _FORMS:
        return enumerator(number, _FORMS[form])
    if form == "decimalZero":
        return f"{number:02}"
    if form == "ordinal":
        tail = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
        return f"{number}{tail}"
    return "" if form in _SILENT else str(number)


def _in_words(number: int, *, is_ordinal: bool) -> str:
    tens, ones = divmod(number, 10)
    words = (
        [_ONES[number - 1]]
        if number < 20
        else [_TENS[tens - 2], *_ONES[ones - 1 : ones]]
        if ones
        else [_TENS[tens - 2]]
    )
    if is_ordinal:
        last = words[-1]
        words[-1] = _ORDINALS.get(last, f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")
    return "-".join([words[0], *(word.lower() for word in words[1:])])


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 7 else 0
