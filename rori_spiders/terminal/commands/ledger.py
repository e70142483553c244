"""``scrapy ledger``: upgrade the database schema, compact what it keeps of old runs, back it up and restore it."""

from __future__ import annotations

import argparse
import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import ActionRefused
from rori_spiders.ledger.database import open_ledger, upgrade_ledger
from rori_spiders.ledger.database_url import parse_database_url
from rori_spiders.runtime.plurals import format_count
from rori_spiders.runtime.redacted_output import write_progress_line
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.command import RoriCommand, Subcommands
from rori_spiders.terminal.listing import print_hint

if TYPE_CHECKING:
    from rori_spiders.staging.transfer import CopyResult
    from rori_spiders.staging.verification.verify import VerificationReport

#: Runs of so long ago are no longer looked at URL by URL.
_KEPT_DAYS = 90


class Ledger(RoriCommand):
    examples = (
        "scrapy ledger upgrade",
        "scrapy ledger compact --keep-days 30",
        "scrapy ledger backup /backup/$(date +%F)",
        "scrapy ledger restore /backup/2026-11-27",
        "scrapy ledger restore /backup/2026-11-27 -s RORI_DATABASE_URL=/tmp/try.db -s RORI_STAGING=/tmp/try",
    )
    usage = (
        "upgrade | compact [--keep-days N] | backup FOLDER [--ledger-only] | restore FOLDER [--ledger-only] [--replace]"
    )
    summary = "Upgrade the ledger database, compact it, back it up and restore it"
    description = (
        "The first job that opens an SQLite ledger upgrades it. A PostgreSQL ledger is upgraded only by this "
        "command, because jobs on several machines may use it: stop all jobs and make a backup first. `compact` "
        "removes no proof: audit rows, versions, envelopes and objects stay. `backup` may run while jobs write."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Subcommands(parser)
        verbs.add("upgrade", "create missing tables and migrate old ones; does nothing if up to date")
        compact = verbs.add("compact", "remove redundant rows of unchanged pages from old runs, and shrink the file")
        compact.add_argument(
            "--keep-days",
            metavar="N",
            type=_parse_days,
            default=_KEPT_DAYS,
            help=f"skip runs that ended in the last N days (default: {_KEPT_DAYS})",
        )

        backup = verbs.add("backup", "copy the ledger and its staged files to a new folder, and verify the copy")
        restore = verbs.add("restore", "restore a backup to the configured locations, and verify it")
        for verb in (backup, restore):
            verb.add_argument("folder", metavar="FOLDER", type=Path, help="folder of the backup")
            verb.add_argument("--ledger-only", action="store_true", help="the ledger only, without the staged files")
        backup.add_argument("--format", choices=("table", "json"), default="table", help="table (default) or json")
        restore.add_argument("--replace", action="store_true", help="move an existing SQLite ledger aside, renamed")

    def answer(self, opts: argparse.Namespace) -> int:
        if opts.verb == "backup":
            return self._backup(opts.folder.absolute(), ledger_only=opts.ledger_only, form=opts.format)
        if opts.verb == "restore":
            return self._restore(opts.folder.absolute(), ledger_only=opts.ledger_only, replace=opts.replace)
        return self._compact(opts.keep_days) if opts.verb == "compact" else self._upgrade()

    def _backup(self, folder: Path, *, ledger_only: bool, form: str) -> int:
        from rori_spiders.operations.backup import make_backup

        if not self.places.has_ledger:
            raise ActionRefused("nothing collected yet: run `scrapy collect`")
        store = None if ledger_only else open_store(self.places.staging)
        place = parse_database_url(self.places.database_url)
        made = make_backup(place, store, folder, now=self.now(), report=write_progress_line)
        write_progress_line("")
        damaged = [name for one in made.copied for name in one.damaged]
        if form == "json":
            print(made.description.model_dump_json(indent=2))
            sys.stdout.flush()
        out = sys.stderr if form == "json" else sys.stdout
        copied = ", ".join(_count_files(one) for one in made.copied if one.copied)
        print(f"Backed up the ledger at {place} to {folder}: {_describe_rows(made.description.rows)}.", file=out)
        print(f"Staged files: {'left out' if ledger_only else copied or 'none'}.", file=out)
        for digest in damaged:
            print_hint(f"Not copied because it is damaged: {digest}. `scrapy verify` lists its pages.", file=out)
        return max(_print_verified(made.report, "The copy was opened and verified", out), 1 if damaged else 0)

    def _restore(self, folder: Path, *, ledger_only: bool, replace: bool) -> int:
        from rori_spiders.operations.backup import restore_backup

        store = None if ledger_only else open_store(self.places.staging)
        place = parse_database_url(self.places.database_url)
        description, moved, report = restore_backup(
            folder, place, store, replace=replace, now=self.now(), report=write_progress_line
        )
        write_progress_line("")
        if moved is not None:
            print(f"The ledger that was there is now {moved}.")
        print(
            f"Restored the ledger of {description.made_at:%Y-%m-%d %H:%M} UTC to {place}: "
            f"{_describe_rows(description.rows)}, as counted when it was made."
        )
        if ledger_only:
            print_hint(
                "The staged files were left out. Run `scrapy verify --repair`: files staged later have no rows in it."
            )
        return _print_verified(report, "The restored ledger was opened and verified", sys.stdout)

    def _upgrade(self) -> int:
        before, now = upgrade_ledger(self.places.database_url)
        where = self.places.shown_ledger
        if before == now:
            print(f"The ledger at {where} is up to date (version {now}).")
        else:
            print(f"Upgraded the ledger at {where} to version {now} (before: {before or 'no tables'}).")
        return 0

    def _compact(self, keep_days: int) -> int:
        from rori_spiders.ledger.pages import compaction

        with open_existing_ledger(self.places) as there:
            if there is None:
                print_hint("Nothing collected yet: run `scrapy collect`.", file=sys.stderr)
                return 0
        with open_ledger(self.places.database_url) as ledger:
            ledger.analyze()  # planned without statistics, it takes twenty times as long
        with open_ledger(self.places.database_url) as ledger:
            with ledger.connect() as conn:
                found = compaction.list_compactable(conn, before=self.now() - timedelta(days=keep_days))
            pages = 0
            for run_id in found:
                with ledger.begin() as conn:
                    pages += compaction.compact_run(conn, run_id)
            ledger.vacuum()
        print(f"Compacted {format_count(pages, 'page')} that had not changed, in {format_count(len(found), 'run')}.")
        return 0


def _describe_rows(rows: dict[str, int]) -> str:
    return f"{format_count(sum(rows.values()), 'row')} in {format_count(len(rows), 'table')}"


def _count_files(one: CopyResult) -> str:
    """``12 objects``, ``1 summary``: *what* of a copy is a plural."""
    if one.copied != 1:
        return f"{one.copied:,} {one.what}"
    return f"1 {one.what.removesuffix('ies')}y" if one.what.endswith("ies") else f"1 {one.what.removesuffix('s')}"


def _print_verified(report: VerificationReport | None, what: str, out: TextIO) -> int:
    """What a verification found; 1 where that is more than a recovery repairs."""
    if report is None:
        print_hint(
            "Only the ledger's own file was checked. `scrapy verify` compares it with the staged files.", file=out
        )
        return 0
    left = [one for one in report.findings if not one.repairable]
    for finding in report.mended:
        print(f"Repaired: {finding}", file=out)
    for finding in left:
        print(f"Problem: {finding}", file=out)
    found = format_count(len(left), "problem") if left else "everything agrees"
    writes = len(report.findings) - len(left)
    more = f" Running jobs left {format_count(writes, 'write')} half done, which a restore finishes." if writes else ""
    print(f"{what}: {found}.{more}", file=out)
    return 1 if left else 0


def _parse_days(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a number of days, not {text!r}")
    return int(text)
