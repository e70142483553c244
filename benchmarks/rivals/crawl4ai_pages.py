"""crawl4ai's HTTP crawler, with its own main content and markdown: `crawl4ai_pages.py URLS FOLDER`."""

import asyncio
import sys
from pathlib import Path

from crawl4ai import AsyncWebCrawler, CacheMode, CrawlerRunConfig, MemoryAdaptiveDispatcher
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy
from crawl4ai.content_filter_strategy import PruningContentFilter
from crawl4ai.markdown_generation_strategy import DefaultMarkdownGenerator
from page_documents import write_json


async def main(urls: list[str], folder: str) -> None:
    config = CrawlerRunConfig(
        cache_mode=CacheMode.BYPASS,
        markdown_generator=DefaultMarkdownGenerator(content_filter=PruningContentFilter()),
        stream=True,
        verbose=False,
    )
    dispatcher = MemoryAdaptiveDispatcher(max_session_permit=16)
    async with AsyncWebCrawler(crawler_strategy=AsyncHTTPCrawlerStrategy()) as crawler:
        async for result in await crawler.arun_many(urls, config=config, dispatcher=dispatcher):
            if not result.success:
                print(f"{result.url}: {result.error_message}", file=sys.stderr)
                continue
            markdown = result.markdown.fit_markdown or result.markdown.raw_markdown
            write_json(result.url, (result.metadata or {}).get("title") or "", markdown, folder)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]).read_text().split(), sys.argv[2]))
