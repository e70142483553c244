"""Starts ``scrapy ARGS`` from a process that has imported it already (`command_server`): two seconds less a command.

In: a command, its folder and environment. Out: what `subprocess.run` gives.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

from tests.support.command_server import MOST_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_REPOSITORY = Path(__file__).parents[2]
#: Variables that the interpreter reads as it starts: a command with others than these starts one of its own.
_OF_INTERPRETER = ("PYTHON", "LANG", "LC_", "LD_", "MALLOC_", "TZ")


def of_interpreter(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(_OF_INTERPRETER)}


class Starter:
    """One such process; *env* is all of its environment."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._own, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.command_server", str(other.fileno())],
                cwd=_REPOSITORY,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                pass_fds=[other.fileno()],
            )
        atexit.register(self._end)

    def _end(self) -> None:
        self._own.close()
        self._process.wait()

    def run(
        self, args: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: str, timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """Run ``scrapy ARGS`` to its end. Raises TimeoutExpired, and it is killed."""
        message = json.dumps({"args": list(args), "cwd": str(cwd), "env": dict(env)}).encode()
        assert len(message) < MOST_BYTES, "a command as long as that goes into a file"
        with TemporaryFile("w+") as given, TemporaryFile("w+") as out, TemporaryFile("w+") as err:
            given.write(stdin)
            given.seek(0)
            code = self._ended(message, (given, out, err), list(args), timeout)
            return subprocess.CompletedProcess(list(args), code, _read(out), _read(err))

    def _ended(self, message: bytes, files: Sequence[IO[str]], args: list[str], timeout: float) -> int:
        own, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with own:
            with other:
                fds = [*(file.fileno() for file in files), other.fileno()]
                socket.send_fds(self._own, [message], fds)
            pid = _number(own)
            if not select.select([own], [], [], timeout)[0]:
                os.kill(pid, signal.SIGKILL)
                _number(own)
                raise subprocess.TimeoutExpired(args, timeout, _read(files[1]), _read(files[2]))
            return _number(own)


def _number(answer: socket.socket) -> int:
    said = answer.recv(64)
    if not said:
        raise ChildProcessError("the process that starts commands is gone (tests/support/command_server.py)")
    return int(said)


def _read(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


@cache
def starter(env: tuple[tuple[str, str], ...]) -> Starter:
    """The one of this test session whose interpreter starts with the variables *env* (``of_interpreter``)."""
    return Starter({name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ} | dict(env))
