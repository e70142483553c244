"""`scrapy shell`: a page by the tier that one names, and a word about what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.crawl.tiers.providers import PROVIDER_TIERS
from rori_spiders.reasons import Reason
from tests.crawl.tiers.providers.walled_site import walled
from tests.support.server.fixtures import next_address
from tests.support.server.vendor import GOOD_KEY, Vendor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

SEEN = "(response.status, response.meta['tier'], response.meta['verdict'].kind, response.css('h1::text').get())"


@pytest.fixture
def vendor() -> Iterator[Vendor]:
    with Vendor(next_address()) as opened:
        yield opened


@pytest.mark.parametrize("company", PROVIDER_TIERS)
def test_shell_uses_provider_of_rori_tiers(
    site: Site, project: Project, crawl_output: CrawlOutput, vendor: Vendor, company: str
) -> None:
    project.manifest([walled(site, vendor, "walled")], delay_s=0.05)
    env = vendor.env(company)
    done = project.scrapy("shell", site.at("/walled"), "-s", f"RORI_TIERS={company}", "-c", SEEN, env=env)
    assert f"(200, '{company}', 'content', 'Behind walled')" in done.stdout, done.stderr
    assert len(vendor.requests()) == 1
    assert [hit.path for hit in site.log.hits()] == ["/robots.txt"]
    [cost] = crawl_output.rows("SELECT provider, url FROM costs")
    assert cost == {"provider": company, "url": site.at("/walled")}
    assert GOOD_KEY not in done.stdout + done.stderr


def test_shell_tier_of_request_takes_precedence_and_default_is_http(
    site: Site, project: Project, vendor: Vendor
) -> None:
    project.manifest([walled(site, vendor, "walled")], delay_s=0.05)
    named = f"fetch(scrapy.Request('{site.at('/walled')}', meta={{'tier': 'firecrawl'}}))"
    env = {**vendor.env("firecrawl"), "RORI_TIERS": "http,firecrawl"}
    done = project.scrapy(
        "shell", site.at("/walled"), "--nolog", "-c", f"(print({SEEN}), {named}, print({SEEN}))", env=env
    )
    assert done.stdout.splitlines()[:2] == [
        "(403, 'http', 'challenge', 'www.example.gov')",
        "(200, 'firecrawl', 'content', 'Behind walled')",
    ]


def test_shell_refusal_is_reported(site: Site, project: Project, vendor: Vendor) -> None:
    site.robots("User-agent: *\nDisallow: /walled\n")
    project.manifest([walled(site, vendor, "walled")], delay_s=0.05)
    env = vendor.env("zyte")
    done = project.scrapy("shell", site.at("/walled"), "-s", "RORI_TIERS=zyte", "-c", "response", env=env)
    assert f"Not requesting {site.at('/walled')}: {Reason('robots_disallowed')}" in done.stderr
    assert vendor.requests() == []
    abroad = project.scrapy("shell", "http://127.0.0.9:1/", "-c", "response", env=env)
    assert "Not requesting http://127.0.0.9:1/: Address refused" in abroad.stderr
