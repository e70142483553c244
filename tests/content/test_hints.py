"""Each hint by its rule."""

from __future__ import annotations

import pytest

from rori_spiders.content.chunking import Shape, chunk_strategy, complexity, read_hints
from tests.support.cases import cases


@pytest.mark.parametrize(
    ("markdown", "strategy"),
    [
        ("# A\n\nx\n\n## B\n\ny\n", "section_aware"),
        ("# A\n\nx\n\ny\n\nz\n", "paragraph"),
        ("One block only.\n", "fixed_size"),
        ("```\n# a\n\n# b\n\n# c\n```\n", "fixed_size"),
    ],
)
def test_hints_chunk_strategy_follows_structure(markdown: str, strategy: str) -> None:
    assert chunk_strategy(Shape(markdown)) == strategy


@cases(
    ("markdown", "tables", "lists", "code"),
    [
        ("| a | b |\n| --- | --- |\n| 1 | 2 |\n", True, False, False),
        ("> | a |\n> | --- |\n", True, False, False),
        ("- x\n", False, True, False),
        ("10. x\n", False, True, False),
        ("```\n- x\n| --- |\n```\n", False, False, True),
        ("1986\\. A year | not a table\n\n---\n\n\\- no item\n", False, False, False),
    ],
)
def test_hints_tables_lists_and_code_are_detected(markdown: str, tables: bool, lists: bool, code: bool) -> None:
    hints = read_hints(markdown, embedded_pdfs=False, cross_references=(), extraction={}, removed=())
    assert (hints.has_tables, hints.has_lists, hints.has_code_blocks) == (tables, lists, code)


def test_hints_complexity_grows_with_structure() -> None:
    table = "| a |\n| --- |\n| b |\n\n"
    assert complexity(Shape("# A\n\nshort\n"), 0) == "simple"
    assert complexity(Shape("# A\n\n" + table + "- a\n  - b\n"), 0) == "medium"
    assert complexity(Shape("# A\n\n## B\n\n### C\n\n" + table * 3 + "word " * 2000), 30) == "complex"
