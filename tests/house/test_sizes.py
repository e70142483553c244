"""Small files and small functions, in the package and in its tests."""

from __future__ import annotations

import ast
from statistics import median
from typing import TYPE_CHECKING

import pytest

from tests.house.code import PACKAGE, REPOSITORY, sources

if TYPE_CHECKING:
    from pathlib import Path

LONGEST_FILE = 400
USUAL_FILE = 250  # nine in ten
MEDIAN_FILE = 90
USUAL_FUNCTION = 28  # nine in ten
FILES = [*sources(PACKAGE), *sources(REPOSITORY / "tests")]
OWN = [path for path in FILES if path.is_relative_to(PACKAGE) and path.stat().st_size]


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def functions(path: Path) -> list[int]:
    """The length of each function in lines, decorators left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [(node.end_lineno or 0) - node.lineno + 1 for node in ast.walk(tree) if isinstance(node, kinds)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_no_file_is_long(path: Path) -> None:
    assert lines(path) <= LONGEST_FILE


def test_most_files_are_short() -> None:
    lengths = sorted(lines(path) for path in OWN)
    assert median(lengths) <= MEDIAN_FILE
    assert lengths[len(lengths) * 9 // 10] < USUAL_FILE


def test_most_functions_are_short() -> None:
    lengths = sorted(length for path in OWN for length in functions(path))
    assert lengths[len(lengths) * 9 // 10] < USUAL_FUNCTION


@pytest.mark.parametrize("path", OWN, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_module_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), f"{path} has no docstring"


@pytest.mark.parametrize("path", OWN, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_name_says_nothing(path: Path) -> None:
    meaningless = {"utils", "helpers", "common", "misc", "manager", "snapshot", "data", "info"}
    assert not meaningless & set(path.relative_to(PACKAGE).with_suffix("").parts)
