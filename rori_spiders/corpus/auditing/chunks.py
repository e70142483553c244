"""A text as the loader's chunker cuts it, so that people see what will be retrieved: a chunk is read alone.

Its rules: a text is cut at headings of the levels 1 to 3; smaller ones stay where they are. Each chunk begins with a
line that says its section: ``[Section: Pricing > Starter plan]``. A section of under 16 tokens is merged with the next,
the last one with the one before. What has more than 512 tokens is cut further, at paragraphs, else lines, else
sentences, else words; such chunks repeat the end of the one before, up to 64 tokens.

In: markdown. Out: stretches of it that together, without what they repeat, are the whole text. No row of a table and no
word is ever cut, a heading is not left at the end of a chunk, and fenced code has no headings.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.sections import outline
from rori_spiders.corpus.auditing.tokens import tokens_in
from rori_spiders.fields.chunks import chunks_of as pieces_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: The levels of headings at which a text is cut.
CUT_LEVELS = 3
#: Sections with fewer tokens are merged.
MERGED_TOKENS = 16
#: The most tokens of a chunk, the line that says its section left out.
CHUNK_TOKENS = 512
#: What a chunk repeats of the one before it, at most: an eighth of a chunk. What the loader repeats is not known.
OVERLAP_TOKENS = 64

_BETWEEN = " > "
_BORDERS = (re.compile(r"\n"), re.compile(r"[.!?;][\"')\]*_]*\s+"), re.compile(r"\s+"))
_ROW = re.compile(r"[\s>]*\|")


class Chunk(NamedTuple):
    """``body[start:end]``; up to ``own`` it repeats the one before. ``section``: the headings that it stands under."""

    section: str
    start: int
    own: int
    end: int
    tokens: int

    def text(self, body: str) -> str:
        """What is indexed: the line that says the section, then the text."""
        said = body[self.start : self.end].strip()
        return f"[Section: {self.section}]\n\n{said}" if self.section else said


class _Section(NamedTuple):
    names: tuple[str, ...]
    start: int
    end: int


def chunks_of(body: str, count: Callable[[str], int] = tokens_in) -> list[Chunk]:
    """The chunks of *body* in order. *count* says how many tokens a text has: a loader's own tokenizer, if at hand."""
    return [chunk for section in _merged(body, list(_sections(body)), count) for chunk in _cut(body, section, count)]


def _sections(body: str) -> Iterator[_Section]:
    """The stretches between headings of the levels 1 to 3, each with the headings that lead to it."""
    above: list[tuple[int, str]] = []
    names: tuple[str, ...] = ()
    start = 0
    for part in outline(body):
        if not 0 < part.level <= CUT_LEVELS:
            continue
        if part.start > start:
            yield _Section(names, start, part.start)
        heading = body[part.start : part.end].partition("\n")[0].lstrip("#").strip()
        above = [*((level, name) for level, name in above if level < part.level), (part.level, heading)]
        names, start = tuple(name for _, name in above), part.start
    if body:
        yield _Section(names, start, len(body))


def _merged(body: str, sections: list[_Section], count: Callable[[str], int]) -> list[_Section]:
    merged: list[_Section] = []
    small: _Section | None = None
    for one in sections:
        section = one if small is None else _joined(small, one)
        small = section if count(body[section.start : section.end]) < MERGED_TOKENS else None
        if small is None:
            merged.append(section)
    if small is not None:
        merged.append(_joined(merged.pop(), small) if merged else small)
    return merged


def _joined(first: _Section, second: _Section) -> _Section:
    """Both as one, under the headings that they share."""
    shared = 0
    for one, other in zip(first.names, second.names, strict=False):
        if one != other:
            break
        shared += 1
    return _Section(first.names[:shared], first.start, second.end)


def _cut(body: str, section: _Section, count: Callable[[str], int]) -> Iterator[Chunk]:
    """A section as one chunk, or as several that fit."""
    name, whole = _BETWEEN.join(section.names), body[section.start : section.end]
    if (tokens := count(whole)) <= CHUNK_TOKENS:
        yield Chunk(name, section.start, section.start, section.end, tokens)
        return
    for own, end in _pieces(whole, count):
        start = _repeated_from(whole, own, end, count)
        yield Chunk(name, section.start + start, section.start + own, section.start + end, count(whole[start:end]))


def _pieces(text: str, count: Callable[[str], int]) -> list[tuple[int, int]]:
    """*text* in pieces that leave room for what they will repeat; headings begin a piece and do not end one."""
    pieces: list[tuple[int, int]] = []
    for piece in pieces_of(text, CHUNK_TOKENS - OVERLAP_TOKENS, count):
        if pieces and _is_headings(text[slice(*pieces[-1])]) and count(text[pieces[-1][0] : piece.end]) <= CHUNK_TOKENS:
            pieces[-1] = (pieces[-1][0], piece.end)
        else:
            pieces.append((piece.start, piece.end))
    return pieces


def _is_headings(text: str) -> bool:
    return all(not line.strip() or line.startswith("#") for line in text.split("\n"))


def _repeated_from(text: str, own: int, end: int, count: Callable[[str], int]) -> int:
    """Where the chunk begins whose own text begins at *own*: after a line, a sentence, a word of the one before.

    A table is repeated by whole rows, or not at all.
    """
    room = min(OVERLAP_TOKENS, CHUNK_TOKENS - count(text[own:end]))
    # A token has 20 characters and fewer but in a text of blanks, which nobody needs twice.
    reach = max(0, own - 20 * OVERLAP_TOKENS)
    row = text[text.rfind("\n", 0, own - 1) + 1 : own] if own else ""
    for border in _BORDERS[:1] if _ROW.match(row) else _BORDERS:
        starts = [at for found in border.finditer(text, reach, own) if not _is_in_row(text, at := found.end())]
        fits = bisect_left(starts, True, key=lambda at: count(text[at:own]) <= room)
        if fits < len(starts) and starts[fits] < own:
            return starts[fits]
    return own


def _is_in_row(text: str, at: int) -> bool:
    line = text.rfind("\n", 0, at) + 1
    return line < at and _ROW.match(text, line) is not None
