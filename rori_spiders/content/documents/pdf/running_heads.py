"""Remove running heads and feet: lines at the same place on most pages. Their first occurrence stays.

A line is the same when its words are, but for one number that grows with the pages: ``77242 Federal Register / Vol. 79,
No. 248``. Left and right pages are counted apart too, for books set them as mirrors. Of two pages a line runs that both
show at one height. Whatever is not certain is text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from rori_spiders.content.documents.pdf.lines import Line
from rori_spiders.content.documents.pdf.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.content.documents.pdf.page_layout import Item, Page

# Heads and feet of up to three lines: the Federal Register has one above and up to two below.
_LINES = 3
# A gap of 1.6 sizes parts them from the text, whose lines are 1.0 to 1.5 apart.
_APART = 1.6
# From the top of print to its baseline, in sizes.
_RISE = 0.7
# "Most": on so large a share of the pages, of the left ones or of the right ones, and on three at least.
_SHARE, _FEWEST = 0.6, 3
# "The same place": within so many points up or down.
_SAME = 6.0
_LEVEL = 2.0
_NUMBER = re.compile(r"\d{1,9}")
# What these words number is counted page by page where each page holds one: tables of the years, exhibits.
_COUNTED = re.compile(
    r"(?:§|\b(?:tables?|exhibits?|figures?|sec(?:tion|\.)?|chapter|part|appendix|attachment|schedule|form|article|title|item"
    r"|step|model|example|annex|rule|notice|letter|year|in|for|since|until|through|effective))\s*(?:no\.\s*)?$",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
# Two pages show less than three: a line is running there if it says the same on both, or says that it numbers them.
_NUMBERS_PAGES = re.compile(r"(?:.*\bpage )?\{page\+0\}(?: ?(?:of|/) ?2\b.*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Running:
    """Removed running lines: names for ``removed``, the lines with ``{page+N}`` for their number, the characters."""

    names: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    chars: int = 0
    kept: frozenset[int] = frozenset()  # ids of those lines that stay, the first of each


@dataclass(frozen=True, slots=True)
class _Seen:
    page: Page
    line: Line


def take_out(pages: list[Page]) -> Running:
    """Remove from *pages* the running lines, but for the first of each that has words."""
    seen: dict[tuple[str, str], list[_Seen]] = {}
    for page in pages:
        for place, line in _candidates(page):
            for form in _forms(line.text, page.number):
                seen.setdefault((place, form), []).append(_Seen(page, line))
    gone: dict[int, Line] = {}
    spared_lines: set[int] = set()
    names: dict[str, None] = {}
    forms: dict[str, None] = {}
    for (place, form), found in seen.items():
        running = _running(found, pages) if len(pages) != 2 else _on_both(found, form, place)
        spared = running[1:] if _LETTER.search(form.replace("{page", "")) else running
        spared_lines |= {id(part.line) for part in running[: len(running) - len(spared)] if spared}
        for part in spared:
            gone[id(part.line)] = part.line
        if spared:
            names[place if _LETTER.search(form.replace("{page", "")) else "page_number"] = None
            forms[form] = None
    for page in pages:
        page.items = [item for item in page.items if id(item) not in gone]
        page.aside = [line for line in page.aside if id(line) not in gone]
    chars = sum(len(line.text.replace(" ", "")) for line in gone.values())
    return Running(tuple(names), tuple(forms), chars, frozenset(spared_lines - gone.keys()))


def _candidates(page: Page) -> Iterator[tuple[str, Line]]:
    """The lines where running ones stand: at the top and the foot of the page, and along its margin."""
    items = sorted(page.items, key=lambda item: -item.y)
    heads = _edge(items)
    feet = _edge(items[::-1])
    for line in (item for item in items if isinstance(item, Line)):
        if any(line is other for other in heads):
            yield "running_head", line
        elif any(line is other for other in feet):
            yield "running_foot", line
    for line in page.aside:
        yield "running_margin", line


def _edge(items: list[Item]) -> list[Line]:
    """The outermost lines, up to `_LINES` baselines, as far as a gap parts them from the text, or from a table."""
    count = baselines = 0
    for index, (line, inner) in enumerate(pairwise(items), 1):
        if isinstance(line, Table):
            break
        if isinstance(inner, Table):
            step = max(line.y - inner.top + _RISE * line.size, inner.y - line.y)
            count = index if step > _APART * line.size else count
            break
        step = abs(line.y - inner.y)
        baselines += step > _LEVEL
        if baselines > _LINES:
            break
        if step > _APART * max(line.size, inner.size):
            count = index
    return [item for item in items[:count] if isinstance(item, Line)]


def _forms(text: str, page: int) -> Iterator[str]:
    """The line as it is, and with each of its numbers told by the page's that may be one."""
    yield text
    for found in _NUMBER.finditer(text):
        if _COUNTED.search(text, 0, found.start()):
            continue
        yield f"{text[: found.start()]}{{page{int(found[0]) - page:+d}}}{text[found.end() :]}"


def _running(found: list[_Seen], pages: list[Page]) -> list[_Seen]:
    """Those that stand at one height on most pages, in the order of the pages; none if they do not."""
    if len(found) < _FEWEST:
        return []
    height = median(part.line.y for part in found)
    level = [part for part in found if abs(part.line.y - height) <= _SAME]
    numbers = {part.page.number for part in level}
    for parity in ((0, 1), (0,), (1,)):
        all_pages = sum(page.number % 2 in parity for page in pages)
        on = sum(number % 2 in parity for number in numbers)
        if on >= _FEWEST and on >= _SHARE * all_pages:
            return level
    return []


def _on_both(found: list[_Seen], form: str, place: str) -> list[_Seen]:
    """Those that stand at one height on both of two pages; none if it is not certain that they run."""
    if len(found) != 2 or found[0].page is found[1].page or abs(found[0].line.y - found[1].line.y) > _LEVEL:
        return []
    if "{page" in form:
        is_sure = place != "running_margin" and _NUMBERS_PAGES.fullmatch(form) is not None
    else:
        is_sure = _LETTER.search(form) is not None
    return found if is_sure else []
