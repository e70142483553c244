"""The permits of this process: how many requests it may have under way, of the limits of its machine and of the fleet.

A request takes a permit when it leaves and returns it with its answer, which costs no transaction. The ledger is asked
for more when requests wait that would leave otherwise, and gets back what others lack.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager, suppress
from math import inf
from time import monotonic
from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem

from rori_spiders.ledger.dialects import lease_clock
from rori_spiders.ledger.queue import permits

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from contextlib import AbstractContextManager
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.crawl.job.storage_thread import StorageThread

    #: What ``permits.claim_permits`` gives, and a claim that gives it at a time of the leases' clock.
    Grant = tuple[int, int] | str
    Claim = Callable[[Connection, datetime], Grant]

#: How soon a process sees that others wait for its permits, or that some are free for which it waits.
LOOK_INTERVAL_S = 1.0
#: After so long others get the permits of a process that was not heard of.
PERMIT_TTL_S = 90.0
#: No request leaves so late that it could still be under way then: it has 30 s (DOWNLOAD_TIMEOUT), and some to end.
MARGIN_S = 35.0


class RequestPermits:
    """The permits that this job holds. Deadlines are on the monotonic clock: a suspended process must not go on."""

    def __init__(
        self,
        limits: permits.PermitLimits,
        *,
        owner: str,
        storage: StorageThread,
        now: Callable[[], datetime],
        stopping_on_write_errors: Callable[[], AbstractContextManager[None]],
        schedule_next_request: Callable[[], None],
    ) -> None:
        self._limits = limits
        self._owner = owner
        self._storage = storage
        self._now = now
        self._stopping_on_write_errors = stopping_on_write_errors
        self._schedule_next_request = schedule_next_request
        self.under_way = 0
        self._may_use = 0
        self._held = 0  # in the ledger: more than it may use while others wait for what is still under way
        self._valid_until = -inf
        self._no_place = ""  # why the last claim was refused
        self._wanted = 0  # as the ledger knows it
        self._peak = 0  # the most that could have been under way, had there been permits, since the last renewal
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._turn = asyncio.Lock()  # one visit to the ledger at a time
        self._claiming: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None

    @property
    def is_registered(self) -> bool:
        """Whether this process has a place among those that share the limit: as long as it holds a lease."""
        return self._looking is not None

    @property
    def free(self) -> int:
        """How many more requests may leave now."""
        return max(0, self._may_use - self.under_way) if self._is_valid else 0

    @property
    def _is_valid(self) -> bool:
        return monotonic() < self._valid_until

    @property
    def _is_settled(self) -> bool:
        """Whether it has the one permit that it wants: the least of a process, so no other one can lack or leave it.

        Most jobs ask one group. Five hundred that look each second are a third of a core of PostgreSQL.
        """
        return self._is_valid and self._held == self._may_use == 1 and max(self._wanted, self._peak) <= 1

    @asynccontextmanager
    async def permit(self) -> AsyncIterator[None]:
        """Wait for a permit, first come, first served; within, one request is under way."""
        await self._take()
        try:
            yield
        finally:
            self._give_back()

    def want(self, number: int) -> None:
        """So many requests would leave now beside those under way: claim the permits for them."""
        self._peak = max(self._peak, min(self._limits.machine, self.under_way + number))
        if self._peak > self._wanted or not self._is_valid:
            self._claim_soon()

    async def register(self) -> str | None:
        """Have a place among the processes that share the limit. None when this one has; else why not, in words."""
        if self.is_registered:
            return None
        self._peak = max(self._peak, 1)
        await self._claim()
        if not self._is_valid:
            return self._no_place or "permits for requests could not be claimed in time"
        if self._looking is None:
            self._looking = asyncio.ensure_future(self._look_after())
        return None

    async def renew(self, write: Callable[[Claim | None], Awaitable[Grant | None]]) -> None:
        """Renew the claim, and return what was not used since the last time.

        *write* runs the claim that it is given in a transaction of its own; None while this process has no place.
        """
        async with self._turn:
            if not self.is_registered:
                await write(None)
                return
            await self._visit_ledger(write)
            self._peak = max(1, self.under_way + len(self._waiting))
            await self._return_unused()
        self._use_granted()

    async def release(self) -> None:
        """Return all permits, and the place, when nothing is under way."""
        async with self._turn:
            if self.under_way or not self.is_registered:
                return
            self._held = self._may_use = self._wanted = self._peak = 0
            self._valid_until = -inf
            self.close()
            await self._storage.write(lambda conn: permits.release_permits(conn, self._owner))

    def close(self) -> None:
        """Look after them no longer."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None

    # --- within the process -----------------------------------------------------------------------------------------

    async def _take(self) -> None:
        if self.free and not self._waiting:
            self.under_way += 1
            self._peak = max(self._peak, self.under_way)
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self.want(len(self._waiting))
        try:
            await turn
        except asyncio.CancelledError:
            if turn in self._waiting:
                self._waiting.remove(turn)
            else:
                self._give_back()
            raise

    def _give_back(self) -> None:
        self.under_way -= 1
        if self.under_way <= self._may_use < self._held:
            self._claim_soon()  # others wait for what is no longer under way
        self._let_leave()

    def _let_leave(self) -> None:
        while self._waiting and self.free:
            self.under_way += 1
            self._waiting.popleft().set_result(None)

    # --- with the other processes, by the ledger --------------------------------------------------------------------

    def _claim_soon(self) -> None:
        if self._claiming is None or self._claiming.done():
            self._claiming = asyncio.ensure_future(self._claim_or_stop())

    async def _claim_or_stop(self) -> None:
        with suppress(DropItem), self._stopping_on_write_errors():
            await self._claim()

    async def _claim(self) -> None:
        async with self._turn:
            await self._visit_ledger(self._write)
            await self._return_unused()
        self._use_granted()

    async def _return_unused(self) -> None:
        """What others lack is not used any more, and may be taken by them now."""
        if self._held > max(self._may_use, self.under_way):
            await self._visit_ledger(self._write)

    def _use_granted(self) -> None:
        self._let_leave()
        self._schedule_next_request()

    async def _write(self, claim: Claim | None) -> Grant | None:
        assert claim is not None
        return await self._storage.write(lambda conn: claim(conn, lease_clock(conn, self._now())))

    async def _visit_ledger(self, write: Callable[[Claim | None], Awaitable[Grant | None]]) -> None:
        requested_at, wanted = monotonic(), self._peak
        # Until the ledger has answered, so many may be under way: it must not grant them to others meanwhile.
        keep = max(self.under_way, self._may_use)

        def claiming(conn: Connection, now: datetime) -> Grant:
            return permits.claim_permits(
                conn, self._owner, keep=keep, wanted=wanted, limits=self._limits, now=now, ttl_s=PERMIT_TTL_S
            )

        granted = await write(claiming)
        assert granted is not None
        self._no_place = granted if isinstance(granted, str) else ""
        self._held, self._may_use = (0, 0) if isinstance(granted, str) else granted
        self._valid_until = -inf if self._no_place else requested_at + PERMIT_TTL_S - MARGIN_S
        self._wanted = wanted

    async def _look_after(self) -> None:
        """Change the claim as soon as another one would be granted; until this is cancelled."""
        while True:
            await asyncio.sleep(LOOK_INTERVAL_S)
            with suppress(DropItem), self._stopping_on_write_errors():
                if not self._is_settled and await self._storage.read(self._is_another_due):
                    await self._claim()

    def _is_another_due(self, conn: Connection) -> bool:
        """Whether the ledger would grant another number than this process uses."""
        now = lease_clock(conn, self._now())
        claims = permits.load_rivals(conn, self._owner, self._limits, now=now)
        others = [claim for claim in claims if claim.owner != self._owner]
        return permits.grantable_permits(self._owner, self._wanted, others, self._limits) != self._may_use
