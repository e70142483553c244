"""Patterns that do nothing are said, and those that do something are not."""

from __future__ import annotations

from rori_spiders.crawl.preview.map_inventory import check_patterns
from rori_spiders.manifest.models import Source
from tests.support.cases import cases
from tests.support.project import source

SITE = "https://www.example.gov"


@cases(
    ("config", "expected"),
    [
        ({}, []),
        (
            {"include_patterns": ["/law/*"]},
            ["include_patterns do not match the start URL; it is collected anyway"],
        ),
        ({"include_patterns": ["/*", "/law/*"], "exclude_patterns": ["/law/old/*"]}, []),
        (
            {"include_patterns": ["/*", "/lwa/*"]},
            ["include_patterns: /lwa/* matches no page found so far"],
        ),
        ({"exclude_patterns": ["/law/#/*"]}, []),
        ({"exclude_patterns": ["/x/*"]}, ["exclude_patterns: /x/* matches no page found so far"]),
        (
            {"exclude_patterns": ["/*"]},
            ["exclude_patterns match the start URL (/*); it is collected anyway"],
        ),
    ],
)
def test_check_patterns_reports_doubtful_ones(config: dict[str, list[str]], expected: list[str]) -> None:
    patterned = Source.model_validate(source("one", f"{SITE}/", "crawl", scrape_config=config))
    known = [f"{SITE}/", f"{SITE}/law/1", f"{SITE}/law/old/2", f"{SITE}/law/#/rates"]
    assert list(check_patterns(patterned, known)) == expected
