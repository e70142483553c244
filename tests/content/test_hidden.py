"""Text that a page hides is left out, and said; what a control opens stays."""

from __future__ import annotations

import pytest

from rori_spiders.content.hidden import Hidden, drop_unseen
from tests.content.pages import body_of, markdown_of

LONG = "An answer that a control of the page opens, and that says more than the label of an icon ever would say."


def hidden_in(html: str) -> tuple[Hidden | None, str]:
    body = body_of(html)
    return drop_unseen(body), " ".join(body.text_content().split())


@pytest.mark.parametrize(
    ("html", "hidden", "left"),
    [
        ("<p>Text</p>", None, "Text"),
        ("<script>x()</script><style>p {}</style><p hidden></p><p>Text</p>", None, "Text"),
        ("<p hidden>Draft  text</p><p>Text</p>", Hidden(1, 10, "Draft text"), "Text"),
        ("<div hidden>All of <b class=hidden>this</b></div><p>Text</p>", Hidden(1, 11, "All of this"), "Text"),
        ("<a class=sr-only>Skip to content</a><i style='display: none'>no</i>", Hidden(2, 17, "Skip to content"), ""),
        (f"<button aria-controls=a></button><div id=a hidden>{LONG}</div>", None, LONG),
    ],
    ids=["none", "no text", "hidden", "nested", "several", "opened"],
)
def test_hidden_text_is_counted_once(html: str, hidden: Hidden | None, left: str) -> None:
    assert hidden_in(html) == (hidden, left)


def test_the_beginning_is_short() -> None:
    hidden, _ = hidden_in(f"<p hidden>{'word ' * 5_000}</p>")
    assert hidden is not None and hidden.chars == 24_999 and len(hidden.begins) == 120


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>shall pay <del>10</del><ins>15</ins> days</p>", "shall pay ~~10~~<ins>15</ins> days"),
        ("<h2>Fees <s>old</s> <ins>new</ins></h2>", "## Fees ~~old~~ <ins>new</ins>"),
        ("<ul><li><ins>x</ins><li><strike>y</strike></ul>", "- <ins>x</ins>\n- ~~y~~"),
        (
            "<table><tr><th>a<th>b<tr><td><s>1</s><td><ins>2</ins></table>",
            "| a | b |\n| --- | --- |\n| ~~1~~ | <ins>2</ins> |",
        ),
        ("<del><p>(a) All</p><p>(b) None</p></del><p>c</p>", "<del>\n\n(a) All\n\n(b) None\n\n</del>\n\nc"),
        ("<ins><h2>New</h2><ul><li>x</ul></ins>", "<ins>\n\n## New\n\n- x\n\n</ins>"),
        ("<ul><li>a<del><p>b</p><p>c</p></del></ul>", "- a\n\n  <del>\n\n  b\n\n  c\n\n  </del>"),
        ("<ins><p>one</p></ins>", "<ins>one</ins>"),
    ],
)
def test_deleted_and_inserted_text_are_told_apart(html: str, markdown: str) -> None:
    assert markdown_of(html) == markdown
