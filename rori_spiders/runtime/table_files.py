"""Typed rows to files: JSON Lines, CSV, Parquet and SQLite, in constant memory.

In: columns and rows (values in the order of the columns). Out: one file. What came from the web is written harmless
(``runtime/control_characters.py``): in text formats no control characters, in CSV no cell that begins a formula.
Parquet and SQLite hold the text as it is.
"""

import json
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.util import find_spec
from json.encoder import encode_basestring
from pathlib import Path
from typing import IO, Any, Literal

from rori_spiders.exceptions import PackageMissing
from rori_spiders.runtime.control_characters import escape_control_characters, escape_csv_cell, replace_surrogates

Kind = Literal["text", "integer", "number", "boolean", "time", "texts", "json", "json_text"]

#: Rows that are in memory at once, and the characters of their texts, at most (but for one row).
BATCH_ROWS = 5_000
BATCH_CHARS = 32_000_000


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A column of a file. *kind* says what its values are.

    ``text``, ``integer``, ``number`` (a float), ``boolean``; ``time`` (an aware datetime); ``texts`` (a list of text);
    ``json`` (a list or an object, which is written as JSON); ``json_text`` (the same, as text). Any may be None.
    """

    name: str
    kind: Kind = "text"
    description: str = ""


# --- values as programs get them ------------------------------------------------------------------------------------


def format_json(value: Any, *, indent: int | None = None) -> str:
    """*value* as JSON: exact, with control characters and marks of direction escaped."""
    return escape_control_characters(json.dumps(value, indent=indent, ensure_ascii=False, default=str))


def format_compact_json(value: Any) -> str:
    """As ``format_json``, without spaces, in a third of the time."""
    if value == []:  # as most lists of a row are
        return "[]"
    serialiser, failure = _load_serialiser()
    try:
        return escape_control_characters(serialiser(value, inf_nan_mode="constants", fallback=str).decode())
    except failure:  # half of a surrogate pair
        return escape_control_characters(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str))


def parse_json(data: str | bytes) -> Any:
    """What *data* holds, read in half the time of ``json``."""
    parse = _load_parser()
    try:
        return parse(data)
    except ValueError:  # half of a surrogate pair; what is no JSON at all fails again
        return json.loads(data)


@cache
def _load_parser() -> Callable[[str | bytes], Any]:
    """pydantic's parser, loaded with the first value."""
    from pydantic_core import from_json

    return from_json


@cache
def _load_serialiser() -> tuple[Callable[..., bytes], type[Exception]]:
    """pydantic's serialiser and its error, loaded with the first value: an import in each call costs as much as it."""
    from pydantic_core import PydanticSerializationError, to_json

    return to_json, PydanticSerializationError


