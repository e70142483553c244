"""``scrapy export``: hand evidence to others, in formats that their programs open."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.utils.conf import closest_scrapy_cfg

from rori_spiders.configuration.locations import evidence_key_file
from rori_spiders.exceptions import UsageError
from rori_spiders.runtime.plurals import format_count
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.command import RoriCommand, Subcommands, parse_page_url

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.ledger.database import Ledger

_HOW_TO_SIGN = "`scrapy evidence sign` signs one now; then export again."
_HOW_TO_BEGIN = "`scrapy evidence key create NAME` creates a key; then each job signs a head."


class Export(RoriCommand):
    examples = (
        "scrapy export evidence cfpb-reg-x -o reg-x.wacz",
        "scrapy export evidence --page https://www.hud.gov/fha -o fha.wacz",
        "scrapy export evidence cfpb-reg-x --since 2026-10-01 -o reg-x-quarter.wacz",
        "scrapy export evidence --run 0d3b6c1a-52a4-4c07-9a55-0e0a5a7a8f10 -o run.wacz",
        "scrapy export warc -o warcs/ --since 2026-01-01",
    )
    usage = "evidence [SOURCE] [--page URL | --run ID] [--since DATE] -o FILE | warc -o FOLDER [--since DATE]"
    summary = "Export evidence as WACZ, or everything recorded as WARC files"
    description = (
        "`evidence` writes one WACZ file about a source, a page or a run: requests and responses, texts, changes, the "
        "proof of each fact, and a standalone program that verifies them. `warc` writes the requests and responses "
        "of the whole ledger, or since a date, as WARC files of at most 1 GB."
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

    def answer(self, opts: argparse.Namespace) -> int:
        with self.collected_ledger() as ledger:
            return self._export_case(ledger, opts) if opts.verb == "evidence" else self._export_warcs(ledger, opts)

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
        print("`scrapy verify` says what is damaged.", file=sys.stderr)


def _parse_day(text: str) -> datetime:
    try:
        return datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a date such as 2026-02-13, not {text!r}") from None
