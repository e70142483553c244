"""Kinds by content: names and headers lie."""

from __future__ import annotations

import gzip

from rori_spiders.content.documents.file_types import kind_of
from tests.content.documents import pdfs
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
