"""Split a text as the loader's chunker does, to show what will be retrieved alone.

The text is split at headings of levels 1 to 3. Each chunk begins with a line that names its section: ``[Section:
Pricing > Starter plan]``. A section of under 16 tokens is merged with the next, the last one with the one before. A
section of more than 512 tokens is split at paragraphs, lines or sentences, and each piece repeats up to 64 tokens
of the one before. Tokens are estimated: no vocabulary, no network.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rori_spiders.content.sections import outline
from rori_spiders.fields.extraction.chunks import split_markdown as pieces_of

#: Each match is a token: up to ten letters of a word (two where letters are many), three digits, four marks in a row,
#: the end of a line. So the tokenizers of GPT-4o and its like divide a text, on the whole.
_TOKEN = re.compile(r"[A-Za-z\u00c0-\u024f]{1,10}|[^\W\d_]{1,2}|\d{1,3}|[^\w\s]{1,4}|_{1,4}|\n\s*")


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens of *text*.

    Beside GPT-4o's own (o200k_base) on 282 real pages of statutes, courts and agencies: median 1.00, 90 in 100 between
    0.86 and 1.11 (2026-11; least 0.67: a Polish page and a list of docket numbers). A count of three bytes a
    token, which `fields` takes as a bound for what a model may be sent, says 1.29 there, between 0.90 and 1.69.
    """
    return len(_TOKEN.findall(text))


#: Levels of headings at which a text is split.
CUT_LEVELS = 3
#: Sections with fewer tokens are merged.
MERGED_TOKENS = 16
#: Most tokens of a chunk, without the line that names its section.
CHUNK_TOKENS = 512
#: Most tokens that a chunk repeats of the previous one: an eighth of a chunk. The loader's own overlap is unknown.
OVERLAP_TOKENS = 64

_BETWEEN = " > "
_BORDERS = (re.compile(r"\n"), re.compile(r"[.!?;][\"')\]*_]*\s+"), re.compile(r"\s+"))
_ROW = re.compile(r"[\s>]*\|")


class Chunk(NamedTuple):
    """``body[start:end]``; up to ``own`` it repeats the previous chunk. ``section``: the headings above it."""

    section: str
    start: int
    own: int
    end: int
    tokens: int

    def text(self, body: str) -> str:
        """Return the indexed text: the line that names the section, then the chunk."""
        text = body[self.start : self.end].strip()
        return f"[Section: {self.section}]\n\n{text}" if self.section else text


class _Section(NamedTuple):
    names: tuple[str, ...]
    start: int
    end: int


def split_into_chunks(body: str, count: Callable[[str], int] = estimate_tokens) -> list[Chunk]:
    """Split *body* into chunks. *count* counts the tokens of a text: the loader's own tokenizer, if available."""
    return [
        chunk
        for section in _merge_small_sections(body, list(_split_sections(body)), count)
        for chunk in _split_section(body, section, count)
    ]


def _split_sections(body: str) -> Iterator[_Section]:
    """Split at headings of levels 1 to 3; each section with its heading path."""
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


def _merge_small_sections(body: str, sections: list[_Section], count: Callable[[str], int]) -> list[_Section]:
    merged: list[_Section] = []
    small: _Section | None = None
    for one in sections:
        section = one if small is None else _join_sections(small, one)
        small = section if count(body[section.start : section.end]) < MERGED_TOKENS else None
        if small is None:
            merged.append(section)
    if small is not None:
        merged.append(_join_sections(merged.pop(), small) if merged else small)
    return merged


def _join_sections(first: _Section, second: _Section) -> _Section:
    """Merge two sections under the headings that they share."""
    shared = 0
    for one, other in zip(first.names, second.names, strict=False):
        if one != other:
            break
        shared += 1
    return _Section(first.names[:shared], first.start, second.end)


def _split_section(body: str, section: _Section, count: Callable[[str], int]) -> Iterator[Chunk]:
    """Split a section into one or more chunks that fit."""
    name, whole = _BETWEEN.join(section.names), body[section.start : section.end]
    if (tokens := count(whole)) <= CHUNK_TOKENS:
        yield Chunk(name, section.start, section.start, section.end, tokens)
        return
    for own, end in _split_text(whole, count):
        start = _overlap_start(whole, own, end, count)
        yield Chunk(name, section.start + start, section.start + own, section.start + end, count(whole[start:end]))


def _split_text(text: str, count: Callable[[str], int]) -> list[tuple[int, int]]:
    """Split *text* into pieces that leave room for their overlap; no piece ends with a heading."""
    pieces: list[tuple[int, int]] = []
    for piece in pieces_of(text, CHUNK_TOKENS - OVERLAP_TOKENS, count):
        if (
            pieces
            and _has_only_headings(text[slice(*pieces[-1])])
            and count(text[pieces[-1][0] : piece.end]) <= CHUNK_TOKENS
        ):
            pieces[-1] = (pieces[-1][0], piece.end)
        else:
            pieces.append((piece.start, piece.end))
    return pieces


def _has_only_headings(text: str) -> bool:
    return all(not line.strip() or line.startswith("#") for line in text.split("\n"))


def _overlap_start(text: str, own: int, end: int, count: Callable[[str], int]) -> int:
    """Return the start of the chunk whose own text begins at *own*: after a line, sentence or word of the previous one.

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
