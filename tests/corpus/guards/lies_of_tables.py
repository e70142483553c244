"""Lies in tables, and in tables told as prose."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.corpus.guards.lying import lie, tables_in, with_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

# --- tables ---------------------------------------------------------------------------------------------------------


@lie
def rows_swapped(rng: Random, text: str) -> str | None:
    if not (tables := tables_in(text)):
        return None
    table = rng.choice(tables)
    rows = [row[0] for row in table]
    one, other = rng.sample(range(2, len(rows)), 2)
    rows[one], rows[other] = rows[other], rows[one]
    return with_rows(text, table, rows)


@lie
def cells_swapped(rng: Random, text: str) -> str | None:
    """The last cells of two rows: values change their owner."""
    if not (tables := tables_in(text)):
        return None
    table = rng.choice(tables)
    rows = [re.split(r"(?<!\\)\|", row[0]) for row in table]
    one, other = rng.sample(range(2, len(rows)), 2)
    if len(rows[one]) != len(rows[other]) or rows[one][-2] == rows[other][-2]:
        return None
    rows[one][-2], rows[other][-2] = rows[other][-2], rows[one][-2]
    return with_rows(text, table, ["|".join(row) for row in rows])


@lie
def columns_renamed(rng: Random, text: str) -> str | None:
    if not (tables := tables_in(text)):
        return None
    table = rng.choice(tables)
    titles = re.split(r"(?<!\\)\|", table[0][0])
    if len(titles) < 5 or titles[-2] == titles[-3]:
        return None
    titles[-2], titles[-3] = titles[-3], titles[-2]
    return with_rows(text, table, ["|".join(titles), *(row[0] for row in table[1:])])


@lie
def header_moved(rng: Random, text: str) -> str | None:
    if not (tables := tables_in(text)):
        return None
    table = rng.choice(tables)
    rows = [row[0] for row in table]
    return with_rows(text, table, [rows[2], rows[1], rows[0], *rows[3:]])


@lie
def row_dropped(rng: Random, text: str) -> str | None:
    if not (tables := tables_in(text)):
        return None
    table = rng.choice(tables)
    rows = [row[0] for row in table]
    del rows[rng.randrange(2, len(rows))]
    return with_rows(text, table, rows)


@lie
def table_dropped(rng: Random, text: str) -> str | None:
    return with_rows(text, rng.choice(tables), []) if (tables := tables_in(text)) else None


def _as_prose(table: list[re.Match[str]], change: Callable[[list[str], list[list[str]]], None]) -> list[str]:
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", row[0])[1:-1]] for row in table]
    titles, rows = cells[0], cells[2:]
    change(titles, rows)
    return ["; ".join(f"{title}: {cell}" for title, cell in zip(titles, row, strict=False)) + "\n" for row in rows]


@lie
def told_under_another_column(rng: Random, text: str) -> str | None:
    tables = [table for table in tables_in(text) if table[0][0].count("|") > 3]
    if not tables:
        return None
    table = rng.choice(tables)

    def turn(titles: list[str], _: list[list[str]]) -> None:
        titles[-1], titles[-2] = titles[-2], titles[-1]

    return with_rows(text, table, _as_prose(table, turn))


@lie
def told_of_another_row(rng: Random, text: str) -> str | None:
    if not (tables := tables_in(text)):
        return None
    table = rng.choice(tables)

    def turn(_: list[str], rows: list[list[str]]) -> None:
        rows[0][-1], rows[1][-1] = rows[1][-1], rows[0][-1]

    prose = with_rows(text, table, _as_prose(table, turn))
    return prose if prose != with_rows(text, table, _as_prose(table, lambda *_: None)) else None


@lie
def told_without_a_row(rng: Random, text: str) -> str | None:
    if not (tables := tables_in(text)):
        return None
    table = rng.choice(tables)

    def turn(_: list[str], rows: list[list[str]]) -> None:
        del rows[rng.randrange(len(rows))]

    return with_rows(text, table, _as_prose(table, turn))


@lie
def told_with_a_word_more(rng: Random, text: str) -> str | None:
    if not (tables := tables_in(text)):
        return None
    table = rng.choice(tables)

    def turn(_: list[str], rows: list[list[str]]) -> None:
        row = rng.choice(rows)
        row[-1] = rng.choice(["not ", "up to ", "at least ", "about ", "-"]) + row[-1]

    return with_rows(text, table, _as_prose(table, turn))
