"""``scrapy collect``: collect due sources in one process; forecast pages, time and cost with ``--dry-run``."""

from __future__ import annotations

import signal
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, ClassVar

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import LedgerError, ManifestError
from rori_spiders.runtime.plurals import format_count
from rori_spiders.runtime.redacted_output import name_program
from rori_spiders.terminal.command import ListingCommand, find_sources
from rori_spiders.terminal.listing import Column, print_hint, write_listing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.schedule import DueSource
    from rori_spiders.workers.pool import WorkPool


FORECAST_COLUMNS = (
    Column("id", "source"),
    Column("url", "start URL", width=50),
    Column("bound", "bound", width=50),
    Column("pages", "pages", right=True),
    Column("tiers", "tiers"),
    Column("browser_pages", "rendered", right=True),
    Column("credits", "credits", right=True),
    Column("delay_s", "every s", right=True),
    Column("minutes"),
    Column("time", "time", right=True),
    Column("max_pages"),
    Column("start", "starts (UTC)"),
    Column("warning"),
)
_MAX_WARNINGS_SHOWN = 20
_UNKNOWN = "unknown"


def forecast_rows(
    due: Sequence[DueSource],
    catalog: Catalog,
    ledger: Ledger | None,
    tiers: Sequence[str],
    *,
    browser_budget: int,
    max_pages: int,
) -> Iterator[dict[str, Any]]:
    """One forecast row per due source, based on its last run; values are unknown before the first run.

    *tiers*: those available here. *browser_budget*, *max_pages*: defaults for sources that set none.
    """
    from rori_spiders.crawl.preview.run_forecast import estimate_crawl, forecast_run

    for one in due:
        found = forecast_run(one.source, catalog, ledger, tiers, browser_budget=browser_budget)
        known = {name: _UNKNOWN if value is None else value for name, value in found._asdict().items()}
        estimate = estimate_crawl(one.source, catalog, max_pages=max_pages, pages=found.pages)
        yield {
            **known,
            "bound": estimate.bound,
            "max_pages": estimate.max_pages,
            "time": estimate.expected_time,
            "warning": estimate.warning,
            "id": one.source.id,
            "url": one.source.url,
            "tiers": " > ".join(found.tiers) or "none available",
            "start": one.held_until or "now",
        }


