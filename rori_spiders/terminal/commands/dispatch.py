"""``scrapy dispatch``: queue due sources for the nodes; a loop, one round, or chosen sources first."""

from __future__ import annotations

import signal
import threading
import time
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.utils.log import configure_logging

from rori_spiders.exceptions import ManifestError, UsageError
from rori_spiders.ledger.database import BUSY_TIMEOUT_S
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal.command import ListingCommand, find_sources
from rori_spiders.terminal.listing import Column, write_listing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime

    from rori_spiders.nodes.dispatcher import Dispatcher, DispatchRound, EnqueuedJob
    from rori_spiders.operations.alerts.alert_dispatcher import AlertDispatcher
    from rori_spiders.operations.alerts.webhook_alerts import WebhookDispatcher
    from rori_spiders.terminal.corpus.background_drafts import DraftDispatcher


_COLOURS = (("queued", "green"), ("held", "yellow"), ("refused", "red"))
DISPATCH_COLUMNS = (
    Column("id", "source"),
    Column("what", "what", colours=_COLOURS),
    Column("job", "job"),
    Column("group", "group"),
    Column("until", "until (UTC)"),
    Column("why", "why"),
    Column("priority"),
)


def dispatch_rows(found: DispatchRound) -> Iterator[dict[str, Any]]:
    """One row per source: ``queued``, ``held`` until its crawl window, or left for ``later``."""
    yield from _queued_rows(found.queued)
    for due in found.held:
        yield {"id": due.source.id, "what": "held", "until": due.held_until, "why": due.hours}
    for due, why in found.later:
        yield {"id": due.source.id, "what": "later", "why": why}


