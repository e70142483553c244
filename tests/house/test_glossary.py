"""The glossary is applied: no code, document or text for users holds a word that it has withdrawn."""

from __future__ import annotations

import ast
import re
import tomllib
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from tests.house.code import PACKAGE, REPOSITORY, modules, sources, tree_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from tests.house.code import Module

GLOSSARY: dict[str, Any] = tomllib.loads((REPOSITORY / "docs" / "glossary.toml").read_text(encoding="utf-8"))
TERMS: list[dict[str, Any]] = GLOSSARY["term"]
VAGUE = frozenset(GLOSSARY["vague"]["names"])
NAMES = {name: term["name"] for term in TERMS for name in term.get("names", ())}
PHRASES = {phrase: term["name"] for term in TERMS for phrase in term.get("instead_of", ())}
_ANY_PHRASE = "|".join(phrase.replace(" ", r"\s+") for phrase in PHRASES)
_PHRASE = re.compile(rf"(?<![\w-])(?:{_ANY_PHRASE})(?![\w-])", re.IGNORECASE)
_ANY_NAME = re.compile("|".join(NAMES), re.IGNORECASE)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_TYPESCRIPT_NAME = re.compile(r"\b(?:const|let|function|type|interface|class|enum)\s+(\w+)")


def test_glossary_terms_are_explained_once() -> None:
    names = [term["name"] for term in TERMS]
    assert len(names) == len(set(names))
    assert all(term["is"].endswith(".") and len(term["is"]) < 300 for term in TERMS)


def test_glossary_withdrawn_names_are_unused() -> None:
    found = [f"{path}:{line}: {name}" for path, line, name in _names() if set(_words(name)) & set(NAMES)]
    assert not found, "\n".join(["docs/glossary.toml has the term to use instead:", *found])


def test_glossary_withdrawn_phrases_are_unused() -> None:
    found = [
        f"{path}:{line + text.count(chr(10), 0, hit.start())}: {hit[0]!r}"
        for path, line, text in _texts()
        for hit in _PHRASE.finditer(text)
    ]
    assert not found, "\n".join(["docs/glossary.toml has the term to use instead:", *found])


def test_glossary_vague_names_are_unused() -> None:
    found = [
        f"{module.path.relative_to(REPOSITORY)}:{line}: {name}"
        for module in modules().values()
        if not _is_released(module.path)
        for name, line in _names_in_code(module.nodes)
        if name.strip("_").lower() in VAGUE
    ]
    assert not found, "\n".join(["name it for what it holds:", *found])


def test_names_of_tests_begin_with_unit() -> None:
    found = [
        f"{file.relative_to(REPOSITORY)}:{node.lineno}: {node.name}"
        for file in sources(REPOSITORY / "tests")
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if node.name.startswith("test_") and node.name.split("_")[1] in GLOSSARY["test_names"]["no_units"]
    ]
    assert not found, "\n".join(["test_<unit>_<condition>_<result> (CONTRIBUTING.md):", *found])


def _names_in_code(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    """Functions, parameters, variables, constants and attributes that are set.

    Fields of classes are not among them, as files and answers have their names.
    """
    nodes = list(nodes)
    fields = {id(one.target) for node in nodes if isinstance(node, ast.ClassDef) for one in _fields(node)}
    for node in nodes:
        if isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in fields:
            yield node.id, node.lineno


def _fields(of: ast.ClassDef) -> Iterator[ast.AnnAssign]:
    return (one for one in of.body if isinstance(one, ast.AnnAssign))


def _words(name: str) -> Iterator[str]:
    """The words of an identifier, in lower case, and two neighbours as one: ``_in_force`` has ``inforce``."""
    words = [word.lower() for word in _WORD.findall(name)]
    return chain(words, map("".join, pairwise(words)))


def _is_released(path: Path) -> bool:
    """Migrations stay as they were released."""
    return "migrations" in path.parts


def _names() -> Iterator[tuple[Path, int, str]]:
    """Each name that code gives, in files that hold a withdrawn word anywhere: to modules, classes, functions, ..."""
    for file in (one for root in (PACKAGE, REPOSITORY / "tests", REPOSITORY / "benchmarks") for one in sources(root)):
        path, text = file.relative_to(REPOSITORY), file.read_text(encoding="utf-8")
        if _is_released(path) or not _ANY_NAME.search(f"{path.stem}\n{text}".replace("_", "")):
            continue
        yield path, 1, path.stem
        for node in ast.walk(tree_of(file)):
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
    for module in modules().values():
        if not _is_released(module.path):
            for literal in _literals(module):
                yield module.path.relative_to(REPOSITORY), literal.lineno, str(literal.value)


def _literals(module: Module) -> Iterator[ast.Constant]:
    """The strings of a module that are no docstrings."""
    docstrings = set()
    for node in module.nodes:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and id(node) not in docstrings:
                yield node
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr):
                docstrings.add(id(first.value))


def _typescript() -> list[Path]:
    return sorted(
        path for path in (PACKAGE / "monitor" / "web" / "src").rglob("*.ts*") if path.suffix in (".ts", ".tsx")
    )
