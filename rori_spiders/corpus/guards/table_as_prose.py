"""Match a table that was rewritten as prose: each row in its order, each value behind the title of its column.

Between them stand only signs and words that carry nothing ("the", "is", "and"): anything else does not match. A
column without a title gives its value alone; an empty cell is left out with its title.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rori_spiders.corpus.guards.leaf_blocks import InlineText, Leaf, Span

#: A sign is one only before a blank: "-5" and ".5" begin with none, and "- 5" may be less than nothing.
_FILLER = re.compile(
    r"\s+|:?[:;,.=](?=\s|$)|[–—-](?=\s+[^\s\d$€£.])|(?<![\w'])(?:the|an?|is|are|and|for|of|has|have|with|its|in)(?![\w'-])",
    re.IGNORECASE,
)
_ENDS = re.compile(r"(?::?[:;,.]?(?:\s|$))|$")
#: Behind a row; one of a first cell alone may have had more to come: "March:".
_STOP = re.compile(r"(?:,\s)?[.;,:]?(?:\s|$)")
#: Words and signs in a row that may stand between two values.
_MAX_FILLER = 8
#: So many rows are tried to be read as prose; longer tables stay tables.
_MAX_ROWS = 500


#: What is true of parts of the text, each with whether it must be there.
_Spans = list[tuple[bool, "Span"]]


class _Value(NamedTuple):
    title: str
    cell: InlineText
    of_title: tuple[Span, ...]


class _Match(NamedTuple):
    end: int
    rows: tuple[int, ...]
    spans: _Spans


def match_table_prose(table: Leaf, leaves: Sequence[Leaf]) -> int:
    """How many of *leaves*, from the first on, tell *table* whole; 0 when they do not."""
    titles = [cell.text for cell in table.rows[0] if cell.text]
    if len(set(titles)) < len(titles) or not all(cell.text for cell in table.rows[0][1:]):
        return 0  # columns with the same title, or with none, are ambiguous
    rows = [row for row in (_row_values(table, cells) for cells in table.rows[1:]) if row]
    if not rows or len(rows) > _MAX_ROWS:
        return 0
    size = sum(map(len, rows)) * 2
    prose = list(_prose_leaves(leaves[:size]))
    if not prose or rows[0][0].cell.text not in " ".join(leaf.shown.text for leaf in prose[:3]):
        return 0
    borders, text, spans = _join_prose(prose)
    found = _match_rows(text, rows)
    if found is None:
        return 0
    count = next((number for number, (_, end) in enumerate(borders, 1) if end == found.end), 0)
    here = [span for span in spans if span.end <= found.end]
    # Links of a title may come with it, each time or never; that none is lost is looked at over the whole text.
    wanted, may = ([span for is_wanted, span in found.spans if is_wanted is one] for one in (True, False))
    if not count or sorted(span for span in here if span not in may or span in wanted) != sorted(wanted):
        return 0
    return count if _has_row_layout(prose[:count], borders, found.rows) else 0


def _row_values(table: Leaf, cells: Sequence[InlineText]) -> list[_Value]:
    titles = [(cell.text.rstrip(" :"), cell.spans) for cell in table.rows[0]]
    return [_Value(title, cell, spans) for (title, spans), cell in zip(titles, cells, strict=False) if cell.text]


def _prose_leaves(leaves: Sequence[Leaf]) -> Iterator[Leaf]:
    for leaf in leaves:
        if leaf.kind not in {"heading", "paragraph"}:
            return
        if any(holder.kind == "quote" or holder.first < leaves[0].number for holder in leaf.holders):
            return
        if leaf.marker.strip("-") or len(leaf.holders) > 2:
            return
        yield leaf


def _join_prose(prose: Sequence[Leaf]) -> tuple[list[tuple[int, int]], str, list[Span]]:
    borders, parts, spans, at = [], [], [], 0
    for leaf in prose:
        parts.append(leaf.shown.text)
        borders.append((at, at + len(leaf.shown.text)))
        spans += [span.moved(at) for span in leaf.shown.spans]
        at += len(leaf.shown.text) + 1
    return borders, "\n".join(parts), spans


def _match_rows(text: str, rows: Sequence[Sequence[_Value]]) -> _Match | None:
    at, starts = 0, []
    spans: _Spans = []
    for row in rows:
        starts.append(at)
        found = _match_row(text, at, row)
        if found is None:
            return None
        at, of_row = found
        spans += of_row
        at = _skip_stop(text, at)
    return _Match(at - (text[at - 1 : at] == "\n"), tuple(starts), spans)


def _skip_stop(text: str, at: int) -> int:
    ended = _STOP.match(text, at)
    return ended.end() if ended else at


def _match_row(text: str, at: int, row: Sequence[_Value]) -> tuple[int, _Spans] | None:
    """Where the row ends, and the spans of its cells."""
    first = row[0]
    found = _match_value(text, at, first, titled=False) or _match_value(text, at, first, titled=True)
    if found is None:
        return None
    at, spans = found
    for value in row[1:]:
        following = _match_value(text, at, value, titled=bool(value.title)) or _match_repeated_subject(
            text, at, first, value
        )
        if following is None:
            return None
        at, more = following
        spans = [*spans, *more]
    return at, spans


def _match_repeated_subject(text: str, at: int, subject: _Value, value: _Value) -> tuple[int, _Spans] | None:
    """A value behind its row's first cell, which is told once more."""
    found = _match_value(text, at, subject, titled=False)
    following = _match_value(text, found[0], value, titled=bool(value.title)) if found else None
    return (following[0], [*(found[1] if found else ()), *following[1]]) if following else None


