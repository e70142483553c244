"""``scrapy resume``: take back a pause by a person or by the breaker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.inforce import existing_ledger, read_in_force
from rori_spiders.ledger import actions, sources
from rori_spiders.ledger.database import open_ledger
from rori_spiders.schedule import explain, hindrance
from rori_spiders.terminal.command import RoriCommand, known_sources

if TYPE_CHECKING:
    import argparse

    from rori_spiders.ledger.sources import SourceState


class Resume(RoriCommand):
    examples = ("scrapy resume hud-fha",)

    def syntax(self) -> str:
        return "ID"

    def short_desc(self) -> str:
        return "Let schedules collect a paused source again"

    def long_desc(self) -> str:
        return (
            "Takes back what `scrapy pause` or the breaker did, and sets the count of failures to zero. What the "
            "manifest itself pauses or retires stays so: the manifest wins."
        )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("id", metavar="ID", help="a source of the manifest in force")

    def answer(self, opts: argparse.Namespace) -> int:
        state = sources.SourceState()
        with existing_ledger(self.places) as ledger:
            catalog = read_in_force(self.places, ledger)
            [source] = known_sources(catalog, [opts.id])
            if ledger is not None:
                with ledger.connect() as connection:
                    state = sources.state_of(connection, source.id)
        was_paused = state.paused_by is not None
        if was_paused:
            state = self._resume(source.id)
            print(f"{source.id} is resumed.")
        if (why := hindrance(source, state)) is not None:
            print(f"{source.id} stays as it is: {why}. Change its status in the manifest, and activate that.")
            return 1
        if not was_paused:
            print(f"{source.id} was not paused.")
        print("\n".join(explain(source, state, self.now(), rules=catalog.rules)))
        return 0

    def _resume(self, source_id: str) -> SourceState:
        ledger = open_ledger(self.places.database_url)
        try:
            with ledger.begin() as connection:
                sources.resume(connection, source_id)
                actions.record(connection, now=self.now(), actor=self.person(), action="resume", target=source_id)
                return sources.state_of(connection, source_id)
        finally:
            ledger.close()
