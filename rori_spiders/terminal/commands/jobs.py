"""``scrapy jobs``: list the queue that all nodes share, show a job, cancel a job."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import UnknownName
from rori_spiders.ledger.database import open_ledger
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal.command import RoriCommand, Subcommands, add_format_option, positive_count
from rori_spiders.terminal.listing import Column, label_of_key, write_details, write_listing

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
#: Sources named in a line of the table; `scrapy jobs show ID` has all.
_MOST_NAMED = 3


class Jobs(RoriCommand):
    examples = (
        "scrapy jobs",
        "scrapy jobs show 3f0b6d1e-8a53-4f5c-9f43-6f0f4f0a1b11",
        "scrapy jobs cancel 3f0b6d1e-8a53-4f5c-9f43-6f0f4f0a1b11",
    )
    usage = "[list] [--limit N] [--format FORM] | show ID | cancel ID"
    summary = "List running and queued jobs, show or cancel one"
    description = (
        "Without a verb, the command lists running jobs, then queued jobs in queue order, then the latest ended "
        "jobs. `cancel` removes a queued job or stops a running one within 15 seconds; the remaining pages are "
        "kept for the next run."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Subcommands(parser, default="list")
        listing = verbs.add("list", "list running, queued and ended jobs")
        listing.add_argument(
            "--limit", metavar="N", type=positive_count, default=20, help="list at most N ended jobs (default: 20)"
        )
        add_format_option(listing)
        showing = verbs.add("show", "show one job: its sources, node, times and outcome")
        showing.add_argument("id", metavar="ID", help="id of the job")
        add_format_option(showing)
        verbs.add("cancel", "cancel a queued job, or stop a running one").add_argument(
            "id", metavar="ID", help="id of the job"
        )

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.ledger.queue import job_queue

        if opts.verb == "cancel":
            return self._cancel(opts.id)
        with open_existing_ledger(self.places) as ledger, ledger.connect() if ledger else nullcontext() as conn:
            if opts.verb == "show":
                job = None if conn is None else job_queue.find_job(conn, opts.id)
                return _print_job(_require_job(job, opts.id), opts.format)
            found = [] if conn is None else job_queue.list_jobs(conn, ended=opts.limit)
        write_listing((_job_row(job, opts.format) for job in found), COLUMNS, opts.format)
        if opts.format == "table":
            print(_jobs_summary(found))
        return 0

    def _cancel(self, job_id: str) -> int:
        from rori_spiders.operations import operator_actions

        with open_existing_ledger(self.places) as found:
            if found is None:
                _require_job(None, job_id)
        with open_ledger(self.places.database_url) as ledger, ledger.begin() as conn:
            before = operator_actions.cancel_job(conn, job_id, actor=self.person(), now=self.now())
            return _print_cancelled(_require_job(before, job_id))


def _require_job(job: QueuedJob | None, job_id: str) -> QueuedJob:
    if job is None:
        raise UnknownName(f"unknown job {job_id!r}: `scrapy jobs list` lists jobs")
    return job


def _print_cancelled(before: QueuedJob) -> int:
    from rori_spiders.ledger.queue import job_queue

    if before.state not in job_queue.OPEN_STATES:
        print(f"{before.job_id} has already ended ({before.state}) at {before.ended_at:%Y-%m-%d %H:%M} UTC.")
        return 1
    if before.state == "running":
        print(f"{before.job_id} on {before.node} will stop within 15 seconds. Its remaining pages are kept.")
    else:
        print(f"Cancelled {before.job_id} before it started. Its sources are still due.")
    return 0


def _print_job(job: QueuedJob, form: str) -> int:
    row = _job_row(job, "json")
    if form != "table":
        write_details({column.key: row[column.key] for column in COLUMNS}, form)
        return 0
    details = {"sources": ", ".join(row["sources"]), "groups": ", ".join(row["groups"])}
    names = {"job_id": "Job", "node": "Node", "owner": "Process", "attempt": "Attempt", "follows": "Resumes"}
    keys = ("job_id", "state", "sources", "groups", "priority", "operator", "attempt", "follows", "node", "owner")
    times = ("queued_at", "leased_at", "started_at", "leased_until", "ended_at", "outcome", "reason", "cancelled_by")
    shown = row | details
    write_details({key: shown[key] for key in (*keys, *times)}, label=lambda key: names.get(key) or label_of_key(key))
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
    from rori_spiders.ledger.queue import job_queue

    open_ones = [job.state for job in found if job.state in job_queue.OPEN_STATES]
    if not open_ones:
        return "No jobs queued or running."
    queued = open_ones.count("waiting")
    return f"\n{format_count(len(open_ones) - queued, 'job')} running, {queued} queued. Details: scrapy jobs show ID"
