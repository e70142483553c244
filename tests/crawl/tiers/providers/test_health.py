"""What each provider's tier needs, and whether its check tells a server that works from one that does not."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from scrapy.utils.test import get_crawler

from rori_spiders.crawl.tiers.providers import PROVIDER_TIERS
from tests.support.server.fixtures import next_address
from tests.support.server.vendor import GOOD_KEY, Vendor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rori_spiders.crawl.tiers.base import HealthStatus
    from rori_spiders.crawl.tiers.providers.tier import ProviderTier

PAID = ("zyte", "firecrawl", "scrapingant")


@pytest.fixture
def vendor() -> Iterator[Vendor]:
    with Vendor(next_address()) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for company in PROVIDER_TIERS:
        for name in (f"RORI_{company.upper()}_KEYS", f"{company.upper()}_API_KEY"):
            monkeypatch.delenv(name, raising=False)


def tier(company: str, url: str) -> ProviderTier:
    limits = {"RORI_MONTHLY_BUDGET_USD": 1, f"RORI_{company.upper()}_MONTHLY_CREDITS": 1, "RORI_PROVIDER_TIMEOUT": 5}
    places = {"RORI_STAGING": "/nowhere", "RORI_DATABASE_URL": "sqlite:////nowhere/ledger.db", "RORI_MAX_BYTES": 10_000}
    workers = {"RORI_CONVERT_WORKERS": 1, "RORI_CONVERT_TIMEOUT": 5}
    return PROVIDER_TIERS[company](
        get_crawler(settings_dict={f"RORI_{company.upper()}_URL": url, **limits, **places, **workers})
    )


def checked(one: ProviderTier) -> HealthStatus:
    return asyncio.run(one.check())


@pytest.mark.parametrize("company", PAID)
def test_provider_health_without_key_is_unmet(company: str, vendor: Vendor) -> None:
    one = tier(company, vendor.url)
    [missing] = [need for need in one.needs() if not need.met]
    assert missing.mend == f"export RORI_{company.upper()}_KEYS=..."
    assert not checked(one).ok


def test_provider_health_own_server_needs_url_and_no_key(vendor: Vendor) -> None:
    assert [need.met for need in tier("crawl4ai", "").needs()] == [False]
    assert [need.met for need in tier("crawl4ai", vendor.url).needs()] == [True]


@pytest.mark.parametrize("company", PROVIDER_TIERS)
def test_provider_health_working_is_ok(company: str, vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"{company.upper()}_API_KEY", GOOD_KEY)
    health = checked(tier(company, vendor.url))
    assert health.ok, health
    if company in {"firecrawl", "scrapingant"}:
        assert health.says == "100 credits are left (key_01)"
    assert vendor.requests() == []  # nothing was paid for


@pytest.mark.parametrize("company", ["firecrawl", "scrapingant"])
def test_provider_health_without_credits_or_with_wrong_key_fails(
    company: str, vendor: Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"{company.upper()}_API_KEY", GOOD_KEY)
    vendor.credits = 0
    assert not checked(tier(company, vendor.url)).ok
    monkeypatch.setenv(f"{company.upper()}_API_KEY", "wrong-key-77aa1")
    health = checked(tier(company, vendor.url))
    assert not health.ok and "key_01" in health.says and "wrong-key-77aa1" not in health.says


@pytest.mark.parametrize("company", PROVIDER_TIERS)
def test_provider_health_unreachable_is_reported(company: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"{company.upper()}_API_KEY", GOOD_KEY)
    with Vendor(next_address()) as gone:
        url = gone.url
    health = checked(tier(company, url))
    assert not health.ok and "cannot be reached" in health.says
