"""Patterns that cannot match the start URL, or nothing: told at validation, and no error."""

from __future__ import annotations

from typing import Any

import pytest

from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.scope import pattern_warnings
from tests.manifest.examples import load, source

URL = "https://www.hud.gov/guide/index.html?x=1"


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({}, []),
        ({"include_patterns": ["/guide/*"]}, []),
        ({"include_patterns": ["/other/*", "/guide/*"]}, []),
        (
            {"include_patterns": ["/Guide/*", "*.pdf"]},
            ["$.sources[0].scrape_config.include_patterns: no pattern matches the start URL's /guide/index.html?x=1."],
        ),
        ({"exclude_patterns": ["*?*"]}, ["exclude_patterns: *?* matches the start URL's /guide/index.html?x=1,"]),
        (
            {"include_patterns": ["/guide/*"], "exclude_patterns": ["/guide/*"]},
            ["exclude_patterns: /guide/* is also in include_patterns, so it matches nothing"],
        ),
    ],
)
def test_doubts(config: dict[str, Any], said: list[str]) -> None:
    loaded = load(source(id="hud", url=URL, domain="hud.gov", method="crawl", scrape_config=config))
    found = list(pattern_warnings(Catalog([loaded])))
    assert len(found) == len(said)
    for one, words in zip(found, said, strict=True):
        assert words in one and "source 'hud' (sources[0])" in one
    alone = load(source(id="hud", url=URL, domain="hud.gov", method="scrape", scrape_config=config))
    assert list(pattern_warnings(Catalog([alone]))) == []  # a single page has no others
