"""What a user or an operator meets is documented: settings, stats, log messages, close reasons, links.

Commands, options and exit codes: tests/terminal/commands/test_docs.py. Tables of the ledger: tests/ledger/test_docs.py.
"""

from __future__ import annotations

import ast
import os
import re
import runpy
from argparse import ArgumentParser, _SubParsersAction
from functools import cache
from typing import TYPE_CHECKING, Any

from rori_spiders import exceptions
from rori_spiders.configuration.setting_types import MAY_HOLD_SECRETS, SECRET_VARIABLES, SETTING_TYPES
from rori_spiders.crawl.tiers import providers
from rori_spiders.crawl.walkers import page_items
from rori_spiders.extensions import runs
from rori_spiders.reviews.events import EVENTS
from tests.house.code import PACKAGE, REPOSITORY, calls, docs, modules
from tests.terminal.commands.test_docs import SCRAPYS_OWN, parser_of

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [
    *(REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((REPOSITORY / "docs").rglob("*.md")),
]


# --- settings ------------------------------------------------------------------------------------------------------


def settings() -> dict[str, Any]:
    """The settings as they are when the environment says nothing."""
    kept = {name: value for name, value in os.environ.items() if name.startswith("RORI_")}
    for name in kept:
        del os.environ[name]
    try:
        return {name: value for name, value in runpy.run_path(str(PACKAGE / "settings.py")).items() if name.isupper()}
    finally:
        os.environ.update(kept)


SETTINGS = settings()
OURS = sorted(name for name in SETTINGS if name.startswith("RORI_"))
SCRAPYS = sorted(set(SETTINGS) - set(OURS))


@cache
def section(name: str) -> str:
    """The text below a setting's heading; empty when there is no such heading."""
    found = re.search(rf"^### {name}\n(.*?)(?=^##|\Z)", docs("settings.md"), re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def first_line(name: str) -> str:
    """What a setting's section must begin with."""
    default = SETTINGS[name]
    shown = "empty" if default == "" else f"`{int(default) if isinstance(default, float) else default}`"
    return f"Default: {shown}. Values: {SETTING_TYPES[name].values}."


def test_setting_docs_each_has_section_with_default() -> None:
    wrong = [f"### {name}\n{line}" for name in OURS if not section(name).lstrip().startswith(line := first_line(name))]
    assert not wrong, lines("docs/reference/settings.md: these sections must begin so", wrong)


def test_setting_types_each_setting_has_one() -> None:
    assert set(SETTING_TYPES) == set(OURS), "configuration/setting_types.py says what each may be"
    assert {name for name in OURS if "\nSecret: " in section(name)} == MAY_HOLD_SECRETS


def test_setting_types_each_default_fits() -> None:
    set_ = {name: SETTINGS[name] for name in OURS if SETTINGS[name] != ""}
    wrong = [name for name, default in set_.items() if SETTING_TYPES[name].read(str(default)) != default]
    assert not wrong, lines("configuration/setting_types.py reads these defaults otherwise", wrong)


def test_setting_environment_each_is_read_unchanged() -> None:
    text = (PACKAGE / "settings.py").read_text(encoding="utf-8")
    wrong = [name for name in OURS if f'{name} = _env("{name}", ' not in text]
    assert not wrong, lines("settings.py: write NAME = _env(NAME, ...), no int() around it", wrong)


def test_setting_docs_each_secret_variable_is_documented() -> None:
    missing = [variable for variable in sorted(SECRET_VARIABLES) if f"`{variable}`" not in docs("settings.md")]
    assert not missing, lines("docs/reference/settings.md does not name", missing)


def test_setting_docs_each_module_using_setting_is_named() -> None:
    wrong = []
    for name in OURS:
        used_by = re.search(r"^Used by (.+?)\.\n", section(name), re.MULTILINE)
        paths = re.findall(r"`([\w/]+\.py)`", used_by[1]) if used_by else []
        wrong += [f"{path} does not mention {name}" for path in paths if name not in source_of(path)]
        wrong += [] if paths else [f"{name}: 'Used by `module.py`.' is missing"]
    assert not wrong, lines("docs/reference/settings.md", wrong)


@cache
def source_of(path: str) -> str:
    """The text of a module of the package; empty when there is none."""
    module = PACKAGE / path
    return module.read_text(encoding="utf-8") if module.is_file() else ""


def test_setting_docs_no_section_without_setting() -> None:
    read_elsewhere = set(re.findall(r'_env\("(RORI_\w+)"', (PACKAGE / "settings.py").read_text(encoding="utf-8")))
    described = set(re.findall(r"^### (\w+)$", docs("settings.md"), re.MULTILINE))
    assert described == set(OURS) | read_elsewhere


def test_setting_docs_changed_scrapy_settings_are_listed() -> None:
    assert set(re.findall(r"^\| `([A-Z_]+)` \| ", docs("settings.md"), re.MULTILINE)) == set(SCRAPYS)


def lines(title: str, found: list[str]) -> str:
    return "\n  ".join([f"{title}:", *found])


# --- stats ---------------------------------------------------------------------------------------------------------


def stats() -> set[str]:
    """The keys that code counts, `{}` standing for what changes; Scrapy's own are Scrapy's to document."""
    found = set()
    for module, call, _ in calls("inc_value", "set_value", "max_value", "min_value"):
        key = call.args[0]
        if isinstance(key, ast.Constant):
            found.add(str(key.value))
            continue
        assert isinstance(key, ast.JoinedStr), f"{module.path}:{call.lineno}: write the key where it is counted"
        found.add("".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in key.values))
    return {key for key in found if not key.startswith("downloader/")}


def test_stats_docs_are_complete() -> None:
    documented = set(re.findall(r"^\| `(rori/[^`]+)` \| ", docs("stats.md"), re.MULTILINE))
    assert {re.sub(r"\{\w+\}", "{}", key) for key in documented} == stats()


# --- log messages --------------------------------------------------------------------------------------------------

LEVELS = {"warning": "WARNING", "error": "ERROR", "exception": "ERROR", "critical": "CRITICAL", "log": "WARNING"}


def messages() -> list[tuple[str, str]]:
    """Level and text of each message from WARNING on, ``%(name)s`` written as ``{name}``."""
    found = []
    for module, call, method in calls(*LEVELS):
        if ast.unparse(call.func) != f"logger.{method}":
            continue
        text = call.args[1 if method == "log" else 0]
        assert isinstance(text, ast.Constant), f"{module.path}:{call.lineno}: write the message where it is logged"
        found.append((LEVELS[method], re.sub(r"%\((\w+)\)(?:\.\d+)?[a-z]", r"{\1}", str(text.value))))
    return sorted(set(found))


def test_log_messages_are_those_of_runbook() -> None:
    described = re.findall(r"^- (WARNING|ERROR|CRITICAL) `(.+?)`:\s", docs("respond-to-log-messages.md"), re.MULTILINE)
    assert len(described) == len(set(described)), "a message is described twice"
    assert set(described) == set(messages())


# --- runbooks ------------------------------------------------------------------------------------------------------

RUNBOOKS = ("respond-to-log-messages.md", "respond-to-alerts.md", "troubleshooting.md")


def test_alerts_are_those_of_runbook() -> None:
    described = re.findall(r"^- `(\w+)`: ", docs("respond-to-alerts.md"), re.MULTILINE)
    assert sorted(described) == sorted(EVENTS)


def test_runbook_cases_have_numbered_steps() -> None:
    wrong = []
    for name in RUNBOOKS:
        for part in docs(name).split("\n## ")[1:]:
            steps = [int(number) for number in re.findall(r"^(\d+)\. ", part, re.MULTILINE)]
            if not steps or steps != list(range(1, len(steps) + 1)):
                wrong.append(f"{name}: {part.splitlines()[0]}: {steps}")
    assert not wrong, lines("each case has steps 1, 2, 3, ...", wrong)


def test_runbook_commands_exist() -> None:
    wrong = []
    for name in RUNBOOKS:
        for typed in sorted(set(re.findall(r"`(scrapy\s[^`]+)`", docs(name)))):
            words = [word for word in typed.split()[1:] if word != ">"]
            if words[0] not in SCRAPYS_OWN and not is_accepted(parser_of(words[0]), words[1:]):
                wrong.append(f"{name}: {typed}")
    assert not wrong, lines("no such command, verb or option", wrong)


def test_troubleshooting_symptoms_are_printed_by_program() -> None:
    """Each quoted block holds words of a message: a piece of a literal between what is filled in."""
    literals = [
        one.value
        for module in modules().values()
        for one in module.nodes
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    ]
    pieces = {piece for text in literals for piece in re.split(r"[{\[][^{}\[\]]*|[}\]\n]", text)}
    words = {piece for piece in pieces if len(piece) >= 10 and " " in piece.strip()}
    symptoms = re.findall(r"^```text\n(.+?)\n```$", docs("troubleshooting.md"), re.MULTILINE | re.DOTALL)
    wrong = [symptom for symptom in symptoms if not any(piece in symptom for piece in words)]
    assert not wrong, lines("docs/how-to/troubleshooting.md: the program prints nothing like it", wrong)


def is_accepted(parser: ArgumentParser, words: list[str]) -> bool:
    """Whether the verb, if there is one, and each option are the parser's."""
    for action in parser._actions:
        if isinstance(action, _SubParsersAction) and words and words[0] in action.choices:
            return is_accepted(action.choices[words[0]], words[1:])
    known = {one for action in parser._actions for one in action.option_strings}
    takes_verb = any(isinstance(action, _SubParsersAction) and action.required for action in parser._actions)
    return not takes_verb and {word for word in words if word.startswith("-")} <= known


# --- how things end ------------------------------------------------------------------------------------------------


def close_reasons() -> set[str]:
    """Scrapy's own that our runs know, and those that we close with."""
    found = {"finished", *runs._STOP_REASONS}
    for module in modules().values():
        for node in module.nodes:
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("CloseSpider", ".close_engine")):
                assert isinstance(node.args[0], ast.Constant), f"{module.path}:{node.lineno}"
                found.add(str(node.args[0].value))
    return found


