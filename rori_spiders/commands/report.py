"""``scrapy report``: documents for people outside: the chain of custody of a page or source."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import ActionRefused, StagingError, UsageError
from rori_spiders.terminal.command import RoriCommand, Subcommands
from rori_spiders.urls.canonical import normalise_url

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger

_FORMATS = (".html", ".pdf")


class Report(RoriCommand):
    examples = (
        "scrapy report custody --page https://www.hud.gov/fha -o fha.pdf",
        "scrapy report custody cfpb-reg-x -o reg-x.html",
    )
    usage = "custody [SOURCE] [--page URL] -o FILE"
    summary = "Write the chain of custody of a page or source, as HTML or PDF"
    description = (
        "Documents what was collected, when and how: what robots.txt allowed, hashes, versions, decisions, and the "
        "signed heads that prove them. Ends with a certificate for a person to complete (Fed. R. Evid. 902(13), "
        "902(14)). A PDF needs Chromium."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Subcommands(parser)
        custody = verbs.add("custody", "write the chain of custody of a page or source")
        custody.add_argument("source", nargs="?", metavar="SOURCE", help="id of the source")
        custody.add_argument("--page", metavar="URL", type=_parse_url, help="only this page, with its former URLs")
        custody.add_argument(
            "-o", "--output", required=True, type=_parse_output, metavar="FILE", help="file to write: .html or .pdf"
        )

    def answer(self, opts: argparse.Namespace) -> int:
        if not (opts.source or opts.page):
            raise UsageError("name a source, or --page URL")
        if opts.output.exists():
            raise ActionRefused(f"{opts.output} exists already. Name another file with -o, or remove it first.")
        with open_existing_ledger(self.places) as ledger:
            if ledger is None:
                raise ActionRefused("nothing collected yet: run `scrapy collect`")
            document = self._render(ledger, opts)
        try:
            if opts.output.suffix == ".pdf":
                from rori_spiders.crawl.tiers.browser.printing import print_pdf

                assert self.settings is not None
                opts.output.write_bytes(asyncio.run(print_pdf(document, self.settings)))
            else:
                opts.output.write_text(document, encoding="utf-8")
        except OSError as error:
            raise StagingError(f"{opts.output} could not be written: {error.strerror or error}") from error
        print(f"Wrote the chain of custody to {opts.output}. Its certificate (section 6) is for a person to complete.")
        return 0

    def _render(self, ledger: Ledger, opts: argparse.Namespace) -> str:
        from rori_spiders.evidence.custody_report import render_custody_report
        from rori_spiders.evidence.export.case_selection import CaseScope
        from rori_spiders.ledger.audit.head_log import list_heads

        self.require_sources(ledger, opts.source)
        scope = CaseScope(opts.source, opts.page)
        with ledger.connect() as conn:
            return render_custody_report(conn, scope, list_heads(conn), now=self.now())


def _parse_url(text: str) -> str:
    try:
        return normalise_url(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a valid page URL: {error}") from None


def _parse_output(text: str) -> Path:
    path = Path(text)
    if path.suffix not in _FORMATS:
        raise argparse.ArgumentTypeError(f"expected a file that ends in {' or '.join(_FORMATS)}, not {text!r}")
    return path
