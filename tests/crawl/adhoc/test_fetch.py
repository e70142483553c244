"""Ad hoc fetches through a real process and real servers: pages and reasons as they come, nothing staged or rude."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.crawl.adhoc.fetcher import FetchDone, FetchedPage, Fetcher, PageNotFetched
from rori_spiders.crawl.adhoc.worker import MessagePipe
from rori_spiders.crawl.tiers.http.memory_budget import BUDGET_BYTES
from rori_spiders.exceptions import FetchError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.queue import leases
from rori_spiders.reasons import Reason
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from rori_spiders.crawl.adhoc.messages import WorkerMessage
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def prepared(project: Project, site: Site) -> None:
    """A manifest with another source of the site's host: its domain's delay holds for ad hoc fetches, too."""
    project.manifest([source("reg-x", site.at("/reg"), "crawl")], delay_s=0.05)
    site.robots("User-agent: *\nDisallow: /private\n")


def fetcher(project: Project) -> Fetcher:
    return Fetcher(folder=project.folder, env=project.env)


async def all_of(fetching: Fetcher, url: str, **wanted: Any) -> list[WorkerMessage]:
    async with fetching.open_fetch(url, **wanted) as stream:
        return [message async for message in stream]


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 120))


@pytest.mark.filterwarnings("ignore:.*unclosed transport")  # it is closed by the end of the process
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_fetch_reports_that_come_at_once_share_the_pipe() -> None:
    """The first ones of several fetches: none opens the pipe again, which would close it for all of them."""

    async def report_at_once() -> None:
        reader, writer = os.pipe()
        with os.fdopen(reader, "rb") as replies:
            pipe = MessagePipe(replies, os.fdopen(writer, "wb", buffering=0))
            await asyncio.gather(*(pipe.report(FetchDone(fetch_id=one, state="complete")) for one in range(4)))
            gc.collect()
            await pipe.report(FetchDone(fetch_id=4, state="complete"))
            lines = [json.loads(replies.readline()) for _ in range(5)]
        assert sorted(one["fetch_id"] for one in lines) == [0, 1, 2, 3, 4]

    run(report_at_once())


@pytest.mark.usefixtures("forking_python")
def test_fetch_large_pages_give_back_their_room(project: Project, site: Site) -> None:
    prepared(project, site)
    count = 9
    assert count * 4 * 2**20 > BUDGET_BYTES, "the last one waits for those before it"
    for number in range(count):
        site.page(f"/{number}", page(f"Rate {number}", text="The rate is 5.25 %.") + f"<!-- {'x' * 4 * 2**20} -->")

    async def asking() -> None:
        async with fetcher(project) as fetching:
            for number in range(count):
                fetched, _ = await all_of(fetching, site.at(f"/{number}"))
                assert isinstance(fetched, FetchedPage) and fetched.title == f"Rate {number}"

    run(asking())


@pytest.mark.usefixtures("forking_python")
def test_fetch_streams_one_page_at_a_time(project: Project, site: Site, crawl_output: CrawlOutput) -> None:
    prepared(project, site)
    site.page("/rate", page("The rate", text="The rate is 5.25 % since 3 March 2026."))
    site.page("/away", "<h1>Forbidden</h1>", status=403)
    site.redirect("/old", "/rate")

    async def asking() -> None:
        async with fetcher(project) as fetching:
            rate, done = await all_of(fetching, site.at("/rate"))
            assert isinstance(rate, FetchedPage) and isinstance(done, FetchDone) and done.state == "complete"
            assert (rate.url, rate.title, rate.tier, rate.status) == (site.at("/rate"), "The rate", "http", 200)
            assert rate.body.startswith("# The rate") and "5.25 % since 3 March 2026" in rate.body
            old, _ = await all_of(fetching, site.at("/old"))
            assert isinstance(old, FetchedPage)
            assert (old.url, old.final_url, old.body) == (site.at("/old"), site.at("/rate"), rate.body)
            for path, reason in (("/private/a", Reason("robots_disallowed")), ("/gone", "404"), ("/away", "403")):
                failed, done = await all_of(fetching, site.at(path))
                assert isinstance(failed, PageNotFetched) and reason in failed.reason, failed
                assert isinstance(done, FetchDone) and done.state == "complete"
            for url, reason in (("ftp://www.example.gov/", "http"), (site.at("/rate#/va"), "never requested")):
                (refused,) = await all_of(fetching, url)
                assert isinstance(refused, FetchDone) and refused.state == "refused" and reason in refused.reason

    run(asking())
    assert site.log.hits("/private/a") == []
    assert {hit.headers["user-agent"].split("/")[0] for hit in site.log.hits()} == {"RORI-Collector"}
    assert not any(crawl_output.rows(f"SELECT 1 FROM {table}") for table in ("runs", "pages", "envelopes"))
    noted = crawl_output.rows("SELECT target, details FROM actions WHERE action = 'fetch' ORDER BY action_id")
    assert [row["target"] for row in noted][:2] == [site.at("/rate"), site.at("/old")]
    assert json.loads(noted[0]["details"])["requests"][0]["status"] == 200
    robots = [one for row in noted for one in json.loads(row["details"])["requests"] if one["kind"] == "robots"]
    assert [one["url"] for one in robots] == [site.at("/robots.txt")], "asked once, and told once"
    assert crawl_output.rows("SELECT 1 FROM leases WHERE owner IS NOT NULL") == []


@pytest.mark.usefixtures("forking_python")
def test_fetch_of_site_stops_when_caller_stops(project: Project, site: Site) -> None:
    """First what leads towards what is wanted, no more ahead than told; what is left ends with a reason."""
    prepared(project, site)
    paths = ["/a/about", "/a/fees", "/a/contact", "/a/annual-rate", "/private/b"]
    site.page("/", page("Start", *paths, "https://elsewhere.example/"))
    for path in paths:
        site.page(path, page(f"Page {path}", "/a/deeper"))

    async def asking() -> None:
        async with (
            fetcher(project) as fetching,
            fetching.open_fetch(site.at("/"), follow=True, ahead=1, keywords=("rate",)) as stream,
        ):
            start = await anext(stream)
            assert isinstance(start, FetchedPage) and start.depth == 0
            assert [hit.path for hit in site.log.hits()] == ["/robots.txt", "/"]  # nobody has taken it yet
            rate = await next_page(stream)
            assert rate.url == site.at("/a/annual-rate")
            stream.keywords = ("fees",)
            fees = await next_page(stream)
            assert fees.url == site.at("/a/fees")
            await stream.stop("complete")
            *rest, done = [message async for message in stream]
            ended = {message.url: message.reason for message in rest if isinstance(message, PageNotFetched)}
            assert ended[site.at("/a/about")] == ended[site.at("/a/deeper")] == "complete"
            assert isinstance(done, FetchDone) and (done.state, done.reason) == ("stopped", "complete")

    run(asking())
    assert {hit.path for hit in site.log.hits()} == {"/robots.txt", "/", "/a/annual-rate", "/a/fees"}


async def next_page(stream: Any) -> FetchedPage:
    async for message in stream:
        if isinstance(message, FetchedPage):
            return message
    raise AssertionError("no more pages")


@pytest.mark.usefixtures("forking_python")
def test_fetch_never_exceeds_max_pages(project: Project, site: Site) -> None:
    prepared(project, site)
    paths = [f"/a/{number}" for number in range(6)]
    site.page("/", page("Start", *paths))
    for path in paths:
        site.page(path, page(f"Page {path}", "/deeper", text=path))
    site.page("/deeper", page("Too deep"))

    async def asking() -> None:
        async with fetcher(project) as fetching:
            messages = await all_of(fetching, site.at("/"), follow=True, max_pages=3)
            assert sum(isinstance(one, FetchedPage) for one in messages) == 3
            why = {one.url: one.reason for one in messages if isinstance(one, PageNotFetched)}
            assert why == {site.at(path): Reason("max_pages", limit=3) for path in [*paths[2:], "/deeper"]}
            shallow = await all_of(fetching, site.at("/"), follow=True, max_depth=1)
            assert sum(isinstance(one, FetchedPage) for one in shallow) == 7
            (deep,) = [one for one in shallow if isinstance(one, PageNotFetched)]
            assert (deep.url, deep.reason) == (site.at("/deeper"), Reason("max_depth", limit=1))

    run(asking())


@pytest.mark.usefixtures("forking_python")
def test_fetch_of_group_leased_by_other_job_is_refused(project: Project, site: Site) -> None:
    prepared(project, site)
    project.ledger.parent.mkdir()
    with closing(open_ledger(f"sqlite:///{project.ledger}", migrate=True)) as ledger, ledger.begin() as conn:
        assert leases.acquire_lease(conn, site.host, owner="host:1:other", now=datetime.now(UTC), ttl_s=600)

    async def asking() -> None:
        async with fetcher(project) as fetching:
            (done,) = await all_of(fetching, site.at("/rate"))
            assert isinstance(done, FetchDone) and done.state == "refused" and "not now: " in done.reason

    run(asking())
    assert site.log.hits() == []


@pytest.mark.usefixtures("forking_python")
def test_fetch_process_that_cannot_start_reports_reason(project: Project, site: Site) -> None:
    prepared(project, site)
    project.env["RORI_MANIFEST"] = str(project.folder / "not-there.json")

    async def asking() -> None:
        async with fetcher(project) as fetching:
            with pytest.raises(FetchError, match=r"not-there\.json"):
                await all_of(fetching, site.at("/rate"))

    run(asking())


def test_fetch_process_ends_with_its_program(project: Project, site: Site, crawl_output: CrawlOutput) -> None:
    """A slow server holds up nobody who leaves; the lease is given back."""
    prepared(project, site)
    site.slow("/slow", page("Slow"), seconds=600)

    async def asking() -> None:
        async with fetcher(project) as fetching, fetching.open_fetch(site.at("/slow")):
            await asyncio.to_thread(site.log.wait_for, "/slow")

    run(asking())
    assert crawl_output.rows("SELECT 1 FROM leases WHERE owner IS NOT NULL") == []


def test_fetch_api_needs_no_scrapy() -> None:
    code = "import sys, rori_spiders.crawl.adhoc.fetcher; "
    code += "print([name for name in ('scrapy', 'twisted') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", done.stdout
