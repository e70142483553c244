"""What a command names below an error leads somewhere, and each command's help has examples."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings
from setuptools import Distribution

from rori_spiders import exceptions
from rori_spiders.exceptions import RoriError, describe_error, locate_page
from rori_spiders.monitor.web.backend import BuildPy
from rori_spiders.terminal.command import SETTINGS_PAGE
from rori_spiders.terminal.commands.completion import list_commands
from tests.house.code import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

_ERRORS = [one for one in vars(exceptions).values() if isinstance(one, type) and issubclass(one, RoriError)]


def _anchors(text: str) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in titles}


@pytest.mark.parametrize("page", sorted({SETTINGS_PAGE, *(one.page for one in _ERRORS if one.page)}))
def test_error_page_exists_with_its_section(page: str) -> None:
    file, _, anchor = page.partition("#")
    assert anchor in _anchors((REPOSITORY / file).read_text(encoding="utf-8"))


def test_error_codes_are_all_explained() -> None:
    assert {one.exit_code for one in _ERRORS} <= set(exceptions.EXIT_CODES)


def test_describe_error_names_its_page_once() -> None:
    page = exceptions.LedgerError.page
    assert describe_error(exceptions.LedgerError("It is locked.")) == f"It is locked.\nMore: {page}"
    assert describe_error(exceptions.LedgerError(f"See {page}.")) == f"See {page}."
    assert describe_error(exceptions.UsageError("Name a source.")) == "Name a source."


def test_locate_page_gives_a_file_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = "docs/reference/settings.md"
    assert locate_page(page) == page  # in the checkout
    monkeypatch.chdir(tmp_path)
    assert locate_page(page) == f"{REPOSITORY}/{page}"
    package = tmp_path / "site-packages" / "rori_spiders"
    (package / "docs").mkdir(parents=True)
    monkeypatch.setattr(exceptions, "__file__", str(package / "exceptions.py"))
    assert locate_page(page) == f"{package}/{page}"  # of a wheel


def test_wheel_packs_every_page_that_errors_name(tmp_path: Path) -> None:
    command = BuildPy(Distribution({"name": "x", "packages": []}))
    command.build_lib = str(tmp_path)
    command.copy_docs()
    packed = tmp_path / "rori_spiders"
    pages = {SETTINGS_PAGE, *(one.page for one in _ERRORS if one.page)}
    assert [page for page in pages if not (packed / page.partition("#")[0]).is_file()] == []


def test_command_help_has_examples() -> None:
    without = []
    for name, command in list_commands():
        parser = argparse.ArgumentParser(conflict_handler="resolve")
        command.settings = Settings()
        command.add_options(parser)
        if f"scrapy {name}" not in (parser.epilog or "") and f"rori {name}" not in (parser.epilog or ""):
            without.append(name)
    assert not without
