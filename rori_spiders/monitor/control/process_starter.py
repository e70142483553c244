"""A loop that starts processes."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self

from sqlalchemy.exc import SQLAlchemyError

from rori_spiders.exceptions import LedgerError
from rori_spiders.runtime.background_loop import BackgroundLoop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

logger = logging.getLogger(__name__)


class ProcessStarter(BackgroundLoop):
    """Call *look* within its ``with`` block: at once, when woken, and every *wait_s* seconds.

    *wait_s* may answer None: until it is woken. What fails is logged, with *what* is not started, and tried again.
    """

    def __init__(self, what: str, look: Callable[[], None], wait_s: Callable[[], float | None]) -> None:
        super().__init__(what, self._look_again)
        self._what = what
        self._look = look
        self._wait_s = wait_s

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop starting processes; those in progress continue."""
        self.stop()

    def _look_again(self) -> Iterator[float | None]:
        while not self.is_stopping:
            try:
                self._look()
            except (LedgerError, SQLAlchemyError) as error:
                log_values = {"what": self._what, "error": error}
                logger.warning("%(what)s cannot be started at the moment: %(error)s", log_values)
            except OSError:
                logger.exception("Failed to start one of: %(what)s", {"what": self._what})
            yield self._wait_s()
