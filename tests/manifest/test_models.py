"""The models: what S0 §4.4 shows is accepted, what is left out has its documented default, nothing can be changed."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from rori_spiders.exceptions import ManifestError
from rori_spiders.manifest.models import FromEnvironment, Manifest, Source
from rori_spiders.manifest.vocabulary import DEFAULT_FREQUENCIES, MEANINGS, category_of
from tests.manifest.examples import load, source
from tests.support.cases import cases

# The example of the specification, word for word.
SPECIFIED: dict[str, Any] = {
    "id": "cfpb-reg-x",
    "name": "CFPB Regulation X (RESPA)",
    "description": "Real Estate Settlement Procedures Act implementing regulation",
    "url": "https://www.consumerfinance.gov/rules-policy/regulations/1024/",
    "domain": "consumerfinance.gov",
    "regulatory_domain": "RESPA",
    "citation": "12 C.F.R. Part 1024",
    "jurisdiction": "federal",
    "source_type": "regulation",
    "content_type": "html",
    "method": "crawl",
    "frequency": "weekly",
    "priority": "high",
    "status": "active",
    "scrape_config": {
        "include_patterns": ["/1024/*"],
        "exclude_patterns": ["/1024/*/interp*"],
        "max_depth": 3,
        "wait_for_selector": None,
        "custom_headers": {},
    },
    "metadata": {
        "agency": "CFPB",
        "last_known_update": "2024-10-01",
        "update_source": "Federal Register",
        "corroboration_status": "verified",
        "notes": "Includes appendices and supplements",
    },
    "swagger": None,
}


WITH_SCHEMA: dict[str, Any] = {"$schema": "https://rori.dev/schemas/scrape-manifest-v1.json"}


def test_source_example_of_specification() -> None:
    loaded = load(
        SPECIFIED,
        created="2026-02-13T00:00:00Z",
        updated="2026-02-13T00:00:00Z",
        vertical="fthb",
        **WITH_SCHEMA,
    )
    dumped = loaded.manifest.sources[0].model_dump(mode="json", exclude_unset=True)
    expected = {key: value for key, value in SPECIFIED.items() if value is not None}
    expected["scrape_config"] = {key: v for key, v in SPECIFIED["scrape_config"].items() if v is not None}
    assert dumped == expected
    assert loaded.manifest.schema_ == "https://rori.dev/schemas/scrape-manifest-v1.json"


def test_source_null_equals_absent() -> None:
    optional = {name: None for name, field in Source.model_fields.items() if not field.is_required()}
    top: dict[str, Any] = dict.fromkeys(
        field.alias or name for name, field in Manifest.model_fields.items() if not field.is_required()
    )
    top["version"] = "1.0.0"
    assert load(source(**optional), **top).manifest == load(source()).manifest


def test_source_defaults_are_documented_ones() -> None:
    one = load().manifest.sources[0]
    config = one.scrape_config
    assert (config.render, config.min_content_chars, config.browser_budget) == ("auto", 500, None)
    assert (config.max_depth, config.max_pages, config.sitemaps, config.tiers) == (None,) * 4
    assert config.follow_links is True
    assert one.effective_priority == "medium"


def test_source_is_frozen() -> None:
    one = load().manifest.sources[0]
    with pytest.raises(ValidationError, match="frozen"):
        one.status = "paused"  # type: ignore[misc]


def test_source_headers_are_text_or_from_environment() -> None:
    headers = {
        "Accept": "application/xml",
        "Authorization": {"env": "RORI_HEADER_STATE_API"},
        "User-Agent": {"env": "RORI_HEADER_UA"},
    }
    config = load(source(scrape_config={"custom_headers": headers})).manifest.sources[0].scrape_config
    assert config.custom_headers["Accept"] == "application/xml"
    assert config.custom_headers["Authorization"] == FromEnvironment(env="RORI_HEADER_STATE_API")


def test_source_expects_one_text_or_several() -> None:
    for given in ("Regulation X", ["Regulation X"]):
        config = load(source(scrape_config={"expect": {"must_contain": given}})).manifest.sources[0].scrape_config
        assert config.expect is not None
        assert config.expect.must_contain == ("Regulation X",)


@cases(
    ("url", "domain"),
    [
        ("https://www.hud.gov/", "hud.gov"),
        ("https://www.hud.gov/", "www.hud.gov"),
        ("https://WWW.HUD.gov./x", "hud.gov"),
        ("https://www.nar.realtor/", "nar.realtor"),
        ("https://city.k12.ca.us/", "city.k12.ca.us"),
        ("http://127.0.0.7:8080/", "127.0.0.7"),
        ("http://[::1]:8080/", "::1"),
        ("http://localhost:8080/", "localhost"),
        ("https://bücher.example.org/", "xn--bcher-kva.example.org"),
    ],
)
def test_source_domain_is_host_or_parent(url: str, domain: str) -> None:
    assert load(source(url=url, domain=domain)).manifest.sources[0].domain == domain


def test_source_folder_of_corpora_is_reserved() -> None:
    with pytest.raises(ManifestError, match="uses that folder for corpora"):
        load(source(url="http://domains/", domain="domains"))


@cases(
    "jurisdiction", ["federal", "national", "state:CA", "state:DC", "state:PR", "local:new-york-city", "local:Cook, IL"]
)
def test_source_jurisdictions(jurisdiction: str) -> None:
    assert load(source(jurisdiction=jurisdiction)).manifest.sources[0].jurisdiction == jurisdiction


@cases(
    ("host", "jurisdiction", "category"),
    [
        ("www.federalregister.gov", "federal", "federal_register"),
        ("www.ecfr.gov", "federal", "ecfr"),
        ("files.consumerfinance.gov", "federal", "cfpb"),
        ("ffiec.cfpb.gov", "federal", "cfpb"),
        ("selling-guide.fanniemae.com", "national", "gse_guide"),
        ("guide.freddiemac.com", "federal", "gse_guide"),
        ("www.hudexchange.info", "federal", "hud"),
        ("dfpi.ca.gov", "state:CA", "state_agency"),
        ("www.nyc.gov", "local:new-york-city", "state_agency"),
        ("www.mba.org", "national", "industry_org"),
        ("www.va.gov", "federal", "federal_agency"),
        ("nothud.gov", "federal", "federal_agency"),
    ],
)
def test_source_category_by_rule(host: str, jurisdiction: str, category: str) -> None:
    assert category_of(host, jurisdiction) == category


def test_source_frequency_follows_category() -> None:
    one, two, three = load(
        source(), source(id="b", category="industry_org"), source(id="c", frequency="daily")
    ).manifest.sources
    assert (one.effective_category, one.effective_frequency) == ("cfpb", "weekly")
    assert (two.effective_category, two.effective_frequency) == ("industry_org", "monthly")
    assert three.effective_frequency == "daily"
    assert set(DEFAULT_FREQUENCIES) == set(MEANINGS["category"])
