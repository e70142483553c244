"""The door of this room: two markdown texts in, their difference out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.content.differences.blocks import read_text
from rori_spiders.content.differences.cells import changed_cells
from rori_spiders.content.differences.difference import Change, Difference
from rori_spiders.content.differences.grouping import grouped
from rori_spiders.content.differences.marks import CITED_CHARS, marks_between, marks_in
from rori_spiders.content.differences.matching import match
from rori_spiders.content.differences.unseen import WHITE_SPACE, unread, unseen
from rori_spiders.content.differences.words import as_words, pieces_of

if TYPE_CHECKING:
    from rori_spiders.content.differences.blocks import Block
    from rori_spiders.content.differences.difference import ChangeKind, Op, Place

_COARSE = (
    "{:,} characters differ: they were compared in pieces, not as a whole, and citations in them were not looked for; "
    "every figure is marked"
)


def compare(old: str, new: str) -> Difference:
    """What differs between two markdown texts of one page. ``sections`` is empty only if they are the same."""
    if old == new:
        return Difference()
    before, after = read_text(old), read_text(new)
    changes = []
    for one in match(before, after):
        out = None if one.old is None else before.blocks[one.old]
        put = None if one.new is None else after.blocks[one.new]
        here = None if out is None else before.place(out)
        there = None if put is None else after.place(put)
        changes.append((one, _change(out, put, here, there, moved=one.moved)))
    return Difference(tuple(grouped(before, after, changes)))


def _change(
    out: Block | None, put: Block | None, here: Place | None, there: Place | None, *, moved: bool
) -> Change | None:
    """What became of one block; None if nothing did."""
    if out is None or put is None:
        block = put or out
        assert block is not None
        return _one_sided(block, here, there)
    if out.key == put.key:
        if moved:
            return Change("moved", put.kind, here, there, words=(("=", put.key),))
        return None if out.text == put.text else Change("layout", put.kind, here, there, note=WHITE_SPACE)
    note = unseen(out.text, put.text)
    kind: ChangeKind = "moved_and_changed" if moved else "layout" if note else "changed"
    cells = () if note else changed_cells(out, put)
    if cells:
        return Change(
            kind, put.kind, here, there, cells=cells, marks=tuple(mark for cell in cells for mark in cell.marks)
        )
    pieces = pieces_of(out.key, put.key)
    marks = () if note else marks_between(out.key, put.key, pieces)
    words = as_words(out.key, put.key, pieces)
    changed = sum(len(text) for op, text in words if op != "=")
    return Change(
        kind,
        put.kind,
        here,
        there,
        words,
        marks=marks,
        note=note or unread(out.text, put.text),
        coarse=_coarse(changed),
    )


def _coarse(changed: int) -> str:
    return _COARSE.format(changed) if changed > CITED_CHARS else ""


def _one_sided(block: Block, here: Place | None, there: Place | None) -> Change:
    op: Op = "-" if there is None else "+"
    marks, words = marks_in(block.key, added=op == "+"), ((op, block.key),)
    kind: ChangeKind = "deleted" if op == "-" else "inserted"
    return Change(kind, block.kind, here, there, words, marks=marks, coarse=_coarse(len(block.key)))
