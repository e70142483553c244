"""A thread that works round after round beside the rest of a process."""

import threading
from collections.abc import Callable, Iterable


class BackgroundLoop:
    """Runs through *rounds* in a thread: each round yields the seconds until the next, None: until ``wake``.

    The rounds end by themselves, when they see that ``is_stopping``. A process that ends does not wait for them.
    """

    def __init__(self, name: str, rounds: Callable[[], Iterable[float | None]]) -> None:
        self.is_stopping = False
        self._rounds = rounds
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """Begin the next round now."""
        self._wake.set()

    def stop(self, timeout_s: float | None = None) -> None:
        """Let the rounds end, and wait for that, *timeout_s* seconds at most."""
        self.is_stopping = True
        self.wake()
        self._thread.join(timeout_s)

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def _run(self) -> None:
        for wait_s in self._rounds():
            self._wake.wait(wait_s)
            self._wake.clear()
