"""PDFium's own text of a document, page by page: for what is too large to be laid out."""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING

from rori_spiders.content.documents.escape import block, escaped
from rori_spiders.content.documents.pdf.file import printable

if TYPE_CHECKING:
    import pypdfium2  # type: ignore[import-untyped]  # it ships no types

# PDFium marks a hyphen that only breaks a line with U+FFFE (or U+0002): print shows a hyphen, and so do we.
_LINE_HYPHEN = re.compile("[\ufffe\x02]")


def read(page: pypdfium2.PdfPage) -> str:
    """The text of a page as PDFium has it, in its lines; what markdown would act on is escaped."""
    with closing(page.get_textpage()) as text:
        lines = _tidy(str(text.get_text_range())).split("\n")
    return "\n".join(block(escaped(line.lstrip())) for line in lines)


def count(page: pypdfium2.PdfPage) -> int:
    """The characters of a page, blanks among them."""
    with closing(page.get_textpage()) as text:
        return int(text.count_chars())


def _tidy(text: str) -> str:
    """Blanks at line ends and runs of empty lines go: they come from the gaps between blocks of print."""
    text = _LINE_HYPHEN.sub("-", text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = [line.rstrip() for line in printable(text).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
