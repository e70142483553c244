"""The operations of cleaning. Each takes the blocks of a page and yields changes: blocks to remove, blocks to
replace.  Removed: sections and blocks that a site rule names; calls to action and link lists that repeat.
Repaired: FAQ questions as headings, labels with their values. No word is changed.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from rori_spiders.corpus.cleaning.blocks import (
    Block,
    fold_text,
    has_balanced_tags,
    line_text,
    section_end,
    visible_text,
)
from rori_spiders.corpus.cleaning.boilerplate import (
    NO_BOILERPLATE,
    Boilerplate,
    binding_reason,
    chrome_kind,
    follows_lead_sentence,
    units_of,
)
from rori_spiders.corpus.documents.titles import names_with_figures, without_figures_of
from rori_spiders.corpus.site_rules import CleaningRules, DroppedSection, name_matching_rule
from rori_spiders.manifest.scope import Glob
from rori_spiders.urls.canonical import path_and_query


@dataclass(frozen=True)
class CleaningPage:
    """One page: ``url`` as ``normalise_url`` spells it."""

    url: str
    title: str
    rules: CleaningRules = field(default_factory=CleaningRules)
    boilerplate: Boilerplate = NO_BOILERPLATE

    def is_kept(self, block: Block) -> bool:
        """Return whether a site rule keeps the block."""
        return any(has_words(block.text, words) for words in self.rules.keep_blocks_matching)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return names_with_figures(self.title)

    def binding_reason(self, text: str) -> str | None:
        """What in *text* binds, beside a figure of the page's own title, which stays ("Routing 2.0")."""
        what = binding_reason(text)
        return binding_reason(without_figures_of(text, self._names)) if what == "figure" and self._names else what


@dataclass(frozen=True, slots=True)
class RemoveBlock:
    """Remove the block at index ``at``, because of ``rule``."""

    at: int
    rule: str
    binds: str | None = None


@dataclass(frozen=True, slots=True)
class ReplaceBlocks:
    """Replace ``count`` blocks from index ``at`` by ``block``, which has the same words."""

    at: int
    count: int
    block: Block
    rule: str


BlockChange = RemoveBlock | ReplaceBlocks
Operation = Callable[[Sequence[Block], CleaningPage], Iterable[BlockChange]]


def has_words(text: str, words: str) -> bool:
    """Return whether the visible text has *words*, as whole words; in linear time."""
    seen, looked_for = fold_text(visible_text(text).text), fold_text(words)
    at = seen.find(looked_for)
    while at >= 0:
        before, after = seen[at - 1 : at], seen[at + len(looked_for) : at + len(looked_for) + 1]
        starts = not before.isalnum() or not looked_for[0].isalnum()
        if starts and (not after.isalnum() or not looked_for[-1].isalnum()):
            return True
        at = seen.find(looked_for, at + 1)
    return False


def equals_words(text: str, words: str) -> bool:
    """Return whether the visible text is *words* alone, apart from punctuation at the end."""
    return fold_text(visible_text(text).text).rstrip(" .:!") == fold_text(words).rstrip(" .:!")


# What is left out: sections and blocks that a person's rule names; calls to action and links that repeat.

#: A longer block with a rule's words in it says more than these: it stays, and is shown. Five times the longest call to
#: action of 755 pages.
LONG_WORDS = 60
#: Shorter paragraphs are rightly said twice ("Reserved.", "Same as above.").
TWICE_WORDS = 8
_BY_WORDS = frozenset({"paragraph", "item", "numbered", "quote"})


# --- sections that a rule names ------------------------------------------------------------------------------------


def drop_sections(blocks: Sequence[Block], page: CleaningPage) -> Iterator[RemoveBlock]:
    """Remove the sections that site rules drop; for nested ones the outer rule is recorded."""
    done = 0
    for at, rule in sections_named_by_rules(blocks, page):
        end = section_end(blocks, at)
        if at < done or not can_drop_section(blocks, at):
            continue
        done = end
        for number in range(at, end):
            yield RemoveBlock(number, rule.name, page.binding_reason(blocks[number].text))


def sections_named_by_rules(blocks: Sequence[Block], page: CleaningPage) -> Iterator[tuple[int, DroppedSection]]:
    """Return the indexes of headings that a rule names on this page."""
    rules = [rule for rule in page.rules.drop_sections if _matches_path(rule.when_path_matches, page.url)]
    for at, block in enumerate(blocks):
        if block.kind == "heading" and rules:
            rule = next((one for one in rules if equals_words(line_text(block), one.heading)), None)
            if rule is not None:
                yield at, rule


