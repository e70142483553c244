"""``scrapy report``: documents for people outside: changes of a period, the chain of custody of a page or source."""

import argparse
import asyncio
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from rori_spiders.exceptions import ActionRefused, StagingError, UsageError
from rori_spiders.ledger.database import Ledger
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.command import (
    RoriCommand,
    Subcommands,
    add_period_options,
    add_sources_option,
    parse_page_url,
)

_FORMATS = (".html", ".pdf")


class Report(RoriCommand):
    examples = (
        "scrapy report custody --page https://www.hud.gov/fha -o fha.pdf",
        "scrapy report custody cfpb-reg-x -o reg-x.html",
        "scrapy report changes --since 2026-07-01 --until 2026-09-30 -o third-quarter.pdf",
    )
    usage = "custody [SOURCE] [--page URL] -o FILE | changes --since DATE [--until DATE] [--source ID] -o FILE"
    summary = "Write the changes of a period, or the chain of custody of a page, as HTML or PDF"
    description = (
        "`changes` documents a month or quarter: what changed, who reviewed it and how, how often each source was "
        "collected completely, and the longest gap. `custody` documents what was collected, when and how: what "
        "robots.txt allowed, hashes, versions, decisions, and the signed heads that prove them; it ends with a "
        "certificate for a person to complete (Fed. R. Evid. 902(13), 902(14)). A PDF needs Chromium."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Subcommands(parser)
        custody = verbs.add("custody", "write the chain of custody of a page or source")
        custody.add_argument("source", nargs="?", metavar="SOURCE", help="id of the source")
        custody.add_argument("--page", metavar="URL", type=parse_page_url, help="only this page, with its former URLs")
        changes = verbs.add("changes", "write what changed in a period, the reviews, and how it was covered")
        add_period_options(changes, required=True, until="; default: now")
        add_sources_option(changes)
        for verb in (custody, changes):
            verb.add_argument(
                "-o", "--output", required=True, type=_parse_output, metavar="FILE", help="file to write: .html or .pdf"
            )

    def answer(self, opts: argparse.Namespace) -> int:
        if opts.verb == "custody" and not (opts.source or opts.page):
            raise UsageError("name a source, or --page URL")
        if opts.output.exists():
            raise ActionRefused(f"{opts.output} exists already. Name another file with -o, or remove it first.")
        with self.collected_ledger() as ledger:
            document = self._render_changes(ledger, opts) if opts.verb == "changes" else self._render(ledger, opts)
        try:
            if opts.output.suffix == ".pdf":
                if find_spec("playwright") is None:
                    raise ActionRefused("a PDF needs the extra `browser`: pip install 'rori-collector[browser]'")
                from rori_spiders.crawl.tiers.browser.printing import print_pdf

                opts.output.write_bytes(asyncio.run(print_pdf(document, self.settings)))
            else:
                opts.output.write_text(document, encoding="utf-8")
        except OSError as error:
            raise StagingError(f"{opts.output} could not be written: {error.strerror or error}") from error
        if opts.verb == "changes":
            print(f"Wrote the changes to {opts.output}.")
        else:
            print(
                f"Wrote the chain of custody to {opts.output}. Its certificate (section 6) is for a person to complete."
            )
        return 0

    def _render_changes(self, ledger: Ledger, opts: argparse.Namespace) -> str:
        from rori_spiders.evidence.period_report import Period, render_period_report
        from rori_spiders.ledger.runs.run_records import list_source_ids
        from rori_spiders.terminal.comparison.changes import describe_missing

        now = self.now()
        if opts.since >= min(opts.until or now, now):
            raise UsageError("--since must be before --until, and not in the future")
        self.require_sources(ledger, *opts.source)
        active = {source.id for source in self.load_catalog(ledger).sources}
        describe_missing(ledger, open_store(self.places.staging), partial(self.load_catalog, ledger), clock=self.now)
        with ledger.connect() as conn:
            sources = opts.source or sorted(list_source_ids(conn) | active)
            return render_period_report(conn, Period(opts.since, min(opts.until or now, now)), sources, now=now)

    def _render(self, ledger: Ledger, opts: argparse.Namespace) -> str:
        from rori_spiders.evidence.custody_report import render_custody_report
        from rori_spiders.evidence.export.case_selection import CaseScope
        from rori_spiders.ledger.audit.head_log import list_heads

        self.require_sources(ledger, opts.source)
        scope = CaseScope(opts.source, opts.page)
        with ledger.connect() as conn:
            return render_custody_report(conn, scope, list_heads(conn), now=self.now())


def _parse_output(text: str) -> Path:
    path = Path(text)
    if path.suffix not in _FORMATS:
        raise argparse.ArgumentTypeError(f"expected a file that ends in {' or '.join(_FORMATS)}, not {text!r}")
    return path
