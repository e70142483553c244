"""The demo's manifest: valid, on loopback alone, and each source meets what its notes say."""

from __future__ import annotations

import pytest

from rori_spiders.exceptions import ManifestError
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.loading import load_packaged
from rori_spiders.manifest.scope import Scope
from tests.terminal.demo.test_build import PAGES, SITE
from tools.demo_site.site import BLOCKED, GONE
from tools.demo_site.template import BASE

LOADED = load_packaged("demo", allowed_addresses=["127.0.0.1:8799"])
SOURCES = {source.id: source for source in LOADED.manifest.sources}


def test_demo_manifest_requests_no_other_server() -> None:
    assert all(source.url.startswith(f"{BASE}/") for source in SOURCES.values())
    assert {source.domain for source in SOURCES.values()} == {"127.0.0.1"}


def test_demo_manifest_short_delay_needs_allowed_address() -> None:
    with pytest.raises(ManifestError, match="delay_s"):
        load_packaged("demo")


def test_demo_manifest_all_sources_run() -> None:
    assert {source.status for source in SOURCES.values()} == {"active"}
    assert {source.effective_frequency for source in SOURCES.values()} == {"weekly"}
    assert {source.method for source in SOURCES.values()} == {"scrape", "crawl"}
    assert Catalog([LOADED]).rules("127.0.0.1").delay_s < 1


def test_demo_manifest_each_url_is_a_page_or_block() -> None:
    served = {f"{BASE}/{name.removesuffix('index.html')}" for name in SITE}
    refused = {f"{BASE}{GONE}", f"{BASE}{BLOCKED}"}
    assert {source.url for source in SOURCES.values()} - served == refused


@pytest.mark.parametrize(("source", "part", "pages"), [("demo-reg-g", "1007", 7), ("demo-reg-f", "1006", 9)])
def test_demo_manifest_crawl_has_its_part_without_print_version(source: str, part: str, pages: int) -> None:
    scope = Scope(SOURCES[source])
    inside = [name for name in PAGES if scope.excludes(f"{BASE}/{name.removesuffix('index.html')}", 1) is None]
    assert len([name for name in inside if not name.startswith("drafts/")]) == pages
    assert all(f"/{part}/" in name for name in inside)
    assert "print" in str(scope.excludes(f"{BASE}/rules-policy/regulations/{part}/print/", 1))


def test_demo_manifest_disallowed_pages_are_left_to_robots() -> None:
    assert Scope(SOURCES["demo-reg-g"]).excludes(f"{BASE}/drafts/regulations/1007/106/", 1) is None
