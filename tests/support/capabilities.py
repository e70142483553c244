"""Has root obey the modes of files as others do: a process gives up the capabilities against them. Linux only."""

from __future__ import annotations

import ctypes
import os

#: CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH and CAP_FOWNER, by their numbers in linux/capability.h.
_OVERRIDES = (1, 2, 3)
_PR_CAPBSET_DROP = 24
_VERSION_3 = 0x20080522


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable"))


def obey_file_modes() -> None:
    """From now on, for this process and all that it starts. Raises OSError when the kernel does not let it."""
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = _Header(_VERSION_3, 0), (_Sets * 2)()  # the first has the capabilities below 32
    _check(libc.capget(ctypes.byref(header), sets))
    for number in _OVERRIDES:
        _check(libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0))  # else a program that it starts has them again
        for name in ("effective", "permitted", "inheritable"):
            setattr(sets[0], name, getattr(sets[0], name) & ~(1 << number))
    _check(libc.capset(ctypes.byref(header), sets))


def _check(result: int) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
