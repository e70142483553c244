"""The workers of pytest-xdist, as forks of a process that has imported all tests once.

Nine tenths of what a worker needs to collect are imports: ten CPU seconds each. A fork collects anew, in one.

Run as ``python -m tests.support.collected_once LISTENING ARGS``: a socket at which the program that stands in for the
workers' interpreter (`forking_python`) asks, and pytest's arguments.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from tests.support.bytecode import make_bytecode
from tests.support.command_client import Starter
from tests.support.command_server import end, serve, take_streams

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from execnet import XSpec

#: As execnet starts its interpreter: ``-u -c PROGRAM``.
_PROGRAM = ("-u", ("-c",))
#: Plug-ins that write into the project, or start a thread.
_WITHOUT = ("-p", "no:cacheprovider", "-p", "no:rerunfailures")


class _Workers(Starter):
    """The process that has imported the tests which *paths* name."""

    server = "tests.support.collected_once"
    runs = _PROGRAM

    def __init__(self, env: Mapping[str, str], paths: Sequence[str]) -> None:
        self._paths = paths
        super().__init__(env)

    def arguments(self) -> Sequence[str]:
        return self._paths


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: Sequence[XSpec]) -> None:
    """Called by pytest-xdist before its first worker begins."""
    if not sys.dont_write_bytecode:
        make_bytecode(config.args)
    workers = _Workers(os.environ, config.args)
    for spec in specs:
        if spec.popen and not spec.python:
            spec.python = str(workers.python)


def _run(command: dict[str, Any], *streams: int) -> NoReturn:
    """``python -u -c PROGRAM`` in this process."""
    take_streams(streams)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.modules["__main__"] = main = ModuleType("__main__")
    exec(command["args"][0], vars(main))
    end(0)


def _main(listening_fd: int, *paths: str) -> None:
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        pytest.main(["--collect-only", "-qq", "-s", *_WITHOUT, *paths])
    # OpenBLAS and jemalloc, of numpy and pyarrow, have threads of their own, and begin them anew in a fork.
    assert threading.active_count() == 1, "a fork has one thread"
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever runs the tests ends them
    gc.collect()
    gc.freeze()
    gc.disable()  # as tests/conftest.py does while a worker collects
    serve(listening_fd, _run)


if __name__ == "__main__":
    _main(int(sys.argv[1]), *sys.argv[2:])
