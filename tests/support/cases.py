"""A test over a table of cheap cases: one test, which names each case that fails."""

from __future__ import annotations

from functools import wraps
from inspect import Signature
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: Characters of a case in the report of its failure.
_SHOWN = 300


def cases(
    names: str | tuple[str, ...], rows: Iterable[Any], *, ids: Iterable[object] | Callable[[Any], object] | None = None
) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Run the test for each row, with its values by *names*: as ``pytest.mark.parametrize``, without 2 ms a row.

    For functions that ask for no fixture. All rows run, whichever fail. *ids*, or the id of a ``pytest.param``, are
    named before the values.
    """
    parameters = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = list(rows)
    labels = [ids(row) for row in rows] if callable(ids) else list(ids or [""] * len(rows))
    table = [_named(row, parameters, label) for row, label in zip(rows, labels, strict=True)]
    assert table, "a table without cases proves nothing"

    def over_rows(test: Callable[..., None]) -> Callable[[], None]:
        @wraps(test)
        def run() -> None:
            failures: list[BaseException] = []
            for name, values in table:
                try:
                    test(**values)
                except (Exception, pytest.fail.Exception) as failure:
                    failure.add_note(f"case: {name}")
                    failures.append(failure)
            if len(failures) == 1:
                raise failures[0]
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(table)} cases failed", failures)

        vars(run)["__signature__"] = Signature()  # no fixture
        return run

    return over_rows


def _named(row: Any, parameters: list[str], label: object) -> tuple[str, dict[str, Any]]:
    """What a case is called when it fails, and its values."""
    is_param = isinstance(row, type(pytest.param()))
    values = row.values if is_param else row if len(parameters) > 1 else (row,)
    named = dict(zip(parameters, values, strict=True))
    shown = ", ".join(f"{name}={value!r}" for name, value in named.items())
    label = row.id if is_param and row.id else label
    name = f"{label}: {shown}" if label != "" else shown
    return (name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"), named