def _match_value(text: str, at: int, value: _Value, *, titled: bool) -> tuple[int, _Spans] | None:
    """Where *value* ends, told from *at* on, behind its column's title if it is *titled*."""
    begins = _match_title(text, at, value) if titled else ((at, []),)
    for begin, of_title in begins:
        for start in _skip_filler(text, begin):
            end = start + len(value.cell.text)
            if text.startswith(value.cell.text, start) and _ENDS.match(text, end):
                return end, [*of_title, *((True, span.moved(start)) for span in value.cell.spans)]
    return None


def _match_title(text: str, at: int, value: _Value) -> Iterator[tuple[int, _Spans]]:
    """The positions where the title of *value* ends, with the facts that hold there."""
    for start in _skip_filler(text, at):
        end = start + len(value.title)
        if value.title and text[start:end].casefold() == value.title.casefold() and _ENDS.match(text, end):
            yield end, [(span.kind != "link", span.moved(start)) for span in value.of_title]


def _skip_filler(text: str, at: int) -> Iterator[int]:
    """*at*, and the places behind what says nothing, one by one; a word begins where no other ends."""
    for _ in range(2 * _MAX_FILLER):
        if at == 0 or not (text[at - 1].isalnum() and text[at : at + 1].isalnum()):
            yield at
        glue = _FILLER.match(text, at)
        if glue is None:
            return
        at = glue.end()


def _has_row_layout(prose: Sequence[Leaf], borders: Sequence[tuple[int, int]], rows: Sequence[int]) -> bool:
    """Whether rows stand beside each other, and what is of a row not above it."""
    starts = {at for at, _ in borders}
    heads = [leaf for leaf, (at, _) in zip(prose, borders, strict=False) if at in rows]
    if not heads or any(at not in starts for at in rows if len(heads) > 1):
        return len(heads) == 1 and len(prose) == 1
    shape = {(leaf.kind, leaf.level, len(leaf.holders)) for leaf in heads}
    others = [leaf for leaf in prose if leaf not in heads]
    depth = len(heads[0].holders)
    return len(shape) == 1 and all(leaf.kind == "paragraph" and len(leaf.holders) >= depth for leaf in others)
