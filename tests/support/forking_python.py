"""A program that stands in for the interpreter: ``python -m scrapy ...`` begins in a fork of the command server.

For what the collector itself starts: a loader, a fetch, a corpus run beside a collection. It asks the server for the
process, gives on the signals that it gets, and ends as that process does; the server kills that when this is gone.
What is no module of ours, or needs another environment of the interpreter, the real one runs.
"""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

#: Variables that the interpreter reads as it starts: a command with others than these starts one of its own.
OF_INTERPRETER = ("PYTHON", "LANG", "LC_", "LD_", "MALLOC_", "TZ")
#: What can be run in a fork: an option of the interpreter, and how what follows it may begin. Here packages that the
#: server has imported, and a program of the tests that imports no others.
MODULES = ("-m", ("scrapy", "rori_spiders.", "tests.ledger.worker"))
_BACKLOG = 64
# Built-in modules alone: it takes ten milliseconds where each other module of the standard library adds some.
_PROGRAM = """#!{python} -IS
import posix, _signal, _socket, sys

REAL, ADDRESS, ENVIRONMENT, (OPTION, BEGINNINGS), NAMES = {values!r}
env, argv = posix.environ, sys.argv[1:]
own = {{name: value for name, value in env.items() if name.decode().startswith(NAMES)}}
if len(argv) < 2 or argv[0] != OPTION or not argv[1].startswith(BEGINNINGS) or own != ENVIRONMENT:
    posix.execve(REAL, [REAL, *argv], env)
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
server.connect(ADDRESS)
texts = {{name.decode(): value.decode() for name, value in env.items()}}
asked = repr({{"module": argv[1], "args": argv[2:], "cwd": posix.getcwd(), "env": texts}}).encode()
fds = b"".join(fd.to_bytes(4, sys.byteorder) for fd in range(3))
server.sendmsg([asked], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, fds)])
pid = int(server.recv(64))
for number in (_signal.SIGINT, _signal.SIGTERM):
    _signal.signal(number, lambda number, frame: posix.kill(pid, number))
for fd in range(3):
    posix.close(fd)
code = int(server.recv(64))
if code < 0:
    _signal.signal(-code, _signal.SIG_DFL)
    posix.kill(posix.getpid(), -code)
posix._exit(code)
"""


def of_interpreter(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(OF_INTERPRETER)}


def write_program(
    address: Path, program: Path, env: Mapping[str, str], runs: tuple[str, tuple[str, ...]] = MODULES
) -> socket.socket:
    """Write *program*, for an interpreter with the variables *env*; the socket at *address* where it asks."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listening.bind(str(address))
    listening.listen(_BACKLOG)
    variables = {name.encode(): value.encode() for name, value in of_interpreter(env).items()}
    values = (sys.executable, str(address), variables, runs, OF_INTERPRETER)
    program.write_text(_PROGRAM.format(python=sys.executable, values=values), encoding="utf-8")
    program.chmod(0o755)
    return listening
