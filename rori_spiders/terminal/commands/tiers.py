"""``scrapy tiers``: list the tiers in the order of attempts, with what each one lacks."""

import argparse

from rori_spiders.terminal.command import ListingCommand
from rori_spiders.terminal.listing import write_listing


class Tiers(ListingCommand):
    examples = ("scrapy tiers", "scrapy tiers --check", "scrapy tiers --format json")
    usage = "[--check] [--format FORM]"
    summary = "List the fetching tiers in order, with missing requirements"
    description = (
        "Lists the tiers of RORI_TIERS first, in its order. Jobs skip a tier that lacks a requirement; the table "
        "shows how to fix it. --check tests each tier: starts the browser, asks each provider's own server, never "
        "a publisher."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="test each configured tier, for at most one minute")
        super().options(parser)

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.terminal import tiers as shown

        tiers = shown.tiers_here(self.settings)
        health = shown.check_tiers(self.settings) if opts.check else {}
        columns = (
            shown.TIER_COLUMNS
            if opts.check
            else [one for one in shown.TIER_COLUMNS if one.key not in {"health", "detail"}]
        )
        write_listing(shown.tier_rows(tiers, health), columns, opts.format)
        works = all(name in tiers.order for name in tiers.named) and all(found.ok for found in health.values())
        return 0 if works else 1
