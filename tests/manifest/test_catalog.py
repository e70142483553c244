"""All manifests together: sources, contradictions, rules by host."""

from __future__ import annotations

from datetime import UTC, datetime, time
from typing import Any

import pytest

from rori_spiders.exceptions import ManifestError
from rori_spiders.manifest.catalog import MAX_GROUPS, Catalog, CrawlWindow
from tests.manifest.examples import load, source
from tests.support.cases import cases


def catalog(domains: dict[str, Any], **top: Any) -> Catalog:
    return Catalog([load(domains=domains, **top)])


def test_catalog_finds_sources_of_all_files() -> None:
    one, two = load(source(), name="one"), load(source(id="b"), source(id="c"), name="two")
    both = Catalog([one, two])
    assert [each.id for each in both.sources] == ["cfpb-reg-x", "b", "c"]
    assert both.source("c").id == "c"
    assert both.loaded_of("c") is two
    with pytest.raises(KeyError):
        both.source("d")


def test_catalog_empty() -> None:
    assert Catalog([]).sources == ()
    assert Catalog([]).rules("www.hud.gov").delay_s == 2.0


def test_catalog_shared_ids_names_and_contradictions_are_refused() -> None:
    one = load(name="one", domains={"hud.gov": {"tiers": ["http"], "group": "hud"}})
    two = load(source(), source(id="b"), name="two", domains={"hud.gov": {"tiers": ["browser"], "group": "hud"}})
    three = load(source(id="c"), name="one", mediawiki_sites={"w.org": "https://w.org/api.php"})
    with pytest.raises(ManifestError) as refused:
        Catalog([one, two, three])
    assert refused.value.problems == (
        "one.json: the name 'one' is taken by one.json; rename one of the files",
        "two.json: source 'cfpb-reg-x' (sources[0]): $.sources[0].id: the id is taken by a source of one.json",
        "two.json: tiers of 'hud.gov' is ('browser',), but ('http',) in one.json",
    )


def test_catalog_rules_have_defaults() -> None:
    rules = catalog({"va.gov": {"delay_s": 9}}).rules("www.hud.gov")
    assert (rules.delay_s, rules.concurrency, rules.hours, rules.tiers, rules.group) == (2.0, 3, None, None, "hud.gov")


def test_catalog_rule_applies_to_subdomains() -> None:
    one = catalog({"hud.gov": {"delay_s": 5, "concurrency": 1}})
    assert one.rules("a.b.hud.gov").delay_s == 5
    assert one.rules("a.b.hud.gov").concurrency == 1
    assert one.rules("nothud.gov").delay_s == 2.0


def test_catalog_nearest_entry_wins_for_each_rule() -> None:
    one = catalog(
        {
            "hud.gov": {"delay_s": 5, "tiers": ["http"], "group": "hud", "hours": "22:00-05:00"},
            "archives.hud.gov": {"delay_s": 3, "hours": "any"},
        }
    )
    below = one.rules("www.archives.hud.gov")
    assert (below.delay_s, below.tiers, below.group) == (3, ("http",), "hud")
    assert below.hours == CrawlWindow(time(0), time(0))
    assert one.rules("hud.gov").hours == CrawlWindow(time(22), time(5))


def test_catalog_manifest_may_only_narrow_publisher_tiers() -> None:
    assert catalog({}).rules("www.ecfr.gov").tiers == ("official", "http")
    assert catalog({"ecfr.gov": {"tiers": ["official"]}}).rules("www.ecfr.gov").tiers == ("official",)
    wide = catalog({"federalregister.gov": {"tiers": ["browser", "http", "zyte"]}})
    assert wide.rules("www.federalregister.gov").tiers == ("http",)
    assert catalog({}).rules("notecfr.gov").tiers is None


def test_catalog_ip_address_inherits_nothing() -> None:
    one = catalog({"0.0.1": {"delay_s": 9}, "127.0.0.1": {"delay_s": 4}})
    assert one.rules("127.0.0.1").delay_s == 4
    assert one.rules("10.0.0.1").delay_s == 2.0
    assert one.group("127.0.0.1") == "127.0.0.1"


def test_catalog_politeness_groups() -> None:
    one = catalog({"ecfr.gov": {"group": "nara"}, "federalregister.gov": {"group": "nara"}})
    assert one.group("www.ecfr.gov") == one.group("federalregister.gov") == "nara"
    assert one.group("www.hud.gov") == one.group("archives.hud.gov") == "hud.gov"


