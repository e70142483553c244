"""Markdown as plain text, with the way back: each character knows its offset in the original; and the place of a
quote in it.  White space is one blank, quote marks are straight; marks of emphasis, link targets and escapes are
gone. A quote is located without regard to these. A quote that begins or ends within a word or a number stands
nowhere: "5.25%" is not in "15.25%".
"""

import re
from bisect import bisect_left
from typing import NamedTuple

_QUOTES = str.maketrans("‘’‚‛′´“”„‟″«»", "'" * 6 + '"' * 7)
# A link's brackets and target, which a reader does not see; its words stay. Bounded, so that no page takes long.
# Parentheses in a target stand in pairs, five deep in queries of old catalogues.
_PAIR = r"\([^()\s]{0,500}\)"
for _ in range(4):
    _PAIR = rf"\((?>(?:[^()\s]|{_PAIR}){{0,500}})\)"
_LINK = re.compile(rf"!?\[([^\[\]]{{0,2000}})\](\((?>(?:[^()\s]|{_PAIR}){{0,2000}})(?: \"[^\"\n]{{0,500}}\")?\))")
_BREAKS = re.compile(
    r"(?P<blank>\s+)|(?P<unseen>[\u200b-\u200d\u2060\ufeff\u00ad]+)|(?P<escape>\\(?=[!-/:-@\[-`{-~]))|(?P<mark>[*`]+)"
)


class PlainText(NamedTuple):
    """``text`` as a reader sees it; ``places[n]`` is the offset of its n-th character in the original."""

    text: str
    places: list[int]

    def between(self, start: int, end: int) -> tuple[int, int]:
        """The part of ``text`` that comes from the original's characters *start* to *end*."""
        return bisect_left(self.places, start), bisect_left(self.places, end)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The range of the non-empty ``text[start:end]`` in the original."""
        return self.places[start], self.places[end - 1] + 1


def to_plain_text(markdown: str) -> PlainText:
    """*markdown* as a reader sees it."""
    parts: list[str] = []
    places: list[int] = []
    at = 0
    ends_blank = False
    for start, end, shown in (*_markup_replacements(markdown), (len(markdown), len(markdown), "")):
        if start < at:  # within something that is hidden already
            continue
        if start > at:
            parts.append(markdown[at:start].translate(_QUOTES))
            places.extend(range(at, start))
            ends_blank = False
        if shown and not ends_blank:
            parts.append(shown)
            places.append(start)
            ends_blank = True
        at = end
    return PlainText("".join(parts), places)


def _markup_replacements(markdown: str) -> list[tuple[int, int, str]]:
    """Markup and what readers see instead of it: start, end, visible text, in order."""
    changes = []
    for link in _LINK.finditer(markdown):
        changes += [(link.start(), link.start(1), ""), (link.end(1), link.end(), "")]
    for found in _BREAKS.finditer(markdown):
        if found["escape"]:
            # The next character is text: a star that is escaped marks nothing.
            changes.append((found.start(), found.end(), ""))
        elif found["mark"] and _is_escaped(markdown, found.start()):
            if len(found[0]) > 1:
                changes.append((found.start() + 1, found.end(), ""))
        else:
            changes.append((found.start(), found.end(), " " if found["blank"] else ""))
    return sorted(changes)


def _is_escaped(markdown: str, at: int) -> bool:
    return at > 0 and markdown[at - 1] == "\\" and not (at > 1 and markdown[at - 2] == "\\")


# Find a quote in a page as a reader would.

#: What holds a number together, between two digits.
_IN_NUMBERS = ",.:/"
#: Signs belong to the number that they stand before.
_SIGNS = "-−–"


class QuotePlace(NamedTuple):
    """A range of the plain text, and how often its words occur in the searched part."""

    start: int
    end: int
    occurrences: int


def locate_quote(quote: str, page: PlainText, part: tuple[int, int]) -> QuotePlace | None:
    """The first place of *quote* within *part*, a stretch of ``page.text``; None where it stands nowhere.

    A quote of a table's row need not have the marks between its cells, one of links not their brackets and targets.
    """
    needle = to_plain_text(quote).text.strip()
    if not needle:
        return None
    found = _whole_places(page.text, needle, part)
    text = page.text[slice(*part)]
    if not found and ("|" in text or "[" in text or "[" in needle):
        shown, places = _without_marks(text, part[0])
        needle = _without_marks(_CUT_TARGET.sub("]", needle).strip("| "), 0)[0]
        found = [
            (places[start], places[end - 1] + 1)
            for start, end in (_whole_places(shown, needle, (0, len(shown))) if needle else ())
        ]
    return QuotePlace(*found[0], len(found)) if found else None


def _whole_places(text: str, needle: str, part: tuple[int, int]) -> list[tuple[int, int]]:
    places = []
    at = text.find(needle, *part)
    while at >= 0:
        if _is_whole(text, at, at + len(needle)):
            places.append((at, at + len(needle)))
        at = text.find(needle, at + 1, part[1])
    return places


#: Between two cells of a row (between two rows there are two of them), and around the words of a link.
_MARKS = re.compile(r"(?<!\|) \|(?= [^|])|[\[\]]")
#: The target of a link that the quote cuts off.
_CUT_TARGET = re.compile(r"\]\(\S*")


def _without_marks(text: str, start: int) -> tuple[str, list[int]]:
    """*text* without the marks of cells and links; the places of its characters, where *text* begins at *start*."""
    marks = {place for found in _MARKS.finditer(text) for place in range(*found.span())}
    places = [place for place in range(len(text)) if place not in marks]
    return "".join(text[place] for place in places), [start + place for place in places]


def _is_whole(text: str, start: int, end: int) -> bool:
    return not _splits_token(text, start) and not _splits_token(text, end)


def _splits_token(text: str, at: int) -> bool:
    """Whether a word or a number continues across *at*."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before.isalnum() and after.isalnum():
        return True
    if after.isdigit() and before in _SIGNS:
        return at < 2 or not text[at - 2].isalnum()  # the hyphen of "30-60" is not a sign
    if before in _IN_NUMBERS and after.isdigit():
        return at > 1 and text[at - 2].isdigit()
    return before.isdigit() and after in _IN_NUMBERS and at + 1 < len(text) and text[at + 1].isdigit()
