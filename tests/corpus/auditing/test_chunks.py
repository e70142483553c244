"""Chunks as the loader cuts them: nothing lost, no row and no word cut, each with the section that it stands in."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from rori_spiders.corpus.auditing.chunks import CHUNK_TOKENS, OVERLAP_TOKENS, estimate_tokens, split_into_chunks
from tests.support.cases import cases

_words = some.lists(
    some.sampled_from(["rate", "5.25%", "Zinssatz", "利率", "a_b", "x" * 40, "e.g.", "(b)", "ends."]),
    min_size=1, max_size=30,
)  # fmt: skip
_lines = _words.map(" ".join)
_blocks = some.one_of(
    _lines,
    some.lists(_lines, min_size=12, max_size=25).map(" ".join),
    some.tuples(some.sampled_from(["#", "##", "###", "####"]), _words).map(lambda it: f"{it[0]} {' '.join(it[1][:4])}"),
    some.lists(_lines.map("- {}".format), max_size=6).map("\n".join),
    some.lists(_words.map(lambda words: f"| {' | '.join(words)} |"), max_size=20).map("\n".join),
    some.just("```\n# no heading\n\n| code |\n```"),
)
_bodies = some.lists(_blocks, max_size=25).flatmap(
    lambda blocks: some.sampled_from(["\n\n", "\n", "\n \n\n"]).map(lambda between: between.join(blocks))
)


@pytest.mark.slow
@given(_bodies)
@settings(max_examples=120, deadline=None, derandomize=True)
def test_split_document_loses_and_cuts_nothing(body: str) -> None:
    chunks = split_into_chunks(body)
    assert "".join(body[one.own : one.end] for one in chunks) == body
    covered = "\n".join(one.text(body) for one in chunks)
    short = CHUNK_TOKENS - OVERLAP_TOKENS
    assert all(line.strip() in covered for line in body.split("\n") if estimate_tokens(line) <= short), "a line is cut"
    for one in chunks:
        assert one.tokens == estimate_tokens(body[one.start : one.end])
        assert one.own >= one.start and estimate_tokens(body[one.start : one.own]) <= OVERLAP_TOKENS
        for at in (one.start, one.own):
            assert at == 0 or body[at - 1].isspace(), "a word is cut"
            assert not body[body.rfind("\n", 0, at) + 1 : at].lstrip().startswith("|"), "a row is cut"
        text = body[one.own : one.end].strip()
        is_whole_row = text.startswith("|") and "\n" not in text
        assert one.tokens <= CHUNK_TOKENS or is_whole_row or len(text.split()) == 1


@given(_bodies)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_split_document_heading_stays_with_its_text(body: str) -> None:
    chunks = split_into_chunks(body)
    for one, after in pairwise(chunks):
        last = body[one.own : one.end].rstrip().rpartition("\n")[2]
        first = body[after.own : after.end].lstrip().partition("\n")[0]
        # Only beside another heading, or a row that is a chunk by itself.
        if re.match(r"#+ (?!no heading)", last):
            assert first.startswith("#") or after.tokens > CHUNK_TOKENS - OVERLAP_TOKENS


def test_split_document_sections_and_their_texts() -> None:
    text = "A sentence of words that is long enough to stand alone as a chunk, since it has more than sixteen tokens."
    body = (
        f"Before.  {text}\n\n# Book\n\n{text}\n\n## Part A\n\n### One\n\n{text}\n\n#### Inline\n\n{text}\n\n"
        f"### Two\n\nShort.\n\n### Three\n\n{text}\n\n## Part B\n\n{text}\n\n## End\n"
    )
    chunks = split_into_chunks(body)
    assert [(one.section, re.findall(r"^#+ (.+)$", body[one.own : one.end], re.MULTILINE)) for one in chunks] == [
        ("", []),
        ("Book", ["Book"]),
        ("Book > Part A", ["Part A", "One", "Inline"]),  # the heading alone goes with what follows
        ("Book > Part A", ["Two", "Three"]),  # both stand under Part A
        ("Book", ["Part B", "End"]),  # the last goes with the one before
    ]
    assert chunks[1].text(body).startswith("[Section: Book]\n\n# Book\n\nA sentence")
    assert chunks[0].text(body).startswith("Before.")


def test_split_document_code_has_no_headings() -> None:
    text = "word " * 30
    body = f"# A\n\n{text}\n\n```\n# no heading\n{text}\n```\n\n~~~sh\n## nor this\n~~~\n"
    assert [one.section for one in split_into_chunks(body)] == ["A"]


def test_split_document_long_text_is_cut_with_overlap() -> None:
    sentences = [f"Sentence {n} says what the lender shall do on the day after the {n}th notice." for n in range(120)]
    body = f"# Book\n\n## Long\n\n{' '.join(sentences)}\n"
    chunks = split_into_chunks(body)
    assert len(chunks) > 3
    assert {one.section for one in chunks} == {"Book"}  # merged with the lone heading above
    for one, after in pairwise(chunks):
        assert after.start < one.end == after.own, "the end of one is repeated"
        assert body[after.start :].startswith("Sentence "), "from the beginning of a sentence"


def test_split_document_table_is_cut_between_rows_with_heading() -> None:
    rows = "\n".join(f"| {n} | {'limit ' * 12}| $ {n},000 |" for n in range(80))
    body = f"# Limits\n\n## By county\n\n| no | what | how much |\n| --- | --- | --- |\n{rows}\n"
    chunks = split_into_chunks(body)
    assert body[chunks[0].start :].startswith("# Limits\n\n## By county\n\n| no |")
    assert all(body[one.start :].startswith("| ") for one in chunks[1:])
    assert all(one.own > one.start for one in chunks[1:])


@cases("body", ["", "\n", "# A", "#hashtag", "text", "```\n# open fence"])
def test_split_document_short_texts(body: str) -> None:
    assert "".join(body[one.own : one.end] for one in split_into_chunks(body)) == body


def test_split_document_other_token_count() -> None:
    body = f"# A\n\n{'word ' * 600}"
    assert len(split_into_chunks(body, lambda text: len(text.split()))) == 2
    assert len(split_into_chunks(body, lambda text: 1)) == 1
