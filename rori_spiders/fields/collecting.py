"""The fields of a source drawn from the texts that are staged of it, merged, and kept with their history.

In: a store, what the model is asked by, a source. Out: what became of it. When a page could not be drawn, nothing is
kept of the whole: a value that was not looked for everywhere has neither changed nor ended.

What changed is a line of ``_fields.jsonl``: kept with the values in one transaction, then appended. Whatever is killed
between the two, the next run begins with what is left.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rori_spiders import reviews
from rori_spiders.exceptions import StagingError
from rori_spiders.fields.lines import next_line
from rori_spiders.fields.merge import is_complete, merge_all, values_of
from rori_spiders.fields.page import Page
from rori_spiders.ledger.pages import field_history
from rori_spiders.ledger.pages import field_history as kept
from rori_spiders.llm.client import MAX_CONCURRENT_QUESTIONS
from rori_spiders.staging.ledger_logs import log_pending_fields

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.fields.asking import Asker
    from rori_spiders.fields.drawing import Drawing
    from rori_spiders.fields.record import Record
    from rori_spiders.ledger.pages.field_history import FieldChange
    from rori_spiders.manifest.models import Source
    from rori_spiders.staging.store import Store


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a source's fields: its pages' drawings, the merged record, what has changed since last time."""

    source_id: str
    drawings: tuple[Drawing, ...]
    record: Record
    changed: tuple[FieldChange, ...] = ()

    @property
    def failed(self) -> tuple[Drawing, ...]:
        return tuple(one for one in self.drawings if one.state == "failed")


class Collecting:
    """Draws the fields of sources, one source after the other."""

    def __init__(self, store: Store, asker: Asker) -> None:
        self._store = store
        self._asker = asker
        self._ledger = asker.ledger

    async def finish_left(self) -> int:
        """Append the lines that runs before this one have left; how many. Raises StagingError."""
        return await asyncio.to_thread(log_pending_fields, self._ledger, self._store)

    async def of_source(self, source: Source, now: datetime) -> Outcome:
        """The fields of *source*, of the newest text of each page that is held. Raises StagingError, ConfigError."""
        pages = await asyncio.to_thread(self._pages, source.id)
        room = asyncio.Semaphore(MAX_CONCURRENT_QUESTIONS)

        async def drawn(url: str, body_object: str) -> Drawing:
            async with room:
                body = await asyncio.to_thread(self._body, url, body_object)
                return await self._asker.draw(Page(body, url), source.fields)

        drawings = tuple(await asyncio.gather(*(drawn(*page) for page in pages)))
        record = merge_all((one.record for one in drawings), source.fields)
        outcome = Outcome(source.id, drawings, record)
        if not drawings or outcome.failed:
            return outcome
        changed = await asyncio.to_thread(self._ledger.write, lambda conn: _keep(conn, source, drawings, record, now))
        await asyncio.to_thread(log_pending_fields, self._ledger, self._store, source.id)
        return Outcome(source.id, drawings, record, tuple(changed))

    def _pages(self, source_id: str) -> list[tuple[str, str]]:
        with self._ledger.connect() as conn:
            return kept.list_source_texts(conn, source_id)

    def _body(self, url: str, body_object: str) -> str:
        try:
            return self._store.get_object(body_object).decode("utf-8", "replace")
        except FileNotFoundError:
            raise StagingError(
                f"{self._store.location}: the text of {url}, object {body_object}, is not there. Restore it from a"
                " backup, or name the right staging area with RORI_STAGING."
            ) from None


def _keep(
    conn: Connection, source: Source, drawings: Sequence[Drawing], record: Record, now: datetime
) -> list[FieldChange]:
    values = values_of(record, source.fields)
    by_field = {
        field.name: [one.model_dump(mode="json") for one in record.found if one.field == field.name]
        for field in source.fields
    }
    first = drawings[0]
    drawn = kept.ExtractedRecord(
        values=values,
        found=by_field,
        record=record.model_dump_json(),
        pages=len(drawings),
        complete=is_complete(values, source.fields),
        schema_hash=first.schema_hash,
        model=first.model,
        prompt_version=first.prompt_version,
    )
    changed = kept.save_record(conn, source.id, drawn, now=now)
    line = next_line(
        field_history.newest_line(conn, source.id),
        source.id,
        drawn,
        record,
        kept.current_values(conn, source.id),
        now=now,
    )
    if line is not None:
        seq, text = line
        field_history.add_line(conn, (source.id, seq), text, now=now)
    reviews.note_fields(conn, source.id, [one.field for one in changed if one.because == kept.PAGE], now=now)
    return changed
