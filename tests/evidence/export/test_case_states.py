"""Cases of rows of every state and tier, each of a real crawl, as the stranger's verifiers see them."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.evidence.export import case
from rori_spiders.evidence.export.case_selection import CaseScope
from rori_spiders.ledger.audit.head_log import list_heads
from rori_spiders.ledger.database import open_ledger
from rori_spiders.staging.store_factory import open_store
from tests.crawl.runs.review_holds.test_accept import short
from tests.crawl.runs.test_removal import A_DAY_AGO
from tests.crawl.tiers.browser.marked_chromium import QUICK_CHROMIUM, MarkedChromium
from tests.crawl.tiers.browser.test_browser import written
from tests.crawl.tiers.official import publishers as p
from tests.crawl.tiers.official.publishers import ECFR, Publishers
from tests.crawl.tiers.providers.walled_site import wall
from tests.crawl.walkers.mediawiki.test_pages import parsed, serve
from tests.evidence.export.test_case import MADE_AT, contents, facts_of, no_catalog, verify, verify_by_node
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source
from tests.support.server.fixtures import next_address
from tests.support.server.vendor import Vendor

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.project import Project
    from tests.support.server import Site

#: The first test waits for four collections with each tier: a minute on two busy cores.
pytestmark = [pytest.mark.crawl, pytest.mark.browser, pytest.mark.timeout(400)]

SOURCES = ("rules", "kept", "section", "wiki", "written", "walled")


@dataclass(frozen=True)
class Collected:
    """Six sources, visited four times: a site whose pages change, shrink, go, refuse; and one source a tier."""

    project: Project
    output: CrawlOutput
    key: str

    def export(self, scope: CaseScope, path: Path) -> case.CaseSummary:
        with open_ledger(f"sqlite:///{self.project.ledger}") as ledger:
            with ledger.connect() as conn:
                heads = {head.size: head.full_note for head in list_heads(conn)}
            sources = case.CaseSources(ledger, open_store(self.project.staging), no_catalog, heads)
            return case.export_case(sources, scope, path, now=MADE_AT)

    def assert_verified(self, path: Path) -> None:
        done = verify(path, "--key", self.key)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        code, told = verify_by_node(path, "--key", self.key)
        assert (code, told["absent"]) == (0, []), told


def _visit(project: Project) -> None:
    resolver = "TWISTED_DNS_RESOLVER=tests.crawl.transport.scripted_resolver.ToldResolver"
    done = project.scrapy("collect", "--force", "-s", resolver, timeout=300)
    assert done.returncode in {0, 1} and "Traceback" not in done.stderr, done.stderr[-3000:]


@pytest.fixture(scope="module")
def collected(new_site: Callable[[], Site], shared: Project) -> Collected:
    site, other, wiki, walls = (new_site() for _ in range(4))
    publishers = Publishers(other)
    MarkedChromium(shared, QUICK_CHROMIUM)
    site.robots("User-agent: *\nDisallow: /private/\n")
    paths = (
        "/amended",
        "/shrinks",
        "/shrinks-too",
        "/leaves",
        "/forbidden",
        "/private/1",
        "/moves",
        "/file.txt",
        "/bare",
    )
    site.page("/", page("Start", *paths))
    for path in ("/amended", "/shrinks", "/shrinks-too", "/leaves", "/kept"):
        site.page(path, page(f"Page {path}"))
    site.page("/bare", page("Bare"), etag='"1"')
    site.page("/file.txt", "A rule as it is, in plain words.\n" * 40, content_type="text/plain")
    site.status("/forbidden", 403, body="<h1>Forbidden</h1>")
    site.redirect("/moves", "/moved")
    site.page("/moved", page("Moved"))
    site.page("/written", written("Written"))
    serve(wiki, "Truth in Lending Act", parsed("Truth in Lending Act"))
    with Vendor(next_address()) as vendor:
        vendor.page(wall(walls, "/walled"), page("Behind the wall"))
        shared.manifest(
            [
                source("rules", site.at("/"), "crawl"),
                source("kept", site.at("/kept")),
                source("section", publishers.at(ECFR, p.SECTION)),
                source("wiki", wiki.at("/wiki/Truth_in_Lending_Act"), "mediawiki", scrape_config=_titles()),
                source("written", site.at("/written"), scrape_config={"tiers": ["browser"], "min_content_chars": 1}),
                source("walled", walls.at("/walled"), scrape_config={"tiers": ["http", "firecrawl"]}),
            ],
            delay_s=0.02,
            domains=publishers.domains(),
            mediawiki_sites={wiki.host: wiki.at("/w/api.php")},
        )
        tiers = publishers.env("official,mediawiki,http,browser,firecrawl")
        tiers["TOLD_NAMES"] += "".join(f",{one.host}={one.host}" for one in (site, other, wiki, walls))
        tiers["RORI_ALLOWED_ADDRESSES"] += f",{shared.env['RORI_ALLOWED_ADDRESSES']}"
        shared.env |= {**tiers, **vendor.env("firecrawl"), "RORI_FIRECRAWL_MONTHLY_CREDITS": "100"}
        assert shared.scrapy("evidence", "key", "create", "states.example").returncode == 0
        _visit(shared)
        site.page("/amended", page("Page /amended", text="It was amended."))
        site.page("/shrinks", short("Page /shrinks"))
        site.page("/shrinks-too", short("Page /shrinks-too"))
        site.status("/leaves", 404, body="not here")
        site.page("/written", written("Written", text="It was amended."))
        _visit(shared)
        output = CrawlOutput(shared)
        run = str(output.last_run("rules")["run_id"])
        accepted = shared.scrapy("runs", "accept", run, "--url", site.at("/shrinks"), "--reason", "It was split")
        assert accepted.returncode == 0, accepted.stdout + accepted.stderr
        output.change(A_DAY_AGO)
        _visit(shared)
        site.page("/leaves", page("Page /leaves"))  # it is back, with the text of before
        _visit(shared)
    for change in json.loads(shared.scrapy("changes", "list", "--source", "rules", "--format", "json").stdout):
        decided = ("--decision", "material", "--reason", f"Of {change['url']}")
        assert shared.scrapy("changes", "review", change["change"], *decided).returncode == 0
    assert shared.scrapy("evidence", "sign").returncode == 0
    key = shared.scrapy("evidence", "key", "show").stdout.strip()
    return Collected(shared, output, key)


def _titles() -> dict[str, Any]:
    return {"mediawiki": {"titles": ["Truth in Lending Act"]}}


def test_case_of_each_tier_is_verified(collected: Collected, tmp_path: Path) -> None:
    engines, states = set(), set()
    for name in SOURCES:
        path = collected.export(CaseScope(name), tmp_path / f"{name}.wacz").path
        collected.assert_verified(path)
        rows = facts_of(path, "audit")
        engines |= {one["engine"] for one in rows if one["state"] == "captured"}
        states |= {one["state"] for one in rows}
        texts = [name for name in contents(path) if name.startswith("evidence/texts/")]
        assert texts, name
    assert engines >= {"http", "official", "mediawiki", "browser", "firecrawl"}
    assert states >= {"captured", "unchanged", "gone", "failed", "excluded", "fetched"}, states


def test_case_of_each_run_and_since_each_run_is_verified(collected: Collected, tmp_path: Path) -> None:
    for run in collected.output.rows("SELECT run_id, source_id, started_at FROM runs"):
        for name, scope in (
            ("run", CaseScope(run_id=run["run_id"])),
            ("since", CaseScope(run["source_id"], since=datetime.fromisoformat(run["started_at"]))),
        ):
            path = collected.export(scope, tmp_path / f"{name}-{run['run_id']}.wacz").path
            done = verify(path, "--key", collected.key)
            assert done.returncode == 0, (name, run, done.stdout)


def test_case_of_each_page_is_verified(collected: Collected, tmp_path: Path) -> None:
    urls = [one["url"] for one in collected.output.rows("SELECT DISTINCT url FROM pages WHERE last_seq > 0")]
    for number, url in enumerate(urls):
        path = collected.export(CaseScope(url=url), tmp_path / f"{number}.wacz").path
        done = verify(path, "--key", collected.key)
        assert done.returncode == 0, (url, done.stdout)
    assert len(urls) > 10


def test_case_of_removed_page_tells_its_removal_and_return(collected: Collected, tmp_path: Path) -> None:
    (url,) = [one["url"] for one in collected.output.rows("SELECT url FROM pages WHERE url LIKE '%/leaves'")]
    path = collected.export(CaseScope(url=url), tmp_path / "leaves.wacz").path
    kinds = [one["change_type"] for one in facts_of(path, "version")]
    assert kinds == ["new", "deleted", "modified"]
    told = verify(path, "--key", collected.key).stdout
    assert told.index("text ") < told.index("removed") < told.rindex("text ")
    texts = {one["body_object"] for one in facts_of(path, "version") if one["change_type"] != "deleted"}
    assert {name[15:-3] for name in contents(path) if name.startswith("evidence/texts/")} == texts
    (removal,) = [one for one in facts_of(path, "version") if one["change_type"] == "deleted"]
    assert removal["content_hash"] == sha256(b"").hexdigest()
    assert f"sha256:{removal['raw_object']}".encode() in gzip.decompress(contents(path)["archive/data.warc.gz"])


def test_case_and_custody_report_of_page_have_reviews_of_its_changes(collected: Collected, tmp_path: Path) -> None:
    (url,) = [one["url"] for one in collected.output.rows("SELECT url FROM pages WHERE url LIKE '%/amended'")]
    path = collected.export(CaseScope(url=url), tmp_path / "amended.wacz").path
    reviews = [one for one in facts_of(path, "action") if one["action"] == "review_change"]
    assert [one["reason"] for one in reviews] == [f"Of {url}"], "of no other page"
    made = collected.project.scrapy("report", "custody", "--page", url, "-o", str(tmp_path / "amended.html"))
    assert made.returncode == 0, made.stderr
    report = (tmp_path / "amended.html").read_text().replace("<wbr>", "")
    assert "<td>review change: material</td>" in report
    assert f"<td>version 2 of {url}</td>" in report
    assert "(User-Agent): RORI-Collector/" in report
    assert f"states.example, key {collected.key.split('+')[1]}" in report
    row = "SELECT body_object FROM versions JOIN pages USING (page_id) WHERE url = ? AND seq = 2"
    assert f"<code>{collected.output.rows(row, url)[0]['body_object']}</code>" in report
