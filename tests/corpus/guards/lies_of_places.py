"""Lies that move what is true: below another head, to another link, into another list."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from tests.corpus.guards.lying import (
    LINK,
    Planted,
    at_random,
    blocks_of,
    joined,
    lie,
    put,
    substance,
    tables_in,
    with_rows,
)

if TYPE_CHECKING:
    from random import Random

_HEADING = re.compile(r"#{1,6} ")
_LIST = re.compile(r"(?:[-*+]|\d+\.) ")


# --- headings -------------------------------------------------------------------------------------------------------


def _moved(text: str, rng: Random, step: int) -> str | None:
    """A heading over the paragraph after it (1) or before it (-1)."""
    blocks = blocks_of(text)
    ours = substance(blocks)
    places = [at for at, block in enumerate(blocks) if _HEADING.match(block) and at + step in ours]
    if not places:
        return None
    at = rng.choice(places)
    blocks.insert(at + step, blocks.pop(at))
    return joined(blocks)


@lie
def heading_moved_down(rng: Random, text: str) -> str | None:
    return _moved(text, rng, 1)


@lie
def heading_moved_up(rng: Random, text: str) -> str | None:
    """The page's title put first, over a line that stood before it, is no lie."""
    moved = _moved(text, rng, -1)
    return None if moved is not None and _HEADING.match(moved) and not _HEADING.match(text) else moved


@lie
def heading_named_after_a_sibling(rng: Random, text: str) -> str | None:
    found = list(re.finditer(r"(?m)^## (.+)$", text))
    if len(found) < 2:
        return None
    one, other = rng.sample(found, 2)
    if one[1].casefold() in other[1].casefold() or other[1].casefold() in one[1].casefold():
        return None
    return text[: one.start()] + f"## {other[1]}: {one[1]}" + text[one.end() :]


@lie
def half_a_heading(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?m)^(#+ \w+ \w+) .*\w.*$", text), lambda it: it[1])


@lie
def heading_lost_below_a_like_one(rng: Random, text: str) -> Planted:
    """A heading goes whose words stand, among others, in the one above it."""
    above, below = rng.choice([("Loans of veterans", "Veterans"), ("Court news", "News"), ("Who is exempt", "Exempt")])
    start = f"{text.rstrip()}\n\n## {above}\n\nAll may ask for them.\n\n"
    return Planted(f"{start}### {below}\n\nThey pay nothing down.\n", f"{start}They pay nothing down.\n")


# --- lists ----------------------------------------------------------------------------------------------------------


@lie
def item_given_to_the_next_list(rng: Random, text: str) -> str | None:
    blocks = blocks_of(text)
    lists = [at for at, block in enumerate(blocks) if _LIST.match(block) and block.count("\n") > 1]
    pairs = [(one, other) for one, other in pairwise(lists) if other > one + 1]
    if not pairs:
        return None
    one, other = rng.choice(pairs)
    kept, _, last = blocks[one].rpartition("\n")
    if not _LIST.match(last):
        return None
    blocks[one], blocks[other] = kept, f"{last}\n{blocks[other]}"
    return joined(blocks)


@lie
def items_swapped(rng: Random, text: str) -> str | None:
    found = at_random(rng, r"(?m)^- (.+)\n- (.+)$", text)
    return None if found is None or found[1] == found[2] else put(text, found, f"- {found[2]}\n- {found[1]}")


@lie
def paragraph_made_an_item(rng: Random, text: str) -> str | None:
    blocks = blocks_of(text)
    ours = [at for at in substance(blocks) if at and _LIST.match(blocks[at - 1])]
    if not ours:
        return None
    at = rng.choice(ours)
    blocks[at] = f"- {blocks[at]}"
    return joined(blocks)


@lie
def paragraph_taken_into_the_item(rng: Random, text: str) -> str | None:
    blocks = blocks_of(text)
    ours = [at for at in substance(blocks) if at and blocks[at - 1].startswith("- ") and "\n" not in blocks[at]]
    if not ours:
        return None
    at = rng.choice(ours)
    blocks[at] = f"  {blocks[at]}"
    return joined(blocks)


@lie
def definition_given_to_another_term(rng: Random, text: str) -> str | None:
    found = at_random(rng, r"(?m)^(\S.*)\n(: .+)\n\n(\S.*)\n(: .+)$", text)
    if found is None or found[2] == found[4]:
        return None
    return put(text, found, f"{found[1]}\n{found[4]}\n\n{found[3]}\n{found[2]}")


@lie
def definition_marked_about(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?m)(?<=\S\n): (?=\S)", text), "~ ")


@lie
def paragraphs_joined(rng: Random, text: str) -> str | None:
    blocks = blocks_of(text)
    ours = [at for at in substance(blocks) if at + 1 in set(substance(blocks))]
    if not ours:
        return None
    at = rng.choice(ours)
    blocks[at : at + 2] = [f"{blocks[at]} {blocks[at + 1]}"]
    return joined(blocks)


# --- links and pictures ---------------------------------------------------------------------------------------------


@lie
def texts_of_links_exchanged(rng: Random, text: str) -> str | None:
    found = list(LINK.finditer(text))
    if len({it[1] for it in found}) < 2:
        return None
    one = rng.choice(found)
    other = rng.choice([it for it in found if it[1] != one[1]])
    one, other = sorted((one, other), key=lambda it: it.start())
    return (
        f"{text[: one.start()]}[{other[1]}]({one[2]}){text[one.end() : other.start()]}[{one[1]}]({other[2]})"
        f"{text[other.end() :]}"
    )


@lie
def targets_of_links_exchanged(rng: Random, text: str) -> str | None:
    """The addresses' counts stay as they were."""
    found = list(LINK.finditer(text))
    if len({it[2] for it in found}) < 2:
        return None
    one = rng.choice(found)
    other = rng.choice([it for it in found if it[2] != one[2]])
    one, other = sorted((one, other), key=lambda it: it.start())
    return (
        f"{text[: one.start()]}[{one[1]}]({other[2]}){text[one.end() : other.start()]}[{other[1]}]({one[2]})"
        f"{text[other.end() :]}"
    )


@lie
def link_drawn_over_the_next_word(rng: Random, text: str) -> str | None:
    found = at_random(rng, r"(?<!!)\[([^\[\]\n]+)\]\(([^()\s]+)\) (\w+)", text)
    return put(text, found, lambda it: f"[{it[1]} {it[3]}]({it[2]})")


@lie
def words_put_into_a_picture(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"!\[([^\]\n]*)\](?=\()", text), lambda it: f"![{it[1]} for all lenders]")


