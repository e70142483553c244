"""``scrapy export``: hand evidence to others, in formats that their programs open."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path

from scrapy.utils.conf import closest_scrapy_cfg

from rori_spiders.configuration.locations import evidence_key_file
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.tables.runs import FINAL_URL_STATES
from rori_spiders.runtime.plurals import format_count
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.command import RoriCommand, Subcommands, add_period_options, parse_page_url
from rori_spiders.terminal.commands.changes import add_change_filters
from rori_spiders.terminal.listing import print_hint

_DATA = {
    "changes": "what changed, with importance, figures and reviews",
    "versions": "each version of each page",
    "pages": "the pages as they stand now",
    "audit": "every request with its outcome",
    "envelopes": "the staged envelopes, with their texts",
    "citations": "the citations in the staged texts",
}
_FORMATS = ("jsonl", "csv", "parquet", "sqlite")
_HOW_TO_SIGN = "`scrapy evidence sign` signs one now; then export again."
_HOW_TO_BEGIN = "`scrapy evidence key create NAME` creates a key; then each job signs a head."


class Export(RoriCommand):
    examples = (
        "scrapy export evidence cfpb-reg-x -o reg-x.wacz",
        "scrapy export evidence --page https://www.hud.gov/fha -o fha.wacz",
        "scrapy export evidence cfpb-reg-x --since 2026-10-01 -o reg-x-quarter.wacz",
        "scrapy export evidence --run 0d3b6c1a-52a4-4c07-9a55-0e0a5a7a8f10 -o run.wacz",
        "scrapy export warc -o warcs/ --since 2026-01-01",
        "scrapy export changes --since 2026-01-01 --importance medium -o changes.parquet",
        "scrapy export audit --since-cursor 48211 -o new.jsonl",
        "scrapy export versions -o history/ --format parquet --partition-by source --partition-by month",
        "scrapy export citations --source cfpb-reg-x -o collector.sqlite",
    )
    usage = (
        "evidence [SOURCE] [--page URL | --run ID] [--since DATE] -o FILE | warc -o FOLDER [--since DATE] | "
        "changes|versions|pages|audit|envelopes|citations [--source ID] [--since DATE] [--until DATE] "
        "[--since-cursor N] -o FILE"
    )
    summary = "Export evidence as WACZ, records as WARC, and data as JSONL, CSV, Parquet or SQLite"
    description = (
        "`evidence` writes one WACZ file about a source, a page or a run: requests and responses, texts, changes, the "
        "proof of each fact, and a standalone program that verifies them. `warc` writes the requests and responses "
        "of the whole ledger, or since a date, as WARC files of at most 1 GB. The other verbs write a table, in the "
        "format of the file's ending (.jsonl, .csv, .parquet, .sqlite), and print a cursor: with --since-cursor the "
        "next export writes only what came since."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Subcommands(parser)
        evidence = verbs.add("evidence", "write one case as a WACZ file")
        evidence.add_argument("source", nargs="?", metavar="SOURCE", help="id of the source")
        evidence.add_argument("--page", metavar="URL", type=parse_page_url, help="only this page, with its former URLs")
        evidence.add_argument("--run", metavar="ID", help="only this run, with the texts that it confirmed")
        evidence.add_argument(
            "--since",
            metavar="DATE",
            type=_parse_day,
            help="only what was recorded from this day on (UTC), with the texts that it confirmed; not with --run",
        )
        evidence.add_argument("-o", "--output", required=True, type=Path, metavar="FILE", help="file to write")
        warc = verbs.add("warc", "write everything recorded as WARC files")
        warc.add_argument("-o", "--output", required=True, type=Path, metavar="FOLDER", help="new folder to write to")
        warc.add_argument(
            "--since",
            metavar="DATE",
            type=_parse_day,
            help="only what was recorded from this day on (UTC, such as 2026-02-13; default: all)",
        )
        self._data_verbs(verbs)

    def _data_verbs(self, verbs: Subcommands) -> None:
        tables = {name: verbs.add(name, f"write {what}") for name, what in _DATA.items()}
        for name, table in tables.items():
            if name == "changes":
                add_change_filters(table)
            else:
                table.add_argument(
                    "--source", metavar="ID", action="append", default=[], help="only this source (repeatable)"
                )
                add_period_options(table)
            table.add_argument(
                "-o", "--output", required=True, type=Path, metavar="FILE", help="file to write (- for stdout)"
            )
            table.add_argument("--format", choices=_FORMATS, help="format (default: that of the file's ending)")
            table.add_argument(
                "--partition-by",
                action="append",
                default=[],
                choices=("source", "month"),
                help="with --format parquet: write a folder with a file for each source or month (repeatable)",
            )
            if name != "pages":
                table.add_argument(
                    "--since-cursor", metavar="N", type=_parse_cursor, help="only rows newer than this printed cursor"
                )
        tables["audit"].add_argument(
            "--status", metavar="STATE", choices=FINAL_URL_STATES, help="only rows with this state"
        )

    def answer(self, opts: argparse.Namespace) -> int:
        with self.collected_ledger() as ledger:
            if opts.verb in _DATA:
                return self._export_data(ledger, opts)
            return self._export_case(ledger, opts) if opts.verb == "evidence" else self._export_warcs(ledger, opts)

    def _export_data(self, ledger: Ledger, opts: argparse.Namespace) -> int:
        from rori_spiders.evidence.export.data_files import choose_format, write_file, write_partitions
        from rori_spiders.evidence.export.datasets import DATASETS, ENVELOPE_DOCUMENTS, DataScope, ExportContext
        from rori_spiders.ledger.audit.fact_log import count_leaves
        from rori_spiders.terminal.comparison import changes

        form = choose_format(opts.output, opts.format)
        if opts.partition_by and form != "parquet":
            raise UsageError("--partition-by needs --format parquet, and a folder as its --output")
        self.require_sources(ledger, *opts.source)
        scope = DataScope(tuple(opts.source), opts.since, opts.until)
        if opts.verb == "changes":
            scope = replace(scope, changes=changes.build_filter(opts, self.now()))
            changes.describe_missing(
                ledger, open_store(self.places.staging), partial(self.load_catalog, ledger), clock=self.now
            )
        if opts.verb == "audit":
            scope = replace(scope, audit={"kind": None, "state": opts.status})
        dataset, since = DATASETS[opts.verb], getattr(opts, "since_cursor", None)
        if (opts.verb, form) == ("envelopes", "jsonl"):
            dataset = ENVELOPE_DOCUMENTS
        with ledger.connect() as conn:
            cursor = count_leaves(conn)  # before the rows: what comes meanwhile may be written twice, never missed
            context = ExportContext(conn, self.places.staging, self.now())
            batches = partial(dataset.batches, context, scope, since)
            if opts.partition_by:
                name = f"{since or 0}-{cursor}"
                count = write_partitions(dataset, batches, opts.output, opts.partition_by, name=name)
            else:
                count = write_file(dataset, batches, opts.output, form)
        print(f"Exported {format_count(count, 'row')} of {opts.verb} to {opts.output}.", file=sys.stderr)
        if dataset.fact is not None:
            print(f"Cursor: {cursor}", file=sys.stderr)
        if context.pruned:
            print(
                f"Not exported: {format_count(context.pruned, 'envelope')} pruned from the staging area.",
                file=sys.stderr,
            )
        _report_absent(context.missing, sorted(context.damaged))
        return 1 if context.missing or context.damaged else 0

    def _export_case(self, ledger: Ledger, opts: argparse.Namespace) -> int:
        from rori_spiders.evidence.export.case import CaseSources, export_case
        from rori_spiders.evidence.export.case_selection import CaseScope
        from rori_spiders.evidence.export.package_signer import DerivedSigner
        from rori_spiders.evidence.keys import load_keys
        from rori_spiders.ledger.audit.head_log import list_heads

        if (opts.run and (opts.page or opts.source)) or not (opts.run or opts.page or opts.source):
            raise UsageError("name a source, --page URL (of it), or --run ID")
        if opts.run and opts.since:
            raise UsageError("--since is for a source or a page: a run has its own time")
        keys = load_keys(evidence_key_file(self.settings, closest_scrapy_cfg()))
        with ledger.connect() as conn:
            heads = {head.size: head.full_note for head in list_heads(conn)}
        signer = DerivedSigner(keys.signing[0]) if keys.signing else None
        store, catalog = open_store(self.places.staging), partial(self.load_catalog, ledger)
        sources = CaseSources(ledger, store, catalog, heads, signer)
        self.require_sources(ledger, opts.source)
        scope = CaseScope(opts.source, opts.page, opts.run, opts.since)
        done = export_case(sources, scope, opts.output, now=self.now())
        print(
            f"Exported {scope} to {done.path}: {format_count(done.records, 'row of the audit')}, "
            f"{format_count(done.pages, 'capture')}, {format_count(done.facts, 'fact')} with proofs."
        )
        _report_absent(done.missing, done.damaged)
        if done.unsigned:
            print(
                f"No signed head covers {format_count(done.unsigned, 'fact')}: to a stranger they prove nothing. "
                f"{_HOW_TO_SIGN if keys.signing else _HOW_TO_BEGIN}",
                file=sys.stderr,
            )
        return 1 if done.missing or done.damaged else 0

    def _export_warcs(self, ledger: Ledger, opts: argparse.Namespace) -> int:
        from rori_spiders.evidence.export.ledger_warcs import export_warcs

        done = export_warcs(ledger, open_store(self.places.staging), opts.output, since=opts.since, now=self.now())
        print(
            f"Exported {format_count(done.rows, 'row of the audit')} to {format_count(done.files, 'file')} "
            f"in {opts.output}."
        )
        _report_absent(done.missing, done.damaged)
        return 1 if done.missing or done.damaged else 0


def _report_absent(missing: Sequence[str], damaged: Sequence[str]) -> None:
    for name in missing:
        print(f"Missing from the staging area, so not exported: {name}", file=sys.stderr)
    for name in damaged:
        print(f"Damaged in the staging area, so not exported: {name}", file=sys.stderr)
    if damaged:
        print_hint("`scrapy verify` lists what is damaged.", file=sys.stderr)


def _parse_cursor(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a cursor as an export printed it, such as 48211, not {text!r}")
    return int(text)


def _parse_day(text: str) -> datetime:
    try:
        return datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a date such as 2026-02-13, not {text!r}") from None
