"""S2, "API Key Rotation": row by row; and what a key rests for."""

from __future__ import annotations

import pytest

from rori_spiders.exceptions import AllKeysExhaustedError, ScraperError
from rori_spiders.llm.keys import KeyRotator, load_keys
from rori_spiders.runtime.redaction import get_redactor

KEYS = ["first-secret-91ab", "second-secret-22cd", "third-secret-33ef"]


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_key_rotator_first_key_is_used_until_refused() -> None:
    rotator = KeyRotator(KEYS, Clock())
    assert rotator.current_key == KEYS[0] and rotator.attempts == 0
    assert rotator.rotate("rate limited") == KEYS[1] == rotator.current_key
    assert rotator.attempts == 1


def test_key_rotator_success_resets_attempts_and_keeps_key() -> None:
    rotator = KeyRotator(KEYS, Clock())
    rotator.rotate("rate limited")
    rotator.reset()
    assert rotator.attempts == 0 and rotator.current_key == KEYS[1]


def test_key_rotator_all_keys_refused_raises_with_wait() -> None:
    rotator = KeyRotator(KEYS, Clock())
    rotator.rotate("no", 30)
    rotator.rotate("no", 10)
    with pytest.raises(AllKeysExhaustedError, match="all 3 keys were refused: too many requests") as error:
        rotator.rotate("too many requests", 3600)
    assert isinstance(error.value, ScraperError)
    assert error.value.details == {"rest_s": 10.0, "keys": 3}
    assert not any(key in str(error.value) + repr(rotator) for key in KEYS)


def test_key_rotator_key_returns_after_cooldown() -> None:
    clock = Clock()
    rotator = KeyRotator(KEYS[:2], clock)
    rotator.rotate("busy", 10)
    with pytest.raises(AllKeysExhaustedError):
        rotator.rotate("busy", 30)
    with pytest.raises(AllKeysExhaustedError):
        _ = rotator.current_key
    clock.now += 11
    assert rotator.current_key == KEYS[0]


def test_key_rotator_cooling_keys_are_skipped() -> None:
    rotator = KeyRotator(KEYS, Clock())
    rotator.rotate("busy", 100)
    rotator.reset()
    assert rotator.rotate("busy", 100) == KEYS[2]


def test_key_rotator_one_key_and_no_key() -> None:
    with pytest.raises(AllKeysExhaustedError, match="the only key was refused: no"):
        KeyRotator(KEYS[:1], Clock()).rotate("no")
    assert KeyRotator([]).current_key == "none"


def test_parse_keys_environment_keys_are_redacted() -> None:
    assert load_keys({"RORI_LLM_KEYS": f" {KEYS[0]} ,,{KEYS[1]},{KEYS[0]}", "OPENAI_API_KEY": KEYS[2]}) == tuple(
        KEYS[:2]
    )
    assert get_redactor().text(f"{KEYS[0]} and {KEYS[1]}") == "[redacted] and [redacted]"
    assert load_keys({}) == ()
