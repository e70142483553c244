"""Inside a worker process: its limits, the calls that it answers, how memory is given back."""

from __future__ import annotations

import ctypes
import gc
import importlib
import multiprocessing
import os
import pickle
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rori_spiders.content.html.tree import is_want_of_memory
from rori_spiders.exceptions import RoriError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

#: What a worker imports before its first call, with all that these need; what started it needs little of that.
#: `content/citations/cases.py` imports the last with the first page that it reads: no other process needs its 0.1 s.
_MODULES = (
    *("rori_spiders.content.convert", "rori_spiders.content.page", "rori_spiders.verdicts.wall_language"),
    *("rori_spiders.workers.assessment", "reporters_db"),
)
#: Looks for garbage within a page: only where it has very many elements. What it leaves is collected behind it, which
#: takes 0.1 ms. Python's own thresholds took a fifteenth of a worker's CPU (683 real pages, 2026-11).
_GC_THRESHOLDS = (100_000, 50, 100)
#: A body over this crosses by itself: the rest of a call is copied once more on its way.
_APART_BYTES = 16 * 1024
#: A process that holds more than this behind its work gives it back; where that does not help, it is replaced. A fresh
#: one has 45 MB, and 80 MB after 300 real pages of 98 KB (2026-11).
KEPT_BYTES = 96 * 2**20


class Answer(NamedTuple):
    """What a call gave or raised, and the resident memory of the process behind it."""

    result: Any
    error: Exception | None
    kept_bytes: int


# The process.


def serve_calls(connection: Connection, memory_bytes: int, others: Sequence[Connection] = ()) -> None:
    """Answer the calls of *connection* until its other end is closed. None may take more than *memory_bytes*.

    For each of *others* a copy of this process answers, made once this one has imported what they need as well.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    sys.unraisablehook = _note_unraisable
    gc.set_threshold(*_GC_THRESHOLDS)
    for name in _MODULES:
        importlib.import_module(name)
    gc.freeze()  # what was imported stays
    for at, other in enumerate(others):
        if not os.fork():  # this process has no thread yet
            for not_its_own in (connection, *others[at + 1 :]):
                not_its_own.close()
            _serve(other, memory_bytes)
            os._exit(0)
        other.close()
    _serve(connection, memory_bytes)


def _serve(connection: Connection, memory_bytes: int) -> None:
    threading.Thread(target=end_with_parent, daemon=True).start()
    # What is written to counts, mapped libraries do not: nearly what the process weighs.
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    try:
        connection.send_bytes(b"%d" % os.getpid())  # ready
        while True:
            _answer_call(connection, memory_bytes)
    except (EOFError, ConnectionError):  # its parent has closed the pipe, or was killed
        return


def end_with_parent() -> None:
    """Wait for the process that started this one to end, then end this one, too. For a thread of its own."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _answer_call(connection: Connection, memory_bytes: int) -> None:
    """Answer the next call. One that cannot be received for want of memory ends the process."""
    limit, bodies = connection.recv()
    resource.setrlimit(resource.RLIMIT_DATA, (min(limit, memory_bytes), memory_bytes))
    received = [connection.recv_bytes() for _ in range(bodies)]
    call = connection.recv_bytes()
    _Unraisable.was_memory = False
    result, error = _run_call(call, received)
    del received, call
    try:
        connection.send(Answer(result, error, _release_memory()))
    except Exception as refused:  # it cannot be pickled: nothing was sent
        is_memory = is_memory_error(refused)
        error = MemoryError() if is_memory else RuntimeError(f"what the work gave cannot be pickled: {refused}")
        del result
        connection.send(Answer(None, error, _release_memory()))


def _run_call(call: bytes, bodies: list[bytes]) -> tuple[Any, Exception | None]:
    """What the work gave or raised. MemoryError gets out whatever was made of it on the way."""
    try:
        function, args, kwargs = pickle.loads(call)  # noqa: S301  (our own program sent it)
        arguments = [bodies[each.number] if isinstance(each, _Body) else each for each in args]
        named = {name: bodies[each.number] if isinstance(each, _Body) else each for name, each in kwargs.items()}
        result = function(*arguments, **named)
    except Exception as error:
        if is_memory_error(error) or _Unraisable.was_memory:
            return None, MemoryError()  # the traceback would hold all that was taken
        if not isinstance(error, RoriError):
            error.add_note(traceback.format_exc())  # it does not cross with the error
        return None, error.with_traceback(None)
    return (None, MemoryError()) if _Unraisable.was_memory else (result, None)


class _Unraisable:
    """Whether a MemoryError came where none can be raised: lxml drops those of its callbacks, and text with them."""

    was_memory = False


def _note_unraisable(dropped: sys.UnraisableHookArgs) -> None:
    if issubclass(dropped.exc_type, MemoryError):
        _Unraisable.was_memory = True
    else:
        sys.__unraisablehook__(dropped)


def is_memory_error(error: BaseException) -> bool:
    """Whether want of memory is behind *error*."""
    links: BaseException | None = error
    while links is not None:
        if is_want_of_memory(links):
            return True
        links = links.__cause__ or links.__context__
    return False


def _release_memory() -> int:
    """The resident memory; what can be given back is, if it was much: the next page has to fetch it again."""
    gc.collect(0)
    resident = _resident_bytes()
    if resident <= KEPT_BYTES:
        return resident
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except AttributeError:  # not glibc
        return resident
    return _resident_bytes()


def _resident_bytes() -> int:
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()
    except OSError:  # not Linux: the most that it ever held is all that can be known
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


# Calls on their way to a process.


class _Body(NamedTuple):
    """The place of a body that crosses by itself."""

    number: int


def send_call(
    connection: Connection, memory_bytes: int, function: Callable[..., object], args: tuple[Any, ...], kwargs: Any
) -> None:
    """Send a call; its large bodies are written as they are. *memory_bytes*: what it may take."""
    bodies: list[bytes] = []

    def apart(each: object) -> object:
        if not isinstance(each, bytes) or len(each) <= _APART_BYTES:
            return each
        bodies.append(each)
        return _Body(len(bodies) - 1)

    arguments, named = [apart(each) for each in args], {name: apart(each) for name, each in kwargs.items()}
    call = pickle.dumps((function, arguments, named))
    connection.send((memory_bytes, len(bodies)))
    for body in bodies:
        connection.send_bytes(body)
    connection.send_bytes(call)
