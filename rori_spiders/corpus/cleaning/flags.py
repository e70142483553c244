"""What makes a page one for a person: one visit shows one variant of it, or not all that it has. Seen, never mended.

In: the blocks as cleaned. Out: flags, each with what was seen. A flag costs a look; its absence proves nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rori_spiders.content.differences.blocks import cells_of
from rori_spiders.corpus.cleaning.blocks import line_of
from rori_spiders.corpus.cleaning.draft import NEEDS_VARIANT_REVIEW, Flagged
from rori_spiders.corpus.cleaning.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rori_spiders.corpus.cleaning.blocks import Block
    from rori_spiders.corpus.cleaning.page import Page

_AMOUNT = re.compile(r"[$€£¥]\s?\d|\d\s?(?:USD|EUR|GBP)\b")
_PERIODS = (re.compile(r"\bmonth(?:ly)?\b", re.IGNORECASE), re.compile(r"\b(?:annual(?:ly)?|yearly)\b", re.IGNORECASE))
#: Words on a switch ("Monthly", "Pay annually and save"); sentences about billing have more.
_SWITCH_WORDS = 6
_CALCULATOR = re.compile(r"\b(?:calculator|estimator|simulator)s?\b", re.IGNORECASE)
_TEMPLATE = re.compile(r"\{\{[^{}\n]{1,80}\}\}")
_WAITING = re.compile(
    r"(?:loading|please wait)(?: \w+)?[.… ]*$|.{0,40}\b(?:enable|turn on) java ?script\b", re.IGNORECASE
)
_WAITING_WORDS = 25
#: Of 755 pages 422 have a table with a column without a name: bars of links, labels with their values. 17 have one
#: with so many rows and a third column.
_TABLE_ROWS = 3
#: Headings without anything below them: so many, and such a share of all.
_EMPTY_LEAST, _EMPTY_SHARE = 3, 0.5


def flags_of(blocks: Sequence[Block], page: Page) -> Iterator[Flagged]:
    """The flags of the page in a fixed order, with ``needs_variant_review`` last where site rules ask for it."""
    tests = (
        ("contains_pricing_toggle", _pricing_toggle(blocks)),
        ("contains_calculator", _calculator(blocks, page)),
        ("has_query_driven_prices", _query_driven(blocks, page)),
        ("has_table_with_missing_headers", _without_headers(blocks)),
        ("lost_content", _lost(blocks)),
    )
    found = [Flagged(name, evidence[:300]) for name, evidence in tests if evidence]
    yield from found
    if asked := [one.name for one in found if one.name in page.rules.flag_for_review_when]:
        yield Flagged(NEEDS_VARIANT_REVIEW, ", ".join(asked))


def _pricing_toggle(blocks: Sequence[Block]) -> str | None:
    if not _has_amounts(blocks):
        return None
    seen = [visible(block.text) for block in blocks if block.kind in {"paragraph", "item"} and len(block.text) < 200]
    switches = [one.text for one in seen if one.words <= _SWITCH_WORDS and not _AMOUNT.search(one.text)]
    found = [next((text for text in switches if period.search(text)), None) for period in _PERIODS]
    return " / ".join(dict.fromkeys(filter(None, found))) if all(found) else None


def _calculator(blocks: Sequence[Block], page: Page) -> str | None:
    names = [page.title, *(line_of(block) for block in blocks if block.kind == "heading" and block.level <= 2)]
    named = next((name for name in names if _CALCULATOR.search(name)), None)
    last = urlsplit(page.url).path.rstrip("/").rpartition("/")[2].replace("-", " ").replace("_", " ")
    return named or (last if _CALCULATOR.search(last) else None)


def _query_driven(blocks: Sequence[Block], page: Page) -> str | None:
    """Prices, and a link to the same page with another query: what it says depends on that."""
    if not _has_amounts(blocks):
        return None
    own = urlsplit(page.url)
    targets = (target for block in blocks if "?" in block.text for target in visible(block.text).targets)
    for target in targets:
        try:
            other = urlsplit(target)
        except ValueError:
            continue
        if other.query and other.query != own.query and (other.netloc, other.path) == (own.netloc, own.path):
            return target
    return page.url if own.query else None


def _has_amounts(blocks: Sequence[Block]) -> bool:
    return any(_AMOUNT.search(block.text) for block in blocks)


def _without_headers(blocks: Sequence[Block]) -> str | None:
    """The first row of a table, a column of which has entries and no name.

    The first column needs none, a table of labels and values neither, nor one of a row or two: they are bars of links.
    """
    for block in blocks:
        if block.kind != "table":
            continue
        head, _, *rows = (cells_of(line) for line in [*block.text.split("\n"), "", ""])
        rows = [row for row in rows if any(row)]
        filled = {at for row in rows for at, cell in enumerate(row) if cell}
        unnamed = any(at >= len(head) or not head[at] for at in filled if at > 0)
        if unnamed and len(rows) >= _TABLE_ROWS and max(filled) > 1:
            return " | ".join(rows[0])
    return None


def _lost(blocks: Sequence[Block]) -> str | None:
    for block in blocks:
        if block.kind not in {"paragraph", "item", "heading"} or len(block.text) > 2_000:
            continue
        if found := _TEMPLATE.search(block.text):
            return found[0]
        seen = visible(line_of(block))
        if seen.words <= _WAITING_WORDS and _WAITING.match(seen.text):
            return seen.text
    headings = [at for at, block in enumerate(blocks) if block.kind == "heading"]
    empty = [at for at in headings if at + 1 == len(blocks) or _follows_at_once(blocks, at)]
    if len(empty) >= _EMPTY_LEAST and len(empty) >= _EMPTY_SHARE * len(headings):
        return f"{len(empty)} of {len(headings)} headings have nothing below them"
    return None


def _follows_at_once(blocks: Sequence[Block], at: int) -> bool:
    return blocks[at + 1].kind == "heading" and blocks[at + 1].level <= blocks[at].level
