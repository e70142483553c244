"""``scrapy runs``: list runs, show one, accept pages or a page count held for review."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import UnknownName, UsageError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.tables.runs import URL_STATES
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.plurals import format_count
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.command import RoriCommand, Subcommands, add_format_option, positive_count
from rori_spiders.terminal.listing import Column, print_hint, write_details, write_listing

if TYPE_CHECKING:
    import argparse

    from sqlalchemy import Connection

    from rori_spiders.ledger.runs.run_records import RunRow

_STATE_COLOURS = (("complete", "green"), ("running", "cyan"), ("partial", "yellow"), ("failed", "red"))
COLUMNS = (
    Column("run_id", "run"),
    Column("source_id", "source"),
    Column("started_at", "started (UTC)"),
    Column("finished_at", "ended (UTC)"),
    Column("state", "state", colours=(*_STATE_COLOURS, ("incomplete", "red"), ("suspect", "yellow"))),
    Column("discovered", "pages", right=True),
    Column("changed", "changed", right=True),
    Column("failed", "failed", right=True),
    Column("pending", "pending", right=True),
    Column("done_percent", "done %", right=True),
    Column("reason", "why"),
    Column("reason_code"),
    Column("reason_detail"),
    Column("captured"),
    Column("unchanged"),
    Column("excluded"),
    Column("gone"),
    Column("method"),
    Column("manifest_version"),
    Column("operator"),
    Column("job_id"),
    Column("requests"),
    Column("seconds"),
    Column("plugins"),
)
#: How many reasons and URLs are printed; `scrapy audit` lists all.
_MOST_SHOWN = 20


class Runs(RoriCommand):
    examples = (
        "scrapy runs",
        "scrapy runs list --source cfpb-reg-x --limit 5",
        "scrapy runs show 0d1c7a52-5a6f-4e8e-9d0a-6a1f0c8e8c11",
        'scrapy runs accept 0d1c7a52-5a6f-4e8e-9d0a-6a1f0c8e8c11 --reason "the chapter was split in two"',
    )
    usage = "[list] [--source ID] [--limit N] [--format FORM] | show ID | accept ID --reason TEXT [--url URL]"
    summary = "List the latest runs, show one, or accept what one holds for review"
    description = (
        "Without a verb, the command lists runs. Each page of a run is captured, unchanged, excluded, failed, gone "
        "or pending. Two kinds of pages are held for review: those that lost more than half of their text "
        "(`suspect`), and those that disappeared, if they are too many at once. `accept` stages the former as "
        "fetched and records the latter as gone. A run that found less than half of its source's baseline is "
        "`suspect`; `accept` makes its page count the new baseline. The ledger records who accepted it, when and "
        "why."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Subcommands(parser, default="list")
        listing = verbs.add("list", "list the latest runs")
        listing.add_argument("--source", metavar="ID", help="list only runs of this source")
        listing.add_argument(
            "--limit", metavar="N", type=positive_count, default=20, help="list the newest N (default: 20)"
        )
        add_format_option(listing)
        showing = verbs.add("show", "show one run: page counts, changes, failures with reasons")
        showing.add_argument("id", metavar="ID", help="id of the run")
        add_format_option(showing)
        accepting = verbs.add("accept", "accept what a run holds for review")
        accepting.add_argument("id", metavar="ID", help="id of the run")
        accepting.add_argument(
            "--reason", metavar="TEXT", required=True, help="why; recorded in the ledger with your name"
        )
        accepting.add_argument(
            "--url", metavar="URL", help="accept only this page (default: everything that the run holds)"
        )

    def answer(self, opts: argparse.Namespace) -> int:
        if opts.verb == "accept":
            return self._accept(opts)
        with open_existing_ledger(self.places) as ledger, ledger.connect() if ledger else nullcontext() as connection:
            if opts.verb == "list":
                if ledger is not None:
                    self.require_sources(ledger, opts.source)
                return self._list(connection, opts)
            if connection is None or (run := _find_run(connection, opts.id)) is None:
                raise UnknownName(f"unknown run {opts.id!r}: `scrapy runs list [--source ID]` lists runs")
            return _print_run(connection, run, opts.format)

    def _accept(self, opts: argparse.Namespace) -> int:
        from rori_spiders.crawl.runs.review_holds import ReviewContext, Reviewer
        from rori_spiders.terminal import runs as terminal_runs
        from rori_spiders.workers.pool import WorkPool

        if not opts.reason.strip():
            raise UsageError("--reason must not be empty")
        with open_existing_ledger(self.places) as ledger:
            if ledger is None:
                raise UnknownName(f"unknown run {opts.id!r}: nothing collected yet")
            with ledger.connect() as connection:
                if _find_run(connection, opts.id) is None:
                    raise UnknownName(f"unknown run {opts.id!r}. {terminal_runs.describe_other_held_runs(connection)}")
                urls = terminal_runs.choose_held_urls(connection, opts.id, opts.url)
            catalog = self.load_catalog(ledger)
        store, settings = open_store(self.places.staging), self.settings
        assert settings is not None
        store.check_writable()
        pool = WorkPool.from_settings(settings)
        with open_ledger(self.places.database_url) as ledger:
            context = ReviewContext(ledger, store, catalog, pool, settings.get("RORI_ENVIRONMENT"), self.now)
            return terminal_runs.accept_urls(
                context, opts.id, urls, Reviewer(self.person(), opts.reason.strip()), whole=opts.url is None
            )

    def _list(self, connection: Connection | None, opts: argparse.Namespace) -> int:
        from rori_spiders.ledger.runs import run_records
        from rori_spiders.terminal import runs as terminal_runs

        found = [] if connection is None else run_records.recent_runs(connection, opts.source, opts.limit)
        write_listing(map(_run_row, found), COLUMNS, opts.format)
        if opts.format != "table":
            return 0
        if connection is None or not found:
            print_hint(
                f"No runs of source {opts.source!r}." if opts.source else "Nothing collected yet: run `scrapy collect`."
            )
            return 0
        for at, line in enumerate(terminal_runs.held_run_lines(connection, {run.run_id for run in found})):
            print(line if at else f"\n{line}")
        return 0


def _find_run(connection: Connection, run_id: str) -> RunRow | None:
    from rori_spiders.ledger.runs import run_records

    try:
        return run_records.get_run(connection, run_id)
    except KeyError:
        return None


def _run_row(run: RunRow, counts: dict[str, int] | None = None) -> dict[str, Any]:
    from rori_spiders.schedule import percent_done

    known = {column.key: getattr(run, column.key, None) for column in COLUMNS}
    found = counts or run.counts or {}
    return {**known, **found, "done_percent": percent_done(found)}


def _print_run(connection: Connection, run: RunRow, form: str) -> int:
    # Count now: the row holds the numbers from when a job last left the run.
    from rori_spiders.ledger.pages import held_pages
    from rori_spiders.ledger.runs import run_records
    from rori_spiders.schedule import percent_done
    from rori_spiders.schedule.status import describe_outcome
    from rori_spiders.terminal import runs as terminal_runs
    from rori_spiders.terminal.comparison.diff import changed_sections_of_run
    from rori_spiders.terminal.runs import newest_summary, summary_lines

    counts = {**(run.counts or {}), **run_records.count_pages(connection, run.run_id)}
    if form != "table":
        held, summary = held_pages.list_held_urls(connection, run.run_id), newest_summary(connection, run.run_id)
        write_details({**_run_row(run, counts), "held": held, "summary": summary}, form)
        return 0
    write_details(
        {
            "Run": run.run_id,
            "Source": run.source_id,
            "Method": run.method,
            "Manifest version": run.manifest_version,
            "Outcome": describe_outcome(run),
            "Started": run.started_at,
            "Resumed": run.resumed_at,
            "Ended": run.finished_at,
            "Started by": "person" if run.operator == "manual" else "schedule",
            "Job": run.job_id,
            "Pages": _sum_counts(counts),
            "Done": f"{percent_done(counts)} % of the pages discovered so far" if counts["pending"] else None,
            "Seconds": round(run.seconds),
            "Requests": run.requests,
            "Credits": run.credits,
        }
    )
    for at, line in enumerate(changed_sections_of_run(connection, run.run_id)):
        print(line if at else f"\nChanges:\n{line}")
    for at, line in enumerate(summary_lines(connection, run.run_id)):
        print(line if at else f"\n{line}")
    _print_urls(connection, run)
    for at, line in enumerate(terminal_runs.held_page_lines(connection, run.run_id)):
        print(line if at else f"\n{line}")
    return 0


def _sum_counts(counts: dict[str, int]) -> str:
    parts = [f"{counts[state]} {state}" for state in URL_STATES if counts.get(state)]
    return f"{counts['discovered']} discovered = {' + '.join(parts)}" if parts else "none yet"


def _print_urls(connection: Connection, run: RunRow) -> None:
    from rori_spiders.ledger.pages import held_pages
    from rori_spiders.ledger.runs import frontier, run_records

    urls = [one for one in frontier.list_urls(connection, run.run_id) if one.kind == "page"]
    if reasons := run_records.count_reasons(connection, run.run_id, _MOST_SHOWN):
        print("\nPages not captured, by reason:")
        for row in reasons:
            print(f"  {row.number:>5}  {row.state}: {escape_one_line(row.reason)}")
    held = set(held_pages.list_held_urls(connection, run.run_id))  # printed below, with the command that accepts them
    failed = [one for one in urls if one.state == "failed" and one.url not in held]
    for one in failed[:_MOST_SHOWN]:
        print(f"  {escape_one_line(one.url)}  {escape_one_line(one.reason or '')}")
    if len(failed) > _MOST_SHOWN:
        print_hint(f"  and {len(failed) - _MOST_SHOWN} more: scrapy audit --source {run.source_id} --status failed")
    if waiting := sum(one.state == "pending" for one in urls):
        print_hint(f"\n{format_count(waiting, 'page')} pending. Resume with: scrapy collect --source {run.source_id}")
