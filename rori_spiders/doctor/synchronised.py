"""Whether the kernel holds its clock for synchronised: what `timedatectl` shows, asked where it comes from."""

from __future__ import annotations

import ctypes
import os

# <sys/timex.h>
_TIME_ERROR = 5
_STA_UNSYNC = 0x0040
_LONGS_BEFORE_STATUS = 4  # offset, freq, maxerror, esterror


class _Timex(ctypes.Structure):
    """The beginning of ``struct timex``, as far as it is read, and room for the rest (208 bytes on 64-bit Linux)."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("before", ctypes.c_long * _LONGS_BEFORE_STATUS),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_byte * 256),
    )


def is_synchronised() -> bool | None:
    """None where the kernel cannot be asked: no Linux, or a container that forbids it. Nothing is set (modes 0)."""
    if os.uname().sysname != "Linux":
        return None
    timex = _Timex()
    try:
        state = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(timex))
    except (OSError, AttributeError):
        return None
    if state < 0:
        return None
    return state != _TIME_ERROR and not timex.status & _STA_UNSYNC
