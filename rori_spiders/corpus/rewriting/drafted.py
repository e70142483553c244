"""A draft as a model is asked about it: cut into parts of whole blocks, without the sentences that talk to a model.

In: a draft, and what is known of its page. Out: parts; and of what a model made of one, the text that stands in its
place. Parts follow each other without gap; put together they are the draft.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rori_spiders.fields.chunks import chunks_of, tokens_of
from rori_spiders.fields.instructions import instructions_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rori_spiders.fields.chunks import Chunk


@dataclass(frozen=True, slots=True)
class Drafted:
    """A page's draft. ``entity``: the site's name; ``removed``: what rules have taken out before.

    ``boilerplate``: texts that counting took out of pages of the site; ``kept``: words of blocks that a person's rules
    keep.
    """

    url: str
    text: str
    title: str | None = None
    entity: str | None = None
    removed: tuple[str, ...] = ()
    boilerplate: frozenset[str] = frozenset()
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """``text[start:end]`` of a draft. ``shown``: as the model sees it; ``marks``: what its marks stand for."""

    number: int
    of: int
    start: int
    end: int
    tokens: int
    heading_path: str
    before: str
    shown: str
    after: str
    marks: Mapping[str, str] = field(default_factory=dict)

    def put_back(self, cleaned: str) -> str:
        """What stands in the part's place: *cleaned*, with what its marks stand for; each mark once."""
        text = cleaned.strip("\n").rstrip()
        for mark, stretch in self.marks.items():
            text = text.replace(mark, stretch, 1)
        return f"{self.before}{text}{self.after}" if text else ""


def parts_of(draft: str, limit: int) -> list[Part]:
    """The parts of *draft*, of at most *limit* tokens each but for a block that is longer."""
    chunks = chunks_of(draft, limit, whole_blocks=True)
    return [_part(draft, chunk, number, len(chunks)) for number, chunk in enumerate(chunks, 1)]


def _part(draft: str, chunk: Chunk, number: int, of: int) -> Part:
    whole = draft[chunk.start : chunk.end]
    text = whole.strip("\n").rstrip()
    at = whole.index(text)
    before, after = whole[:at], whole[at + len(text) :]
    marks: dict[str, str] = {}
    shown, at, word = "", 0, _word_for(text)
    for start, end in instructions_in(text):
        mark = f"[{word}-{len(marks) + 1}]"
        marks[mark] = text[start:end]
        shown, at = shown + text[at:start] + mark, end
    shown += text[at:]
    return Part(number, of, chunk.start, chunk.end, tokens_of(shown), chunk.heading_path, before, shown, after, marks)


def _word_for(text: str) -> str:
    """A mark's word that no mark in *text* has."""
    word = "WITHHELD"
    while f"[{word}-" in text:
        word += "X"
    return word
