"""Cleanings that lie: a draft in, a text out that says something else, made by small operators with seeds.

Each operator takes a random generator and a draft, and gives the lie, or None where the draft offers no place for it.
"""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.corpus.guards.pages import Page

PROSE = re.compile(r"(?m)^(?![#|>`\s\-*\d]|\[|---).{60,}$")
LINK = re.compile(r"(?<!!)\[([^\[\]\n]+)\]\(([^()\s]+)\)")
_ROWS = re.compile(r"(?m)^\|.*\|$")
_RULE = re.compile(r"[|\s:-]+$")


class Planted(NamedTuple):
    """A draft that something was put into, and its lying cleaning."""

    draft: str
    cleaned: str


if TYPE_CHECKING:
    Lie = Callable[[Random, str], str | Planted | None]

_L = TypeVar("_L", bound="Lie")
OPERATORS: dict[str, Lie] = {}


def lie(operator: _L) -> _L:
    """Note *operator* under its name."""
    OPERATORS[operator.__name__] = operator
    return operator


def lies(pages: Sequence[Page], count: int, seed: int = 1) -> Iterator[tuple[str, Page, str]]:
    """*count* lies (operator, page, text), each operator in turn, over pages at random."""
    rng = Random(seed)
    made = 0
    while made < count:
        for name, operator in OPERATORS.items():
            for page in rng.sample(list(pages), len(pages)):
                told = operator(rng, page.body)
                if told is None:
                    continue
                draft, text = told if isinstance(told, Planted) else (page.body, told)
                if text.strip() != draft.strip():
                    yield name, page._replace(body=draft), text
                    made += 1
                    break
            if made == count:
                return


# --- how a place is found -------------------------------------------------------------------------------------------


def at_random(rng: Random, pattern: str | re.Pattern[str], text: str) -> re.Match[str] | None:
    found = list(re.finditer(pattern, text))
    return rng.choice(found) if found else None


def put(text: str, found: re.Match[str] | None, new: str | Callable[[re.Match[str]], str]) -> str | None:
    if found is None:
        return None
    return text[: found.start()] + (new if isinstance(new, str) else new(found)) + text[found.end() :]


def swap(rng: Random, text: str, pattern: str, old_to_new: dict[str, str]) -> str | None:
    return put(text, at_random(rng, pattern, text), lambda found: old_to_new[found[0].lower()])


def blocks_of(text: str) -> list[str]:
    return text.strip("\n").split("\n\n")


def joined(blocks: Sequence[str]) -> str:
    return "\n\n".join(blocks) + "\n"


def substance(blocks: Sequence[str]) -> list[int]:
    """Blocks of prose that say something."""
    return [at for at, block in enumerate(blocks) if PROSE.match(block)]


def insert(rng: Random, text: str, block: str) -> str:
    blocks = blocks_of(text)
    blocks.insert(rng.randrange(1, len(blocks) + 1), block)
    return joined(blocks)


def tables_in(text: str) -> list[list[re.Match[str]]]:
    tables: list[list[re.Match[str]]] = []
    for row in _ROWS.finditer(text):
        if tables and tables[-1][-1].end() + 1 == row.start():
            tables[-1].append(row)
        else:
            tables.append([row])
    return [table for table in tables if len(table) > 3]


def with_rows(text: str, table: list[re.Match[str]], rows: Sequence[str]) -> str:
    return text[: table[0].start()] + "\n".join(rows) + text[table[-1].end() :]