def explained() -> set[str]:
    """What the tables of the log's page explain."""
    return set(re.findall(r"^\| `([^`]+)` \| ", docs("logs.md"), re.MULTILINE))


def test_close_reasons_are_documented() -> None:
    assert close_reasons() <= explained()


def failure_words() -> set[str]:
    kinds = vars(exceptions).values()
    conversion = {
        kind.reason for kind in kinds if isinstance(kind, type) and issubclass(kind, exceptions.ConversionError)
    }
    return conversion | {code.value for _, code in page_items._ERROR_CODES} | set(providers.PROVIDER_REASONS)


def test_failed_page_reasons_are_documented() -> None:
    assert failure_words() <= explained()


# --- links ---------------------------------------------------------------------------------------------------------


@cache
def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


@cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def leads_somewhere(page: Path, target: str) -> bool:
    path, _, anchor = target.partition("#")
    linked = (page.parent / path).resolve() if path else page
    return linked.exists() and (not anchor or linked.suffix != ".md" or anchor in anchors(linked))


def test_architecture_docs_named_files_exist() -> None:
    named = set(re.findall(r"`([\w/]+\.py)`", docs("architecture.md")))
    missing = [path for path in sorted(named) if not any((root / path).is_file() for root in (PACKAGE, REPOSITORY))]
    assert not missing, lines("docs/explanation/architecture.md names", missing)


def test_docs_links_resolve() -> None:
    links = [(page, target) for page in PAGES for target in re.findall(r"\]\(([^)]+)\)", prose(page))]
    local = [(page, target) for page, target in links if not re.match(r"https?:|mailto:", target)]
    broken = [f"{page.name}: {target}" for page, target in local if not leads_somewhere(page, target)]
    assert not broken, lines("links to nothing", broken)
