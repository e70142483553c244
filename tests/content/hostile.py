"""Bodies that a server could send to hurt us: the largest, the deepest, the most repetitive. Each by its name.

In: a size. Out: bytes. They are made when asked for, so that nobody carries megabytes of them around.
"""

from __future__ import annotations

import json
import zlib
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_PROSE = (
    "A creditor shall disclose the finance charge clearly and conspicuously in writing within 3 days of § 1026.18. "
)
_START = "<!DOCTYPE html><html><head><title>Large</title></head><body><main><h1>Large</h1>"
_END = "</main></body></html>"
#: Bytes of text before and after what is hostile: enough for a verdict to call the page content.
_LEAD = f"<p>{_PROSE * 10}</p>"


def html(inner: str) -> bytes:
    """*inner* in a page with text enough of its own."""
    return f"{_START}{_LEAD}{inner}{_LEAD}{_END}".encode()


def filled(piece: str, size: int) -> str:
    """*piece* repeated to about *size* characters."""
    return piece * max(1, size // len(piece))


def table(size: int) -> bytes:
    """One long table, as registers have it: rows of a number, a name and a fee."""
    rows = "".join(f"<tr><td>{n}</td><td>case {n}</td><td>${n}</td></tr>" for n in range(size // 48))
    return html(f"<table><tr><th>No</th><th>Case</th><th>Fee</th></tr>{rows}</table>")


def wide_table(size: int) -> bytes:
    """A table of 200 columns."""
    row = "<tr>" + "".join(f"<td>{n}.{n % 7}</td>" for n in range(200)) + "</tr>"
    return html(f"<table>{filled(row, size)}</table>")


def marked_table(size: int) -> bytes:
    """A table whose cells hold elements: the dearest kind."""
    row = '<tr><td><b>Sec. 1</b></td><td><a href="/case/1">case</a> of <i>A</i> v. B</td><td><p>$5</p></td></tr>'
    return html(f"<table>{filled(row, size)}</table>")


def spans(size: int) -> bytes:
    """Spans that ask for more cells than there are atoms of patience."""
    row = '<tr><td colspan="99999999" rowspan="65534">a</td><td rowspan="65534">b</td><td>c</td></tr>'
    return html(f"<table>{filled(row, size)}</table>")


def nested(tag: str, size: int) -> bytes:
    return html(filled(f"<{tag}>", size) + "deep")


def nested_closed(tag: str, size: int) -> bytes:
    count = size // (2 * len(tag) + 5)
    return html(f"<{tag}>" * count + "deep" + f"</{tag}>" * count)


def repeated(piece: str, tag: str = "p") -> Callable[[int], bytes]:
    """*piece* without end in one element."""
    return lambda size: html(f"<{tag}>{filled(piece, size)}</{tag}>")


def lines(piece: str) -> Callable[[int], bytes]:
    """*piece* in one element each."""
    return lambda size: html(filled(f"<p>{piece}</p>", size))


def bare(piece: str) -> Callable[[int], bytes]:
    """*piece* without end where tags may stand."""
    return lambda size: html(filled(piece, size))


def attributes(size: int) -> bytes:
    return html("<p " + "".join(f"a{n}=b " for n in range(size // 9)) + ">text</p>")


def attribute(size: int) -> bytes:
    return html(f'<p title="{"x " * (size // 2)}">text</p>')


def json_ld(size: int) -> bytes:
    inner = "[" * (size // 2) + "]" * (size // 2)
    return html(f'<script type="application/ld+json">{inner}</script>')


def links(size: int) -> bytes:
    return html("".join(f'<p><a href="/section/{n}">Section {n}</a></p>' for n in range(size // 45)))


def json_object(size: int) -> bytes:
    return json.dumps([{"name": "§ 1026", "value": n} for n in range(size // 45)]).encode()


def xml_law(size: int) -> bytes:
    section = f"<SECTION><SECTNO>§ 1</SECTNO><SUBJECT>Scope</SUBJECT><P>(a) {_PROSE}</P></SECTION>"
    return f"<?xml version='1.0'?><PART>{filled(section, size)}</PART>".encode()


def xml_flat(size: int) -> bytes:
    return f"<?xml version='1.0'?><list>{filled('<a>1</a>', size)}</list>".encode()


def plain(size: int) -> bytes:
    return filled(f"{_PROSE}\n", size).encode()


def pdf(pages: int, content: bytes, *, packed: bool = False) -> bytes:
    """A PDF of *pages* pages that all show the one stream *content*."""
    stream = zlib.compress(content, 9) if packed else content
    how = b"/Filter/FlateDecode" if packed else b""
    kids = b" ".join(b"%d 0 R" % (5 + n) for n in range(pages))
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 3 0 R/Resources<</Font<</F 4 0 R>>>>>>"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (pages, kids),
        b"<</Length %d%s>>stream\n%s\nendstream" % (len(stream), how, stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        *[page] * pages,
    ]
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table_at = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(out) + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, table_at)


def pdf_text(size: int) -> bytes:
    """A stream of *size* bytes that unpacks from a few kilobytes."""
    line = b"BT /F 8 Tf 20 700 Td (A creditor shall disclose the finance charge in writing.) Tj ET\n"
    return pdf(1, line * (size // len(line)), packed=True)


def pdf_pages(size: int) -> bytes:
    return pdf(size // 120, b"BT /F 8 Tf 20 700 Td (One page of many.) Tj ET")


#: Name -> the body of about so many bytes.
DEEP = (
    *("div", "b", "span", "font", "blockquote", "ul><li", "table><tr><td", "dl><dd", "a", "h1", "p", "form", "section"),
    *("sup", "q", "ins", "pre", "button class=accordion", "li", "ol><li", "i", "td"),
)
DEEP_CLOSED = ("div", "b", "span", "ins", "q", "blockquote", "custom-app", "sup")
TABLES: dict[str, Callable[[int], bytes]] = {
    "table": table,
    "wide table": wide_table,
    "marked table": marked_table,
    "spans": spans,
}
TEXTS: dict[str, Callable[[int], bytes]] = {
    name: repeated(piece)
    for name, piece in {
        "prose": _PROSE,
        "word": "x",
        "digits": "1",
        "spaces": " ",
        "newlines": "\n",
        "spaces and a letter": " " * 1000 + "a",
        "no-break spaces": "&nbsp;",
        "open brackets": "[",
        "closed brackets": "]",
        "parentheses": "(",
        "links half done": "[a](",
        "section signs": "§ ",
        "section numbers": "§ 1.1, ",
        "paragraph signs": "(a)(1)(i)",
        "comparison": "< ",
        "backticks": "`",
        "pipes": "|",
        "underscores": "_",
        "backslashes": "\\",
        "stars": "* ",
        "tildes": "~",
        "ampersands": "&amp;",
        "references": "&#65;",
        "hashes": "# ",
        "quotes": "> ",
        "items": "- ",
        "numbers": "1. ",
        "dots": ".",
        "dates": "January 1, 2020 ",
        "cfr": "12 CFR ",
        "cfr and spaces": "12 CFR 1026.1 and   ",
        "the act": "Act Of And ",
        "capitals": "Aaa ",
        "of the": "of the ",
        "updated": "last updated ",
        "regulations": "Regulation Z, ",
        "comments": "comment 1(a)(1)(i)(A)-1.",
        "breaks": "a<br>",
        "emphasis": "<b>a</b>",
        "emphasis, mixed": "<b> </b><i> </i>",
        "emphasis, tight": "<b>.</b>a",
        "links": '<a href="/a">a</a>',
        "empty": "<b></b>",
        "images": "<img src=a alt=b>",
        "curly": "{{ ",
    }.items()
}
MARKUP: dict[str, Callable[[int], bytes]] = {
    "prose, lines": lines(_PROSE),
    "links": links,
    "attributes": attributes,
    "attribute": attribute,
    "json-ld": json_ld,
    "less-than": bare("<"),
    "less-than bang": bare("<!"),
    "comments": bare("<!--"),
    "scripts": bare("<script>"),
    "scripts, closed": bare("<script></script>"),
    "end tags": bare("</div>"),
    "tags cut": bare("<a "),
    "tags of equals": bare("<a ="),
    "void": bare("<br>"),
    "rules": bare("<hr>"),
    "headings": bare("<h2>a</h2>"),
    "titles": bare("<title>a</title>"),
    "main": bare("<h1>a</h1>"),
    "metas": bare('<meta name="date" content="x">'),
    "forms": bare("<form><input></form>"),
    "stamps": lines("Last updated: January 1, 2020"),
    "hidden": bare('<p class="hidden">a</p>'),
    "boilerplate": bare('<div class="nav">a</div>'),
    "items": bare("<ul><li>a</li></ul>"),
    "numbered": bare("<ol><li>a</ol>"),
    "definitions": bare("<dl><dt>a<dd>b</dl>"),
    "definitions, open": bare("<dd>a"),
    "pre": bare("<pre>a</pre>"),
    "tables": bare("<table><tr><td>a</table>"),
    "rows without a table": bare("<tr><td>a"),
    "anchors, open": bare("<a href=x>a"),
    "fonts, open": bare("<font>a"),
    "bold, open": bare("<b>a"),
    "items, open": bare("<ul><li>a"),
    "quotes, open": bare("<blockquote>a"),
    "bodies": bare("<body>a"),
    "templates": bare("<template>a"),
    "svg": bare("<svg><title>a</title></svg>"),
    "one paragraph of many lines": lambda size: html("<p>" + filled("a<br>* b<br>", size)),
    "pre, one": lambda size: html("<pre>" + filled("a  `b`\n", size) + "</pre>"),
    **{f"{tag}, deep": partial(nested, tag) for tag in DEEP},
    **{f"{tag}, deep and closed": partial(nested_closed, tag) for tag in DEEP_CLOSED},
}  # fmt: skip
DOCUMENTS: dict[str, Callable[[int], bytes]] = {
    "json": json_object,
    "xml of the law": xml_law,
    "xml, flat": xml_flat,
    "plain": plain,
    "pdf of text": pdf_text,
    "pdf of pages": pdf_pages,
}
EVERY = {
    **{f"table: {name}": make for name, make in TABLES.items()},
    **{f"text: {name}": make for name, make in TEXTS.items()},
    **{f"markup: {name}": make for name, make in MARKUP.items()},
    **{f"document: {name}": make for name, make in DOCUMENTS.items()},
}
