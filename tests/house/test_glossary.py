"""The glossary is applied: no code, document or text for users holds a word that it has withdrawn."""

from __future__ import annotations

import ast
import re
import tomllib
from typing import TYPE_CHECKING, Any

from tests.house.code import PACKAGE, REPOSITORY, sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

TERMS: list[dict[str, Any]] = tomllib.loads((REPOSITORY / "docs" / "glossary.toml").read_text(encoding="utf-8"))["term"]
NAMES = {name: term["name"] for term in TERMS for name in term.get("names", ())}
PHRASES = {phrase: term["name"] for term in TERMS for phrase in term.get("instead_of", ())}
_ANY_PHRASE = "|".join(phrase.replace(" ", r"\s+") for phrase in PHRASES)
_PHRASE = re.compile(rf"(?<![\w-])(?:{_ANY_PHRASE})(?![\w-])", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_TYPESCRIPT_NAME = re.compile(r"\b(?:const|let|function|type|interface|class|enum)\s+(\w+)")


def test_every_term_is_explained_once() -> None:
    names = [term["name"] for term in TERMS]
    assert len(names) == len(set(names))
    assert all(term["is"].endswith(".") and len(term["is"]) < 300 for term in TERMS)


def test_no_name_is_a_withdrawn_word() -> None:
    found = [f"{path}:{line}: {name}" for path, line, name in _names() if set(_words(name)) & set(NAMES)]
    assert not found, "\n".join(["docs/glossary.toml has the term to use instead:", *found])


def test_no_text_holds_a_withdrawn_phrase() -> None:
    found = [
        f"{path}:{line + text.count(chr(10), 0, hit.start())}: {hit[0]!r}"
        for path, line, text in _texts()
        for hit in _PHRASE.finditer(text)
    ]
    assert not found, "\n".join(["docs/glossary.toml has the term to use instead:", *found])


def _words(name: str) -> Iterator[str]:
    """The words of an identifier, in lower case: ``BeginLadder`` and ``begin_ladder`` have ``ladder``."""
    return (word.lower() for word in _WORD.findall(name))


def _modules() -> Iterator[tuple[Path, ast.Module]]:
    """Our modules and tests; migrations stay as they were released."""
    for root in (PACKAGE, REPOSITORY / "tests", REPOSITORY / "benchmarks"):
        for path in sources(root):
            if "migrations" not in path.parts:
                yield path.relative_to(REPOSITORY), ast.parse(path.read_text(encoding="utf-8"))


def _names() -> Iterator[tuple[Path, int, str]]:
    """Each name that code gives: to modules, classes, functions, arguments, variables, attributes, settings."""
    for path, tree in _modules():
        yield path, 1, path.stem
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield path, node.lineno, node.name
            elif isinstance(node, ast.arg):
                yield path, node.lineno, node.arg
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield path, node.lineno, node.id
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                yield path, node.lineno, node.attr
    for path in _typescript():
        text = path.read_text(encoding="utf-8")
        for hit in (path.stem, *(one[1] for one in _TYPESCRIPT_NAME.finditer(text))):
            yield path.relative_to(REPOSITORY), 1, hit


def _texts() -> Iterator[tuple[Path, int, str]]:
    """Documents, the page's source, and each literal of the package that is no docstring."""
    pages = [REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md")]
    for path in [*pages, *sorted((REPOSITORY / "docs").rglob("*.md")), *_typescript()]:
        if path.name != "glossary.md":
            yield path.relative_to(REPOSITORY), 1, path.read_text(encoding="utf-8")
    for path, tree in _modules():
        if path.parts[0] == PACKAGE.name:
            documentation = set(map(id, _docstrings(ast.walk(tree))))
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
                    yield path, node.lineno, node.value


def _docstrings(nodes: Iterable[ast.AST]) -> Iterator[ast.Constant]:
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.value


def _typescript() -> list[Path]:
    return sorted(
        path for path in (PACKAGE / "monitor" / "web" / "src").rglob("*.ts*") if path.suffix in (".ts", ".tsx")
    )
