"""What comments and docstrings name between backticks is there: a rename that forgets them fails here."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from tests.house.code import modules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.house.code import Module

_REFERENCE = re.compile(r"(?<!`)`{1,2}([A-Za-z_][\w.]*)(?:\(\))?`{1,2}(?!`)")
_COMMENT = re.compile(r"(?m)(?:^|\s)#:? (.*)$")
#: Of other programs, and examples.
_ELSEWHERE = {
    "Cat",
    "Disallow",
    "IShares",
    "Pet",
    "__cf_bm",
    "_abck",
    "_raiseParseError",
    "bm_sz",
    "cf_clearance",
    "convert_h2",
    "cryptography",
    "deprecate",
    "engines",
    "has_table_privilege",
    "iShares",
    "itemadapter",
    "key_02",
    "makestep",
    "mapUrls",
    "pg_xact_status",
    "rapidfuzz",
    "timedatectl",
    "web_8f4d9b2a_pricing",
    "webroot",
}


def test_references_in_comments_and_docstrings_exist() -> None:
    known = _ELSEWHERE | {name for module in modules().values() for name in _names(module)}
    stale = [
        f"{module.path}: {named}"
        for module in modules().values()
        if ".migrations." not in module.name
        for text in _texts(module)
        for named in _REFERENCE.findall(text)
        if len(last := named.rpartition(".")[2]) > 2 and last not in known
    ]
    assert not stale, "\n".join(stale)


def _texts(module: Module) -> Iterator[str]:
    yield from _COMMENT.findall(module.path.read_text(encoding="utf-8"))
    for node in module.nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


def _names(module: Module) -> Iterator[str]:
    yield from module.name.split(".")
    for node in module.nodes:
        for field in ("name", "id", "attr", "arg", "asname"):
            if isinstance(name := getattr(node, field, None), str):
                yield from name.split(".")
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " not in node.value.strip():
            yield from re.findall(r"\w+", node.value)
