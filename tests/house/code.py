"""The project's own code as trees: its modules, their rooms, what they import, what they log and count."""

from __future__ import annotations

import ast
import gc
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

REPOSITORY = Path(__file__).parents[2]
PACKAGE = REPOSITORY / "rori_spiders"


@dataclass(frozen=True)
class Module:
    """One file of the package: its dotted name, and its tree."""

    name: str
    path: Path
    tree: ast.Module

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All of its tree, a node before what is below it."""
        return list(ast.walk(self.tree))

    @property
    def room(self) -> str:
        """The package or file directly below `rori_spiders`; "" for `rori_spiders/__init__.py`."""
        return self.name.partition(".")[2].partition(".")[0]


def sources(folder: Path) -> list[Path]:
    """The files of Python below *folder*, without those that npm brought."""
    return sorted(path for path in folder.rglob("*.py") if "node_modules" not in path.parts)


@cache
def tree_of(path: Path) -> ast.Module:
    """The tree of a file, which stays: looking for garbage in these takes three times as long as to make them."""
    gc.disable()
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        gc.freeze()
        gc.enable()


@cache
def modules() -> dict[str, Module]:
    """All modules by their dotted names."""
    found = {}
    for path in sources(PACKAGE):
        name = ".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__")
        found[name] = Module(name, path, tree_of(path))
    return found


def rooms() -> set[str]:
    return {module.room for module in modules().values()} - {""}


def imports(module: Module) -> Iterator[str]:
    """The modules that *module* imports when it runs, at the top or in a function; TYPE_CHECKING blocks are free."""
    for node in _running(module.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, f"{module.path}:{node.lineno}: write imports out"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in modules() else node.module


def _running(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            continue
        yield node
        yield from _running(node)


def calls(*names: str) -> Iterator[tuple[Module, ast.Call, str]]:
    """Calls of methods with one of these names, whatever they are called on."""
    for module in modules().values():
        for node in module.nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
                yield module, node, node.func.attr


@cache
def docs(name: str) -> str:
    """A page of `docs/`, by its file name, which is unique."""
    (page,) = (REPOSITORY / "docs").rglob(name)
    return page.read_text(encoding="utf-8")
