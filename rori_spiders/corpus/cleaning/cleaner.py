"""Clean a body by rules: the entry point of this package.

    counted = count_boilerplate((url, body) for each page of the corpus)
    draft = clean_body(body, url=url, title=title, rules=rules, boilerplate=counted)
    draft.body, draft.removals, draft.repairs, draft.flags, draft.document

Whole blocks are removed or kept; what is kept is the same character for character, but for what ``repairs`` lists.
Pages that need a person get review flags. A stub page that only leads to a PDF names it in ``document``.
Deterministic.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from rori_spiders.content.changes.blocks import cells_of
from rori_spiders.corpus.cleaning.blocks import Block, join_blocks, line_text, parse_blocks, visible_text
from rori_spiders.corpus.cleaning.boilerplate import NO_BOILERPLATE, Boilerplate, chrome_kind
from rori_spiders.corpus.cleaning.operations import (
    BlockChange,
    CleaningPage,
    Operation,
    RemoveBlock,
    blocks_named_by_rules,
    can_drop_section,
    drop_sections,
    join_labels,
    promote_questions,
    reason_to_keep,
    remove_boilerplate,
    remove_duplicates,
    remove_empty_headings,
    remove_matching,
    sections_named_by_rules,
)
from rori_spiders.corpus.site_rules import CleaningRules, name_matching_rule

#: Flag: needs review, because the page varies by visitor or does not show all of its content.
NEEDS_VARIANT_REVIEW = "needs_variant_review"


@dataclass(frozen=True, slots=True)
class Removal:
    """A removed block: ``text`` is ``body[start:end]`` of the original body.

    ``binds``: what in it binds; only where a person's rule names the block or its section.
    """

    operation: str
    rule: str
    text: str
    start: int
    end: int
    binds: str | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    """A repaired block: ``before`` is ``body[start:end]`` of the original body; ``after`` has the same words."""

    operation: str
    rule: str
    before: str
    after: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ReviewFlag:
    """A review flag of docs/explanation/corpus.md, with the evidence."""

    name: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A cleaned body. ``document``: the PDF that is the content where the page is only its stub: fetch that instead."""

    body: str
    removals: tuple[Removal, ...] = ()
    repairs: tuple[Repair, ...] = ()
    flags: tuple[ReviewFlag, ...] = ()
    document: str | None = None


# What makes a page one for a person: one visit shows one variant of it, or not all that it has. Seen, never mended.
# In: the cleaned blocks. Out: flags, each with its evidence. A flag requires a review; its absence proves nothing.

_AMOUNT = re.compile(r"[$€£¥]\s?\d|\d\s?(?:USD|EUR|GBP)\b")
_PERIODS = (re.compile(r"\bmonth(?:ly)?\b", re.IGNORECASE), re.compile(r"\b(?:annual(?:ly)?|yearly)\b", re.IGNORECASE))
#: Words on a switch ("Monthly", "Pay annually and save"); sentences about billing have more.
_SWITCH_WORDS = 6
_CALCULATOR = re.compile(r"\b(?:calculator|estimator|simulator)s?\b", re.IGNORECASE)
_TEMPLATE = re.compile(r"\{\{[^{}\n]{1,80}\}\}")
_WAITING = re.compile(
    r"(?:loading|please wait)(?: \w+)?[.… ]*$|.{0,40}\b(?:enable|turn on) java ?script\b", re.IGNORECASE
)
_WAITING_WORDS = 25
#: Of 755 pages 422 have a table with a column without a name: bars of links, labels with their values. 17 have one
#: with so many rows and a third column.
_TABLE_ROWS = 3
#: Headings without anything below them: so many, and such a share of all.
_EMPTY_LEAST, _EMPTY_SHARE = 3, 0.5


def find_review_flags(blocks: Sequence[Block], page: CleaningPage) -> Iterator[ReviewFlag]:
    """Return the page's flags in a fixed order, with ``needs_variant_review`` last if the site rules ask for it."""
    tests = (
        ("contains_pricing_toggle", _find_pricing_toggle(blocks)),
        ("contains_calculator", _find_calculator(blocks, page)),
        ("has_query_driven_prices", _find_query_variant(blocks, page)),
        ("has_table_with_missing_headers", _find_table_without_headers(blocks)),
        ("lost_content", _find_missing_content(blocks)),
    )
    found = [ReviewFlag(name, evidence[:300]) for name, evidence in tests if evidence]
    yield from found
    if flags := [one.name for one in found if one.name in page.rules.flag_for_review_when]:
        yield ReviewFlag(NEEDS_VARIANT_REVIEW, ", ".join(flags))


