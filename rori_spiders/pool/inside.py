"""What runs inside a process of the pool: its limits, the work, and what it gives back of its memory."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, ParamSpec, TypeVar

from rori_spiders.content.tree import is_want_of_memory
from rori_spiders.pool.bodies import Spilled

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")


def prepare(parent: int, memory_bytes: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # What is written to counts, mapped libraries do not: nearly what the process weighs.
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()
    sys.unraisablehook = _note_unraisable


class _Unraisable:
    """Whether a MemoryError came where none can be raised: lxml drops those of its callbacks, and text with them."""

    was_memory = False


def _note_unraisable(dropped: sys.UnraisableHookArgs) -> None:
    if issubclass(dropped.exc_type, MemoryError):
        _Unraisable.was_memory = True
    else:
        sys.__unraisablehook__(dropped)


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


class Done(NamedTuple):
    result: object
    kept_bytes: int


def work(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Done:
    """In the process: *function*, its memory given back. MemoryError gets out whatever was made of it on the way."""
    _Unraisable.was_memory = False
    try:
        given = [each.taken() if isinstance(each, Spilled) else each for each in args]
        named = {name: each.taken() if isinstance(each, Spilled) else each for name, each in kwargs.items()}
        result = function(*given, **named)  # type: ignore[arg-type]
    except Exception as error:
        if _ran_out(error) or _Unraisable.was_memory:
            raise MemoryError from None  # its traceback would hold all that was taken
        raise
    if _Unraisable.was_memory:
        raise MemoryError
    _give_back()
    return Done(result, _resident_bytes())


def _ran_out(error: BaseException) -> bool:
    links: BaseException | None = error
    while links is not None:
        if is_want_of_memory(links):
            return True
        links = links.__cause__ or links.__context__
    return False


def _give_back() -> None:
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except AttributeError:  # not glibc
        return


def _resident_bytes() -> int:
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()
    except OSError:  # not Linux: the most that it ever held is all that can be known
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
