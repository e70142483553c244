"""The recorder of a job. One transaction holds the final state, the version, the page's links and validators, what was
discovered and excluded, the robots.txt that allowed it, and the audit row. Either all of it is there after a crash, or
the URL is still pending.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.envelope import error_line
from rori_spiders.ledger import audit, holds, robots, runs
from rori_spiders.ledger.robots import RobotsSeen
from rori_spiders.recording import ends, pages, rows
from rori_spiders.stores import staging
from rori_spiders.urls import host_of, origin_of

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.items import PageItem
    from rori_spiders.job import Job
    from rori_spiders.run import Run


class Recorder:
    """Records items of one job; all writing happens in the job's one ledger thread."""

    def __init__(self, job: Job) -> None:
        self._job = job

    async def record(self, run: Run, item: PageItem) -> None:
        """Record *item*; then the run counts it. Raises WriteError or LeaseLost, and nothing was recorded."""
        now = item.at or self._job.now()
        asked, run.requests = run.requests, 0
        await self._job.in_thread(lambda: self._record(run, item, now, asked))
        run.settle(item.visit, item.state, changed=item.change is not None and item.change.changed)

    def _record(self, run: Run, item: PageItem, now: datetime, asked: int) -> None:
        redact = self._job.redactor
        raw_hash = self._evidence(item)
        robots_object = self._robots_object(item)
        with self._job.ledger.begin() as conn:
            self._job.leasing.check(conn, self._job.group(host_of(run.source.url)))
            runs.add_requests(conn, run.run_id, requests=asked, credits=sum(one.credits for one in item.attempts))
            self._robots(conn, run, item, robots_object)
            ends.settle(conn, run, item, redact, now)
            ends.review(conn, run, item, redact, now)
            ends.remember_tier(conn, run, item, now)
            page_id = pages.note(conn, item, redact, now)
            failed_before = pages.failed_before(conn, item)
            row = rows.of_page(item, redact, now=now, raw_hash=raw_hash, robots_object=robots_object)
            excluded = [audit.excluded(visit, redact.url(reason), at=now) for visit, reason in item.excluded]
            audit.append_all(conn, [row, *excluded])
            if holds.is_held(item):
                holds.keep(conn, item, redact.text, now=now)
            if item.envelope_id is not None:
                pages.add_version(conn, item, page_id, now)
                staging.mark_staged(conn, item.envelope_id, now=now)
        self._lines(item, now, failed_before)

    def _evidence(self, item: PageItem) -> str | None:
        """The hash of the bytes as received, which are kept as an object, unless the text is the one that we hold.

        Then the hash alone says what came: a page with a clock has other bytes at each visit.
        """
        if item.fetched is None or not item.fetched.received:
            return None
        if item.state == "unchanged":
            return item.fetched.raw_hash
        return self._job.store.put_object(item.fetched.received)

    def _robots_object(self, item: PageItem) -> str | None:
        file = self._job.robots.get(origin_of(item.visit.url))
        return None if file is None or file.status is None else self._job.store.put_object(file.body)

    def _robots(self, conn: Connection, run: Run, item: PageItem, robots_object: str | None) -> None:
        """What the run's robots.txt said, once for each origin: as a row of its own, and in the audit."""
        origin = origin_of(item.visit.url)
        file = self._job.robots.get(origin)
        if file is None or origin in run.robots_recorded:
            return
        run.robots_recorded.add(origin)
        reason = self._job.redactor.text(file.reason) or None
        seen = RobotsSeen(run.run_id, origin, file.at, file.outcome, file.status, reason, robots_object, file.delay_s)
        robots.record(conn, seen)
        audit.append(conn, rows.of_robots(seen, run.source_id))

    def _lines(self, item: PageItem, now: datetime, failed_before: bool) -> None:
        if item.envelope_id is not None:
            staging.index(self._job.ledger, self._job.store, [item.envelope_id])
        if item.visit.kind != "page":
            return
        failed = item.state == "failed"
        if failed or (failed_before and item.state in {"captured", "unchanged", "gone"}):
            self._job.store.append_error(
                error_line(
                    timestamp=now,
                    manifest_id=item.visit.source_id,
                    url=item.visit.url,
                    error=self._job.redactor.text(item.reason) if failed else "overcome",
                    retry_count=max(0, len(item.attempts) - 1),
                    engine=item.attempts[-1].tier if item.attempts else None,
                    resolved=not failed,
                )
            )
