"""The Python API through real processes against real servers: three ways, what is merged, what is left at the end."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.exceptions import ConfigError
from rori_spiders.fields import Scraper, ScrapeResult, crawl, define_fields, load_config, scrape, scrape_many
from rori_spiders.reasons import Reason
from tests.crawl.tiers.browser.marked_chromium import QUICK_CHROMIUM, MarkedChromium
from tests.support.pages import page
from tests.support.project import source
from tests.support.server.chat import GOOD_KEY, Chat, ChatRequest, Raw, said
from tests.support.server.fixtures import next_address
from tests.support.server.small_model import SmallModel

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

FIELDS = define_fields(["apr:number:annual percentage rate", "fee:number:application fee in dollars"])
_RATE = re.compile(r"The annual percentage rate is ([\d.]+) %")
_FEE = re.compile(r"The application fee is ([\d.]+) dollars")


def honest(request: ChatRequest) -> Raw:
    """A model that finds what stands there, and invents the fee where it does not."""
    rate, fee = _RATE.search(request.text), _FEE.search(request.text)
    apr = {"quote": rate[0], "value": float(rate[1])} if rate else None
    invented = {"quote": "The application fee is 1 dollars", "value": 1}
    return said({"apr": apr, "fee": {"quote": fee[0], "value": float(fee[1])} if fee else invented})


@pytest.fixture
def chat() -> Iterator[Chat]:
    with Chat(next_address()) as server:
        server.answer = honest
        yield server


@pytest.fixture
def how(project: Project, site: Site, chat: Chat, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What a `Scraper` of the test's project takes."""
    project.manifest([source("other", site.at("/other"))], delay_s=0.05)
    site.robots("User-agent: *\nDisallow: /private\n")
    for name, value in project.env.items():
        if name.startswith("RORI_"):
            monkeypatch.setenv(name, value)
    return {"folder": project.folder, "llm_url": chat.url, "model": "test-model", "api_keys": (GOOD_KEY,)}


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 120))


def children() -> set[str]:
    """What this process has started and is still there."""
    return set(Path("/proc/self/task").joinpath(str(_main()), "children").read_text(encoding="ascii").split())


def _main() -> int:
    return int(Path("/proc/self").resolve().name)


@pytest.mark.usefixtures("forking_python")
def test_scraper_fetches_one_page_and_many(
    how: dict[str, Any], site: Site, chat: Chat, crawl_output: CrawlOutput
) -> None:
    site.page("/rate", page("Rates", text="The annual percentage rate is 5.25 % for all."))
    site.page("/fee", page("Fees", text="The application fee is 75 dollars."))
    before = children()

    async def asking() -> None:
        tasks = asyncio.all_tasks()
        async with Scraper(**how) as scraper:
            one = await scraper.scrape(site.at("/rate"), FIELDS)
            assert one.success and one.data == {"apr": 5.25, "fee": None} and one.title == "Rates"
            (found,) = one.record.found
            assert found.proof.quote == "The annual percentage rate is 5.25 %"
            assert (found.proof.url, found.proof.heading_path) == (site.at("/rate"), "Rates")
            assert [invented.reason for invented in one.record.unsupported] == ["quote_not_found"]
            urls = [site.at(path) for path in ("/fee", "/rate", "/fee#part", "/private/a")]
            results = {result.url: result async for result in scraper.scrape_many(urls, FIELDS)}
            assert results[site.at("/fee")].data == {"apr": None, "fee": 75}
            assert results[site.at("/rate")].data == one.data
            refused = results[site.at("/private/a")]
            assert not refused.success and Reason("robots_disallowed") in str(refused.error) and refused.data == {}
            assert len(results) == 3
        assert asyncio.all_tasks() == tasks

    run(asking())
    assert children() == before
    assert len(chat.requests) == 2, "what was drawn from the same text is not asked again"
    assert not any(crawl_output.rows(f"SELECT 1 FROM {table}") for table in ("runs", "pages", "envelopes"))
    assert [row["settled"] for row in crawl_output.rows("SELECT settled FROM costs WHERE provider = 'llm'")] == [
        120,
        120,
    ]


