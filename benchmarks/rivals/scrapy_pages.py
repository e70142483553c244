"""Plain Scrapy: `scrapy_pages.py URLS FOLDER PROCESSES`. Pages are converted in the callback, or in a process pool."""

import asyncio
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import scrapy
from page_documents import write_document
from scrapy.crawler import CrawlerProcess

URLS, FOLDER, PROCESSES = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])


class PagesSpider(scrapy.Spider):
    name = "pages"

    async def start(self):
        self.pool = ProcessPoolExecutor(PROCESSES) if PROCESSES else None
        for url in URLS.read_text().split():
            yield scrapy.Request(url)

    async def parse(self, response):
        if self.pool is None:
            write_document(response.url, response.text, FOLDER)
        else:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self.pool, write_document, response.url, response.text, FOLDER)

    def closed(self, reason):
        if self.pool is not None:
            self.pool.shutdown()


if __name__ == "__main__":
    process = CrawlerProcess(
        {
            "LOG_LEVEL": "WARNING",
            "CONCURRENT_REQUESTS": 16,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
            "DOWNLOAD_DELAY": 0,
            "ROBOTSTXT_OBEY": False,
            "TELNETCONSOLE_ENABLED": False,
        }
    )
    process.crawl(PagesSpider)
    process.start()
