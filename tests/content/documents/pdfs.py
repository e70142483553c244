"""PDFs made by hand: the smallest files that a reader accepts, so that a test says what is in them."""

from __future__ import annotations


def pdf(pages: list[str], about: dict[str, str] | None = None) -> bytes:
    """A PDF with one line of text a page; an empty string gives a page without text."""
    count = len(pages)
    kids = " ".join(f"{3 + index} 0 R" for index in range(count))
    font = 3 + 2 * count
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode()]
    objects += [
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {3 + count + index} 0 R "
        f"/Resources << /Font << /F1 {font} 0 R >> >> >>".encode()
        for index in range(count)
    ]
    streams = (f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode() if text else b"" for text in pages)
    objects += [b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream) for stream in streams]
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    facts = "".join(f"/{name} ({value}) " for name, value in (about or {}).items())
    objects.append(f"<< {facts}>>".encode())
    return file_of(objects)


def file_of(objects: list[bytes]) -> bytes:
    """A PDF file of these objects, numbered from 1: the first its catalog, the last its facts."""
    body = b"%PDF-1.4\n"
    offsets: list[int] = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return body + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, table, len(objects) + 1, len(objects), len(body))
    )
