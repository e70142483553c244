"""The leases of a job: the right to send requests to a group of hosts, acquired before the first request and
renewed while the job runs.
"""

from __future__ import annotations

import logging
import socket
from contextlib import suppress
from datetime import timedelta
from time import monotonic
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import DBAPIError

from rori_spiders.exceptions import WriteError
from rori_spiders.ledger.dialects import lease_clock
from rori_spiders.ledger.queue import job_queue, leases
from rori_spiders.ledger.queue.permits import PermitLimits
from rori_spiders.politeness.retries import RATE_LIMITED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.crawl.job.request_permits import Claim, Grant, RequestPermits
    from rori_spiders.crawl.job.storage_thread import StorageThread
    from rori_spiders.ledger.queue.leases import Lease
    from rori_spiders.politeness.rate_limiter import RateLimiter

logger = logging.getLogger(__name__)

LEASE_TTL_S = 60
#: Three renewals may fail before another job takes over.
RENEW_INTERVAL_S = 15
#: No request leaves in the last seconds of a lease: it would still be on its way when the lease has ended.
MARGIN_S = 5.0
#: A pause that is left by an earlier job is waited for in the queue when it is no longer than our own longest wait.
LONGEST_WAIT = timedelta(seconds=max(RATE_LIMITED.waits))


def permit_limits(settings: Mapping[str, Any]) -> PermitLimits:
    """How many requests may be under way: of this machine, and of all that share the ledger."""
    names = ("RORI_MAX_CONCURRENT_REQUESTS", "RORI_FLEET_MAX_CONCURRENT_REQUESTS")
    return PermitLimits(*(int(settings.get(name, 0)) for name in names))


def claim_terms(settings: Mapping[str, Any]) -> job_queue.ClaimTerms:
    """On which a job is claimed from the queue, its groups' leases with it: those that its process goes on with."""
    return job_queue.ClaimTerms(LEASE_TTL_S, socket.gethostname(), permit_limits(settings), LONGEST_WAIT)


