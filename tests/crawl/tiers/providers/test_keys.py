"""Keys of a provider: which is used, which rests, and that none is ever shown."""

from __future__ import annotations

from rori_spiders.crawl.tiers.errors import KeyRefused
from rori_spiders.crawl.tiers.providers.keys import ProviderKeyRing, load_provider_keys
from rori_spiders.runtime.redaction import get_redactor

FIRST, SECOND = "first-secret-91ab", "second-secret-22cd"


def refused(rest_s: float) -> KeyRefused:
    return KeyRefused("provider_refused", "no", rest_s)


def test_a_key_is_used_until_it_is_refused() -> None:
    keys = ProviderKeyRing([FIRST, SECOND])
    key = keys.ready(0)
    assert key is not None and key is keys.ready(1) and key.secret == FIRST
    keys.rest(key, refused(10), now=1)
    other = keys.ready(2)
    assert other is not None and other.secret == SECOND
    assert keys.ready(50) is other  # the one that works stays in use
    keys.rest(other, refused(10), now=50)
    assert keys.ready(51) is key


def test_when_all_rest_there_is_none_and_the_first_to_be_back_is_known() -> None:
    keys = ProviderKeyRing([FIRST, SECOND])
    for rest in (30, 20):
        key = keys.ready(0)
        assert key is not None
        keys.rest(key, refused(rest), now=0)
    assert keys.ready(19) is None
    assert keys.soonest().secret == SECOND
    back = keys.ready(20)
    assert back is not None and back.secret == SECOND


def test_a_shorter_refusal_does_not_end_a_longer_rest() -> None:
    keys = ProviderKeyRing([FIRST])
    key = keys.ready(0)
    assert key is not None
    keys.rest(key, refused(100), now=0)
    keys.rest(key, refused(1), now=0)
    assert keys.ready(50) is None


def test_keys_have_handles_and_are_not_shown() -> None:
    keys = ProviderKeyRing([FIRST, SECOND])
    key = keys.ready(0)
    assert repr(key) == str(key) == "key_01"


def test_keys_come_from_the_environment_and_each_is_a_secret_from_then_on() -> None:
    environment = {"RORI_ZYTE_KEYS": f" {FIRST} ,,{SECOND},{FIRST}", "ZYTE_API_KEY": "another"}
    assert load_provider_keys("zyte", environment) == (FIRST, SECOND)
    assert get_redactor().text(f"{SECOND} and {FIRST}") == "[redacted] and [redacted]"


def test_the_customary_variable_is_read_where_ours_says_nothing() -> None:
    assert load_provider_keys("firecrawl", {"RORI_FIRECRAWL_KEYS": " ", "FIRECRAWL_API_KEY": SECOND}) == (SECOND,)
    assert load_provider_keys("firecrawl", {}) == ()
