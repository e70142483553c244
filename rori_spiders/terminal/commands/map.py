"""``scrapy map``: preview the URLs of a source by section, without collecting pages."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import ActionRefused, UsageError
from rori_spiders.terminal.command import ListingCommand, find_sources, positive_count

if TYPE_CHECKING:
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source

#: As `max_depth` of a manifest.
MOST_DEPTH = 20


class Map(ListingCommand):
    examples = (
        "scrapy map cfpb-reg-1002",
        "scrapy map hud-handbook --depth 2          follow links two levels deep",
        "scrapy map hud-handbook --section /guide/  list pages below a path",
        "scrapy map hud-handbook --format csv > inventory.csv",
    )
    usage = "ID [--depth N] [--no-links] [--section PATH] [--limit N]"
    summary = "Preview which URLs a collection of a source would request"
    description = (
        "Requests robots.txt, sitemaps, the start page and the tables of contents that it links to (for a wiki: "
        "its page lists), as politely as a collection. Stages nothing and starts no run. Ctrl-C stops and prints "
        "the map so far."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("id", metavar="ID", help="id of the source")
        parser.add_argument(
            "--depth",
            type=_parse_depth,
            default=0,
            metavar="N",
            help="request pages up to N links from the start (default: 0)",
        )
        parser.add_argument(
            "--no-links", dest="links", action="store_false", help="follow no links; list only pages from sitemaps"
        )
        parser.add_argument("--section", metavar="PATH", help="list the pages below this path")
        parser.add_argument(
            "--limit", type=positive_count, metavar="N", help="list at most N rows (default for tables: 40)"
        )
        super().options(parser)

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.crawl.preview.map_spider import MapRequest
        from rori_spiders.terminal.site_map import map_source

        with open_existing_ledger(self.places) as ledger:
            catalog = self.load_catalog(ledger)
        (source,) = find_sources(catalog, [opts.id])
        self._check(catalog, source, opts)
        wanted = MapRequest(source, self.person(), depth=opts.depth, links=opts.links)
        return map_source(self.settings, catalog, wanted, form=opts.format, section=opts.section, limit=opts.limit)

    def _check(self, catalog: Catalog, source: Source, opts: argparse.Namespace) -> None:
        """Raise UsageError for a source that cannot be mapped, before any request."""
        from rori_spiders.manifest.tier_selection import check_sources_have_tiers, configured_tiers

        if source.status in {"paused", "retired"}:
            raise ActionRefused(f"cannot map {source.id}: the manifest sets its status to {source.status}")
        if not opts.links and opts.depth:
            raise UsageError("--depth and --no-links cannot be combined")
        if source.method != "crawl" and (opts.depth or not opts.links):
            raise UsageError(
                f"--depth and --no-links need a source with method crawl; {source.id} has method {source.method}"
            )
        if opts.section is not None and not opts.section.startswith("/") and source.method == "crawl":
            raise UsageError(f"--section: expected a path such as /guide/, not {opts.section!r}")
        if self.places.manifests:
            check_sources_have_tiers(catalog, configured_tiers(self.settings))


def _parse_depth(text: str) -> int:
    """A number of links. argparse shows the error's text."""
    if not text.isdecimal() or int(text) > MOST_DEPTH:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to {MOST_DEPTH}, not {text!r}")
    return int(text)
