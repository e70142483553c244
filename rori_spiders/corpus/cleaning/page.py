"""What an operation knows of a page beside its blocks, and what it may ask for. It changes nothing itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from rori_spiders.corpus.cleaning.blocks import Block
from rori_spiders.corpus.cleaning.boilerplate import NONE, Boilerplate
from rori_spiders.corpus.cleaning.rules import CleaningRules
from rori_spiders.corpus.cleaning.visible import folded, visible


@dataclass(frozen=True, slots=True)
class Page:
    """One page: ``url`` as ``urls.normalise`` spells it."""

    url: str
    title: str
    rules: CleaningRules = field(default_factory=CleaningRules)
    boilerplate: Boilerplate = NONE

    def is_kept(self, block: Block) -> bool:
        """Whether a person has said that the block stays."""
        return any(has_words(block.text, words) for words in self.rules.keep_blocks_matching)


@dataclass(frozen=True, slots=True)
class Gone:
    """Block number ``at`` is left out, by ``rule``."""

    at: int
    rule: str
    binds: str | None = None


@dataclass(frozen=True, slots=True)
class Put:
    """``count`` blocks from number ``at`` become ``block``, which has the same words."""

    at: int
    count: int
    block: Block
    rule: str


Change = Gone | Put
Operation = Callable[[Sequence[Block], Page], Iterable[Change]]


def has_words(text: str, words: str) -> bool:
    """Whether a reader sees *words* in the block, as whole words; in linear time."""
    seen, looked_for = folded(visible(text).text), folded(words)
    at = seen.find(looked_for)
    while at >= 0:
        before, after = seen[at - 1 : at], seen[at + len(looked_for) : at + len(looked_for) + 1]
        starts = not before.isalnum() or not looked_for[0].isalnum()
        if starts and (not after.isalnum() or not looked_for[-1].isalnum()):
            return True
        at = seen.find(looked_for, at + 1)
    return False


def is_words(text: str, words: str) -> bool:
    """Whether a reader sees *words* and nothing else, marks at the end aside."""
    return folded(visible(text).text).rstrip(" .:!") == folded(words).rstrip(" .:!")
