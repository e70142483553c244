"""What a collection would do: which URLs, by which tiers, when, about how long it takes, and about what it costs."""

from __future__ import annotations

import signal
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, ClassVar

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import LedgerError, ManifestError
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal.command import ListingCommand, find_sources
from rori_spiders.terminal.listing import Column, write_listing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.nodes.dispatcher import QueueSnapshot
    from rori_spiders.schedule import DueSource


FORECAST_COLUMNS = (
    Column("id", "source"),
    Column("url", "start URL"),
    Column("pages", "pages", right=True),
    Column("tiers", "tiers"),
    Column("browser_pages", "rendered", right=True),
    Column("credits", "credits", right=True),
    Column("delay_s", "every s", right=True),
    Column("minutes", "minutes", right=True),
    Column("start", "starts (UTC)"),
)
_UNKNOWN = "unknown"


def forecast_rows(
    due: Sequence[DueSource], catalog: Catalog, ledger: Ledger | None, tiers: Sequence[str], *, browser_budget: int
) -> Iterator[dict[str, Any]]:
    """One row a source that is due, as its last run went; what only a run can tell is unknown before the first.

    *tiers*: those that can work here. *browser_budget*: of sources that name none.
    """
    from rori_spiders.crawl.preview.run_forecast import forecast_run

    for one in due:
        found = forecast_run(one.source, catalog, ledger, tiers, browser_budget=browser_budget)
        known = {name: _UNKNOWN if value is None else value for name, value in found._asdict().items()}
        yield {
            **known,
            "id": one.source.id,
            "url": one.source.url,
            "tiers": " > ".join(found.tiers) or "none is here",
            "start": one.held_until or "now",
        }


def forecast_totals(rows: Sequence[dict[str, Any]]) -> str:
    """The sums of *rows*, and how many of them are not known yet."""
    parts = []
    for key, words in (("pages", "pages"), ("browser_pages", "rendered by the browser"), ("credits", "credits")):
        known = [row[key] for row in rows if row[key] != _UNKNOWN]
        unknown = len(rows) - len(known)
        parts.append(f"{sum(known)} {words}" + (f" (and of {unknown} unknown)" if unknown else ""))
    return f"In all, as the last runs went: {', '.join(parts)}."


# ``scrapy collect``: everything that is due, in one process, with progress.


