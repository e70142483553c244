"""How glibc's `malloc` takes memory for the process. Another C library does as it likes."""

import ctypes
from contextlib import suppress

_M_ARENA_MAX = -8  # malloc.h


def use_one_malloc_arena() -> None:
    """Have all threads, those that start from now on, take memory from one arena: what one frees, any can use.

    glibc gives each an arena of its own, and Python's threads, which take turns, gain nothing by that.
    """
    with suppress(AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
