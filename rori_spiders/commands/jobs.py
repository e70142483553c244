"""``scrapy jobs``: the queue that all nodes share, what runs where, all about one job; one is cancelled here."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rori_spiders.configuration.active_manifest import open_existing_ledger
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.queue import job_queue
from rori_spiders.nodes import operator_actions
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal.command import ListingCommand, positive_count
from rori_spiders.terminal.listing import Column, write_details, write_listing

if TYPE_CHECKING:
    import argparse

    from rori_spiders.ledger.queue.job_queue import QueuedJob

_STATES = (("running", "cyan"), ("leased", "cyan"), ("ended", "green"), ("cancelled", "yellow"), ("lost", "red"))
COLUMNS = (
    Column("job_id", "job"),
    Column("state", "state", colours=_STATES),
    Column("sources", "sources"),
    Column("node", "node"),
    Column("since", "since (UTC)"),
    Column("leased_until", "lease until (UTC)"),
    Column("outcome", "outcome"),
    Column("reason", "why"),
    Column("groups"),
    Column("spider"),
    Column("priority"),
    Column("operator"),
    Column("attempt"),
    Column("follows"),
    Column("owner"),
    Column("queued_at"),
    Column("leased_at"),
    Column("started_at"),
    Column("ended_at"),
    Column("cancelled_by"),
)
#: Sources named in a line of the table; `scrapy jobs ID` has all.
_MOST_NAMED = 3


class Jobs(ListingCommand):
    examples = (
        "scrapy jobs",
        "scrapy jobs 3f0b6d1e-8a53-4f5c-9f43-6f0f4f0a1b11             all about one",
        "scrapy jobs cancel 3f0b6d1e-8a53-4f5c-9f43-6f0f4f0a1b11      wherever it is",
    )

    def syntax(self) -> str:
        return "[ID] [--limit N] [--format FORM] | cancel ID"

    def short_desc(self) -> str:
        return "List the queue of jobs and what runs where, or cancel one"

    def long_desc(self) -> str:
        return (
            "What runs comes first, then what waits, in its order, then what ended last. `cancel` takes a job out of "
            "the queue; one that runs stops at its next sign of life, within 15 seconds, and what remains is kept."
        )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("id", nargs="?", metavar="ID", help="a job; or the word `cancel`")
        parser.add_argument("job", nargs="?", metavar="JOB", help="cancel: the job")
        parser.add_argument(
            "--limit", metavar="N", type=positive_count, default=20, help="of those ended (default: 20)"
        )
        super().options(parser)

    def answer(self, opts: argparse.Namespace) -> int:
        if opts.id == "cancel":
            return self._cancel(opts.job)
        if opts.job is not None:
            raise UsageError(f"{opts.job!r} belongs to `scrapy jobs cancel JOB`")
        with open_existing_ledger(self.places) as ledger:
            found: list[QueuedJob] = []
            if ledger is not None:
                with ledger.connect() as conn:
                    one = job_queue.find_job(conn, opts.id) if opts.id else None
                    found = [one] if one is not None else [] if opts.id else job_queue.list_jobs(conn, ended=opts.limit)
        if opts.id:
            return _print_jobs(found, opts)
        write_listing((_job_row(job, opts.format) for job in found), COLUMNS, opts.format)
        if opts.format == "table":
            print(_jobs_summary(found))
        return 0

    def _cancel(self, job_id: str | None) -> int:
        with open_existing_ledger(self.places) as found:
            if job_id is None or found is None:
                raise UsageError("which job? `scrapy jobs` lists them" if job_id is None else f"no job {job_id!r}")
        with closing(open_ledger(self.places.database_url)) as ledger, ledger.begin() as conn:
            before = operator_actions.cancel_job(conn, job_id, actor=self.person(), now=self.now())
            if before is None:
                raise UsageError(f"no job {job_id!r}; `scrapy jobs` lists them")
        return _print_cancelled(before)


def _print_cancelled(before: QueuedJob) -> int:
    if before.state not in job_queue.OPEN_STATES:
        print(f"{before.job_id} is over: {before.state} at {before.ended_at:%Y-%m-%d %H:%M} UTC. Nothing was changed.")
        return 1
    if before.state == "running":
        print(f"{before.job_id} on {before.node} is told to stop, within 15 seconds. What remains is kept.")
    else:
        print(f"{before.job_id} is cancelled. It had not begun; its sources are due as before.")
    return 0


def _print_jobs(found: list[QueuedJob], opts: argparse.Namespace) -> int:
    if not found:
        raise UsageError(f"no job {opts.id!r}; `scrapy jobs` lists them")
    row = _job_row(found[0], "json")
    if opts.format != "table":
        write_details([(column.key, row[column.key]) for column in COLUMNS], opts.format)
        return 0
    told = {"sources": ", ".join(row["sources"]), "groups": ", ".join(row["groups"])}
    names = {"job_id": "Job", "node": "Node", "owner": "Process", "attempt": "Attempt", "follows": "Takes up"}
    keys = ("job_id", "state", "sources", "groups", "priority", "operator", "attempt", "follows", "node", "owner")
    times = ("queued_at", "leased_at", "started_at", "leased_until", "ended_at", "outcome", "reason", "cancelled_by")
    shown = row | told
    write_details([(names.get(key, key.replace("_", " ").capitalize()), shown[key]) for key in (*keys, *times)])
    return 0


def _job_row(job: QueuedJob, form: str) -> dict[str, Any]:
    since = {"waiting": job.queued_at, "leased": job.leased_at, "running": job.started_at}.get(job.state, job.ended_at)
    row = {**asdict(job), "groups": list(job.groups), "since": since}
    if form == "json":
        return row
    more = len(job.sources) - _MOST_NAMED if form == "table" else 0
    named = ", ".join(job.sources[:_MOST_NAMED] if more > 0 else job.sources)
    return row | {"sources": named + (f" and {more} more" if more > 0 else ""), "groups": ", ".join(job.groups)}


def _jobs_summary(found: list[QueuedJob]) -> str:
    open_ones = [job.state for job in found if job.state in job_queue.OPEN_STATES]
    if not open_ones:
        return "No job waits or runs."
    waiting = open_ones.count("waiting")
    return (
        f"\n{format_count(len(open_ones) - waiting, 'job')} at work, {waiting} waiting. All about one: scrapy jobs ID"
    )
