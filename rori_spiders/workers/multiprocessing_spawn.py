"""Processes that start without the program that starts them: half the memory, and a second less.

A process that Python spawns imports its parent's main module first, which here is Scrapy with all that it needs. Work
that is sent to the pool stands in modules of its own, and wants none of it.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from multiprocessing import popen_spawn_posix, spawn
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.process import BaseProcess

_prepared = spawn.get_preparation_data
_launching = threading.Lock()


def _without_main(name: str) -> dict[str, Any]:
    facts: dict[str, Any] = _prepared(name)
    return {key: value for key, value in facts.items() if not key.startswith("init_main_from")}


@contextmanager
def without_main_module() -> Iterator[None]:
    """Processes that are started within do not import ``__main__``. Python has no other way to say it."""
    with _launching:
        spawn.get_preparation_data = _without_main
        try:
            yield
        finally:
            spawn.get_preparation_data = _prepared


class _LeanPopen(popen_spawn_posix.Popen):
    def _launch(self, process_obj: BaseProcess) -> None:
        with without_main_module():
            super()._launch(process_obj)  # type: ignore[misc]


class _LeanProcess(SpawnProcess):
    @staticmethod
    def _Popen(process_obj: BaseProcess) -> _LeanPopen:  # noqa: N802  # Python's name for it
        return _LeanPopen(process_obj)


class LeanContext(SpawnContext):
    """As `multiprocessing.get_context("spawn")`; its processes know nothing of ``__main__``."""

    Process = _LeanProcess
