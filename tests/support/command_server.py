"""A process that has imported the collector once, and forks for each command that a test types.

Half of what a short command costs is the import of Scrapy and of this project. Each command still is a process of its
own, in its own folder, with its own environment, and ends as a process does. No module that is imported here starts a
thread, installs a reactor or reads the environment; `rori_spiders.settings` does, so each command imports that itself.

Run as ``python -m tests.support.command_server FD``, with one end of a socket pair. It ends when the other is closed.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import socket
import sys
import threading
from contextlib import suppress
from typing import Any, NoReturn

from rori_spiders.runtime.redaction import get_redactor

#: A request is one message: the command as JSON, which a socket pair takes whole.
MOST_BYTES = 1 << 17
#: Scrapy imports the settings; a node, its launcher, which installs the reactor.
_NOT_HERE = ("rori_spiders.settings", "rori_spiders.nodes.scrapyd_application")


def _import_all() -> None:
    package = importlib.import_module("rori_spiders")
    for module in pkgutil.walk_packages(package.__path__, "rori_spiders."):
        if module.name not in _NOT_HERE and ".migrations." not in module.name:
            importlib.import_module(module.name)
    assert "twisted.internet.reactor" not in sys.modules, "each command installs its own"
    assert "pkg_resources" not in sys.modules, "it takes a while and warns that it is deprecated"
    assert threading.active_count() == 1, "a fork has one thread"
    gc.collect()
    gc.freeze()


def _run(command: dict[str, Any], stdin: int, stdout: int, stderr: int) -> None:
    """``python -m scrapy ARGS`` in this process."""
    for number, fd in enumerate((stdin, stdout, stderr)):
        os.dup2(fd, number)
        os.close(fd)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(command["cwd"])
    os.environ.clear()
    os.environ.update(command["env"])
    sys.path[0] = command["cwd"]
    sys.argv = ["scrapy", *command["args"]]
    get_redactor.cache_clear()  # it knows the secrets of an environment, and what was typed
    runpy.run_module("scrapy", run_name="__main__", alter_sys=True)
    sys.exit(0)


def _attend(command: dict[str, Any], files: list[int], answer: socket.socket) -> NoReturn:
    """Run the command in a child, and tell its pid, then how it ended (as `subprocess` says it)."""
    pid = os.fork()
    if pid == 0:
        answer.close()
        _run(command, *files)
    for fd in files:
        os.close(fd)
    answer.send(str(pid).encode())
    _, status = os.waitpid(pid, 0)
    answer.send(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _reap(options: int) -> None:
    """Take note of the commands that have ended, so that what they took counts as taken by the tests."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, options)[0]:
            pass


def main(fd: int) -> None:
    with socket.socket(fileno=fd) as asked:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever runs the tests ends them
        _import_all()
        while True:
            message, fds, _, _ = socket.recv_fds(asked, MOST_BYTES, 4)
            _reap(0 if not message else os.WNOHANG)
            if not message:
                return
            if os.fork() == 0:
                asked.close()
                *files, back = fds
                _attend(json.loads(message), files, socket.socket(fileno=back))
            for one in fds:
                os.close(one)


if __name__ == "__main__":
    main(int(sys.argv[1]))
