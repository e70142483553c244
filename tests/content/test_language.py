"""The language of a page: what the document declares, else what its text is written in, else nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rori_spiders.content.convert import convert, digest
from rori_spiders.content.html import tree
from rori_spiders.content.metadata.html_metadata import language_of
from rori_spiders.content.metadata.language import MIN_LETTERS, Language, declared_as, written_in
from tests.content.documents import pdfs
from tests.support.cases import cases

URL = "https://www.example.gov/a"
ENGLISH = (
    "Each lender shall give the borrower a statement of the costs that are paid at settlement, and shall correct it"
    " within three business days where one of them turns out to be another than was said, unless the borrower agrees."
    " The statement names the lender, the borrower and the property, and is kept for five years."
)
SPANISH = (
    "El prestamista entregará al prestatario una declaración de los costos que se pagan en la liquidación, y la"
    " corregirá dentro de tres días hábiles cuando alguno de ellos resulte distinto de lo dicho, salvo que el"
    " prestatario esté de acuerdo. La declaración nombra al prestamista, al prestatario y la propiedad."
)


@cases(
    ("html", "language"),
    [
        ("<html lang=en-US><body>x", "en"),
        ("<html xml:lang=ES><body>x", "es"),
        ("<html><head><meta http-equiv=content-language content=fr-CA></head><body>x", "fr"),
        ("<html><head><meta name=dcterms.language content=eng></head><body>x", "en"),
        ("<html><head><meta name='DCTERMS:language' content=spa></head><body>x", "es"),
        ("<html lang=''><body lang=de>x", "de"),
        ("<html lang='{{ page.lang }}'><body>x", None),
        ("<html><body>x", None),
    ],
)
def test_language_declaration_of_document_is_read(html: str, language: str | None) -> None:
    assert language_of(tree.parse(html)) == (Language(language, "document") if language else None)


@cases(("value", "code"), [("en_US", "en"), ("EN", "en"), ("spa", "es"), ("english", None), ("", None)])
def test_language_declaration_is_normalised_to_code(value: str, code: str | None) -> None:
    assert declared_as(value) == (Language(code, "document") if code else None)


@pytest.mark.parametrize(("text", "code"), [(ENGLISH, "en"), (SPANISH, "es")])
def test_language_is_detected_from_text(text: str, code: str) -> None:
    assert written_in(text) == Language(code, "text")


@cases(
    "text",
    [
        "",
        ENGLISH[: MIN_LETTERS // 2],
        ENGLISH + SPANISH,
        "| 1 | 2 |\n" * 500,
        "[a](https://www.example.gov/the-rule-of-the-lender-and-the-borrower)\n" * 100,
        "\x00\x01\ud800\ufffe" * 300,
    ],
    ids=["nothing", "short", "two languages", "numbers", "addresses", "no characters"],
)
def test_language_of_unclear_text_is_none(text: str) -> None:
    assert written_in(text) is None


def test_language_declaration_takes_precedence() -> None:
    declared = convert(f"<html lang=en><body><p>{SPANISH}</p>".encode(), url=URL).language
    silent = convert(f"<html><body><p>{SPANISH}</p>".encode(), url=URL).language
    assert (declared, silent) == (Language("en", "document"), Language("es", "text"))


@pytest.mark.parametrize(
    ("body", "content_type"),
    [(SPANISH.encode(), "text/plain"), (pdfs.pdf([SPANISH[:99], SPANISH[99:198], SPANISH[198:]]), "application/pdf")],
    ids=["plain text", "PDF"],
)
def test_language_documents_without_declaration_are_detected(body: bytes, content_type: str) -> None:
    page = digest(body, url=URL, content_type=content_type)
    assert (page.language, page.language_source) == ("es", "text")


def test_language_detector_is_loaded_only_when_needed() -> None:
    code = (
        "import sys; from rori_spiders.content.convert import digest;"
        "page = digest(b'<html lang=en><body><p>Text</p>', url='https://a.example.gov/');"
        "print(page.language, 'pycld2' in sys.modules)"
    )
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path.cwd()
    ).stdout
    assert output.split() == ["en", "False"]
