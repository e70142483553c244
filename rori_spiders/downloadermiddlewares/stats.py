"""Scrapy's counts of requests and responses, without weighing each request: it would be written out anew for that."""

from scrapy import Request
from scrapy.downloadermiddlewares.stats import DownloaderStats


class CountsMiddleware(DownloaderStats):
    """Scrapy's stats middleware without ``downloader/request_bytes``."""

    def process_request(self, request: Request) -> None:  # type: ignore[override]  # Scrapy's takes a spider, once
        self.stats.inc_value("downloader/request_count")
        self.stats.inc_value(f"downloader/request_method_count/{request.method}")
