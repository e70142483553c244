"""``scrapy diff``: show the differences between two versions of a page."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

from rori_spiders.runtime.table_files import format_json
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.command import RoriCommand
from rori_spiders.terminal.listing import format_for_people

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from rori_spiders.ledger.pages.page_history import PageRow, VersionRow

FORMATS = ("text", "json", "html")


class Diff(RoriCommand):
    examples = (
        "scrapy diff cfpb-reg-x https://www.consumerfinance.gov/rules-policy/regulations/1024/5/",
        "scrapy diff cfpb-reg-x URL --from 2026-02-13 --to 2026-03-13     the texts on these dates",
        "scrapy diff cfpb-reg-x URL --from 2 --to 52fb69d3                by number, by hash",
        "scrapy diff cfpb-reg-x URL --from imported:2019-03-01            with a text that was imported",
        "scrapy diff cfpb-reg-x URL --format html > change.html",
    )
    usage = "SOURCE URL [--from VERSION] [--to VERSION] [--format FORM]"
    summary = "Show what changed between two versions of a page"
    description = (
        "Compares section by section: words, table cells and moved passages. Lists and counts changed numbers, "
        "amounts, dates, citations and operative words. A VERSION is a number, the start of a content hash, or a "
        "date (the text collected by its end, UTC); `imported:` before a hash or a date names a text that was imported "
        "(scrapy import). Default: the last two versions. The versions of a page that moved include those from its "
        "former URL."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("source", metavar="SOURCE", help="id of the source")
        parser.add_argument("url", metavar="URL", help="URL of the page, or a URL that redirected to it")
        parser.add_argument(
            "--from", dest="first", metavar="VERSION", help="the older version (default: the one before)"
        )
        parser.add_argument("--to", dest="second", metavar="VERSION", help="the newer version (default: the newest)")
        parser.add_argument("--format", choices=FORMATS, default="text", help="text (default), json or html")

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.comparison.version_diff import TextArchive, read_version_texts
        from rori_spiders.ledger.pages import page_history
        from rori_spiders.terminal.comparison.diff import choose_two_versions, find_page_by_url, list_imported

        with self.collected_ledger() as ledger:
            with ledger.connect() as connection:
                page = find_page_by_url(connection, opts.source, opts.url)
                addresses = page_history.page_addresses(connection, page) if page.last_seq else [page]
                versions = page_history.list_versions_with_former(connection, addresses)
                imported = list_imported(connection, page)
            at = {page.page_id: page for page in addresses}
            old, new = choose_two_versions(versions, opts.first, opts.second, at, imported)
            shelf = TextArchive(ledger, open_store(self.places.staging), partial(self.load_catalog, ledger))
            texts = read_version_texts(shelf, at, old, new)
        # Scrapy imports each command to run one of them: what only this one needs is loaded here.
        from rori_spiders.comparison.diff_report import render_diff_html, version_diff_document
        from rori_spiders.content.changes.compare import compare
        from rori_spiders.terminal.comparison.diff import write_diff_text

        difference = compare(texts.old, texts.new)
        head = _header_lines(addresses[0], old, new, texts.notes, at)
        if opts.format == "json":
            document = version_diff_document(difference, addresses[0], old, new, texts.notes, at)
            sys.stdout.write(f"{format_json(document, indent=2)}\n")
        elif opts.format == "html":
            sys.stdout.write(render_diff_html(difference, head))
        else:
            write_diff_text(difference, head)
        return 0


def _header_lines(
    page: PageRow, old: VersionRow, new: VersionRow, notes: list[str], pages: Mapping[int, PageRow]
) -> list[str]:
    lines = []
    for name, one in (("from", old), ("to  ", new)):
        there = f", at {pages[one.page_id].url}" if one.page_id != page.page_id else ""
        how = "stated for" if one.is_stated else "captured"
        lines.append(
            f"{name} {one.label}, {how} {format_for_people(one.captured_at)} UTC, {one.content_hash[:12]}{there}"
        )
    return [f"{page.source_id}  {page.url}", *lines, *notes]
