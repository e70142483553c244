"""A file of lines that others append to, read from where it was left. They may tear it, cut it, or replace it.

A position is ``{byte offset}:{hash of what stands before it}``: where that is not there any more, the file is another,
or was cut, and it is read from its beginning.
"""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.stores.folder import Folder

#: Lines that are given together.
_AT_ONCE = 1_000
#: A confirmation has some 60 bytes. What is longer than this is read in pieces, none of which is one.
_LONGEST = 64 * 1024
#: So much before the offset tells whether the file is still the one that was read.
_KNOWN_BY = 256


def follow(folder: Folder, name: str, position: str) -> Iterator[tuple[list[str], str]]:
    """Whole lines of the file *name* after *position* ("" at first), some together, with the position after them."""
    try:
        with folder.entered() as fd, folder.opened(fd, name, os.O_RDONLY) as file, os.fdopen(os.dup(file), "rb") as log:
            log.seek(_offset(log, position))
            while lines := _some(log):
                yield lines, _position(log)
    except FileNotFoundError:
        return


def _some(log: BinaryIO) -> list[str]:
    """The next lines; the log stands after the last of them, before a torn one."""
    lines: list[str] = []
    while len(lines) < _AT_ONCE:
        piece = log.readline(_LONGEST)
        if not piece.endswith(b"\n") and len(piece) < _LONGEST:
            log.seek(-len(piece), os.SEEK_CUR)
            break
        lines.append(piece.decode(errors="replace").rstrip("\r\n"))
    return lines


def _offset(log: BinaryIO, position: str) -> int:
    offset, _, known = position.partition(":")
    if not offset.isdecimal() or os.fstat(log.fileno()).st_size < int(offset):
        return 0
    return int(offset) if _fingerprint(log, int(offset)) == known else 0


def _position(log: BinaryIO) -> str:
    offset = log.tell()
    return f"{offset}:{_fingerprint(log, offset)}"


def _fingerprint(log: BinaryIO, offset: int) -> str:
    begin = max(0, offset - _KNOWN_BY)
    return sha256(os.pread(log.fileno(), offset - begin, begin)).hexdigest()[:16]
