"""``scrapy fields``: values that a language model draws from what is staged, each with its proof."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from scrapy.utils.conf import closest_scrapy_cfg

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import UsageError
from rori_spiders.runtime.plurals import format_count
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.command import RoriCommand, Subcommands
from rori_spiders.terminal.field_values import outcome_lines, write_values
from rori_spiders.terminal.listing import FORMATS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.models import Source


class Fields(RoriCommand):
    examples = (
        "scrapy fields run                     of all sources with fields, what changed is asked about",
        "scrapy fields run cfpb-reg-x          of one source",
        "scrapy fields show --format json      the values of now, each with its quote",
        "scrapy fields show cfpb-reg-x --history",
    )
    usage = "run [SOURCE ...] | show [SOURCE ...] [--history] [--format FORM]"
    summary = "Draw values from what is staged by a language model; show them with their quotes"
    description = (
        "A source's `fields` in the manifest say which values. They are drawn from the newest text of each page "
        "that is held, by the model of RORI_LLM_URL and RORI_LLM_MODEL; what was drawn from the same text is not "
        "asked again. See docs/explanation/fields.md."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Subcommands(parser)
        run = verbs.add("run", "draw them")
        show = verbs.add("show", "list the values, each item of a list in a line of its own")
        for verb in (run, show):
            verb.add_argument("sources", nargs="*", metavar="SOURCE", help="ids of sources (default: all with fields)")
        show.add_argument("--history", action="store_true", help="the values that were, too")
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

        assert self.settings is not None
        settings = self.settings
        load_model(settings)  # what is wrong with it is said first
        if not self.places.has_ledger:
            raise UsageError("no page is held yet: run `scrapy collect`")

        async def run() -> int:
            failed = 0
            async with open_extractor(settings, closest_scrapy_cfg()) as asker:
                collecting = SourceExtraction(open_store(self.places.staging), asker)
                sources = self._sources(ids, asker.ledger)
                for source in sources:
                    check_fit(source.fields, asker.model)
                if left := await collecting.finish_left():
                    print(f"{format_count(left, 'line')} that an earlier run had left: appended to the log of fields")
                for source in sources:
                    outcome = await collecting.of_source(source, self.now())
                    failed += bool(outcome.failed)
                    print(*outcome_lines(outcome), sep="\n", flush=True)
            return failed

        return 1 if asyncio.run(run()) else 0

    def _sources(self, ids: Sequence[str], ledger: Ledger | None) -> list[Source]:
        """The sources with fields, or those of *ids*. UsageError for one that is not known, or has none."""
        catalog = self.load_catalog(ledger)
        known = {source.id: source for source in catalog.sources}
        for one in ids:
            if one not in known:
                raise UsageError(f"no such source: {one}")
            if not known[one].fields:
                raise UsageError(f"{one} has no `fields` in the manifest")
        sources = [known[one] for one in ids] if ids else [one for one in catalog.sources if one.fields]
        if not sources:
            raise UsageError("no source has `fields` in the manifest")
        return sources