class Collect(ListingCommand):
    default_settings: ClassVar[dict[str, Any]] = {}
    _paused = False
    examples = (
        "scrapy collect",
        "scrapy collect --dry-run",
        "scrapy collect --manifest manifests/fthb.json --source cfpb-reg-1002",
        "scrapy collect --force",
    )
    usage = "[--manifest FILE]... [--source ID]... [--force] [--dry-run]"
    summary = "Collect every source that is due"
    description = (
        "Visits the sources that are due, politely, and stages what is new or changed. Ctrl-C stops cleanly; the "
        "next call goes on. Sites under .gov wait for the night in New York; --source and --force do not wait."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--manifest", action="append", default=[], metavar="FILE", help="use this manifest (may be repeated)"
        )
        parser.add_argument(
            "--source", action="append", default=[], metavar="ID", help="collect this source now (may be repeated)"
        )
        parser.add_argument("--force", action="store_true", help="collect what is not due yet, at any hour")
        parser.add_argument(
            "--dry-run", action="store_true", help="only print what would be fetched, how, when, and its cost"
        )
        super().options(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        from rori_spiders.terminal.crawl_runner import quiet_logging_at_terminal

        super().process_options(args, opts)
        assert self.settings is not None
        if opts.manifest:
            self.settings.set("RORI_MANIFEST", ",".join(opts.manifest), priority="cmdline")
        by_hand = bool(opts.source or opts.force)
        self.settings.set("RORI_OPERATOR", "manual" if by_hand else "system", priority="cmdline")
        if opts.dry_run:
            self.settings.set("LOG_ENABLED", False, priority="cmdline")
        quiet_logging_at_terminal(self.settings, log_asked_for=bool(opts.loglevel or opts.logfile))

    def answer(self, opts: argparse.Namespace) -> int:
        try:
            due = self._planned(opts)
        except (LedgerError, ManifestError) as failure:
            if not (opts.dry_run or opts.source or opts.force):  # who typed more is there, and reads it
                self._report_failure(failure)
            raise
        held = [one for one in due if one.held_until is not None]
        if not opts.dry_run and held:
            _print_held(held)
        ready = [one.source.id for one in due if one.held_until is None]
        if opts.dry_run or not ready:
            if not due and not opts.source and not self._paused:
                print("Nothing is due. `scrapy due --explain ID` says why; --force collects all the same.")
            return int(bool(opts.source) and not due)
        return self._run(ready)

    def _report_failure(self, failure: LedgerError | ManifestError) -> None:
        from rori_spiders.operations.alerts import job_failure_alerts

        assert self.settings is not None
        if isinstance(failure, ManifestError):
            job_failure_alerts.report_manifest_refused(self.places, self.settings, failure, now=self.now())
        else:
            job_failure_alerts.report_without_ledger(self.settings, failure, now=self.now())

    def _planned(self, opts: argparse.Namespace) -> list[DueSource]:
        assert self.settings is not None
        timeout_s = self.settings.getfloat("RORI_LEDGER_TIMEOUT")
        with open_existing_ledger(self.places, migrate=not opts.dry_run, timeout_s=timeout_s) as ledger:
            catalog = self.load_catalog(ledger)
            self._check_tiers(catalog)
            due = self._due(catalog, ledger, opts)
            if opts.dry_run:
                self._foretell(due, catalog, ledger, opts.format)
        return due

    def _due(self, catalog: Catalog, ledger: Any, opts: argparse.Namespace) -> list[DueSource]:
        from rori_spiders.nodes.dispatcher import read_queue_snapshot
        from rori_spiders.schedule import blocked_reason, describe_global_pause, plan_due_sources

        now = self.now()
        with ledger.connect() if ledger is not None else nullcontext() as connection:
            snapshot = read_queue_snapshot(connection)
        known, everything = snapshot.states, snapshot.everything
        if opts.source:
            chosen = find_sources(catalog, opts.source)
            for source in chosen:
                if (why := blocked_reason(source, known.get(source.id), everything)) is not None:
                    print(f"{source.id} is not collected: {why}")
            return plan_due_sources(chosen, known, now, rules=catalog.rules, force=True, everything=everything)
        if everything is not None:
            self._paused = True
            print(f"Nothing is collected: {describe_global_pause(everything)}. To go on: scrapy resume --all")
        due = plan_due_sources(
            catalog.sources, known, now, rules=catalog.rules, force=opts.force, everything=everything
        )
        return _without_running(due, snapshot)

    def _check_tiers(self, catalog: Catalog) -> None:
        """As the job itself will: of sources that the ledger has as active, those without a tier fail one by one."""
        from rori_spiders.manifest.tier_selection import check_sources_have_tiers, configured_tiers

        assert self.settings is not None
        named = configured_tiers(self.settings)
        if self.places.manifests:
            check_sources_have_tiers(catalog, named)

    def _foretell(self, due: list[DueSource], catalog: Catalog, ledger: Ledger | None, form: str) -> None:
        from rori_spiders.terminal.tiers import tiers_here

        assert self.settings is not None
        budget = self.settings.getint("RORI_BROWSER_BUDGET")
        rows = list(forecast_rows(due, catalog, ledger, tiers_here(self.settings).order, browser_budget=budget))
        write_listing(rows, FORECAST_COLUMNS, form)
        if form == "table" and rows:
            print(f"\n{forecast_totals(rows)}")

    def _run(self, ids: list[str]) -> int:
        from rori_spiders.terminal.corpus.background_drafts import draft_after_job
        from rori_spiders.terminal.crawl_runner import exit_code, print_summary, run_sources

        assert self.settings is not None
        job = run_sources(self.settings, ids)
        # The crawl is over: a second Ctrl-C may end us while we sum up.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        print_summary(job)
        draft_after_job(job, self.now())
        return exit_code(job)


def _without_running(due: list[DueSource], snapshot: QueueSnapshot) -> list[DueSource]:
    """What no job of the queue has under way. One that waits takes no harm: what is collected before it, it skips."""
    running = {source for job in snapshot.jobs.values() if job.state != "waiting" for source in job.sources}
    taken = [one for one in due if one.source.id in running]
    if taken:
        print(f"{format_count(len(taken), 'source')} left to the jobs of the queue that have them: scrapy due")
    return [one for one in due if one.source.id not in running]


def _print_held(held: list[DueSource]) -> None:
    print(f"{len(held)} sources wait for their hours:")
    for one in held[:10]:
        print(f"  {one.source.id}: until {one.held_until:%Y-%m-%d %H:%M} UTC ({one.hours})")
    if len(held) > 10:
        print(f"  and {len(held) - 10} more: scrapy due")
