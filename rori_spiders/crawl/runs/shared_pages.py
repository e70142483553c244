"""Pages of two sources: one collects them, the other follows their links, and asks only for what that one lacks.

Of two scopes, the narrower collects; of two searches of the Federal Register, the one that named a document first.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from rori_spiders import schedule
from rori_spiders.content.documents.file_types import kind_of
from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.page_request import StoredPage
from rori_spiders.crawl.runs.run import Run
from rori_spiders.crawl.tiers.official.federal_register import parse_search
from rori_spiders.crawl.tiers.order import OFFICIAL
from rori_spiders.crawl.walkers.page_links import find_stored_links
from rori_spiders.items import FrontierUrl
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.operations import source_status
from rori_spiders.ledger.pages import page_state
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.models import Source
from rori_spiders.manifest.scope import NarrowerScopes
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls.canonical import url_hash

#: Visits of the other source that may fail before its pages are asked for by this one too.
_MISSED_VISITS = 2


def find_other_source(conn: Connection, job: Job, source: Source) -> Callable[[str], str | None]:
    """Which other source collects the page at a URL of *source*, as far as is known when its run begins."""
    catalog = job.manifests.catalog
    narrower = NarrowerScopes(catalog, source)
    if parse_search(source.url) is None:
        return narrower.source_of
    own = page_state.load_confirmable_pages(conn, source.id, OFFICIAL)
    held = {
        key: other.id
        for other in _other_searches(catalog, source)
        for key in page_state.load_confirmable_pages(conn, other.id, OFFICIAL)
    }

    def document_owner(url: str) -> str | None:
        key = url_hash(url)
        if key in own:
            return None
        owner = narrower.source_of(url) or held.get(key) or job.claimed_documents.get(key)
        return None if owner == source.id else owner

    return document_owner


def _other_searches(catalog: Catalog, source: Source) -> list[Source]:
    searches = (one for one in catalog.sources if one.status == "active" and parse_search(one.url) is not None)
    return [one for one in searches if one.id != source.id]


def is_awaited(job: Job, run: Run, visit: FrontierUrl) -> bool:
    """Whether a run in progress may still bring the page that *visit*, of *run*, waits for.

    A document is waited for while its request is out: two searches may each wait for what the other one asks for.
    """
    owner, key = run.frontier.other_source(visit.url), url_hash(visit.url)
    is_search = parse_search(run.source.url) is not None
    return any(
        other.source_id == owner and (other.frontier.is_pending(key) or not is_search) for other in job.runs.values()
    )


class SettledPages(NamedTuple):
    """Of pages that waited for another source: those that it holds, where these lead, and those to ask for.

    ``stored``: by URL, what answers the requests for start pages that it holds.
    """

    excluded: list[tuple[FrontierUrl, Reason]]
    linked: list[FrontierUrl]
    to_ask: list[FrontierUrl]
    stored: dict[str, StoredPage]


async def settle_shared_pages(job: Job, run: Run, waiting: Sequence[FrontierUrl]) -> SettledPages:
    """What becomes of *waiting* pages of *run*, now that no run in progress may bring them any more."""
    settled = SettledPages([], [], [], {})
    held = await job.storage.read(lambda conn: _held_pages(conn, job, run, waiting))
    for visit in waiting:
        stored = held.get(visit.url)
        body = None if stored is None else await job.storage.load_object(stored.raw_object)
        if stored is None or body is None:
            settled.to_ask.append(visit)
        elif visit.found_by == "start":  # it leads to sitemaps, feeds and links: the walker reads it
            settled.to_ask.append(visit)
            if kind_of(body, None) == "html":
                settled.stored[visit.url] = stored
        else:
            found = await _stored_links(job, run, visit, body)
            settled.excluded.append((visit, Reason(ReasonCode.COLLECTED_BY, source=stored.source_id)))
            settled.linked.extend(found)
    return settled


def _held_pages(conn: Connection, job: Job, run: Run, waiting: Iterable[FrontierUrl]) -> Mapping[str, StoredPage]:
    """By URL, the pages that other sources hold, and have seen by their last visits; documents are final."""
    urls_of: defaultdict[str, list[str]] = defaultdict(list)
    for visit in waiting:
        if (owner := run.frontier.other_source(visit.url)) is not None:
            urls_of[owner].append(visit.url)
    starts = {visit.url for visit in waiting if visit.found_by == "start"}
    is_final = parse_search(run.source.url) is not None
    held: dict[str, StoredPage] = {}
    for owner, urls in urls_of.items():
        interval = schedule.check_interval(job.manifests.catalog.source(owner), source_status.load_state(conn, owner))
        since = job.now() - _MISSED_VISITS * interval
        for url, state in page_state.load_page_states(conn, owner, urls).items():
            seen_at = state.page.last_seen_at
            is_recent = is_final or (seen_at is not None and seen_at >= since)
            if state.held is not None and is_recent and not state.page.missing_since:
                content_type = _content_type(conn, owner, url) if url in starts else None
                held[url] = StoredPage(owner, state.held.raw_object, content_type)
    return held


def _content_type(conn: Connection, source_id: str, url: str) -> str | None:
    rows = audit_log.query_rows(conn, source_id=source_id, url=url, state="captured", limit=1)
    return next((audit_log.recorded_content_type(row["response_headers"]) for row in rows), None)


async def _stored_links(job: Job, run: Run, visit: FrontierUrl, body: bytes) -> list[FrontierUrl]:
    """Where the page leads in the scope of *run*, by its stored bytes."""
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
