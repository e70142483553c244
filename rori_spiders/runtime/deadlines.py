"""A call that must be over in time, whatever it waits for: a library's own timeouts may begin anew with each byte."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def call_within(timeout_s: float, call: Callable[[], T]) -> T:
    """Return what *call* returns, or raise what it raises. Raises TimeoutError when it goes on after *timeout_s*.

    What goes on is left behind in a thread that does not keep the process.
    """
    results: list[T] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            results.append(call())
        except Exception as error:  # it is raised in the caller's thread
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True, name="call with a deadline")
    thread.start()
    thread.join(timeout_s)
    if errors:
        raise errors[0]
    if results:
        return results[0]
    raise TimeoutError(f"not over within {timeout_s:g} s")
