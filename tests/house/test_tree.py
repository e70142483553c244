"""The tree can be read: few entries in a folder, and each module says what it is."""

from __future__ import annotations

import ast
from collections import defaultdict

from tests.house.code import PACKAGE, modules, sources

TOP = 36
BELOW = 15

#: Folders that may hold more, and why.
EXEMPT = {
    "terminal/commands": "Scrapy finds a command by its file",
    "ledger/migrations/versions": "Alembic keeps one file for each step of the schema",
}


def entries() -> dict[str, set[str]]:
    """The modules and packages in each folder of the package, by its path below it."""
    found = defaultdict(set)
    for path in sources(PACKAGE):
        inside = path.relative_to(PACKAGE)
        for entry, folder in zip([inside, *inside.parents], inside.parents, strict=False):
            if entry.name != "__init__.py":
                found[folder.as_posix()].add(entry.name)
    return found


def test_folders_have_bounded_number_of_entries() -> None:
    limits = {folder: TOP if folder == "." else BELOW for folder in entries()}
    assert set(EXEMPT) <= set(limits), "an exemption for a folder that is gone"
    crowded = [
        f"{folder}: {len(names)} entries, at most {limits[folder]}"
        for folder, names in entries().items()
        if folder not in EXEMPT and len(names) > limits[folder]
    ]
    assert not crowded, "\n".join(crowded)


def test_modules_have_docstrings() -> None:
    silent = [str(module.path) for module in modules().values() if not ast.get_docstring(module.tree)]
    assert not silent, "\n".join(silent)
