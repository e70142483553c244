"""The session of a ``scrapy corpus`` command: ledger, staging area, active sources, runs of a domain."""

import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from scrapy.settings import BaseSettings
from scrapy.utils.conf import closest_scrapy_cfg

from rori_spiders.configuration.active_manifest import load_active_catalog
from rori_spiders.configuration.locations import Locations, setting_path
from rori_spiders.corpus.llm_cleaning.batch_cleaning import BatchRecord
from rori_spiders.corpus.llm_cleaning.cleaning_record import CleaningExchange
from rori_spiders.corpus.runs.run import RunContext, create_run, model_from_settings, resolve_target, sources_of
from rori_spiders.corpus.site_rules import parse_site_rules, read_rules_file
from rori_spiders.crawl.adhoc.messages import FetchedPage, PageNotFetched
from rori_spiders.exceptions import ActionRefused, UnknownName, UsageError
from rori_spiders.fields.extraction.answer_cache import FolderCache
from rori_spiders.ledger.corpus import run_states
from rori_spiders.ledger.corpus.run_states import CorpusRun
from rori_spiders.ledger.database import Ledger, open_ledger
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.staging.store import Store
from rori_spiders.staging.store_factory import open_store

_DOMAIN = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")


@dataclass(frozen=True)
class CorpusSession:
    """A project opened for corpus commands."""

    settings: BaseSettings
    ledger: Ledger
    store: Store
    catalog: Catalog
    by: str
    now: Callable[[], datetime]

    def begun(
        self,
        domain: str,
        ids: Sequence[str] = (),
        site: str | None = None,
        *,
        depth: int | None = None,
        with_model: bool = True,
    ) -> CorpusRun:
        """Start a run of *domain*. Raises UsageError if a run of it is open."""
        name = model_from_settings(self.settings) if with_model else None
        rules = self.rules_text(domain)
        parameters: dict[str, Any] = {"rules": rules, "model": name, "by": self.by}
        target = resolve_target(self.catalog, domain, ids, site, rules=rules, depth=depth)
        return self.ledger.write(partial(create_run, domain=domain, target=target, now=self.now(), **parameters))

    def rules_text(self, domain: str) -> str:
        """The current site rules of *domain*, validated. Raises UsageError."""
        return read_rules_file(setting_path("RORI_CORPUS_RULES", self.settings, closest_scrapy_cfg()), domain)

    def open_run(self, domain: str) -> CorpusRun | None:
        """The open run of *domain*, or its newest run if that failed, which can be resumed."""
        found = self.ledger.read(partial(run_states.find_open_run, domain=domain))
        newest = self.ledger.read(partial(run_states.newest_run, domain=domain))
        return found or (newest if newest is not None and newest.state == "failed" else None)

    def run_of(self, domain: str) -> CorpusRun:
        """The run of ``open_run``. Raises UsageError if there is none."""
        found = self.open_run(domain)
        if found is None:
            raise UnknownName(f"no open corpus run of {domain}. Start one with: scrapy corpus run {domain}")
        return found

    def run_named(self, domain: str, run_id: str) -> CorpusRun:
        """The resumable run with this id. Raises UsageError if it does not exist or has ended."""
        found = self.ledger.read(partial(run_states.find_run, run_id=run_id))
        if found is None or found.domain != domain:
            raise UnknownName(f"unknown run {run_id} of {domain}: `scrapy corpus status {domain}` lists runs")
        if not found.is_open and found.state != "failed":
            why = f", {found.says}" if found.says else ""
            raise ActionRefused(
                f"the run {run_id} of {domain} has ended: {found.state}{why}. Start a new one without --run"
            )
        return found

    def newest_run(self, domain: str) -> CorpusRun:
        """The newest run of *domain*, open or ended. Raises UsageError if there is none."""
        found = self.ledger.read(partial(run_states.newest_run, domain=domain))
        if found is None:
            raise UnknownName(f"no corpus of {domain}. Start a run with: scrapy corpus run {domain}")
        return found

    def sources(self, run: CorpusRun) -> Mapping[str, Any]:
        return sources_of(self.catalog, run)

    def work(self, run: CorpusRun, **with_: Any) -> RunContext:
        """The context in which *run* is advanced."""
        rules = parse_site_rules(run.rules, f"site rules of {run.domain}")
        return RunContext(run, self.ledger, self.store, sources_of(self.catalog, run), self.now, rules, **with_)


