"""The text of a paragraph from its lines: the printer's breaks and hyphens gone, the author's kept."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from rori_spiders.content.documents.escape import block
from rori_spiders.content.documents.pdf.lines import Line
from rori_spiders.content.documents.pdf.paragraphs import goes_on

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rori_spiders.content.documents.pdf.page import Page

_HYPHENATED = re.compile(r"(?:^|[\s(“\"])([^\W\d_]{3,})-$")
_HYPHEN = re.compile(r"[^\W_]-$")
# "short- and long-term" is no word of two lines.
_ANY = re.compile(r"(?!(?:and|or|to|nor)\b)[^\W_]")
_REST = re.compile(r"[^\W\d_]{2,}")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_RULE_LIKE = re.compile(r"[-=:|\s\\]+")


class Vocabulary:
    """The words of a document that stand within a line: by them a hyphen at a line's end is known to be the printer's.

    ``regula-`` ``tion`` is certainly *regulation* when the document writes that elsewhere, and never *regula-tion*.
    """

    def __init__(self, pages: Iterable[Page]) -> None:
        self._words: set[str] = set()
        broken = False
        for page in pages:
            for line in page.items:
                if isinstance(line, Line):
                    found = _WORD.findall(line.text.casefold())
                    self._words.update(found[int(broken) : len(found) - int(line.text.endswith("-"))])
                    broken = line.text.endswith("-")

    def knows(self, before: str, after: str) -> bool:
        whole, hyphenated = before + after, f"{before}-{after}"
        return whole.casefold() in self._words and hyphenated.casefold() not in self._words


def flowing(paragraph: list[Line], vocabulary: Vocabulary, *, heading: bool = False) -> str:
    """The markdown of a paragraph: printer's breaks gone, breaks on purpose kept as breaks."""
    rows = [paragraph[0].markdown]
    for last, line in pairwise(paragraph):
        hyphen = _HYPHENATED.search(last.text)
        rest = _REST.match(line.markdown)
        if hyphen and rest and vocabulary.knows(hyphen[1], rest[0]):
            rows[-1] = rows[-1][:-1] + line.markdown
        elif last.broken or (_HYPHEN.search(last.text) and _ANY.match(line.text)):
            rows[-1] += line.markdown
        elif heading or goes_on(last, line):
            rows[-1] += " " + line.markdown
        else:
            rows.append(line.markdown)
    return "  \n".join(_safe(row) for row in rows)


def _safe(row: str) -> str:
    """A row whose beginning markdown would act on, or that would make a table of the row above."""
    return "\\" + row if _RULE_LIKE.fullmatch(row) and row[0] != "\\" else block(row)
