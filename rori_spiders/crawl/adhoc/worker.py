"""The worker process of ad hoc fetches: `python -m rori_spiders.crawl.adhoc.worker ACTOR [NAME=VALUE ...]`."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from typing import BinaryIO

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.spiderloader import DummySpiderLoader
from scrapy.utils.conf import closest_scrapy_cfg
from scrapy.utils.project import get_project_settings

from rori_spiders.configuration.active_manifest import load_active_catalog
from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.configuration.locations import Locations
from rori_spiders.configuration.setting_values import apply_setting_types
from rori_spiders.crawl.adhoc.fetch_spider import FetchSpider
from rori_spiders.crawl.adhoc.messages import CLIENT_MESSAGE, LINE_BYTES, ClientMessage, WorkerMessage, encode_message
from rori_spiders.crawl.job.job import Job
from rori_spiders.exceptions import RoriError


class MessagePipe:
    """Both ends of the pipe, in the event loop that runs when they are used first."""

    def __init__(self, requests: BinaryIO, replies: BinaryIO) -> None:
        self._requests = requests
        self._replies = replies
        self._writer: asyncio.StreamWriter | None = None
        self._opening = asyncio.Lock()  # a second transport of the pipe would close it when it goes

    async def messages(self) -> AsyncIterator[ClientMessage]:
        """What the program asks for, until it closes its end, or dies."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=LINE_BYTES, loop=loop)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader, loop=loop), self._requests)
        while message := await reader.readline():
            yield CLIENT_MESSAGE.validate_json(message)

    async def report(self, message: WorkerMessage) -> None:
        """Send *message*; waits while the program does not read. A caller that has gone gets nothing more."""
        async with self._opening:
            if self._writer is None:
                loop = asyncio.get_running_loop()
                transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, self._replies)
                self._writer = asyncio.StreamWriter(transport, protocol, None, loop)
        if self._writer.is_closing():
            return
        self._writer.write(encode_message(message))
        try:
            await self._writer.drain()
        except ConnectionError:
            self._writer.close()


def main(actor: str, *overrides: str) -> int:
    replies = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    return serve_fetches(MessagePipe(sys.stdin.buffer, replies), actor, *overrides)


def serve_fetches(pipe: MessagePipe, actor: str, *overrides: str) -> int:
    """Fetch what *pipe* asks for until it ends; return the exit code. *overrides*: settings, NAME=VALUE."""
    settings = get_project_settings()
    settings.setdict(dict(one.split("=", 1) for one in overrides), priority="cmdline")
    # The project's loader would read the manifest a second time, for spiders that are not started here.
    settings.set("SPIDER_LOADER_CLASS", DummySpiderLoader, priority="cmdline")
    try:
        apply_setting_types(settings)
        places = Locations.from_settings(settings, closest_scrapy_cfg())
        with open_existing_ledger(places) as ledger:
            catalog = load_active_catalog(places, ledger)
        process = AsyncCrawlerProcess(settings)
        crawler = process.create_crawler(FetchSpider)
        process.crawl(crawler, catalog=catalog, messages=pipe.messages(), report=pipe.report, actor=actor)
        process.start()
        job = Job.of(crawler)
        job.raise_problem()
    except RoriError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