def _find_pricing_toggle(blocks: Sequence[Block]) -> str | None:
    if not _has_amounts(blocks):
        return None
    seen = [
        visible_text(block.text) for block in blocks if block.kind in {"paragraph", "item"} and len(block.text) < 200
    ]
    switches = [one.text for one in seen if one.words <= _SWITCH_WORDS and not _AMOUNT.search(one.text)]
    found = [next((text for text in switches if period.search(text)), None) for period in _PERIODS]
    return " / ".join(dict.fromkeys(filter(None, found))) if all(found) else None


def _find_calculator(blocks: Sequence[Block], page: CleaningPage) -> str | None:
    names = [page.title, *(line_text(block) for block in blocks if block.kind == "heading" and block.level <= 2)]
    named = next((name for name in names if _CALCULATOR.search(name)), None)
    last = urlsplit(page.url).path.rstrip("/").rpartition("/")[2].replace("-", " ").replace("_", " ")
    return named or (last if _CALCULATOR.search(last) else None)


def _find_query_variant(blocks: Sequence[Block], page: CleaningPage) -> str | None:
    """Find prices that depend on the query: amounts, and a link to the same page with another query."""
    if not _has_amounts(blocks):
        return None
    own = urlsplit(page.url)
    targets = (target for block in blocks if "?" in block.text for target in visible_text(block.text).targets)
    for target in targets:
        try:
            other = urlsplit(target)
        except ValueError:
            continue
        if other.query and other.query != own.query and (other.netloc, other.path) == (own.netloc, own.path):
            return target
    return page.url if own.query else None


def _has_amounts(blocks: Sequence[Block]) -> bool:
    return any(_AMOUNT.search(block.text) for block in blocks)


def _find_table_without_headers(blocks: Sequence[Block]) -> str | None:
    """Return the first row of a table that has a column with entries but without a title.

    The first column needs none, a table of labels and values neither, nor one of a row or two: they are bars of links.
    """
    for block in blocks:
        if block.kind != "table":
            continue
        head, _, *rows = (cells_of(line) for line in [*block.text.split("\n"), "", ""])
        rows = [row for row in rows if any(row)]
        filled = {at for row in rows for at, cell in enumerate(row) if cell}
        unnamed = any(at >= len(head) or not head[at] for at in filled if at > 0)
        if unnamed and len(rows) >= _TABLE_ROWS and max(filled) > 1:
            return " | ".join(rows[0])
    return None


def _find_missing_content(blocks: Sequence[Block]) -> str | None:
    for block in blocks:
        if block.kind not in {"paragraph", "item", "heading"} or len(block.text) > 2_000:
            continue
        if found := _TEMPLATE.search(block.text):
            return found[0]
        seen = visible_text(line_text(block))
        if seen.words <= _WAITING_WORDS and _WAITING.match(seen.text):
            return seen.text
    headings = [at for at, block in enumerate(blocks) if block.kind == "heading"]
    empty = [at for at in headings if at + 1 == len(blocks) or _follows_immediately(blocks, at)]
    if len(empty) >= _EMPTY_LEAST and len(empty) >= _EMPTY_SHARE * len(headings):
        return f"{len(empty)} of {len(headings)} headings have nothing below them"
    return None


def _follows_immediately(blocks: Sequence[Block], at: int) -> bool:
    return blocks[at + 1].kind == "heading" and blocks[at + 1].level <= blocks[at].level


# A page that only leads to a document: the document is the content. Here it is found, and its text put below the
# page's own; others fetch it.

#: Words of a page beside its links and headings, and in links. Of 755 pages 19 lead to one PDF: two meetings with
#: their minutes have 20 and 29 words of their own; a mission statement with its source, which is no stub, has 50.
STUB_WORDS, LINK_WORDS = 40, 40
_ENDING = ".pdf"
_LOWEST = 6


def linked_document(blocks: Sequence[Block]) -> str | None:
    """Return the one PDF that a page without text of its own links to; None for any other page.

    With several, nobody can tell which is meant: then the page is a list of them.
    """
    targets: dict[str, None] = {}
    words = link_words = 0
    for block in blocks:
        if block.kind in {"table", "code"}:
            return None
        seen = visible_text(block.text)
        targets |= dict.fromkeys(target.partition("#")[0] for target in seen.targets if is_pdf(target))
        if block.kind != "heading" and chrome_kind(block) is None:
            words += seen.words - seen.link_words
        link_words += seen.link_words
        if words > STUB_WORDS or link_words > LINK_WORDS or len(targets) > 1:
            return None
    return next(iter(targets), None)


def append_document(body: str, document: str) -> str:
    """Append the text of *document* to *body*, with its headings below the page's."""
    text = document.strip("\n")
    blocks = parse_blocks(text)
    if any(block.level == 1 for block in blocks):
        # Of the lowest level nothing is lower: two levels become one there.
        lower = [replace(block, text=f"#{block.text}") if 0 < block.level < _LOWEST else block for block in blocks]
        text = join_blocks(lower, text)
    return f"{body.strip()}\n\n{text}\n"


