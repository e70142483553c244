"""What a document is said to be about: the publisher's own words, or the beginning of its text. Nothing is made up."""

from __future__ import annotations

import re

from rori_spiders.content.sections import fence_after
from rori_spiders.corpus.documents.front_matter import one_line
from rori_spiders.fields.plain import plain

#: Search engines show no more of a description than about half of it.
MOST_CHARS = 320
#: "Overview." says nothing of a page: the next sentence is taken with it.
_FEW_CHARS = 40
#: Of a paragraph; a page may be one of a megabyte.
_LOOKED_AT = 10 * MOST_CHARS
# Tables, lists, quotes, pictures, code, what a reader does not see.
_NO_PROSE = re.compile(r"\s*(?:[#|>]|[-*+] |\d+[.)] |!\[|<!--|[-=*_]{3,}$|\[[^\]]*\]\([^)]*\)\W*$| {4})")
_END = re.compile(r"[.!?][\"')\]”’]*(?=\s+[\"'“‘(]?[A-Z0-9]|$)")
# "U.S.C. 1024", "No. 5", "Sec. 3", "Inc. v. Smith": their point ends no sentence.
_ABBREVIATED = re.compile(
    r"(?:\b[A-Za-z]|\b\w+\.\w+|\b(?:No|Nos|Sec|Secs|Art|Ch|Pt|Inc|Co|Corp|Ltd|Mr|Mrs|Ms|Dr|Jr|Sr|St|vs?|al|et|Reg|Fed"
    r"|Stat|Pub|Gov|Gen|Dept|Rev|Ed|Vol|approx|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec))$"
)


def described(said: str | None, body: str) -> str | None:
    """The description that the page itself has (*said*), else the first sentence of *body*, else None."""
    return one_line(said or "") or first_sentence(body)


def first_sentence(body: str) -> str | None:
    """The first sentence of the first paragraph of *body*, at most ``MOST_CHARS`` long; None for a text without one.

    What is longer ends at a word, with "...".
    """
    text = one_line(plain(_first_paragraph(body)[:_LOOKED_AT]).text)
    for end in _END.finditer(text):
        if end.end() >= _FEW_CHARS and not (text[end.start()] == "." and _ABBREVIATED.search(text[: end.start()])):
            text = text[: end.end()]
            break
    if len(text) <= MOST_CHARS:
        return text or None
    return text[: MOST_CHARS - 3].rpartition(" ")[0].rstrip(" ,;:") + "..."


def _first_paragraph(body: str) -> str:
    """The first lines in a row that are running text."""
    found: list[str] = []
    fence = ""
    for line in body.split("\n"):
        was, fence = fence, fence_after(line, fence)
        is_prose = bool(line.strip()) and not was and not fence and not _NO_PROSE.match(line)
        if not is_prose and found:
            break
        if is_prose:
            found.append(line)
    return "\n".join(found)
