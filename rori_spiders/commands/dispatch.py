"""``scrapy dispatch``: puts what is due into the queue that the nodes share; a loop, one round, or some sources now."""

from __future__ import annotations

import signal
import threading
import time
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.utils.log import configure_logging

from rori_spiders.alerts import broken
from rori_spiders.alerts.announcing import HookRounds
from rori_spiders.alerts.beside import LAST_S, Teller
from rori_spiders.exceptions import ManifestError, UsageError
from rori_spiders.fleet import Clock, Dispatcher, queue_now, run
from rori_spiders.inforce import read_in_force
from rori_spiders.ledger.database import BUSY_TIMEOUT_S
from rori_spiders.manifest.configured import configured
from rori_spiders.terminal import dispatched
from rori_spiders.terminal.command import ListingCommand, known_sources
from rori_spiders.terminal.corpus.drafts import Drafts
from rori_spiders.terminal.listing import write_listing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from datetime import datetime

    from rori_spiders.fleet import Round

#: A stop waits for no ledger that somebody else holds; the next round asks again.
_PATIENCE_S = 1.5


class Dispatch(ListingCommand):
    default_settings: ClassVar[dict[str, Any]] = {}
    examples = (
        "scrapy dispatch",
        "scrapy dispatch --once --format json",
        "scrapy dispatch --dry-run",
        "scrapy dispatch --now cfpb-reg-x --now hud-fha",
    )

    def syntax(self) -> str:
        return "[[--once] [--dry-run] | --now ID...] [--format FORM]"

    def short_desc(self) -> str:
        return "Put what is due into the queue that the nodes share"

    def long_desc(self) -> str:
        return (
            "Goes on until it is stopped: each round makes jobs of what is due, one for each group of sites, and keeps "
            "the queue short. Sites under .gov wait for the night in New York. Scrapyd nodes take the jobs; without "
            "nodes, `scrapy collect` does the same work. Several may run at once: no job is made twice."
        )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="one round, for cron: list what it did, and end")
        parser.add_argument(
            "--dry-run", action="store_true", help="list what one round would do, and do nothing; with --once or alone"
        )
        parser.add_argument(
            "--now", action="append", default=[], metavar="ID", help="put this source in front, due or not (repeatable)"
        )
        super().options(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings is not None
        self.settings.set("LOG_ENABLED", not (opts.once or opts.dry_run or opts.now), priority="cmdline")

    def answer(self, opts: argparse.Namespace) -> int:
        if opts.now:
            if opts.once or opts.dry_run:
                raise UsageError(f"--now does not go with --{'once' if opts.once else 'dry-run'}")
            return self._now(opts)
        try:
            return self._rounds(opts)
        except ManifestError as error:
            if not opts.dry_run:
                assert self.settings is not None
                broken.tell_refused(self.places, self.settings, error, now=self.now())
            raise

    def _rounds(self, opts: argparse.Namespace) -> int:
        if opts.once or opts.dry_run:
            now = self.now()
            found = self._dispatcher(dry_run=opts.dry_run).round(now)
            write_listing(dispatched.rows(found), dispatched.COLUMNS, opts.format)
            if opts.format == "table":
                print(dispatched.summary(found, now, dry_run=opts.dry_run))
            if not opts.dry_run:
                self._tell_once(found, now)
            return 0
        if opts.format != "table":
            raise UsageError("--format is for --once, --dry-run and --now; the loop writes a log")
        return self._loop()

    def _dispatcher(self, *, dry_run: bool = False, timeout_s: float = BUSY_TIMEOUT_S) -> Dispatcher:
        assert self.settings is not None
        waiting = self.settings.getint("RORI_DISPATCH_WAITING")
        return Dispatcher(
            self.places, tiers=configured(self.settings), waiting=waiting, dry_run=dry_run, timeout_s=timeout_s
        )

    def _loop(self) -> int:
        assert self.settings is not None
        every = self.settings.getint("RORI_DISPATCH_EVERY")
        configure_logging(self.settings)
        stop = threading.Event()
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, lambda *_: stop.set())
        beside, clock = self._beside(), Clock(self.now, time.monotonic, stop.wait)
        run(self._dispatcher(timeout_s=_PATIENCE_S), clock, every_s=every, after=beside.begin)
        beside.end(_PATIENCE_S)
        return 0

    def _beside(self) -> _Beside:
        assert self.settings is not None
        url = self.places.database_url
        hook = HookRounds(url, self.settings.get("RORI_ON_STAGED"))
        return _Beside(Teller(url, self.settings), hook, Drafts(self.places, self.settings), self.now)

    def _tell_once(self, found: Round, now: datetime) -> None:
        """What is not sent within seconds is tried again later: cron's rounds must not pile up behind a server."""
        configure_logging({"LOG_LEVEL": "WARNING", "LOG_FORMAT": "%(message)s"})
        beside = self._beside()
        beside.begin(found, now)
        beside.end(LAST_S)

    def _now(self, opts: argparse.Namespace) -> int:
        with self._dispatcher().ledger() as ledger:
            assert ledger is not None
            catalog = read_in_force(self.places, ledger)
            chosen = known_sources(catalog, list(dict.fromkeys(opts.now)))
            with ledger.begin() as connection:
                made, refused = queue_now(connection, catalog, chosen, actor=self.person(), now=self.now())
        write_listing(dispatched.rows_now(made, refused), dispatched.COLUMNS, opts.format)
        return int(bool(refused))


class _Beside:
    """What is done beside the rounds: people are told, and the web hook of what is staged; corpora are followed."""

    def __init__(self, teller: Teller, hook: HookRounds, drafts: Drafts, clock: Callable[[], datetime]) -> None:
        self._teller, self._hook, self._drafts, self._clock = teller, hook, drafts, clock

    def begin(self, found: Round, now: datetime) -> None:
        self._hook.begin(self._clock)
        if found.catalog is not None:
            self._teller.begin(found.catalog, now)
            self._drafts.begin(found.catalog, now)

    def end(self, timeout_s: float) -> None:
        """They have so long together."""
        until = time.monotonic() + timeout_s
        self._hook.end(timeout_s)
        for one in (self._teller, self._drafts):
            one.end(max(0.0, until - time.monotonic()))
