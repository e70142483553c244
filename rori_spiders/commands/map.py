"""``scrapy map``: what a collection of a source would ask for, by section, before any of it is."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import UsageError
from rori_spiders.terminal.command import ListingCommand, find_sources, positive_count

if TYPE_CHECKING:
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source

#: As `max_depth` of a manifest.
MOST_DEPTH = 20


class Map(ListingCommand):
    examples = (
        "scrapy map cfpb-reg-1002",
        "scrapy map hud-handbook --depth 2          follows links further",
        "scrapy map hud-handbook --section /guide/  the pages below a path",
        "scrapy map hud-handbook --format csv > inventory.csv",
    )
    usage = "ID [--depth N] [--no-links] [--section PATH] [--limit N]"
    summary = "Show what a collection of a source would ask for, before it does"
    description = (
        "Asks for robots.txt, sitemaps, the start page and the pages of contents that it names (of a wiki: its "
        "lists), as politely as a collection. Nothing is staged, and no run begins. Ctrl-C shows what is known by "
        "then."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("id", metavar="ID", help="a source, by its id")
        parser.add_argument(
            "--depth",
            type=_parse_depth,
            default=0,
            metavar="N",
            help="ask for pages up to N links from the start (default: 0)",
        )
        parser.add_argument(
            "--no-links", dest="links", action="store_false", help="follow no links: only what sitemaps name"
        )
        parser.add_argument("--section", metavar="PATH", help="only what lies below this path, page by page")
        parser.add_argument("--limit", type=positive_count, metavar="N", help="at most N rows (tables: 40)")
        super().options(parser)

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.crawl.preview.map_spider import MapRequest
        from rori_spiders.terminal.site_map import map_source

        assert self.settings is not None
        with open_existing_ledger(self.places) as ledger:
            catalog = self.load_catalog(ledger)
        (source,) = find_sources(catalog, [opts.id])
        self._check(catalog, source, opts)
        wanted = MapRequest(source, self.person(), depth=opts.depth, links=opts.links)
        return map_source(self.settings, catalog, wanted, form=opts.format, section=opts.section, limit=opts.limit)

    def _check(self, catalog: Catalog, source: Source, opts: argparse.Namespace) -> None:
        """What cannot be mapped is refused before anybody is asked. Raises UsageError."""
        from rori_spiders.manifest.tier_selection import check_sources_have_tiers, configured_tiers

        assert self.settings is not None
        if source.status in {"paused", "retired"}:
            raise UsageError(f"the manifest says that {source.id} is {source.status}: its servers are not asked")
        if not opts.links and opts.depth:
            raise UsageError("--depth follows links, and --no-links follows none: leave one of them out")
        if source.method != "crawl" and (opts.depth or not opts.links):
            raise UsageError(f"--depth and links are for sites; {source.id} has method {source.method}")
        if opts.section is not None and not opts.section.startswith("/") and source.method == "crawl":
            raise UsageError(f"--section takes a path such as /guide/, not {opts.section!r}")
        if self.places.manifests:
            check_sources_have_tiers(catalog, configured_tiers(self.settings))


def _parse_depth(text: str) -> int:
    """A number of links. argparse shows the error's text."""
    if not text.isdecimal() or int(text) > MOST_DEPTH:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to {MOST_DEPTH}, not {text!r}")
    return int(text)
