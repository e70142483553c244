"""What a page's end depends on, by the events that Chromium sends: no browser runs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from rori_spiders.crawl.tiers.browser.page_watch import DocumentHead, PageWatch
from rori_spiders.crawl.tiers.errors import RenderTimeout

if TYPE_CHECKING:
    from collections.abc import Callable

URL = "https://www.example.org/data"


class Queue:
    """The place of `SubresourceQueue`: every file is wanted. It leaves at once, or never gets its turn."""

    def __init__(self, *, is_free: bool) -> None:
        self.is_free = is_free

    def is_wanted(self, url: str) -> bool:
        return bool(url)

    async def turn(self, key: str, url: str) -> bool:
        if not self.is_free:
            await asyncio.Event().wait()
        return bool(key and url)

    def may_read(self, url: str) -> bool:
        return bool(url)

    def came(self, key: str) -> None:
        """Nothing is under way."""

    def leave(self) -> None:
        """Nothing is under way."""


class Session:
    """The place of a page, and of CDP's sessions: hands on the events that a test sends."""

    def __init__(self) -> None:
        self.handlers: dict[str, Callable[[Any], None]] = {}
        self.continued = asyncio.Event()

    def on(self, event: str, handler: Callable[[Any], None]) -> None:
        self.handlers[event] = handler

    def remove_listener(self, event: str, handler: Callable[[Any], None]) -> None:
        assert self.handlers.pop(event) is handler

    async def send(self, method: str, arguments: object = None) -> dict[str, Any]:
        if method == "Fetch.continueRequest":
            assert arguments == {"requestId": "interception"}
            await self.continued.wait()
        return {"targetInfo": {"targetId": "page"}}


async def end_after_given_up(waited_s: float, *, is_free: bool = False, left: bool = False) -> BaseException | None:
    """How a page ends whose script gives up on data after *waited_s*; *left*: once Chromium has let that go."""
    session = Session()
    watch = PageWatch(URL, parts=cast("Any", Queue(is_free=is_free)), headers={}, max_bytes=1)
    await watch.begin(cast("Any", Session()), cast("Any", session), cast("Any", session))
    watch.head = DocumentHead(200, [])
    session.handlers["Network.requestWillBeSent"]({"requestId": "7", "timestamp": 100.0})
    paused = {"requestId": "interception", "networkId": "7", "frameId": "page", "resourceType": "Fetch"}
    watch.pauses({**paused, "request": {"url": URL, "method": "GET", "headers": {}}})
    if left:
        session.continued.set()
    for _ in range(5 if is_free else 0):
        await asyncio.sleep(0)
    session.handlers["Network.loadingFailed"]({"requestId": "7", "timestamp": 100.0 + waited_s, "canceled": True})
    error = watch.ended.exception() if watch.ended.done() else None
    await asyncio.sleep(0)
    watch.forget()
    return error


def test_page_watch_script_giving_up_on_delayed_data_fails_page() -> None:
    """Also where all news of it is read at once, and where Chromium has not let it go yet, as on a busy machine."""
    for is_free in (False, True):
        error = asyncio.run(end_after_given_up(0.4, is_free=is_free))
        assert isinstance(error, RenderTimeout), is_free
        assert f"did not wait for {URL}" in str(error)


def test_page_watch_script_giving_up_by_itself_is_no_failure() -> None:
    assert asyncio.run(end_after_given_up(0.01)) is None, "cancelled at once"
    assert asyncio.run(end_after_given_up(0.4, is_free=True, left=True)) is None, "its server did not answer"


class Bytes(Session):
    """A browser that hands out one byte for each answer, and knows what was refused."""

    def __init__(self) -> None:
        super().__init__()
        self.methods: list[str] = []

    async def send(self, method: str, arguments: object = None) -> dict[str, Any]:
        self.methods.append(method)
        return {"stream": "1", "data": "x", "eof": True, "targetInfo": {"targetId": "page"}}


def test_page_watch_documents_of_one_page_are_held_up_to_the_largest_size() -> None:
    async def files_of(count: int) -> tuple[int, list[str]]:
        browser = Bytes()
        watch = PageWatch(URL, parts=cast("Any", Queue(is_free=True)), headers={}, max_bytes=2)
        await watch.begin(cast("Any", browser), cast("Any", browser), cast("Any", browser))
        event: dict[str, Any] = {"requestId": "1", "resourceType": "Fetch", "request": {"url": URL, "method": "GET"}}
        event |= {"responseStatusCode": 200, "responseHeaders": [{"name": "Content-Type", "value": "application/pdf"}]}
        for _ in range(count):
            await watch._part_arrives(event)
        watch.forget()
        return len(watch.files), [method for method in browser.methods if method == "Fetch.failRequest"]

    assert asyncio.run(files_of(2)) == (2, [])
    assert asyncio.run(files_of(5)) == (2, ["Fetch.failRequest"] * 3)
