"""Errors of commands at the terminal."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import pytest

from rori_spiders.exceptions import ActionRefused, PublishingRefused, UnknownName, UsageError
from rori_spiders.runtime import redacted_output
from rori_spiders.terminal.command import RoriCommand, Subcommands, make_strict
from tests.support.cases import cases

if TYPE_CHECKING:
    from rori_spiders.exceptions import RoriError


class _FailingCommand(RoriCommand):
    def __init__(self, error: RoriError) -> None:
        super().__init__()
        self._error = error

    def answer(self, opts: argparse.Namespace) -> int:
        raise self._error


def _run_command(error: RoriError) -> int:
    command = _FailingCommand(error)
    command.run([], argparse.Namespace(parser=argparse.ArgumentParser("scrapy corpus approve")))
    return command.exitcode


@pytest.mark.parametrize("kind", [ActionRefused, PublishingRefused, UnknownName])
def test_command_refused_by_state_prints_no_usage(kind: type[RoriError], capsys: pytest.CaptureFixture[str]) -> None:
    assert _run_command(kind("the corpus cannot be approved yet")) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("scrapy corpus approve: the corpus cannot be approved yet\n") and "Usage" not in printed


def test_command_invalid_arguments_print_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        _run_command(UsageError("name a source, or give --all"))
    assert ended.value.code == 2
    assert "\nUsage: " in capsys.readouterr().err


def test_command_usage_of_a_verb_names_the_program_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redacted_output, "program_name", lambda: "python -m scrapy")
    parser = argparse.ArgumentParser()
    make_strict(parser, "scrapy sites")
    Subcommands(parser).add("test", "try a recipe").add_argument("host", metavar="HOST")
    with pytest.raises(SystemExit):
        parser.parse_args(["test"])
    assert "\nUsage: python -m scrapy sites test [-h] [-s NAME=VALUE] HOST\n" in capsys.readouterr().err


@cases(
    ("args", "verb"),
    [
        ([], "list"),
        (["--source", "rules"], "list"),
        (["--source", "a", "--whole"], "list"),
        (["rules"], "rules"),
        (["--nolog", "rules"], "rules"),
        (["list", "--source", "rules"], "list"),
        (["rules", "--nolog"], "rules"),
        (["list", "-L", "DEBUG", "--logfile", "x.log"], "list"),
    ],
)
def test_subcommands_value_of_an_option_is_no_verb(args: list[str], verb: str) -> None:
    parser = argparse.ArgumentParser("scrapy changes")
    parser.add_argument("--nolog", action="store_true")
    verbs = Subcommands(parser, default="list")
    listed = verbs.add("list", "list changes")
    listed.add_argument("--source")
    listed.add_argument("--whole", action="store_true")
    verbs.add("rules", "list rules")
    assert parser.parse_args(args).verb == verb


class _TwoForms(_FailingCommand):
    usage = "[list] [--page URL | --run ID] [--since DATE] [--until DATE] [--status STATE] | show ID"


def test_command_usage_has_each_form_on_its_own_line(monkeypatch: pytest.MonkeyPatch) -> None:
    command = _TwoForms(UsageError(""))
    parser = argparse.ArgumentParser(usage=f"scrapy {command.name} {command.syntax()}")
    make_strict(parser, f"scrapy {command.name}")
    monkeypatch.setenv("COLUMNS", "80")
    lines = parser.format_help().splitlines()
    assert lines[2:5] == [
        "  scrapy test_command [list] [--page URL | --run ID] [--since DATE]",
        "      [--until DATE] [--status STATE]",
        "  scrapy test_command show ID",
    ]
