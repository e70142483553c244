"""A report as one HTML page without scripts, for the screen and for print: its frame, its tables, its texts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from html import escape

from rori_spiders.ledger.tables.base import format_utc
from rori_spiders.runtime.control_characters import escape_one_line

_STYLE = """
body { font: 11pt/1.45 serif; max-width: 72em; margin: 2em auto; padding: 0 1em; color: #111 }
h1 { font-size: 1.6em } h2 { font-size: 1.2em; margin-top: 1.8em; border-bottom: 1px solid #999 }
h3 { font-size: 1em; overflow-wrap: anywhere } code { font-size: .85em; overflow-wrap: anywhere }
time { white-space: nowrap } td code { font-size: .95em; overflow-wrap: normal } h3 span { font-weight: normal }
table { border-collapse: collapse; width: 100%; font-size: .8em } .wide { overflow-x: auto }
th, td { border: 1px solid #bbb; padding: .25em .4em; text-align: left; vertical-align: top }
th { background: #eee }
.blank { border-bottom: 1px solid #111; display: inline-block; min-width: 18em }
.group th { background: #f7f7f7; padding-top: .6em }
@media screen { .wide table { min-width: 60em } }
@media print {
  h2, h3, .group { break-after: avoid } tr { break-inside: avoid } .wide { overflow: visible }
  .certificate { break-before: page }
}
"""
#: Where a cell may break: in hashes and URLs, not in words.
_BREAKS = re.compile(r"[0-9a-f]{16}(?=[0-9a-f]{16})|/")
_HASH = re.compile(r"[0-9a-f]{64}")
#: Which a browser would break at a hyphen.
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_MAY_BREAK = r"\g<0><wbr>"
#: So many columns fit on a telephone; a table with more scrolls.
_NARROW = 5


def render_page(title: str, parts: Iterable[str]) -> str:
    """The page with *parts*, which are HTML, in its body."""
    head = (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape_text(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>'
    )
    return "\n".join([head, *parts, "</main>\n</body>\n</html>\n"])


def render_table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    yield from render_grouped_table(names, [("", rows)])


def render_grouped_table(
    names: Sequence[str], groups: Iterable[tuple[str, Iterable[Sequence[object]]]]
) -> Iterator[str]:
    """One table of several groups of rows, each below its title, unless that is empty."""
    heads = "".join(f'<th scope="col">{escape_text(name)}</th>' for name in names)
    scrolls = ' class="wide" tabindex="0"' if len(names) > _NARROW else ""
    yield f"<div{scrolls}><table>\n<thead><tr>{heads}</tr></thead>"
    for title, rows in groups:
        yield "<tbody>"
        if title:
            group = f'<th colspan="{len(names)}" scope="rowgroup">{escape_text(title)}</th>'
            yield f'<tr class="group">{group}</tr>'
        for row in rows:
            yield f"<tr>{''.join(f'<td>{_render_cell(cell)}</td>' for cell in row)}</tr>"
        yield "</tbody>"
    yield "</table></div>"


def _render_cell(value: object) -> str:
    if isinstance(value, datetime):
        return f"<time>{format_utc(value)}</time>"
    text = _DATE.sub(r"<time>\g<0></time>", _BREAKS.sub(_MAY_BREAK, escape_text(value)))
    return f"<code>{text}</code>" if _HASH.fullmatch(str(value)) else text


def escape_text(value: object) -> str:
    return escape(escape_one_line("" if value is None else " ".join(str(value).splitlines())))
