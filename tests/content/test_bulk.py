"""Tables too large to be weighed cell by cell: every cell in its place all the same."""

from __future__ import annotations

from rori_spiders.content.convert import convert
from rori_spiders.content.markdown import tables
from tests.content.pages import URL, markdown_of


def test_large_table_every_row_is_written_in_order() -> None:
    rows = "".join(f"<tr><td>{n}</td><td>case {n} | x</td><td><b>open</b></td></tr>" for n in range(6000))
    text = convert(f"<main><h1>Register</h1><table>{rows}</table><p>End</p></main>".encode(), url=URL).markdown
    lines = [line for line in text.split("\n") if line.startswith("| ") and "case" in line]
    assert lines == [f"| {n} | case {n} \\| x | **open** |" for n in range(6000)]
    assert text.endswith("\n\nEnd\n")


def test_large_table_hidden_rows_stay_hidden_and_are_reported() -> None:
    rows = "".join(f"<tr><td>{n}</td><td>case</td></tr>" for n in range(3000))
    hidden = '<tr style="display:none"><td>secret</td><td>row</td></tr>'
    page = convert(f"<main><h1>T</h1><table>{rows}{hidden}</table></main>".encode(), url=URL)
    assert "secret" not in page.markdown
    assert page.hidden is not None
    assert page.hidden.elements == 1


def test_wide_table_loses_no_cell() -> None:
    wide = tables._MOST_COLUMNS + 50
    row = "<tr>" + "".join(f"<td>c{n}</td>" for n in range(wide)) + "</tr>"
    words = markdown_of(f"<table>{row * 2}</table>").split()
    assert [word for word in words if word.startswith("c")] == [f"c{n}" for n in range(wide)] * 2


def test_table_spans_beyond_limit_are_bounded() -> None:
    row = '<tr><td colspan="9999" rowspan="65534">a</td><td rowspan="65534">b</td><td>c</td></tr>'
    text = markdown_of(f"<table>{row * 3000}</table>")
    assert len(text) < 3_000_000
    assert text.count("c") == 3000
