"""The ladder of a URL: what is configured, the source's own, the fence, what renders at once, what pays."""

from __future__ import annotations

from typing import Any

from rori_spiders.crawl.tiers.order import (
    agreed_host_tier,
    host_key,
    needs_browser,
    remembered_tier,
    render_route_for,
    tier_order,
    tier_order_for_page,
    tier_order_for_sitemap,
    url_template,
)
from rori_spiders.manifest.catalog import Catalog
from tests.manifest.examples import load, source
from tests.support.cases import cases

FOUR = ("official", "mediawiki", "http", "browser")
PAID = (*FOUR, "zyte", "firecrawl")


@cases(
    ("facts", "tier_names"),
    [
        ({}, ("http", "browser")),
        ({"has_api": True}, ("mediawiki", "http", "browser")),
        ({"is_official": True, "fence": ("official", "http")}, ("official", "http")),
        ({"render": "never"}, ("http",)),
        ({"render": "always"}, ("browser",)),
        ({"render": "always", "has_api": True}, ("browser",)),
        ({"render": "always", "own": ("http", "browser")}, ("browser",)),
        ({"render": "always", "own": ("http",)}, ()),
        ({"render": "always", "fence": ("official", "http")}, ()),
        ({"is_heavy": True}, ("browser",)),
        ({"is_heavy": True, "own": ("http", "browser")}, ("http", "browser")),
        ({"is_heavy": True, "render": "never"}, ("http",)),
        ({"is_heavy": True, "fence": ("official", "http")}, ("http",)),
        ({"own": ("browser", "http")}, ("browser", "http")),
        ({"own": ("zyte",)}, ()),
    ],
)
def test_tier_order_default_is_cheapest_first(facts: dict[str, Any], tier_names: tuple[str, ...]) -> None:
    assert tier_order(FOUR, **facts) == tier_names


@cases(
    ("facts", "tier_names"),
    [
        ({}, ("http", "browser", "zyte")),
        ({"render": "always"}, ("browser", "zyte")),
        ({"is_heavy": True}, ("browser", "zyte")),
        ({"own": ("http", "firecrawl", "zyte")}, ("http", "firecrawl", "zyte")),
        ({"fence": ("http", "firecrawl")}, ("http", "firecrawl")),
    ],
)
def test_tier_order_first_provider_is_last(facts: dict[str, Any], tier_names: tuple[str, ...]) -> None:
    assert tier_order(PAID, **facts) == tier_names


def test_tier_order_without_browser_lowers_likely_pages_only() -> None:
    assert tier_order(("http",), is_heavy=True) == ("http",)
    assert tier_order(("http",), render="always") == ()


def catalog(**more: Any) -> Catalog:
    return Catalog(
        [load(source(id="cfr", url="https://www.ecfr.gov/current/title-12/part-1024", domain="ecfr.gov"), **more)]
    )


def test_tier_order_ecfr_is_fenced_regardless_of_manifest() -> None:
    made = catalog()
    assert tier_order_for_page(made.sources[0].url, made.sources[0], made, PAID) == ("official", "http")
    assert tier_order_for_page("https://www.ecfr.gov/recent-changes", made.sources[0], made, PAID) == ("http",)


def test_tier_order_sitemaps_use_http_only() -> None:
    made = catalog(domains={"hud.gov": {"tiers": ["browser"]}})
    assert tier_order_for_sitemap("https://www.ecfr.gov/sitemap.xml", made) == ("http",)
    assert tier_order_for_sitemap("https://www.hud.gov/sitemap.xml", made) == ()


@cases(
    "url",
    [
        "https://www.trustpilot.com/review/example.com",
        "https://nl.trustpilot.com/review/example.nl",
        "https://www.google.com/maps/place/Somewhere",
        "https://www.google.co.uk/maps",
        "https://maps.google.de/?q=x",
        "https://maps.app.goo.gl/abc",
        "https://www.linkedin.com/jobs/view/1",
        "https://www.glassdoor.com/Reviews/x.htm",
        "https://uk.indeed.com/jobs",
        "https://lender.framer.website/",
        "https://lender.webflow.io/careers",
    ],
)
def test_tier_order_pages_http_never_shows_need_browser(url: str) -> None:
    assert needs_browser(url)


@cases(
    "url",
    [
        "https://www.hud.gov/careers",
        "https://www.hud.gov/about/jobs/clerk",
        "https://www.nottrustpilot.com/",
        "https://trustpilot.com.example.org/",
        "https://www.google.com/search?q=maps",
        "https://www.google.com/mapsthing",
        "https://webflow.io.gov/",
        "https://www.consumerfinance.gov/rules-policy/regulations/1024/",
    ],
)
def test_tier_order_other_pages_do_not_need_browser(url: str) -> None:
    assert not needs_browser(url)


def test_tier_order_own_careers_pages_have_row_with_reason() -> None:
    route = render_route_for("https://www.hud.gov/careers/")
    assert route is not None
    assert (route.name, route.first) == ("careers", "http")


@cases(
    ("url", "kind"),
    [
        ("https://www.hud.gov/rules/1024/5a", "www.hud.gov/rules/{n}/{n}a"),
        ("https://www.hud.gov/rules/1024/5a?page=2&b=x", "www.hud.gov/rules/{n}/{n}a?b&page"),
        ("https://www.hud.gov/d/0f8fad5b-d9cb-469f-a165-70867728950e", "www.hud.gov/d/{id}"),
        ("https://www.hud.gov/d/9f86d081884c7d659a2f", "www.hud.gov/d/{id}"),
        ("https://www.hud.gov/d/4kjh34kjh5kjh345kj", "www.hud.gov/d/{id}"),
        ("https://www.hud.gov/administrative-procedures", "www.hud.gov/administrative-procedures"),
        ("https://www.hud.gov/transportationauthority", "www.hud.gov/transportationauthority"),
        ("https://www.hud.gov/", "www.hud.gov/"),
    ],
)
def test_tier_order_page_kinds_are_matched(url: str, kind: str) -> None:
    assert url_template(url) == kind


def test_tier_order_agreement_of_several_kinds_holds_for_host() -> None:
    remembered = {"a.example/one": "browser", "a.example/two": "browser", "b.example/three": "browser"}
    url = "https://a.example/four"
    assert agreed_host_tier(url, remembered) is None
    remembered["a.example/three"] = "browser"
    assert agreed_host_tier(url, remembered) == "browser"
    remembered[host_key(url)] = "browser"
    assert (remembered_tier(url, remembered), remembered_tier("https://b.example/four", remembered)) == (
        "browser",
        None,
    )
    remembered["a.example/five"] = "http"
    assert agreed_host_tier(url, remembered) is None
    assert remembered_tier("https://a.example/five", remembered) == "http"
