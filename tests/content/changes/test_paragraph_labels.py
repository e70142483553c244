"""The paragraph that a block of law stands in, by the enumerators above it; none where two readings hold."""

from __future__ import annotations

from rori_spiders.content.changes.paragraph_labels import paragraph_at, place_runs
from tests.support.cases import cases


@cases(
    ("blocks", "behind", "paragraph"),
    [
        (["(a) General", "(1) One", "(2) Two", "(b) Next", "(c) Limits. (1) A lender", "further text"], [], "(c)(1)"),
        (["(c)(1)(ii) A lender"], [], "(c)(1)(ii)"),
        (["- (a) A", "- (1) B", "- (i) C", "- (A) D"], [], "(a)(1)(i)(A)"),
        (["(h) H", "(1) One", "(i) text"], ["(ii) text"], "(h)(1)(i)"),
        (["(h) H", "(1) One", "(i) text"], ["(j) text"], "(i)"),
        (["(h) H", "(1) One", "(i) text"], [], ""),
        (["(a) A", "(4) a gap"], [], ""),
        (["(a) A", "(4) a gap", "(b) B", "(1) C"], [], "(b)(1)"),
        (["(new) no label"], [], ""),
        (["text"], [], ""),
        (["(a) *Registration requirement*—(1) *Employees.* A", "(2) B"], [], "(a)(2)"),
    ],
)
def test_paragraph_at_follows_the_levels_of_the_code(blocks: list[str], behind: list[str], paragraph: str) -> None:
    assert paragraph_at(blocks, behind=behind) == paragraph


def test_paragraph_at_starts_with_the_enumerators_of_headings() -> None:
    assert paragraph_at(["(1) A lender"], above=["§ 1024.17 Escrow accounts", "(c) Limits"]) == "(c)(1)"


def test_place_runs_takes_the_levels_that_place_most() -> None:
    assert place_runs([["1"], ["i"], ["ii", "A"], ["2"]]) == [("1",), ("1", "i"), ("1", "ii", "A"), ("2",)]
    assert place_runs([["a"], ["1"], ["A"], ["i"], ["b"]])[2:4] == [("a", "1", "A"), ("a", "1", "A", "i")]
    assert place_runs([["a"], ["4"], ["b"]]) == [("a",), None, ("b",)]
    assert place_runs([["1"], ["2"]], above=["c"]) == [("c", "1"), ("c", "2")]
    assert place_runs([]) == []
