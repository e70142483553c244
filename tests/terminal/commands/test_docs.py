"""docs/reference/commands.md names every command, every option, every verb and every exit code."""

from __future__ import annotations

import argparse
import inspect
import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from scrapy.commands import ScrapyCommand
from scrapy.settings import Settings

import rori_spiders.terminal.commands
from rori_spiders import exceptions

DOCS = Path(__file__).parents[3] / "docs" / "reference" / "commands.md"
MODULES = sorted(module.name for module in iter_modules(rori_spiders.terminal.commands.__path__))
#: Scrapy's own, which users of this project type as well.
SCRAPYS_OWN = ("list",)


def section(name: str) -> str:
    """The text under the heading of a command."""
    found = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", DOCS.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert found, f"docs/reference/commands.md has no heading '## {name}'"
    return found[1]


def command(name: str) -> ScrapyCommand:
    module = import_module(f"rori_spiders.terminal.commands.{name}")
    [made] = [
        one
        for one in vars(module).values()
        if inspect.isclass(one) and issubclass(one, ScrapyCommand) and one.__module__ == module.__name__
    ]
    found = made()
    found.settings = Settings()
    return found


def parser_of(name: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    command(name).add_options(parser)
    return parser


def words(parser: argparse.ArgumentParser) -> set[str]:
    """The long options, and the verbs with theirs; without those that Scrapy hides from its help."""
    found: set[str] = set()
    for action in parser._actions:
        if action.help == argparse.SUPPRESS:
            continue
        found |= {option for option in action.option_strings if option.startswith("--")}
        if isinstance(action, argparse._SubParsersAction):
            found |= set(action.choices)
            found |= {word for verb in action.choices.values() for word in words(verb)}
    return found


class Plain(ScrapyCommand):
    """Nothing but what every Scrapy command has."""

    def short_desc(self) -> str:
        return ""

    def run(self, args: list[str], opts: argparse.Namespace) -> None: ...


def options_of_scrapy() -> set[str]:
    plain = Plain()
    plain.settings = Settings()
    parser = argparse.ArgumentParser()
    plain.add_options(parser)
    return words(parser) | {"--output", "--overwrite-output"}


def test_command_docs_every_command_has_section_and_overview_row() -> None:
    text = DOCS.read_text(encoding="utf-8")
    missing = [name for name in [*MODULES, *SCRAPYS_OWN] if f"(#{name})" not in text]
    assert not missing, f"docs/reference/commands.md, overview: {missing}"
    assert all(f"scrapy {name}" in section(name) for name in [*MODULES, *SCRAPYS_OWN])


def test_command_docs_every_option_is_documented() -> None:
    known = options_of_scrapy()
    everywhere = section("What all have in common")
    missing = [
        f"section {name}: {word}"
        for name in MODULES
        for word in sorted(words(parser_of(name)) - known)
        if word not in section(name) and word not in everywhere
    ]
    assert not missing, "docs/reference/commands.md\n" + "\n".join(missing)


def test_command_help_every_command_has_description() -> None:
    commands = {name: command(name) for name in MODULES}
    wrong = [name for name, one in commands.items() if not 0 < len(one.short_desc()) < 90 or "\n" in one.long_desc()]
    assert not wrong, f"short_desc() has 1 to 89 characters, long_desc() no line break: {wrong}"


def test_command_docs_no_section_without_command() -> None:
    headings = set(re.findall(r"^## (\S+)$", DOCS.read_text(encoding="utf-8"), re.MULTILINE))
    assert headings - {*MODULES, *SCRAPYS_OWN} <= {"demo"}


def test_command_docs_every_exit_code_is_documented() -> None:
    errors = [
        one for one in vars(exceptions).values() if inspect.isclass(one) and issubclass(one, exceptions.RoriError)
    ]
    codes = {0} | {one.exit_code for one in errors}
    table = section("Exit codes")
    assert codes == {0, 1, 2, 3}
    assert all(re.search(rf"^\| {code} \| \S", table, re.MULTILINE) for code in codes)