@lie
def picture_turned_elsewhere(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(!\[[^\]\n]*\]\()[^)\s]+", text), lambda it: f"{it[1]}https://evil.example/a.png")


# --- tables ---------------------------------------------------------------------------------------------------------


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


@lie
def digit_moved_to_the_next_cell(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?m)(?<=\d)(\d) \| (?=\d)", text), lambda it: f" | {it[1]}")


@lie
def empty_cell_filled_from_above(rng: Random, text: str) -> str | None:
    found = at_random(rng, r"(?m)(\| ([^|\n]+) \|\n\|)((?: [^|\n]* \|)*?)  \|$", text)
    return put(text, found, lambda it: f"{it[1]}{it[3]} {it[2]} |")


@lie
def cells_shifted(rng: Random, text: str) -> str | None:
    if not (tables := tables_in(text)):
        return None
    table = rng.choice(tables)
    rows = [row[0] for row in table]
    at = rng.randrange(2, len(rows))
    cells = _cells(rows[at])
    turned = [*cells[1:], *cells[:1]]
    rows[at] = f"| {' | '.join(turned)} |"
    return with_rows(text, table, rows) if turned != cells else None


@lie
def told_with_first_cells_exchanged(rng: Random, text: str) -> str | None:
    if not (tables := tables_in(text)):
        return None
    table = rng.choice(tables)
    titles, _, *rows = (_cells(row[0]) for row in table)
    if rows[0][0] == rows[1][0] or rows[0][1:] == rows[1][1:]:
        return None
    rows[0][0], rows[1][0] = rows[1][0], rows[0][0]
    told = [", ".join([row[0], *(f"{t} is {c}" for t, c in zip(titles[1:], row[1:], strict=False))]) for row in rows]
    return with_rows(text, table, [f"For {one}.\n" for one in told])


@lie
def told_without_titles(rng: Random, text: str) -> str | None:
    if not (tables := tables_in(text)):
        return None
    table = rng.choice(tables)
    _, _, *rows = (_cells(row[0]) for row in table)
    return with_rows(text, table, [f"- {', '.join(cell for cell in row if cell)}" for row in rows])


@lie
def told_in_another_order(rng: Random, text: str) -> str | None:
    if not (tables := tables_in(text)):
        return None
    table = rng.choice(tables)
    titles, _, *rows = (_cells(row[0]) for row in table)
    told = ["; ".join(f"{t}: {c}" for t, c in zip(titles, row, strict=False)) for row in rows]
    turned = told[::-1]
    return with_rows(text, table, [f"{one}\n" for one in turned]) if turned != told else None
