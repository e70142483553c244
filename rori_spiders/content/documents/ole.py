"""Files in Microsoft's old container (OLE2, MS-CFB): named for what they are, and not read.

Word and Excel wrote them until 2003; newer files are put into one when they are locked by a password.
"""

from __future__ import annotations

from typing import NoReturn

from rori_spiders.exceptions import UnreadableDocument

# Streams by their names, in UTF-16 as the container's directory has them.
_STREAMS = (
    ("EncryptedPackage", "is an Office file that is encrypted and asks for a password"),
    ("WordDocument", "is a Word file of before 2007 (.doc); such files are not read"),
    ("Workbook", "is an Excel file of before 2007 (.xls); such files are not read"),
    ("Book", "is an Excel file of before 1997 (.xls); such files are not read"),
    ("PowerPoint Document", "is a PowerPoint file of before 2007 (.ppt); such files are not read"),
)


def read(body: bytes, /, *, url: str) -> NoReturn:
    """Raises UnreadableDocument, always: it says what the file is."""
    for name, sentence in _STREAMS:
        if name.encode("utf-16-le") + bytes(2) in body:
            raise UnreadableDocument(f"{url}: this {sentence}")
    raise UnreadableDocument(f"{url}: this is a file in Microsoft's old container (OLE2), of a kind that is not read")
