"""A corpus run: start one (or find the open one), its sources and hosts, and the context that its steps work with."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit
from uuid import uuid4

from rori_spiders.corpus.site_rules import SiteRules, parse_site_rules
from rori_spiders.exceptions import ActionRefused, UsageError
from rori_spiders.ledger.corpus import published_versions, run_pages, run_states
from rori_spiders.ledger.corpus.page_ids import action_target
from rori_spiders.ledger.corpus.run_states import CorpusRun
from rori_spiders.ledger.operations import activity_log
from rori_spiders.staging.verification.parallel_reads import map_in_threads
from rori_spiders.urls.canonical import host_of, normalise_url

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.corpus.llm_cleaning.batch_cleaning import BatchRecord
    from rori_spiders.corpus.llm_cleaning.cleaning_record import CleaningExchange
    from rori_spiders.corpus.site_rules import SourceSet
    from rori_spiders.crawl.adhoc.messages import FetchedPage, PageNotFetched
    from rori_spiders.fields.extraction.answer_cache import FolderCache
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.llm.client import ModelClient
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source
    from rori_spiders.staging.store import Store

    FetchPages = Callable[[Sequence[str]], AsyncIterator[FetchedPage | PageNotFetched]]
    MapSite = Callable[[CorpusRun], Awaitable[list[Mapping[str, Any]]]]

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class RunContext:
    """A run with everything its steps need. ``model``, ``fetch`` and ``map`` may be None.

    ``answers``: what the model was asked before; None: all is asked. ``batches``: those of questions that are under
    way; None: each question is asked by itself. ``begins_batches``: new ones are wanted, too.
    """

    run: CorpusRun
    ledger: Ledger
    store: Store
    sources: Mapping[str, Source]  # of the run, by id
    now: Callable[[], datetime]
    rules: SiteRules = field(default_factory=SiteRules)  # as they were read when the run began
    model: ModelClient | None = None
    answers: FolderCache[CleaningExchange] | None = None
    batches: FolderCache[BatchRecord] | None = None
    begins_batches: bool = False
    fetch: FetchPages | None = None
    map: MapSite | None = None

    def text(self, digest: str) -> str:
        """Return the text of an object. Raises StagingError."""
        return self.store.get_object(digest).decode()

    async def in_threads(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """What *function* gives of each of *items*, in their order; so many at once as the staging area bears.

        Not in the event loop: while a step blocks that, the process sends no heartbeat.
        """
        threads = self.store.concurrent_reads
        return await asyncio.to_thread(lambda: list(map_in_threads(function, items, threads=threads)))

    def put(self, text: str) -> str:
        """Store *text* as an object; return its hash."""
        return self.store.put_object(text.encode())


# Starting a run, or finding the open one.

FULL, DELTA = "full", "delta"
#: Actors that start drafts without a person: this program after a collection, or another one by a webhook.
MACHINES = (activity_log.SYSTEM, activity_log.HOOK)


def resolve_target(
    catalog: Catalog,
    domain: str,
    ids: Sequence[str] = (),
    site: str | None = None,
    *,
    rules: str = "",
    depth: int | None = None,
) -> dict[str, Any]:
    """Return the target of a run of the corpus *domain*: the sources *ids*, or the site at *site*.

    Without either those that its *rules* name, else all of the domain. *depth*: how many links deep the map of a site
    goes; None: as it does by itself. A site is asked only where somebody names it. Raises UsageError for a source that
    is not known, a corpus without sources, and a *site* that is not on the domain.
    """
    named = named_sources(domain, rules)
    if site is not None:
        if named is not None:
            raise UsageError(f"the site rules of {domain} name its sources: --site is for a domain without one")
        return {"url": _site_on_domain(domain, site), **({} if depth is None else {"depth": depth})}
    known = {source.id: source for source in catalog.sources}
    if lost := [one for one in ids if one not in known]:
        raise UsageError(f"unknown sources: {', '.join(lost)}")
    found = sorted(ids) or sources_of_corpus(catalog, domain, named)
    if not found and named is not None:
        raise ActionRefused(f"no active source is one of those that the site rules of {domain} name (`sources`)")
    if not found:
        raise ActionRefused(
            f"no active source has the domain {domain}. To fetch the site itself, give its start URL: scrapy "
            f"corpus run {domain} --site https://{domain}/"
        )
    return {"sources": found}


def named_sources(domain: str, rules: str) -> SourceSet | None:
    """The sources that the site *rules* of the corpus *domain* name; None where it has those of the domain."""
    return parse_site_rules(rules, f"site rules of {domain}").sources


def sources_of_corpus(catalog: Catalog, domain: str, named: SourceSet | None) -> list[str]:
    """The ids of the sources of the corpus *domain*: those that its site rules name, else all of the domain."""
    if named is not None:
        return named.select(catalog.sources)
    return sorted(source.id for source in catalog.sources if source.domain == domain)


def _site_on_domain(domain: str, site: str) -> str:
    try:
        url = normalise_url(site)
    except ValueError as error:
        raise UsageError(f"{site!r} is not a valid site URL: {error}") from error
    host = urlsplit(url).hostname or ""
    if host != domain and not host.endswith(f".{domain}"):
        raise UsageError(f"{site} is not on {domain}")
    return url


def model_from_settings(settings: Mapping[str, Any]) -> str | None:
    """Return the configured model for a new run; None without one."""
    return str(settings["RORI_LLM_MODEL"]) or None if settings["RORI_LLM_URL"] else None


def sources_of(catalog: Catalog, run: CorpusRun) -> dict[str, Source]:
    """Return the run's sources by id. Raises UsageError for one that the manifest no longer has."""
    known = {source.id: source for source in catalog.sources}
    ids = run.target.get("sources", ())
    if lost := [one for one in ids if one not in known]:
        raise ActionRefused(f"the active manifest no longer has {', '.join(lost)}: cancel the run and start another")
    return {one: known[one] for one in ids}