class JobLeases:
    """The leases that this job holds. Deadlines are on the monotonic clock: a suspended process must not go on."""

    def __init__(
        self,
        *,
        owner: str,
        storage: StorageThread,
        politeness: RateLimiter,
        permits: RequestPermits,
        now: Callable[[], datetime],
    ) -> None:
        self._owner = owner
        self._storage = storage
        self._politeness = politeness
        self._permits = permits
        self._wall_time = now
        self._held: dict[str, tuple[Lease, float]] = {}
        #: Groups of a queued job that are kept between its runs: it was given for all of its sources.
        self.claimed: set[str] = set()

    def valid(self, group: str) -> bool:
        """Whether a request may leave for *group* now."""
        return group in self._held and monotonic() < self._held[group][1] - MARGIN_S

    def may_ask(self, group: str) -> bool:
        """Whether a page's parts may be asked for: of a group that is ours while that is valid, of others always."""
        return group not in self._held or self.valid(group)

    def check(self, conn: Connection, group: str) -> None:
        """Raise LeaseLost unless the lease of *group* is still ours; the first call in a transaction."""
        leases.check_lease(conn, group, self._held[group][0].epoch if group in self._held else 0)

    async def hold(self, group: str) -> str | None:
        """Take or keep the lease on *group*. None when we hold it, else why not."""
        if (why_not := self._politeness.left_alone(group)) is not None:
            return f"{group} is cooling down ({why_not})"
        if self.valid(group):
            return None
        if (no_place := await self._permits.register()) is not None:
            return no_place
        requested_at = monotonic()
        lease, refused, now = await self._storage.write(lambda conn: self._acquire(conn, group))
        if lease is None:
            self._held.pop(group, None)
            return refused or f"{group} is held by another job"
        self._held[group] = (lease, requested_at + LEASE_TTL_S)
        self._remember(lease, now)
        return None

    def _now(self, conn: Connection) -> datetime:
        return lease_clock(conn, self._wall_time())

    def _acquire(self, conn: Connection, group: str) -> tuple[Lease | None, str | None, datetime]:
        now = self._now(conn)
        rest = leases.paused_until(conn, group)
        if rest is not None and rest > now + LONGEST_WAIT and group not in self._held:
            return None, f"{group} is cooling down until {rest:%Y-%m-%d %H:%M:%S} UTC", now
        lease = leases.acquire_lease(conn, group, owner=self._owner, now=now, ttl_s=LEASE_TTL_S)
        return lease, None if lease else leases.refusal_reason(conn, group, now=now), now

    def _remember(self, lease: Lease, now: datetime) -> None:
        """What other jobs learnt of the group holds for us: their last request, its delay, its pause."""
        politeness = self._politeness
        pace = politeness.pace(lease.group)
        if lease.last_request_at is not None:
            politeness.restore_last_request(lease.group, (now - lease.last_request_at).total_seconds())
        if lease.delay_s is not None:
            politeness.slow_down(lease.group, lease.delay_s)
        politeness.throttle(lease.group, max(pace.throttle_s, lease.throttle_s or 0.0))
        if lease.paused_until is not None and lease.paused_until > now:
            politeness.pause(lease.group, (lease.paused_until - now).total_seconds())

    async def renew(self, heartbeat: Callable[[Connection, datetime], str | None] | None = None) -> str | None:
        """Renew all, and write down what was learnt meanwhile. Groups that were lost are no longer held.

        One transaction: the leases, the claim of permits, and the *heartbeat* of the job's row in the queue, whose
        answer is given. In this order, as others lock the rows: who recovers lost jobs locks permits before jobs.
        """
        answer: str | None = None

        async def write(claim: Claim | None) -> Grant | None:
            nonlocal answer
            held = [lease for lease, _ in self._held.values()]
            if not held and claim is None and heartbeat is None:
                return None
            requested_at = monotonic()

            def renewing(conn: Connection) -> tuple[set[str], Grant | None, str | None]:
                now = self._now(conn)
                self._write_down(conn, {lease.group for lease in held}, now)
                lost = leases.renew_leases(conn, held, now=now, ttl_s=LEASE_TTL_S)
                return lost, claim and claim(conn, now), heartbeat and heartbeat(conn, now)

            lost, granted, answer = await self._storage.write(renewing)
            self._keep_renewed(held, lost, requested_at)
            return granted

        await self._permits.renew(write)
        return answer

    def _keep_renewed(self, held: list[Lease], lost: set[str], requested_at: float) -> None:
        for lease in held:
            if lease.group in lost:
                logger.error(
                    "The lease on %(group)s was lost to another job; its runs stop here", {"group": lease.group}
                )
                self._held.pop(lease.group, None)
            elif lease.group in self._held:
                self._held[lease.group] = (lease, requested_at + LEASE_TTL_S)

    async def note(self, group: str) -> None:
        """Write down now what was learnt of a group that this job holds. Failures are reported at renewal."""
        if group in self._held:
            with suppress(WriteError, DBAPIError):
                await self._storage.write(lambda conn: self._write_down(conn, {group}, self._now(conn)))

    async def release(self, groups: set[str]) -> None:
        """Give leases back; last request, delay and pause stay for the next holder."""
        released = [self._held.pop(group)[0] for group in groups & self._held.keys()]

        def releasing(conn: Connection) -> None:
            self._write_down(conn, {lease.group for lease in released}, self._now(conn))
            leases.release_leases(conn, released)

        if released:
            await self._storage.write(releasing)
        if not self._held:
            await self._permits.release()

    def _write_down(self, conn: Connection, groups: set[str], now: datetime) -> None:
        """Each group's last request, delay and pause, from the monotonic clock to that of the calendar."""
        ticks = self._politeness.clock()
        for group, pace in self._politeness.paces().items():
            if group not in groups:
                continue
            if pace.last_at > 0:
                leases.record_request(conn, group, now - timedelta(seconds=ticks - pace.last_at))
            paused = now + timedelta(seconds=pace.paused_until - ticks) if pace.paused_until > ticks else None
            leases.record_politeness(
                conn, group, delay_s=pace.to_keep_s, throttle_s=pace.throttle_s or None, paused_until=paused
            )

    @property
    def groups(self) -> set[str]:
        return set(self._held)
