"""Who asked what, when: requests outside of runs, which have no audit, kept in the ledger's ``actions``.

In batches, so that a job that is killed has told most of what it asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.ledger import actions

if TYPE_CHECKING:
    from rori_spiders.items import PageItem
    from rori_spiders.job import Job

#: Requests in one row: some 20 KiB of JSON.
AT_ONCE = 100


class RequestLog:
    """The requests of one *action* by *actor* on *target*: the map of a source, the fetching of an address."""

    def __init__(self, job: Job, target: str, actor: str, *, action: str) -> None:
        self._job = job
        self._target = target
        self._actor = actor
        self._action = action
        self._rows: list[dict[str, Any]] = []
        self.asked = 0

    async def note(self, item: PageItem) -> None:
        """A URL that was asked has come to its end. Raises LedgerError when it cannot be written."""
        redact, at = self._job.redactor, item.at or self._job.now()
        row = {
            "url": redact.url(item.visit.url),
            "kind": item.visit.kind,
            "at": at.isoformat(),
            "status": item.fetched.status if item.fetched is not None else None,
            "end": item.state,
            "reason": redact.text(item.reason),
            "attempts": [one.as_json() | {"reason": redact.text(one.reason)} for one in item.attempts],
        }
        await self._add(row)

    async def note_robots(self, told: set[str] | None = None) -> None:
        """The robots.txt files that were read, but for those of the origins that another log has *told*."""
        told = set() if told is None else told
        for origin, file in self._job.robots.items():
            if origin in told:
                continue
            told.add(origin)
            at, url = file.at.isoformat(), f"{origin}/robots.txt"
            reason = self._job.redactor.text(file.reason)
            await self._add({"url": url, "kind": "robots", "at": at, "status": file.status, "reason": reason})

    async def _add(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        self.asked += 1
        if len(self._rows) >= AT_ONCE:
            await self.write()

    async def write(self) -> None:
        rows, self._rows = self._rows, []
        if rows:
            now, details = self._job.now(), {"job_id": self._job.job_id, "asked": rows}
            await self._job.write(
                lambda conn: actions.record(
                    conn, now=now, actor=self._actor, action=self._action, target=self._target, details=details
                )
            )
