"""A dataset to one file, or to a folder of Parquet files by source or month. What is there is replaced as a whole."""

import os
import sqlite3
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from rori_spiders.evidence.export.datasets import DOCUMENT_COLUMNS, Dataset
from rori_spiders.exceptions import ActionRefused, UsageError
from rori_spiders.runtime.table_files import (
    CsvWriter,
    DocumentLinesWriter,
    JsonLinesWriter,
    ParquetWriter,
    SqliteWriter,
    TableWriter,
    TypedColumn,
    arrow_batch,
    arrow_schema,
    batch_rows,
    require_pyarrow,
)

#: Formats by the endings of files.
FORMATS = {
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
}
PARTITIONS = ("source", "month")
#: Folders of one partitioned export; each has a file open while it is written.
_MAX_PARTITIONS = 10_000


def write_file(dataset: Dataset, rows: Iterable[Sequence[Any]], path: Path, form: str) -> int:
    """Write *rows* to *path* (``-``: stdout) in *form*; return how many they were.

    A file is replaced once its successor is whole. An SQLite file stays: its table of this dataset is brought up to
    date, rows of the same key are replaced. Raises ActionRefused for one whose table has other columns.
    """
    if form == "sqlite" and path.exists():
        try:
            return _write_all(SqliteWriter(path, dataset.name, dataset.columns, key=dataset.key), rows)
        except sqlite3.DatabaseError as error:
            raise ActionRefused(f"{path} cannot be brought up to date ({error}): name a new file") from error
    if str(path) == "-":
        if form not in {"jsonl", "csv"}:
            raise UsageError(f"{form} cannot be written to standard output: name a file")
        return _write_all(_open_writer(dataset, sys.stdout.buffer, form), rows)
    with _replacing(path) as part:
        if form == "sqlite":
            return _write_all(SqliteWriter(part, dataset.name, dataset.columns, key=dataset.key), rows)
        with part.open("wb", buffering=1 << 20) as out:
            return _write_all(_open_writer(dataset, out, form), rows)


def write_partitions(
    dataset: Dataset, rows: Iterable[Sequence[Any]], folder: Path, by: Sequence[str], *, name: str
) -> int:
    """Write *rows* below *folder*, as ``source=ID/month=2026-02/NAME-0.parquet``; return how many they were.

    *by* are names of ``PARTITIONS``. Files of another *name* stay, so that later rows can be added to a folder.
    """
    require_pyarrow()
    from pyarrow import dataset as arrow_dataset

    count = 0
    names = [column.name for column in dataset.columns]
    source, time = names.index(dataset.source), names.index(dataset.time)
    added = [TypedColumn(one) for one in by if one not in names]
    columns = [*dataset.columns, *added]
    schema = arrow_schema(columns)

    def values_of(row: Sequence[Any]) -> Iterator[str | None]:
        for column in added:
            at = row[time]
            yield row[source] if column.name == "source" else None if at is None else f"{at:%Y-%m}"

    def batches() -> Iterator[Any]:
        nonlocal count
        for batch in batch_rows(rows):
            count += len(batch)
            yield arrow_batch([[*row, *values_of(row)] for row in batch], columns, schema)

    folder.mkdir(parents=True, exist_ok=True)
    arrow_dataset.write_dataset(
        batches(),
        folder,
        schema=schema,
        format="parquet",
        partitioning=arrow_dataset.partitioning(arrow_schema([TypedColumn(one) for one in by]), flavor="hive"),
        basename_template=f"{name}-{{i}}.parquet",
        existing_data_behavior="overwrite_or_ignore",
        max_partitions=_MAX_PARTITIONS,
    )
    return count


def choose_format(path: Path, named: str | None) -> str:
    """The format of *path*: *named*, or that of its ending; JSON Lines for stdout. Raises UsageError for none."""
    if named is not None:
        return named
    if str(path) == "-":
        return "jsonl"
    try:
        return FORMATS[path.suffix.lower()]
    except KeyError:
        raise UsageError(f"the ending of {path} names no format: use {', '.join(FORMATS)}, or give --format") from None


def _open_writer(dataset: Dataset, out: IO[bytes], form: str) -> TableWriter:
    if form == "jsonl":
        return (DocumentLinesWriter if dataset.columns == DOCUMENT_COLUMNS else JsonLinesWriter)(out, dataset.columns)
    return CsvWriter(out, dataset.columns) if form == "csv" else ParquetWriter(out, dataset.columns)


def _write_all(writer: TableWriter, rows: Iterable[Sequence[Any]]) -> int:
    try:
        count = writer.write_rows(rows)
    except BaseException:
        writer.discard()
        raise
    writer.close()
    return count


@contextmanager
def _replacing(path: Path) -> Generator[Path]:
    """A file beside *path* that takes its place at the end, and goes when something fails.

    Anything but a file is written into: as root, a pipe or ``/dev/stdout`` would be replaced for the whole machine.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    path = path.resolve()  # a link stays one
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.touch()
        part.unlink()
    except OSError as error:
        raise ActionRefused(f"{path} cannot be written: {error.filename}: {error.strerror}") from error
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
