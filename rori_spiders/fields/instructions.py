"""Sentences of a page that talk to a language model instead of a reader: they prove nothing, and are not shown to it.

In: markdown. Out: stretches of it, from such a sentence to the end of its paragraph, row or item: known by their words
(``orders``), or by several signs together (``steering``). Narrow on purpose: law tells people to disregard and to
answer as well. What has neither is not found (docs/fields.md says what that means).
"""

from __future__ import annotations

import re

from rori_spiders.fields.orders import ADDRESSED
from rori_spiders.fields.steering import WITHHELD_FROM, steering_in

#: Stands for a line that is not shown for them.
WITHHELD = "[...]"
_SENTENCE = re.compile(r"[.!?:][\"'”)*_]*\s+|\n")
#: "Important:" or "STOP.", at the beginning of a line, goes with what it leads to.
_LEAD = re.compile(r"[ \t>|*+#_-]*(?:\d{1,9}[.)] )?(?:(?:\w+ ){0,2}\w+[:!]|(?i:stop|warning|attention)\.)[*_]*\s+")
_PARAGRAPH_ENDS = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+|#>]|\d{1,9}[.)]\s))")


def shown_line(text: str | None, most: int) -> str:
    """The beginning of *text* as one line of at most *most* characters; ``WITHHELD`` for one that talks to a model."""
    line = " ".join((text or "").split())[:most]
    return WITHHELD if instructions_in(line) else line


def instructions_in(markdown: str) -> list[tuple[int, int]]:
    """Stretches (start, end) that address a model, in order; none overlaps another."""
    worded = ((_sentence_start(markdown, one.start()), one.end()) for one in ADDRESSED.finditer(markdown))
    weighed = ((one.start, one.end) for one in steering_in(markdown, WITHHELD_FROM))
    found: list[tuple[int, int]] = []
    for start, end in sorted((*worded, *weighed)):
        if found and end <= found[-1][1]:
            continue
        ended = _PARAGRAPH_ENDS.search(markdown, end)
        begins = max(start, found[-1][1]) if found else start
        found.append((begins, ended.start() if ended else len(markdown.rstrip())))
    return found


def _sentence_start(markdown: str, at: int) -> int:
    begin = max(0, at - 400)
    ends = [found.end() for found in _SENTENCE.finditer(markdown, begin, at)]
    start = ends[-1] if ends else begin
    line = markdown.rfind("\n", 0, start) + 1
    return line if _LEAD.fullmatch(markdown, line, start) else start
