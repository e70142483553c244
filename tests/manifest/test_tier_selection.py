"""Which tiers are configured, by what the operator named and gave."""

from __future__ import annotations

import pytest

from rori_spiders.exceptions import UsageError
from rori_spiders.manifest.tier_selection import configured_tiers
from tests.support.cases import cases

_ALWAYS = ("official", "mediawiki", "http", "browser")


@cases(
    ("environment", "address", "more"),
    [
        ({}, "", ()),
        ({"ZYTE_API_KEY": " "}, "", ()),
        ({"RORI_SCRAPINGANT_KEYS": "a,b"}, "", ("scrapingant",)),
        ({"FIRECRAWL_API_KEY": "a", "ZYTE_API_KEY": "b"}, "", ("zyte", "firecrawl")),
        ({"CRAWL4AI_API_KEY": "a"}, "", ()),
        ({}, "http://127.0.0.1:11235", ("crawl4ai",)),
    ],
)
def test_available_tiers_have_what_they_need(environment: dict[str, str], address: str, more: tuple[str, ...]) -> None:
    assert configured_tiers({"RORI_TIERS": "", "RORI_CRAWL4AI_URL": address}, environment) == (*_ALWAYS, *more)


@pytest.mark.parametrize("named", ["http, zyte,http", ["http", "zyte"]])
def test_configured_tiers_named_ones_only(named: object) -> None:
    assert configured_tiers({"RORI_TIERS": named}, {"FIRECRAWL_API_KEY": "a"}) == ("http", "zyte")


def test_configured_tiers_unknown_name_is_refused_with_known_ones() -> None:
    with pytest.raises(UsageError, match=r"'browzer'; there are official, .*scrapingant"):
        configured_tiers({"RORI_TIERS": "http,browzer"}, {})