def hosts_of(run: CorpusRun, sources: Mapping[str, Source]) -> set[str]:
    """Return the hosts of the corpus's pages."""
    if not sources:
        return {host_of(str(run.target["url"]))}
    return {host for one in sources.values() for host in (one.host, one.domain, *one.allowed_hosts)}


def urls_named_by(sources: Iterable[Source]) -> set[str]:
    """Return the normalised URLs that the sources name themselves."""
    return {normalise_url(url) for one in sources for url in (one.url, one.swagger) if url}


def create_run(
    conn: Connection,
    domain: str,
    target: Mapping[str, Any],
    *,
    rules: str,
    model: str | None,
    by: str,
    now: datetime,
    kind: str = FULL,
    found: Sequence[Mapping[str, Any]] = (),
    says: str | None = None,
) -> CorpusRun:
    """Create a run of *domain*, in ``mapping``; or a delta with its pages *found*, in ``page_triage``.

    Raises UsageError when the domain has one that has not ended.
    """
    last = published_versions.latest_version(conn, domain)
    run = CorpusRun(
        run_id=str(uuid4()),
        domain=domain,
        kind=kind,
        state="page_triage" if kind == DELTA else "mapping",
        target=target,
        base_version=last.version if last else None,
        rules=rules,
        model=model,
        triage_object=None,
        requested_by=by,
        started_at=now,
        moved_at=now,
        ended_at=None,
        stopped_in=None,
        says=says,
        worker=None,
        worker_until=None,
    )
    if (other := run_states.begin_run(conn, run)) is not None:
        raise ActionRefused(
            f"the corpus of {domain} has an open run: {other.state}, started by {other.requested_by} "
            f"on {other.started_at:%Y-%m-%d %H:%M} UTC. Resume it, or cancel it"
        )
    run_pages.add_pages(conn, run.run_id, found)
    details = {"run_id": run.run_id, "kind": kind, **target}
    activity_log.record_action(
        conn, now=now, actor=by, action="corpus_begin", target=action_target(domain), details=details
    )
    return run
