"""A loader that is a command: run without a shell, in a session of its own, for so long and not longer.

In: its arguments and environment. Out: how it ended, the first line of its output, and the end of what it said.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections import deque
from contextlib import suppress
from threading import Thread
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

#: What is kept of a line, and how many of the last: enough for an error and where it came from.
_LINE, _LINES = 2_000, 20
#: Between being asked to end and being ended, seconds.
_GRACE_S = 5.0


class Ran(NamedTuple):
    """``code``: the exit code; None when it could not be started, or took too long. ``says``: its last words."""

    code: int | None
    says: str


def run(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    timeout_s: float,
    first_line: Callable[[str], None] = lambda line: None,
) -> Ran:
    """Run *command* to its end; *first_line* is told that of its output as soon as it is there."""
    try:
        process = subprocess.Popen(  # noqa: S603  # the operator's own command, without a shell
            list(command),
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # it is ended with all that it started, and not by our Ctrl-C
        )
    except (OSError, ValueError) as error:
        return Ran(None, f"it cannot be started: {error}")
    out, errors = _Listener(process.stdout, first_line), _Listener(process.stderr)
    try:
        code: int | None = process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        code = None
    finally:
        if process.poll() is None:
            _end(process)
    said = errors.last() or out.last()
    return Ran(code, said if code is not None else f"it did not end within {timeout_s:g} s. {said}".strip())


class _Listener:
    """Hears a pipe to its end, and remembers its last lines."""

    def __init__(self, pipe: IO[bytes] | None, first_line: Callable[[str], None] = lambda line: None) -> None:
        assert pipe is not None
        self._pipe = pipe
        self._first_line = first_line
        self._lines: deque[str] = deque(maxlen=_LINES)
        self._thread = Thread(target=self._hear, daemon=True, name="loader")
        self._thread.start()

    def _hear(self) -> None:
        is_first = True
        with self._pipe:
            while line := self._pipe.readline(_LINE):
                text = line.decode(errors="replace").rstrip()
                if is_first:
                    self._first_line(text)
                is_first = False
                self._lines.append(text)

    def last(self) -> str:
        """What was heard; what a child that was left behind holds open is not waited for."""
        self._thread.join(1.0)
        return "\n".join(line for line in self._lines if line)


def _end(process: subprocess.Popen[bytes]) -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
            return
