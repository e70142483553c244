"""What a person must look at: it opens when it happens, lists its pages with their bytes, and clears by itself."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.reasons import Reason
from rori_spiders.settings import SPIDER_MIDDLEWARES
from tests.content.documents.drawn import Sheet, drawn, prose
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

NO_SITEMAP: dict[str, Any] = {"scrape_config": {"sitemaps": []}}
BROKEN = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R\nbroken on purpose" + b"\n%%EOF\n"


def collect(project: Project) -> str:
    done = project.scrapy("collect", "--force", env={"RORI_TIERS": "mediawiki,http", "RORI_RETRY_SCALE": "0.001"})
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


def reviews(project: Project, *args: str) -> dict[tuple[str, str], dict[str, Any]]:
    listed = json.loads(project.scrapy("sources", *args, "--review", "--format", "json").stdout)
    return {(one["id"], one["event"]): one for one in listed}


def test_review_item_unparseable_page_is_stored_listed_and_cleared(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    site.page("/", page("Start", "/a.pdf", "/b.pdf", "/well"))
    site.page("/well", page("Well"))
    for path in ("/a.pdf", "/b.pdf"):
        site.page(path, BROKEN + path.encode(), content_type="application/pdf")
    project.manifest([source("a", site.at("/"), "crawl", **NO_SITEMAP)], delay_s=0.02)
    collected = collect(project)
    assert "1 review item: scrapy sources --review" in collected
    assert crawl_output.urls("a")["/a.pdf"][1].code == "unreadable_document"

    [item] = reviews(project).values()
    assert (item["id"], item["event"], item["severity"]) == ("a", "unparseable", "warning")
    assert set(item["pages"]) == {site.at("/a.pdf"), site.at("/b.pdf")}
    assert item["what"].startswith("2 pages could not be converted: ")
    for one in item["evidence"]:
        stored = gzip.decompress((project.staging / one["raw_object"]).read_bytes())
        assert stored == BROKEN + one["url"].removeprefix(site.url).encode()

    table = project.scrapy("sources", "show", "a", "--review").stdout
    assert site.at("/b.pdf") in table and "_objects/" in table
    assert "1 review item: scrapy sources --review" in project.scrapy("sources").stdout
    assert "1 review item: scrapy sources show a --review" in project.scrapy("sources", "show", "a").stdout

    site.page("/a.pdf", page("A page now"))
    collect(project)
    [item] = reviews(project).values()
    assert item["pages"] == [site.at("/b.pdf")]
    site.page("/b.pdf", page("Another page now"))
    assert "review item" not in collect(project)
    assert reviews(project) == {}
    assert project.scrapy("sources", "--review").stdout == "Nothing to review.\n"
    [alert] = crawl_output.rows("SELECT * FROM alerts WHERE event = 'unparseable'")
    assert alert["cleared_at"] > alert["opened_at"]


def test_review_item_start_url_gone_refused_or_forbidden_is_listed(
    sites: Callable[[int], list[Site]], project: Project, crawl_output: CrawlOutput
) -> None:
    names = ("moved", "gone", "blocked", "forbidden", "patient", "troubled")
    many = dict(zip(names, sites(6), strict=True))
    for one in many.values():
        one.page("/", page("Start"))
    many["moved"].status("/", 404)
    many["gone"].status("/", 410)
    many["blocked"].status("/", 403, body="<h1>Forbidden</h1>")
    many["forbidden"].robots("User-agent: *\nDisallow: /\n")
    many["patient"].robots("User-agent: *\nCrawl-delay: 100000\n")
    many["troubled"].status("/", 500)
    methods = ("scrape", "crawl", "scrape", "crawl", "scrape", "scrape")
    project.manifest(
        [
            source(name, one.at("/"), method, **NO_SITEMAP if method == "crawl" else {})
            for method, (name, one) in zip(methods, many.items(), strict=True)
        ],
        delay_s=0.02,
    )
    assert "5 review items: scrapy sources --review" in collect(project)
    found = reviews(project)
    assert set(found) == {
        ("moved", "source_moved"),
        ("gone", "source_moved"),
        ("blocked", "source_blocked"),
        ("forbidden", "robots_forbids"),
        ("patient", "crawl_delay"),
    }
    assert {item["severity"] for item in found.values()} == {"high"}
    assert found["moved", "source_moved"]["pages"] == [many["moved"].at("/")]
    assert "`url` of moved in the manifest" in found["moved", "source_moved"]["to_do"]
    assert "robots.txt" in found["blocked", "source_blocked"]["to_do"]
    assert set(reviews(project, "show", "blocked")) == {("blocked", "source_blocked")}

    for name in ("moved", "gone", "blocked"):
        many[name].page("/", page("Start"))
    for name in ("forbidden", "patient"):
        many[name].robots("User-agent: *\nDisallow:\n")
    many["troubled"].status("/", 404)
    collect(project)
    assert set(reviews(project)) == {("troubled", "source_moved")}
    many["troubled"].status("/", 500)
    collect(project)
    assert set(reviews(project)) == {("troubled", "source_moved")}, "a server in trouble says nothing new"


def test_review_item_page_that_lost_most_text_is_held_and_listed(site: Site, project: Project) -> None:
    site.page("/", page("Start"))
    project.manifest([source("a", site.at("/"))], delay_s=0.02)
    collect(project)
    whole = page("Start")
    site.page("/", whole[: whole.index("<p>") + 400] + "</p></main></body></html>")
    collect(project)
    [item] = reviews(project).values()
    assert (item["event"], item["pages"]) == ("suspect", [site.at("/")])
    assert item["evidence"][0]["raw_object"]
    site.page("/", whole)
    collect(project)
    assert reviews(project) == {}


def test_review_item_scanned_pages_are_listed_and_cleared(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    picture = "q 612 0 0 792 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G /F /AHx ID {}> EI Q"
    text, scan, other = Sheet(), Sheet(orders=[picture.format("80")]), Sheet(orders=[picture.format("81")])
    text.lines(72, 700, prose("The servicer shall answer each notice of error within 30 days. " * 8, 70))

    def serve(*sheets: Sheet) -> None:
        site.page("/", drawn(*sheets), content_type="application/pdf")

    serve(text, scan, scan, text, scan)
    project.manifest([source("a", site.at("/"))], delay_s=0.02)
    collect(project)
    [item] = reviews(project).values()
    assert (item["event"], item["severity"], item["pages"]) == ("pages_unread", "warning", [site.at("/")])
    assert item["what"].endswith(f": {site.at('/')}, pages 2-3, 5")

    serve(text, scan, text)
    collect(project)
    [item] = reviews(project).values()
    assert item["what"].endswith(", page 2")
    assert (
        "Version 2 has pictures for text on page 2, which were not read"
        in project.scrapy("diff", "a", site.at("/")).stdout
    )

    serve(text, other, text)
    collect(project)
    difference = project.scrapy("diff", "a", site.at("/")).stdout
    assert "On page 2 version 3 has other pictures than version 2" in difference
    assert "2 changes: 2 high." in project.scrapy("changes").stdout
    assert set(reviews(project)) == {("a", "pages_unread")}

    serve(text, text)
    collect(project)
    assert reviews(project) == {}
    [alert] = crawl_output.rows("SELECT * FROM alerts WHERE event = 'pages_unread'")
    assert alert["cleared_at"] > alert["opened_at"]


def test_review_item_404_of_other_url_is_none(site: Site, project: Project) -> None:
    site.page("/", page("Start", "/missing"))
    project.manifest([source("a", site.at("/"), "crawl", **NO_SITEMAP)], delay_s=0.02)
    collect(project)
    assert reviews(project) == {}


def test_review_items_before_first_collection_are_none(site: Site, project: Project) -> None:
    project.manifest([source("a", site.at("/"))])
    assert project.scrapy("sources", "--review").stdout == "Nothing to review.\n"
    assert not project.ledger.exists()


@pytest.mark.parametrize("method", ["scrape", "crawl"])
def test_review_item_page_exceeding_time_limit_is_stored(
    site: Site, project: Project, crawl_output: CrawlOutput, method: str
) -> None:
    big = page("Big", text="A long rule. " * 30_000)
    site.page("/", big)
    project.manifest(
        [source("a", site.at("/"), method, **NO_SITEMAP if method == "crawl" else {})],
        delay_s=0.02,
    )
    done = project.scrapy("collect", env={"RORI_CONVERT_TIMEOUT": "0.001"})
    assert "Traceback" not in done.stderr, done.stderr
    assert crawl_output.urls("a")["/"][1].code == "conversion_timeout"
    [item] = reviews(project).values()
    assert (item["event"], item["pages"]) == ("unparseable", [site.at("/")])
    [one] = item["evidence"]
    assert gzip.decompress((project.staging / one["raw_object"]).read_bytes()) == big.encode()
    collect(project)
    assert reviews(project) == {}


BREAKS = """
class Breaks:
    async def process_spider_output(self, response, result):
        async for output in result:
            if response.url.endswith("/breaks"):
                raise RuntimeError("as a fault of the program would")
            yield output
"""


def test_review_item_page_crashing_converter_has_its_bytes(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    site.page("/", page("Start", "/breaks"))
    site.page("/breaks", page("It breaks"))
    (project.folder / "breaking.py").write_text(BREAKS, encoding="utf-8")
    project.env["PYTHONPATH"] += f":{project.folder}"
    walking = {**SPIDER_MIDDLEWARES, "breaking.Breaks": 900}
    project.manifest([source("a", site.at("/"), "crawl", **NO_SITEMAP)], delay_s=0.02)
    project.scrapy("collect", "-s", f"SPIDER_MIDDLEWARES={json.dumps(walking)}")
    assert crawl_output.urls("a")["/breaks"] == (
        "failed",
        Reason("walker_error", error_type="RuntimeError", error="as a fault of the program would"),
    )
    [item] = reviews(project).values()
    assert (item["event"], item["pages"]) == ("unparseable", [site.at("/breaks")])
    [one] = item["evidence"]
    assert gzip.decompress((project.staging / one["raw_object"]).read_bytes()) == page("It breaks").encode()