def test_catalog_group_pace_is_that_of_strictest_member() -> None:
    one = catalog(
        {"ecfr.gov": {"group": "nara", "delay_s": 5}, "federalregister.gov": {"group": "nara", "concurrency": 1}}
    )
    assert (one.rules_of_group("nara").delay_s, one.rules_of_group("nara").concurrency) == (5, 1)
    assert (one.rules_of_group("hud.gov").delay_s, one.rules_of_group("hud.gov").concurrency) == (2.0, 3)


def test_catalog_stricter_pace_of_two_files_wins() -> None:
    one = load(name="one", domains={"hud.gov": {"delay_s": 5}, "va.gov": {"tiers": ["http"]}})
    two = load(source(id="b"), name="two", domains={"hud.gov": {"delay_s": 3, "concurrency": 2}, "va.gov": {}})
    for order in ([one, two], [two, one]):
        both = Catalog(order)
        assert (both.rules("hud.gov").delay_s, both.rules("hud.gov").concurrency) == (5, 2)
        assert both.rules("va.gov").tiers == ("http",)


def test_catalog_api_is_found_by_host_of_wiki() -> None:
    one = catalog({}, mediawiki_sites={"wiki.example.org": "https://wiki.example.org/w/api.php"})
    assert (
        one.api_url("wiki.example.org") == one.api_url("www.wiki.example.org") == "https://wiki.example.org/w/api.php"
    )
    assert one.api_url("example.org") is None


@cases(
    ("text", "moment", "covered"),
    [
        ("02:00-06:00", datetime(2026, 1, 15, 7, 0, tzinfo=UTC), True),  # 02:00 in New York
        ("02:00-06:00", datetime(2026, 1, 15, 11, 0, tzinfo=UTC), False),  # 06:00
        ("02:00-06:00", datetime(2026, 7, 15, 6, 0, tzinfo=UTC), True),  # 02:00 in summer
        ("02:00-06:00", datetime(2026, 7, 15, 10, 0, tzinfo=UTC), False),
        ("22:00-05:00 UTC", datetime(2026, 1, 15, 23, 0, tzinfo=UTC), True),
        ("22:00-05:00 UTC", datetime(2026, 1, 15, 4, 59, tzinfo=UTC), True),
        ("22:00-05:00 UTC", datetime(2026, 1, 15, 5, 0, tzinfo=UTC), False),
        ("22:00-05:00 UTC", datetime(2026, 1, 15, 12, 0, tzinfo=UTC), False),
        ("any", datetime(2026, 1, 15, 12, 0, tzinfo=UTC), True),
    ],
)
def test_catalog_crawl_hours(text: str, moment: datetime, covered: bool) -> None:
    assert CrawlWindow.parse(text).cover(moment) is covered


def test_catalog_api_of_other_group_is_refused() -> None:
    """It would be asked at the pace, and under the lease, of a group that is not its own."""
    with pytest.raises(
        ManifestError,
        match=r"\$\.mediawiki_sites\.wiki\.gov: api\.cloud\.com and wiki\.gov are in different politeness groups",
    ):
        catalog({}, mediawiki_sites={"wiki.gov": "https://api.cloud.com/w/api.php"})
    same = {"wiki.gov": {"group": "wiki"}, "cloud.com": {"group": "wiki"}}
    catalog(same, mediawiki_sites={"wiki.gov": "https://api.cloud.com/w/api.php"})
    catalog({}, mediawiki_sites={"en.wiki.gov": "https://www.wiki.gov/w/api.php"})


def test_catalog_source_of_too_many_groups_is_refused() -> None:
    hosts = [f"agency-{number}.gov" for number in range(MAX_GROUPS)]
    with pytest.raises(
        ManifestError, match=r"sources\[0\]\.allowed_hosts: 11 politeness groups; a run supports at most 10"
    ):
        Catalog([load(source(allowed_hosts=hosts))])
    Catalog([load(source(allowed_hosts=hosts[1:]))])


def test_catalog_wiki_api_is_requested_sequentially() -> None:
    one = catalog({"wiki.gov": {"concurrency": 3}}, mediawiki_sites={"en.wiki.gov": "https://www.wiki.gov/w/api.php"})
    assert one.rules_of_group("wiki.gov").concurrency == 1
    assert one.rules_of_group("hud.gov").concurrency == 3
