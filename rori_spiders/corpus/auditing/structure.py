"""Whether a document is made for its chunker: headings that cut it, tables that can be read alone, text enough."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.corpus.auditing.chunks import CHUNK_TOKENS, CUT_LEVELS
from rori_spiders.corpus.auditing.finding import Finding, found

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rori_spiders.corpus.auditing.chunks import Chunk
    from rori_spiders.corpus.auditing.reading import Reading, Table

#: Visible characters, headings and white space left out. Of 296 real pages 9 have fewer: PDFs of a title, pages of
#: cities whose news come by script, a notice of one line; from 226 on come announcements of a date and a place.
THIN_CHARS = 200
#: A section that gives more chunks than this hides its own order from whoever retrieves one of them.
GIANT_CHUNKS = 8
#: A cell of this many words is a sentence or more.
_SENTENCE_WORDS = 15
_WORD = re.compile(r"\w")


def structure_of(reading: Reading, chunks: Sequence[Chunk]) -> Iterator[Finding]:
    """What stands in the way of who retrieves one chunk of it."""
    thin = _thin(reading)
    if thin:
        yield thin
    yield from _headings(reading, chunks)
    if thin is None or thin.code != "empty":
        yield from _sections(reading, chunks)
    for table in reading.tables():
        yield from _table(table)


def _thin(reading: Reading) -> Finding | None:
    chars = len("".join(reading.said.split()))
    if not _WORD.search(reading.said):
        return found("empty", "", "the document has no text" + (" but headings" if reading.headings else ""))
    if chars >= THIN_CHARS:
        return None
    return found("thin", "", f"{chars} characters of text, fewer than {THIN_CHARS}: it may be a stub or a shell")


def _headings(reading: Reading, chunks: Sequence[Chunk]) -> Iterator[Finding]:
    first = [line for line in reading.headings if line.level == 1]
    if not first:
        yield found("no_h1", "", "there is no heading of level 1: chunks do not say what they are part of")
    for line in first[1:]:
        yield found("several_h1", line.number, f"another heading of level 1: {_short(line.words)}")
    is_cut = len(chunks) > len({chunk.section for chunk in chunks})
    if is_cut and not any(1 < line.level <= CUT_LEVELS for line in reading.headings):
        said = f"{len(chunks)} chunks without a heading of level 2 or 3: they are cut where they are full"
        yield found("missing_h2", "", said, "review" if len(chunks) > GIANT_CHUNKS else "note")


def _sections(reading: Reading, chunks: Sequence[Chunk]) -> Iterator[Finding]:
    many: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        text = reading.body[chunk.own : chunk.end]
        if chunk.section:
            many.setdefault(chunk.section, []).append(chunk)
        if text.strip() and all(not line.strip() or line.startswith("#") for line in text.split("\n")):
            number = reading.number_at(chunk.own)
            yield found("lone_heading", number, f"a chunk of nothing but headings: {_short(text)}")
    for name, its in many.items():
        if len(its) > GIANT_CHUNKS:
            number = reading.number_at(its[0].own)
            said = f"{len(its)} chunks of {CHUNK_TOKENS} tokens say the same section: {_short(name)}"
            yield found("giant_section", number, said)


def _table(table: Table) -> Iterator[Finding]:
    columns = len(table.titles)
    if columns > 1 and table.rows and not any(table.titles):
        cells = next((row for row in table.rows if any(row)), ())
        said = f"the columns of a table have no titles; its first row is {_short(' | '.join(cells))}"
        yield found("table_without_titles", table.number, said)
        return
    cells = tuple(cell for row in table.rows for cell in row if cell)
    words = sum(len(cell.split()) for cell in cells)
    if columns == 2 or len(table.rows) == 1 or (cells and words / len(cells) >= _SENTENCE_WORDS):
        what = "two columns" if columns == 2 else "one row" if len(table.rows) == 1 else "sentences"
        yield found("table_for_prose", table.number, f"a table of {what}: as prose it could be read alone")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:77]}..."
