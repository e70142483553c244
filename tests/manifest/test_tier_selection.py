"""Which tiers are configured, by what the operator named and gave."""

from __future__ import annotations

import pytest

from rori_spiders.exceptions import UsageError
from rori_spiders.manifest.tier_selection import configured_tiers

_ALWAYS = ("official", "mediawiki", "http", "browser")


@pytest.mark.parametrize(
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
def test_what_needs_nothing_and_what_was_given_what_it_needs(
    environment: dict[str, str], address: str, more: tuple[str, ...]
) -> None:
    assert configured_tiers({"RORI_TIERS": "", "RORI_CRAWL4AI_URL": address}, environment) == (*_ALWAYS, *more)


@pytest.mark.parametrize("named", ["http, zyte,http", ["http", "zyte"]])
def test_named_tiers_are_those_and_no_others(named: object) -> None:
    assert configured_tiers({"RORI_TIERS": named}, {"FIRECRAWL_API_KEY": "a"}) == ("http", "zyte")


def test_a_name_that_is_no_tiers_is_refused_with_those_that_are() -> None:
    with pytest.raises(UsageError, match=r"'browzer'; there are official, .*scrapingant"):
        configured_tiers({"RORI_TIERS": "http,browzer"}, {})
