"""``scrapy view``: Scrapy's command, which fails where no response came."""

from __future__ import annotations

from scrapy.commands.view import Command as ScrapyView

from rori_spiders.terminal.commands.fetch import OneFetch


class View(OneFetch, ScrapyView):
    """``scrapy view URL``: under the same robots.txt, rate limits and leases as a collection."""

    def short_desc(self) -> str:
        return "Fetch a URL politely and open it in a browser"

    def long_desc(self) -> str:
        return (
            "Requests a URL by plain HTTP, under the robots.txt and rate limits of a collection, and opens what was "
            "received in your browser, which loads images and scripts itself. Stages nothing."
        )
