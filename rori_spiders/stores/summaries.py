"""The files of crawl summaries: written from their rows, never twice with other bytes. Each step can be repeated."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rori_spiders.exceptions import StagingError
from rori_spiders.ledger import summaries

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.stores.base import Store


def write_left(ledger: Ledger, store: Store, *, every: bool = False) -> int:
    """Write the files that their rows still wait for, or with *every* each that is not there; how many.

    Raises StagingError when the staging area cannot be written, or holds another file of that name.
    """
    rows = ledger.read(lambda conn: summaries.every(conn, unwritten=not every))
    written = 0
    for row in rows:
        text = ledger.read(partial(summaries.text_of, path=row.path))
        assert text is not None
        try:
            written += store.write_summary(row.path, text.encode())
        except FileExistsError as error:
            raise StagingError(f"{error}. Find out whose file it is: scrapy verify") from error
        if not row.written:
            ledger.write(partial(summaries.mark_written, path=row.path))
    return written
