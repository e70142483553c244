"""Marks to report in a change: citations, dates, percentages, amounts, numbers, labels, operative words."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from rori_spiders.content import citations
from rori_spiders.content.changes.model import Mark, MarkKind
from rori_spiders.content.changes.word_diff import WORD, Piece

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_DATE = re.compile(
    rf"\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:, ?\d{{4}})?\b|\b\d{{1,2}} {_MONTH} \d{{4}}\b|\b{_MONTH},? \d{{4}}\b"
    r"|\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}/\d{1,2}/(?:\d{4}|\d{2})\b"
)
_MONTH_NAMES = "January|February|March|April|May|June|July|August|September|October|November|December"
#: A month without a day: alone in its cell, or "May of each year".
_MONTH_ALONE = re.compile(
    rf"(?:(?<=\| )|^)(?:{_MONTH_NAMES})(?= ?(?:\||$))|\b(?:{_MONTH_NAMES})(?= of (?:each|every|any|that|the)\b)"
)
#: What "May" stands behind where it is the month.
_BEFORE_MONTH = re.compile(
    rf"(?:\b(?:in|of|by|until|before|after|since|through|during|from|each|every|last|next|early|late)"
    rf"|\b(?:{_MONTH_NAMES})(?:,? (?:and|or|to|through)|,)) $"
)
# A figure of more than 40 digits is none: without that bound a megabyte of digits is read anew from each of them.
_PERCENTAGE = re.compile(
    r"(?<!\d)\d[\d.,/]{0,40}(?: \d/\d)?\s?(?:%|percent(?:age points?)?\b|per centum\b|basis points?\b)"
)
_AMOUNT = re.compile(
    r"(?:US)?[$€£]\s?\d(?:[\d,.]{0,40}\d)?(?: (?:thousand|million|billion|trillion))?"
    r"|\b\d[\d,.]{0,40} (?:dollars|cents)\b"
)
_LABEL = re.compile(r"(?<![^\s*_>+-])(?:\(\w{1,5}\)|\w{1,3}\\?[.)](?=\s))")
#: Words by which a rule binds, permits or makes an exception.
_OPERATIVE = re.compile(
    r"\b(?:not|no|never|nor|cannot|shall|must|may|required|prohibited|except|unless|only|without|notwithstanding)\b",
    re.IGNORECASE,
)
#: What at least one of stands in, or right before, every citation: without it the finder is not asked.
_CITES = re.compile(
    r"[§¶]|[A-Z]{2}|[A-Z]\. ?[A-Z]|[A-Z]\d|\b(?:Fed|Reg|Stat|Pub|[Pp]art|[Ss]ection|[Pp]aragraph|[Aa]ppendix"
    r"|[Ss]upplement|[Cc]omment|[Ll]etter|[Cc]ircular|[Pp]amphlet|[Hh]andbook|[Gg]uide|[Oo]rder|[Dd]ocket|[Cc]hapter|[Ss]ubpart)"
)
_FIGURE = re.compile(r"\d+")
_PLAIN = re.compile(r"\d+(?:[.,]\d+)*")
_LINK = re.compile(r"(?<=\]\()[^()\s]+(?:\([^()\s]*\)[^()\s]*)*(?=[)\s])|\bhttps?://[^\s<>()]+")
_FIGURES: tuple[tuple[re.Pattern[str], MarkKind], ...] = (
    (_DATE, "date"),
    (_PERCENTAGE, "percentage"),
    (_AMOUNT, "amount"),
)
#: Labels stand where a block begins, behind its own marks: "(a)", "- (1)", "1.".
_LABEL_REACH = 12
#: How many spans may stand where one stood before they are no longer looked through one by one.
_LOOKED_AT = 64
#: How far around a change its spans are looked for, in characters: further than a citation or a date is long.
_AROUND = 200
#: Of a change of more characters than this only figures, dates and operative words are marked: a megabyte of law is
#: searched for citations in 0.9 s (one core, 2026-11).
CITED_CHARS = 500_000


class _Span(NamedTuple):
    start: int
    end: int
    kind: MarkKind
    text: str


def marks_between(old: str, new: str, pieces: Sequence[Piece]) -> tuple[Mark, ...]:
    """The marks that changed from *old* to *new*, in order. Every figure that differs is in one of them."""
    if old != new and _PLAIN.fullmatch(old) and _PLAIN.fullmatch(new):  # most cells of most tables
        return (Mark("number", old, new),)
    changed = [piece for piece in pieces if not piece.same]
    before = _touching(old, [(piece.old_start, piece.old_end) for piece in changed])
    after = _touching(new, [(piece.new_start, piece.new_end) for piece in changed])
    marks: list[tuple[int, Mark]] = []
    partners: set[_Span] = set()
    for span in after:
        start, end, is_changed = _range_before(span, pieces)
        partner = _partner(span, [one for one in _overlapping(before, start, end) if one not in partners])
        if partner is not None:
            partners.add(partner)
            if partner.text != span.text:
                marks.append((span.start, Mark(span.kind, partner.text, span.text)))
        elif is_changed:
            marks.append((span.start, Mark(span.kind, None, span.text)))
    gone = ((_changed_at(span, changed), span) for span in before if span not in partners)
    marks += ((at, Mark(span.kind, span.text, None)) for at, span in gone if at is not None)
    return tuple(mark for _, mark in sorted(marks, key=lambda each: each[0]))


def marks_in(text: str, *, added: bool) -> tuple[Mark, ...]:
    """All that could be marked in a text that was inserted or deleted as a whole; labels are its own."""
    found = (span for span in _spans(text, cited=len(text) <= CITED_CHARS) if span.kind != "label")
    return tuple(Mark(span.kind, None if added else span.text, span.text if added else None) for span in found)


def _touching(text: str, ranges: Sequence[tuple[int, int]]) -> list[_Span]:
    """The spans of *text* that lie in one of *ranges*, or end or begin where it does. Both are in order."""
    windows: list[tuple[int, int]] = []
    for start, end in ranges:
        # What is looked at around a change: to the next blanks, or where there is none near, as far as they
        # are looked for.
        first, last = max(0, start - 2 * _AROUND), min(len(text), end + 2 * _AROUND)
        before, behind = text.rfind(" ", first, max(0, start - _AROUND)), text.find(" ", end + _AROUND, last)
        start, end = (before + 1 if before >= 0 else first), (behind if behind >= 0 else last)
        if windows and start <= windows[-1][1]:
            start = windows.pop()[0]
        windows.append((start, end))
    cited = sum(end - start for start, end in windows) <= CITED_CHARS
    found = ((at, span) for at, end in windows for span in _spans(text[at:end], at, cited=cited))
    near = (_Span(at + s.start, at + s.end, s.kind, s.text) for at, s in found)
    ends = [end for _, end in ranges]
    places = ((span, bisect_left(ends, span.start)) for span in near)
    return [span for span, at in places if at < len(ranges) and ranges[at][0] <= span.end]


def _overlapping(spans: Sequence[_Span], start: int, end: int) -> Sequence[_Span]:
    first = bisect_right(spans, start, key=lambda span: span.end)
    return spans[first : min(bisect_left(spans, end, key=lambda span: span.start), first + _LOOKED_AT)]


def _partner(span: _Span, others: Sequence[_Span]) -> _Span | None:
    """What *span* was before: the same text if it is there, else the first of its kind."""
    of_kind = [one for one in others if one.kind == span.kind]
    return next((one for one in of_kind if one.text == span.text), of_kind[0] if of_kind else None)


def _range_before(span: _Span, pieces: Sequence[Piece]) -> tuple[int, int, bool]:
    """What of the old text *span* of the new one corresponds to, and whether any of it changed."""
    first = bisect_right(pieces, span.start, key=lambda piece: piece.new_end)
    over = list(takewhile(lambda piece: piece.new_start < span.end, pieces[first : first + _LOOKED_AT]))
    start, end = over[0].old_start, over[-1].old_end
    if over[0].same:
        start += span.start - over[0].new_start
    if over[-1].same:
        end -= over[-1].new_end - span.end
    return start, end, not all(piece.same for piece in over)


def _changed_at(span: _Span, changed: Sequence[Piece]) -> int | None:
    """Where in the new text the change begins that *span* of the old one is part of; None if it is in none."""
    first = bisect_right(changed, span.start, key=lambda piece: piece.old_end)
    return changed[first].new_start if first < len(changed) and changed[first].old_start < span.end else None


def _spans(text: str, at: int = 0, *, cited: bool) -> list[_Span]:
    """The spans of *text* in order, none over another: the kind that is looked for first has the place.

    *at* is where in its block the text begins; *cited* whether citations are looked for.
    """
    taken = bytearray(len(text))
    spans = []
    for span in _candidates(text, at, cited=cited):
        if not any(taken[span.start : span.end]):
            taken[span.start : span.end] = b"\x01" * (span.end - span.start)
            spans.append(span)
    return sorted(spans)


def _candidates(text: str, at: int, *, cited: bool) -> Iterator[_Span]:
    has_figures = _FIGURE.search(text)
    if "http" in text or "](" in text:  # first: figures of an address are no figures of the text
        yield from _matches(_LINK, "link", text)
    if cited and has_figures and _CITES.search(text):
        yield from (_Span(c.start, c.end, "citation", text[c.start : c.end]) for c in citations.find(text))
    if has_figures:
        for pattern, kind in _FIGURES:
            yield from _matches(pattern, kind, text)
    yield from _matches(_MONTH_ALONE, "date", text)
    label = _LABEL.search(text, 0, _LABEL_REACH) if not at else None
    if label:
        yield _Span(label.start(), label.end(), "label", label[0])
    if has_figures:
        words = (match for match in WORD.finditer(text) if _FIGURE.search(match[0]))
        yield from (_Span(match.start(), match.end(), "number", match[0]) for match in words)
        yield from _matches(_FIGURE, "number", text)  # what is left of a word that is a date, say, in another part
    yield from (one for one in _matches(_OPERATIVE, "operative", text) if not _is_month(one, text))


def _is_month(span: _Span, text: str) -> bool:
    """Whether "May" is the month: "in May", "April and May"."""
    return span.text == "May" and _BEFORE_MONTH.search(text, max(0, span.start - 24), span.start) is not None


def _matches(pattern: re.Pattern[str], kind: MarkKind, text: str) -> Iterator[_Span]:
    return (_Span(match.start(), match.end(), kind, match[0]) for match in pattern.finditer(text))
