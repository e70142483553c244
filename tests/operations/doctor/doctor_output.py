"""What `scrapy doctor` tells: its checks by their names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.terminal.commands.conftest import Result

    Typed = Callable[..., Result]


def told(typed: Typed, *args: str, code: int | None = None) -> dict[str, list[dict[str, Any]]]:
    """The rows of each check, and the settings as ``settings of``. *code* is what it ends with: 1 when a row failed."""
    said = typed("doctor", "--format", "json", *args)
    return rows_of(said.out, said.code, code)


def rows_of(out: str, ended: int, code: int | None = None) -> dict[str, list[dict[str, Any]]]:
    report = json.loads(out)
    failed = any(row["result"] == "failed" for row in report["checks"])
    assert ended == (int(failed) if code is None else code), [
        row for row in report["checks"] if row["result"] == "failed"
    ]
    assert all(row["do"] for row in report["checks"] if row["result"] == "warning")
    found: dict[str, list[dict[str, Any]]] = {"settings of": report["settings"]}
    for row in report["checks"]:
        found.setdefault(row["check"], []).append(row)
    return found
