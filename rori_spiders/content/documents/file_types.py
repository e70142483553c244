"""Detect the file type of a response from its bytes.

In: a body and its ``Content-Type``. Out: one word. Names and headers lie (a PDF served as ``text/html``, a page
of apologies served as ``application/pdf``), so the header only decides between HTML and text where bytes cannot.
"""

import re
from typing import Literal, NoReturn

from rori_spiders.content.documents.office_package import directory
from rori_spiders.content.encoding import BOMS, wide_charset
from rori_spiders.exceptions import UnreadableDocument

Kind = Literal["html", "xml", "pdf", "docx", "xlsx", "pptx", "ole", "json", "text", "binary"]
#: Kinds whose bytes are not text: they have no charset, and nobody can read them as they came.
NO_TEXT: frozenset[Kind] = frozenset({"pdf", "docx", "xlsx", "pptx", "ole", "binary"})

# Far enough for a banner comment and a DOCTYPE, short enough to cost nothing.
_HEAD = 4096
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\v\f\r\x1b")
# Media types of which a body never is text, by their first bytes (file(1)'s magic): ZIP and Office, gzip, old Office,
# PNG, JPEG, GIF, RIFF, ELF, bzip2, 7z, RAR, ICO, Ogg, MP4.
_MAGIC = re.compile(
    rb"PK[\x03\x05\x07][\x04\x06\x08]|\x1f\x8b|\xd0\xcf\x11\xe0|\x89PNG|\xff\xd8\xff|GIF8|RIFF|\x7fELF|BZh|7z\xbc\xaf|Rar!"
    rb"|\x00\x00\x01\x00|OggS|.{4}ftyp",
    re.DOTALL,
)
_RTF = b"{\\rtf"
_LEADING = re.compile(r"(?:\s+|<\?(?!xml)[^>]{0,500}>|<!--.{0,3000}?-->)*", re.DOTALL)
_HTML_ROOT = re.compile(
    r"<!doctype\s+html|<(?:html|head|body|title|meta|link|script|noscript|style|base|div|p|span|a|table|ul|ol|dl|h[1-6]|br|hr"
    r"|img|center|font|b|i|strong|em|pre|form|iframe|main|article|section|header|footer|nav|aside)(?=[\s/>])",
    re.IGNORECASE,
)
_WORD = re.compile(r"^word/document\d*\.xml$", re.MULTILINE)
_EXCEL = re.compile(r"^xl/workbook\d*\.xml$", re.MULTILINE)
_POWERPOINT = re.compile(r"^ppt/presentation\d*\.xml$", re.MULTILINE)
_TEXTS = ("text/plain", "yaml", "/csv", "/markdown")
_API = re.compile(r"""^["']?(?:openapi|swagger)["']?[ \t]*:[ \t]*["']?[1-9]""", re.MULTILINE)
_XHTML = re.compile(r"<!doctype\s+html|<(?:\w+:)?html\b", re.IGNORECASE)
_XML_ROOT = re.compile(r"<!doctype\s+\w|<[A-Za-z_][\w.-]*(?::[\w.-]+)?(?:\s+[\w:.-]+\s*=|\s*/?>)", re.IGNORECASE)


def kind_of(body: bytes, content_type: str | None = None) -> Kind:
    """Tell the kind of a body. Never raises; an empty body is ``text``.

    XHTML counts as ``html`` even with an XML declaration: browsers and our HTML side read both alike.
    """
    media = (content_type or "").split(";")[0].strip().lower()
    if b"%PDF-" in body[:1024]:  # ISO 32000 lets readers accept the header within the first 1024 bytes
        return "pdf"
    if _MAGIC.match(body[:16]):
        return _of_container(body)
    if body.startswith(_RTF):  # its letters are ASCII, and no text
        return "binary"
    text = _opening(body)
    if text is None:
        return "binary"
    return _of_text(text, media)


