"""The same three ways for programs without an event loop: each call opens what it needs, and closes it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from rori_spiders.fields.scraper import Scraper

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence

    from rori_spiders.fields.results import ScrapeResult
    from rori_spiders.manifest.models import FieldDefinition

    Fields = Sequence[FieldDefinition]


def scrape(url: str, fields: Fields, **how: Any) -> ScrapeResult:
    """As ``Scraper.scrape``; *how* is what a ``Scraper`` takes."""
    return next(iter(_each(lambda scraper: scraper.scrape_many([url], fields), how)))


def scrape_many(urls: Iterable[str], fields: Fields, **how: Any) -> Iterator[ScrapeResult]:
    """As ``Scraper.scrape_many``: results as they come."""
    return _each(lambda scraper: scraper.scrape_many(urls, fields), how)


def crawl(
    start_url: str, fields: Fields, max_pages: int | None = None, max_depth: int | None = None, **how: Any
) -> Iterator[ScrapeResult]:
    """As ``Scraper.crawl``: results as they come."""
    return _each(lambda scraper: aiter(scraper.crawl(start_url, fields, max_pages, max_depth)), how)


def _each(
    begin: Callable[[Scraper], AsyncGenerator[ScrapeResult, None]], how: dict[str, Any]
) -> Iterator[ScrapeResult]:
    with asyncio.Runner() as runner:
        scraper = runner.run(Scraper(**how).__aenter__())
        try:
            results = begin(scraper)
            try:
                while (one := runner.run(_next(results))) is not None:
                    yield one
            finally:
                runner.run(results.aclose())
        finally:
            runner.run(scraper.__aexit__())


async def _next(results: AsyncGenerator[ScrapeResult, None]) -> ScrapeResult | None:
    return await anext(results, None)
