"""Control characters are spelled out wherever text of others is printed; the rest is unaltered, JSON stays exact."""

from __future__ import annotations

import io
import json
import sys
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING

from rori_spiders.runtime.control_characters import escape_control_characters, escape_csv_cell, escape_one_line
from rori_spiders.runtime.redacted_output import redacted_output, styled_stream, write_progress_line
from tests.support.cases import cases

if TYPE_CHECKING:
    from collections.abc import Iterator

C0_AND_C1 = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"]
TURNING = [*"\u061c\u200e\u200f", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))]
UNSEEN_ENDS = ["\u2028", "\u2029"]
ACTING = [*C0_AND_C1, *TURNING, *UNSEEN_ENDS, "\ud800"]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@contextmanager
def terminal() -> Iterator[Terminal]:
    """Within: stdout and stderr are a terminal's."""
    stream = Terminal()
    with redirect_stdout(stream), redirect_stderr(stream):
        yield stream


def test_escape_control_characters_spells_each_as_json_does() -> None:
    for char in ACTING:
        text = f"fee {char}25"
        shown = escape_control_characters(text)
        assert shown == f"fee \\u{ord(char):04x}25"
        assert json.loads(f'"{shown}"') == text


def test_escape_control_characters_text_is_unaltered() -> None:
    text = "§ 1024.5 — “ok”\tné\xa0zero\u200bwidth עברית\nline"
    assert escape_control_characters(text) == text


def test_escape_one_line_breaks_are_spaces() -> None:
    assert escape_one_line("a\r\nb\tc\x1b") == "a  b c\\u001b"


@cases("cell", ["=1+1", "+1", "-1", "@a", "\t=1", "\r=1", "\n1", " =1", "\xa0@a", "＝1", "－1"])
def test_escape_csv_cell_is_no_formula(cell: str) -> None:
    assert escape_csv_cell(cell).startswith("'")


def test_escape_csv_cell_of_plain_text_is_unaltered() -> None:
    assert escape_csv_cell("25 = 5 * 5, see § 3") == "25 = 5 * 5, see § 3"


def test_output_of_commands_has_no_control_characters() -> None:
    with terminal() as shown, redacted_output():
        sys.stdout.write(f"title {''.join(ACTING)}\n")
        sys.stderr.write(f"reason {''.join(ACTING)}\n")
    assert not {*shown.getvalue()} & {*ACTING}
    assert "title \\u0000" in shown.getvalue()
    assert "reason \\u0000" in shown.getvalue()


def test_progress_line_escapes_its_text_alone() -> None:
    with terminal() as shown, redacted_output():
        write_progress_line("mapping \x1b[2J")
    assert shown.getvalue() == "\r\x1b[Kmapping \\u001b[2J"


def test_styled_stream_outside_of_commands_is_the_stream() -> None:
    with terminal() as shown:
        assert styled_stream(sys.stdout) is shown
