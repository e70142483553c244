"""docs/reference/command-output.schema.json: what commands print as JSON is what it says, and none is missing there."""

from __future__ import annotations

import argparse
import json
from contextlib import closing
from typing import TYPE_CHECKING

import jsonschema
import pytest
from sqlalchemy import select

from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.operations import alerts
from rori_spiders.ledger.tables.runs import runs
from rori_spiders.terminal.command import RoriCommand
from rori_spiders.terminal.commands.completion import list_commands
from tests.support.output_schema import SCHEMAS, find_problems
from tests.terminal.commands.conftest import BEGAN, START

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.project import Project
    from tests.terminal.commands.conftest import Result

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
    "sources list": "sources-list",
    "sources list --review": "sources-list.review",
    "staging prune --dry-run": "staging-prune",
    "tiers": "tiers",
    "verify": "verify",
}
#: Of things in detail, what the same ledger answers; others are compared where their tests make them: `changes noise`,
#: `diff`, `jobs show`, `map`, `parse`, and `runs show` with a summary.
_DETAILS = {
    "alerts show 1": "alerts-show",
    "due --explain a-page": "due.explain",
    "runs show {run}": "runs-show",
    "sources show a-page": "sources-show",
    "staging status": "staging-status",
}


def test_output_schema_is_valid_for_each_command() -> None:
    for schema in SCHEMAS.values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_json_output_matches_its_schema(collected: Project, typed: Callable[..., Result]) -> None:
    wrong, empty = list[str](), []
    with closing(open_ledger(f"sqlite:///{collected.ledger}")) as ledger, ledger.begin() as conn:
        about = {
            "source_id": "a-page",
            "event": "run_failed",
            "cause": "x",
            "severity": "warning",
            "message": "it failed",
        }
        alerts.raise_alert(conn, **about, pages=[START], now=BEGAN)
        run = conn.execute(select(runs.c.run_id)).scalar_one()
    for words, name in {**_COMMANDS, **_DETAILS}.items():
        done = typed(*words.format(run=run).split(), "--format", "json")
        try:
            document = json.loads(done.out)
        except ValueError:
            wrong.append(f"{words}: {done.out[:200]} {done.err[:300]}")
            continue
        wrong += find_problems(name, document)
        empty += [] if document else [words]
    assert not wrong, "\n".join(wrong)
    assert len(empty) < len(_COMMANDS) / 2, f"there is nothing to compare: {empty}"


def test_command_with_json_has_a_schema() -> None:
    named = {name.partition(".")[0] for name in SCHEMAS}
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
        assert find_problems("ledger-backup", json.loads(done.out)) == []
    restored = collected.folder / "again.db"
    again = typed(
        "ledger", "restore", str(collected.folder / "copy"), "--ledger-only", "-s", f"RORI_DATABASE_URL={restored}"
    )
    assert again.out.startswith("Restored the ledger of ")
    assert restored.stat().st_size > 0
