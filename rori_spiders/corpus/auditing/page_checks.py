"""Checks of one document: its front matter, its structure (can it be chunked and read alone?), its language, and
whether it is a page at all (no error page, wall, empty shell or form).
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from rori_spiders.content.metadata.language import written_in
from rori_spiders.corpus.auditing.chunks import CHUNK_TOKENS, CUT_LEVELS, Chunk
from rori_spiders.corpus.auditing.document_lines import DocumentLines, Line, Table
from rori_spiders.corpus.auditing.findings import Finding, make_finding
from rori_spiders.corpus.documents.document import Document, content_hash
from rori_spiders.ledger.corpus.page_ids import page_id_for_url
from rori_spiders.verdicts.judge import judge


class ExpectedDocument(NamedTuple):
    """Facts of the run about a page: its normalised URL, and the required content of its document."""

    url: str
    doc_id: str
    run_id: str

    @property
    def page_id(self) -> str:
        return page_id_for_url(self.url)


def check_front_matter(document: Document, expected: ExpectedDocument) -> Iterator[Finding]:
    """Check the front matter for errors and missing values."""
    front = document.front
    if front.source_url != expected.url:
        yield make_finding("other_url", "source_url", f"source_url is {front.source_url}, the page's is {expected.url}")
    if front.page_id != expected.page_id:
        yield make_finding("other_url", "page_id", f"page_id is {front.page_id}, the page's is {expected.page_id}")
    if front.doc_id != expected.doc_id:
        yield make_finding("other_doc_id", "doc_id", f"doc_id is {front.doc_id}, the page's is {expected.doc_id}")
    if front.run_id != expected.run_id:
        yield make_finding("other_run", "run_id", f"run_id is {front.run_id}, this run is {expected.run_id}")
    if front.content_hash != content_hash(front.title, front.description, document.body):
        yield make_finding(
            "other_hash", "content_hash", "the hash of title, description and text differs: the file was changed"
        )
    if front.title is None:
        yield make_finding("no_title", "title", "no title, which is indexed with the text")
    if front.description is None:
        yield make_finding("no_description", "description", "no description, which is indexed with the text")
    if front.language is None:
        yield make_finding(
            "no_language", "language", "the page declares no language, and none was detected in its text"
        )


# Structure: headings at which the chunker splits, tables that can be read alone, enough text.

#: Visible characters, headings and white space left out. Of 296 real pages 9 have fewer: PDFs of a title, pages of
#: cities whose news come by script, a notice of one line; from 226 on come announcements of a date and a place.
THIN_CHARS = 200
#: Chunks of a longer section do not show their order in it.
GIANT_CHUNKS = 8
#: A cell of this many words is a sentence or more.
_SENTENCE_WORDS = 15
_WORD_CHAR = re.compile(r"\w")


def check_structure(reading: DocumentLines, chunks: Sequence[Chunk]) -> Iterator[Finding]:
    """Find structural problems that make a chunk hard to understand alone."""
    thin = _check_length(reading)
    if thin:
        yield thin
    yield from _check_headings(reading, chunks)
    if thin is None or thin.code != "empty":
        yield from _check_sections(reading, chunks)
    for table in reading.tables():
        yield from _check_table(table)


def _check_length(reading: DocumentLines) -> Finding | None:
    chars = len("".join(reading.plain_text.split()))
    if not _WORD_CHAR.search(reading.plain_text):
        return make_finding("empty", "", "the document has no text" + (" but headings" if reading.headings else ""))
    if chars >= THIN_CHARS:
        return None
    return make_finding("thin", "", f"{chars} characters of text, fewer than {THIN_CHARS}: it may be a stub or a shell")


def _check_headings(reading: DocumentLines, chunks: Sequence[Chunk]) -> Iterator[Finding]:
    first = [line for line in reading.headings if line.level == 1]
    if not first:
        yield make_finding("no_h1", "", "no heading of level 1: chunks lack their context")
    for line in first[1:]:
        yield make_finding("several_h1", line.number, f"another heading of level 1: {_shorten(line.words)}")
    is_cut = len(chunks) > len({chunk.section for chunk in chunks})
    if is_cut and not any(1 < line.level <= CUT_LEVELS for line in reading.headings):
        message = f"{len(chunks)} chunks without a heading of level 2 or 3: they are cut where they are full"
        yield make_finding("missing_h2", "", message, "review" if len(chunks) > GIANT_CHUNKS else "note")


def _check_sections(reading: DocumentLines, chunks: Sequence[Chunk]) -> Iterator[Finding]:
    many: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        text = reading.body[chunk.own : chunk.end]
        if chunk.section:
            many.setdefault(chunk.section, []).append(chunk)
        if text.strip() and all(not line.strip() or line.startswith("#") for line in text.split("\n")):
            number = reading.number_at(chunk.own)
            yield make_finding("lone_heading", number, f"a chunk with only headings: {_shorten(text)}")
    for name, its in many.items():
        if len(its) > GIANT_CHUNKS:
            number = reading.number_at(its[0].own)
            message = f"{len(its)} chunks of {CHUNK_TOKENS} tokens have the same section: {_shorten(name)}"
            yield make_finding("giant_section", number, message)


def _check_table(table: Table) -> Iterator[Finding]:
    columns = len(table.titles)
    if columns > 1 and table.rows and not any(table.titles):
        cells = next((row for row in table.rows if any(row)), ())
        message = f"a table without column titles; its first row: {_shorten(' | '.join(cells))}"
        yield make_finding("table_without_titles", table.number, message)
        return
    cells = tuple(cell for row in table.rows for cell in row if cell)
    words = sum(len(cell.split()) for cell in cells)
    if columns == 2 or len(table.rows) == 1 or (cells and words / len(cells) >= _SENTENCE_WORDS):
        what = "two columns" if columns == 2 else "one row" if len(table.rows) == 1 else "sentences"
        yield make_finding(
            "table_for_prose", table.number, f"a table of {what}; prose would be readable without its context"
        )


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:77]}..."


# In which language a document is written, as a whole: one that quotes another is still in its own. The detector
# (``content.language``) judges some thousand letters; a long text is judged at several places.

_LANGUAGE_SAMPLES = 5
_LANGUAGE_SAMPLE_CHARS = 6000


def detect_language(text: str) -> str | None:
    """Return the language of most samples of *text*; None without a result or with a tie."""
    starts = range(0, len(text), max(_LANGUAGE_SAMPLE_CHARS, -(-len(text) // _LANGUAGE_SAMPLES)))
    samples = (written_in(text[at : at + _LANGUAGE_SAMPLE_CHARS]) for at in starts)
    counts = Counter(language.code for language in samples if language).most_common(2)
    if not counts or (len(counts) > 1 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]


def check_language(reading: DocumentLines, declared: str | None) -> Iterator[Finding]:
    """Check that the text is in English, and in its declared language."""
    written = detect_language(reading.plain_text)
    if written is None:
        return
    if written != "en":
        yield make_finding("non_english", "", f"the text is in {written}, not in English")
    if declared is not None and declared != written:
        yield make_finding("other_language", "language", f"the page declares {declared}, the text is in {written}")


# Detect documents that are not pages: an error, a wall, a shell (by the rules of `verdicts`), or a form to fill in. The
# response was judged when it arrived; this finds what the site's boilerplate hid then, or what was published since.

#: Verdicts of less confidence come from hints, which need a response's status and scripts to mean something.
_MIN_CONFIDENCE = 0.8
#: Several rules, or a strong one. One alone may be about a text on pages that are not found.
_CERTAIN_CONFIDENCE = 0.85
_HTML_CONTENT_TYPE = "text/html; charset=utf-8"
#: Longer texts are never forms.
_FORM_CHARS = 2000
_MIN_FORM_LABELS = 5
_LABEL = re.compile(
    r"(?:your |full |first |last |middle |business |company |street |mailing |home |work |cell |date of )*"
    r"(?:name|initial|e-?mail(?: address)?|phone(?: number)?|telephone|fax|address(?: line \d)?|city|state"
    r"|zip(?: code)?|postal code|country|county|title|subject|message|comments?|questions?|birth|date|password"
    r"|user ?name|company|organi[sz]ation|captcha|signature|amount|submit|reset|cancel|next|clear form|send"
    r"|sign up|subscribe|required fields?|choose file|select(?: one)?|please select|yes|no|other)"
    r"\s*+(?:(?:\((?:required|optional)\)|required|\*)\s*+)?[:*?]*",
    re.IGNORECASE,
)
_MARK = re.compile(r"^(?:[-*+] |\d+[.)] |\[[ xX]?\] |\\\* ?)+")


def check_is_page(title: str | None, reading: DocumentLines) -> Iterator[Finding]:
    """Check that the document is a page, not an error page, a block page or a form."""
    verdict = judge(
        status=200, url="", headers={"content-type": _HTML_CONTENT_TYPE}, body=_as_html_page(title, reading)
    )
    if not verdict.is_content and verdict.kind != "unknown" and verdict.confidence >= _MIN_CONFIDENCE:
        rules = ", ".join(fired.rule for fired in verdict.rules)
        message = f"the text reads like a page of the kind {verdict.kind} (rules: {rules})"
        yield make_finding(
            "error_page", "", message, "blocks" if verdict.confidence >= _CERTAIN_CONFIDENCE else "review"
        )
    lines = [words for line in reading.lines if line.kind in ("text", "row") and (words := line.words)]
    labels = [words for words in lines if _LABEL.fullmatch(_MARK.sub("", words))]
    if len(labels) >= max(_MIN_FORM_LABELS, len(lines) / 2) and sum(map(len, lines)) < _FORM_CHARS:
        yield make_finding(
            "form_page", "", f"{len(labels)} of {len(lines)} lines are form labels, such as {labels[0]!r}"
        )


def _as_html_page(title: str | None, reading: DocumentLines) -> bytes:
    """Return the document as HTML, for the verdict rules."""
    body = "".join(map(_html_element, reading.lines))
    return f"<!doctype html><title>{escape(title or '')}</title><body>{body}</body>".encode()


_LINK = re.compile(r"(?<!!)\[([^\[\]\n]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)")


def _html_element(line: Line) -> str:
    if line.kind == "heading":
        return f"<h{line.level}>{escape(line.words)}</h{line.level}>"
    pieces = _LINK.split(line.text)  # outside of links, inside of one, outside, ...
    inline = (f"<a href='#'>{escape(piece)}</a>" if at % 2 else escape(piece) for at, piece in enumerate(pieces))
    return f"<p>{''.join(inline)}</p>\n" if line.text.strip() else ""
