"""Files of lines such as ``_index.jsonl``: appended to by several processes of ours, and followed where others
append to them.
"""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import BinaryIO

from rori_spiders.staging.disk.errors import explain_os_errors
from rori_spiders.staging.disk.folder import Folder, write_all
from rori_spiders.staging.layout import encode_line
from rori_spiders.staging.store import LogLine

_BLOCK = 64 * 1024


class LineFile:
    """The log in the file *name* at the root of *folder*. See ``staging.store.Log``."""

    is_one_sequence = True

    def __init__(self, folder: Folder, name: str) -> None:
        self._folder = folder
        self.name = name
        self._location = str(folder.root)

    def check(self) -> None:
        """Raise OSError when nothing could be appended now."""
        with self._locked():
            pass

    def append(self, lines: Sequence[LogLine]) -> None:
        """Append *lines*, all or none; on return they are on the disk."""
        if lines:
            with explain_os_errors(self._location), self._locked() as file:
                self._write(file, [line.text for line in lines])

    def append_missing(self, lines: Sequence[LogLine]) -> int:
        missing = dict.fromkeys(line.text for line in lines)
        if not missing:
            return 0
        with explain_os_errors(self._location), self._locked() as file:
            for line in self.lines():
                missing.pop(line, None)
            self._write(file, list(missing))
        return len(missing)

    def lines(self) -> Iterator[str]:
        try:
            with (
                explain_os_errors(self._location, missing_is_fine=True),
                self._folder.entered() as fd,
                self._folder.opened(fd, self.name, os.O_RDONLY) as file,
                os.fdopen(os.dup(file), encoding="utf-8", errors="replace", newline="\n") as stream,
            ):
                for line in stream:
                    if line.endswith("\n"):
                        yield line[:-1]
        except FileNotFoundError:
            return

    def places(self) -> Iterator[tuple[str, str]]:
        return ((f"{self.name}:{number}", line) for number, line in enumerate(self.lines(), start=1))

    def is_torn(self) -> bool:
        """Whether its last line has no end, and no writer is at work on it."""
        try:
            with self._folder.entered() as fd, self._folder.opened(fd, self.name, os.O_RDONLY) as file:
                fcntl.flock(file, fcntl.LOCK_SH)
                size = os.fstat(file).st_size
                return _end_of_lines(file, size) < size
        except FileNotFoundError:
            return False

    def mend(self) -> bool:
        """Cut a torn last line; whether there was one."""
        torn = self.is_torn()
        if torn:
            self.check()
        return torn

    @contextmanager
    def _locked(self) -> Iterator[int]:
        with (
            self._folder.entered((), create=True) as fd,
            self._folder.opened(fd, self.name, os.O_RDWR | os.O_APPEND | os.O_CREAT) as file,
        ):
            fcntl.flock(file, fcntl.LOCK_EX)
            size = os.fstat(file).st_size
            if size == 0:
                os.fsync(fd)
            elif (end := _end_of_lines(file, size)) < size:
                os.ftruncate(file, end)
                os.fsync(file)
            yield file

    def _write(self, file: int, lines: Sequence[str]) -> None:
        size = os.fstat(file).st_size
        try:
            for line in lines:
                write_all(file, encode_line(line))
        except OSError:  # a full disk: no half line and no half batch stays
            os.ftruncate(file, size)
            raise
        os.fsync(file)


def _end_of_lines(file: int, size: int) -> int:
    """The offset after the last newline before *size*; 0 when there is none."""
    end = size
    while end > 0:
        start = max(0, end - _BLOCK)
        at = os.pread(file, end - start, start).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0


# A file of lines that others append to, read from where it was left. They may tear it, cut it, or replace it. A
# position is ``{byte offset}:{hash of what stands before it}``: where that is not there any more, the file is
# another, or was cut, and it is read from its beginning.

#: Lines that are given together.
_LINES_PER_BATCH = 1_000
#: A confirmation has some 60 bytes. What is longer than this is read in pieces, none of which is one.
_MAX_LINE_BYTES = 64 * 1024
#: So much before the offset tells whether the file is still the one that was read.
_FINGERPRINT_BYTES = 256


def follow_lines(folder: Folder, name: str, position: str) -> Iterator[tuple[list[str], str]]:
    """Whole lines of the file *name* after *position* ("" at first), some together, with the position after them."""
    try:
        with folder.entered() as fd, folder.opened(fd, name, os.O_RDONLY) as file, os.fdopen(os.dup(file), "rb") as log:
            log.seek(_resume_offset(log, position))
            while lines := _read_lines(log):
                yield lines, _format_position(log)
    except FileNotFoundError:
        return


def _read_lines(log: BinaryIO) -> list[str]:
    """Read the next lines; the log's position is then after the last of them, before a torn one."""
    lines: list[str] = []
    while len(lines) < _LINES_PER_BATCH:
        piece = log.readline(_MAX_LINE_BYTES)
        if not piece.endswith(b"\n") and len(piece) < _MAX_LINE_BYTES:
            log.seek(-len(piece), os.SEEK_CUR)
            break
        lines.append(piece.decode(errors="replace").rstrip("\r\n"))
    return lines


def _resume_offset(log: BinaryIO, position: str) -> int:
    offset, _, known = position.partition(":")
    if not offset.isdecimal() or os.fstat(log.fileno()).st_size < int(offset):
        return 0
    return int(offset) if _fingerprint(log, int(offset)) == known else 0


def _format_position(log: BinaryIO) -> str:
    offset = log.tell()
    return f"{offset}:{_fingerprint(log, offset)}"


def _fingerprint(log: BinaryIO, offset: int) -> str:
    begin = max(0, offset - _FINGERPRINT_BYTES)
    return sha256(os.pread(log.fileno(), offset - begin, begin)).hexdigest()[:16]
