"""What takes long to read is kept for a moment: no older than two seconds, and never older than an act of ours."""

from __future__ import annotations

import threading
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: A person does not see the difference; ten people who look cost no more than one.
OLDEST_S = 2.0
_LOOKS = frozenset({"GET", "HEAD", "OPTIONS"})

T = TypeVar("T")


class Kept(Generic[T]):
    """One value. Whoever asks first reads it, whoever asks meanwhile waits for that. Safe in several threads."""

    def __init__(self, oldest_s: float = OLDEST_S, clock: Callable[[], float] = monotonic) -> None:
        self._oldest_s = oldest_s
        self._clock = clock
        self._reads = threading.Lock()
        self._value: T | None = None
        self._read_at = float("-inf")
        self._of: object = None
        self._acts = 0

    def get(self, read: Callable[[], T], of: object) -> T:
        """The value, read again where it is too old, was dropped, or is not *of* the same."""
        with self._reads:
            if self._value is None or self._of is not of or self._clock() - self._read_at > self._oldest_s:
                acts, began = self._acts, self._clock()
                value = read()
                if acts != self._acts:  # somebody acted while it was read: it may be from before that
                    return value
                self._value, self._of, self._read_at = value, of, began
            return self._value

    def drop(self) -> None:
        """Something was done: what is kept is not true any more."""
        self._acts += 1
        self._read_at = float("-inf")


class Dropping:
    """ASGI middleware: what is kept is dropped before the answer to an act leaves."""

    def __init__(self, app: ASGIApp, kept: Kept[Any]) -> None:
        self._app = app
        self._kept = kept

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in _LOOKS:
            await self._app(scope, receive, send)
            return

        async def sent(message: Message) -> None:
            self._kept.drop()
            await send(message)

        await self._app(scope, receive, sent)
