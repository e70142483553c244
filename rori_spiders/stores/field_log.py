"""The lines of the log of fields: from their rows in the ledger into the staging area, once. It can be repeated."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rori_spiders.ledger import field_lines
from rori_spiders.stores.base import LogLine
from rori_spiders.stores.writing import BATCH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.field_lines import Key
    from rori_spiders.stores.base import Store


def log_due(ledger: Ledger, store: Store, source_id: str | None = None) -> int:
    """Append the lines that are still to be appended, of one source or of all; how many were not there.

    Also those that another process is about to append: whoever comes second finds them there. Raises StagingError.
    """
    due = ledger.read(partial(field_lines.every, unlogged=True, source_id=source_id))
    return append_missing(ledger, store, due)


def append_missing(ledger: Ledger, store: Store, keys: Sequence[Key]) -> int:
    """Append those lines of *keys* that are not there, and mark them all; how many were not there."""
    missing = 0
    for start in range(0, len(keys), BATCH):
        batch = keys[start : start + BATCH]
        texts = [(key[0], ledger.read(partial(field_lines.text_of, key=key))) for key in batch]
        missing += store.append_missing_fields([LogLine(source_id, text) for source_id, text in texts if text])
        ledger.write(partial(field_lines.mark_logged, keys=batch))
    return missing
