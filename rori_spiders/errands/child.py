"""The process that fetches: ``python -m rori_spiders.errands.child ACTOR [NAME=VALUE ...]``.

Errands come in, pages go out. It ends when its input does. Whatever else is printed goes to its errors. Exit codes are
those of the commands.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING, BinaryIO

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.utils.conf import closest_scrapy_cfg
from scrapy.utils.project import get_project_settings

from rori_spiders.configuration.settling import settle
from rori_spiders.errands.spider import FetchSpider
from rori_spiders.exceptions import RoriError
from rori_spiders.fetching.messages import ASKED, LINE_BYTES, line
from rori_spiders.inforce import existing_ledger, read_in_force
from rori_spiders.job import Job
from rori_spiders.places import Places

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from rori_spiders.fetching.messages import Asked, Told


class Pipe:
    """Both ends of the pipe, in the event loop that runs when they are used first."""

    def __init__(self, asked: BinaryIO, told: BinaryIO) -> None:
        self._asked = asked
        self._told = told
        self._writer: asyncio.StreamWriter | None = None

    async def asked(self) -> AsyncIterator[Asked]:
        """What the program asks for, until it closes its end, or dies."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=LINE_BYTES, loop=loop)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader, loop=loop), self._asked)
        while message := await reader.readline():
            yield ASKED.validate_json(message)

    async def tell(self, message: Told) -> None:
        """Send *message*; waits while the program does not read. Who has gone is told nothing more."""
        if self._writer is None:
            loop = asyncio.get_running_loop()
            transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, self._told)
            self._writer = asyncio.StreamWriter(transport, protocol, None, loop)
        if self._writer.is_closing():
            return
        self._writer.write(line(message))
        try:
            await self._writer.drain()
        except ConnectionError:
            self._writer.close()


def main(actor: str, *overrides: str) -> int:
    told = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    pipe = Pipe(sys.stdin.buffer, told)
    settings = get_project_settings()
    settings.setdict(dict(one.split("=", 1) for one in overrides), priority="cmdline")
    try:
        settle(settings)
        places = Places.from_settings(settings, closest_scrapy_cfg())
        with existing_ledger(places) as ledger:
            catalog = read_in_force(places, ledger)
        process = AsyncCrawlerProcess(settings)
        crawler = process.create_crawler(FetchSpider)
        process.crawl(crawler, catalog=catalog, asked=pipe.asked(), tell=pipe.tell, actor=actor)
        process.start()
        job = Job.of(crawler)
        for problem in (job.refused, job.failure):
            if problem is not None:
                raise problem
    except RoriError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
