"""What each kind of setting takes, and what it refuses."""

from __future__ import annotations

import math

import pytest

from rori_spiders.configuration import kinds

TAKEN = [
    (kinds.whole(1), "5", 5),
    (kinds.whole(), "0", 0),
    (kinds.whole(1, 9), "9", 9),
    (kinds.number(), "0.5", 0.5),
    (kinds.number(unlimited=True), "inf", math.inf),
    (kinds.one_of("system", "manual"), "manual", "manual"),
    (kinds.log_level, "debug", "DEBUG"),
    (kinds.switch, "No", False),
    (kinds.switch, "True", True),
    (kinds.address, "http://127.0.0.1:1/x", "http://127.0.0.1:1/x"),
    (kinds.uuid, "0D1C7A52-5A6F-4E8E-9D0A-6A1F0C8E8C11", "0d1c7a52-5a6f-4e8e-9d0a-6a1f0c8e8c11"),
    (kinds.several("numbers", int), "1, 2,", "1, 2,"),
    (kinds.text("a path"), "x", "x"),
]
REFUSED = [
    (kinds.whole(1), "0"),
    (kinds.whole(1), "-5"),
    (kinds.whole(1), "abc"),
    (kinds.whole(1), "1.5"),
    (kinds.whole(1, 9), "10"),
    (kinds.number(), "-0.1"),
    (kinds.number(), "nan"),
    (kinds.number(), "inf"),
    (kinds.number(above_zero=True), "0"),
    (kinds.one_of("system", "manual"), "System"),
    (kinds.log_level, "chatty"),
    (kinds.switch, "maybe"),
    (kinds.address, "ftp://host/"),
    (kinds.address, "https://"),
    (kinds.address, "https://[broken"),
    (kinds.uuid, "job-1"),
    (kinds.several("numbers", int), "1,two"),
]


@pytest.mark.parametrize(("kind", "given", "read"), TAKEN)
def test_taken(kind: kinds.Kind, given: str, read: object) -> None:
    found = kind.read(given)
    assert found == read
    assert type(found) is type(read)


@pytest.mark.parametrize(("kind", "given"), REFUSED)
def test_refused(kind: kinds.Kind, given: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (it says nothing: `settling` does)
        kind.read(given)


def test_the_words_name_every_choice() -> None:
    assert kinds.one_of("a", "b", "c").values == "`a`, `b` or `c`"
    assert kinds.whole(1, 9).values == "a whole number from 1 to 9"
