"""What a CMS took apart, put together: questions of FAQs as headings, labels with their values. No word is changed."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from rori_spiders.corpus.cleaning.blocks import line_of
from rori_spiders.corpus.cleaning.page import Put, is_words
from rori_spiders.corpus.cleaning.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rori_spiders.corpus.cleaning.blocks import Block
    from rori_spiders.corpus.cleaning.page import Page

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


def promote_questions(blocks: Sequence[Block], page: Page) -> Iterator[Put]:
    """Questions that stand alone, with an answer below, as headings: of level 3, or one below that of their section."""
    if not page.rules.promote_faq_questions:
        return
    places = list(_places(blocks))
    parents = [parent for parent, _ in places]
    questions = {at for at, block in enumerate(blocks) if _asks(block, in_faq=places[at][1])}
    several = Counter(parents[at] for at in questions)
    for at in sorted(questions):
        block, parent = blocks[at], parents[at]
        level = max(QUESTION_LEVEL, blocks[parent].level + 1) if parent >= 0 else QUESTION_LEVEL
        is_new = block.kind != "heading" or block.level > level
        if is_new and level <= 6 and several[parent] >= LEAST_QUESTIONS and _is_answered(blocks, at, questions):
            text = f"{'#' * level} {_bare(block)}"
            yield Put(at, 1, replace(block, kind="heading", level=level, text=text), "promote_faq_questions")


def _places(blocks: Sequence[Block]) -> Iterator[tuple[int, bool]]:
    """For each block the last heading that asks nothing, or -1; and whether that one, or one above it, says FAQ."""
    parent, path = -1, list[tuple[int, bool]]()
    for number, block in enumerate(blocks):
        if block.kind == "heading" and not visible(line_of(block)).text.endswith("?"):
            parent = number
            path = [one for one in path if one[0] < block.level]
            path.append((block.level, _FAQ.search(line_of(block)) is not None))
        yield parent, any(is_faq for _, is_faq in path)


def _asks(block: Block, *, in_faq: bool) -> bool:
    if block.kind not in {"paragraph", "heading"} or block.changed or "\n" in block.text:
        return False
    seen = visible(line_of(block))
    if not seen.text.endswith("?") or seen.words > QUESTION_WORDS or seen.words < 2:
        return False
    return in_faq or (block.kind == "paragraph" and _BOLD.match(block.text) is not None)


def _is_answered(blocks: Sequence[Block], at: int, questions: set[int]) -> bool:
    return at + 1 < len(blocks) and at + 1 not in questions and blocks[at + 1].kind not in {"heading", "rule", "tag"}


def _bare(block: Block) -> str:
    line = line_of(block)
    found = _BOLD.match(line)
    return found[2] if found else line


# --- labels --------------------------------------------------------------------------------------------------------


def join_labels(blocks: Sequence[Block], page: Page) -> Iterator[Put]:
    """Labels that a rule names, each alone on a line, with the line below: "Industry: Health care"."""
    done = 0
    for at in range(len(blocks) - 1):
        name = _label(blocks[at], page)
        value = blocks[at + 1]
        if at < done or name is None or not _is_value(value, page):
            continue
        done = at + 2
        label = blocks[at].text.strip()
        colon = "" if visible(label).text.endswith(":") else ":"
        both = replace(blocks[at], text=f"{label}{colon} {value.text.strip()}", end=value.end)
        yield Put(at, 2, both, f"label_values: {name}")


def _label(block: Block, page: Page) -> str | None:
    if block.kind != "paragraph" or block.changed or "\n" in block.text:
        return None
    return next((name for name in page.rules.label_values if is_words(block.text, name)), None)


def _is_value(block: Block, page: Page) -> bool:
    if block.kind != "paragraph" or block.changed or "\n" in block.text or _label(block, page) is not None:
        return False
    seen = visible(block.text)
    has_own_label = any(is_words(seen.text.partition(":")[0], name) for name in page.rules.label_values)
    return 0 < seen.words <= _VALUE_WORDS and not has_own_label and not seen.text.endswith((":", "?"))
