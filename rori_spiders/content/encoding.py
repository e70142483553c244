"""Decode the bytes of a page to text and the name of its charset. Every byte is represented in the text."""

import codecs
import re
from typing import NamedTuple

from w3lib.encoding import resolve_encoding

from rori_spiders.content.charset_detection import count_strays, detect_charset
from rori_spiders.content.dom_names import names

# BOMs as browsers honour them; UTF-32 is tried before UTF-16, whose BOM it begins with.
BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# The prescan of the HTML standard looks at 1,024 bytes; court pages put scripts before their meta, hence more.
_PRESCAN = 8192
_META = re.compile(rb"<meta([^>]+)", re.IGNORECASE)
_META_CHARSET = re.compile(rb"""charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w:.-]{1,40})""", re.IGNORECASE)
_XML = re.compile(rb"""^\s{0,99}<\?xml[^>]{0,999}?encoding\s{0,9}=\s{0,9}["']([\w:.-]{1,40})""", re.IGNORECASE)
_LAST_RESORT = "cp1252"
#: A meta tag after long scripts is looked for in so many bytes, of pages that no other rule reads.
_LATE_PRESCAN = 1 << 20
_SINGLE = names(
    "cp866 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-10 iso8859-13 iso8859-14"
    " iso8859-15 iso8859-16 koi8-r koi8-u mac-roman mac-cyrillic cp874 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256"
    " cp1257 cp1258 iso8859-1 ascii iso8859-9"
)
#: What servers and editors name without looking, and what browsers take for pages without a charset.
_DEFAULTS = names("cp1252 iso8859-1 ascii iso8859-15 iso8859-2")
_WIDE = {"utf-16": "utf-16-le", "utf-16-le": "utf-16-le", "utf-16-be": "utf-16-be"}
# The charsets of the WHATWG's Encoding Standard, and a few that only mean themselves. No page is in any other: Python
# also knows "unicode_escape" and the like, which would make of "\\x35" another digit.
_KNOWN = _SINGLE | names(
    "utf-8 gb18030 big5hkscs euc_jp iso2022_jp cp932 cp949 iso2022_kr hz utf-32 utf-32-le utf-32-be"
)
_LABELS = {"x-mac-cyrillic": "mac-cyrillic", "x-mac-ukrainian": "mac-cyrillic", "hz-gb-2312": "hz", "utf8": "utf-8"}
_BROWSER_LABELS = {
    "utf-16-le": "utf-16le",
    "utf-16-be": "utf-16be",
    "cp932": "shift_jis",
    "cp949": "euc-kr",
    "big5hkscs": "big5",
    "euc_jp": "euc-jp",
    "iso2022_jp": "iso-2022-jp",
    "cp866": "ibm866",
    "mac-roman": "macintosh",
    "mac-cyrillic": "x-mac-cyrillic",
    "cp874": "windows-874",
    **{f"cp125{number}": f"windows-125{number}" for number in range(9)},
    **{f"iso8859-{number}": f"iso-8859-{number}" for number in range(1, 17)},
}
_CHARSET = re.compile(r"charset\s*=\s*(?:[\"']\s*)?([\w:.-]+)", re.IGNORECASE)
_IN_ISO2022_JP = re.compile(rb"\x1b\$[@B][!-~]{2}")
# Text in UTF-16 is at least a fifth NUL where it has markup, or Latin letters; no other text has any on purpose.
_NUL_SHARE = 0.2


class Decoded(NamedTuple):
    """A text and the charset that it was decoded from, by Python's name for it."""

    text: str
    encoding: str


def decode(body: bytes, content_type: str | None = None, *, is_markup: bool = True) -> Decoded:
    """Decode *body*: BOM, then the HTTP header, then the document's own declaration, then the bytes themselves.

    A declared charset that does not fit the bytes is given up for UTF-8 when UTF-8 fits: servers that say ISO-8859-1
    for UTF-8 pages are common. What fits nothing is read as Windows-1252, where each byte is a character.
    """
    for bom, name in BOMS:
        if body.startswith(bom):
            return Decoded(body[len(bom) :].decode(name, "replace"), name)
    # The first charset that the header names and that is one, by Python's name.
    header = next(filter(None, map(_named, _CHARSET.findall(content_type or ""))), None)
    if (wide := _wide(body, header)) is not None:
        return Decoded(body.decode(wide, "replace"), wide)
    declared = _declared(body, header, is_markup=is_markup)
    if "iso2022_jp" not in declared and _IN_ISO2022_JP.search(body) and _strictly(body, "iso2022_jp") is not None:
        declared.insert(0, "iso2022_jp")  # in ASCII bytes: nothing else has its shifts
    for name in declared:
        text = _strictly(body, name)
        if text is not None and not _is_utf8_in_disguise(body, name):
            return _more_plausible(body, Decoded(text, name))
    if (text := _strictly(body, "utf-8")) is not None:
        return Decoded(text, "utf-8")
    return _undeclared(body, declared, is_markup=is_markup)


def wide_charset(body: bytes) -> str | None:
    """The charset of text in two bytes a character, without a BOM, by where its NULs stand; None for other text."""
    head = body[:4096]
    half = len(head) // 2
    low, high = head[1::2].count(0), head[::2].count(0)
    name = "utf-16-le" if low > high else "utf-16-be"
    if min(low, high) == 0 and max(low, high) * 20 >= half and _is_markup(head[: 2 * half], name):
        return name  # in letters that are not Latin, only the markup has NULs
    if max(low, high) < max(2, 2 * _NUL_SHARE * half) or min(low, high) * 8 > max(low, high):
        return None
    return name


