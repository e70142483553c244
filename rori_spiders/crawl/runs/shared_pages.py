"""Pages that lie in the scopes of two sources: the narrower one collects them, the other follows their links.

The other source asks for such a page itself only where the narrower one does not hold it.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders import schedule
from rori_spiders.crawl.walkers.page_links import find_stored_links
from rori_spiders.exceptions import StagingError
from rori_spiders.items import FrontierUrl
from rori_spiders.ledger.operations import source_status
from rori_spiders.ledger.pages import page_state
from rori_spiders.reasons import Reason, ReasonCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection

    from rori_spiders.crawl.job.job import Job
    from rori_spiders.crawl.runs.run import Run

#: Visits of the narrower source that may fail before its pages are asked for by the other one too.
_MISSED_VISITS = 2


class SettledPages(NamedTuple):
    """Of pages that waited for a narrower source: those that it holds, where these lead, and those to ask for."""

    excluded: list[tuple[FrontierUrl, Reason]]
    linked: list[FrontierUrl]
    unheld: list[FrontierUrl]


async def settle_shared_pages(job: Job, run: Run, waiting: Sequence[FrontierUrl]) -> SettledPages:
    """What becomes of *waiting* pages of *run*, now that the runs of the narrower sources have ended."""
    settled = SettledPages([], [], [])
    held = await job.storage.read(lambda conn: _held_pages(conn, job, run, waiting))
    for visit in waiting:
        stored = held.get(visit.url)
        found = None if stored is None else await _stored_links(job, run, visit, stored)
        if stored is None or found is None:
            settled.unheld.append(visit)
        else:
            settled.excluded.append((visit, Reason(ReasonCode.COLLECTED_BY, source=stored.source_id)))
            settled.linked.extend(found)
    return settled


class _StoredPage(NamedTuple):
    source_id: str
    raw_object: str


def _held_pages(conn: Connection, job: Job, run: Run, waiting: Iterable[FrontierUrl]) -> Mapping[str, _StoredPage]:
    """By URL, the pages that the narrower sources hold, and have seen by their last visits."""
    urls_of: defaultdict[str, list[str]] = defaultdict(list)
    for visit in waiting:
        if (owner := run.frontier.narrower_source(visit.url)) is not None:
            urls_of[owner].append(visit.url)
    held: dict[str, _StoredPage] = {}
    for owner, urls in urls_of.items():
        interval = schedule.check_interval(job.manifests.catalog.source(owner), source_status.load_state(conn, owner))
        since = job.now() - _MISSED_VISITS * interval
        for url, state in page_state.load_page_states(conn, owner, urls).items():
            seen_at = state.page.last_seen_at
            if state.held is not None and seen_at is not None and seen_at >= since and not state.page.missing_since:
                held[url] = _StoredPage(owner, state.held.raw_object)
    return held


async def _stored_links(job: Job, run: Run, visit: FrontierUrl, stored: _StoredPage) -> list[FrontierUrl] | None:
    """Where the page leads in the scope of *run*, by its stored bytes; None when these cannot be read."""
    try:
        body = await job.storage.run(partial(job.storage.store.get_object, stored.raw_object))
    except (OSError, StagingError):
        return None
    found = await find_stored_links(job, run.scope, body, visit.url)
    return [
        FrontierUrl(
            run.run_id,
            run.source_id,
            url,
            depth=visit.depth + (url != found.next_url),
            found_on=visit.url,
            found_by="link",
        )
        for url in found.links
    ]
