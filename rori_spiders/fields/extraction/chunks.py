"""Split a page into parts that a model can read: at the borders of its sections, or of smaller units where
necessary.  Input: markdown, and the maximum tokens of a part. Output: parts that follow each other without gap
or overlap. No table row and no word is ever split: one that is too long is a part by itself, and too long.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from rori_spiders.content.sections import Section, outline

#: S2, "Configuration Defaults".
CHUNK_TOKENS = 2048
#: Bytes per token, an overestimate of tokens: English has at least four bytes a token.
BYTES_A_TOKEN = 3
#: Longest heading path and longest row of column titles that a chunk repeats, in characters.
_LONGEST_LEAD = 600
#: A text this many times longer than the limit does not fit by any count, so it is not counted.
_MOST_CHARS_A_TOKEN = 20

_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_LINES = re.compile(r"\n")
_SENTENCES = re.compile(r"[.!?;][\"')\]*_]*\s+")
_BLANKS = re.compile(r"\s+")
_ROW = re.compile(r"[\s>]*\|")
_RULE = re.compile(r"[\s>]*(?:\|\s*)?(?::?-+:?\s*\|\s*)+(?::?-+:?\s*)?$")

_Stretch = tuple[int, int]
_Count = Callable[[str], int]
_Cutter = Callable[[str, _Stretch], Iterator[_Stretch]]


class Chunk(NamedTuple):
    """``body[start:end]``, the headings that lead to it, and the titles of the table that it begins within."""

    start: int
    end: int
    heading_path: str
    table_head: str
    tokens: int


def max_tokens_of(text: str) -> int:
    """Return an upper estimate of the tokens of *text*, without the model's own tokenizer."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_A_TOKEN)


def split_markdown(
    body: str, limit: int = CHUNK_TOKENS, count: _Count = max_tokens_of, *, whole_blocks: bool = False
) -> list[Chunk]:
    """The parts of *body*, each of at most *limit* tokens where rows and words allow; together they are the body.

    *count* says how many tokens a text has. *whole_blocks*: it is cut at headings and blank lines only, and a block
    that is too long is a part by itself, and too long.
    """
    if not body:
        return []
    sections = outline(body)
    starts = [section.start for section in sections]
    smaller = _SMALLER[:1] if whole_blocks else _SMALLER
    return [
        Chunk(start, end, _heading_path_at(sections, starts, start), _table_head(body, start), count(body[start:end]))
        for start, end in _split_to_fit(body, (0, len(body)), limit, count, (_section_cutter(starts), *smaller))
    ]


def _heading_path_at(sections: Sequence[Section], starts: list[int], at: int) -> str:
    """Return the heading path of the offset *at*, without a heading that begins there."""
    section = sections[bisect_right(starts, at) - 1]
    path = section.path
    if section.start == at and section.level:
        path = path.rpartition(" > ")[0]
    return path if len(path) <= _LONGEST_LEAD else f"...{path[-_LONGEST_LEAD:]}"


def _table_head(body: str, start: int) -> str:
    """Return the column titles of the table in whose rows the chunk begins; "" where it begins elsewhere."""
    lines = []
    at = start
    while at > 0 and _ROW.match(line := body[(above := body.rfind("\n", 0, at - 1) + 1) : at]):
        lines.append(line)
        at = above
    head = "".join(reversed(lines[-2:]))
    is_head = len(lines) > 1 and _RULE.match(lines[-2].rstrip("\n")) and _ROW.match(body[start : start + 200])
    return head if is_head and len(head) <= _LONGEST_LEAD else ""


# --- cutting -------------------------------------------------------------------------------------------------------


def _split_to_fit(body: str, whole: _Stretch, limit: int, count: _Count, cutters: Sequence[_Cutter]) -> list[_Stretch]:
    """*whole* in stretches that fit; as much as fits stays together, cut by the first cutter that is fine enough."""
    if _fits_limit(body, whole, limit, count) or not cutters:
        return [whole]
    fitted: list[_Stretch] = []
    is_open = False  # whether the last stretch may be added to: it is not one that is too long
    for part in cutters[0](body, whole):
        if is_open and _fits_limit(body, joined := (fitted[-1][0], part[1]), limit, count):
            fitted[-1] = joined
            continue
        fitted += _split_to_fit(body, part, limit, count, cutters[1:])
        # A section begins a part where the one before had to be cut.
        is_open = _fits_limit(body, part if cutters[0] not in _SMALLER else fitted[-1], limit, count)
    return fitted


def _fits_limit(body: str, stretch: _Stretch, limit: int, count: _Count) -> bool:
    start, end = stretch
    return end - start <= limit * _MOST_CHARS_A_TOKEN and count(body[start:end]) <= limit


def _section_cutter(starts: list[int]) -> _Cutter:
    def cut(_: str, whole: _Stretch) -> Iterator[_Stretch]:
        yield from zip(starts, [*starts[1:], whole[1]], strict=True)

    return cut


def _border_cutter(border: re.Pattern[str], *, not_in_rows: bool = False) -> _Cutter:
    def cut(body: str, whole: _Stretch) -> Iterator[_Stretch]:
        start, end = whole
        if not (not_in_rows and _ROW.match(body, start, end)):
            for found in border.finditer(body, start, end):
                if start < found.end() < end:
                    yield start, found.end()
                    start = found.end()
        yield start, end

    return cut


_SMALLER = (
    _border_cutter(_BLANK_LINES),
    _border_cutter(_LINES),
    _border_cutter(_SENTENCES, not_in_rows=True),
    _border_cutter(_BLANKS, not_in_rows=True),
)
