"""What is read of the engine's private parts."""

from types import SimpleNamespace
from typing import Any

from scrapy import Request
from scrapy.core.scraper import Slot
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from rori_spiders.crawl.scrapy_internals import engine


def test_is_held_back_follows_the_bytes_of_responses_in_progress() -> None:
    crawler: Any = get_crawler()
    assert not engine.is_held_back(crawler), "there is no engine yet"
    slot = Slot(max_active_size=5000)
    crawler._engine = SimpleNamespace(scraper=SimpleNamespace(slot=slot))
    assert not engine.is_held_back(crawler)
    request = Request("https://www.example.org/")
    slot.add_response_request(Response(request.url, body=b"x" * 5001), request)
    assert engine.is_held_back(crawler)
    slot.next_response_request_deferred()
    slot.finish_response(Response(request.url, body=b"x" * 5001), request)
    assert not engine.is_held_back(crawler)
