"""Code as it is written: a fenced block that no fence inside of it can end."""

from __future__ import annotations

import re

_FENCE = re.compile(r"^\s*(`{3,})", re.MULTILINE)


def fenced(text: str, language: str) -> str:
    """*text* as a code block whose fence is longer than any within."""
    longest = max((len(run) for run in _FENCE.findall(text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}\n"
