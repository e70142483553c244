"""A footnote's mark is never a digit of the number before it: in prose, headings, lists, cells, links and code."""

from __future__ import annotations

import pytest

from tests.content.pages import URL, markdown_of
from tests.support.cases import cases

LINK = "<a href=#fn1>1</a>"
WRITTEN = f"[1]({URL}#fn1)"
RAISED = f"[<sup>1</sup>]({URL}#fn1)"


@pytest.mark.parametrize("number", ["rate of 5%", "Area", "$2,060", "2025", "5.00"])
@pytest.mark.parametrize(
    ("mark", "written"),
    [
        ("<sup>1</sup>", "<sup>1</sup>"),
        (f"<sup>{LINK}</sup>", f"<sup>{WRITTEN}</sup>"),
        ("<a href=#fn1><sup>1</sup></a>", RAISED),
        (LINK, RAISED),
        (f"<span class=footnote-ref>{LINK}</span>", RAISED),
        ("<sup>1, 2</sup>", "<sup>1, 2</sup>"),
    ],
)
@pytest.mark.parametrize(
    ("around", "shown"),
    [
        ("<p>The {} a year</p>", "The {} a year"),
        ("<h2>The {}</h2>", "## The {}"),
        ("<ul><li>{}</ul>", "- {}"),
        ("<table><tr><th>A<th>B<tr><td>{}<td>6</table>", "| A | B |\n| --- | --- |\n| {} | 6 |"),
        ("<table><tr><th>{}<th>B<tr><td>5<td>6</table>", "| {} | B |\n| --- | --- |\n| 5 | 6 |"),
        ("<dl><dt>{}<dd>6</dl>", "{}\n: 6"),
    ],
    ids=["prose", "heading", "list", "cell", "header", "term"],
)
def test_note_mark_is_separated(around: str, shown: str, number: str, mark: str, written: str) -> None:
    assert markdown_of(around.format(number + mark)) == shown.format(number + written)


@cases(
    ("html", "markdown"),
    [
        ("<p>A.<a href=#fn1>1</a></p>", f"A.{RAISED}"),
        ("<p>A.<a href=#p1>1</a></p>", f"A.[1]({URL}#p1)"),
        ("<p>Part <a href=#p1>1</a></p>", f"Part [1]({URL}#p1)"),
        ("<p>(<a href=#p1>1</a>)</p>", f"([1]({URL}#p1))"),
        ("<p>10<a href=/p1>1</a></p>", "10[1](https://www.example.gov/p1)"),
        ("<p>A<br><a href=#p1>1</a></p>", f"A  \n[1]({URL}#p1)"),
        ("<p>5<a href=#fn1>*</a></p>", f"5[<sup>\\*</sup>]({URL}#fn1)"),
        ("<code>5<sup>1</sup></code>", "<code>5<sup>1</sup></code>"),
        ("<a href=/x>5<sup>1</sup></a>", "[5<sup>1</sup>](https://www.example.gov/x)"),
    ],
)
def test_note_mark_lookalikes_are_not_raised(html: str, markdown: str) -> None:
    assert markdown_of(html) == markdown


BACK = f"[1]({URL}#r1)"


@cases(
    ("html", "markdown"),
    [
        ("<aside role=doc-footnote><span>[<a href=#r1>1</a>]</span><p>A note.</p></aside>", f"[{BACK}] A note."),
        ("<div class=footnote><sup>1</sup><p>A note.</p><p>More.</p></div>", "<sup>1</sup> A note.\n\nMore."),
        ("<div class=row><div><a href=#r1>1</a></div><div>A note.</div></div>", f"{BACK} A note."),
        ("<div class=footnote><span>*</span><div>A note.</div></div>", "\\* A note."),
        ("<div><span>(a)</span><p>A lender</p></div><div><span>(iii)</span><p>may.</p></div>",
         "(a) A lender\n\n(iii) may."),
        ("<div><div>(c)(1)</div><div>A lender</div></div>", "(c)(1) A lender"),
    ],
)  # fmt: skip
def test_label_alone_begins_its_paragraph(html: str, markdown: str) -> None:
    assert markdown_of(html) == markdown


@cases(
    ("html", "markdown"),
    [
        ("<div><div>12</div><p>A number.</p></div>", "12\n\nA number."),
        ("<div><div>(new)</div><p>A word.</p></div>", "(new)\n\nA word."),
        ("<div><div>(a)</div><h2>A heading</h2></div>", "(a)\n\n## A heading"),
        ("<div><div>(a)</div><ul><li>An item</ul></div>", "(a)\n\n- An item"),
        ("<div class=note><p>Note.</p><p>More.</p></div>", "Note.\n\nMore."),
    ],
)
def test_label_lookalike_stays_a_block(html: str, markdown: str) -> None:
    assert markdown_of(html) == markdown
