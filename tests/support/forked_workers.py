"""Workers of the commands that tests type, forked from a process that has imported what they need.

A worker takes half a second to import that, more than all the rest of a short command. It is the product's in all
else: a process of its own behind a pipe, with its limits, that is killed alone and ends with its parent.
"""

from __future__ import annotations

import os
from contextlib import suppress
from multiprocessing import forkserver, popen_forkserver, resource_tracker
from multiprocessing.context import ForkServerContext, ForkServerProcess
from typing import TYPE_CHECKING, Any

from rori_spiders.workers import pool, worker
from rori_spiders.workers.multiprocessing_spawn import LeanContext, without_main_module

if TYPE_CHECKING:
    from multiprocessing.popen_fork import Popen
    from multiprocessing.process import BaseProcess

#: What the template imports: the modules of a worker, and what it needs to be one.
PRELOADED = [*vars(worker)["_MODULES"], "pycld2", __name__, "tests.support.worker_template"]
_template: Any = vars(forkserver)["_forkserver"]


def start_template() -> None:
    """Start the process that workers are forked from, unless it is there. It ends with the last that could ask it."""
    forkserver.set_forkserver_preload(PRELOADED)
    try:
        forkserver.ensure_running()
    except ChildProcessError:  # it was killed, and waited for as the commands are
        _template._forkserver_pid = None
        forkserver.ensure_running()


def stop_template() -> None:
    """End it, once no process is left that could ask it."""
    with suppress(ChildProcessError):
        _template._stop()
    vars(resource_tracker)["_resource_tracker"]._stop()


def fork_workers() -> None:
    """Have this process, a fork of the one that called `start_template`, fork its workers from the template."""
    _template.ensure_running = lambda: None  # it is no child of this process
    vars(pool)["_context"] = _ForkedContext()


class _ForkedPopen(popen_forkserver.Popen):
    def _launch(self, process_obj: BaseProcess) -> None:
        with without_main_module():  # as for the product's own
            super()._launch(process_obj)  # type: ignore[misc]


class _ForkedProcess(ForkServerProcess):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._environment = dict(os.environ)

    def run(self) -> None:
        os.environ.clear()
        os.environ.update(self._environment)
        super().run()

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Popen:  # type: ignore[override]  # noqa: N802  # Python's name
        try:
            return _ForkedPopen(process_obj)
        except (EOFError, OSError):  # the template has ended: the next command starts one
            return LeanContext.Process._Popen(process_obj)


class _ForkedContext(ForkServerContext):
    Process = _ForkedProcess
