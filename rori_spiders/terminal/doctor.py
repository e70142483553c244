"""What the doctor found, for a terminal of any width: what is wrong stands out, with what to do below it."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rori_spiders.terminal.listing import harmless

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rori_spiders.doctor.patient import Finding

_COLOURS = {"ok": "\x1b[32m", "warning": "\x1b[33m", "failed": "\x1b[31m"}
_PLAIN = "\x1b[0m"
#: Lines that are longer are hard to follow.
_WIDEST = 120


def lines_of_findings(findings: Sequence[Finding], *, width: int, colour: bool) -> Iterable[str]:
    """``result  check  what was found``, folded into *width*; what to do behind an arrow."""
    name = max((len(one.check) for one in findings), default=0)
    margin = " " * (len("warning") + name + 4)
    room = max(20, width - len(margin))
    for one in findings:
        result = f"{one.result:<7}"
        if colour:
            result = f"{_COLOURS[one.result]}{result}{_PLAIN}"
        texts = [line for part in one.found.splitlines() for line in wrap(harmless(part), room)] or [""]
        if one.do and one.result != "ok":
            first, *more = wrap(harmless(one.do), room - 2)
            texts += [f"→ {first}", *(f"  {line}" for line in more)]
        yield f"{result}  {one.check:<{name}}  {texts[0]}".rstrip()
        yield from (f"{margin}{line}" for line in texts[1:])


def lines_of_settings(rows: Sequence[dict[str, Any]], *, width: int) -> Iterable[str]:
    """``name  value  origin``; a long value stands on lines of its own width."""
    name, origin = max(len(row["setting"]) for row in rows), max(len(row["origin"]) for row in rows)
    room = max(20, width - name - origin - 4)
    for row in rows:
        first, *more = wrap(harmless(row["value"]), room) or ["(empty)"]
        yield f"{row['setting']:<{name}}  {row['origin']:<{origin}}  {first}"
        yield from (f"{' ' * (name + origin + 4)}{line}" for line in more)


def print_report(settings: Sequence[dict[str, Any]], findings: Sequence[Finding]) -> None:
    """Settings, findings, and how many of each there are."""
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    print("\n".join(lines_of_settings(settings, width=width)), end="\n\n")
    print("\n".join(lines_of_findings(findings, width=width, colour=sys.stdout.isatty())))
    number = Counter(one.result for one in findings)
    print(f"\n{number['ok']} ok, {number['warning']} warnings, {number['failed']} failed.")
