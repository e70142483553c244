"""Rounds beside other work: one at a time, in a thread that neither holds that work up nor keeps the process."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError

from rori_spiders.alerts import rounds
from rori_spiders.exceptions import RoriError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.redaction import of_process

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from rori_spiders.alerts.channels import Settings
    from rori_spiders.manifest.catalog import Catalog

logger = logging.getLogger(__name__)

#: What a program that ends waits for a message under way, seconds: a server that answers does so in less.
LAST_S = 5.0


class Beside:
    """A thread for one piece of work after the other; what comes while it is at one is left out."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None

    def begin(self, work: Callable[[], None]) -> bool:
        """Do *work* in the thread; False while the one before goes on."""
        if self.is_busy:
            return False
        self._thread = threading.Thread(target=work, daemon=True, name="alerts")
        self._thread.start()
        return True

    def wait(self, timeout_s: float = LAST_S) -> bool:
        """Whether the work has ended, for which it waits so long."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        return not self.is_busy

    @property
    def is_busy(self) -> bool:
        return self._thread is not None and self._thread.is_alive()


class Once:
    """Work of round after round: what it fails for is told once for each reason."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._failure: str | None = None

    def run(self, work: Callable[[], object]) -> None:
        """Do *work*; what the ledger or our own rules refuse is told, and goes no further."""
        try:
            work()
        except (RoriError, DBAPIError) as error:
            said = of_process().text(str(error.orig) if isinstance(error, DBAPIError) else str(error))
            if said != self._failure:
                self._tell(said)
            self._failure = said
        else:
            self._failure = None


class Teller:
    """What a dispatcher does about alerts: a round after each of its own. What fails is told once for each reason."""

    def __init__(self, database_url: str, settings: Settings) -> None:
        self._database_url = database_url
        self._settings = settings
        self._beside = Beside()
        self._once = Once(lambda said: logger.error("No alert can be sent: %(error)s", {"error": said}))

    def begin(self, catalog: Catalog, now: datetime) -> None:
        """Look and send as of *now*, beside what the caller does next."""
        self._beside.begin(lambda: self._once.run(lambda: self._look_and_send(catalog, now)))

    def end(self, timeout_s: float = LAST_S) -> None:
        """Give a message under way a moment: one whose answer is not recorded is sent a second time."""
        if not self._beside.wait(timeout_s):
            logger.warning("Alerts are still being sent; what does not arrive now is sent by the next round")

    def _look_and_send(self, catalog: Catalog, now: datetime) -> None:
        ledger = open_ledger(self._database_url, migrate=False)
        try:
            rounds.round(ledger, catalog, self._settings, now)
        finally:
            ledger.close()