def enqueued_rows(made: Iterable[EnqueuedJob], refused: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """One row per prioritized source: ``queued`` or ``refused``."""
    yield from _queued_rows(made)
    for source_id, why in refused.items():
        yield {"id": source_id, "what": "refused", "why": why}


def _queued_rows(made: Iterable[EnqueuedJob]) -> Iterator[dict[str, Any]]:
    for one in made:
        planned = one.planned
        same = {"what": "queued", "job": one.job_id, "group": planned.group, "priority": planned.priority}
        for source in planned.sources:
            yield {"id": source.id, **same}


def dispatch_summary(found: DispatchRound, now: datetime, *, dry_run: bool) -> str:
    """``Queued 3 jobs with 12 sources. 5 waiting for the crawl window.``"""
    sources = sum(len(one.planned.sources) for one in found.queued)
    did = "Would queue" if dry_run else "Queued"
    lines = [f"{did} {format_count(len(found.queued), 'job')} with {format_count(sources, 'source')}."]
    if found.held:
        lines.append(f"{len(found.held)} waiting for the crawl window.")
    if found.later:
        lines.append(f"{len(found.later)} left for a later round.")
    if found.snapshot.queued:
        lines.append(f"{len(found.snapshot.queued)} already queued or running.")
    if found.snapshot.everything is not None:
        lines.append("All sources are paused. Resume with: scrapy resume --all")
    if (since := found.waits_since(now)) is not None:
        lines.append(
            f"Jobs have been queued since {since:%Y-%m-%d %H:%M} UTC and none is running: "
            "check that a node is up (docs/how-to/nodes.md)."
        )
    return " ".join(lines)


#: How long a shutdown waits for a ledger that another process has locked; the next start retries.
_SHUTDOWN_TIMEOUT_S = 1.5


class Dispatch(ListingCommand):
    default_settings: ClassVar[dict[str, Any]] = {}
    examples = (
        "scrapy dispatch",
        "scrapy dispatch --once --format json",
        "scrapy dispatch --dry-run",
        "scrapy dispatch --prioritize cfpb-reg-x --prioritize hud-fha",
    )
    usage = "[[--once] [--dry-run] | --prioritize ID...] [--format FORM]"
    summary = "Queue due sources for the nodes"
    description = (
        "Runs until stopped. Each round queues one job per group of sites with due sources and keeps the queue "
        "short. .gov sites wait for their crawl window (02:00 to 06:00 in New York). Scrapyd nodes run the jobs; "
        "without nodes, use `scrapy collect`. Safe to run concurrently; jobs are never duplicated."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--once", action="store_true", help="run one round, list what it queued, and exit (for cron)"
        )
        parser.add_argument("--dry-run", action="store_true", help="list what one round would queue, and queue nothing")
        parser.add_argument(
            "--prioritize",
            action="append",
            default=[],
            metavar="ID",
            help="queue this source first, regardless of schedule (repeatable)",
        )
        super().options(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        self.settings.set("LOG_ENABLED", not (opts.once or opts.dry_run or opts.prioritize), priority="cmdline")

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.operations.alerts import job_failure_alerts

        if opts.prioritize:
            if opts.once or opts.dry_run:
                raise UsageError(f"--prioritize cannot be combined with --{'once' if opts.once else 'dry-run'}")
            return self._prioritize(opts)
        try:
            return self._rounds(opts)
        except ManifestError as error:
            if not opts.dry_run:
                job_failure_alerts.report_manifest_refused(self.places, self.settings, error, now=self.now())
            raise

    def _rounds(self, opts: argparse.Namespace) -> int:
        if opts.once or opts.dry_run:
            now = self.now()
            found = self._dispatcher(dry_run=opts.dry_run).round(now)
            write_listing(dispatch_rows(found), DISPATCH_COLUMNS, opts.format)
            if opts.format == "table":
                print(dispatch_summary(found, now, dry_run=opts.dry_run))
            if not opts.dry_run:
                self._report_round(found, now)
            return 0
        if opts.format != "table":
            raise UsageError(
                "--format needs --once, --dry-run or --prioritize; without them dispatch runs on and writes a log"
            )
        return self._loop()

    def _dispatcher(self, *, dry_run: bool = False, timeout_s: float = BUSY_TIMEOUT_S) -> Dispatcher:
        from rori_spiders.manifest.tier_selection import configured_tiers
        from rori_spiders.nodes.dispatcher import Dispatcher

        waiting = self.settings.getint("RORI_DISPATCH_MAX_QUEUED")
        return Dispatcher(
            self.places, tiers=configured_tiers(self.settings), waiting=waiting, dry_run=dry_run, timeout_s=timeout_s
        )

    def _loop(self) -> int:
        from rori_spiders.crawl.scrapy_internals.engine import install_log_format
        from rori_spiders.nodes.dispatcher import Clock, run_dispatcher

        every = self.settings.getint("RORI_DISPATCH_INTERVAL")
        install_log_format(self.settings)
        configure_logging(self.settings)
        stop = threading.Event()
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, lambda *_: stop.set())
        between_rounds, clock = self._background_work(), Clock(self.now, time.monotonic, stop.wait)
        run_dispatcher(
            self._dispatcher(timeout_s=_SHUTDOWN_TIMEOUT_S), clock, every_s=every, after=between_rounds.begin
        )
        between_rounds.end(_SHUTDOWN_TIMEOUT_S)
        return 0

    def _background_work(self) -> _BackgroundWork:
        from rori_spiders.operations.alerts.alert_dispatcher import AlertDispatcher
        from rori_spiders.operations.alerts.webhook_alerts import WebhookDispatcher
        from rori_spiders.terminal.corpus.background_drafts import DraftDispatcher

        url = self.places.database_url
        hook = WebhookDispatcher(url, self.settings.get("RORI_WEBHOOK_URL"))
        return _BackgroundWork(
            AlertDispatcher(url, self.settings), hook, DraftDispatcher(self.places, self.settings), self.now
        )

    def _report_round(self, found: DispatchRound, now: datetime) -> None:
        """Send alerts for some seconds; unsent ones are retried later, so that cron's rounds do not pile up."""
        from rori_spiders.operations.alerts.alert_dispatcher import SHUTDOWN_WAIT_S

        configure_logging({"LOG_LEVEL": "WARNING", "LOG_FORMAT": "%(message)s"})
        between_rounds = self._background_work()
        between_rounds.begin(found, now)
        between_rounds.end(SHUTDOWN_WAIT_S)

    def _prioritize(self, opts: argparse.Namespace) -> int:
        from rori_spiders.nodes.dispatcher import enqueue_now

        with self._dispatcher().ledger() as ledger:
            assert ledger is not None
            catalog = self.load_catalog(ledger)
            chosen = find_sources(catalog, list(dict.fromkeys(opts.prioritize)))
            with ledger.begin() as connection:
                made, refused = enqueue_now(connection, catalog, chosen, actor=self.person(), now=self.now())
        write_listing(enqueued_rows(made, refused), DISPATCH_COLUMNS, opts.format)
        return int(bool(refused))


class _BackgroundWork:
    """Work between the rounds: send alerts, call the webhook, draft corpora."""

    def __init__(
        self,
        alert_dispatcher: AlertDispatcher,
        hook: WebhookDispatcher,
        drafts: DraftDispatcher,
        clock: Callable[[], datetime],
    ) -> None:
        self._alert_dispatcher, self._hook, self._drafts, self._clock = alert_dispatcher, hook, drafts, clock

    def begin(self, found: DispatchRound, now: datetime) -> None:
        self._hook.begin(self._clock)
        if found.catalog is not None:
            self._alert_dispatcher.begin(found.catalog, now)
            self._drafts.begin(found.catalog, now)

    def end(self, timeout_s: float) -> None:
        """Stop all three within *timeout_s* together."""
        until = time.monotonic() + timeout_s
        self._hook.end(timeout_s)
        for one in (self._alert_dispatcher, self._drafts):
            one.end(max(0.0, until - time.monotonic()))
