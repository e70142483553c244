"""Patterns that cannot match the start URL, or nothing: told at validation, and no error."""

from __future__ import annotations

from typing import Any

from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.problems import group_warnings
from rori_spiders.manifest.scope import pattern_warnings
from tests.manifest.examples import load, source
from tests.support.cases import cases

URL = "https://www.hud.gov/guide/index.html?x=1"


@cases(
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
def test_scope_warnings_of_patterns(config: dict[str, Any], said: list[str]) -> None:
    loaded = load(source(id="hud", url=URL, domain="hud.gov", method="crawl", scrape_config=config))
    found = list(pattern_warnings(Catalog([loaded])))
    assert len(found) == len(said)
    for one, words in zip(found, said, strict=True):
        assert words in one and "source 'hud' (sources[0])" in one
    alone = load(source(id="hud", url=URL, domain="hud.gov", method="scrape", scrape_config=config))
    assert list(pattern_warnings(Catalog([alone]))) == []  # a single page has no others


def test_scope_warnings_source_inside_other_scope_is_named() -> None:
    crawl = source(id="guide", url="https://www.hud.gov/guide/", domain="hud.gov", method="crawl")
    page = source(id="leaf", url="https://www.hud.gov/guide/a", domain="hud.gov", method="scrape")
    (found,) = pattern_warnings(Catalog([load(crawl, page)]))
    assert "source 'leaf' (sources[1]): $.sources[1].url: it is in the scope of guide too" in found
    apart = crawl | {"scrape_config": {"exclude_patterns": ["/guide/a"]}}
    assert list(pattern_warnings(Catalog([load(apart, page)]))) == []
    assert list(pattern_warnings(Catalog([load(crawl, page | {"status": "proposed"})]))) == []


def test_scope_warnings_crawl_of_whole_host() -> None:
    whole = source(id="hud", url="https://www.hud.gov/", domain="hud.gov", method="crawl")
    (found,) = pattern_warnings(Catalog([load(whole)]))
    assert "$.sources[0].url: no include_patterns, and the start URL is in the root folder: all of www.hud.gov" in found
    for config in ({"max_pages": 50}, {"include_patterns": ["/*"]}):
        assert list(pattern_warnings(Catalog([load(whole | {"scrape_config": config})]))) == []


def test_scope_warnings_wiki_without_pages() -> None:
    wiki = source(id="wiki", url="https://wiki.example.org/wiki/A", domain="wiki.example.org", method="mediawiki")
    named = {"api_url": "https://wiki.example.org/api.php"}
    (found,) = pattern_warnings(Catalog([load(wiki | {"scrape_config": {"mediawiki": named}})]))
    assert (
        "$.sources[0].scrape_config.mediawiki: all content namespaces of the wiki are collected; one with more" in found
    )
    whole = wiki | {"scrape_config": {"mediawiki": named | {"namespaces": [0]}}}
    assert list(pattern_warnings(Catalog([load(whole)]))) == []


def test_scope_warnings_of_a_kind_are_one_line_with_examples() -> None:
    crawls = [source(id=f"crawl-{n}", url=f"https://www.{n}.gov/", domain=f"{n}.gov", method="crawl") for n in range(5)]
    wrong = {"exclude_patterns": ["/a*"]}
    crawls.append(source(id="a", url="https://a.gov/b/a", domain="a.gov", method="crawl", scrape_config=wrong))
    whole, alone = group_warnings(pattern_warnings(Catalog([load(*crawls)])))
    assert whole.startswith("warning: 5 sources have no include_patterns and start in the root folder:")
    assert whole.endswith(": crawl-0 (www.0.gov), crawl-1 (www.1.gov), crawl-2 (www.2.gov) and 2 more")
    assert alone.startswith("warning: test.json: source 'a' (sources[5]): $.sources[5].scrape_config.exclude_patterns:")


def test_scope_warnings_start_in_root_folder_has_none() -> None:
    config = {"include_patterns": ["*homebuyer*"]}
    for url, said in (("https://www.ahfa.com/", 0), ("https://www.ahfa.com/start", 1)):
        loaded = load(source(id="al", url=url, domain="ahfa.com", scrape_config=config))
        assert len(list(pattern_warnings(Catalog([loaded])))) == said