def can_drop_section(blocks: Sequence[Block], at: int) -> bool:
    """Return whether text remains without the section, and no inserted or struck-out tag loses its counterpart."""
    end = section_end(blocks, at)
    return end - at < len(blocks) and has_balanced_tags(blocks[at:end])


def _matches_path(pattern: str | None, url: str) -> bool:
    if pattern is None:
        return True
    return Glob(f"{pattern}*" if pattern.endswith("/") else pattern).matches(path_and_query(url))


# --- blocks that a rule names --------------------------------------------------------------------------------------


def remove_matching(blocks: Sequence[Block], page: CleaningPage) -> Iterator[RemoveBlock]:
    """Remove blocks with the words of a rule, unless they have other important text."""
    for at, words in blocks_named_by_rules(blocks, page):
        if reason_to_keep(blocks[at], words, page) is None:
            yield RemoveBlock(at, name_matching_rule(words), page.binding_reason(blocks[at].text))


def blocks_named_by_rules(blocks: Sequence[Block], page: CleaningPage) -> Iterator[tuple[int, str]]:
    """Return the indexes of blocks with a rule's words, with these words; exact matches first."""
    rules = page.rules.remove_blocks_matching
    for at, block in enumerate(blocks):
        if not rules or block.kind not in _BY_WORDS or page.is_kept(block):
            continue
        found = [words for words in rules if has_words(block.text, words)]
        if found:
            yield at, next((words for words in found if equals_words(block.text, words)), found[0])


def reason_to_keep(block: Block, words: str, page: CleaningPage) -> str | None:
    """Return why *block* is kept although it has the *words* of a rule; None to remove it."""
    if equals_words(block.text, words):
        return None
    if (what := page.binding_reason(block.text)) is not None:
        return f"the block has other words, including: {what}"
    if visible_text(block.text).words > LONG_WORDS:
        return f"the block has {visible_text(block.text).words} words"
    return None


# --- what repeats --------------------------------------------------------------------------------------------------


def remove_boilerplate(blocks: Sequence[Block], page: CleaningPage) -> Iterator[RemoveBlock]:
    """Remove navigation that occurs on a large share of the site's pages."""
    if not page.rules.remove_boilerplate or not page.boilerplate.pages:
        return
    for unit in units_of(blocks):
        share = page.boilerplate.share(unit, page.url)
        if (
            not share
            or follows_lead_sentence(blocks, unit.start)
            or any(map(page.is_kept, blocks[unit.start : unit.end]))
        ):
            continue
        for at in range(unit.start, unit.end):
            yield RemoveBlock(at, f"boilerplate: {unit.chrome}, on {share:.0%} of the site's pages")


def remove_duplicates(blocks: Sequence[Block], page: CleaningPage) -> Iterator[RemoveBlock]:
    """Remove repeated calls to action, and blocks repeated directly after each other.

    Nothing else: on real pages the same words stand below two cases as their outcome, below two stations as their
    lines, in two lists as their member.
    """
    if not page.rules.remove_duplicates:
        return
    texts = [fold_text(block.text) for block in blocks]
    seen: set[str] = set()
    for at, block in enumerate(blocks):
        is_action = block.kind == "paragraph" and chrome_kind(block) == "call to action"
        again = (is_action and texts[at] in seen) or (
            at > 0 and texts[at] == texts[at - 1] and _is_removable_duplicate(block)
        )
        if again and not page.is_kept(block) and not follows_lead_sentence(blocks, at):
            yield RemoveBlock(at, "duplicate of a block above")
        if is_action:
            seen.add(texts[at])


def _is_removable_duplicate(block: Block) -> bool:
    if block.kind not in {"paragraph", "item"} or block.changed or len(block.text) > 20_000:
        return False
    seen = visible_text(block.text)
    return seen.words >= TWICE_WORDS and not seen.text.endswith(":") and binding_reason(block.text) is None


def remove_empty_headings(before: Sequence[Block], after: Sequence[Block], page: CleaningPage) -> Iterator[RemoveBlock]:
    """Numbers in *after* of headings that had something below them in *before*, and nothing now. Not the first one."""
    was_full = {block.start for at, block in enumerate(before) if _has_content_below(before, at)}
    first = next((block.start for block in before if block.kind == "heading"), None)
    for at, block in enumerate(after):
        lost = block.kind == "heading" and block.start in was_full and not _has_content_below(after, at)
        if lost and block.start != first and not block.changed and page.binding_reason(line_text(block)) is None:
            yield RemoveBlock(at, "no text is left below this heading")


def _has_content_below(blocks: Sequence[Block], at: int) -> bool:
    """Whether the heading has anything below it before the next of its level: headings further down count."""
    return blocks[at].kind == "heading" and section_end(blocks, at) > at + 1