def is_pdf(target: str) -> bool:
    """Return whether *target* is the URL of a PDF."""
    try:
        return urlsplit(target).path.lower().endswith(_ENDING)
    except ValueError:
        return False


#: Repairs first: a question that became a heading may be one that a rule names.
_OPERATIONS: tuple[tuple[str, Operation], ...] = (
    ("join_labels", join_labels),
    ("promote_questions", promote_questions),
    ("drop_sections", drop_sections),
    ("remove_matching", remove_matching),
    ("remove_boilerplate", remove_boilerplate),
)
#: One operation may make room for another; real pages are done after two rounds.
_MAX_ROUNDS = 20


def clean_body(
    body: str, *, url: str, title: str, rules: CleaningRules, boilerplate: Boilerplate = NO_BOILERPLATE
) -> Draft:
    """*body* without what the rules leave out and what counting tells. *url*: as ``normalise_url`` spells it."""
    page = CleaningPage(url, title, rules, boilerplate)
    work = _CleaningState(body)
    for _ in range(_MAX_ROUNDS):
        done = work.changes
        for name, operation in _OPERATIONS:
            work.apply(name, operation(work.blocks, page))
        if work.changes == done:
            # Only the remaining blocks: the first of two duplicates may be in a section that is removed.
            work.apply("remove_duplicates", remove_duplicates(work.blocks, page))
        work.apply("remove_empty_headings", remove_empty_headings(work.original_blocks, work.blocks, page))
        if work.changes == done:
            break
    document = linked_document(work.blocks)
    leads = [ReviewFlag("leads_to_document", document)] if document else []
    flags = (*_flag_rule_conflicts(work, page), *leads, *find_review_flags(work.blocks, page))
    return Draft(work.body, work.removals, work.repairs, flags, document)


class _CleaningState:
    """The current blocks and the changes so far. Offsets refer to the original body."""

    def __init__(self, body: str) -> None:
        self._original = body
        self.original_blocks: Sequence[Block] = parse_blocks(body)
        self.blocks: Sequence[Block] = self.original_blocks
        self.changes = 0
        self._gone: list[Removal] = []
        self._put: dict[int, Repair] = {}

    @property
    def body(self) -> str:
        return join_blocks(self.blocks, self._original) if self.changes else self._original

    @property
    def removals(self) -> tuple[Removal, ...]:
        return tuple(sorted(self._gone, key=lambda one: one.start))

    @property
    def repairs(self) -> tuple[Repair, ...]:
        left = {block.start for block in self.blocks}
        return tuple(self._put[start] for start in sorted(self._put) if start in left)

    def apply(self, operation: str, changes: Iterable[BlockChange]) -> None:
        """Apply the changes of an operation; its indexes refer to the current blocks."""
        blocks: list[Block | None] = list(self.blocks)
        found = list(changes)
        for change in found:
            if isinstance(change, RemoveBlock):
                self._remove(operation, change)
                blocks[change.at] = None
                continue
            new = change.block
            before = self._original[new.start : new.end]
            self._put[new.start] = Repair(operation, change.rule, before, new.text, new.start, new.end)
            blocks[change.at : change.at + change.count] = [new, *[None] * (change.count - 1)]
        self.changes += len(found)
        if found:
            self.blocks = [block for block in blocks if block is not None]

    def _remove(self, operation: str, gone: RemoveBlock) -> None:
        block = self.blocks[gone.at]
        text = self._original[block.start : block.end]
        self._gone.append(Removal(operation, gone.rule, text, block.start, block.end, gone.binds))


def _flag_rule_conflicts(work: _CleaningState, page: CleaningPage) -> Iterator[ReviewFlag]:
    """Flag conflicts of rules and text: named blocks that were kept, binding text that was removed."""
    for at, words in blocks_named_by_rules(work.blocks, page):
        is_acknowledged = name_matching_rule(words) in page.rules.acknowledged
        if not is_acknowledged and (why := reason_to_keep(work.blocks[at], words, page)):
            yield ReviewFlag("rule_kept_block", f"{words!r}: {why}: {work.blocks[at].text[:200]}")
    for at, section in sections_named_by_rules(work.blocks, page):
        if section.name not in page.rules.acknowledged and not can_drop_section(work.blocks, at):
            yield ReviewFlag("rule_kept_section", section.heading)
    for removal in work.removals:
        if removal.binds and removal.rule not in page.rules.acknowledged:
            yield ReviewFlag("rule_removed_what_binds", f"{removal.binds}: {removal.text[:200]}")
