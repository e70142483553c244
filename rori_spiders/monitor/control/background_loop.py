"""A thread that repeats a check at intervals, or when woken."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Self

from sqlalchemy.exc import SQLAlchemyError

from rori_spiders.exceptions import LedgerError

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)


class BackgroundLoop:
    """Does *look* while its block lasts: at once, when it is woken, and each time that *wait_s* seconds are over.

    *wait_s* may answer None: until it is woken. What fails is logged, with *what* is not started, and tried again.
    """

    def __init__(self, what: str, look: Callable[[], None], wait_s: Callable[[], float | None]) -> None:
        self._what = what
        self._look = look
        self._wait_s = wait_s
        self._wake = threading.Event()
        self._ends = False
        self._thread = threading.Thread(target=self._follow, name=what, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Start no more. What is under way goes on by itself."""
        self._ends = True
        self._wake.set()
        self._thread.join()

    def wake(self) -> None:
        """Something is to be started: look now."""
        self._wake.set()

    def _follow(self) -> None:
        while not self._ends:
            try:
                self._look()
            except (LedgerError, SQLAlchemyError) as error:
                logger.warning(
                    "%(what)s cannot be started at the moment: %(error)s", {"what": self._what, "error": error}
                )
            except OSError:
                logger.exception("Failed to start one of: %(what)s", {"what": self._what})
            self._wake.wait(self._wait_s())
            self._wake.clear()
