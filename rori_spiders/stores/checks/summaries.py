"""Crawl summaries: each row with its file, byte by byte, and each file with its row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.ledger import summaries
from rori_spiders.stores.checks.finding import Finding
from rori_spiders.stores.recovery import live_jobs

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from datetime import datetime

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.stores.base import Store


def check_summaries(ledger: Ledger, store: Store, now: datetime, counts: Counter[str]) -> Iterator[Finding]:
    """Every summary's file against its row, and the reverse."""
    with ledger.connect() as conn:
        rows, live = summaries.every(conn), live_jobs(conn, now)
    for row in rows:
        counts["summaries"] += 1
        if not row.written and row.job_id in live:
            continue
        with ledger.connect() as conn:
            text = summaries.text_of(conn, row.path)
        try:
            if store.read_summary(row.path).decode(errors="replace") != text:
                yield Finding("summary_changed", row.path, "is not the summary that was written")
        except FileNotFoundError:
            yield Finding("summary_missing", row.path, f"the summary of run {row.run_id} is missing", repairable=True)
    known = {row.path for row in rows}
    for path in store.summaries():
        if path not in known:
            yield Finding("summary_without_row", path, "the ledger does not know this summary")
