"""Typed rows to files: harmless text, exact values, bounded memory."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from pyarrow import parquet

from rori_spiders.runtime.table_files import (
    BATCH_CHARS,
    BATCH_ROWS,
    CsvWriter,
    DocumentLinesWriter,
    JsonLinesWriter,
    ParquetWriter,
    SqliteWriter,
    TypedColumn,
    batch_rows,
    parse_json,
)

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = (
    TypedColumn("key", "integer"),
    TypedColumn("text"),
    TypedColumn("at", "time"),
    TypedColumn("flag", "boolean"),
    TypedColumn("list", "texts"),
    TypedColumn("object", "json"),
)
AT = datetime(2026, 2, 13, 14, 30, 0, 123456, tzinfo=UTC)
ROW = (1, "=1+1\u202e", AT, True, ["a", "b"], {"a": [1]})
EMPTY = (2, None, None, None, None, None)


def _written(writer: type[Any], *rows: tuple[Any, ...]) -> bytes:
    out = BytesIO()
    made = writer(out, COLUMNS)
    assert made.write_rows(rows) == len(rows)
    made.close()
    return out.getvalue()


def test_csv_writer_formula_and_direction_marks_are_harmless() -> None:
    assert _written(CsvWriter, ROW, EMPTY).decode() == (
        "key,text,at,flag,list,object\n"
        '1,\'=1+1\\u202e,2026-02-13T14:30:00Z,true,"[""a"",""b""]","{""a"":[1]}"\n'
        "2,,,,,\n"
    )


@pytest.mark.parametrize("text", ["=1+1\u202e", "\ud800", "é\x1b[31m"])
def test_json_lines_writer_text_is_exact_without_control_characters(text: str) -> None:
    line = _written(JsonLinesWriter, (1, text, AT, True, ["a"], None)).decode()
    assert json.loads(line)["text"] == text
    assert line.rstrip("\n").isprintable()


def test_parquet_writer_values_are_typed_and_exact() -> None:
    rows = parquet.read_table(BytesIO(_written(ParquetWriter, ROW, EMPTY, (3, "\ud800", *EMPTY[2:])))).to_pylist()
    names = [column.name for column in COLUMNS]
    assert rows[0] == dict(zip(names, (*ROW[:5], '{"a":[1]}'), strict=True))
    assert rows[1] == dict(zip(names, EMPTY, strict=True))
    assert rows[2]["text"] == "\ufffd"


def test_sqlite_writer_row_of_known_key_is_replaced(tmp_path: Path) -> None:
    rows: list[tuple[Any, ...]] = [EMPTY, ROW, (1, "\ud800é", AT, False, [], None)]
    for row in rows:
        writer = SqliteWriter(tmp_path / "x.db", "rows", COLUMNS, key=("key",))
        writer.write_rows([row])
        writer.close()
    with closing(sqlite3.connect(tmp_path / "x.db")) as db:
        found = db.execute("SELECT * FROM rows ORDER BY key").fetchall()
    assert found == [(1, "\ufffdé", "2026-02-13T14:30:00Z", 0, "[]", None), EMPTY]


def test_writers_columns_that_repeat_are_written_value_by_value(tmp_path: Path) -> None:
    columns = (TypedColumn("key", "integer"), TypedColumn("text"), TypedColumn("number", "number"))
    rows = [(number, ("a,b", "=1", None)[number % 3], (1, 1.0)[number % 2]) for number in range(200)]
    out = BytesIO()
    CsvWriter(out, columns).write_rows(rows)
    cells = ('"a,b"', "'=1", "")
    assert out.getvalue().decode().splitlines()[1:] == [f"{key},{cells[key % 3]},{number}" for key, _, number in rows]
    with closing(SqliteWriter(tmp_path / "a.sqlite", "rows", columns, key=["key"])) as writer:
        writer.write_rows(rows)
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as db:
        assert db.execute("SELECT key, text, number FROM rows ORDER BY key").fetchall() == rows


def test_batch_rows_many_rows_and_long_texts_are_bounded() -> None:
    assert [len(batch) for batch in batch_rows((number,) for number in range(BATCH_ROWS + 1))] == [BATCH_ROWS, 1]
    long = "x" * (BATCH_CHARS // 2)
    assert [len(batch) for batch in batch_rows([(long,)] * 5)] == [2, 2, 1]


def test_document_lines_are_the_same_document_on_one_harmless_line() -> None:
    document = {"text": "§ 1 \n  \u202e right\u2028\x7f\r\n  two  ", "list": [1, [], {}], "none": None}
    stored = json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n"
    out = BytesIO()
    assert DocumentLinesWriter(out, [TypedColumn("envelope", "json")]).write_rows([[stored], [b'{"a": 1}']]) == 2
    first, second = out.getvalue().decode().split("\n")[:-1]
    assert first.isprintable() and json.loads(first) == document == parse_json(stored)
    assert json.loads(second) == {"a": 1}


def test_parse_json_reads_half_of_a_surrogate_pair() -> None:
    assert parse_json(rb'{"a": "\ud800"}') == {"a": "\ud800"}
    with pytest.raises(ValueError, match="Expecting value"):
        parse_json(b"torn")
