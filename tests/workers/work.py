"""Work for the pool's tests. A process imports it by name, so it stands in a module of its own."""

from __future__ import annotations

import os
import signal
import sys
import time

from rori_spiders.content.convert import digest
from rori_spiders.workers.assessment import assess_response

_kept: list[bytes] = []


def process_id(_body: bytes = b"") -> int:
    return os.getpid()


def meet(_body: bytes, mark: str) -> tuple[int, int]:
    """The numbers of this process and of its parent, once another process has been asked, too."""
    for place in (f"{mark}.first", f"{mark}.second"):
        try:
            os.close(os.open(place, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            continue
        break
    while not os.path.exists(f"{mark}.second"):  # noqa: PTH110  (in a loop)
        time.sleep(0.05)
    return os.getpid(), os.getppid()


def write_byte(_body: bytes, pipe: str) -> None:
    """Write a byte to *pipe*, which somebody reads."""
    end = os.open(pipe, os.O_WRONLY)
    os.write(end, b"x")
    os.close(end)


def double(body: bytes, *, times: int = 2) -> bytes:
    return body * times


def refuse(_body: bytes) -> None:
    raise ValueError("no document")


def never_end(_body: bytes) -> None:
    while True:
        time.sleep(60)


def die(_body: bytes) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(_body: bytes, mark: str) -> int:
    """Kills its process unless the file *mark* is there; leaves it."""
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return os.getpid()
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("unreachable")


def kind_of(_body: bytes, thing: object) -> str:
    return type(thing).__name__


def wait_for(_body: bytes, mark: str) -> bool:
    while not os.path.exists(mark):  # noqa: PTH110  (in a loop)
        time.sleep(0.05)
    return True


class DiesOnItsWay:
    """Kills the process that unpacks it, unless the file *mark* is there: its work is taken, and nobody is told."""

    def __init__(self, mark: str) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return die_once, (b"", self.mark)


def take_memory(_body: bytes, size: int) -> int:
    return len(bytes(size))


def ignores_interrupts(_body: bytes) -> bool:
    return signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def hide_want_of_memory(_body: bytes, size: int) -> int:
    try:
        return len(bytes(size))
    except MemoryError as error:
        raise ValueError("the page cannot be read") from error


class _Unraisable:
    def __del__(self) -> None:
        raise MemoryError


def drop_want_of_memory(_body: bytes) -> str:
    _Unraisable()
    return "read with a part missing"


def keep_memory(_body: bytes, size: int) -> int:
    _kept.append(os.urandom(size))
    return os.getpid()


def has_imported(_body: bytes, module: str) -> bool:
    return module in sys.modules


def list_modules(_body: bytes) -> list[str]:
    return sorted(sys.modules)


def convert_and_list_modules(body: bytes, *, url: str) -> list[str]:
    """The modules of this process once it has judged and converted a page."""
    assess_response(status=200, url=url, headers={}, body=body, known=None, is_measured=True)
    digest(body, url=url)
    return sorted(sys.modules)
