"""A difference as one HTML page, for a file or a mail: `<del>` and `<ins>`, no script, nothing from elsewhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from rori_spiders.comparison.summary import MARKS, change_line, heading, summary, whereabouts
from rori_spiders.terminal.listing import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.content.differences import Change, Difference, Words
    from rori_spiders.content.differences.difference import Op

_STYLE = (
    "body{font:16px/1.5 serif;max-width:50em;margin:2em auto;padding:0 1em}"
    "del{background:#fdd;color:#700}ins{background:#dfd;color:#050}"
    ".how,.mark{color:#555;font:14px sans-serif}p{margin:.3em 0}"
)
_TAGS: dict[Op, str] = {"-": "del", "+": "ins"}


def as_html(difference: Difference, head: list[str]) -> str:
    """The whole page. All text in it is escaped: it came from the web."""
    return "\n".join(_parts(difference, head)) + "\n"


def _parts(difference: Difference, head: list[str]) -> Iterator[str]:
    yield f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{_safe(head[0])}</title>'
    yield f"<style>{_STYLE}</style>\n</head>\n<body>"
    yield from (f'<p class="how">{_safe(line)}</p>' for line in head)
    yield f"<p><strong>{_safe(summary(difference))}</strong></p>"
    for section in difference.sections:
        yield f"<section>\n<h2>{_safe(heading(section))}</h2>"
        yield from (f'<p class="how">{_safe(line)}</p>' for line in whereabouts(section))
        for change in section.changes:
            yield from _of_change(change)
        yield "</section>"
    yield "</body>\n</html>"


def _of_change(change: Change) -> Iterator[str]:
    yield f'<p class="how">{_safe(change_line(change))}</p>'
    for cell in change.cells:
        yield f"<p>{_safe(f'{cell.row} / {cell.column}')}: {_painted(cell.words)}</p>"
    if change.words and not change.cells:
        yield f"<p>{_painted(change.words)}</p>"
    if change.kind in {"changed", "moved_and_changed"}:
        for kind, old, new in change.marks:
            yield f'<p class="mark">{MARKS[kind][0]}: {_safe(old or "none")} → {_safe(new or "none")}</p>'


def _painted(words: Words) -> str:
    return "".join(f"<{_TAGS[op]}>{_safe(text)}</{_TAGS[op]}>" if op in _TAGS else _safe(text) for op, text in words)


def _safe(text: str) -> str:
    return escape(harmless(text))
