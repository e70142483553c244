"""Pages cut into parts: nothing lost, no row and no word cut, each part with what leads to it."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as some

from rori_spiders.fields.extraction.chunks import CHUNK_TOKENS, max_tokens_of, split_markdown
from tests.support.cases import cases

_words = some.lists(
    some.sampled_from(["rate", "5.25%", "Zinssatz", "利率", "a_b", "x" * 40, "e.g.", "(b)"]), min_size=1, max_size=30
)
_lines = _words.map(" ".join)
_blocks = some.one_of(
    _lines,
    _lines.map("# {}".format),
    _lines.map("### {}".format),
    some.lists(_lines.map("- {}".format), max_size=6).map("\n".join),
    some.lists(_words.map(lambda words: f"| {' | '.join(words)} |"), max_size=12).map("\n".join),
    some.just("```\n# no heading\n\n| code |\n```"),
)
_bodies = some.lists(_blocks, max_size=25).flatmap(
    lambda blocks: some.sampled_from(["\n\n", "\n", "\n \n\n"]).map(lambda between: between.join(blocks))
)


@given(_bodies, some.integers(1, 120))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_split_page_overlap_removed_equals_body(body: str, limit: int) -> None:
    chunks = split_markdown(body, limit)
    assert "".join(body[one.start : one.end] for one in chunks) == body
    assert [one.start for one in chunks[1:]] == [one.end for one in chunks[:-1]]
    for one in chunks:
        text = body[one.start : one.end]
        assert text and one.tokens == max_tokens_of(text)
        at_border = one.start == 0 or body[one.start - 1].isspace()
        assert at_border, "a word is cut"
        row = body[body.rfind("\n", 0, one.start) + 1 : one.start].strip()
        assert not row.startswith("|"), "a row is cut"
        if one.tokens > limit:  # what may not be cut, and the blanks behind it
            assert len(text.split()) <= 1 or (text.lstrip().startswith("|") and "\n" not in text.strip())


def test_split_page_sections_that_fit_stay_whole() -> None:
    body = "".join(f"## Part {n}\n\n{'word ' * 60}\n\n" for n in range(6))
    whole = split_markdown(body)
    assert [(one.start, one.end, one.heading_path) for one in whole] == [(0, len(body), "")]
    cut = split_markdown(body, limit=250)
    assert [re.findall(r"Part \d", body[one.start : one.end]) for one in cut] == [
        ["Part 0", "Part 1"], ["Part 2", "Part 3"], ["Part 4", "Part 5"],
    ]  # fmt: skip


def test_split_page_chunk_has_its_heading_path() -> None:
    body = f"# Book\n\n## Part\n\n### Section\n\n{'A sentence of words. ' * 40}\n\n### Next\n\nText\n"
    cut = split_markdown(body, limit=100)
    assert [one.heading_path for one in cut[:2]] == ["", "Book > Part"]
    assert body[cut[1].start :].startswith("### Section")
    assert {one.heading_path for one in cut[2:-1]} == {"Book > Part > Section"}
    assert body[cut[-1].start :].startswith("### Next") and cut[-1].heading_path == "Book > Part"


def test_split_page_chunk_starting_in_table_has_column_titles() -> None:
    rows = "".join(f"| fee {n} | {n} |\n" for n in range(200))
    head = "| fee | amount |\n|---|---|\n"
    body = f"# Fees\n\n{head}{rows}\nText.\n"
    heading, first, *others = split_markdown(body, limit=300)
    assert heading.table_head == first.table_head == "" and body[first.start :].startswith(head)
    assert len(others) > 2 and {one.table_head for one in others} == {head}
    assert all(body[one.start] == "|" for one in others)
    assert split_markdown(f"{rows}\nText", limit=300)[1].table_head == ""


def test_split_page_row_over_limit_is_its_own_chunk() -> None:
    row = f"| {'cell words ' * 300}|\n"
    body = f"Before.\n\n| a |\n|---|\n{row}| b |\n"
    parts = [body[one.start : one.end] for one in split_markdown(body, limit=200)]
    assert row in parts


def test_split_page_long_heading_path_is_cut_at_start() -> None:
    body = f"# {'a' * 300}\n\n## {'b' * 300}\n\n### {'c' * 200} end\n\n{'word ' * 400}"
    path = split_markdown(body, limit=300)[-1].heading_path
    assert path.startswith("...") and path.endswith("c end") and len(path) == 603


@cases("body", ["", " ", "\n\n", "word", "# Title"])
def test_split_page_small_page_is_one_chunk(body: str) -> None:
    assert "".join(body[one.start : one.end] for one in split_markdown(body)) == body


def test_split_page_single_long_line_is_cut_at_sentences() -> None:
    body = "This is a sentence of some words. " * 20_000
    cut = split_markdown(body)
    assert all(one.tokens <= CHUNK_TOKENS and body[one.start : one.end].endswith(". ") for one in cut)
    assert max_tokens_of("§ 利率") == 3


def test_split_page_blocks_within_limit_are_not_cut() -> None:
    blocks = [
        "# Rates",
        "One sentence. " * 60,
        "- one\n- two",
        "| a | b |\n| --- | --- |\n" + "| 1 | 2 |\n" * 200,
        "The end.",
    ]
    body = "\n\n".join(blocks)
    parts = [body[one.start : one.end] for one in split_markdown(body, 100, whole_blocks=True)]
    assert "".join(parts) == body and len(parts) > 2
    assert all(sum(block.strip() in part for part in parts) == 1 for block in blocks)