def format_for_programs(value: Any) -> Any:
    """A value as programs get it: times in ISO 8601 UTC with a Z (S0 §8)."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return value


def format_csv_cell(value: Any) -> Any:
    """A value as a cell of a CSV file: lists and objects as JSON, no cell that a spreadsheet would run."""
    if value is None:
        return None
    if isinstance(value, str):
        return escape_csv_cell(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list | tuple):
        return format_json(value)
    return format_for_programs(value)


_CSV_CELLS: Mapping[Kind, Callable[[Any], str]] = {
    "text": lambda text: _quote_cell(escape_csv_cell(text)),
    "integer": str,
    "number": str,
    "boolean": format_csv_cell,
    "time": format_for_programs,
    "texts": lambda value: _quote_cell(format_compact_json(value)),
    "json": lambda value: _quote_cell(format_compact_json(value)),
    "json_text": lambda text: _quote_cell(escape_control_characters(text)),
}
_JSON_TEXTS: Mapping[Kind, Callable[[Any], str]] = {
    "text": encode_basestring,
    "integer": str,
    "number": format_compact_json,
    "boolean": format_csv_cell,
    "time": lambda value: f'"{format_for_programs(value)}"',
    "texts": format_compact_json,
    "json": format_compact_json,
    "json_text": str,
}
_SQLITE_VALUES: Mapping[Kind, Callable[[Any], Any]] = {
    "text": replace_surrogates,
    "time": format_for_programs,
    "texts": format_compact_json,
    "json": format_compact_json,
}


def batch_rows(rows: Iterable[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    """*rows* in groups that memory has room for."""
    remaining, batch, chars = iter(rows), list[Sequence[Any]](), 0
    for row in remaining:
        batch.append(row)
        chars += sum(map(len, [value for value in row if value.__class__ is str]))
        if len(batch) >= BATCH_ROWS or chars >= BATCH_CHARS:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch


# --- writers --------------------------------------------------------------------------------------------------------


class TableWriter(ABC):
    """Writes rows to one file. Close it in any case; a file that was not closed is not whole."""

    def __init__(self, columns: Sequence[TypedColumn]) -> None:
        self.columns = columns

    @staticmethod
    @abstractmethod
    def encode(rows: Sequence[Sequence[Any]], columns: Sequence[TypedColumn]) -> Any:
        """*rows*, at least one, as ``write_batch`` writes them. Any process can do it, and pickle what it gives."""

    @abstractmethod
    def write_batch(self, encoded: Any) -> None:
        """Write what ``encode`` made."""

    def write_rows(self, rows: Iterable[Sequence[Any]]) -> int:
        """Write *rows*; return how many they were."""
        count = 0
        for batch in batch_rows(rows):
            self.write_batch(self.encode(batch, self.columns))
            count += len(batch)
        return count

    @abstractmethod
    def close(self) -> None:
        """Write what is left, and end the file. A stream that was given stays open."""

    def discard(self) -> None:  # noqa: B027  (a stream is its opener's)
        """Let go of a file that is not whole, after an error."""


class _StreamWriter(TableWriter):
    """Writes bytes to a stream."""

    def __init__(self, out: IO[bytes], columns: Sequence[TypedColumn]) -> None:
        super().__init__(columns)
        self._out = out

    def write_batch(self, encoded: bytes) -> None:
        self._out.write(encoded)

    def close(self) -> None:
        self._out.flush()


class JsonLinesWriter(_StreamWriter):
    """One object a line, each with every column."""

    @staticmethod
    def encode(rows: Sequence[Sequence[Any]], columns: Sequence[TypedColumn]) -> bytes:
        has_json_text = any(column.kind == "json_text" for column in columns)
        lines = _splice_lines(rows, columns) if has_json_text else _format_lines(rows, columns)
        return "\n".join((*lines, "")).encode()


def _format_lines(rows: Sequence[Sequence[Any]], columns: Sequence[TypedColumn]) -> Iterator[str]:
    names = [column.name for column in columns]
    for values in zip(*_convert_columns(rows, columns, {"time": format_for_programs}), strict=True):
        yield format_compact_json(dict(zip(names, values, strict=True)))


def _splice_lines(rows: Sequence[Sequence[Any]], columns: Sequence[TypedColumn]) -> Iterator[str]:
    """The lines with what is JSON already as it stands."""
    members = [(f"{json.dumps(column.name)}:", _JSON_TEXTS[column.kind]) for column in columns]
    for row in rows:
        values = [
            f"{name}null" if value is None else name + function(value)
            for (name, function), value in zip(members, row, strict=True)
        ]
        yield escape_control_characters(f"{{{','.join(values)}}}")


class DocumentLinesWriter(_StreamWriter):
    """The documents of the only column, the bytes of JSON, one a line, as they are nested."""

    @staticmethod
    def encode(rows: Sequence[Sequence[Any]], columns: Sequence[TypedColumn]) -> bytes:
        lines = []
        for (document,) in rows:
            # Strings of JSON have their ends of lines escaped: what stands there, with its indent, is layout.
            line = b"".join([line.lstrip() for line in document.splitlines()])
            if not line.isascii() or b"\x7f" in line:
                line = escape_control_characters(line.decode()).encode()
            lines.append(line)
        return b"\n".join((*lines, b""))


def _quote_cell(text: str) -> str:
    """As RFC 4180 has it; `csv` takes three times as long for cells of JSON, which it reads letter by letter."""
    if '"' in text or "," in text or "\n" in text or "\r" in text:
        return f'"{text.replace(_QUOTE, _QUOTE * 2)}"'
    return text


_QUOTE = '"'


class CsvWriter(_StreamWriter):
    """A line of names, then one a row."""

    def __init__(self, out: IO[bytes], columns: Sequence[TypedColumn]) -> None:
        super().__init__(out, columns)
        self.write_batch(_join_cells([[_quote_cell(escape_csv_cell(column.name))] for column in columns]))

    @staticmethod
    def encode(rows: Sequence[Sequence[Any]], columns: Sequence[TypedColumn]) -> bytes:
        return _join_cells(_convert_columns(rows, columns, _CSV_CELLS, none=""))


def _join_cells(columns: Iterable[Sequence[str]]) -> bytes:
    return "\n".join((*map(",".join, zip(*columns, strict=True)), "")).encode()


class ParquetWriter(TableWriter):
    """Parquet with the types of the columns. Raises PackageMissing where pyarrow is not installed."""

    def __init__(self, out: IO[bytes], columns: Sequence[TypedColumn]) -> None:
        super().__init__(columns)
        require_pyarrow()
        from pyarrow import parquet

        self._writer = parquet.ParquetWriter(out, arrow_schema(columns), compression="zstd")
        self._group: list[Any] = []  # batches that become one row group

    @staticmethod
    def encode(rows: Sequence[Sequence[Any]], columns: Sequence[TypedColumn]) -> Any:
        return arrow_batch(rows, columns, arrow_schema(columns))

    def write_batch(self, encoded: Any) -> None:
        self._group.append(encoded)
        if (
            sum(batch.num_rows for batch in self._group) >= BATCH_ROWS
            or sum(batch.nbytes for batch in self._group) >= BATCH_CHARS
        ):
            self._write_group()

    def write_rows(self, rows: Iterable[Sequence[Any]]) -> int:
        count = super().write_rows(rows)
        self._write_group()  # who writes a few rows at a time wants no more in memory
        return count

    def _write_group(self) -> None:
        import pyarrow

        if self._group:
            self._writer.write_table(pyarrow.Table.from_batches(self._group))
            self._group.clear()

    def close(self) -> None:
        self._write_group()
        self._writer.close()


class SqliteWriter(TableWriter):
    """A table of an SQLite file. Times and lists are text, as in JSON; booleans are 0 and 1.

    Rows of a *key* that the table has are replaced, so that a file can be brought up to date.
    """

    def __init__(self, path: Path, table: str, columns: Sequence[TypedColumn], *, key: Sequence[str]) -> None:
        super().__init__(columns)
        is_new = not path.exists()
        self._db = sqlite3.connect(path)
        self._db.execute("PRAGMA cache_size = -65536")  # keys come in no order: with 2 MB each page is read again
        declared = ", ".join(f'"{column.name}" {_SQLITE_TYPES[column.kind]}' for column in columns)
        keys = ", ".join(f'"{name}"' for name in key)
        if is_new:  # a broken one is replaced
            self._db.execute("PRAGMA journal_mode = OFF")
            self._db.execute("PRAGMA synchronous = OFF")
        self._db.execute(f'CREATE TABLE IF NOT EXISTS "{table}" ({declared}, PRIMARY KEY ({keys}))')
        marks = ", ".join("?" * len(columns))
        self._insert = f'INSERT OR REPLACE INTO "{table}" VALUES ({marks})'  # noqa: S608  (our own names)

    @staticmethod
    def encode(rows: Sequence[Sequence[Any]], columns: Sequence[TypedColumn]) -> list[tuple[Any, ...]]:
        return list(zip(*_convert_columns(rows, columns, _SQLITE_VALUES), strict=True))

    def write_batch(self, encoded: Iterable[tuple[Any, ...]]) -> None:
        self._db.executemany(self._insert, encoded)

    def close(self) -> None:
        with closing(self._db):
            self._db.commit()

    def discard(self) -> None:
        self._db.close()


_SQLITE_TYPES: Mapping[Kind, str] = {
    "text": "TEXT",
    "integer": "INTEGER",
    "number": "REAL",
    "boolean": "INTEGER",
    "time": "TEXT",
    "texts": "TEXT",
    "json": "TEXT",
    "json_text": "TEXT",
}


def _convert_columns(
    batch: Sequence[Sequence[Any]],
    columns: Sequence[TypedColumn],
    functions: Mapping[Kind, Callable[[Any], Any]],
    *,
    none: Any = None,
) -> Iterator[Sequence[Any]]:
    """The columns of *batch*, with what the function of its kind makes of each value; kinds without one stay."""
    for column, values in zip(columns, zip(*batch, strict=True), strict=True):
        function = functions.get(column.kind)
        if function is None:
            yield values
        elif column.kind in _REPEATED and len({*values[:_SAMPLE]}) * 2 <= len(values[:_SAMPLE]):
            made = {value: none if value is None else function(value) for value in {*values}}
            yield [made[value] for value in values]
        else:
            yield [none if value is None else function(value) for value in values]


#: Kinds whose equal values are written alike, as 1 and 1.0 are not; and how many of a column tell that it repeats.
_REPEATED: frozenset[Kind] = frozenset({"text", "integer", "boolean", "time", "json_text"})
_SAMPLE = 64


# --- Arrow ----------------------------------------------------------------------------------------------------------


def require_pyarrow() -> None:
    """Raise PackageMissing where pyarrow, which writes Parquet, is not installed."""
    if find_spec("pyarrow") is None:
        raise PackageMissing("Parquet needs pyarrow: pip install 'rori-collector[parquet]'")


def arrow_schema(columns: Sequence[TypedColumn]) -> Any:
    """The schema of *columns*, with their descriptions as metadata."""
    import pyarrow

    types = {
        "text": pyarrow.string(),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
        "time": pyarrow.timestamp("us", tz="UTC"),
        "texts": pyarrow.list_(pyarrow.string()),
        "json": pyarrow.string(),
        "json_text": pyarrow.string(),
    }
    return pyarrow.schema(
        [
            pyarrow.field(column.name, types[column.kind], metadata={"description": column.description})
            for column in columns
        ]
    )


def arrow_batch(rows: Sequence[Sequence[Any]], columns: Sequence[TypedColumn], schema: Any) -> Any:
    """*rows* as a record batch."""
    import pyarrow

    converted = _convert_columns(rows, columns, _ARROW_VALUES)
    arrays = [pyarrow.array(values, type=field.type) for field, values in zip(schema, converted, strict=True)]
    return pyarrow.record_batch(arrays, schema=schema)


_ARROW_VALUES: Mapping[Kind, Callable[[Any], Any]] = {
    "text": replace_surrogates,
    "texts": lambda values: [replace_surrogates(one) for one in values],
    "json": format_compact_json,
}
