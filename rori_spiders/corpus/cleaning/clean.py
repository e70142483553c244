"""A body cleaned by rules: the door of this room.

    counted = count_boilerplate((url, body) for each page of the corpus)
    draft = clean(body, url=url, title=title, rules=rules, boilerplate=counted)
    draft.body, draft.removals, draft.repairs, draft.flags, draft.document

Whole blocks go or stay; what stays is the same character for character, but for what ``repairs`` says. Deterministic;
a body that is cleaned is not changed by cleaning it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.corpus.cleaning.blocks import blocks_of, joined
from rori_spiders.corpus.cleaning.boilerplate import NONE, Boilerplate
from rori_spiders.corpus.cleaning.draft import Draft, Flagged, Removal, Repair
from rori_spiders.corpus.cleaning.flags import flags_of
from rori_spiders.corpus.cleaning.page import Gone, Page
from rori_spiders.corpus.cleaning.removing import (
    drop_sections,
    may_be_dropped,
    named_blocks,
    named_sections,
    remove_boilerplate,
    remove_duplicates,
    remove_empty_headings,
    remove_matching,
    why_kept,
)
from rori_spiders.corpus.cleaning.repairing import join_labels, promote_questions
from rori_spiders.corpus.cleaning.stub import linked_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rori_spiders.corpus.cleaning.blocks import Block
    from rori_spiders.corpus.cleaning.page import Change, Operation
    from rori_spiders.corpus.cleaning.rules import CleaningRules

__all__ = ["clean"]

#: Repairs first: a question that became a heading may be one that a rule names.
_OPERATIONS: tuple[tuple[str, Operation], ...] = (
    ("join_labels", join_labels),
    ("promote_questions", promote_questions),
    ("drop_sections", drop_sections),
    ("remove_matching", remove_matching),
    ("remove_boilerplate", remove_boilerplate),
)
#: One operation may make room for another; real pages are done after two rounds.
_MOST_ROUNDS = 20


def clean(body: str, *, url: str, title: str, rules: CleaningRules, boilerplate: Boilerplate = NONE) -> Draft:
    """*body* without what the rules leave out and what counting tells. *url*: as ``urls.normalise`` spells it."""
    page = Page(url, title, rules, boilerplate)
    work = _Work(body)
    for _ in range(_MOST_ROUNDS):
        done = work.changes
        for name, operation in _OPERATIONS:
            work.apply(name, operation(work.blocks, page))
        if work.changes == done:
            # Only of what is left: the first of two may stand in a section that goes.
            work.apply("remove_duplicates", remove_duplicates(work.blocks, page))
        work.apply("remove_empty_headings", remove_empty_headings(work.given, work.blocks))
        if work.changes == done:
            break
    document = linked_document(work.blocks)
    leads = [Flagged("leads_to_document", document)] if document else []
    flags = (*_by_rules(work, page), *leads, *flags_of(work.blocks, page))
    return Draft(work.body, work.removals, work.repairs, flags, document)


class _Work:
    """The blocks as they are now, and what was done to them. Offsets are those of the body that was given."""

    def __init__(self, body: str) -> None:
        self._given = body
        self.given: Sequence[Block] = blocks_of(body)
        self.blocks: Sequence[Block] = self.given
        self.changes = 0
        self._gone: list[Removal] = []
        self._put: dict[int, Repair] = {}

    @property
    def body(self) -> str:
        return joined(self.blocks, self._given) if self.changes else self._given

    @property
    def removals(self) -> tuple[Removal, ...]:
        return tuple(sorted(self._gone, key=lambda one: one.start))

    @property
    def repairs(self) -> tuple[Repair, ...]:
        left = {block.start for block in self.blocks}
        return tuple(self._put[start] for start in sorted(self._put) if start in left)

    def apply(self, operation: str, changes: Iterable[Change]) -> None:
        """Do what an operation asks for; its numbers are those of the blocks as they are."""
        blocks: list[Block | None] = list(self.blocks)
        found = list(changes)
        for change in found:
            if isinstance(change, Gone):
                self._remove(operation, change)
                blocks[change.at] = None
                continue
            new = change.block
            before = self._given[new.start : new.end]
            self._put[new.start] = Repair(operation, change.rule, before, new.text, new.start, new.end)
            blocks[change.at : change.at + change.count] = [new, *[None] * (change.count - 1)]
        self.changes += len(found)
        if found:
            self.blocks = [block for block in blocks if block is not None]

    def _remove(self, operation: str, gone: Gone) -> None:
        block = self.blocks[gone.at]
        text = self._given[block.start : block.end]
        self._gone.append(Removal(operation, gone.rule, text, block.start, block.end, gone.binds))


def _by_rules(work: _Work, page: Page) -> Iterator[Flagged]:
    """Where a rule and the text are at odds: what a rule names and stays, what binds and went."""
    for at, words in named_blocks(work.blocks, page):
        if why := why_kept(work.blocks[at], words):
            yield Flagged("rule_kept_block", f"{words!r}: {why}: {work.blocks[at].text[:200]}")
    for at, rule in named_sections(work.blocks, page):
        if not may_be_dropped(work.blocks, at):
            yield Flagged("rule_kept_section", rule.heading)
    for removal in work.removals:
        if removal.binds:
            yield Flagged("rule_removed_what_binds", f"{removal.binds}: {removal.text[:200]}")
