"""Bytes to text: which charset is believed, and that no byte is lost."""

from __future__ import annotations

import pytest

from rori_spiders.content.encoding import decode
from tests.support.cases import cases

SECTION = "§ 1024.5 “Coverage” – naïve"


@cases(
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
def test_decode_charset_is_found(body: bytes, content_type: str | None, encoding: str) -> None:
    text, found = decode(body, content_type)
    assert text.endswith(SECTION)
    assert found == encoding


def test_decode_header_outranks_document() -> None:
    body = b'<meta charset="utf-8">' + "caf\u00e9".encode("shift_jis", "ignore") + "。".encode("shift_jis")
    assert decode(body, "text/html; charset=shift_jis").encoding in {"cp932", "shift_jis"}


@pytest.mark.parametrize("declared", ["iso-8859-1", "windows-1252", "us-ascii"])
def test_decode_mislabelled_utf8_is_read_as_utf8(declared: str) -> None:
    assert decode(SECTION.encode(), f"text/html; charset={declared}") == (SECTION, "utf-8")


def test_decode_utf16_meta_in_ascii_is_ignored() -> None:
    assert decode(b'<meta charset="utf-16">plain').encoding == "utf-8"


def test_decode_unknown_charset_is_ignored() -> None:
    assert decode(SECTION.encode(), "text/html; charset=x-klingon") == (SECTION, "utf-8")


def test_decode_cut_character_changes_no_charset() -> None:
    body = (SECTION * 200).encode() + b"\xe2\x80"
    text, encoding = decode(body, "text/html; charset=utf-8")
    assert encoding == "utf-8"
    assert text.startswith(SECTION)
    assert text.endswith("\ufffd")


def test_decode_bad_byte_in_short_utf8_page_changes_no_charset() -> None:
    body = "Café, “not” more".encode() + b"\xa7 5"
    text, encoding = decode(body, "text/html; charset=utf-8")
    assert encoding == "utf-8"
    assert text == "Café, “not” more\ufffd 5"


def test_decode_undecodable_bytes_are_each_a_character() -> None:
    body = bytes(range(256)) * 3
    text, encoding = decode(body)
    assert encoding == "cp1252"
    assert len(text) == len(body)


# Each: bytes, the header's charset (None: none), and the text, which a browser shows too, but for what is noted.
_LAW = "Section 5 shall not exceed 3,500"
_ESCAPES = rf"{_LAW} \x39 \u0039 =39 ~{{9~}} &9"
_JAPAN = "第5条 この法律は3,500円を超えてはならない。"
_CHINA = "第五条 不得超过 3,500 元"
_TAIWAN = "第五條 不得超過 3,500 元"
_KOREA = "제5조 3,500원을 초과하지 아니한다"
_RUSSIA = "Статья 5. Не более 3500"
_MARKED = f"<html><body><p>{SECTION}</p></body></html>"
WRONG_OR_MISSING: dict[str, tuple[bytes, str | None, str]] = {
    "utf-16-le, only the header says so": (_MARKED.encode("utf-16-le"), "utf-16le", _MARKED),
    "utf-16-be, only the header says so": (_MARKED.encode("utf-16-be"), "utf-16be", _MARKED),
    "utf-16 without an order": (_MARKED.encode("utf-16-le"), "utf-16", _MARKED),
    "utf-16-le, nobody says so": (_MARKED.encode("utf-16-le"), None, _MARKED),
    "utf-16-be, nobody says so": (_MARKED.encode("utf-16-be"), None, _MARKED),
    "utf-16 of few NULs": (_JAPAN.encode("utf-16-le"), "utf-16le", _JAPAN),
    "utf-16, the header says latin-1": (b"\xff\xfe" + SECTION.encode("utf-16-le"), "iso-8859-1", SECTION),
    "utf-16 in the header, utf-8 in the body": (SECTION.encode(), "utf-16", SECTION),
    "utf-32 with a BOM": (SECTION.encode("utf-32"), None, SECTION),
    "utf-32, only the header says so": (SECTION.encode("utf-32-le"), "utf-32le", SECTION),
    "windows-1252 as latin-1": (SECTION.encode("cp1252"), "iso-8859-1", SECTION),
    "windows-1252 as ascii": (SECTION.encode("cp1252"), "us-ascii", SECTION),
    "windows-1252 as utf-8": (SECTION.encode("cp1252") * 3, "utf-8", SECTION * 3),
    "utf-8 as koi8-r": (SECTION.encode(), "koi8-r", SECTION),
    "utf-8 as windows-1251": (SECTION.encode(), "windows-1251", SECTION),
    "utf-8 with a BOM, another header": (b"\xef\xbb\xbf" + SECTION.encode(), "windows-1252", SECTION),
    "shift_jis": (_JAPAN.encode("cp932"), "shift_jis", _JAPAN),
    "shift_jis by another name": (_JAPAN.encode("cp932"), "x-sjis", _JAPAN),
    "windows-31j": ("①".encode("cp932"), "windows-31j", "①"),
    "euc-jp": (_JAPAN.encode("euc_jp"), "euc-jp", _JAPAN),
    "iso-2022-jp": (_JAPAN.encode("iso2022_jp"), "iso-2022-jp", _JAPAN),
    "gb2312 that is gbk": ("镕基 5".encode("gbk"), "gb2312", "镕基 5"),
    "gb18030": (f"{_CHINA} €".encode("gb18030"), "gb18030", f"{_CHINA} €"),
    "big5": (_TAIWAN.encode("big5"), "big5", _TAIWAN),
    "euc-kr": (_KOREA.encode("cp949"), "euc-kr", _KOREA),
    "ks_c_5601-1987": (_KOREA.encode("cp949"), "ks_c_5601-1987", _KOREA),
    "koi8-r": (_RUSSIA.encode("koi8-r"), "koi8-r", _RUSSIA),
    "windows-1251": (_RUSSIA.encode("cp1251"), "windows-1251", _RUSSIA),
    "ibm866": (_RUSSIA.encode("cp866"), "ibm866", _RUSSIA),
    "mac-roman": (SECTION.encode("mac-roman"), "macintosh", SECTION),
    "x-mac-cyrillic": (_RUSSIA.encode("mac-cyrillic"), "x-mac-cyrillic", _RUSSIA),
    "iso-8859-15": ("5 € naïve".encode("iso8859-15"), "iso-8859-15", "5 € naïve"),
    "windows-1254": ("İstanbul 5".encode("cp1254"), "iso-8859-9", "İstanbul 5"),
    "tis-620": ("มาตรา 5".encode("cp874"), "tis-620", "มาตรา 5"),
    # Browsers show nothing of these two; what they say is known.
    "hz": (_CHINA.encode("hz"), "hz-gb-2312", _CHINA),
    "iso-2022-kr": (_KOREA.encode("iso2022_kr"), "iso-2022-kr", _KOREA),
    # What no browser knows is passed over, whatever Python makes of it.
    "utf-7": (b"+AKc- 5 +ADE-", "utf-7", "+AKc- 5 +ADE-"),
    "none": (SECTION.encode(), "none", SECTION),
    "empty": (SECTION.encode(), "", SECTION),
    "quoted": (SECTION.encode(), '"utf-8"', SECTION),
    "in single quotes": (SECTION.encode(), "'utf-8'", SECTION),
    "doubled": (_JAPAN.encode("cp932"), "shift_jis; charset=utf-8", _JAPAN),
    "with more behind it": (SECTION.encode(), "utf-8,text/html", SECTION),
    "utf8": (SECTION.encode(), "UTF8", SECTION),
    "a path": (SECTION.encode(), "../../etc/passwd", SECTION),
    "undefined": (SECTION.encode(), "undefined", SECTION),
    **{
        f"a codec of Python's: {name}": (_ESCAPES.encode(), name, _ESCAPES)
        for name in (
            "unicode_escape", "raw_unicode_escape", "cp037", "cp500", "punycode", "idna", "base64", "hex", "zlib",
            "quopri", "rot13", "palmos", "utf-16", "utf-32", "utf-7", "utf-8-sig", "johab", "mbcs",
        )
    },
}  # fmt: skip


@cases("case", WRONG_OR_MISSING)
def test_decode_wrong_and_missing_charsets_are_handled(case: str) -> None:
    body, charset, text = WRONG_OR_MISSING[case]
    header = "text/html" if charset is None else f"text/html; charset={charset}"
    assert decode(body, header).text == text
    assert decode(body, header, is_markup=False).text == text


@cases("declared", ["unicode_escape", "cp037", "utf-7", "utf-16", "idna", "rot13"])
def test_decode_document_declaration_uses_same_list(declared: str) -> None:
    for head in (f'<meta charset="{declared}">', f'<?xml version="1.0" encoding="{declared}"?>'):
        assert decode(f"{head}{_LAW} \\x39".encode()).text == f"{head}{_LAW} \\x39"


def test_decode_conflicting_header_meta_and_body_are_resolved() -> None:
    body = b'<meta charset="shift_jis">' + SECTION.encode()
    assert decode(body, "text/html; charset=koi8-r").text.endswith(SECTION)
    body = b'<meta charset="koi8-r">' + _JAPAN.encode("cp932")
    assert decode(body, "text/html; charset=shift_jis").text.endswith(_JAPAN)


def test_decode_plain_text_declares_no_charset() -> None:
    body = b'Write <meta charset="koi8-r"> there. ' + SECTION.encode("cp1252")
    assert decode(body, "text/plain", is_markup=False).text.endswith(SECTION)


def test_decode_stray_nul_is_not_utf16() -> None:
    assert decode(b"a\x00b" * 3 + SECTION.encode()).encoding == "utf-8"
