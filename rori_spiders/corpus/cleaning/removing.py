"""What is left out: sections and blocks that a person's rule names; calls to action and links that repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.corpus.cleaning.binding import binds
from rori_spiders.corpus.cleaning.blocks import line_of, opens_what_it_closes, section_end
from rori_spiders.corpus.cleaning.boilerplate import units_of
from rori_spiders.corpus.cleaning.chrome import chrome_of, follows_a_lead
from rori_spiders.corpus.cleaning.page import Gone, has_words, is_words
from rori_spiders.corpus.cleaning.visible import folded, visible
from rori_spiders.manifest.scope import Glob
from rori_spiders.urls.canonical import path_and_query

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rori_spiders.corpus.cleaning.blocks import Block
    from rori_spiders.corpus.cleaning.page import Page
    from rori_spiders.corpus.cleaning.rules import DroppedSection

#: A longer block with a rule's words in it says more than these: it stays, and is shown. Five times the longest call to
#: action of 755 pages.
LONG_WORDS = 60
#: Shorter paragraphs are rightly said twice ("Reserved.", "Same as above.").
TWICE_WORDS = 8
_BY_WORDS = frozenset({"paragraph", "item", "numbered", "quote"})


# --- sections that a rule names ------------------------------------------------------------------------------------


def drop_sections(blocks: Sequence[Block], page: Page) -> Iterator[Gone]:
    """The blocks of sections that site rules drop; of a section in a dropped one the outer rule is told."""
    done = 0
    for at, rule in named_sections(blocks, page):
        end = section_end(blocks, at)
        if at < done or not may_be_dropped(blocks, at):
            continue
        done = end
        for number in range(at, end):
            yield Gone(number, f"drop_sections: {rule.heading}", binds(blocks[number].text))


def named_sections(blocks: Sequence[Block], page: Page) -> Iterator[tuple[int, DroppedSection]]:
    """Numbers of headings that a rule names on this page."""
    rules = [rule for rule in page.rules.drop_sections if _on_path(rule.when_path_matches, page.url)]
    for at, block in enumerate(blocks):
        if block.kind == "heading" and rules:
            rule = next((one for one in rules if is_words(line_of(block), one.heading)), None)
            if rule is not None:
                yield at, rule


def may_be_dropped(blocks: Sequence[Block], at: int) -> bool:
    """Whether anything is left without the section, and no mark of struck out or new text would lose its twin."""
    end = section_end(blocks, at)
    return end - at < len(blocks) and opens_what_it_closes(blocks[at:end])


def _on_path(pattern: str | None, url: str) -> bool:
    if pattern is None:
        return True
    return Glob(f"{pattern}*" if pattern.endswith("/") else pattern).matches(path_and_query(url))


# --- blocks that a rule names --------------------------------------------------------------------------------------


def remove_matching(blocks: Sequence[Block], page: Page) -> Iterator[Gone]:
    """Blocks with words of a rule, unless they say more that matters."""
    for at, words in named_blocks(blocks, page):
        if why_kept(blocks[at], words) is None:
            yield Gone(at, f"remove_blocks_matching: {words}", binds(blocks[at].text))


def named_blocks(blocks: Sequence[Block], page: Page) -> Iterator[tuple[int, str]]:
    """Numbers of blocks that have the words of a rule, with the words; those that are all of the block go first."""
    rules = page.rules.remove_blocks_matching
    for at, block in enumerate(blocks):
        if not rules or block.kind not in _BY_WORDS or page.is_kept(block):
            continue
        found = [words for words in rules if has_words(block.text, words)]
        if found:
            yield at, next((words for words in found if is_words(block.text, words)), found[0])


def why_kept(block: Block, words: str) -> str | None:
    """Why *block*, which has the *words* of a rule, stays all the same."""
    if is_words(block.text, words):
        return None
    if (what := binds(block.text)) is not None:
        return f"it has more than these words, and in it: {what}"
    if visible(block.text).words > LONG_WORDS:
        return f"it has {visible(block.text).words} words"
    return None


# --- what repeats --------------------------------------------------------------------------------------------------


def remove_boilerplate(blocks: Sequence[Block], page: Page) -> Iterator[Gone]:
    """What steers, and stands on a large share of the site's pages."""
    if not page.rules.remove_boilerplate or not page.boilerplate.pages:
        return
    for unit in units_of(blocks):
        share = page.boilerplate.share(unit, page.url)
        if not share or follows_a_lead(blocks, unit.start) or any(map(page.is_kept, blocks[unit.start : unit.end])):
            continue
        for at in range(unit.start, unit.end):
            yield Gone(at, f"boilerplate: {unit.chrome}, on {share:.0%} of the site's pages")


def remove_duplicates(blocks: Sequence[Block], page: Page) -> Iterator[Gone]:
    """Further ones of calls to action; and what is said twice with nothing in between.

    Nothing else: on real pages the same words stand below two cases as their outcome, below two stations as their
    lines, in two lists as their member.
    """
    if not page.rules.remove_duplicates:
        return
    texts = [folded(block.text) for block in blocks]
    seen: set[str] = set()
    for at, block in enumerate(blocks):
        is_action = block.kind == "paragraph" and chrome_of(block) == "call to action"
        again = (is_action and texts[at] in seen) or (at > 0 and texts[at] == texts[at - 1] and _tells_once(block))
        if again and not page.is_kept(block) and not follows_a_lead(blocks, at):
            yield Gone(at, "duplicate: the same block stands above")
        if is_action:
            seen.add(texts[at])


def _tells_once(block: Block) -> bool:
    if block.kind not in {"paragraph", "item"} or block.changed or len(block.text) > 20_000:
        return False
    seen = visible(block.text)
    return seen.words >= TWICE_WORDS and not seen.text.endswith(":") and binds(block.text) is None


def remove_empty_headings(before: Sequence[Block], after: Sequence[Block]) -> Iterator[Gone]:
    """Numbers in *after* of headings that had something below them in *before*, and nothing now. Not the first one."""
    was_full = {block.start for at, block in enumerate(before) if _is_full(before, at)}
    first = next((block.start for block in before if block.kind == "heading"), None)
    for at, block in enumerate(after):
        lost = block.kind == "heading" and block.start in was_full and not _is_full(after, at)
        if lost and block.start != first and not block.changed and binds(line_of(block)) is None:
            yield Gone(at, "nothing is left below this heading")


def _is_full(blocks: Sequence[Block], at: int) -> bool:
    """Whether the heading has anything below it before the next of its level: headings further down count."""
    return blocks[at].kind == "heading" and section_end(blocks, at) > at + 1
