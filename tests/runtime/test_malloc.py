"""All threads of a process take memory from one arena."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

_ARENAS = """
import ctypes, sys, threading
from rori_spiders.runtime.malloc import use_one_malloc_arena
if sys.argv[1] == "one":
    use_one_malloc_arena()
taken, leave = threading.Barrier(5), threading.Event()
def take():
    kept = bytes(100_000)
    taken.wait()
    leave.wait()
threads = [threading.Thread(target=take) for _ in range(4)]
[thread.start() for thread in threads]
taken.wait()
libc = ctypes.CDLL(None)
libc.fdopen.restype = ctypes.c_void_p
libc.malloc_info(0, ctypes.c_void_p(stream := libc.fdopen(1, b"w")))
libc.fflush(ctypes.c_void_p(stream))
leave.set()
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="not glibc")
@pytest.mark.parametrize(("how", "is_one"), [("one", True), ("each", False)])
def test_use_one_malloc_arena_four_threads_share_it(how: str, is_one: bool) -> None:
    command = [sys.executable, "-c", _ARENAS, how]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert (told.count("<heap nr=") == 1) is is_one
