"""``scrapy shell``: Scrapy's shell, with the response as a collection would read it."""

import argparse
from typing import Any

from scrapy.commands.shell import Command as ScrapyShell
from scrapy.utils.conf import closest_scrapy_cfg

from rori_spiders.configuration.locations import Locations
from rori_spiders.terminal.command import apply_settings_or_exit, make_strict

_NAMES = ("source", "verdict", "page", "markdown", "preview", "diff")


class Shell(ScrapyShell):
    """``scrapy shell URL``. Nothing is staged."""

    examples = ("scrapy shell URL", "scrapy shell URL -c 'preview(\"main\")'")

    def short_desc(self) -> str:
        return "Try selectors on a page, with its verdict, text and source at hand"

    def long_desc(self) -> str:
        return (
            "Scrapy's shell, under the same robots.txt and rate limits as a collection. Besides Scrapy's names it has "
            "`source`, `verdict`, `page`, `markdown`, `preview(SELECTOR)` and `diff()`. Stages nothing."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        make_strict(parser, "scrapy shell", self.examples)
        super().add_options(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings is not None
        apply_settings_or_exit(self.settings)

    def update_vars(self, vars: dict[str, Any]) -> None:  # noqa: A002  (Scrapy's name)
        """Bind the names for the response at hand; None where there is none, or it is refused."""
        from rori_spiders.configuration.active_manifest import load_active_catalog_or_warning
        from rori_spiders.terminal.comparison.page_preview import PagePreview

        vars.update(dict.fromkeys(_NAMES))
        if (response := vars.get("response")) is None:
            return
        assert self.settings is not None
        places = Locations.from_settings(self.settings, closest_scrapy_cfg())
        preview = PagePreview(response, load_active_catalog_or_warning(places).catalog, places)
        vars.update({name: getattr(preview, name) for name in _NAMES})
