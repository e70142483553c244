"""Rows that are read again and again, and have mostly not changed since: what is made of a row is made once.

Reading 5,000 rows costs little; making times, counts and objects of them costs ten times as much.
"""

import json
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar

from sqlalchemy import JSON, ColumnElement, Connection, Select, Text, cast, type_coerce
from sqlalchemy.types import NULLTYPE, TypeDecorator

T = TypeVar("T")


class RowCache(Generic[T]):
    """A cache of *make*'s results by row values: the same values give the same object.

    Of one query, of one database; in one thread at a time.
    """

    def __init__(self, make: Callable[..., T]) -> None:
        self._make = make
        self._made: dict[tuple[Any, ...], T] = {}

    def read(self, conn: Connection, query: Select[Any]) -> list[T]:
        """One for each row of *query*, in its order."""
        columns = list(query.selected_columns)
        readers = [_column_reader(column, conn) for column in columns]
        rows = conn.execute(query.with_only_columns(*map(_raw_column, columns), maintain_column_froms=True))
        before, self._made = self._made, {}
        found: list[T] = []
        for row in map(tuple, rows):
            if (made := before.get(row)) is None:
                made = self._make(
                    *(value if read is None else read(value) for read, value in zip(readers, row, strict=True))
                )
            self._made[row] = made
            found.append(made)
        return found


def _raw_column(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """*column* as the database gives it: a value that can be compared, and is not read yet."""
    if isinstance(column.type, JSON):
        return cast(column, Text)
    return type_coerce(column, NULLTYPE) if isinstance(column.type, TypeDecorator) else column


def _column_reader(column: ColumnElement[Any], conn: Connection) -> Callable[[Any], Any] | None:
    """How what ``_bare`` gives is read; None: as it is."""
    if isinstance(column.type, JSON):
        return _read_json
    if isinstance(column.type, TypeDecorator):
        return partial(column.type.process_result_value, dialect=conn.dialect)
    return None


def _read_json(text: str | None) -> Any:
    return None if text is None else json.loads(text)
