"""A dataset to one file, or to a folder of Parquet files by source or month. What is there is replaced as a whole."""

import os
import sqlite3
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
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
    arrow_schema,
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


#: The rows of a dataset as the given function writes them, with their numbers (``Dataset.batches``).
Batches = Callable[[Callable[[Sequence[Any]], Any]], Generator[tuple[int, Any]]]


def write_file(dataset: Dataset, batches: Batches, path: Path, form: str) -> int:
    """Write the rows of *batches* to *path* (``-``: stdout) in *form*; return how many they were.

    A file is replaced once its successor is whole. An SQLite file stays: its table of this dataset is brought up to
    date, rows of the same key are replaced. Raises ActionRefused for one whose table has other columns.
    """
    if form == "sqlite" and path.exists():
        try:
            return _write_all(SqliteWriter(path, dataset.name, dataset.columns, key=dataset.key), batches)
        except sqlite3.DatabaseError as error:
            raise ActionRefused(f"{path} cannot be brought up to date ({error}): name a new file") from error
    if str(path) == "-":
        if form not in {"jsonl", "csv"}:
            raise UsageError(f"{form} cannot be written to standard output: name a file")
        return _write_all(_open_writer(dataset, sys.stdout.buffer, form), batches)
    with _replacing(path) as part:
        if form == "sqlite":
            return _write_all(SqliteWriter(part, dataset.name, dataset.columns, key=dataset.key), batches)
        with part.open("wb", buffering=1 << 20) as out:
            return _write_all(_open_writer(dataset, out, form), batches)


def write_partitions(dataset: Dataset, batches: Batches, folder: Path, by: Sequence[str], *, name: str) -> int:
    """Write the rows of *batches* below *folder*, as ``source=ID/month=2026-02/NAME-0.parquet``; return their number.

    *by* are names of ``PARTITIONS``. Files of another *name* stay, so that later rows can be added to a folder.
    """
    require_pyarrow()
    from pyarrow import dataset as arrow_dataset

    count = 0
    names = [column.name for column in dataset.columns]
    added = tuple(one for one in by if one not in names)
    columns = (*dataset.columns, *map(TypedColumn, added))
    places = names.index(dataset.source), names.index(dataset.time)

    def record_batches() -> Iterator[Any]:
        nonlocal count
        with closing(batches(partial(_encode_partitions, columns=columns, added=added, places=places))) as made:
            for number, batch in made:
                count += number
                yield batch

    folder.mkdir(parents=True, exist_ok=True)
    arrow_dataset.write_dataset(
        record_batches(),
        folder,
        schema=arrow_schema(columns),
        format="parquet",
        partitioning=arrow_dataset.partitioning(arrow_schema([TypedColumn(one) for one in by]), flavor="hive"),
        basename_template=f"{name}-{{i}}.parquet",
        existing_data_behavior="overwrite_or_ignore",
        max_partitions=_MAX_PARTITIONS,
    )
    return count


def _encode_partitions(
    rows: Sequence[Sequence[Any]], *, columns: Sequence[TypedColumn], added: Sequence[str], places: tuple[int, int]
) -> Any:
    """*rows* with the columns *added*; *places*: where a row has its source and its time."""
    source, time = places

    def value_of(name: str, row: Sequence[Any]) -> str | None:
        at = row[time]
        return row[source] if name == "source" else None if at is None else f"{at:%Y-%m}"

    return ParquetWriter.encode([[*row, *(value_of(name, row) for name in added)] for row in rows], columns)


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


def _write_all(writer: TableWriter, batches: Batches) -> int:
    count = 0
    try:
        with closing(batches(partial(writer.encode, columns=writer.columns))) as made:  # before its connection
            for number, encoded in made:
                writer.write_batch(encoded)
                count += number
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
