"""Bytes to text: which charset is believed, and that no byte is lost."""

from __future__ import annotations

import pytest

from rori_spiders.content.decode import decode

SECTION = "§ 1024.5 “Coverage” – naïve"


@pytest.mark.parametrize(
    ("body", "content_type", "encoding"),
    [
        (SECTION.encode(), None, "utf-8"),
        (b"\xef\xbb\xbf" + SECTION.encode(), "text/html; charset=iso-8859-1", "utf-8"),
        (b"\xff\xfe" + SECTION.encode("utf-16-le"), None, "utf-16-le"),
        (b"\xfe\xff" + SECTION.encode("utf-16-be"), "text/html; charset=utf-8", "utf-16-be"),
        (SECTION.encode("cp1252"), "text/html; charset=windows-1252", "cp1252"),
        (b'<meta charset="windows-1252">' + SECTION.encode("cp1252"), None, "cp1252"),
        (b'<meta http-equiv=Content-Type content="text/html; charset=utf-8">' + SECTION.encode(), None, "utf-8"),
        (b'<?xml version="1.0" encoding="UTF-8"?>' + SECTION.encode(), None, "utf-8"),
        (SECTION.encode("cp1252"), None, "cp1252"),
    ],
    ids=["bare utf-8", "bom", "utf-16-le", "utf-16-be", "header", "meta", "http-equiv", "xml", "nothing declared"],
)
def test_the_charset_is_found(body: bytes, content_type: str | None, encoding: str) -> None:
    text, found = decode(body, content_type)
    assert text.endswith(SECTION)
    assert found == encoding


def test_the_header_outranks_the_document() -> None:
    body = b'<meta charset="utf-8">' + "caf\u00e9".encode("shift_jis", "ignore") + "。".encode("shift_jis")
    assert decode(body, "text/html; charset=shift_jis").encoding in {"cp932", "shift_jis"}


@pytest.mark.parametrize("declared", ["iso-8859-1", "windows-1252", "us-ascii"])
def test_utf8_in_disguise_is_read_as_utf8(declared: str) -> None:
    assert decode(SECTION.encode(), f"text/html; charset={declared}") == (SECTION, "utf-8")


def test_a_meta_that_claims_utf16_in_ascii_is_wrong() -> None:
    assert decode(b'<meta charset="utf-16">plain').encoding == "utf-8"


def test_an_unknown_charset_is_passed_over() -> None:
    assert decode(SECTION.encode(), "text/html; charset=x-klingon") == (SECTION, "utf-8")


def test_a_cut_character_does_not_turn_a_page_into_another_charset() -> None:
    body = (SECTION * 200).encode() + b"\xe2\x80"
    text, encoding = decode(body, "text/html; charset=utf-8")
    assert encoding == "utf-8"
    assert text.startswith(SECTION)
    assert text.endswith("\ufffd")


def test_every_byte_of_what_fits_nothing_stands_for_a_character() -> None:
    body = bytes(range(256)) * 3
    text, encoding = decode(body)
    assert encoding == "cp1252"
    assert len(text) == len(body)
