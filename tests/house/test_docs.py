"""What a user or an operator meets is documented: settings, stats, log messages, close reasons, links.

Commands, options and exit codes: tests/commands/test_docs.py. Tables of the ledger: tests/ledger/test_docs.py.
"""

from __future__ import annotations

import ast
import os
import re
import runpy
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders import exceptions
from rori_spiders.configuration.setting_types import MAY_HOLD_SECRETS, SECRET_VARIABLES, SETTING_TYPES
from rori_spiders.crawl.tiers import providers
from rori_spiders.crawl.walkers import page_items
from rori_spiders.extensions import runs
from tests.house.code import PACKAGE, REPOSITORY, calls, docs, modules

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]


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


def section(name: str) -> str:
    found = re.search(rf"^### {name}\n(.*?)(?=^##|\Z)", docs("settings.md"), re.MULTILINE | re.DOTALL)
    assert found, f"docs/reference/settings.md has no heading '### {name}'"
    return found[1]


@pytest.mark.parametrize("name", OURS)
def test_every_setting_of_ours_has_a_section_with_its_default(name: str) -> None:
    default = SETTINGS[name]
    shown = "empty" if default == "" else f"`{int(default) if isinstance(default, float) else default}`"
    first = f"Default: {shown}. Values: {SETTING_TYPES[name].values}."
    assert section(name).lstrip().startswith(first), f"the default is {default!r}; the first line must be: {first}"


def test_every_setting_of_ours_has_its_kind() -> None:
    assert set(SETTING_TYPES) == set(OURS), "configuration/setting_types.py says what each may be"
    assert {name for name in OURS if "\nSecret: " in section(name)} == MAY_HOLD_SECRETS


@pytest.mark.parametrize("name", OURS)
def test_a_default_is_of_its_kind(name: str) -> None:
    default = SETTINGS[name]
    assert default == "" or SETTING_TYPES[name].read(str(default)) == default
    assert f'{name} = _env("{name}", ' in (PACKAGE / "settings.py").read_text(encoding="utf-8"), "no int() around it"


@pytest.mark.parametrize("variable", sorted(SECRET_VARIABLES))
def test_every_secret_variable_is_in_the_docs(variable: str) -> None:
    assert f"`{variable}`" in docs("settings.md")


@pytest.mark.parametrize("name", OURS)
def test_who_uses_a_setting_exists(name: str) -> None:
    named = re.search(r"^Used by (.+?)\.\n", section(name), re.MULTILINE)
    assert named, f"{name}: 'Used by `module.py`.' is missing"
    for path in re.findall(r"`([\w/]+\.py)`", named[1]):
        assert name in (PACKAGE / path).read_text(encoding="utf-8"), f"{path} does not mention {name}"


@pytest.mark.parametrize("name", SCRAPYS)
def test_every_changed_setting_of_scrapys_is_in_the_table(name: str) -> None:
    assert re.search(rf"^\| `{name}` \| ", docs("settings.md"), re.MULTILINE)


def test_no_setting_is_described_that_is_not_there() -> None:
    read_elsewhere = set(re.findall(r'_env\("(RORI_\w+)"', (PACKAGE / "settings.py").read_text(encoding="utf-8")))
    described = set(re.findall(r"^### (\w+)$", docs("settings.md"), re.MULTILINE))
    assert described == set(OURS) | read_elsewhere
    assert set(re.findall(r"^\| `([A-Z_]+)` \| ", docs("settings.md"), re.MULTILINE)) == set(SCRAPYS)


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


def test_the_stats_are_those_of_the_docs() -> None:
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


@pytest.mark.parametrize(("level", "message"), messages())
def test_every_message_that_needs_a_look_is_in_the_docs(level: str, message: str) -> None:
    assert f"| {level} | `{message}` | " in docs("logs.md")


def test_no_message_is_described_that_is_not_there() -> None:
    described = re.findall(r"^\| (WARNING|ERROR|CRITICAL) \| `(.+?)` \| ", docs("logs.md"), re.MULTILINE)
    assert sorted(described) == messages()


# --- how things end ------------------------------------------------------------------------------------------------


def close_reasons() -> set[str]:
    """Scrapy's own that our runs know, and those that we close with."""
    found = {"finished", *runs._STOP_REASONS}
    for module in modules().values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("CloseSpider", ".stop_soon")):
                assert isinstance(node.args[0], ast.Constant), f"{module.path}:{node.lineno}"
                found.add(str(node.args[0].value))
    return found


@pytest.mark.parametrize("reason", sorted(close_reasons()))
def test_every_close_reason_is_explained(reason: str) -> None:
    assert re.search(rf"^\| `{reason}` \| ", docs("logs.md"), re.MULTILINE)


def failure_words() -> set[str]:
    kinds = vars(exceptions).values()
    conversion = {
        kind.reason for kind in kinds if isinstance(kind, type) and issubclass(kind, exceptions.ConversionError)
    }
    return conversion | {word for _, word in page_items._ERROR_REASONS} | set(providers.PROVIDER_REASONS)


@pytest.mark.parametrize("word", sorted(failure_words()))
def test_every_reason_of_a_failed_page_is_explained(word: str) -> None:
    assert re.search(rf"^\| `{word}` \| ", docs("logs.md"), re.MULTILINE)


# --- links ---------------------------------------------------------------------------------------------------------


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`([\w/]+\.py)`", docs("architecture.md")))))
def test_the_files_that_the_architecture_names_exist(path: str) -> None:
    assert (PACKAGE / path).is_file() or (REPOSITORY / path).is_file()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", prose(page)):
        if re.match(r"https?:|mailto:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), f"{page.name} links {target}"
        if anchor and linked.suffix == ".md":
            assert anchor in anchors(linked), f"{page.name} links {target}"
