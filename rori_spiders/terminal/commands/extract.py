"""``scrapy extract``: extract fields with an LLM from given URLs, each value with its source quote."""

from __future__ import annotations

import argparse
from math import inf
from typing import TYPE_CHECKING

from rori_spiders.exceptions import UsageError
from rori_spiders.terminal.command import RoriCommand, positive_count
from rori_spiders.terminal.fields.values import table_row
from rori_spiders.terminal.listing import FORMATS, write_listing

if TYPE_CHECKING:
    from rori_spiders.fields.schema import Fields
    from rori_spiders.terminal.fields.extraction import ExtractedRows


#: Rows as lines of JSON, each page's when it is done.
LINES = "jsonl"


class Extract(RoriCommand):
    examples = (
        "scrapy extract https://www.example.gov/loans --field 'apr:number:annual percentage rate'",
        "scrapy extract https://www.example.gov/a https://www.example.gov/b --fields fields.yaml --format json",
        "scrapy extract https://www.example.gov/a --fields fields.yaml --estimate",
        "scrapy extract https://www.example.gov/ --crawl --max-pages 20 --field 'apr:number:annual percentage rate'",
    )
    usage = "URL... (--field NAME:TYPE:DESCRIPTION | --fields FILE)... [--crawl] [--format FORM]"
    summary = "Extract fields from given URLs with an LLM; every value cites its source text"
    description = (
        "Fetches the pages as politely as a collection (robots.txt, rate limits, tiers) and asks the model "
        "(RORI_LLM_URL, RORI_LLM_MODEL) for each field. Rejects every value without a word-for-word quote from the "
        "page. Stages nothing. --crawl follows links from the URL until every field has a value."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("urls", nargs="+", metavar="URL", help="page URLs; with --crawl: one start URL")
        parser.add_argument(
            "--field",
            action="append",
            default=[],
            metavar="NAME:TYPE:DESCRIPTION",
            help="a field (string, number, integer, boolean, date, money, quantity, or list[...]); repeatable",
        )
        parser.add_argument("--fields", metavar="FILE", help="read fields from this JSON or YAML file")
        parser.add_argument("--crawl", action="store_true", help="follow links on the URL's host")
        parser.add_argument(
            "--max-pages", type=positive_count, metavar="N", help="with --crawl: page limit (default: 50)"
        )
        parser.add_argument("--max-depth", type=_parse_depth, metavar="N", help="with --crawl: link depth (default: 3)")
        parser.add_argument("--backend", choices=("http", "browser"), default="http", help="first tier (default: http)")
        explain_help = "name each rejected answer and each conflict on stderr, with the reason"
        parser.add_argument("--explain", action="store_true", help=explain_help)
        estimate_help = "fetch the pages, and say what asking about them would take at most; the model is not asked"
        parser.add_argument("--estimate", action="store_true", help=estimate_help)
        usd_help = "make no call that could cost more than what is left of USD, by the prices of the settings"
        parser.add_argument("--max-usd", type=_parse_usd, metavar="USD", help=usd_help)
        format_help = "table (default), json, csv, or jsonl: each page's values when it is done"
        parser.add_argument("--format", choices=(*FORMATS, LINES), default="table", help=format_help)

    def answer(self, opts: argparse.Namespace) -> int:
        if not opts.crawl and (opts.max_pages or opts.max_depth is not None):
            raise UsageError("--max-pages and --max-depth need --crawl")
        if opts.crawl and len(opts.urls) > 1:
            raise UsageError("--crawl accepts one URL")
        fields = _read_field_options(opts)
        # Scrapy imports each command to run one of them. What fetches the pages starts first, and what asks the model
        # is imported meanwhile.
        from rori_spiders.crawl.adhoc.forked_worker import ForkedWorker
        from rori_spiders.fields.config import command_line_settings, load_config, settings_for
        from rori_spiders.llm.model import load_model

        config = load_config(backend=opts.backend, max_usd=opts.max_usd)
        settings = settings_for(config, self.settings)
        load_model(settings)
        with ForkedWorker(command_line_settings(settings)) as forked:
            from rori_spiders.terminal.fields import extraction

            wanted = extraction.ExtractionRequest(
                opts.urls,
                fields,
                config,
                crawl=opts.crawl,
                max_pages=opts.max_pages,
                max_depth=opts.max_depth,
                only_estimate=opts.estimate,
                streams=opts.format == LINES,
            )
            found = extraction.run_extraction(self.settings, wanted, forked)
        if opts.estimate:
            form = "json" if opts.format == LINES else opts.format
            write_listing(found.estimates, extraction.ESTIMATE_COLUMNS, form)
            return _unless_stopped(found.print_estimate(), found)
        if opts.format != LINES:
            rows = map(table_row, found.rows) if opts.format == "table" else found.rows
            write_listing(rows, extraction.EXTRACTION_COLUMNS, opts.format)
        if opts.explain:
            found.print_explanation()
        return _unless_stopped(found.print_summary(is_explained=opts.explain), found)


def _unless_stopped(exit_code: int, found: ExtractedRows) -> int:
    """*exit_code*; but a command that was stopped ends as one, whatever it had found until then."""
    if found.is_stopped:
        raise KeyboardInterrupt
    return exit_code


def _read_field_options(opts: argparse.Namespace) -> Fields:
    """The fields of ``--fields`` and ``--field`` as one list."""
    from rori_spiders.fields.schema import define_fields, read_fields

    if not opts.field and not opts.fields:
        raise UsageError("no fields: add --field 'apr:number:annual percentage rate' or --fields FILE")
    of_file = read_fields(opts.fields) if opts.fields else ()
    return define_fields([*of_file, *opts.field])


def _parse_usd(text: str) -> float:
    """An amount above 0. argparse shows the error's text."""
    try:
        usd = float(text)
    except ValueError:
        usd = 0.0
    if not 0 < usd < inf:
        raise argparse.ArgumentTypeError(f"expected an amount above 0, not {text!r}")
    return usd


def _parse_depth(text: str) -> int:
    """A number of links. argparse shows the error's text."""
    if not text.isdecimal() or int(text) > 20:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 20, not {text!r}")
    return int(text)
