"""A table of cases runs whole, and names what failed."""

from __future__ import annotations

import inspect

import pytest

from tests.support.cases import cases

SEEN: list[int] = []


@cases("number, square", [(2, 4), (3, 10), pytest.param(4, 17, id="four"), (5, 25)])
def squares(number: int, square: int) -> None:
    SEEN.append(number)
    assert number**2 == square


@cases("number", [1, 0], ids=["one", "nothing"])
def reciprocals(number: int) -> None:
    with pytest.raises(ZeroDivisionError):
        _ = 1 / number


def test_cases_run_all_and_name_those_that_fail() -> None:
    with pytest.raises(BaseExceptionGroup, match="2 of 4 cases failed") as failed:
        squares()
    assert SEEN == [2, 3, 4, 5]
    notes = [one.__notes__ for one in failed.value.exceptions]
    assert notes == [["case: number=3, square=10"], ["case: four: number=4, square=17"]]


def test_cases_single_failure_is_raised_as_it_is() -> None:
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE") as failed:
        reciprocals()
    assert failed.value.__notes__ == ["case: one: number=1"]


def test_cases_ask_for_no_fixture() -> None:
    assert not inspect.signature(squares).parameters
    assert squares.__name__ == "squares"


def test_cases_empty_table_is_refused() -> None:
    with pytest.raises(AssertionError, match="proves nothing"):
        cases("number", [])