def _is_markup(head: bytes, name: str) -> bool:
    text = head.decode(name, "replace").lstrip()
    return text.startswith("<") and text.count(">") > 2 and text.count("\ufffd") <= 1


def _wide(body: bytes, header: str | None) -> str | None:
    """UTF-16 without a BOM: as its NULs tell, or as the header says of what is nothing else."""
    if (seen := wide_charset(body)) is not None:
        return seen
    declared = _WIDE.get(header or "")
    return declared if declared and _strictly(body, "utf-8") is None and _strictly(body, declared) is not None else None


def _named(label: str) -> str | None:
    """Python's name for a charset's *label*, as browsers take labels."""
    label = label.strip().lower()
    name = _LABELS.get(label) or resolve_encoding(label)
    if name is None:
        return None
    name = {"iso2022-jp": "iso2022_jp"}.get(name, name)
    return name if name in _KNOWN or name in _WIDE else None


def browser_label(name: str) -> str | None:
    """The label of the Encoding Standard for Python's *name* of a charset; None for one that browsers do not read."""
    label = _BROWSER_LABELS.get(name, name)
    return None if label in {"hz", "iso2022_kr"} or label.startswith("utf-32") else label


def _declared(body: bytes, header: str | None, *, is_markup: bool) -> list[str]:
    """The charsets that header and document name, as Python knows them, in order of rank."""
    head = body[:_PRESCAN] if is_markup else b""
    xml = _XML.search(head)
    names = (header, *([_named(xml[1].decode("ascii", "replace"))] if xml else []), *_in_meta(head))
    # A meta tag that could be read as ASCII cannot be in UTF-16: the standard reads it as UTF-8.
    return list(dict.fromkeys("utf-8" if name in _WIDE else name for name in names if name))


def _strictly(body: bytes, name: str) -> str | None:
    try:
        return body.decode(name)
    except (UnicodeError, LookupError):
        return None


def _is_utf8_in_disguise(body: bytes, name: str) -> bool:
    """Whether a single-byte charset is declared for bytes that hold multi-byte characters and are valid UTF-8."""
    if name not in _SINGLE or body.isascii():
        return False
    return _strictly(body, "utf-8") is not None


def _undeclared(body: bytes, declared: list[str], *, is_markup: bool) -> Decoded:
    """Bytes that are neither what they declare nor UTF-8: the declared charset if all but a few bytes fit it."""
    if not declared and is_markup:
        declared = _in_meta(body[:_LATE_PRESCAN])
    for name in dict.fromkeys((*declared, "utf-8")):
        text = body.decode(name, "replace")
        # One bad byte in 2,000 characters, or in twenty beyond ASCII, is a cut or a slip of an editor; more is another
        # charset. Not so where UTF-8 has as many of its characters as bad bytes: other charsets hit upon one by
        # chance, and hardly upon two.
        bad, wide = text.count("\ufffd"), sum(map(_is_wide, text))
        if bad * 2000 <= len(text) or bad * 20 <= wide:
            return _more_plausible(body, Decoded(text, name))
        if name == "utf-8" and bad < wide - bad and detect_charset(body, may_be_latin=False) is None:
            return Decoded(text, name)
    if (detected := detect_charset(body)) is not None:
        return Decoded(body.decode(detected, "replace"), detected)
    text = "".join(map(_byte, body)) if _has_holes(body) else body.decode(_LAST_RESORT)
    return Decoded(text, _LAST_RESORT)


def _more_plausible(body: bytes, read: Decoded) -> Decoded:
    """*read*, or the same bytes in a charset of which they make words, where *read* is a default that makes none.

    Servers name Windows-1252 or Latin-1 for pages in any charset, and editors on Windows declare ISO 8859 for texts
    with characters of Windows: these two are not believed against the text.
    """
    if read.encoding not in _DEFAULTS or body.isascii():
        return read
    if read.encoding != _LAST_RESORT and count_strays(read.text) == 0:
        return read
    detected = detect_charset(body)
    if detected is None or detected == read.encoding:
        return read
    text = body.decode(detected, "replace")
    return Decoded(text, detected) if text.count("\ufffd") * 20 <= sum(map(_is_wide, text)) else read


def _in_meta(head: bytes) -> list[str]:
    """The charset that the document's meta tags name first; empty for none, and for one that is none."""
    found = (_META_CHARSET.search(tag[1], 1) for tag in _META.finditer(head))
    label = next((one[1].decode("ascii", "replace") for one in found if one is not None), "")
    return list(filter(None, [_named(label)]))


def _is_wide(character: str) -> bool:
    return character > "\x7f"


def _has_holes(body: bytes) -> bool:
    return any(hole in body for hole in b"\x81\x8d\x8f\x90\x9d")


def _byte(value: int) -> str:
    """Windows-1252 as browsers read it: its five unassigned bytes are control characters, not errors."""
    return bytes((value,)).decode(_LAST_RESORT, "ignore") or chr(value)


# The characters of a text file: by byte order mark, declared charset, UTF-8, or Windows-1252.


def plain_text(body: bytes, content_type: str | None = None) -> str:
    """The text of a body that is not markup: nothing in it declares a charset. Never raises."""
    return decode(body, content_type, is_markup=False).text


# Text that UTF-8 can write: what is hashed, measured and staged is the same text.
