"""Writes a PDF of a page's text: one fixed-width font, no compression, so that the same text gives the same bytes.

PDF libraries stamp the clock and differ by version; the few objects that plain text needs are written here
(ISO 32000-1).
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import html

_WIDTH, _LINES = 78, 54  # Courier 10 is 6 points a character: 468 points of text between margins of an inch
_SHOWN = {"h1", "h2", "h3", "h4", "p", "li"}


@dataclass(frozen=True)
class _Line:
    text: str
    bold: bool = False


def pdf_from_html(main: str, *, title: str, author: str, published: str) -> bytes:
    """The PDF of the headings, paragraphs and list items of *main*. *published* is the date that it carries (ISO)."""
    lines = list(_page_lines(main))
    pages = [lines[start : start + _LINES] for start in range(0, len(lines), _LINES)]
    created = "(D:" + published.replace("-", "") + "000000Z)"
    info = f"<< /Title {_pdf_string(title)} /Author {_pdf_string(author)} /CreationDate {created} >>"
    return _pdf_file(pages, info.encode("cp1252"))


def _page_lines(main: str) -> Iterator[_Line]:
    for element in html.fragment_fromstring(main, create_parent="div").iter(*_SHOWN):
        text = " ".join(element.text_content().split())
        heading = str(element.tag).startswith("h")
        yield from (_Line(line, heading) for line in textwrap.wrap(text, _WIDTH))
        yield _Line("")


def _pdf_file(pages: Sequence[Sequence[_Line]], info: bytes) -> bytes:
    """The objects (catalog, page tree, two fonts, info, then two a page), and the table of where each starts."""
    kids = " ".join(f"{6 + 2 * n} 0 R" for n in range(len(pages)))
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /WinAnsiEncoding >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /Lang (en-US) >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        font.format("Courier").encode(),
        font.format("Courier-Bold").encode(),
        info,
    ]
    for number, lines in enumerate(pages):
        objects += [_page_object(7 + 2 * number), _content_stream(lines, number + 1)]
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    starts = []
    for number, body in enumerate(objects, 1):
        starts.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % start for start in starts)
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R >>\n" % (len(objects) + 1)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % table)


def _page_object(content: int) -> bytes:
    fonts = "/Font << /F1 3 0 R /F2 4 0 R >>"
    page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << {fonts} >> /Contents {content} 0 R >>"
    return page.encode()


def _content_stream(lines: Sequence[_Line], number: int) -> bytes:
    shown = [f"/F{2 if line.bold else 1} 10 Tf {_pdf_string(line.text)} Tj T*" for line in lines]
    foot = f"BT /F1 8 Tf 296 36 Td {_pdf_string(f'- {number} -')} Tj ET"
    text = "\n".join(["BT 12 TL 72 720 Td", *shown, "ET", foot]).encode("cp1252")
    return b"<< /Length %d >>\nstream\n%b\nendstream" % (len(text), text)


def _pdf_string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"({escaped})"
