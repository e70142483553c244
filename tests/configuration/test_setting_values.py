"""A setting from the environment, from `-s`, or wrong: its type, its origin, the sentence about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings

from rori_spiders.configuration.setting_values import (
    DEFAULTS,
    apply_setting_types,
    find_setting_problems,
    from_environment,
    setting_origin,
    unknown_variables,
)
from rori_spiders.exceptions import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.terminal.commands.conftest import Result


def settings(**typed: object) -> Settings:
    made = Settings({"RORI_PARALLEL_RUNS": 5, "LOG_LEVEL": "INFO", "RORI_LOG_LEVEL": "INFO"}, priority="project")
    made.setdict(typed, priority="cmdline")
    return made


def test_settings_of_environment_are_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RORI_PARALLEL_RUNS", " 7 ")
    monkeypatch.setenv("RORI_ACTIVATE", "no")
    monkeypatch.setenv("RORI_MAX_PAGES", "")
    monkeypatch.setenv("RORI_BROWSER_BUDGET", "many")
    assert from_environment("RORI_PARALLEL_RUNS", 5) == 7
    assert from_environment("RORI_ACTIVATE", True) is False
    assert from_environment("RORI_MAX_PAGES", 20000) == 20000, "empty counts as not set"
    wrong: object = from_environment("RORI_BROWSER_BUDGET", 5)
    assert wrong == "many", "told later, never a traceback at import"


def test_settings_of_command_line_are_typed() -> None:
    made = settings(RORI_PARALLEL_RUNS="3", RORI_MONTHLY_BUDGET_USD="inf")
    apply_setting_types(made)
    assert made["RORI_PARALLEL_RUNS"] == 3
    assert made["RORI_MONTHLY_BUDGET_USD"] == float("inf")


def test_settings_typed_empty_are_defaults() -> None:
    from_environment("RORI_PARALLEL_RUNS", 5)
    made = settings(RORI_PARALLEL_RUNS="")
    apply_setting_types(made)
    assert made["RORI_PARALLEL_RUNS"] == 5


def test_settings_of_scrapy_follow_ours_unless_typed() -> None:
    made = settings(RORI_LOG_LEVEL="debug")
    apply_setting_types(made)
    assert made["LOG_LEVEL"] == "DEBUG"
    both = settings(RORI_LOG_LEVEL="debug", LOG_LEVEL="ERROR")
    apply_setting_types(both)
    assert both["LOG_LEVEL"] == "ERROR"


def test_settings_all_problems_are_reported_at_once() -> None:
    with pytest.raises(UsageError) as told:
        apply_setting_types(settings(RORI_PARALLEL_RUNS="0", RORI_MAX_PAGES="-1", RORI_PARALEL_RUNS="3"))
    assert str(told.value).splitlines() == [
        "RORI_PARALLEL_RUNS is '0'; it must be a whole number from 1 on.",
        "RORI_MAX_PAGES is '-1'; it must be a whole number from 1 on.",
        "Unknown setting RORI_PARALEL_RUNS; did you mean RORI_PARALLEL_RUNS?",
    ]


def test_settings_wrong_number_in_module_is_reported() -> None:
    assert set(find_setting_problems(Settings({"RORI_MAX_PAGES": 0}))) == {"RORI_MAX_PAGES"}


def test_settings_have_origins() -> None:
    DEFAULTS["RORI_PARALLEL_RUNS"] = 5
    made = settings(RORI_MAX_PAGES="9")
    assert setting_origin("RORI_MAX_PAGES", made, {}) == "command line"
    assert setting_origin("RORI_PARALLEL_RUNS", made, {"RORI_PARALLEL_RUNS": "5"}) == "environment"
    assert setting_origin("RORI_PARALLEL_RUNS", made, {"RORI_PARALLEL_RUNS": ""}) == "default"
    made.set("RORI_PARALLEL_RUNS", 8, priority="project")
    assert setting_origin("RORI_PARALLEL_RUNS", made, {}) == "settings.py"


def test_settings_unknown_variables_are_reported() -> None:
    there = {"RORI_STAGIN": "x", "RORI_ZYTE_KEYS": "k", "RORI_STAGING": "y", "RORI_OF_A_HEADER": "z", "PATH": "p"}
    assert unknown_variables(there, also={"RORI_OF_A_HEADER"}) == {"RORI_STAGIN": "RORI_STAGING"}
    assert unknown_variables({"RORI_WEATHER": "x"}) == {"RORI_WEATHER": None}


@pytest.mark.parametrize("command", [["due"], ["list"], ["crawl", "a-page"], ["collect"]])
def test_command_invalid_setting_is_refused_by_each(
    three: Project, typed: Callable[..., Result], command: list[str]
) -> None:
    three.env["RORI_PARALLEL_RUNS"] = "abc"
    said = typed(*command)
    assert said.code == 2
    assert "RORI_PARALLEL_RUNS is 'abc'; it must be a whole number from 1 on." in said.err
    assert "Traceback" not in said.err
    assert not three.ledger.exists()
