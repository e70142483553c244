"""``scrapy due``: list due sources in collection order, or explain one source's schedule."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import UsageError
from rori_spiders.runtime.plurals import format_count
from rori_spiders.runtime.redacted_output import PersonsWords, name_program
from rori_spiders.terminal.command import ListingCommand, add_sources_option, find_sources, positive_count
from rori_spiders.terminal.listing import Column, print_hint, write_details, write_listing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source
    from rori_spiders.nodes.dispatcher import QueueSnapshot
    from rori_spiders.schedule import DueSource
    from rori_spiders.schedule.scenario import Today
    from rori_spiders.schedule.what_if import Forecast

_MOST_NAMED = 5
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


WHAT_IF_COLUMNS = (
    Column("measure"),
    Column("words", "measure"),
    Column("now", "now", right=True),
    Column("what_if", "what if", right=True),
)
INTERVAL_COLUMNS = (
    Column("id", "source"),
    Column("frequency", "now"),
    Column("proposed", "proposed"),
    Column("reason", "why", width=100),
    *map(Column, ("checks", "changed", "days")),
)
#: Older changes say little of those to come.
_LEARNT_FROM = timedelta(days=180)


class Due(ListingCommand):
    examples = (
        "scrapy due",
        "scrapy due --explain cfpb-reg-x",
        "scrapy due --what-if frequency=daily --what-if nodes=4",
        "scrapy due --what-if frequency=daily --source cfpb-reg-x",
        "scrapy due --what-if manifest=manifests/draft.json --format json",
        "scrapy due --intervals --shortest daily",
    )
    usage = (
        "[--explain ID | --what-if KEY=VALUE... [--source ID] [--days NUMBER] | --intervals [--shortest FREQUENCY]] "
        "[--format FORM]"
    )
    summary = "List due sources in collection order"
    description = (
        "Lists due sources by priority; within a priority, the Federal Register and the CFPB come first, then other "
        "federal sources, national bodies, states and local bodies, and of these the longest overdue. .gov sites "
        "wait for their crawl window (02:00 to 06:00 in New York). A source in a queued job is not queued again."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--explain", metavar="ID", help="explain why this source is due or not")
        parser.add_argument(
            "--what-if",
            metavar="KEY=VALUE",
            action="append",
            default=[],
            help="forecast with frequency=FREQUENCY, manifest=FILE, nodes=NUMBER or jobs=NUMBER per node (repeatable)",
        )
        add_sources_option(parser)
        parser.add_argument(
            "--days", metavar="NUMBER", type=positive_count, default=28, help="forecast this many days (default: 28)"
        )
        parser.add_argument(
            "--intervals", action="store_true", help="propose frequencies by how often sources really changed"
        )
        parser.add_argument(
            "--shortest",
            metavar="FREQUENCY",
            choices=("daily", "weekly", "biweekly", "monthly"),
            default="daily",
            help="shortest interval to propose (default: daily)",
        )
        super().options(parser)

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.nodes.dispatcher import read_queue_snapshot

        if opts.what_if:
            return self._foresee(opts)
        if opts.intervals:
            return self._propose_intervals(opts)
        if opts.source:
            raise UsageError("--source belongs to --what-if frequency=FREQUENCY")
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
            print(f"{source.id}: {source.name}")
            print_hint(*lines)
        else:
            write_details({"id": source.id, "explanation": " ".join(lines)}, opts.format)
        return 0

    def _foresee(self, opts: argparse.Namespace) -> int:
        from rori_spiders.crawl.tiers.official.registry import is_single_page
        from rori_spiders.manifest.loading import load_files
        from rori_spiders.schedule.scenario import Scenario, apply_frequency, build_plan, compare
        from rori_spiders.schedule.what_if import foresee

        scenario = Scenario.parse(opts.what_if)
        with open_existing_ledger(self.places) as ledger:
            catalog = then = self.load_catalog(ledger)
            today = self._read_today(ledger)
        if scenario.manifest is not None:
            then = load_files([scenario.manifest], allowed_addresses=self.places.allowed_addresses)
        chosen = {one.id for one in find_sources(then, opts.source)}
        sources = apply_frequency(then.sources, scenario.frequency, chosen)
        forecasts = []
        for which, terms, own in ((catalog, Scenario(), catalog.sources), (then, scenario, sources)):
            plan, costs, unknown = build_plan(which, own, today, terms, is_single_page)
            forecasts.append(foresee(plan, today.states, costs, self.now(), days=opts.days))
        rows = compare(*forecasts)
        if opts.format == "table":
            rows = [row | {key: _shown_number(row[key]) for key in ("now", "what_if")} for row in rows]
        write_listing(rows, WHAT_IF_COLUMNS, opts.format)
        if opts.format == "table":
            print("", *_foresight_notes(forecasts[-1], plan.runs_at_once, unknown), sep="\n")
        return 0

    def _propose_intervals(self, opts: argparse.Namespace) -> int:
        from rori_spiders.ledger.runs.run_records import load_check_counts
        from rori_spiders.schedule.learnt_intervals import CheckHistory, propose_interval

        with open_existing_ledger(self.places) as ledger:
            catalog = self.load_catalog(ledger)
            since = self.now() - _LEARNT_FROM
            with ledger.connect() if ledger else nullcontext() as conn:
                counts = load_check_counts(conn, since=since) if conn is not None else {}
        rows = []
        for source in catalog.sources:
            history = CheckHistory(*counts.get(source.id, (0, 0, 0.0)))
            found = propose_interval(source.effective_frequency, history, opts.shortest)
            if source.status == "active" and (found.proposed != found.now or opts.format != "table"):
                rows.append(
                    {"id": source.id, "frequency": found.now, "proposed": found.proposed, "reason": found.reason}
                    | {"checks": history.checks, "changed": history.changed, "days": round(history.days, 1)}
                )
        write_listing(rows, INTERVAL_COLUMNS, opts.format)
        if opts.format == "table":
            print(
                f"\n{format_count(len(rows), 'source')} would be checked more often. A proposal is used once the "
                "manifest says it: set `frequency` there. `--what-if frequency=... --source ID` foresees what it costs."
            )
        return 0

    def _read_today(self, ledger: Ledger | None) -> Today:
        from rori_spiders.ledger.operations.source_status import find_global_pause, load_states
        from rori_spiders.manifest.tier_selection import configured_tiers
        from rori_spiders.nodes.job_limit import max_concurrent_jobs, total_cores, total_memory_mib
        from rori_spiders.schedule import scenario

        settings = self.settings
        browser = settings.getint("RORI_BROWSER_MEMORY") if "browser" in configured_tiers(settings) else 0
        requests = settings.getint("RORI_MAX_CONCURRENT_REQUESTS")
        jobs = max_concurrent_jobs(total_memory_mib(), browser, total_cores(), requests)
        limits = (jobs, settings.getint("RORI_PARALLEL_RUNS"), settings.getint("RORI_FLEET_MAX_CONCURRENT_REQUESTS"))
        if ledger is None:
            return scenario.Today({}, None, {}, {}, 0, *limits)
        with ledger.connect() as conn:
            return scenario.Today(
                load_states(conn),
                find_global_pause(conn),
                scenario.load_run_costs(conn),
                scenario.load_learnt_delays(conn),
                scenario.count_nodes(conn, self.now()),
                *limits,
            )

    def _list(self, catalog: Catalog, snapshot: QueueSnapshot, form: str) -> None:
        due = snapshot.due(catalog, self.now())
        write_listing([_due_row(position, one, snapshot) for position, one in enumerate(due, 1)], COLUMNS, form)
        if form == "table":
            print_hint(_due_summary(due, len(catalog.sources), snapshot))


def _shown_number(number: float | str) -> str:
    return f"{float(number):,.0f}" if float(number) >= 100 or float(number).is_integer() else f"{float(number):,.2f}"


def _foresight_notes(forecast: Forecast, at_once: int, unknown: Sequence[Source]) -> list[str]:
    """What the second column assumes, and what a person should know of it."""
    basis = "by the last complete runs of each source; failed requests and sites that grow are not foreseen"
    notes = [f"Foreseen for {forecast.days} days with {format_count(at_once, 'run')} at once, {basis}."]
    if unknown:
        named = ", ".join(one.id for one in unknown[:_MOST_NAMED]) + (", ..." if len(unknown) > _MOST_NAMED else "")
        notes.append(f"Left out, since no run of theirs is complete: {format_count(len(unknown), 'source')} ({named}).")
    for group, load in forecast.too_full[:_MOST_NAMED]:
        notes.append(f"{group} cannot be finished: its visits take {load:.1f} times the hours in which it is open.")
    return notes


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
        how = name_program("Resume with: scrapy resume --all")
        return PersonsWords(f"No sources due: {describe_global_pause(snapshot.everything)}. {how}")
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