# What a CMS took apart, put together: questions of FAQs as headings, labels with their values. No word is changed.

#: A longer question is a paragraph that ends with one.
QUESTION_WORDS = 30
#: One question in a section is rhetoric; FAQs have several.
LEAST_QUESTIONS = 2
#: The chunker of the index cuts at headings down to this level.
QUESTION_LEVEL = 3
_VALUE_WORDS = 15
_BOLD = re.compile(r"(\*\*|__)(?=\S)((?:[^*_\\\n]|\\.)+)(?<=\S)\1$")
_FAQ = re.compile(
    r"\bfaqs?\b|\bfrequently asked\b|\bcommon questions\b|\bquestions (?:and|&) answers\b|\bq ?& ?a\b", re.IGNORECASE
)


# --- questions -----------------------------------------------------------------------------------------------------


def promote_questions(blocks: Sequence[Block], page: CleaningPage) -> Iterator[ReplaceBlocks]:
    """Turn questions alone on a line, with an answer below, into headings: level 3, or one below their section's."""
    if not page.rules.promote_faq_questions:
        return
    places = list(_heading_contexts(blocks))
    parents = [parent for parent, _ in places]
    questions = {at for at, block in enumerate(blocks) if _is_question(block, in_faq=places[at][1])}
    several = Counter(parents[at] for at in questions)
    for at in sorted(questions):
        block, parent = blocks[at], parents[at]
        level = max(QUESTION_LEVEL, blocks[parent].level + 1) if parent >= 0 else QUESTION_LEVEL
        is_new = block.kind != "heading" or block.level > level
        if is_new and level <= 6 and several[parent] >= LEAST_QUESTIONS and _is_answered(blocks, at, questions):
            text = f"{'#' * level} {_strip_bold(block)}"
            yield ReplaceBlocks(at, 1, replace(block, kind="heading", level=level, text=text), "promote_faq_questions")


def _heading_contexts(blocks: Sequence[Block]) -> Iterator[tuple[int, bool]]:
    """For each block the last heading that asks nothing, or -1; and whether that one, or one above it, says FAQ."""
    parent, path = -1, list[tuple[int, bool]]()
    for number, block in enumerate(blocks):
        if block.kind == "heading" and not visible_text(line_text(block)).text.endswith("?"):
            parent = number
            path = [one for one in path if one[0] < block.level]
            path.append((block.level, _FAQ.search(line_text(block)) is not None))
        yield parent, any(is_faq for _, is_faq in path)


def _is_question(block: Block, *, in_faq: bool) -> bool:
    if block.kind not in {"paragraph", "heading"} or block.changed or "\n" in block.text:
        return False
    seen = visible_text(line_text(block))
    if not seen.text.endswith("?") or seen.words > QUESTION_WORDS or seen.words < 2:
        return False
    return in_faq or (block.kind == "paragraph" and _BOLD.match(block.text) is not None)


def _is_answered(blocks: Sequence[Block], at: int, questions: set[int]) -> bool:
    return at + 1 < len(blocks) and at + 1 not in questions and blocks[at + 1].kind not in {"heading", "rule", "tag"}


def _strip_bold(block: Block) -> str:
    line = line_text(block)
    found = _BOLD.match(line)
    return found[2] if found else line


# --- labels --------------------------------------------------------------------------------------------------------


def join_labels(blocks: Sequence[Block], page: CleaningPage) -> Iterator[ReplaceBlocks]:
    """Join labels that a rule names, alone on a line, with the line below: "Industry: Health care"."""
    done = 0
    for at in range(len(blocks) - 1):
        name = _label_text(blocks[at], page)
        value = blocks[at + 1]
        if at < done or name is None or not _is_value(value, page):
            continue
        done = at + 2
        label = blocks[at].text.strip()
        colon = "" if visible_text(label).text.endswith(":") else ":"
        both = replace(blocks[at], text=f"{label}{colon} {value.text.strip()}", end=value.end)
        yield ReplaceBlocks(at, 2, both, f"label_values: {name}")


def _label_text(block: Block, page: CleaningPage) -> str | None:
    if block.kind != "paragraph" or block.changed or "\n" in block.text:
        return None
    return next((name for name in page.rules.label_values if equals_words(block.text, name)), None)


def _is_value(block: Block, page: CleaningPage) -> bool:
    if block.kind != "paragraph" or block.changed or "\n" in block.text or _label_text(block, page) is not None:
        return False
    seen = visible_text(block.text)
    has_own_label = any(equals_words(seen.text.partition(":")[0], name) for name in page.rules.label_values)
    return 0 < seen.words <= _VALUE_WORDS and not has_own_label and not seen.text.endswith((":", "?"))
