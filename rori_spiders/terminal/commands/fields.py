"""``scrapy fields``: extract fields from staged pages with an LLM, and show the values with their quotes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from scrapy.utils.conf import closest_scrapy_cfg

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import ActionRefused
from rori_spiders.runtime.plurals import format_count
from rori_spiders.runtime.redacted_output import name_program
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.command import RoriCommand, Subcommands, find_sources
from rori_spiders.terminal.fields.values import outcome_lines, write_values
from rori_spiders.terminal.listing import FORMATS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.models import Source


class Fields(RoriCommand):
    examples = (
        "scrapy fields run                     all sources with fields; only changed pages",
        "scrapy fields run cfpb-reg-x          one source",
        "scrapy fields show --format json      current values, each with its quote",
        "scrapy fields show cfpb-reg-x --history",
    )
    usage = "run [SOURCE ...] | show [SOURCE ...] [--history] [--format FORM]"
    summary = "Extract fields from staged pages with an LLM; show values with their source quotes"
    description = (
        "A source lists its `fields` in the manifest. `run` asks the model (RORI_LLM_URL, RORI_LLM_MODEL) for them "
        "in the newest text of each page, and skips pages whose text has not changed since. See "
        "docs/explanation/fields.md."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Subcommands(parser)
        run = verbs.add("run", "extract fields from new and changed pages")
        show = verbs.add("show", "list values, one line per list item")
        for verb in (run, show):
            verb.add_argument(
                "sources", nargs="*", metavar="SOURCE", help="source ids (default: all sources with fields)"
            )
        show.add_argument("--history", action="store_true", help="include former values")
        show.add_argument("--format", choices=FORMATS, default="table", help="table (default), json or csv")

    def answer(self, opts: argparse.Namespace) -> int:
        return self._show(opts) if opts.verb == "show" else self._run(opts.sources)

    def _show(self, opts: argparse.Namespace) -> int:
        from rori_spiders.ledger.pages import field_history as kept

        with open_existing_ledger(self.places) as ledger:
            sources = self._sources(opts.sources, ledger)
            rows = []
            if ledger is not None:
                with ledger.connect() as conn:
                    read = kept.list_all_values if opts.history else kept.list_current_values
                    rows = [row for source in sources for row in read(conn, source.id)]
        write_values(rows, opts.format)
        return 0

    def _run(self, ids: Sequence[str]) -> int:
        # Scrapy imports each command to run one of them: what only this one needs is loaded here.
        from rori_spiders.fields.extraction.extractor import open_extractor
        from rori_spiders.fields.extraction.page_extraction import check_fit
        from rori_spiders.fields.source_fields import SourceExtraction
        from rori_spiders.llm.model import load_model

        settings = self.settings
        load_model(settings)  # report an invalid model configuration first
        if not self.places.has_ledger:
            raise ActionRefused("nothing collected yet: run `scrapy collect`")

        async def run() -> int:
            failed = 0
            async with open_extractor(settings, closest_scrapy_cfg()) as asker:
                collecting = SourceExtraction(open_store(self.places.staging), asker)
                sources = self._sources(ids, asker.ledger)
                for source in sources:
                    check_fit(source.fields, asker.model)
                if left := await collecting.finish_left():
                    print(f"Appended {format_count(left, 'line')} to the fields log that an interrupted run had left")
                for source in sources:
                    outcome = await collecting.of_source(source, self.now())
                    failed += bool(outcome.failed)
                    print(*map(name_program, outcome_lines(outcome)), sep="\n", flush=True)
            return failed

        return 1 if asyncio.run(run()) else 0

    def _sources(self, ids: Sequence[str], ledger: Ledger | None) -> list[Source]:
        """The sources with fields, or those of *ids*. UsageError for an unknown source or one without fields."""
        catalog = self.load_catalog(ledger)
        chosen = find_sources(catalog, ids)
        if without := [one.id for one in chosen if not one.fields]:
            raise ActionRefused(f"{without[0]} has no `fields` in the manifest")
        sources = chosen or [one for one in catalog.sources if one.fields]
        if not sources:
            raise ActionRefused("no source has `fields` in the manifest")
        return sources
