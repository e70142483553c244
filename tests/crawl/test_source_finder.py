"""Which source collects a URL: the same for imports, previews and `scrapy shell URL`."""

from __future__ import annotations

import json

import pytest

from rori_spiders.crawl.source_finder import SourceFinder
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.loading import parse_manifest
from tests.support.project import source

PART = "https://www.ecfr.gov/current/title-12/part-1024"
HOST = "https://www.hud.gov"


def _catalog() -> Catalog:
    sources = [
        source("fha", f"{HOST}/fha"),
        source("guides", f"{HOST}/guides/", "crawl", status="proposed"),
        source("old", f"{HOST}/old/", "crawl", status="retired"),
        source("reg-x", PART, scrape_config={"exclude_patterns": ["*/section-1024.30"]}),
    ]
    return Catalog([parse_manifest(json.dumps({"version": "1.0.0", "sources": sources}), name="x", origin="x")])


@pytest.mark.parametrize(
    ("url", "found"),
    [
        (f"{HOST}/fha", "fha"),
        (f"{HOST}/other", None),
        (f"{HOST}/guides/1", "guides"),
        (f"{HOST}/old/1", None),
        (PART, "reg-x"),
        (f"{PART}/section-1024.5", "reg-x"),
        (f"{PART}/section-1024.30", None),
        (f"{PART}0/section-10240.5", None),
        (f"{HOST}/robots.txt", None),
    ],
)
def test_source_finder_names_the_source_that_collects_the_url(url: str, found: str | None) -> None:
    source = SourceFinder(_catalog()).find(url)
    assert (None if source is None else source.id) == found


def test_source_finder_of_active_sources_names_no_proposed_one() -> None:
    assert SourceFinder(_catalog(), statuses=("active",)).find(f"{HOST}/guides/1") is None
