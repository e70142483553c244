"""The Python API of S2: fields from one page, from many, or from a site until nothing is missing.

    from rori_spiders.fields import Scraper, define_fields

    async with Scraper() as scraper:
        result = await scraper.scrape(url, define_fields(["apr:number:annual percentage rate"]))
        async for result in scraper.crawl(start, fields, max_pages=20):
            ...

Pages come from a process that fetches them as a collection does. ``scrape``, ``scrape_many`` and ``crawl`` do the
same for programs without an event loop.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict
from scrapy.utils.conf import closest_scrapy_cfg

from rori_spiders.content.dom_names import names
from rori_spiders.crawl.adhoc.fetcher import FetchDone, Fetcher, FetchStream, PageNotFetched
from rori_spiders.crawl.adhoc.fetcher import FetchedPage as Fetched
from rori_spiders.fields.config import ScraperConfig, command_line_settings, load_config, settings_for
from rori_spiders.fields.extraction.extractor import Extractor, open_extractor
from rori_spiders.fields.extraction.page_extraction import Estimate  # noqa: TC001  # pydantic reads it when it runs
from rori_spiders.fields.grounding.page import Page
from rori_spiders.fields.records import Record, is_complete, merge_results, value_at, values_of
from rori_spiders.fields.schema import fields_of_model
from rori_spiders.urls.canonical import normalise_url

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence

    from scrapy.settings import BaseSettings

    from rori_spiders.crawl.adhoc.forked_worker import ForkedWorker
    from rori_spiders.fields.schema import Value
    from rori_spiders.llm.budget import Spending
    from rori_spiders.llm.model import Model
    from rori_spiders.manifest.models import FieldDefinition

    Fields = Sequence[FieldDefinition] | type[BaseModel]


M = TypeVar("M", bound=BaseModel)


class ScrapeResult(BaseModel):
    """Result of one page. With ``success``, ``data`` has each field's value (None where the page has none) and
    ``record`` their quotes. Otherwise ``error`` has the reason: ``code: sentence``.
    """

    model_config = ConfigDict(frozen=True)

    url: str
    success: bool
    data: dict[str, Any] = {}
    record: Record = Record()
    error: str | None = None
    final_url: str | None = None
    title: str | None = None
    tier: str | None = None
    status: int | None = None
    estimate: Estimate | None = None  # of a scraper that only estimates: what the page would take

    def to_model(self, model: type[M]) -> M:
        """Return ``data`` as a *model*. Raises pydantic's ValidationError, as where a required value was not found.

        An object that need not be there, and lacks a value that it must have, is left out; ``data`` has what was found.
        """
        return model.model_validate(_without_gaps(self.data, fields_of_model(model)))


@dataclass(slots=True)
class CrawlState:
    """State of a crawl: the merged record, and the outcome of each URL."""

    fields: Sequence[FieldDefinition]
    merged: Record = field(default_factory=Record)
    pages: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # address -> why
    excluded: dict[str, str] = field(default_factory=dict)

    @property
    def data(self) -> dict[str, Value]:
        return values_of(self.merged, self.fields)

    @property
    def is_complete(self) -> bool:
        return is_complete(self.data, self.fields)

    def take(self, result: ScrapeResult) -> None:
        """Merge the result of a page; the first value of a field stays."""
        self.pages.append(result.url)
        self.merged = merge_results(self.merged, result.record, self.fields)


class Crawl:
    """Async iterator over the results of a crawl; ``state`` has its progress. Leaving the loop stops the crawl."""

    def __init__(self, results: AsyncGenerator[ScrapeResult, None], state: CrawlState) -> None:
        self._results = results
        self.state = state

    def __aiter__(self) -> AsyncGenerator[ScrapeResult, None]:
        return self._results

    async def __anext__(self) -> ScrapeResult:
        return await anext(self._results)

    async def aclose(self) -> None:
        await self._results.aclose()


class Scraper:
    """Fetch pages and extract fields. Use it with ``async with``, which closes its process, browser and client."""

    def __init__(
        self,
        config: ScraperConfig | None = None,
        *,
        folder: Path | None = None,
        settings: BaseSettings | None = None,
        only_estimate: bool = False,
        forked: ForkedWorker | None = None,
        **overrides: Any,
    ) -> None:
        """*overrides*: as for ``load_config``. *folder*: the project's folder or one below it (default: the current).

        *settings*: those of a command; by default the project's. *only_estimate*: pages are fetched, and their results
        have an ``estimate`` instead of values; the model is not asked. *forked*: a fetch process that has started.
        Raises ConfigError.
        """
        self.config = load_config(**{**(config.model_dump() if config is not None else {}), **overrides})
        self._folder = folder or Path.cwd()
        self._settings = settings
        self._only_estimate = only_estimate
        self._forked = forked
        self._opened: AsyncExitStack | None = None
        self._fetcher: Fetcher
        self._asker: Extractor

    async def __aenter__(self) -> Self:
        settings = settings_for(self.config, self._settings)
        async with AsyncExitStack() as stack:
            keys = [one.get_secret_value() for one in self.config.api_keys]
            cfg = closest_scrapy_cfg(self._folder)
            self._asker = await stack.enter_async_context(
                open_extractor(settings, cfg, keys, max_usd=self.config.max_usd)
            )
            self._fetcher = await stack.enter_async_context(
                Fetcher(folder=self._folder, settings=command_line_settings(settings), forked=self._forked)
            )
            self._opened = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened.aclose()

    # --- three ways -----------------------------------------------------------------------------------------------

    async def scrape(self, url: str, fields: Fields) -> ScrapeResult:
        """Extract *fields*, or those of a pydantic model, from one page."""
        self._ensure_entered()
        fields = _definitions(fields)
        async with self._fetcher.open_fetch(url, tiers=self._tiers) as stream:
            async for result in stream:
                if isinstance(result, Fetched):
                    return await self._extract_page(result, fields)
                if isinstance(result, PageNotFetched) or result.state != "complete":
                    return _failed_result(url, result)
        raise AssertionError("the fetch of a page ended without a result")

    async def scrape_many(self, urls: Iterable[str], fields: Fields) -> AsyncGenerator[ScrapeResult, None]:
        """Extract *fields* from each of *urls*; yield results as they arrive. A repeated URL is fetched once."""
        self._ensure_entered()
        fields = _definitions(fields)
        waiting = list({_url_key(url): url for url in reversed(list(urls))}.values())
        running: set[asyncio.Task[ScrapeResult]] = set()
        try:
            while waiting or running:
                while waiting and len(running) < self.config.at_once:
                    running.add(asyncio.ensure_future(self.scrape(waiting.pop(), fields)))
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for one in done:
                    yield one.result()
        finally:
            for one in running:
                one.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    def crawl(
        self, start_url: str, fields: Fields, max_pages: int | None = None, max_depth: int | None = None
    ) -> Crawl:
        """Crawl from *start_url* on its host and extract *fields*, until no field is missing.

        Breadth first; links with a keyword of a missing field come first. Yields a result for each page that was
        fetched or failed; ``state`` of the returned crawl has the merged record and the excluded URLs.
        """
        self._ensure_entered()
        state = CrawlState(_definitions(fields))
        return Crawl(self._crawling(start_url, state, max_pages, max_depth), state)

    async def _crawling(
        self, start_url: str, state: CrawlState, max_pages: int | None, max_depth: int | None
    ) -> AsyncGenerator[ScrapeResult, None]:
        wanted = {
            "follow": True,
            "tiers": self._tiers,
            "max_pages": max_pages or self.config.max_pages,
            "max_depth": self.config.max_depth if max_depth is None else max_depth,
            "ahead": self.config.at_once,
            "keywords": keywords_for_missing_fields(state.fields, state.data),
        }
        async with self._fetcher.open_fetch(start_url, **wanted) as stream:
            async for fetched in stream:
                if isinstance(fetched, Fetched) and not state.is_complete:
                    result = await self._extract_page(fetched, state.fields)
                    state.take(result)
                    yield result
                    await self._look_on(stream, state)
                elif isinstance(fetched, PageNotFetched) and fetched.state == "excluded":
                    state.excluded[fetched.url] = fetched.reason
                elif isinstance(fetched, PageNotFetched):
                    state.failed[fetched.url] = fetched.reason
                    yield _failed_result(fetched.url, fetched)
                elif isinstance(fetched, Fetched):  # requested before the last missing field was found
                    state.excluded[fetched.url] = "complete"
                elif fetched.state == "refused":
                    state.failed[start_url] = fetched.reason
                    yield _failed_result(start_url, fetched)

    async def _look_on(self, stream: FetchStream, state: CrawlState) -> None:
        if state.is_complete:
            await stream.stop("complete")
        else:
            stream.keywords = keywords_for_missing_fields(state.fields, state.data)

    # --- what they share ------------------------------------------------------------------------------------------

    async def _extract_page(self, fetched: Fetched, fields: Sequence[FieldDefinition]) -> ScrapeResult:
        page = Page(fetched.body, fetched.url, fetched.title)
        known = {name: getattr(fetched, name) for name in ("url", "final_url", "title", "tier", "status")}
        if self._only_estimate:
            return ScrapeResult(success=True, estimate=self._asker.estimate_page(page, fields), **known)
        result = await self._asker.extract_page(page, fields)
        succeeded = result.state == "drawn"
        return ScrapeResult(
            success=succeeded,
            data=values_of(result.record, fields) if succeeded else {},
            record=result.record,
            error=None if succeeded else f"{result.reason}: {result.says}",
            **known,
        )

    @property
    def model(self) -> Model:
        """The model that is asked, with its prices."""
        self._ensure_entered()
        return self._asker.model

    @property
    def spending(self) -> Spending:
        """What the calls of the model so far took."""
        self._ensure_entered()
        return self._asker.spending

    def _ensure_entered(self) -> None:
        if self._opened is None:
            raise RuntimeError("use it as a context manager: async with Scraper() as scraper")

    @property
    def _tiers(self) -> tuple[str, ...] | None:
        return ("browser",) if self.config.backend == "browser" else None


def _failed_result(url: str, failure: PageNotFetched | FetchDone) -> ScrapeResult:
    """Return the result of a URL that could not be fetched."""
    if isinstance(failure, FetchDone):
        return ScrapeResult(url=url, success=False, error=f"{failure.state}: {failure.reason}")
    return ScrapeResult(url=url, success=False, error=failure.reason, tier=failure.tier, status=failure.status)


def _definitions(fields: Fields) -> Sequence[FieldDefinition]:
    return fields_of_model(fields) if isinstance(fields, type) else fields


def _without_gaps(values: Mapping[str, Value], fields: Iterable[FieldDefinition]) -> dict[str, Value]:
    """*values* without what is None, and without objects that lack a required value of theirs."""
    complete: dict[str, Value] = {}
    for definition in fields:
        value = values.get(definition.name)
        if definition.fields is not None and isinstance(value, dict):
            value = _without_gaps(value, definition.fields)
            lacks = any(one.required and value.get(one.name) in (None, []) for one in definition.fields)
            value = None if lacks and not definition.required else value
        elif definition.fields is not None and definition.is_list:
            value = [_without_gaps(one, definition.fields) for one in value or ()]
        if value is not None:
            complete[definition.name] = value
    return complete


def _url_key(url: str) -> str:
    """Return the normalised URL, by which duplicates are found; an invalid URL as it is."""
    try:
        return normalise_url(url)
    except ValueError:
        return url


# The same three functions for programs without an event loop: each call opens and closes its own scraper.


def scrape(url: str, fields: Fields, **how: Any) -> ScrapeResult:
    """Synchronous ``Scraper.scrape``; *how*: the arguments of ``Scraper``."""
    return next(iter(_iterate_blocking(lambda scraper: scraper.scrape_many([url], fields), how)))


def scrape_many(urls: Iterable[str], fields: Fields, **how: Any) -> Iterator[ScrapeResult]:
    """Synchronous ``Scraper.scrape_many``."""
    return _iterate_blocking(lambda scraper: scraper.scrape_many(urls, fields), how)


def crawl(
    start_url: str, fields: Fields, max_pages: int | None = None, max_depth: int | None = None, **how: Any
) -> Iterator[ScrapeResult]:
    """Synchronous ``Scraper.crawl``."""
    return _iterate_blocking(lambda scraper: aiter(scraper.crawl(start_url, fields, max_pages, max_depth)), how)


def _iterate_blocking(
    begin: Callable[[Scraper], AsyncGenerator[ScrapeResult, None]], how: dict[str, Any]
) -> Iterator[ScrapeResult]:
    with asyncio.Runner() as runner:
        scraper = runner.run(Scraper(**how).__aenter__())
        try:
            results = begin(scraper)
            try:
                while (one := runner.run(_next_result(results))) is not None:
                    yield one
            finally:
                runner.run(results.aclose())
        finally:
            runner.run(scraper.__aexit__())


async def _next_result(results: AsyncGenerator[ScrapeResult, None]) -> ScrapeResult | None:
    return await anext(results, None)


# Which links are followed first: those with a keyword of a field that is still missing.

_WORD = re.compile(r"[^\W\d_]{4,}")
#: Words of field descriptions that are common in URLs and do not characterise a page.
_STOP_WORDS = names(
    "that this with from which what when where their there have page pages site website value number name date list"
    " text type each every other only must shall whether first last"
)


def keywords_for_missing_fields(fields: Iterable[FieldDefinition], values: Mapping[str, Value]) -> tuple[str, ...]:
    """Return the words of the *fields* without a value; a list field always counts as missing."""
    leaves = [leaf for one in fields for leaf in one.leaves]
    wanted = [one for one in leaves if one.is_list or value_at(values, one.name) is None]
    found = (
        word.lower() for one in wanted for word in _WORD.findall(f"{one.name.replace('_', ' ')} {one.description}")
    )
    return tuple(dict.fromkeys(word for word in found if word not in _STOP_WORDS))
