"""What each kind of setting takes, and what it refuses."""

from __future__ import annotations

import math

import pytest

from rori_spiders.configuration import setting_types
from tests.support.cases import cases

TAKEN = [
    (setting_types.whole_number(1), "5", 5),
    (setting_types.whole_number(), "0", 0),
    (setting_types.whole_number(1, 9), "9", 9),
    (setting_types.decimal_number(), "0.5", 0.5),
    (setting_types.decimal_number(unlimited=True), "inf", math.inf),
    (setting_types.one_of("system", "manual"), "manual", "manual"),
    (setting_types.LOG_LEVEL, "debug", "DEBUG"),
    (setting_types.BOOLEAN, "No", False),
    (setting_types.BOOLEAN, "True", True),
    (setting_types.HTTP_URL, "http://127.0.0.1:1/x", "http://127.0.0.1:1/x"),
    (setting_types.UUID_TYPE, "0D1C7A52-5A6F-4E8E-9D0A-6A1F0C8E8C11", "0d1c7a52-5a6f-4e8e-9d0a-6a1f0c8e8c11"),
    (setting_types.list_of("numbers", int), "1, 2,", "1, 2,"),
    (setting_types.free_text("a path"), "x", "x"),
]
REFUSED = [
    (setting_types.whole_number(1), "0"),
    (setting_types.whole_number(1), "-5"),
    (setting_types.whole_number(1), "abc"),
    (setting_types.whole_number(1), "1.5"),
    (setting_types.whole_number(1, 9), "10"),
    (setting_types.decimal_number(), "-0.1"),
    (setting_types.decimal_number(), "nan"),
    (setting_types.decimal_number(), "inf"),
    (setting_types.decimal_number(above_zero=True), "0"),
    (setting_types.one_of("system", "manual"), "System"),
    (setting_types.LOG_LEVEL, "chatty"),
    (setting_types.BOOLEAN, "maybe"),
    (setting_types.HTTP_URL, "ftp://host/"),
    (setting_types.HTTP_URL, "https://"),
    (setting_types.HTTP_URL, "https://[broken"),
    (setting_types.UUID_TYPE, "job-1"),
    (setting_types.list_of("numbers", int), "1,two"),
]


@cases(("kind", "given", "read"), TAKEN)
def test_setting_types_valid_values_are_accepted(kind: setting_types.SettingType, given: str, read: object) -> None:
    found = kind.read(given)
    assert found == read
    assert type(found) is type(read)


@cases(("kind", "given"), REFUSED)
def test_setting_types_invalid_values_are_refused(kind: setting_types.SettingType, given: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (it says nothing: `settling` does)
        kind.read(given)


def test_setting_types_descriptions_name_every_choice() -> None:
    assert setting_types.one_of("a", "b", "c").values == "`a`, `b` or `c`"
    assert setting_types.whole_number(1, 9).values == "a whole number from 1 to 9"
