"""Tables: each text in its own row and column."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from tests.content.pages import markdown_of
from tests.support.cases import cases


def rows_of(markdown: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("|").split(" |")] for line in markdown.split("\n") if line.startswith("|")
    ]


def test_table_row_span_is_repeated_in_each_row() -> None:
    html = (
        "<table><tr><th>Year<th>Status<th>Note</tr>"
        "<tr><td rowspan=2>2023<td>open<td>a</tr><tr><td>suspended<td rowspan=9>b</tr></table>"
    )
    assert rows_of(markdown_of(html))[2:] == [["2023", "open", "a"], ["2023", "suspended", "b"]]


@pytest.mark.parametrize("span", ["rowspan=3", "rowspan=2 colspan=2"])
def test_table_passage_across_rows_stands_once(span: str) -> None:
    rule = "A servicer must not charge more than 1,250 dollars for the whole of a year."
    html = (
        "<table><tr><th>State<th>Rule<th>Note<th>Year</tr>"
        f"<tr><td>CA<td {span}>{rule}<td>a<td>1</tr><tr><td>NY<td>b<td>2</tr><tr><td>WA<td>c<td>3</tr></table>"
    )
    assert markdown_of(html).count(rule) == 1


def test_table_long_header_over_columns_or_rows_stands_once() -> None:
    group = "Amounts that a servicer must not charge a borrower who is not yet 30 days late"
    html = (
        f"<table><tr><th rowspan=2>Loan<th colspan=2>{group}</tr><tr><th>Low<th>High</tr>"
        f"<tr><td rowspan=2>{group}?<td>1<td>2</tr><tr><td>3<td>4</tr></table>"
    )
    assert rows_of(markdown_of(html)) == [
        ["Loan", group, ""],
        ["---", "---", "---"],
        ["Loan", "Low", "High"],
        [f"{group}?", "1", "2"],
        ["", "3", "4"],
    ]


def test_table_column_span_stands_in_first_column() -> None:
    html = "<table><tr><th>A<th>B<th>C</tr><tr><td colspan=2>wide<td>c</tr><tr><td>1<td>2<td>3</tr></table>"
    assert rows_of(markdown_of(html))[2:] == [["wide", "", "c"], ["1", "2", "3"]]


def test_table_group_header_is_repeated_over_each_column() -> None:
    html = "<table><tr><th>Loan<th colspan=2>Rate</tr><tr><td>x<td>1<td>2</tr></table>"
    assert rows_of(markdown_of(html))[0] == ["Loan", "Rate", "Rate"]


@cases("span", ["100000", "0", "-1", "abc", "9999999999"])
def test_table_absurd_span_is_bounded(span: str) -> None:
    html = f"<table><tr><th>A<th>B</tr><tr><td rowspan={span} colspan={span}>x<td>y</tr></table>"
    markdown = markdown_of(html)
    assert "x" in markdown
    assert len(markdown) < 5000


def test_table_pipes_breaks_lists_and_paragraphs_stay_in_cell() -> None:
    html = (
        "<table><tr><th>A<th>B</tr><tr><td>a|b<br>c<td><p>d</p><p>e</p><ul><li>f<li>g</ul><ol><li>h</ol></tr></table>"
    )
    assert markdown_of(html).split("\n")[2] == "| a\\|b<br>c | d<br>e<br>f<br>g<br>1. h |"


def test_table_caption_precedes_table() -> None:
    html = "<table><caption>Table 1</caption><tr><th>A<th>B</tr><tr><td>1<td>2</tr></table>"
    assert markdown_of(html).startswith("Table 1\n\n| A | B |")


@cases(
    ("html", "header"),
    [
        ("<tr><th>A<th>B</tr><tr><td>1<td>2</tr>", "| A | B |"),
        ("<thead><tr><td>A<td>B</tr></thead><tr><td>1<td>2</tr>", "| A | B |"),
        ("<tr><td><b>A</b><td><b>B</b></tr><tr><td>1<td>2</tr>", "| **A** | **B** |"),
        ("<tr><td>Date<td>Amount</tr><tr><td>5 May<td>$1</tr><tr><td>6 May<td>$2</tr>", "| Date | Amount |"),
        ("<tr><th>Row<td>1</tr><tr><th>Other<td>2</tr>", "|  |  |"),
        ("<tr><td>1<td>2</tr><tr><td>3<td>4</tr>", "|  |  |"),
        ("<tr><td>Adjourn<td>Close.</tr><tr><td>Amend<td>Add.</tr><tr><td>Bail<td>Sum.</tr>", "|  |  |"),
        ("<tbody><tr><td>1<td>2</tr></tbody><thead><tr><th>A<th>B</tr></thead>", "| A | B |"),
    ],
    ids=["th", "thead", "bold", "inferred", "row headers", "figures", "terms", "thead after tbody"],
)
def test_table_header_is_found_inferred_or_empty(html: str, header: str) -> None:
    assert markdown_of(f"<table>{html}</table>").split("\n")[0] == header


def test_table_for_layout_becomes_blocks() -> None:
    passage = "A long passage of running text that fills the middle of an old page. " * 10
    html = f"<table><tr><td><h2>Left</h2>menu</td><td><h1>Title</h1><p>{passage}</p></td></tr></table>"
    assert markdown_of(html).startswith("## Left\n\nmenu\n\n# Title\n\nA long passage")


def test_table_nested_is_not_lost() -> None:
    inner = "<table><tr><th>X<th>Y</tr><tr><td>1<td>2</tr></table>"
    assert "| 1 | 2 |" in markdown_of(f"<table><tr><td>before{inner}</td><td>beside</td></tr></table>")
    data = f"<table><tr><th>A<th>B</tr><tr><td>a<td>{inner}</tr><tr><td>b<td>c</tr></table>"
    assert "| a | X \\| Y<br>1 \\| 2 |" in markdown_of(data)
    gaps = data.replace("<td>1<td>", "<td><td>")
    assert "| a | X \\| Y<br>\\| 2 |" in markdown_of(gaps)  # an empty cell keeps its column


def test_table_links_and_marks_survive_in_cells() -> None:
    html = '<table><tr><th>A<th>B</tr><tr><td><a href="/x">l</a><td><b>Sec.</b>x m<sup>2</sup></tr></table>'
    row = "| [l](https://www.example.gov/x) | <strong>Sec.</strong>x m<sup>2</sup> |"
    assert markdown_of(html).split("\n")[2] == row


def test_table_reads_back_with_each_cell_in_place() -> None:
    html = "<p>x</p><table><tr><th>A<th>B</tr><tr><td>1. a<td>- b</tr><tr><td>`<td>c</tr></table><p>y</p>"
    read = MarkdownIt("commonmark").enable("table").render(markdown_of(html))
    assert read.count("<td>") == 4
    assert "<td>1. a</td>" in read


def test_table_cells_without_row_get_one() -> None:
    html = "<table><thead><th>A<th>B</thead><td colspan=2>none yet</td><tr><td>1<td>2</tr></table>"
    assert rows_of(markdown_of(html)) == [["A", "B"], ["---", "---"], ["none yet", ""], ["1", "2"]]


def test_table_content_outside_cells_precedes_it() -> None:
    html = "<table>loose<tr><th>A<th>B</tr><p>para</p><tr>1. mid<td>1<td>2</tr></table>"
    assert markdown_of(html).startswith("loose\n\npara\n\n1\\. mid\n\n| A | B |")


def test_table_bold_head_over_columns_is_repeated_over_each() -> None:
    rows = (
        "<tr><td rowspan=2><b>Units</b></td><td colspan=2><b>Limit by area</b></td></tr><tr><td><b>Low</b></td>"
        "<td><b>High</b></td></tr><tr><td>One</td><td>760</td><td>762</td></tr>"
    )
    assert "| **Units** | **Limit by area** | **Limit by area** |" in markdown_of(f"<table>{rows}</table>")


def test_table_with_header_row_keeps_its_rows_around_a_table_in_a_cell() -> None:
    inner = "<table><tr><td>Inner</td><td>446</td></tr></table>"
    table = f"<table><tr><th>Topic</th><th>Rule</th></tr><tr><td>Fees</td><td>As follows{inner}</td></tr></table>"
    assert "| Fees | As follows<br>Inner \\| 446 |" in markdown_of(table)


def test_figure_is_written_with_its_alternative_text() -> None:
    figure = "<figure><img src='/c.png?v=2' alt='Line chart of defaults, peak at 9 percent'></figure>"
    assert "![Line chart of defaults, peak at 9 percent](" in markdown_of(f"<p>Text.</p>{figure}")
    assert "Seal" not in markdown_of("<p>Text.</p><img src=/s.png alt='Seal of the Department of Example Finance'>")
