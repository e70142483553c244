"""PDFs drawn for tests: text at its place in three fonts, rules, outlines. Each says all that is in it."""

from __future__ import annotations

import io
import textwrap
from dataclasses import dataclass, field

from pypdf import PdfReader, PdfWriter

from tests.content.documents.pdfs import file_of

FONTS = {"F1": b"/Helvetica", "F2": b"/Helvetica-Bold", "F3": b"/Courier"}


@dataclass
class Sheet:
    """A page of letter size, drawn in points from its lower left corner."""

    rotate: int = 0
    orders: list[str] = field(default_factory=list)

    def text(
        self, x: float, y: float, words: str, *, size: float = 10, font: str = "F1", turn: str = "1 0 0 1"
    ) -> None:
        safe = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        self.orders.append(f"BT /{font} {size} Tf {turn} {x} {y} Tm ({safe}) Tj ET")

    def lines(self, x: float, y: float, rows: list[str], *, size: float = 10, font: str = "F3") -> None:
        """Rows of text below one another, 1.2 sizes apart."""
        for index, row in enumerate(rows):
            self.text(x, y - 1.2 * size * index, row, size=size, font=font)

    def rule(self, x0: float, y0: float, x1: float, y1: float) -> None:
        self.orders.append(f"0.5 w {x0} {y0} m {x1} {y1} l S")

    def box(self, x: float, y: float, width: float, height: float) -> None:
        self.orders.append(f"0.5 w {x} {y} {width} {height} re S")

    def grid(self, xs: list[float], ys: list[float]) -> None:
        for x in xs:
            self.rule(x, min(ys), x, max(ys))
        for y in ys:
            self.rule(min(xs), y, max(xs), y)


def prose(words: str, width: int) -> list[str]:
    """Words as rows of at most *width* characters."""
    return textwrap.wrap(words, width, break_on_hyphens=False)


def drawn(*sheets: Sheet, about: dict[str, str] | None = None) -> bytes:
    """The PDF of these pages."""
    count = len(sheets)
    kids = " ".join(f"{3 + index} 0 R" for index in range(count))
    fonts = " ".join(f"/{name} {3 + 2 * count + index} 0 R" for index, name in enumerate(FONTS))
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode()]
    objects += [
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Rotate {sheet.rotate} "
        f"/Contents {3 + count + index} 0 R /Resources << /Font << {fonts} >> >> >>".encode()
        for index, sheet in enumerate(sheets)
    ]
    streams = ("\n".join(sheet.orders).encode("cp1252") for sheet in sheets)
    objects += [b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream) for stream in streams]
    objects += [
        b"<< /Type /Font /Subtype /Type1 /BaseFont %s /Encoding /WinAnsiEncoding >>" % name for name in FONTS.values()
    ]
    objects.append(f"<< {''.join(f'/{name} ({value}) ' for name, value in (about or {}).items())}>>".encode())
    return file_of(objects)


def outlined(body: bytes, entries: list[tuple[str, int, int]]) -> bytes:
    """The same PDF with an outline: title, page from 0, level from 0 of each entry."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(body)))
    parents: dict[int, object] = {}
    for title, page, level in entries:
        parents[level] = writer.add_outline_item(title=title, page_number=page, parent=parents.get(level - 1))  # type: ignore[arg-type]
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()
