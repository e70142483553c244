"""Where a provider's keys come from."""

from __future__ import annotations

from rori_spiders.crawl.tiers.providers.tier import load_provider_keys
from rori_spiders.runtime.redaction import get_redactor

FIRST, SECOND = "first-secret-91ab", "second-secret-22cd"


def test_provider_keys_come_from_environment_and_are_redacted() -> None:
    environment = {"RORI_ZYTE_KEYS": f" {FIRST} ,,{SECOND},{FIRST}", "ZYTE_API_KEY": "another"}
    assert load_provider_keys("zyte", environment) == (FIRST, SECOND)
    assert get_redactor().text(f"{SECOND} and {FIRST}") == "[redacted] and [redacted]"


def test_provider_keys_fall_back_to_customary_variable() -> None:
    assert load_provider_keys("firecrawl", {"RORI_FIRECRAWL_KEYS": " ", "FIRECRAWL_API_KEY": SECOND}) == (SECOND,)
    assert load_provider_keys("firecrawl", {}) == ()
