"""Cache one expensive value, and refresh it in the background while it is asked for.

cachetools has no refresh beside its readers, and no value that stays true by what it was read from.
"""

import threading
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any, Generic, TypeVar

from sqlalchemy.exc import SQLAlchemyError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rori_spiders.exceptions import RoriError
from rori_spiders.runtime.background_loop import BackgroundLoop

#: Age in seconds at which a value is refreshed in the background.
STALE_AFTER_S = 1.5
#: Age in seconds beyond which a caller waits for a new value.
MAX_AGE_S = 4.0
#: Age in seconds beyond which a value is read again although its marker is unchanged: time alone changes it too.
MAX_UNCHANGED_AGE_S = 10.0
#: Seconds after the last call during which the value is kept fresh: the page asks again within a minute.
IDLE_AFTER_S = 60.0
#: Pause after a reading, as a multiple of its duration: it may use a third of a processor.
_REST_FACTOR = 2
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

T = TypeVar("T")


class RefreshingCache(Generic[T]):
    """A cached value, refreshed in a background thread. Thread-safe; ``close`` ends the thread.

    *read* gives it; *mark* something that is equal only while what it is read from is the same.
    """

    def __init__(
        self, read: Callable[[], T], mark: Callable[[], object], clock: Callable[[], float] = monotonic
    ) -> None:
        self._read = read
        self._mark = mark
        self._clock = clock
        self._reading = threading.Lock()
        self._value: tuple[T, object] | None = None  # the value with its marker
        self._read_at = self._true_at = self._asked_at = float("-inf")
        self._acts = 0
        self._reader: BackgroundLoop | None = None

    def get(self) -> T:
        """Return the value. Raises what reading it raises."""
        self._asked_at = self._clock()
        if (value := self._fresh_value(MAX_AGE_S)) is None:
            with self._reading:  # one caller reads, the others wait
                value = self._fresh_value(MAX_AGE_S) or self._read_again()
                self._begin()
        return value[0]

    def drop(self) -> None:
        """Drop the value after an action has changed the state."""
        self._acts += 1
        self._true_at = float("-inf")

    def refresh(self) -> None:
        """Refresh an old value; with an unchanged marker it only counts as fresh."""
        with self._reading:
            now = self._clock()
            if self._fresh_value(STALE_AFTER_S) is not None:
                return
            is_same = self._value is not None and self._value[1] == self._mark()
            if is_same and self._true_at > float("-inf") and now - self._read_at <= MAX_UNCHANGED_AGE_S:
                self._true_at = now
            else:
                self._read_again()

    def close(self) -> None:
        """End the background thread."""
        if self._reader is not None:
            self._reader.stop()

    def _fresh_value(self, most_s: float) -> tuple[T, object] | None:
        return self._value if self._clock() - self._true_at <= most_s else None

    def _read_again(self) -> tuple[T, object]:
        acts, began, mark = self._acts, self._clock(), self._mark()
        value = (self._read(), mark)
        if acts == self._acts:  # else an action changed the state during the reading, which may be older
            self._value, self._read_at, self._true_at = value, began, began
        return value

    def _begin(self) -> None:
        if self._reader is None or not self._reader.is_running:
            self._reader = loop = BackgroundLoop("monitor-overview", lambda: self._read_on(loop))
            loop.start()

    def _read_on(self, loop: BackgroundLoop) -> Iterator[float]:
        yield STALE_AFTER_S
        while not loop.is_stopping and self._clock() - self._asked_at < IDLE_AFTER_S:
            began = self._clock()
            try:
                self.refresh()
            except (RoriError, SQLAlchemyError):  # the next caller gets the error
                self.drop()
            yield max(STALE_AFTER_S, _REST_FACTOR * (self._clock() - began))


class InvalidateOnWriteMiddleware:
    """ASGI middleware: drop the cached value before the response to an action is sent."""

    def __init__(self, app: ASGIApp, cache: RefreshingCache[Any]) -> None:
        self._app = app
        self._cache = cache

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in _SAFE_METHODS:
            await self._app(scope, receive, send)
            return

        async def sent(message: Message) -> None:
            self._cache.drop()
            await send(message)

        await self._app(scope, receive, sent)
