"""``scrapy due``: list due sources in collection order, or explain one source's schedule."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal.command import ListingCommand, find_sources
from rori_spiders.terminal.listing import Column, write_details, write_listing

if TYPE_CHECKING:
    import argparse

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.nodes.dispatcher import QueueSnapshot
    from rori_spiders.schedule import DueSource

COLUMNS = (
    Column("position", "#", right=True),
    Column("id", "source"),
    Column("priority", "priority"),
    Column("jurisdiction", "jurisdiction"),
    Column("interval", "interval"),
    Column("since", "due since (UTC)"),
    Column("start", "starts (UTC)"),
    Column("hours", "hours"),
    Column("job", "in job"),
    Column("due_at"),
    Column("held_until"),
)


class Due(ListingCommand):
    examples = ("scrapy due", "scrapy due --explain cfpb-reg-x", "scrapy due --format json")
    usage = "[--explain ID] [--format FORM]"
    summary = "List due sources in collection order"
    description = (
        "Lists due sources by priority; within a priority, the Federal Register and the CFPB come first, then other "
        "federal sources, national bodies, states and local bodies, and of these the longest overdue. .gov sites "
        "wait for their crawl window (02:00 to 06:00 in New York). A source in a queued job is not queued again."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--explain", metavar="ID", help="explain why this source is due or not")
        super().options(parser)

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.nodes.dispatcher import read_queue_snapshot

        with open_existing_ledger(self.places) as ledger:
            catalog = self.load_catalog(ledger)
            if opts.explain:
                return self._explain(catalog, ledger, opts)
            with ledger.connect() if ledger else nullcontext() as connection:
                snapshot = read_queue_snapshot(connection)
        self._list(catalog, snapshot, opts.format)
        return 0

    def _explain(self, catalog: Catalog, ledger: Ledger | None, opts: argparse.Namespace) -> int:
        from rori_spiders.nodes.dispatcher import read_queue_snapshot
        from rori_spiders.schedule import explain_schedule
        from rori_spiders.schedule.status import cooling_down_until, run_progress

        [source] = find_sources(catalog, [opts.explain])
        with ledger.connect() if ledger else nullcontext() as connection:
            snapshot = read_queue_snapshot(connection)
            rest = cooling_down_until(catalog, source, connection)
            far = run_progress(catalog, source, connection)
        lines = explain_schedule(
            source,
            snapshot.states.get(source.id),
            self.now(),
            rules=catalog.rules,
            left_alone_until=rest,
            progress=far,
            everything=snapshot.everything,
            job=snapshot.job_of(source.id),
        )
        if opts.format == "table":
            print("\n".join([f"{source.id}: {source.name}", *lines]))
        else:
            write_details({"id": source.id, "explanation": " ".join(lines)}, opts.format)
        return 0

    def _list(self, catalog: Catalog, snapshot: QueueSnapshot, form: str) -> None:
        due = snapshot.due(catalog, self.now())
        write_listing([_due_row(position, one, snapshot) for position, one in enumerate(due, 1)], COLUMNS, form)
        if form == "table":
            print(_due_summary(due, len(catalog.sources), snapshot))


def _due_row(position: int, due: DueSource, snapshot: QueueSnapshot) -> dict[str, Any]:
    from rori_spiders.schedule import describe_interval

    source, state = due.source, snapshot.states.get(due.source.id)
    return {
        "position": position,
        "id": source.id,
        "priority": source.effective_priority,
        "jurisdiction": source.jurisdiction,
        "interval": describe_interval(source, state),
        "since": due.due_at or ("never checked" if state is None or state.last_run_id is None else "no success yet"),
        "start": due.held_until or "now",
        "hours": due.hours,
        "job": snapshot.queued.get(source.id),
        "due_at": due.due_at,
        "held_until": due.held_until,
    }


def _due_summary(due: list[DueSource], all_sources: int, snapshot: QueueSnapshot) -> str:
    from rori_spiders.schedule import describe_global_pause

    if snapshot.everything is not None:
        return f"No sources due: {describe_global_pause(snapshot.everything)}. Resume with: scrapy resume --all"
    if not due:
        return (
            f"None of {format_count(all_sources, 'source')} is due. `scrapy sources` shows when each is due, "
            "`scrapy due --explain ID` shows why."
        )
    held = sum(one.held_until is not None for one in due)
    summary = f"\n{len(due)} of {format_count(all_sources, 'source')} due"
    if held:
        summary += f", {held} waiting for the crawl window"
    if queued := sum(one.source.id in snapshot.queued for one in due):
        summary += f", {queued} already queued or running"
    return f"{summary}. Start with `scrapy collect` or `scrapy dispatch`."