@pytest.mark.usefixtures("forking_python")
def test_scraper_with_browser_as_first_tier_renders(
    how: dict[str, Any], site: Site, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What only a script writes is read, at the first asking; robots.txt holds as ever, and no browser is left."""
    rules = "".join(f"<p>Rule {number} is written by the script of this page alone.</p>" for number in range(20))
    whole = f"<h1>Rates</h1>{rules}<p>The annual percentage rate is 4.5 %.</p>"
    script = f"document.querySelector('main').innerHTML = '{whole}'"
    site.page("/written", f"<html lang=en><title>Rates</title><main></main><script>{script}</script></html>")
    chromium, before = MarkedChromium(project, QUICK_CHROMIUM), children()
    for name in ("RORI_CHROMIUM", "RORI_TIERS"):
        monkeypatch.setenv(name, project.env[name])

    async def asking() -> None:
        async with Scraper(**how, backend="browser") as scraper:
            urls = [site.at(path) for path in ("/written", "/private/a")]
            found = {result.url: result async for result in scraper.scrape_many(urls, FIELDS)}
            one, refused = found[urls[0]], found[urls[1]]
            assert one.success and one.data == {"apr": 4.5, "fee": None}, one
            assert not refused.success and Reason("robots_disallowed") in str(refused.error)

    run(asking())
    assert children() == before
    assert [len(site.log.hits(path)) for path in ("/written", "/private/a")] == [1, 0]
    chromium.wait(alive=False, timeout=20)


def test_scraper_with_real_model_leaves_nothing_behind(how: dict[str, Any], site: Site) -> None:
    site.page("/rate", page("Rates", text="The annual percentage rate is 5.25 % for all."))
    before = children()

    async def asking(url: str) -> None:
        tasks = asyncio.all_tasks()
        async with Scraper(**how | {"llm_url": url, "max_concurrent": 1}) as scraper:
            one = await scraper.scrape(site.at("/rate"), FIELDS[:1])
            assert one.title == "Rates" and one.data["apr"] in {None, 5.25}
        assert asyncio.all_tasks() == tasks

    with SmallModel() as small:
        run(asking(small.url))
    assert children() == before


@pytest.mark.usefixtures("forking_python")
def test_scraper_crawl_ends_when_all_fields_are_found(how: dict[str, Any], site: Site, chat: Chat) -> None:
    site.page("/", page("Start", "/about", "/contact", "/loans/rate", "/loans/application-fee"))
    site.page("/loans/rate", page("Rates", "/about/more", text="The annual percentage rate is 5.25 % for all."))
    site.page("/loans/application-fee", page("Fees", text="The application fee is 75 dollars."))
    for path in ("/about", "/contact"):
        site.page(path, page(path, text="The annual percentage rate is 9 %."))

    async def asking() -> None:
        async with Scraper(**how, max_concurrent=1) as scraper:
            crawling = scraper.crawl(site.at("/"), FIELDS)
            results = [result async for result in crawling]
            state = crawling.state
            assert [result.url for result in results] == state.pages
            assert set(state.pages) == {site.at(path) for path in ("/", "/loans/rate", "/loans/application-fee")}
            assert state.is_complete and state.data == {"apr": 5.25, "fee": 75}
            assert {state.excluded[site.at(path)] for path in ("/about", "/contact")} == {"complete"}

    run(asking())
    assert not site.log.hits("/about") and not site.log.hits("/contact")


@pytest.mark.usefixtures("forking_python")
def test_scraper_invalid_model_answer_fails_its_page_alone(how: dict[str, Any], site: Site, chat: Chat) -> None:
    site.page("/", page("Start", "/rate"))
    site.page("/rate", page("Rates", text="The annual percentage rate is 5.25 % for all."))
    chat.first(said("no JSON"), said("nor is this"))
    results = list(crawl(site.at("/"), FIELDS, max_pages=2, **how))
    assert [(result.url, result.success) for result in results] == [(site.at("/"), False), (site.at("/rate"), True)]
    assert str(results[0].error).startswith("extraction_failed: ") and results[1].data["apr"] == 5.25


@pytest.mark.usefixtures("forking_python")
def test_scraper_works_without_event_loop(how: dict[str, Any], site: Site) -> None:
    site.page("/rate", page("Rates", text="The annual percentage rate is 5.25 % for all."))
    before = children()
    one = scrape(site.at("/rate"), FIELDS, **how)
    assert isinstance(one, ScrapeResult) and one.data["apr"] == 5.25
    some = scrape_many([site.at("/gone"), site.at("/rate")], FIELDS, **how)
    first = next(some)
    some.close()  # type: ignore[attr-defined]  # who has enough leaves
    assert first.url in {site.at("/gone"), site.at("/rate")} and children() == before


def test_scraper_is_context_manager() -> None:
    with pytest.raises(RuntimeError, match="async with"):
        asyncio.run(Scraper().scrape("https://www.example.gov/", FIELDS))


def test_scraper_configuration_has_defaults_and_reports_errors(project: Project) -> None:
    config = load_config()
    assert (config.backend, config.at_once, config.timeout) == ("http", 5, 30_000)
    assert (config.max_pages, config.max_depth, config.input_format) == (50, 3, "markdown")
    assert load_config(backend="browser").at_once == 3
    with pytest.raises(ConfigError, match="never disguises itself"):
        load_config(stealth=True)
    with pytest.raises(ConfigError) as wrong:
        load_config(backend="ftp", speed=9, max_depth=-1)
    assert [line.split(":")[0] for line in str(wrong.value).splitlines()] == ["backend", "max_depth", "speed"]

    async def opening() -> None:
        async with Scraper(folder=project.folder):
            pass

    with pytest.raises(ConfigError, match="RORI_LLM_URL and RORI_LLM_MODEL"):
        asyncio.run(opening())
