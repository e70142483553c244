"""Find headings and their levels from the PDF outline, or from print larger or bolder than the body.

Only what stands apart counts: body text never becomes a heading, and a heading that is not certain stays text.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from rori_spiders.content.documents.pdf.lines import Line

if TYPE_CHECKING:
    import pypdfium2  # type: ignore[import-untyped]  # it ships no types

    from rori_spiders.content.documents.pdf.page_layout import Page

    Entries = dict[int, list[tuple[int, str]]]  # page number, from 1 -> level, from 1, and normalised title of each
    Levels = dict[int, int]  # id of a line -> its level


_LONGEST, _ROWS = 200, 4
_LONGEST_BOLD = 120
# Rows of one heading follow at 1.0 to 1.3 sizes.
_STEP, _EVEN = 1.45, 1.3
_LETTERS = re.compile(r"(?:[^\W\d_][^A-Za-z]*){3}")
_START = re.compile(r"[A-Z0-9§\"“]")
_ENDS = (".", ";", ":", ",")


def levels(pages: list[Page], entries: Entries) -> Levels:
    """The level of each line that is a heading, or a part of one."""
    print_ = Print(pages)
    found: Levels = {}
    for page in pages:
        found |= named(lines_of(page), entries.get(page.number, []))
    by_size = _by_size(print_, pages, found)
    bold: list[list[Line]] = []
    names_sections = sum(map(len, entries.values())) > 1
    for page in pages:
        lines = lines_of(page)
        for group in _groups(lines):
            if any(id(line) in found for line in group) or not _may_head(group):
                continue
            if level := by_size.get(rounded(group[0].size), 0):
                found |= dict.fromkeys(map(id, group), min(level, DEEPEST))
            elif print_.bold_tells and not names_sections and _stands_apart(group, lines, print_):
                bold.append(group)
    deepest = max([0, *by_size.values()])
    for group, rank in zip(bold, _ranks(bold), strict=True):
        found |= dict.fromkeys(map(id, group), min(deepest + 1 + rank, DEEPEST))
    return found


# Bold headings among themselves: which are below which, by size, by numbering, by capitals; alike if it is not certain.

_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3})+)\.?\s|(\d{1,3})[.)]\s|([IVXL]{1,6}|[A-Z])[.)]\s")
_ROMAN = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV")
# What tells two levels apart is seen twice, and first; sizes differ by a point.
_FEWEST_HIGHER, _POINT = 2, 1.0


def _ranks(groups: list[list[Line]]) -> list[int]:
    """How far below the highest of them each heading is, from 0."""
    sizes = [rounded(group[0].size) for group in groups]
    large = max(sizes, default=0.0)
    lower = [size <= large - _POINT for size in sizes]
    if any(lower) and not lower[0] and lower.count(False) >= _FEWEST_HIGHER:
        return [int(is_lower) for is_lower in lower]
    texts = [" ".join(line.text for line in group) for group in groups]
    numbers = [_NUMBERED.match(text) for text in texts]
    if any(numbers):
        return _by_numbers(numbers)
    capitals = [text.isupper() for text in texts]
    if not any(capitals) or not capitals[0] or sum(capitals) < _FEWEST_HIGHER:
        return [0] * len(texts)
    return [int(not is_upper) for is_upper in capitals]


def _by_numbers(numbers: list[re.Match[str] | None]) -> list[int]:
    """Ranks by ``1.``, ``2.1``, and by ``I.``, ``A.``, ``1.``, each of which begins anew below the one above.

    A number that does not follow, such as ``1.`` after ``B.`` of a text that is cut, makes all alike. What has no
    number is as high as the highest.
    """
    ranks: list[int] = []
    path: list[tuple[str, int]] = []  # kind and number of the heading and of those above it
    for number in numbers:
        if number is None:
            path = []
            ranks.append(0)
            continue
        options = _read_number(number)
        depth = next((at for at in reversed(range(len(path))) if any((k, n - 1) == path[at] for k, n in options)), None)
        first = next(((kind, value) for kind, value in options if value == 1), None)
        if number[1]:
            depth = number[1].count(".")
            if depth > len(path):
                return [0] * len(numbers)
            path = [*path[:depth], ("decimal", 0)]
        elif depth is not None:
            path = [*path[:depth], next((k, n) for k, n in options if (k, n - 1) == path[depth])]
        elif first and first[0] not in {kind for kind, _ in path}:
            path = [*path, first]
        else:
            return [0] * len(numbers)
        ranks.append(len(path) - 1)
    return ranks


def _read_number(number: re.Match[str]) -> list[tuple[str, int]]:
    """What a number may be: ``I`` is the first Roman one, and the ninth letter."""
    if number[2]:
        return [("number", int(number[2]))]
    found = []
    if number[3] in _ROMAN:
        found.append(("roman", _ROMAN.index(number[3])))
    if number[3] and len(number[3]) == 1:
        found.append(("letter", ord(number[3]) - ord("A") + 1))
    return found


def _by_size(print_: Print, pages: list[Page], named: Levels) -> dict[float, int]:
    """The level of each larger size: as the outline used it, else one below the next larger."""
    used: dict[float, Counter[int]] = {}
    for page in pages:
        for line in lines_of(page):
            if id(line) in named:
                used.setdefault(rounded(line.size), Counter())[named[id(line)]] += 1
    found: dict[float, int] = {}
    last = 0
    for size in print_.larger:
        counts = used.get(size)
        last = min(DEEPEST, max(counts, key=lambda level: (counts[level], -level)) if counts else last + 1)
        found[size] = last
    return found


def _groups(lines: list[Line]) -> list[list[Line]]:
    """Rows of one print that follow one another in even steps: a heading is all of such a group, or none."""
    groups: list[list[Line]] = []
    step = 0.0
    for line in lines:
        last = groups[-1][-1] if groups else None
        down = last.y - line.y if last else 0.0
        if last and _same_print(last, line) and 0 < down <= (_EVEN * step or _STEP * line.size):
            groups[-1].append(line)
            step = down
        else:
            groups.append([line])
            step = 0.0
    return groups


def _same_print(one: Line, other: Line) -> bool:
    return rounded(one.size) == rounded(other.size) and one.bold == other.bold


def _may_head(group: list[Line]) -> bool:
    text = " ".join(line.text for line in group)
    if any(line.tabular for line in group):
        return False
    return len(group) <= _ROWS and len(text) <= _LONGEST and bool(_LETTERS.search(text))


def _stands_apart(group: list[Line], lines: list[Line], print_: Print) -> bool:
    """Whether bold rows of the body's size are a heading: short, no sentence, text of the body below it."""
    text = " ".join(line.text for line in group)
    if not group[0].bold or len(group) > 2 or len(text) > _LONGEST_BOLD or group[0].size < 0.98 * print_.body:
        return False
    if text.endswith(_ENDS) or not _START.match(text):
        return False
    below = lines.index(group[-1]) + 1
    after = next((line for line in lines[below : below + _ROWS] if not line.bold), None)
    return after is not None and after.y < group[-1].y


