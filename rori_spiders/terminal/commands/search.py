"""``scrapy search``: which texts that are or were held have these words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy.utils.conf import closest_scrapy_cfg

from rori_spiders.configuration.locations import project_folder
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.pages.vocabulary import format_version_id
from rori_spiders.runtime.plurals import format_count
from rori_spiders.runtime.redacted_output import write_progress_line
from rori_spiders.terminal.command import ListingCommand, add_period_options, add_sources_option, positive_count
from rori_spiders.terminal.listing import Column, write_listing

if TYPE_CHECKING:
    import argparse

    from rori_spiders.comparison.text_index import FoundText

COLUMNS = (
    Column("source", "source"),
    Column("title", "page", width=40),
    Column("captured_at", "captured (UTC)"),
    Column("version", "version"),
    Column("text", "text", width=160),
    Column("url"),
    Column("is_current"),
    Column("content_hash"),
)


class Search(ListingCommand):
    examples = (
        'scrapy search escrow "60 days"',
        'scrapy search --cites "12 CFR 1024.41" --agency CFPB',
        'scrapy search "loss mitigation" --source cfpb-reg-x --limit 50',
        "scrapy search foreclosure --past --until 2026-06-30 --format json",
    )
    usage = (
        "[WORD...] [--cites CITATION] [--source ID] [--agency NAME] [--since DATE] [--until DATE] [--past] "
        "[--limit NUMBER] [--format FORM]"
    )
    summary = "Search stored texts, current and past, for words, phrases and citations"
    description = (
        "Finds texts that contain all words, best match first; several words in one argument are a phrase. Case and "
        "accents do not matter. --cites finds texts that cite a section or part, however they spell it. Texts that "
        "the index does not have yet are added first: the first search takes longest."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("words", metavar="WORD", nargs="*", help="a word, or a phrase in quotes")
        parser.add_argument(
            "--cites", metavar="CITATION", default="", help="only texts that cite this, such as 12 CFR 1024.41"
        )
        parser.add_argument(
            "--agency", metavar="NAME", help="only sources of this agency, by the active manifest, such as CFPB"
        )
        add_sources_option(parser)
        add_period_options(parser)
        parser.add_argument("--past", action="store_true", help="also earlier versions of a page")
        parser.add_argument(
            "--limit", metavar="NUMBER", type=positive_count, default=20, help="list at most N (default: 20)"
        )
        super().options(parser)

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.comparison.text_index import TextIndex, TextQuery, index_file
        from rori_spiders.staging.store_factory import open_store

        if opts.since and opts.until and opts.since >= opts.until:
            raise UsageError("--since is not before --until")
        query = TextQuery(
            terms=opts.words,
            cites=opts.cites,
            sources=opts.source or None,
            since=opts.since,
            until=opts.until,
            past=opts.past,
        )
        query.check()
        with self.collected_ledger() as ledger:
            self.require_sources(ledger, *opts.source)
            if opts.agency is not None:
                named = self.load_catalog(ledger).require_agency(opts.agency)
                query = replace(query, sources=[one for one in named if not opts.source or one in opts.source])
            file = index_file(self.places.database_url, project_folder(closest_scrapy_cfg()))
            index, store = TextIndex(file), open_store(self.places.staging)
            index.update(ledger, store, report=_show_progress)
            write_progress_line("")
            found = index.find(ledger, store, query, limit=opts.limit)
        write_listing(map(_found_row, found), COLUMNS, opts.format)
        if opts.format == "table":
            print(_summary(len(found), opts.limit, index.count_missing()))
        return 0


def _show_progress(left: int) -> None:
    write_progress_line(f"adding texts to the index: {left:,} left (press Ctrl-C to stop)")


def _found_row(found: FoundText) -> dict[str, Any]:
    return {
        "source": found.source_id,
        "title": found.title or found.url,
        "captured_at": found.captured_at,
        "version": format_version_id(found.page_id, found.seq),
        "text": found.snippet,
        "url": found.url,
        "is_current": found.is_current,
        "content_hash": f"sha256:{found.content_hash}",
    }


def _summary(number: int, limit: int, missing: int) -> str:
    parts = [f"{format_count(number, 'text')}."]
    if number == limit:
        parts.append("There may be more: --limit.")
    if missing:
        parts.append(f"{format_count(missing, 'text')} could not be searched: missing in the staging area.")
    return " ".join(parts)
