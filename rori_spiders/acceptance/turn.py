"""The source's leases while its pages are accepted: no job collects the source meanwhile, none takes our files back."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

from rori_spiders.exceptions import RoriError
from rori_spiders.ledger import leases
from rori_spiders.manifest.scope import Scope

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.leases import Lease
    from rori_spiders.ledger.runs import RunRow
    from rori_spiders.manifest.catalog import Catalog


class Locked(RoriError):
    """Raised when a job works on the source."""


class Turn:
    """The leases of a run's groups of hosts. No request is made under them: one permit each, as few as there can be.

    Their owner bears the id of the run's job: what is reserved in its name counts as live, and no recovery drops it.
    """

    def __init__(self, catalog: Catalog, run: RunRow) -> None:
        source = catalog.source(run.source_id)
        self._groups = sorted({catalog.group(host) for host in Scope(source).hosts})
        self._owner = f"{socket.gethostname()}:{os.getpid()}:{run.job_id}"
        self._held: dict[str, Lease] = {}

    def take(self, conn: Connection, now: datetime) -> None:
        """Take them, or keep them for another minute. Raises Locked."""
        for group in self._groups:
            lease = leases.acquire(conn, group, owner=self._owner, now=now, permits=1)
            if lease is None:
                why = leases.why_not(conn, group, now=now) or f"{group} is held by another job"
                raise Locked(f"{why}. Try again once it has ended.")
            self._held[group] = lease

    def check(self, conn: Connection) -> None:
        """Raise LeaseLost unless they are still ours; first in a transaction."""
        for group, lease in self._held.items():
            leases.check(conn, group, lease.epoch)

    def give_back(self, conn: Connection) -> None:
        leases.release(conn, self._held.values())
        self._held = {}
