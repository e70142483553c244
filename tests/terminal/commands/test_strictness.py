"""A usage error names the mistake, the usage and the help; other failures are one sentence with the right exit code."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.terminal.commands.conftest import Result

COMMANDS = ("manifest", "audit", "runs", "sources", "due", "verify", "pause", "resume", "ledger")


@pytest.mark.parametrize("command", COMMANDS)
def test_command_unknown_option_is_refused(three: Project, typed: Callable[..., Result], command: str) -> None:
    needed = {"manifest": ["schema"], "ledger": ["upgrade"], "pause": ["a-page", "--reason", "x"], "resume": ["a-page"]}
    said = typed(command, *needed.get(command, []), "--no-such-option")
    assert said.code == 2
    assert said.out == ""
    verbs = {"manifest": "schema", "ledger": "upgrade", "runs": "list", "sources": "list"}
    name = f"scrapy {command} {verbs.get(command, '')}".strip()
    wrong, usage, *more_forms, help_hint = said.err.splitlines()
    assert wrong == f"{name}: unknown option: --no-such-option"
    assert usage.startswith(f"Usage: {name} ")
    assert all(line.startswith(f"       {name} ") for line in more_forms)
    assert help_hint == f"Try `{name} -h`."
    assert not three.ledger.exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        pytest.param(["audit", "cfpb"], "scrapy audit: unexpected argument: cfpb", id="a leftover word"),
        pytest.param(["audit", "--sour", "x"], "scrapy audit: unknown option: --sour", id="an abbreviation"),
        pytest.param(["audit", "--limit", "0"], "expected a number of at least 1, not '0'", id="no rows"),
        pytest.param(["audit", "--limit", "many"], "expected a number of at least 1, not 'many'", id="no number"),
        pytest.param(["audit", "--status", "lost"], "or an HTTP status, not 'lost'", id="an unknown state"),
        pytest.param(["audit", "--url", "ftp://x/"], "not an http or https URL", id="not a URL of ours"),
        pytest.param(["audit", "--format", "xml"], "choose from", id="an unknown format"),
        pytest.param(["audit", "--since"], "expected one argument", id="an option without its value"),
        pytest.param(["audit", "-s", "nonsense"], "Invalid -s value", id="a setting without a value"),
        pytest.param(
            ["sources", "show", "a", "b"], "scrapy sources show: unexpected argument: b", id="one id too many"
        ),
        pytest.param(["pause", "a-page"], "--reason", id="a pause without a reason"),
        pytest.param(["pause", "a-page", "--reason", " "], "--reason must not be empty", id="an empty reason"),
        pytest.param(
            ["dispatch", "--prioritize", "a-page", "--once"],
            "--prioritize cannot be combined with --once",
            id="prioritize, once",
        ),
        pytest.param(
            ["dispatch", "--prioritize", "a-page", "--dry-run"],
            "cannot be combined with --dry-run",
            id="prioritize, a dry run",
        ),
        pytest.param(["ledger"], "required", id="no verb"),
        pytest.param(["manifest", "frobnicate"], "invalid choice: 'frobnicate'", id="an unknown verb"),
        pytest.param(["manifest", "diff", "a", "b", "c"], "OLD NEW", id="three to compare"),
    ],
)
def test_command_invalid_arguments_are_refused(
    three: Project, typed: Callable[..., Result], words: list[str], sentence: str
) -> None:
    said = typed(*words)
    assert said.code == 2
    assert said.out == ""
    assert sentence in said.err
    assert [line.split()[0] for line in said.err.splitlines() if line[:1] != " "] == ["scrapy", "Usage:", "Try"]
    assert "Traceback" not in said.err


@pytest.mark.parametrize("command", ["audit", "map"])
def test_command_help_underlines_headings_only(three: Project, typed: Callable[..., Result], command: str) -> None:
    lines = typed(command, "-h").out.splitlines()
    headings = {above for above, line in pairwise(lines) if line and not line.strip("=-")}
    assert headings <= {"Usage", "Positional Arguments", "Options", "Global Options"}
    assert {"Usage", "Options"} <= headings


def test_command_relative_path_without_scrapy_cfg_is_refused(three: Project) -> None:
    (three.folder / "scrapy.cfg").unlink()
    for words in (["sources"], ["demo", "--edit"]):
        done = three.scrapy(*words, env={"SCRAPY_SETTINGS_MODULE": "rori_spiders.settings"})
        assert (done.returncode, done.stdout) == (2, "")
        assert "no scrapy.cfg was found here or in a parent folder" in done.stderr
        assert "docs/how-to/troubleshooting.md#there-is-no-project-here" in done.stderr
        assert "Traceback" not in done.stderr
        assert list(three.folder.iterdir()) == [three.folder / "manifest.json"]


def test_command_file_that_is_no_ledger_is_refused(three: Project, typed: Callable[..., Result]) -> None:
    three.ledger.parent.mkdir()
    three.ledger.write_text("this is no database" * 100, encoding="utf-8")
    for command in (["audit"], ["sources"], ["due"], ["runs"], ["verify"], ["pause", "a-page", "--reason", "x"]):
        said = typed(*command)
        assert said.code == 3
        assert "is not a database" in said.err
        assert str(three.ledger) in said.err


def test_command_broken_manifest_lists_every_problem(three: Project, typed: Callable[..., Result]) -> None:
    (three.folder / "manifest.json").write_text('{"version": 1, "sources": [], "what": 2}', encoding="utf-8")
    for command in ("sources", "due"):
        said = typed(command)
        assert said.code == 2
        assert len([line for line in said.err.splitlines() if "manifest.json" in line]) == 3


@pytest.mark.parametrize("words", [["--dry-run"], ["--dry-run", "--once"]])
def test_dispatch_dry_run_is_one_round_without_effect(
    three: Project, typed: Callable[..., Result], words: list[str]
) -> None:
    said = typed("dispatch", *words)
    assert (said.code, said.err) == (0, "")
    # A source under .gov is held by day, and due by night.
    assert re.search(r"Would queue (1 job with 1 source|2 jobs with 2 sources)\.", said.out), said.out
    assert not three.ledger.exists()


def test_command_settings_of_option_s_win(three: Project, typed: Callable[..., Result]) -> None:
    elsewhere = three.folder / "elsewhere.db"
    assert typed("ledger", "upgrade", "-s", f"RORI_DATABASE_URL={elsewhere}").code == 0
    assert elsewhere.exists()
    assert not three.ledger.exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_command_help_has_own_examples(three: Project, typed: Callable[..., Result], command: str) -> None:
    said = typed(command, "-h")
    assert said.code == 0
    examples = said.out.partition("Examples:\n")[2].splitlines()
    assert examples
    assert all(line.startswith(f"  scrapy {command}") for line in examples)


def test_scrapy_help_lists_our_commands(three: Project) -> None:
    done = three.scrapy()
    assert done.returncode == 0
    for command in COMMANDS:
        assert f"\n  {command} " in done.stdout
