"""Lists: their nesting, and the enumerators that the law is cited by."""

from __future__ import annotations

from markdown_it import MarkdownIt

from rori_spiders.content.markdown.lists import enumerator, says_itself
from tests.content.pages import markdown_of
from tests.support.cases import cases


@cases(
    ("html", "markdown"),
    [
        ("<ul><li>a<li>b</ul>", "- a\n- b"),
        ("<ul><li>a<ul><li>b<ul><li>c</ul></ul><li>d</ul>", "- a\n  - b\n    - c\n- d"),
        ("<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>", "- a\n  - b\n- c"),
        ("<ul><li><p>a</p><p>b</p></li><li>c</li></ul>", "- a\n\n  b\n- c"),
        ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        ("<ol start=9><li>a<li>b<p>more</p></ol>", "9. a\n10. b\n\n    more"),
        ("<ol><li>a<li value=5>b</ol>", "- 1\\. a\n- 5\\. b"),
        ("<ol reversed><li>a<li>b</ol>", "- 2\\. a\n- 1\\. b"),
        ("<ol type=a><li>x<li>y</ol>", "- a. x\n- b. y"),
        ("<ol type=I start=4><li>x<li>y</ol>", "- IV. x\n- V. y"),
        ('<ol style="list-style-type: lower-roman"><li>x<li>y</ol>', "- i. x\n- ii. y"),
        ('<ol class="lower-alpha"><li>x</ol>', "- a. x"),
        ('<ol style="list-style: none"><li>(a) x<li>(b) y</ol>', "- (a) x\n- (b) y"),
        ("<ol type=a><li>(a) own<li>given</ol>", "- (a) own\n- b. given"),
        ("<ol><li>1. own<li>2. own</ol>", "- 1\\. own\n- 2\\. own"),
        ("<ol><li><b>1</b>. own<li>given</ol>", "- **1**. own\n- 2\\. given"),
        ("<ol><li><ol><li>a</ol><li>b</ol>", "1. 1. a\n2. b"),
        ("<ol><li>(1) own<li>(2) own</ol>", "- (1) own\n- (2) own"),
        ("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n* b"),
        ("<ol><li>a</ol><ol><li>b</ol>", "1. a\n\n1) b"),
        ("<p>intro</p><li>stray", "intro\n\n- stray"),
        ("<ul><li></li><li>a</li></ul>", "- a"),
    ],
)
def test_list_gives_expected_markdown(html: str, markdown: str) -> None:
    assert markdown_of(html) == markdown


def test_list_nested_ordered_reads_back_as_one() -> None:
    html = "<ol><li>a<ol start=3><li>b<ol><li>c</ol></ol><li>d</ol>"
    read = MarkdownIt("commonmark").render(markdown_of(html))
    assert read.count("<ol") == 3
    assert 'start="3"' in read


@cases(
    ("number", "kind", "shown"),
    [
        (1, "a", "a"),
        (27, "a", "aa"),
        (3, "A", "C"),
        (4, "i", "iv"),
        (1999, "I", "MCMXCIX"),
        (12, "1", "12"),
        (0, "a", "0"),
    ],
)
def test_list_enumerator_is_written(number: int, kind: str, shown: str) -> None:
    assert enumerator(number, kind) == shown


@cases(
    ("text", "shown", "is_own"),
    [
        ("(a) x", "a", True),
        ("a. x", "a", True),
        ("1\\. x", "1", True),
        ("A loan", "a", False),
        ("(b) x", "a", False),
        ("10. x", "1", False),
    ],
)
def test_list_item_with_own_enumerator_is_not_numbered_twice(text: str, shown: str, is_own: bool) -> None:
    assert says_itself(text, shown) is is_own
