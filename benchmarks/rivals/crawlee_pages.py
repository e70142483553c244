"""Crawlee's HTTP crawler: `crawlee_pages.py URLS FOLDER`.

Pages are converted in its handler; the queue is in memory.
"""

import asyncio
import logging
import sys
from datetime import timedelta
from pathlib import Path

from crawlee import ConcurrencySettings, service_locator
from crawlee.crawlers import HttpCrawler, HttpCrawlingContext
from crawlee.storage_clients import MemoryStorageClient
from page_documents import write_document


async def main(urls: list[str], folder: str) -> None:
    service_locator.set_storage_client(MemoryStorageClient())
    crawler = HttpCrawler(
        concurrency_settings=ConcurrencySettings(desired_concurrency=16, max_concurrency=16),
        request_handler_timeout=timedelta(minutes=5),
        max_request_retries=1,
        configure_logging=False,
    )

    @crawler.router.default_handler
    async def handle(context: HttpCrawlingContext) -> None:
        body = await context.http_response.read()
        write_document(context.request.url, body.decode("utf-8", "replace"), folder)

    await crawler.run(urls)


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(main(Path(sys.argv[1]).read_text().split(), sys.argv[2]))
