"""What a command names below an error leads somewhere, and each command's help has examples."""

from __future__ import annotations

import argparse
import re

import pytest
from scrapy.settings import Settings

from rori_spiders import exceptions
from rori_spiders.commands.completion import list_commands
from rori_spiders.exceptions import RoriError, describe_error
from rori_spiders.terminal.command import SETTINGS_PAGE
from tests.house.code import REPOSITORY

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


def test_command_help_has_examples() -> None:
    without = []
    for name, command in list_commands():
        parser = argparse.ArgumentParser(conflict_handler="resolve")
        command.settings = Settings()
        command.add_options(parser)
        if f"scrapy {name}" not in (parser.epilog or "") and f"rori {name}" not in (parser.epilog or ""):
            without.append(name)
    assert not without
