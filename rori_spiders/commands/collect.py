"""``scrapy collect``: everything that is due, in one process, with progress."""

from __future__ import annotations

import signal
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, ClassVar

from rori_spiders.alerts import broken, storage
from rori_spiders.exceptions import LedgerError, ManifestError
from rori_spiders.fleet import Outlook, read_outlook
from rori_spiders.inforce import existing_ledger, read_in_force
from rori_spiders.manifest.configured import configured
from rori_spiders.manifest.reach import check_reach
from rori_spiders.schedule import all_paused, hindrance, plan
from rori_spiders.terminal.command import ListingCommand, known_sources
from rori_spiders.terminal.corpus.drafts import follow_here
from rori_spiders.terminal.crawling import exit_code, print_summary, quiet_at_a_terminal, run_sources
from rori_spiders.terminal.forecast import COLUMNS, forecast, in_all
from rori_spiders.terminal.listing import write_listing
from rori_spiders.terminal.tiers import tiers_here
from rori_spiders.wording import counted

if TYPE_CHECKING:
    import argparse

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.schedule import Due


class Collect(ListingCommand):
    default_settings: ClassVar[dict[str, Any]] = {}
    _paused = False
    examples = (
        "scrapy collect",
        "scrapy collect --dry-run",
        "scrapy collect --manifest manifests/fthb.json --source cfpb-reg-1002",
        "scrapy collect --force",
    )

    def syntax(self) -> str:
        return "[--manifest FILE]... [--source ID]... [--force] [--dry-run]"

    def short_desc(self) -> str:
        return "Collect every source that is due"

    def long_desc(self) -> str:
        return (
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
        super().process_options(args, opts)
        assert self.settings is not None
        if opts.manifest:
            self.settings.set("RORI_MANIFEST", ",".join(opts.manifest), priority="cmdline")
        by_hand = bool(opts.source or opts.force)
        self.settings.set("RORI_OPERATOR", "manual" if by_hand else "system", priority="cmdline")
        if opts.dry_run:
            self.settings.set("LOG_ENABLED", False, priority="cmdline")
        quiet_at_a_terminal(self.settings, log_asked_for=bool(opts.loglevel or opts.logfile))

    def answer(self, opts: argparse.Namespace) -> int:
        try:
            due = self._planned(opts)
        except (LedgerError, ManifestError) as failure:
            if not (opts.dry_run or opts.source or opts.force):  # who typed more is there, and reads it
                self._tell(failure)
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

    def _tell(self, failure: LedgerError | ManifestError) -> None:
        assert self.settings is not None
        if isinstance(failure, ManifestError):
            broken.tell_refused(self.places, self.settings, failure, now=self.now())
        else:
            storage.tell_without_ledger(self.settings, failure, now=self.now())

    def _planned(self, opts: argparse.Namespace) -> list[Due]:
        assert self.settings is not None
        timeout_s = self.settings.getfloat("RORI_LEDGER_TIMEOUT")
        with existing_ledger(self.places, migrate=not opts.dry_run, timeout_s=timeout_s) as ledger:
            catalog = read_in_force(self.places, ledger)
            self._check_tiers(catalog)
            due = self._due(catalog, ledger, opts)
            if opts.dry_run:
                self._foretell(due, catalog, ledger, opts.format)
        return due

    def _due(self, catalog: Catalog, ledger: Any, opts: argparse.Namespace) -> list[Due]:
        now = self.now()
        with ledger.connect() if ledger is not None else nullcontext() as connection:
            outlook = read_outlook(connection)
        known, everything = outlook.states, outlook.everything
        if opts.source:
            chosen = known_sources(catalog, opts.source)
            for source in chosen:
                if (why := hindrance(source, known.get(source.id), everything)) is not None:
                    print(f"{source.id} is not collected: {why}")
            return plan(chosen, known, now, rules=catalog.rules, force=True, everything=everything)
        if everything is not None:
            self._paused = True
            print(f"Nothing is collected: {all_paused(everything)}. To go on: scrapy resume --all")
        due = plan(catalog.sources, known, now, rules=catalog.rules, force=opts.force, everything=everything)
        return _without_running(due, outlook)

    def _check_tiers(self, catalog: Catalog) -> None:
        """As the job itself will: of sources that the ledger has as active, those without a tier fail one by one."""
        assert self.settings is not None
        named = configured(self.settings)
        if self.places.manifests:
            check_reach(catalog, named)

    def _foretell(self, due: list[Due], catalog: Catalog, ledger: Ledger | None, form: str) -> None:
        assert self.settings is not None
        budget = self.settings.getint("RORI_BROWSER_BUDGET")
        rows = list(forecast(due, catalog, ledger, tiers_here(self.settings).order, browser_budget=budget))
        write_listing(rows, COLUMNS, form)
        if form == "table" and rows:
            print(f"\n{in_all(rows)}")

    def _run(self, ids: list[str]) -> int:
        assert self.settings is not None
        job = run_sources(self.settings, ids)
        # The crawl is over: a second Ctrl-C may end us while we sum up.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        print_summary(job)
        follow_here(job, self.now())
        return exit_code(job)


def _without_running(due: list[Due], outlook: Outlook) -> list[Due]:
    """What no job of the queue has under way. One that waits takes no harm: what is collected before it, it skips."""
    running = {source for job in outlook.jobs.values() if job.state != "waiting" for source in job.sources}
    taken = [one for one in due if one.source.id in running]
    if taken:
        print(f"{counted(len(taken), 'source')} left to the jobs of the queue that have them: scrapy due")
    return [one for one in due if one.source.id not in running]


def _print_held(held: list[Due]) -> None:
    print(f"{len(held)} sources wait for their hours:")
    for one in held[:10]:
        print(f"  {one.source.id}: until {one.held_until:%Y-%m-%d %H:%M} UTC ({one.hours})")
    if len(held) > 10:
        print(f"  and {len(held) - 10} more: scrapy due")
