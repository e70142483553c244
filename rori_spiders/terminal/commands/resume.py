"""``scrapy resume``: end the pause of a source, or of all sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.ledger.database import open_ledger
from rori_spiders.runtime.redacted_output import name_program
from rori_spiders.terminal.command import RoriCommand, find_sources, parse_id_or_all
from rori_spiders.terminal.listing import print_hint

if TYPE_CHECKING:
    import argparse

    from rori_spiders.ledger.operations.source_status import SourceState
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source


#: How many of the sources that stay paused are listed.
_SHOWN = 10


class Resume(RoriCommand):
    examples = ("scrapy resume hud-fha", "scrapy resume --all")
    usage = "ID|--all"
    summary = "Resume scheduled collection of a source, or of all sources"
    description = (
        "Ends a pause by `scrapy pause` or by the circuit breaker, and resets the failure count. --all ends "
        "`scrapy pause --all`; individually paused sources stay paused. A source that the manifest pauses or "
        "retires stays so until the manifest changes."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("id", nargs="?", metavar="ID", help="id of the source")
        parser.add_argument("--all", action="store_true", help="end `scrapy pause --all`")

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.ledger.operations import source_status

        parse_id_or_all(opts)
        known: dict[str, SourceState] = {}
        everything = None
        with open_existing_ledger(self.places) as ledger:
            catalog = self.load_catalog(ledger)
            if ledger is not None:
                with ledger.connect() as connection:
                    known, everything = (
                        source_status.load_states(connection),
                        source_status.find_global_pause(connection),
                    )
        if opts.all:
            return self._resume_all(catalog, known, everything)
        [source] = find_sources(catalog, [opts.id])
        return self._resume_one(catalog, source, known.get(source.id, source_status.SourceState()), everything)

    def _resume_all(self, catalog: Catalog, known: dict[str, SourceState], everything: SourceState | None) -> int:
        from rori_spiders.ledger.operations import source_status
        from rori_spiders.schedule import blocked_reason

        if everything is not None:
            self._resume(source_status.ALL_SOURCES)
        print_hint("Resumed all sources." if everything else "`scrapy pause --all` was not in effect.")
        active = [one for one in catalog.sources if one.status in {"active", "paused"}]
        still = [one.id for one in active if blocked_reason(one, known.get(one.id)) is not None]
        if still:
            more = f" and {len(still) - _SHOWN} more: scrapy sources" if len(still) > _SHOWN else ""
            print(f"Still paused, individually or by the manifest: {', '.join(still[:_SHOWN])}{more}")
        return 0

    def _resume_one(self, catalog: Catalog, source: Source, state: SourceState, everything: SourceState | None) -> int:
        from rori_spiders.schedule import blocked_reason, explain_schedule

        was_paused = state.paused_by is not None
        if was_paused:
            state = self._resume(source.id)
            print(f"Resumed {source.id}.")
        if (why := blocked_reason(source, state, everything)) is not None:
            by_manifest = blocked_reason(source, None) is not None
            way = (
                "Change its status in the manifest and activate the manifest"
                if by_manifest
                else "Run: scrapy resume --all"
            )
            print(f"{source.id} is still paused: {why}. {name_program(way)}.")
            return 1
        if not was_paused:
            print(f"{source.id} was not paused.")
        print_hint(*explain_schedule(source, state, self.now(), rules=catalog.rules))
        return 0

    def _resume(self, target: str) -> SourceState:
        from rori_spiders.operations import operator_actions

        with open_ledger(self.places.database_url) as ledger, ledger.begin() as connection:
            return operator_actions.resume_source(connection, target, actor=self.person(), now=self.now())
