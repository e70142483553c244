"""Inside a worker process: its limits, the work, how large bodies reach it, how memory is given back."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple, ParamSpec, TypeVar

from rori_spiders.content.html.tree import is_want_of_memory

#: Bodies up to this size are worked on in place (64 KiB: about 30 ms for a whole conversion on one core, 2026-11).
IN_PLACE_BYTES = 64 * 1024
#: Larger bodies wait for each other. Up to it the densest of 150 hostile pages (links never closed) take 100 MB, and
#: the processes for them may take no more (benchmarks/content_memory.py, 2026-11).
LARGE_BYTES = 256 * 1024
SMALL_MEMORY_BYTES = 144 * 2**20
#: What the one process for large bodies may take. A table of 6 MB and 100,000 rows takes 240 MB (same benchmark); with
#: the crawl itself (130 MB) and the other processes (50 MB each) it stays under 512.
LARGE_MEMORY_BYTES = 272 * 2**20
#: A process for large bodies that holds more than this behind its work gives it back by ending. A fresh one: 45 MB.
KEPT_BYTES = 80 * 2**20


# What runs inside a process of the pool: its limits, the work, and what it gives back of its memory.

P = ParamSpec("P")
T = TypeVar("T")


def prepare_process(parent: int, memory_bytes: int) -> None:
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


class WorkResult(NamedTuple):
    result: object
    kept_bytes: int


def run_work(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> WorkResult:
    """In the process: *function*, its memory given back. MemoryError gets out whatever was made of it on the way."""
    _Unraisable.was_memory = False
    try:
        given = [each.taken() if isinstance(each, SpilledBody) else each for each in args]
        named = {name: each.taken() if isinstance(each, SpilledBody) else each for name, each in kwargs.items()}
        result = function(*given, **named)  # type: ignore[arg-type]
    except Exception as error:
        if _is_memory_error(error) or _Unraisable.was_memory:
            raise MemoryError from None  # its traceback would hold all that was taken
        raise
    if _Unraisable.was_memory:
        raise MemoryError
    _release_memory()
    return WorkResult(result, _resident_bytes())


def _is_memory_error(error: BaseException) -> bool:
    links: BaseException | None = error
    while links is not None:
        if is_want_of_memory(links):
            return True
        links = links.__cause__ or links.__context__
    return False


def _release_memory() -> None:
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except AttributeError:  # not glibc
        return


def _resident_bytes() -> int:
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()
    except OSError:  # not Linux: the most that it ever held is all that can be known
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


# Bodies on their way to a process.


class SpilledBody(NamedTuple):
    """A body on its way to a process, in a file: through a pipe it would be in memory five times."""

    path: str

    def taken(self) -> bytes:
        body = Path(self.path).read_bytes()
        Path(self.path).unlink()
        return body


@contextmanager
def spill_large_bodies(
    args: tuple[object, ...], kwargs: dict[str, object]
) -> Iterator[tuple[list[object], dict[str, object]]]:
    """*args* and *kwargs* with large bodies in files, which are there no longer than the work."""
    with ExitStack() as files:

        def spilled(each: object) -> object:
            if not isinstance(each, bytes) or len(each) <= LARGE_BYTES:
                return each
            handle, path = tempfile.mkstemp(prefix="rori-body-")
            files.callback(Path(path).unlink, missing_ok=True)
            with os.fdopen(handle, "wb") as file:
                file.write(each)
            return SpilledBody(path)

        yield [spilled(each) for each in args], {name: spilled(each) for name, each in kwargs.items()}
