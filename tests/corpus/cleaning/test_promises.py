"""What cleaning promises of every text: nothing altered, nothing lost in silence, nothing done twice."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from rori_spiders.corpus.cleaning.blocks import parse_blocks
from rori_spiders.corpus.cleaning.boilerplate import binding_reason, count_boilerplate
from rori_spiders.corpus.cleaning.cleaner import clean_body
from rori_spiders.corpus.site_rules import CleaningRules, DroppedSection
from tests.support.cases import cases

if TYPE_CHECKING:
    from rori_spiders.corpus.cleaning.cleaner import Draft

URL = "https://www.example.com/blog/a"
PIECES = (
    "# Title", "## Related articles", "### Related articles", "## FAQ", "#### Who pays?", "What is it?",
    "**What is it?**", "**Who must pay?**", "Related articles", "Book a demo", "Book a demo.", "Book a demo by May 3",
    "- Book a demo", "- [Home](https://www.example.com/)", "[Home](https://www.example.com/)", "Learn more",
    "The lender must not pay $1,000.", "The lender gives:", "Industry", "Industry:", "Banking", "Industry: Banking",
    "1. Book a demo", "2. Pay", "| Book a demo | 5 |", "| --- | --- |", "> Book a demo", "<del>", "</del>", "```",
    "  indented", "---", "Files of loans are kept in one place by us.", "", "", "", "", "", "",
)  # fmt: skip
TEXTS = some.lists(some.sampled_from(PIECES), max_size=30).map("\n".join)
AUTOMATIC = CleaningRules(promote_faq_questions=True, label_values=("Industry",))
NAMED = CleaningRules(
    promote_faq_questions=True,
    label_values=("Industry",),
    remove_blocks_matching=("book a demo", "related"),
    drop_sections=(
        DroppedSection(heading="Related articles", when_path_matches="/blog/"),
        DroppedSection(heading="Who pays?"),
        DroppedSection(heading="What is it?"),
    ),
)
COUNTED = count_boilerplate(
    (f"https://www.example.com/{at}", "[Home](https://www.example.com/)\n\n- [Home](https://www.example.com/)\n")
    for at in range(9)
)


def cleaned(text: str, rules: CleaningRules) -> Draft:
    return clean_body(text, url=URL, title="", rules=rules, boilerplate=COUNTED)


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


@settings(max_examples=150, deadline=None)
@given(TEXTS, some.sampled_from([AUTOMATIC, NAMED]))
def test_cleaning_clean_text_is_unchanged(text: str, rules: CleaningRules) -> None:
    once = cleaned(text, rules)
    twice = cleaned(once.body, rules)
    assert (twice.body, twice.removals, twice.repairs) == (once.body, (), ())


@settings(max_examples=150, deadline=None)
@given(TEXTS, some.sampled_from([AUTOMATIC, NAMED]))
def test_cleaning_every_word_stays_or_is_listed_as_removed(text: str, rules: CleaningRules) -> None:
    draft = cleaned(text, rules)
    assert words(text) == words(draft.body) + sum((words(one.text) for one in draft.removals), Counter())
    assert all(text[one.start : one.end] == one.text for one in draft.removals)
    ends = [(one.start, one.end) for one in draft.removals]
    assert all(end <= start for (_, end), (start, _) in pairwise(ends))


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_cleaning_binding_text_goes_by_site_rule_only(text: str) -> None:
    draft = cleaned(text, AUTOMATIC)
    assert [one for one in draft.removals if binding_reason(one.text)] == []
    tables = [block.text for block in parse_blocks(text) if block.kind in {"table", "code", "numbered"}]
    assert tables == [block.text for block in parse_blocks(draft.body) if block.kind in {"table", "code", "numbered"}]


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_cleaning_binding_block_goes_only_when_rule_covers_it(text: str) -> None:
    """A block goes with what binds in it only where the rule's words are all of it, or its section is named."""
    for one in cleaned(text, NAMED).removals:
        assert one.binds == binding_reason(one.text) or one.binds is None
        assert not one.binds or one.operation in {"drop_sections", "remove_matching"}
        assert "$1,000" not in one.text or one.operation == "drop_sections"


REAL = sorted((Path(__file__).parents[2] / "content" / "fixtures").glob("*/expected.md"))


@cases("path", REAL, ids=lambda path: path.parent.name)
def test_cleaning_real_law_and_agency_texts_are_unchanged(path: Path) -> None:
    body = path.read_text()
    draft = clean_body(body, url="https://www.example.gov/a", title="", rules=CleaningRules())
    assert (draft.body, draft.removals, draft.repairs) == (body, (), ())


@pytest.mark.slow
@cases(
    "text",
    [
        "**What?**\n\n" * 3_000, "- [a](b)\n" * 5_000, "[" * 20_000, "# A\n\n" * 5_000, "*" * 20_000, "\\" * 20_001,
        "> " * 9_000, "- we keep all of the files in one place\n" * 5_000,
    ],
)  # fmt: skip
def test_cleaning_adversarial_texts_end(text: str) -> None:
    rules = NAMED
    assert cleaned(cleaned(text, rules).body, rules).removals == ()
