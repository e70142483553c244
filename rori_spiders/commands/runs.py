"""``scrapy runs``: the runs that were started last, or all about one; what one holds is accepted here."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

from rori_spiders.acceptance import By, Desk
from rori_spiders.exceptions import UsageError
from rori_spiders.inforce import existing_ledger, read_in_force
from rori_spiders.ledger import frontier, holds, runs
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.tables.runs import URL_STATES
from rori_spiders.pool import WorkPool
from rori_spiders.schedule import percent_done
from rori_spiders.standing import outcome
from rori_spiders.stores import open_store
from rori_spiders.terminal import accepting
from rori_spiders.terminal.command import ListingCommand, at_least_one
from rori_spiders.terminal.diff_sections import lines_of_run
from rori_spiders.terminal.listing import Column, harmless, write_details, write_listing
from rori_spiders.terminal.summaries import document_of, lines_of_summary

if TYPE_CHECKING:
    import argparse

    from sqlalchemy import Connection

    from rori_spiders.ledger.runs import RunRow

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
    Column("pending", "waiting", right=True),
    Column("done_percent", "done %", right=True),
    Column("reason", "why"),
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
)
#: How many reasons and URLs a person reads at a glance; `scrapy audit` has all.
_MOST_SHOWN = 20


class Runs(ListingCommand):
    examples = (
        "scrapy runs",
        "scrapy runs cfpb-reg-x                                  of one source",
        "scrapy runs 0d1c7a52-5a6f-4e8e-9d0a-6a1f0c8e8c11        all about one",
        'scrapy runs accept 0d1c7a52-5a6f-4e8e-9d0a-6a1f0c8e8c11 --reason "the chapter was split in two"',
    )

    def syntax(self) -> str:
        return "[ID] [--limit N] [--format FORM] | accept RUN --reason TEXT [--url URL]"

    def short_desc(self) -> str:
        return "List the last runs, tell all about one, or accept what one holds"

    def long_desc(self) -> str:
        return (
            "ID is a run's, or a source's for the runs of that source. A run's pages are the sum of captured, "
            "unchanged, excluded, failed, gone, and those that still wait. A page that lost more than half of its text "
            "is held (`suspect`); `accept` stages it as it was fetched then, and keeps who accepted it, when and why. "
            "Pages that are not there any more are held where too many would go at once; `accept` takes them for gone. "
            "A run with under half of its source's usual pages is `suspect`; `accept` takes its count as usual."
        )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("id", nargs="?", metavar="ID", help="a run, or a source; or the word `accept`")
        parser.add_argument("run", nargs="?", metavar="RUN", help="accept: the run whose held pages are accepted")
        parser.add_argument("--reason", metavar="TEXT", help="accept: why; kept in the ledger, with your name")
        parser.add_argument("--url", metavar="URL", help="accept: only this page (default: all that the run holds)")
        parser.add_argument("--limit", metavar="N", type=at_least_one, default=20, help="the newest N (default: 20)")
        super().options(parser)

    def answer(self, opts: argparse.Namespace) -> int:
        if opts.id == "accept":
            return self._accept(opts)
        for name in ("run", "reason", "url"):
            if (given := getattr(opts, name)) is not None:
                raise UsageError(f"{given!r} belongs to `scrapy runs accept RUN --reason TEXT [--url URL]`")
        with existing_ledger(self.places) as ledger:
            if ledger is None:
                return self._list(None, [], opts)
            with ledger.connect() as connection:
                one = _run(connection, opts.id)
                if one is None:
                    return self._list(connection, _recent(connection, opts), opts)
                return _tell(connection, one, opts.format)

    def _accept(self, opts: argparse.Namespace) -> int:
        with existing_ledger(self.places) as ledger:
            if ledger is None:
                raise UsageError("nothing was collected yet, so no run holds a page")
            with ledger.connect() as connection:
                if _run(connection, opts.run) is None:
                    said = f"no run {opts.run!r}" if opts.run else "which run? `scrapy runs accept RUN --reason TEXT`"
                    raise UsageError(f"{said}. {accepting.held_elsewhere(connection)}")
                urls = accepting.chosen(connection, opts.run, opts.url)
            if not (opts.reason or "").strip():
                raise UsageError("--reason is missing: whoever reads the audit must be able to see why it was accepted")
            catalog = read_in_force(self.places, ledger)
        store, settings = open_store(self.places.staging), self.settings
        assert settings is not None
        store.check_writable()
        pool = WorkPool(settings.getint("RORI_CONVERT_WORKERS"), settings.getfloat("RORI_CONVERT_TIMEOUT"))
        with closing(open_ledger(self.places.database_url)) as ledger:
            desk = Desk(ledger, store, catalog, pool, settings.get("RORI_ENVIRONMENT"), self.now)
            return accepting.accept(
                desk, opts.run, urls, By(self.person(), opts.reason.strip()), whole=opts.url is None
            )

    def _list(self, connection: Connection | None, found: list[RunRow], opts: argparse.Namespace) -> int:
        write_listing(map(_row, found), COLUMNS, opts.format)
        if opts.format != "table":
            return 0
        if connection is None or not found:
            print("Nothing collected yet: run `scrapy collect`.")
            return 0
        for at, line in enumerate(accepting.lines_of_runs(connection, {run.run_id for run in found})):
            print(line if at else f"\n{line}")
        return 0


def _run(connection: Connection, run_id: str | None) -> RunRow | None:
    try:
        return runs.run(connection, run_id) if run_id else None
    except KeyError:
        return None


def _recent(connection: Connection, opts: argparse.Namespace) -> list[RunRow]:
    found = runs.recent(connection, opts.id, opts.limit)
    if opts.id and not found:
        raise UsageError(f"no run, and no run of a source, is known as {opts.id!r}; `scrapy runs` lists the last ones")
    return found


def _row(run: RunRow, counts: dict[str, int] | None = None) -> dict[str, Any]:
    known = {column.key: getattr(run, column.key, None) for column in COLUMNS}
    found = counts or run.counts or {}
    return {**known, **found, "done_percent": percent_done(found)}


def _tell(connection: Connection, run: RunRow, form: str) -> int:
    # Counted now: the numbers in the row are of the last time that a job left the run.
    counts = {**(run.counts or {}), **runs.counts(connection, run.run_id)}
    if form != "table":
        held, summary = holds.urls_held(connection, run.run_id), document_of(connection, run.run_id)
        write_details([*_row(run, counts).items(), ("held", held), ("summary", summary)], form)
        return 0
    write_details(
        [
            ("Run", run.run_id),
            ("Source", run.source_id),
            ("Method", run.method),
            ("Manifest version", run.manifest_version),
            ("Outcome", outcome(run)),
            ("Started", run.started_at),
            ("Resumed", run.resumed_at),
            ("Ended", run.finished_at),
            ("Started by", "a person" if run.operator == "manual" else "a schedule"),
            ("Job", run.job_id),
            ("Pages", _sum(counts)),
            ("Done", f"{percent_done(counts)} % of the pages known so far" if counts["pending"] else None),
            ("Seconds", round(run.seconds)),
            ("Requests", run.requests),
            ("Credits", run.credits),
        ]
    )
    for at, line in enumerate(lines_of_run(connection, run.run_id)):
        print(line if at else f"\nWhat changed:\n{line}")
    for at, line in enumerate(lines_of_summary(connection, run.run_id)):
        print(line if at else f"\n{line}")
    _tell_urls(connection, run)
    for at, line in enumerate(accepting.lines_of_held(connection, run.run_id)):
        print(line if at else f"\n{line}")
    return 0


def _sum(counts: dict[str, int]) -> str:
    parts = [f"{counts[state]} {state}" for state in URL_STATES if counts.get(state)]
    return f"{counts['discovered']} discovered = {' + '.join(parts)}" if parts else "none yet"


def _tell_urls(connection: Connection, run: RunRow) -> None:
    urls = [one for one in frontier.urls(connection, run.run_id) if one.kind == "page"]
    reasons = Counter((one.state, one.reason or "") for one in urls if one.state in {"excluded", "failed", "gone"})
    if reasons:
        print("\nWhy pages were not captured:")
        for (state, reason), number in reasons.most_common(_MOST_SHOWN):
            print(f"  {number:>5}  {state}: {harmless(reason)}")
    held = set(holds.urls_held(connection, run.run_id))  # told below, with what to do
    failed = [one for one in urls if one.state == "failed" and one.url not in held]
    for one in failed[:_MOST_SHOWN]:
        print(f"  {harmless(one.url)}  {harmless(one.reason or '')}")
    if len(failed) > _MOST_SHOWN:
        print(f"  and {len(failed) - _MOST_SHOWN} more: scrapy audit --source {run.source_id} --status failed")
    if waiting := sum(one.state == "pending" for one in urls):
        print(f"\n{waiting} pages still wait. To go on: scrapy collect --source {run.source_id}")
