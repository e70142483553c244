"""Keys of a paid server: which is used, which rests, and that none is ever shown."""

from __future__ import annotations

from rori_spiders.runtime.api_keys import KeyRing

FIRST, SECOND = "first-secret-91ab", "second-secret-22cd"


def test_key_ring_key_is_used_until_refused() -> None:
    keys = KeyRing([FIRST, SECOND])
    key = keys.ready(0)
    assert key is not None and key is keys.ready(1) and key.secret == FIRST
    keys.rest(key, 10, now=1)
    other = keys.ready(2)
    assert other is not None and other.secret == SECOND
    assert keys.ready(50) is other  # the one that works stays in use
    keys.rest(other, 10, now=50)
    assert keys.ready(51) is key


def test_key_ring_all_cooling_gives_none_and_next_return() -> None:
    keys = KeyRing([FIRST, SECOND])
    for rest in (30, 20):
        key = keys.ready(0)
        assert key is not None
        keys.rest(key, rest, now=0)
    assert keys.ready(19) is None
    assert keys.soonest().secret == SECOND
    back = keys.ready(20)
    assert back is not None and back.secret == SECOND


def test_key_ring_shorter_refusal_does_not_shorten_cooldown() -> None:
    keys = KeyRing([FIRST])
    key = keys.ready(0)
    assert key is not None
    keys.rest(key, 100, now=0)
    keys.rest(key, 1, now=0)
    assert keys.ready(50) is None


def test_key_ring_handles_do_not_show_keys() -> None:
    keys = KeyRing([FIRST, SECOND])
    key = keys.ready(0)
    assert repr(key) == str(key) == "key_01"
