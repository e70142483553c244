"""Blocks: where each begins and ends, and that together they are the text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as some

from rori_spiders.corpus.cleaning.blocks import join_blocks, parse_blocks, section_end
from tests.support.cases import cases

PIECES = (
    "# A", "## B", "####### no heading", "#no", "Words.", "More words,", "- item", "* other", "1. first", "2) second",
    "  indented", "    far", "| a | b |", "| --- | --- |", "> quoted", "```", "~~~", "<pre>", "</pre>", "<del>",
    "</del>", "---", "***", ": defined", "", "", "\\- no item", "\t", "é\u2028x", "|",
)  # fmt: skip
TEXTS = some.lists(some.sampled_from(PIECES), max_size=25).map("\n".join)


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_parse_blocks_joined_give_the_text(text: str) -> None:
    blocks = parse_blocks(text)
    assert join_blocks(blocks, text) == (text if blocks else "")
    assert all(text[block.start : block.end] == block.text for block in blocks)


@settings(max_examples=150, deadline=None)
@given(TEXTS, some.lists(some.booleans(), min_size=25, max_size=25))
def test_parse_blocks_of_remaining_text_are_the_same(text: str, stays: list[bool]) -> None:
    blocks = parse_blocks(text)
    # Headings, code and what stands between stay, as in cleaning: only what may go goes.
    left = [one for at, one in enumerate(blocks) if one.kind not in {"paragraph", "item"} or stays[at]]
    again = parse_blocks(join_blocks(left, text))
    assert "".join(one.text for one in again) == "".join(one.text for one in left)


@cases(
    ("text", "kinds"),
    [
        ("# A\n\nOne\ntwo.\n\nThree.\n", ["heading", "paragraph", "paragraph"]),
        ("- one\n  - nested\n\n  more of one\n- two\n", ["item", "item"]),
        ("3. three\n4. four\n", ["numbered", "numbered"]),
        ("Lead:\n- one\n", ["paragraph", "item"]),
        ("Term\n: defined\n\n  further\n", ["paragraph"]),
        ("```\n# no heading\n\n- no item\n```\nText\n", ["code", "paragraph"]),
        ("<pre>\n# no heading\n\n</pre>\n", ["code"]),
        ("- item\n\n  ```\n# of the code\n  ```\n", ["item"]),
        ("| a |\n| --- |\n| 1 |\n\n| b |\n", ["table", "table"]),
        ("> one\n> two\n\nText\n", ["quote", "paragraph"]),
        ("<del>\n\nOld.\n\n</del>\n", ["tag", "paragraph", "tag"]),
        ("Text\n\n---\n\nText\n---\n", ["paragraph", "rule", "paragraph"]),
        ("```\nnever closed\n\n# so all is code\n", ["code"]),
    ],
)
def test_parse_blocks_kinds(text: str, kinds: list[str]) -> None:
    assert [block.kind for block in parse_blocks(text)] == kinds


def test_visible_text_struck_and_inserted_words() -> None:
    blocks = parse_blocks("A\n\n<del>\n\nB\n\n</del>\n\nC\n")
    assert [block.changed for block in blocks] == [False, True, True, True, False]


def test_join_blocks_list_stays_tight_blocks_stay_apart() -> None:
    text = "# A\n\nx\n\n- 1\n- 2\n- 3\n\ny\n"
    blocks = parse_blocks(text)
    assert join_blocks([blocks[0], blocks[2], blocks[4], blocks[5]], text) == "# A\n\n- 1\n- 3\n\ny\n"
    assert join_blocks([], text) == ""


def test_parse_blocks_section_ends_at_same_or_higher_level() -> None:
    blocks = parse_blocks("# A\n\n## B\n\n### C\n\nx\n\n## D\n\n# E\n")
    assert [section_end(blocks, at) for at in (0, 1, 2, 4, 5)] == [5, 4, 4, 5, 6]
