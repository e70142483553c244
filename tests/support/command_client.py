"""Starts ``scrapy ARGS`` from a process that has imported it already (`command_server`): two seconds less a command.

In: a command, its folder and environment. Out: what `subprocess.run` gives, or `subprocess.Popen`.
"""

from __future__ import annotations

import atexit
import os
import select
import signal
import socket
import subprocess
import sys
from fcntl import LOCK_EX, flock
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, TYPE_CHECKING, Any

from tests.support.command_server import MOST_BYTES, STAY
from tests.support.forking_python import MODULES, write_program

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_REPOSITORY = Path(__file__).parents[2]
#: Where the servers of a test session are. The workers of pytest-xdist inherit it.
_FOLDER = "PYTEST_COMMAND_SERVERS"


class Starter:
    """The server for interpreters with the environment *env*. ``python`` is an interpreter whose commands it forks.

    The workers of pytest-xdist share it: the first that needs it starts it, and it ends with the last.
    """

    #: The module of the server, and what `python` leaves to it.
    server = "tests.support.command_server"
    runs: tuple[str, tuple[str, ...]] = MODULES

    def __init__(self, env: Mapping[str, str]) -> None:
        folder = session_folder() / sha256(repr((self.server, sorted(env.items()))).encode()).hexdigest()[:8]
        folder.mkdir(exist_ok=True)
        self._address = folder / "server"
        self.python = folder / "python"
        with (folder / "lock").open("w") as lock:
            flock(lock, LOCK_EX)
            self._stay = self._join() or self._begin(env)
            self.pid = _number(self._stay)
        atexit.register(self._stay.close)

    def _join(self) -> socket.socket | None:
        """A connection for which the server stays, if there is one."""
        try:
            stay = self._connect()
        except (FileNotFoundError, ConnectionRefusedError):
            return None
        stay.send(STAY)
        return stay

    def _begin(self, env: Mapping[str, str]) -> socket.socket:
        self._address.unlink(missing_ok=True)
        with write_program(self._address, self.python, env, self.runs) as listening:
            stay = self._join()
            assert stay is not None
            process = subprocess.Popen(
                [sys.executable, "-m", self.server, str(listening.fileno()), *self.arguments()],
                cwd=_REPOSITORY,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                pass_fds=[listening.fileno()],
            )
        process.returncode = 0  # nobody waits for it: it may outlive the worker that started it
        return stay

    def arguments(self) -> Sequence[str]:
        """What the server is started with."""
        return [str(self.python)]

    def _connect(self) -> socket.socket:
        client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            client.connect(str(self._address))
        except BaseException:
            client.close()
            raise
        return client

    def start(
        self,
        args: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        obedient: bool = False,
        module: str = "scrapy",
        output: int | IO[bytes] = subprocess.PIPE,
    ) -> subprocess.Popen[str]:
        """Start ``scrapy ARGS``, or another *module*; its output and errors are one text."""
        return _ForkedCommand(self, args, cwd=cwd, env=env, obedient=obedient, module=module, output=output)

    def run(
        self, args: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: str, timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """Run ``scrapy ARGS`` to its end. Raises TimeoutExpired, and it is killed."""
        with TemporaryFile("w+") as given, TemporaryFile("w+") as out, TemporaryFile("w+") as err:
            given.write(stdin)
            given.seek(0)
            pid, answer = self.fork(args, (given.fileno(), out.fileno(), err.fileno()), cwd=cwd, env=env)
            with answer:
                if not select.select([answer], [], [], timeout)[0]:
                    os.kill(pid, signal.SIGKILL)
                    _number(answer)
                    raise subprocess.TimeoutExpired(list(args), timeout, _read(out), _read(err))
                return subprocess.CompletedProcess(list(args), _number(answer), _read(out), _read(err))

    def fork(
        self,
        args: Sequence[str],
        fds: Sequence[int],
        *,
        cwd: Path,
        env: Mapping[str, str],
        obedient: bool = False,
        module: str = "scrapy",
    ) -> tuple[int, socket.socket]:
        """Have ``scrapy ARGS`` begin with *fds* as its standard streams: its pid, and where its exit code will be."""
        command = {"module": module, "args": list(args), "cwd": str(cwd), "env": dict(env), "obedient": obedient}
        message = repr(command).encode()
        assert len(message) < MOST_BYTES, "a command as long as that goes into a file"
        asked = self._connect()
        socket.send_fds(asked, [message], list(fds))
        return _number(asked), asked


class _ForkedCommand(subprocess.Popen[str]):
    """A command in progress that is a child of the server: it has its pid and its signals, and its pipe."""

    def __init__(
        self,
        starter: Starter,
        args: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        obedient: bool,
        module: str,
        output: int | IO[bytes],
    ) -> None:
        self._starter, self._obedient, self._module = starter, obedient, module
        super().__init__(
            list(args),
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def _execute_child(self, args: list[str], *rest: Any) -> None:
        cwd, env = rest[4:6]
        stdin, _, _, stdout, _, stderr = fds = rest[9:15]
        self.pid, self._answer = self._starter.fork(
            args, (stdin, stdout, stderr), cwd=cwd, env=env, obedient=self._obedient, module=self._module
        )
        self._child_created = True
        self._close_pipe_fds(*fds)  # type: ignore[attr-defined]

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        """The exit code, unless it still runs."""
        if self.returncode is None and select.select([self._answer], [], [], 0)[0]:
            self._end()
        return self.returncode

    def _wait(self, timeout: float | None) -> int:
        if self.returncode is None:
            if not select.select([self._answer], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            self._end()
        return self.returncode

    def _end(self) -> None:
        with self._answer:
            self.returncode = _number(self._answer)


def _number(answer: socket.socket) -> int:
    said = answer.recv(64)
    if not said:
        raise ChildProcessError("the process that starts commands is gone (tests/support/command_server.py)")
    return int(said)


def _read(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


def share_servers() -> None:
    """Have this process, and the workers of pytest-xdist that it starts, use the same servers."""
    if _FOLDER not in os.environ:
        folder = TemporaryDirectory(prefix="rori-")
        atexit.register(folder.cleanup)
        os.environ[_FOLDER] = folder.name


def session_folder() -> Path:
    """A folder of this test session: its workers share it, and it goes with the last process that needs it."""
    share_servers()
    return Path(os.environ[_FOLDER])


@cache
def starter(env: tuple[tuple[str, str], ...]) -> Starter:
    """The one of this test session whose interpreter starts with the variables *env* (``of_interpreter``)."""
    return Starter({name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ} | dict(env))
