"""The state of a run is changed by the methods of its parts alone, so that each field has one place that writes it."""

from __future__ import annotations

import ast
import re

from tests.house.code import modules

OWNER = "rori_spiders.crawl.runs.run"
_PART = re.compile(r"\b_?run\.(frontier|limits|usage|tiers|history)\.")


def test_run_fields_are_assigned_by_owner_only() -> None:
    strays = [
        f"{module.path}:{node.lineno}: {ast.unparse(target)}"
        for name, module in modules().items()
        if name != OWNER
        for node in module.nodes
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign))
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if _PART.search(ast.unparse(target))
    ]
    assert not strays, "\n".join(strays)
