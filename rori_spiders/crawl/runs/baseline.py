"""The baseline of a source: the number of pages its last complete runs found. A site that broke shows fewer, with
HTTP 200.
"""

from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from sqlalchemy import Connection, select

from rori_spiders.ledger.operations.activity_log import ACCEPT_RUN
from rori_spiders.ledger.tables import actions, runs
from rori_spiders.manifest.models import Source

#: The middle of three: one run that found too much (a trap, a test page's links) does not set the mark.
_BASELINE_RUNS = 3
#: A run that found less of its baseline is suspect (DESIGN §4.3 says the same of a page and its text).
_MIN_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Baseline:
    """Good pages (captured or unchanged) of the last complete runs, newest first."""

    counts: tuple[int, ...]

    @property
    def pages(self) -> float:
        """Their median."""
        return median(self.counts)

    def missed_by(self, good: int) -> dict[str, Any] | None:
        """Details of the reason why a run with *good* pages has too few. None: it has enough."""
        if good >= _MIN_SHARE * self.pages:
            return None
        pages = int(self.pages) if self.pages == int(self.pages) else self.pages
        return {"pages": good, "baseline": pages, "counts": ", ".join(map(str, self.counts))}


def load_baseline(conn: Connection, source: Source, *, before: datetime) -> Baseline | None:
    """What the source's runs that were started *before* then have found; nothing older than what a person accepted.

    None for a single page, and where the manifest says itself what to expect (``expect.min_pages``).
    """
    expect = source.scrape_config.expect
    if source.method == "scrape" or (expect is not None and expect.min_pages is not None):
        return None
    of_run = (actions.c.action == ACCEPT_RUN) & (actions.c.target == runs.c.run_id)
    accepted = select(actions.c.target).where(of_run).exists()
    query = (
        select(runs.c.counts, accepted.label("accepted"))
        .where(runs.c.source_id == source.id, runs.c.state == "complete", runs.c.started_at < before)
        .order_by(runs.c.started_at.desc())
        .limit(_BASELINE_RUNS)
    )
    counts: list[int] = []
    for row in conn.execute(query):
        counts.append(sum((row.counts or {}).get(state, 0) for state in ("captured", "unchanged")))
        if row.accepted:
            break
    return Baseline(tuple(counts)) if counts else None
