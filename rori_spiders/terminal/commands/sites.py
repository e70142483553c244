"""``scrapy sites``: try on kept pages how a site's text would be cut out."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

from rori_spiders.exceptions import ActionRefused
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.plurals import format_count
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.command import RoriCommand, Subcommands, add_format_option
from rori_spiders.terminal.listing import Column, write_listing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from rori_spiders.comparison.recipe_trial import Recipe, RecipeTrial

#: Lines shown of a page in a table; JSON has all.
_MAX_SHOWN = 20
RECIPE_COLUMNS = (
    Column("name", "name"),
    Column("about", "what it is for"),
    Column("signs"),
    Column("content_selector"),
    Column("remove_selectors"),
)
TRIAL_COLUMNS = (
    Column("recipe", "recipe"),
    Column("url", "page"),
    Column("source", "source"),
    Column("chars", "characters", right=True),
    Column("chars_with", "with it", right=True),
    Column("lost_lines", "lost", right=True),
    Column("gained_lines", "gained", right=True),
    Column("lost"),
    Column("gained"),
    Column("error", "problem"),
)


class Sites(RoriCommand):
    examples = (
        "scrapy sites recipes                             list the packaged recipes",
        "scrapy sites test www.hud.gov                    try those whose signs the kept pages of a host have",
        "scrapy sites test www.hud.gov --recipe wordpress  try one",
        "scrapy sites test hud.gov --recipe mine.yaml --format json",
    )
    usage = "recipes [--format FORM] | test HOST [--recipe NAME] [--format FORM]"
    summary = "Test a recipe of selectors on the stored pages of a site"
    description = (
        "A recipe names selectors for pages of one template (content_selector, remove_selectors). `test` converts the "
        "stored pages of a host with and without it, and prints the lines that each text loses and gains. It requests "
        "and changes nothing: copy what works into scrape_config."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Subcommands(parser)
        add_format_option(verbs.add("recipes", "list the packaged recipes"))
        test = verbs.add("test", "convert the stored pages of a host with and without a recipe")
        test.add_argument("host", metavar="HOST", help="host name, including its subdomains")
        test.add_argument(
            "--recipe", metavar="NAME", help="name of a packaged recipe, or a YAML file (default: all packaged ones)"
        )
        add_format_option(test)

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.comparison.recipe_trial import list_packaged_recipes, load_recipe

        if opts.verb == "recipes":
            listed = ({"name": name, **one.model_dump(mode="json")} for name, one in list_packaged_recipes().items())
            write_listing(listed, RECIPE_COLUMNS, opts.format)
            return 0
        recipes = {opts.recipe: load_recipe(opts.recipe)} if opts.recipe else list_packaged_recipes()
        tried = self._try(opts.host.lower().rstrip("."), recipes)
        rows = [_trial_row(name, one) for name, trials in tried.items() for one in trials]
        write_listing(rows, TRIAL_COLUMNS, opts.format)
        if opts.format == "table":
            for name, trials in tried.items():
                if trials or opts.recipe:
                    _print_lines(name, trials, recipes[name])
            if not rows and not opts.recipe:
                print(f"\nNo page has the signs of a recipe of the package ({', '.join(recipes)}).")
        return int(any(row["error"] for row in rows))

    def _try(self, host: str, recipes: Mapping[str, Recipe]) -> dict[str, list[RecipeTrial]]:
        from rori_spiders.comparison.recipe_trial import RecipeTester, list_host_pages
        from rori_spiders.content.options import Options
        from rori_spiders.crawl.conversion_options import conversion_options
        from rori_spiders.workers.pool import WorkPool

        store = open_store(self.places.staging)
        with (
            self.collected_ledger() as ledger,
            closing(WorkPool(workers=1)) as pool,
            asyncio.Runner() as runner,
        ):
            rows = list_host_pages(ledger, host)
            if not rows:
                raise ActionRefused(f"no page of {host} is stored: `scrapy sources` lists what is collected")
            options = {one.id: conversion_options(one) for one in self.load_catalog(ledger).sources}
            tester = RecipeTester(ledger, store, pool, runner)
            tried: dict[str, list[RecipeTrial]] = {}
            for name, recipe in recipes.items():
                found = (tester.compare(row, options.get(row.source_id, Options()), recipe) for row in rows)
                tried[name] = [one for one in found if one is not None]
            return tried


def _trial_row(name: str, one: RecipeTrial) -> dict[str, Any]:
    facts = {"recipe": name, "url": one.url, "source": one.source_id, "chars": one.chars, "chars_with": one.chars_with}
    counted = {"lost_lines": len(one.lost), "gained_lines": len(one.gained)}
    return {**facts, **counted, "lost": list(one.lost), "gained": list(one.gained), "error": one.error}


def _print_lines(name: str, trials: list[RecipeTrial], recipe: Recipe) -> None:
    changed = [one for one in trials if one.lost or one.gained]
    for one in changed:
        print(f"\n{escape_one_line(one.url)}")
        for sign, lines in (("-", one.lost), ("+", one.gained)):
            for line in lines[:_MAX_SHOWN]:
                print(f"  {sign} {escape_one_line(line)[:160]}")
            if len(lines) > _MAX_SHOWN:
                print(f"  {sign} ... {len(lines) - _MAX_SHOWN} more")
    print(f"\n{name}: {format_count(len(trials), 'page')} of this make; the text of {len(changed)} would change.")
    if changed:
        wanted = {name: getattr(recipe, name) for name in ("content_selector", "remove_selectors")}
        print(f"For scrape_config: {json.dumps({name: value for name, value in wanted.items() if value})}")
