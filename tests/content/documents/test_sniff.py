"""Kinds by content: names and headers lie."""

from __future__ import annotations

import gzip

import pytest

from rori_spiders.content.documents import read
from rori_spiders.content.documents.file_types import kind_of
from rori_spiders.exceptions import UnreadableDocument
from tests.content.documents import pdfs
from tests.content.documents.docx import zipped
from tests.support.cases import cases


@cases(
    ("body", "content_type", "kind"),
    [
        (pdfs.pdf(["x"]), "text/html", "pdf"),
        (b"\r\n junk %PDF-1.4", None, "pdf"),
        (b"<!DOCTYPE html><title>Sorry</title>", "application/pdf", "html"),
        (b"\xef\xbb\xbf  <html>", None, "html"),
        (b"<?xml version='1.0'?><!DOCTYPE html><html xmlns='http://www.w3.org/1999/xhtml'>", None, "html"),
        (b"<!-- a comment --><main role='main'>", None, "html"),
        (b"Notice: undefined index<br/><html>", "text/html", "html"),
        (b"<?xml version='1.0'?><RULE/>", "text/html", "xml"),
        (b"<RULE><PREAMB/></RULE>", None, "xml"),
        (b"<section xmlns='x'>", "application/xml", "xml"),
        ("<?xml version='1.0'?><a/>".encode("utf-16"), None, "xml"),
        (b'{"a": 1}', None, "json"),
        (b"[1, 2]", "text/plain", "json"),
        (b"3", "application/json", "json"),
        (b"{{ not json }}", None, "text"),
        (b"openapi: 3.0.0\ninfo:\n", None, "text"),
        (b"info:\n  description: See <a href='x'>this</a>\nopenapi: 3.0.0\n", "text/html", "text"),
        (b"a: See <a href='x'>this</a>\n", "application/yaml", "text"),
        (b"a,See <a href='x'>this</a>\n", "text/csv", "text"),
        (b"Dear <b>all</b>", "text/plain", "text"),
        (b"", "text/html", "text"),
        (b"plain\x00words and more words that go on for a while", None, "text"),
        (b"PK\x03\x04rest", "text/html", "binary"),
        (gzip.compress(b"<html>", mtime=0), "text/html", "binary"),
        (b"\x89PNG\r\n", None, "binary"),
        (bytes(range(256)) * 8, None, "binary"),
    ],
)
def test_kind_of_body_and_headers_is_expected(body: bytes, content_type: str | None, kind: str) -> None:
    assert kind_of(body, content_type) == kind


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (rb"{\rtf1\ansi {\fonttbl} Not more than 30 days}", r"rich text file \(\.rtf\)"),
        (zipped({"mimetype": b"a", "content.xml": b"<a/>"}), "OpenDocument file"),
        (zipped({"META-INF/container.xml": b"<a/>"}), "e-book"),
    ],
    ids=["rtf", "odt", "epub"],
)
def test_documents_of_kinds_that_are_not_read_are_named(body: bytes, what: str) -> None:
    assert kind_of(body, "text/plain") == "binary"
    with pytest.raises(UnreadableDocument, match=f"{what}.*such files are not read"):
        read("binary", body, url="https://www.example.gov/a")
