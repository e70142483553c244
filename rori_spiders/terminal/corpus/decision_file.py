"""Review decisions as a file: what `review --format csv` writes, with `action` and `action_reason` filled in."""

import csv
import io
import sys
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from rori_spiders.exceptions import UsageError

#: A longer file is another one by mistake.
_MAX_BYTES = 64_000_000
_MOST_PROBLEMS = 10
_DELIMITERS = ",;\t"
#: The word of the page's button, which the list of pages leaves no doubt about.
_OTHER_WORDS = {"approve": "approve_page"}


class PageDecision(NamedTuple):
    """A row with an action. ``document``: the object of the document that was looked at; "" where it is not named."""

    line: int
    url: str
    action: str
    reason: str
    document: str


def read_decisions(name: str, actions: Collection[str]) -> list[PageDecision]:
    """Read the rows that have an action, one of *actions*; ``-`` is standard input. Raises UsageError for another file.

    Nothing is taken of a file in which any row is wrong.
    """
    text = read_text(name)
    header = text.partition("\n")[0]
    # Spreadsheets of many countries write semicolons, or tabs.
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=header.count))
    if lost := {"url", "action"} - set(rows.fieldnames or ()):
        raise UsageError(f"{name} has no column {' and '.join(sorted(lost))}: export it with review --format csv")
    found = [_decision(rows.line_num, row) for row in rows if (row.get("action") or "").strip()]
    problems = [
        f"line {one.line}: {one.action!r} is not one of {', '.join(actions)}{_suggestion(one.action, actions)}"
        for one in found
        if one.action not in actions
    ]
    problems += [f"line {one.line}: no URL" for one in found if not one.url]
    first = {one.url: one.line for one in reversed(found)}
    problems += [f"line {one.line}: {one.url} is there twice" for one in found if first[one.url] != one.line]
    if problems:
        raise UsageError("\n".join(f"{name}: {one}" for one in problems[:_MOST_PROBLEMS]))
    return found


def _decision(line: int, row: Mapping[str, str | None]) -> PageDecision:
    known = {key: (row.get(key) or "").strip() for key in ("url", "action", "action_reason", "document_object")}
    action = known["action"].replace("-", "_").replace(" ", "_").lower()
    action = _OTHER_WORDS.get(action, action)
    return PageDecision(line, known["url"], action, known["action_reason"], known["document_object"])


def _suggestion(word: str, actions: Collection[str]) -> str:
    close = get_close_matches(word, actions, n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def read_text(name: str) -> str:
    """Return the text of a file that a person gives; ``-`` is standard input. Raises UsageError."""
    if name == "-":
        return sys.stdin.read().removeprefix("\ufeff")
    try:
        if Path(name).stat().st_size > _MAX_BYTES:
            raise UsageError(f"{name} is longer than {_MAX_BYTES:,} bytes")
        return Path(name).read_text(encoding="utf-8-sig")  # spreadsheets write a mark before UTF-8
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {name}: {error}") from error
