"""Describe errors of the operating system with what to do about them."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from rori_spiders.exceptions import StagingError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
_LINKS = {errno.ELOOP, errno.ENOTDIR, errno.EEXIST}


@contextmanager
def explain_os_errors(location: str, *, missing_is_fine: bool = False) -> Iterator[None]:
    """Turn an OSError into a StagingError; FileNotFoundError stays what it is when *missing_is_fine*."""
    try:
        yield
    except OSError as error:
        if missing_is_fine and isinstance(error, FileNotFoundError):
            raise
        raise StagingError(_error_sentence(error, location)) from error


def _error_sentence(error: OSError, location: str) -> str:
    what = error.strerror or str(error)
    at = f" (at {os.fsdecode(error.filename)!r})" if isinstance(error.filename, (str, bytes)) else ""
    if error.errno in _FULL:
        return f"The staging area {location} is full: {what}. Free some space, or set RORI_STAGING to another folder."
    if error.errno in _FORBIDDEN:
        return (
            f"The staging area {location} cannot be written: {what}{at}. Make it writable for this user, on a file "
            "system that has hard links, or set RORI_STAGING to another folder."
        )
    if error.errno in _LINKS:
        return (
            f"The staging area {location} contains a symbolic link or special file where a plain file or folder "
            f"belongs{at}. Remove it, or set RORI_STAGING to another folder."
        )
    if error.errno == errno.ESTALE:
        return (
            f"The staging area {location} was removed or replaced while in use. Restore it (check that its disk "
            "is mounted), and restart."
        )
    return f"The staging area {location} failed: {what}{at}."
