"""Rows to a listing: a table for people, JSON and CSV for programs.

In: columns, rows (mappings of plain values), a format. Out: text on a stream. What came from the web is shown harmless
(``runtime/control_characters.py``): no control characters in any format, no cell of a CSV file that begins a formula.
"""

import csv
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from io import StringIO
from typing import Any, TextIO

from rori_spiders.runtime.control_characters import escape_csv_cell, escape_one_line
from rori_spiders.runtime.redacted_output import name_program, styled_stream
from rori_spiders.runtime.table_files import format_csv_cell, format_for_programs, format_json

FORMATS = ("table", "json", "csv")

_WIDE = 10_000  # columns
#: Keys of what a person is to do: tables name its commands as they are typed here.
_INSTRUCTIONS = {"to_do", "what_to_do"}


def print_hint(*sentences: str, file: TextIO | None = None) -> None:
    """Print sentences that name commands, each on a line."""
    print(*map(name_program, sentences), sep="\n", file=file)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its *key* in the rows (also the name in JSON and CSV) and its *title* in tables."""

    key: str
    title: str = ""  # "": not in tables
    right: bool = False
    colours: tuple[tuple[str, str], ...] = ()  # value -> rich style
    width: int = 0  # characters in tables, where a longer text is cut off; 0: all of it is shown

    def style(self, value: Any) -> str:
        return dict(self.colours).get(str(value), "")

    def shorten(self, text: str) -> str:
        """*text* as it fits into the column; what was cut off, JSON and CSV have."""
        return f"{text[: self.width - 1]}…" if self.width and len(text) > self.width else text


def write_listing(
    rows: Iterable[Mapping[str, Any]], columns: Sequence[Column], form: str = "table", out: TextIO | None = None
) -> int:
    """Write *rows* in *form* (one of FORMATS) to *out* (stdout); return how many they were. JSON is one array."""
    out = out or sys.stdout
    if form == "json":
        count = 0
        for row in rows:
            out.write(",\n" if count else "[\n")
            picked = {column.key: format_for_programs(row.get(column.key)) for column in columns}
            out.write(format_json(picked))
            count += 1
        out.write("\n]\n" if count else "[]\n")
        return count
    if form == "csv":
        return _write_csv(rows, columns, out)
    return _write_table(rows, columns, out)


def format_for_people(value: Any) -> str:
    """A value as a table shows it: times to the minute in UTC, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%d %H:%M}"
    return escape_one_line(value if isinstance(value, str) else str(value))


def _format_cell(key: str, value: Any) -> str:
    text = format_for_people(value)
    return name_program(text) if key in _INSTRUCTIONS else text


def label_of_key(key: str) -> str:
    """A key as people read it: ``last_check`` is "Last check"."""
    return key.replace("_", " ").capitalize()


def write_details(
    facts: Mapping[str, Any],
    form: str = "table",
    out: TextIO | None = None,
    *,
    label: Callable[[str], str] = str,
) -> None:
    """Write the facts of one thing by their keys: aligned lines ``label  value``, one JSON object, or a row of CSV."""
    out = out or sys.stdout
    if form == "json":
        out.write(f"{format_json({key: format_for_programs(facts[key]) for key in facts}, indent=2)}\n")
    elif form == "csv":
        _write_csv([facts], [Column(key) for key in facts], out)
    else:
        labels = {key: label(key) for key in facts}
        width = max(map(len, labels.values()))
        for key, value in facts.items():
            zone = " UTC" if isinstance(value, datetime) else ""
            out.write(f"{labels[key]:<{width}}  {_format_cell(key, value) or '-'}{zone}\n")


def _write_csv(rows: Iterable[Mapping[str, Any]], columns: Sequence[Column], out: TextIO) -> int:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([escape_csv_cell(column.key) for column in columns])
    count = 0
    for row in rows:
        writer.writerow([format_csv_cell(row.get(column.key)) for column in columns])
        count += 1
    return count


def _write_table(rows: Iterable[Mapping[str, Any]], columns: Sequence[Column], out: TextIO) -> int:
    from rich.box import SIMPLE_HEAD  # loaded with the first table: a job draws none
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    visible = [column for column in columns if column.title]
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in visible:
        table.add_column(column.title, justify="right" if column.right else "left", overflow="fold")
    for row in rows:
        cells = [(row.get(column.key), column) for column in visible]
        table.add_row(
            *(
                Text(column.shorten(_format_cell(column.key, value)), style=column.style(value))
                for value, column in cells
            )
        )
    if not table.row_count:
        return 0
    if out.isatty():
        Console(file=styled_stream(out), highlight=False, markup=False, emoji=False).print(table)
    else:
        # Nothing is cut off when no terminal sets a width, and no line ends in the padding of its last cell.
        buffer = Console(file=StringIO(), width=_WIDE, highlight=False, markup=False, emoji=False)
        with buffer.capture() as captured:
            buffer.print(table)
        out.writelines(f"{line.rstrip()}\n" for line in captured.get().splitlines())
    return table.row_count