# The outline (bookmarks) of a PDF: which headings it names on which page, at which level.

# Handbook 4000.1 has some 3,000; an outline of more is an index.
_MAX_ENTRIES = 20_000
DEEPEST = 6  # of markdown's headings
_OUTLINE_ROWS = 4
# How headings are numbered in print while the outline leaves it out: "4.4", "Chapter 4.", "§ 1026.32", "II.A".
_LABEL = re.compile(r"(?:chapter|section|part|subpart|appendix)?[0-9ivxlc.]{0,12}[a-z]?[0-9]{0,4}")


def read(document: pypdfium2.PdfDocument) -> Entries:
    """Level and normalised title of each entry, by page number.

    Entries that lead to no page or have no title are left out: many outlines are broken, and none is needed.
    """
    entries: Entries = {}
    for bookmark in islice(document.get_toc(), _MAX_ENTRIES):
        destination = bookmark.get_dest()
        page = destination.get_index() if destination else None
        title = normal(bookmark.get_title())
        if page is not None and title:
            entries.setdefault(page + 1, []).append((bookmark.level + 1, title))
    return entries


def normal(text: str) -> str:
    """Letters and digits only, without case: outlines differ from print in blanks, dashes and quotes."""
    return "".join(char for char in text.casefold() if char.isalnum())


def named(lines: list[Line], entries: list[tuple[int, str]]) -> Levels:
    """The lines that the outline names: their own text, over up to four rows, the largest where there are several."""
    found: Levels = {}
    if not entries:
        return found
    texts = [normal(line.text) for line in lines]
    for level, title in entries:
        matches = [
            range(start, end)
            for start in range(len(lines))
            for end in range(start + 1, min(start + _OUTLINE_ROWS, len(lines)) + 1)
            if _is_title("".join(texts[start:end]), title) and not any(id(line) in found for line in lines[start:end])
        ]
        if matches:
            best = max(matches, key=lambda rows: (lines[rows[0]].size, -rows[0]))
            found |= {id(lines[row]): min(level, DEEPEST) for row in best}
    return found


def _is_title(text: str, title: str) -> bool:
    return text == title or (text.endswith(title) and bool(_LABEL.fullmatch(text[: -len(title)])))


# The print of a document: the size of its body, and the sizes and the weight that stand out from it.

# Print shops set headings from 1.2 times the body's size on; below 1.15 a difference is a change of font.
_LARGER = 1.15
# More of a document than this cannot be headings: it is a poster, or its body has two sizes. Bold is used for more.
_LARGE_SHARE, _BOLD_SHARE = 0.25, 0.15
# Characters of which the body must have so many to be one: some four lines.
_LEAST_BODY = 300


class Print:
    """The sizes of a document's print: of its body, and of what is larger."""

    def __init__(self, pages: list[Page]) -> None:
        chars: Counter[float] = Counter()
        bold = total = 0
        for page in pages:
            for line in lines_of(page):
                chars[rounded(line.size)] += len(line.text)
                bold += len(line.text) * line.bold
                total += len(line.text)
        self.body = max(chars, key=lambda size: (chars[size], -size), default=0.0)
        larger = {size: count for size, count in chars.items() if size >= _LARGER * self.body}
        has_body = chars[self.body] >= _LEAST_BODY
        self.larger = sorted(larger, reverse=True) if has_body and sum(larger.values()) <= _LARGE_SHARE * total else []
        self.bold_tells = has_body and bold <= _BOLD_SHARE * total


def rounded(size: float) -> float:
    """Half points: the same print differs by less from page to page."""
    return round(size * 2) / 2


def lines_of(page: Page) -> list[Line]:
    """The lines of a page, tables left out."""
    return [item for item in page.items if isinstance(item, Line)]