def _of_container(body: bytes) -> Kind:
    """Office files within a ZIP, recognised by its directory, or where that was cut off, by the names before its parts.

    OLE is what Word and Excel wrote until 2003, and what locks newer files behind a password.
    """
    if body.startswith(b"\xd0\xcf\x11\xe0"):
        return "ole"
    if not body.startswith(b"PK\x03\x04"):
        return "binary"
    names = directory(body)
    if _WORD.search("\n".join(names)) or (not names and b"word/document.xml" in body):
        return "docx"
    if _EXCEL.search("\n".join(names)) or (not names and b"xl/workbook.xml" in body):
        return "xlsx"
    if _POWERPOINT.search("\n".join(names)) or (not names and b"ppt/presentation.xml" in body):
        return "pptx"
    return "binary"


def _of_text(text: str, media: str) -> Kind:
    start = text[_skip(text) :]
    if start.startswith("<?xml"):
        return "html" if _XHTML.search(start) else "xml"
    if start[:1] == "<":
        if _HTML_ROOT.match(start) and not (_xml_media(media) and not _XHTML.match(start)):
            return "html"
        if media in ("text/html", "application/xhtml+xml"):
            return "html"
        if _XML_ROOT.match(start):
            return "xml"
        return "html" if _HTML_ROOT.search(start) else "text"
    if start[:1] in "{[" and start and (_json_media(media) or _looks_json(start)):
        return "json"
    if _json_media(media) and start:
        return "json" if start[0] in '"-0123456789tfn' else "text"
    # Words first, markup later: HTML as browsers take it, unless the server says that it is text of another kind, or
    # it describes an interface: there markup stands in descriptions.
    if not media.endswith(_TEXTS) and not _API.search(start) and _HTML_ROOT.search(start):
        return "html"
    return "text"


def _opening(body: bytes) -> str | None:
    """The first characters, or None when they are not text: NUL bytes, or one byte in fifty a control character."""
    head = body[:_HEAD]
    for bom, codec in BOMS:
        if head.startswith(bom):
            return head[len(bom) :].decode(codec, "replace")
    if (wide := wide_charset(head)) is not None:
        return head.decode(wide, "replace")
    # A stray NUL in a page of text is a server's fault, not another kind of file: only many of them are.
    control = len(head) - len(head.translate(None, _CONTROLS))
    if control > 2 and control * 50 > len(head):
        return None
    return head.decode("utf-8", "replace")


def _skip(text: str) -> int:
    match = _LEADING.match(text)
    return match.end() if match else 0


def _json_media(media: str) -> bool:
    return media.endswith(("/json", "+json"))


def _xml_media(media: str) -> bool:
    return media.endswith(("/xml", "+xml")) and media != "application/xhtml+xml"


def _looks_json(start: str) -> bool:
    return bool(re.match(r'\{\s*(?:"|\})|\[\s*(?:[\[{"\]\-\d]|true|false|null)', start))


# Files in Microsoft's old container (OLE2, MS-CFB): named for what they are, and not read. Word and Excel wrote them
# until 2003; newer files are put into one when they are locked by a password.

# Streams by their names, in UTF-16 as the container's directory has them.
_STREAMS = (
    ("EncryptedPackage", "is an Office file that is encrypted and needs a password"),
    ("WordDocument", "is a Word file of before 2007 (.doc); such files are not read"),
    ("Workbook", "is an Excel file of before 2007 (.xls); such files are not read"),
    ("Book", "is an Excel file of before 1997 (.xls); such files are not read"),
    ("PowerPoint Document", "is a PowerPoint file of before 2007 (.ppt); such files are not read"),
)


# Documents of other kinds, by a part that each of them has.
_PACKAGES = (
    ("META-INF/container.xml", "is an e-book (.epub)"),
    ("content.xml", "is an OpenDocument file (.odt, .ods or .odp)"),
)


def describe_unread(body: bytes) -> str:
    """What a document of a kind that is not read is, to follow "this"; "" for any other body."""
    if body.startswith(_RTF):
        return "is a rich text file (.rtf); such files are not read"
    parts = directory(body) if body.startswith(b"PK\x03\x04") else {}
    return next((f"{what}; such files are not read" for name, what in _PACKAGES if name in parts), "")


def read(body: bytes, /, *, url: str) -> NoReturn:
    """Raises UnreadableDocument, always: it says what the file is."""
    for name, sentence in _STREAMS:
        if name.encode("utf-16-le") + bytes(2) in body:
            raise UnreadableDocument(f"{url}: this {sentence}")
    raise UnreadableDocument(f"{url}: this is an OLE2 file (old Microsoft format) of an unsupported type")
