"""Dying at a chosen step: before the n-th call to the operating system that changes the disk, or commit."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

if TYPE_CHECKING:
    from collections.abc import Callable

KILLED = 42
#: Everything by which our code changes the disk. SQLite's own writes are atomic by its commits.
_CALLS = ("mkdir", "write", "fsync", "link", "rename", "unlink", "ftruncate")


def die_at(step: int, *, torn: bool = False) -> None:
    """Count those calls, and end this process instead of the *step*-th; *torn*: in the middle of a write."""
    taken = 0

    def due() -> bool:
        nonlocal taken
        taken += 1
        return taken == step

    def instead(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            if due():
                if torn:
                    call(args[0], bytes(args[1])[: len(args[1]) // 2])
                os._exit(KILLED)
            return call(*args, **kwargs)

        return counted

    for name in ("write",) if torn else _CALLS:
        setattr(os, name, instead(name, getattr(os, name)))
    if not torn:
        event.listen(Engine, "commit", lambda conn: os._exit(KILLED) if due() else None)
