"""docs/reference/command-output.schema.json: what commands print as JSON is what it says, and none is missing there."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from rori_spiders.commands.completion import list_commands
from rori_spiders.terminal.command import RoriCommand
from tests.house.code import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.commands.conftest import Result
    from tests.support.project import Project

_SCHEMA = json.loads((REPOSITORY / "docs" / "reference" / "command-output.schema.json").read_text(encoding="utf-8"))
#: Commands that a ledger of one run answers without a network: words, and their schema's name.
_COMMANDS = {
    "alerts list": "alerts-list",
    "as-of 2026-03-01": "as-of",
    "audit": "audit",
    "audit --summary": "audit.summary",
    "changes list": "changes-list",
    "changes owners": "changes-owners",
    "changes rules": "changes-rules",
    "changes subscriptions": "changes-subscriptions",
    "collect --dry-run": "collect.dry-run",
    "corpus status": "corpus-status",
    "doctor": "doctor",
    "doctor --diff-settings": "doctor.diff-settings",
    "due": "due",
    "due --intervals": "due.intervals",
    "due --what-if frequency=daily": "due.what-if",
    "evidence heads": "evidence-heads",
    "evidence key list": "evidence-key-list",
    "import list": "import-list",
    "jobs list": "jobs-list",
    "monitor users list": "monitor-users-list",
    "monitor tokens list": "monitor-tokens-list",
    "runs list": "runs-list",
    "sites recipes": "sites-recipes",
    "sources": "sources",
    "sources --review": "sources.review",
    "staging prune --dry-run": "staging-prune",
    "tiers": "tiers",
    "verify": "verify",
}
#: One thing in detail: its keys are the facts that there are of it.
_DETAILS = {
    "alerts-show",
    "changes-noise",
    "changes-review",
    "diff",
    "export-evidence",
    "jobs-show",
    "manifest-add",
    "manifest-diff",
    "manifest-validate",
    "map",
    "pause",
    "runs-accept",
    "runs-show",
    "staging-status",
}


def test_output_schema_is_valid_for_each_command() -> None:
    for schema in _SCHEMA["$defs"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_json_output_matches_its_schema(collected: Project, typed: Callable[..., Result]) -> None:
    wrong, empty = [], []
    for words, name in _COMMANDS.items():
        done = typed(*words.split(), "--format", "json")
        try:
            document = json.loads(done.out)
        except ValueError:
            wrong.append(f"{words}: {done.out[:200]} {done.err[:300]}")
            continue
        schema: dict[str, Any] = {**_SCHEMA["$defs"][name], "$defs": _SCHEMA["$defs"][name].get("$defs", {})}
        problems = jsonschema.Draft202012Validator(schema).iter_errors(document)
        wrong += [f"{words}: {list(one.absolute_path)}: {one.message[:200]}" for one in problems]
        empty += [] if document else [words]
    assert not wrong, "\n".join(wrong)
    assert len(empty) < len(_COMMANDS) / 2, f"there is nothing to compare: {empty}"


def test_command_with_json_has_a_schema() -> None:
    named = {name.partition(".")[0] for name in _SCHEMA["$defs"]} | _DETAILS
    missing = [words for words in _commands_with_json() if words.replace(" ", "-") not in named]
    assert not missing, missing


def _commands_with_json() -> Iterator[str]:
    for name, command in list_commands():
        parser = argparse.ArgumentParser(conflict_handler="resolve")
        if isinstance(command, RoriCommand):
            command.options(parser)
            yield from _verbs_with_json(parser, name)


def _verbs_with_json(parser: argparse.ArgumentParser, words: str) -> Iterator[str]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb, own in action.choices.items():
                yield from _verbs_with_json(own, f"{words} {verb}")
        elif "--format" in action.option_strings and "json" in (action.choices or ()):
            yield words


@pytest.mark.parametrize("form", ["table", "json"])
def test_ledger_backup_prints_its_description(collected: Project, typed: Callable[..., Result], form: str) -> None:
    done = typed("ledger", "backup", str(collected.folder / "copy"), "--ledger-only", "--format", form)
    assert done.code == 0, done.err
    if form == "json":
        jsonschema.validate(json.loads(done.out), _SCHEMA["$defs"]["ledger-backup"])
    restored = collected.folder / "again.db"
    again = typed(
        "ledger", "restore", str(collected.folder / "copy"), "--ledger-only", "-s", f"RORI_DATABASE_URL={restored}"
    )
    assert again.out.startswith("Restored the ledger of ")
    assert restored.stat().st_size > 0