def forecast_totals(rows: Sequence[dict[str, Any]]) -> str:
    """The sums of *rows*, and how many rows are still unknown."""
    parts = []
    for key, words in (("pages", "pages"), ("browser_pages", "rendered by the browser"), ("credits", "credits")):
        known = [row[key] for row in rows if row[key] != _UNKNOWN]
        unknown = len(rows) - len(known)
        parts.append(f"{sum(known)} {words}" + (f" ({format_count(unknown, 'source')} unknown)" if unknown else ""))
    return f"Total, estimated from the last runs: {', '.join(parts)}."


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
    summary = "Collect all due sources"
    description = (
        "Crawls the due sources within their politeness limits and stages new and changed pages. Ctrl-C stops "
        "cleanly; the next call resumes. .gov sites wait for their crawl window (02:00 to 06:00 in New York); "
        "--source and --force do not wait."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--manifest", action="append", default=[], metavar="FILE", help="use this manifest (repeatable)"
        )
        parser.add_argument(
            "--source", action="append", default=[], metavar="ID", help="collect this source now (repeatable)"
        )
        parser.add_argument("--force", action="store_true", help="collect sources that are not due, at any hour")
        parser.add_argument(
            "--dry-run", action="store_true", help="print URLs, tiers, start times and estimated cost; fetch nothing"
        )
        super().options(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        from rori_spiders.extensions.progress import quiet_logging_at_terminal

        super().process_options(args, opts)
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
        ready = [one for one in due if one.held_until is None]
        if opts.dry_run or not ready:
            if not due and not opts.source and not self._paused:
                print_hint("No sources due. `scrapy due --explain ID` shows why; --force collects them anyway.")
            return int(bool(opts.source) and not due)
        return self._run(ready)

    def _report_failure(self, failure: LedgerError | ManifestError) -> None:
        from rori_spiders.operations.alerts import job_failure_alerts

        if isinstance(failure, ManifestError):
            job_failure_alerts.report_manifest_refused(self.places, self.settings, failure, now=self.now())
        else:
            job_failure_alerts.report_without_ledger(self.settings, failure, now=self.now())

    def _planned(self, opts: argparse.Namespace) -> list[DueSource]:
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
                    print(f"{source.id} skipped: {why}")
            return plan_due_sources(chosen, known, now, rules=catalog.rules, force=True, everything=everything)
        if everything is not None:
            self._paused = True
            how = name_program("Resume with: scrapy resume --all")
            print(f"Collection is paused: {describe_global_pause(everything)}. {how}")
        due = plan_due_sources(
            catalog.sources, known, now, rules=catalog.rules, force=opts.force, everything=everything
        )
        # The due sources that no job is running. A waiting job may keep its sources: it skips those collected before.
        running = {source for job in snapshot.jobs.values() if job.state != "waiting" for source in job.sources}
        taken = [one for one in due if one.source.id in running]
        if taken:
            print_hint(f"{format_count(len(taken), 'source')} skipped: already in a running job. Details: scrapy due")
        return [one for one in due if one.source.id not in running]

    def _check_tiers(self, catalog: Catalog) -> None:
        """Refuse manifest files with sources that no tier can fetch, as the job does; activated ones fail later."""
        from rori_spiders.manifest.tier_selection import check_sources_have_tiers, configured_tiers

        named = configured_tiers(self.settings)
        if self.places.manifests:
            check_sources_have_tiers(catalog, named)

    def _foretell(self, due: list[DueSource], catalog: Catalog, ledger: Ledger | None, form: str) -> None:
        from rori_spiders.terminal.tiers import tiers_here

        rows = list(
            forecast_rows(
                due,
                catalog,
                ledger,
                tiers_here(self.settings).order,
                browser_budget=self.settings.getint("RORI_BROWSER_BUDGET"),
                max_pages=self.settings.getint("RORI_MAX_PAGES"),
            )
        )
        write_listing(rows, FORECAST_COLUMNS, form)
        if form == "table" and rows:
            print(f"\n{forecast_totals(rows)}")
            warnings = [f"warning: {row['id']}: {row['warning']}" for row in rows if row["warning"]]
            print(*warnings[:_MAX_WARNINGS_SHOWN], sep="\n", end="\n" * bool(warnings))
            if len(warnings) > _MAX_WARNINGS_SHOWN:
                print(f"and {len(warnings) - _MAX_WARNINGS_SHOWN} more: --format json")

    def _run(self, ready: list[DueSource]) -> int:
        workers = self._start_workers() if any(one.due_at is None for one in ready) else None
        from rori_spiders.terminal.corpus.background_drafts import draft_after_job
        from rori_spiders.terminal.crawl_runner import exit_code, print_summary, run_sources

        try:
            job = run_sources(self.settings, [one.source.id for one in ready], workers=workers)
        finally:
            if workers is not None:
                workers.close()
        # The crawl is over: a second Ctrl-C may end us while we sum up.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        print_summary(job)
        draft_after_job(job, self.now())
        return exit_code(job)

    def _start_workers(self) -> WorkPool:
        """Begin to start those of the job, which the pages of a source that was never checked need at once.

        They take half a second of one core, in which another loads what a crawl needs and opens its ledger.
        """
        from rori_spiders.runtime.malloc import use_one_malloc_arena
        from rori_spiders.workers.pool import WorkPool

        use_one_malloc_arena()  # before the first thread
        workers = WorkPool.from_settings(self.settings)
        workers.warm_up()
        return workers


def _print_held(held: list[DueSource]) -> None:
    print(f"{format_count(len(held), 'source')} waiting for the crawl window:")
    for one in held[:10]:
        print(f"  {one.source.id}: until {one.held_until:%Y-%m-%d %H:%M} UTC ({one.hours})")
    if len(held) > 10:
        print_hint(f"  and {len(held) - 10} more: scrapy due")
