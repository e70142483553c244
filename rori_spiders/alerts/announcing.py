"""What is staged and was not announced yet, announced beside a dispatcher's rounds: jobs give up when they end."""

from __future__ import annotations

import logging
import os
import socket
from contextlib import closing
from time import monotonic
from typing import TYPE_CHECKING

from rori_spiders.alerts.beside import LAST_S, Beside, Once
from rori_spiders.alerts.hook import announce
from rori_spiders.announcing.hook import Hook
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.database import open_ledger

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

logger = logging.getLogger(__name__)


class HookRounds:
    """What a dispatcher does about envelopes that wait to be announced: a try after each of its rounds."""

    def __init__(self, database_url: str, url: str | None, environment: Mapping[str, str] = os.environ) -> None:
        self._database_url = database_url
        self._beside = Beside()
        self._until: float | None = None
        self._once = Once(self._tell)
        try:
            self._hook = Hook.from_settings(url, environment)
        except UsageError as error:
            logger.error("Nothing is announced beside the rounds: %(error)s", {"error": error})  # noqa: TRY400
            self._hook = None

    def begin(self, clock: Callable[[], datetime]) -> None:
        """Announce what waits, beside what the caller does next."""
        hook = self._hook
        if hook is not None:
            self._beside.begin(lambda: self._once.run(lambda: self._announce(hook, clock)))

    def end(self, timeout_s: float = LAST_S) -> None:
        """Go on for so long at most; what does not get through is sent again, by whoever announces next."""
        self._until = monotonic() + timeout_s
        self._beside.wait(timeout_s)

    def _announce(self, hook: Hook, clock: Callable[[], datetime]) -> None:
        owner = f"{socket.gethostname()}:{os.getpid()}:dispatch"
        with closing(open_ledger(self._database_url, migrate=False)) as ledger:
            announce(ledger, hook, owner, clock=clock, goes_on=self._goes_on)

    def _tell(self, said: str) -> None:
        assert self._hook is not None  # without one nothing is begun
        logger.warning(
            "What is staged is not announced to %(hook)s, the next rounds try again: %(error)s",
            {"hook": self._hook.place, "error": said},
        )

    def _goes_on(self) -> bool:
        return self._until is None or monotonic() < self._until
