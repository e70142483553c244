"""A difference as lines for people: coloured on a terminal, elsewhere `[-deleted-]` and `{+inserted+}`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

from rich.console import Console
from rich.text import Text

from rori_spiders.comparison.summary import MARKS, change_line, heading, summary, whereabouts
from rori_spiders.terminal.listing import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.content.differences import Change, Difference, Mark, Words
    from rori_spiders.content.differences.difference import Op

#: Kept text around a change that is shown, in characters; longer stretches are cut between words.
_CONTEXT = 80
_STYLES: dict[Op, str] = {"=": "", "-": "red strike", "+": "bold green underline"}
_BRACKETS: dict[Op, tuple[str, str]] = {"=": ("", ""), "-": ("[-", "-]"), "+": ("{+", "+}")}


def write_text(difference: Difference, head: list[str], out: TextIO | None = None) -> None:
    """Write the *head* lines, the summary and each section to *out* (stdout). Nothing is cut off a line."""
    out = out or sys.stdout
    console = Console(file=out, highlight=False, markup=False, emoji=False, soft_wrap=True)
    coloured = console.is_terminal and console.color_system is not None and not console.no_color
    for line in _lines(difference, head, coloured=coloured):
        if coloured:
            console.print(line)
        else:
            out.write(f"{line.plain.rstrip()}\n")


def _lines(difference: Difference, head: list[str], *, coloured: bool) -> Iterator[Text]:
    yield from (Text(harmless(line)) for line in head)
    yield Text(summary(difference), style="bold")
    for section in difference.sections:
        yield Text("")
        yield Text(harmless(heading(section)), style="bold cyan")
        yield from (Text(f"  {harmless(line)}") for line in whereabouts(section))
        for change in section.changes:
            yield from _of_change(change, coloured=coloured)


def _of_change(change: Change, *, coloured: bool) -> Iterator[Text]:
    yield Text(f"  {harmless(change_line(change))}", style="dim")
    for cell in change.cells:
        found = f"{cell.row} / {cell.column}" if cell.row else cell.column
        yield Text(f"    {harmless(found)}: ").append_text(_painted(cell.words, coloured=coloured))
    if change.words and not change.cells:
        yield Text("    ").append_text(_painted(change.words, coloured=coloured))
    if change.kind in {"changed", "moved_and_changed"}:
        yield from (Text(f"    {_of_mark(mark)}", style="yellow") for mark in change.marks)


def _of_mark(mark: Mark) -> str:
    name = MARKS[mark.kind][0]
    if mark.old is None:
        return harmless(f"{name} added: {mark.new}")
    if mark.new is None:
        return harmless(f"{name} removed: {mark.old}")
    return harmless(f"{name}: {mark.old} → {mark.new}")


def _painted(words: Words, *, coloured: bool) -> Text:
    painted = Text()
    for at, (op, text) in enumerate(words):
        shown = harmless(_shortened(text, first=at == 0, last=at == len(words) - 1) if op == "=" else text)
        before, after = ("", "") if coloured else _BRACKETS[op]
        painted.append(f"{before}{shown}{after}", style=_STYLES[op] if coloured else "")
    return painted


def _shortened(text: str, *, first: bool, last: bool) -> str:
    """Kept text near a change: all of a short one, of a long one only what borders on a change."""
    if len(text) <= 2 * _CONTEXT:
        return text
    begin = text[: text.rfind(" ", 0, _CONTEXT) + 1] or text[:_CONTEXT]
    end = text[text.find(" ", len(text) - _CONTEXT) :] if " " in text[-_CONTEXT:] else text[-_CONTEXT:]
    if first and last:
        return f"{begin}…"
    return f"…{end}" if first else f"{begin}…" if last else f"{begin}…{end}"
