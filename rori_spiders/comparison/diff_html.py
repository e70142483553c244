"""A difference as one HTML page, for a file or a mail: `<del>` and `<ins>`, no script, nothing from elsewhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from rori_spiders.comparison.diff_report import (
    MARK_NAMES,
    describe_change,
    section_heading,
    section_location,
    summarize_difference,
)
from rori_spiders.runtime.control_characters import escape_one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.content.changes.compare import Change, Difference, Words
    from rori_spiders.content.changes.model import Op

_STYLE = (
    "body{font:16px/1.5 serif;max-width:50em;margin:2em auto;padding:0 1em}"
    "del{background:#fdd;color:#700}ins{background:#dfd;color:#050}"
    ".how,.mark{color:#555;font:14px sans-serif}p{margin:.3em 0}"
)
_TAGS: dict[Op, str] = {"-": "del", "+": "ins"}


def render_diff_html(difference: Difference, head: list[str]) -> str:
    """The whole page. All text in it is escaped: it came from the web."""
    return "\n".join(_html_parts(difference, head)) + "\n"


def _html_parts(difference: Difference, head: list[str]) -> Iterator[str]:
    yield f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{_escape_html(head[0])}</title>'
    yield f"<style>{_STYLE}</style>\n</head>\n<body>"
    yield from (f'<p class="how">{_escape_html(line)}</p>' for line in head)
    yield f"<p><strong>{_escape_html(summarize_difference(difference))}</strong></p>"
    for section in difference.sections:
        yield f"<section>\n<h2>{_escape_html(section_heading(section))}</h2>"
        yield from (f'<p class="how">{_escape_html(line)}</p>' for line in section_location(section))
        for change in section.changes:
            yield from _change_html(change)
        yield "</section>"
    yield "</body>\n</html>"


def _change_html(change: Change) -> Iterator[str]:
    yield f'<p class="how">{_escape_html(describe_change(change))}</p>'
    for cell in change.cells:
        yield f"<p>{_escape_html(f'{cell.row} / {cell.column}')}: {_words_html(cell.words)}</p>"
    if change.words and not change.cells:
        yield f"<p>{_words_html(change.words)}</p>"
    if change.kind in {"changed", "moved_and_changed"}:
        for kind, old, new in change.marks:
            before, after = _escape_html(old or "none"), _escape_html(new or "none")
            yield f'<p class="mark">{MARK_NAMES[kind][0]}: {before} → {after}</p>'


def _words_html(words: Words) -> str:
    return "".join(
        f"<{_TAGS[op]}>{_escape_html(text)}</{_TAGS[op]}>" if op in _TAGS else _escape_html(text) for op, text in words
    )


def _escape_html(text: str) -> str:
    return escape(escape_one_line(text))
