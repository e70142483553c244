"""PDF: every word of PDFium's own text stands in the markdown, but for what is reported as taken out."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped]  # it ships no types

from rori_spiders.content.documents import Document, read
from rori_spiders.terminal import demo
from tests.content.documents.drawn import drawn
from tests.content.documents.test_pdf_layout import book, columns
from tests.content.documents.test_pdf_tables import CELLS, filled, ruled
from tests.support.cases import cases

URL = "https://www.example.gov/rule.pdf"
PRINTED = Path(__file__).parent / "fixtures" / "printed-fr-2015-09244"
BODIES = {
    "three columns, a table, notes": (PRINTED / "input.pdf").read_bytes(),
    "the demo's": next(Path(str(demo.__file__)).parent.rglob("*.pdf")).read_bytes(),
    "columns by row": drawn(columns("by row")),
    "a book": drawn(*book(6)),
    "a table": drawn(filled(ruled(), CELLS)),
}


def words(text: str) -> Counter[str]:
    """Words with the hyphens at line ends, and all others, left out."""
    found = (word.replace("-", "") for word in re.sub(r"(?<=\w)-\s+", "-", text).split())
    return Counter(word for word in found if word)


def plain(body: bytes) -> str:
    document = pypdfium2.PdfDocument(body)
    pages = (document[number].get_textpage().get_text_range() for number in range(len(document)))
    return "\n".join(pages).replace("\ufffe", "-")


def unmarked(markdown: str) -> str:
    """The text that a reader sees."""
    text = re.sub(r"^(?:<!-- page \d+ -->|\|(?: --- \|)+|#{1,6} )", "", markdown, flags=re.MULTILINE)
    text = re.sub(r"</?su[bp]>|^\| | \|$|(?<= )\|(?= )", "", text, flags=re.MULTILINE)
    return re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", text)


def taken(document: Document) -> re.Pattern[str]:
    """What the running lines that were taken out are made of."""
    lines = document.metadata.get("running_lines", "").replace("\n", " ").split()
    forms = [re.sub(r"\\\{page\\?[+-]\d+\\\}", r"\\d+", re.escape(word)) for word in lines]
    return re.compile("|".join(forms) or "(?!)")


@cases("name", BODIES)
def test_pdf_words_none_is_lost_and_none_is_new(name: str) -> None:
    document = read("pdf", BODIES[name], url=URL)
    there, here = words(plain(BODIES[name])), words(unmarked(document.markdown))
    assert here - there == Counter()
    assert [word for word in there - here if not taken(document).fullmatch(word)] == []


def test_pdf_printed_rule_gives_expected_markdown() -> None:
    """A rule of the Federal Register in three columns: notes, headings, a table within a column, a running head."""
    document = read("pdf", (PRINTED / "input.pdf").read_bytes(), url=URL)
    assert document.markdown == (PRINTED / "expected.md").read_text(encoding="utf-8")


@cases("name", BODIES)
def test_pdf_words_same_bytes_give_same_text(name: str) -> None:
    assert read("pdf", BODIES[name], url=URL) == read("pdf", BODIES[name], url=URL)