@contextmanager
def open_session(
    settings: BaseSettings, places: Locations, by: str, now: Callable[[], datetime]
) -> Iterator[CorpusSession]:
    """Open the session of a project. Raises UsageError if nothing was collected, LedgerError, ManifestError."""
    with open_ledger(places.database_url, timeout_s=settings.getfloat("RORI_LEDGER_TIMEOUT")) as ledger:
        yield CorpusSession(settings, ledger, open_store(places.staging), load_active_catalog(places, ledger), by, now)


@asynccontextmanager
async def open_model(session: CorpusSession, run: CorpusRun) -> AsyncIterator[Any]:
    """Open the model that *run* started with, or give None. Raises ConfigError, UsageError."""
    if run.model is None:
        yield None
        return
    from rori_spiders.llm.budget import TokenBudget
    from rori_spiders.llm.client import ModelClient
    from rori_spiders.llm.keys import KeyRotator, load_keys
    from rori_spiders.llm.model import load_model

    model = load_model(session.settings)
    if model.name != run.model:
        raise ActionRefused(
            f"this run started with the model {run.model}, but RORI_LLM_MODEL is {model.name}: set it back, or "
            f"cancel the run (scrapy corpus cancel {run.domain} --reason ...)"
        )
    async with ModelClient(model, KeyRotator(load_keys()), TokenBudget(session.ledger, model)) as client:
        yield client


def answer_cache(session: CorpusSession) -> FolderCache[CleaningExchange]:
    """The cache of model answers about corpus texts."""
    from rori_spiders.corpus.llm_cleaning.cleaning_record import CleaningExchange
    from rori_spiders.fields.extraction.answer_cache import FolderCache

    return FolderCache(
        setting_path("RORI_EXTRACTION_CACHE_DIR", session.settings, closest_scrapy_cfg()) / "corpus", CleaningExchange
    )


def batch_records(session: CorpusSession) -> FolderCache[BatchRecord]:
    """The batches of questions about corpus texts that are under way."""
    from rori_spiders.corpus.llm_cleaning.batch_cleaning import BatchRecord
    from rori_spiders.fields.extraction.answer_cache import FolderCache

    folder = setting_path("RORI_EXTRACTION_CACHE_DIR", session.settings, closest_scrapy_cfg()) / "corpus" / "batches"
    return FolderCache(folder, BatchRecord)


@asynccontextmanager
async def start_page_fetcher() -> AsyncIterator[Callable[[Sequence[str]], AsyncIterator[FetchedPage | PageNotFetched]]]:
    """A function that fetches missing pages through a polite crawl process, started with the first page."""
    from rori_spiders.crawl.adhoc.fetcher import Fetcher
    from rori_spiders.crawl.adhoc.messages import FetchDone

    async with Fetcher(folder=Path.cwd()) as fetcher:

        async def fetch(urls: Sequence[str]) -> AsyncIterator[FetchedPage | PageNotFetched]:
            for url in urls:
                async with fetcher.open_fetch(url, with_statements=True) as stream:
                    async for result in stream:
                        if not isinstance(result, FetchDone):
                            yield result
                        elif result.state == "refused":
                            yield _not_fetched(url, result.reason)

        yield fetch


def _not_fetched(url: str, reason: str) -> PageNotFetched:
    from rori_spiders.crawl.adhoc.messages import PageNotFetched

    return PageNotFetched(fetch_id=0, url=url, state="failed", reason=reason)


def parse_domain(text: str) -> str:
    """Normalise a domain from the command line. Raises UsageError."""
    name = text.strip().lower().rstrip(".")
    if not _DOMAIN.fullmatch(name) or ".." in name:
        raise UsageError(f"{text!r} is not a valid domain: expected a name such as www.hud.gov")
    return name
