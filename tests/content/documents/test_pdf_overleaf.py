"""PDF: tables that go on over the end of a page, and heads of two levels."""

from __future__ import annotations

from rori_spiders.content.documents import read
from tests.content.documents.drawn import Sheet, drawn
from tests.support.cases import cases

URL = "https://www.example.gov/limits.pdf"
HEAD = ["County", "One unit", "Two units"]
ROWS = [[f"{name} county", f"${number},250", f"{number}.5%"] for number, name in enumerate("ABCDEFGH", 11)]
XS = [72.0, 200.0, 300.0, 400.0]
PIPES = [f"| {' | '.join(row)} |" for row in ROWS]
WHOLE = "\n".join(
    ["| County | One unit | Two units |", "| --- | --- | --- |", *PIPES[:4], "| <!-- page 2 --> |  |  |", *PIPES[4:]]
)


def markdown(*sheets: Sheet) -> str:
    return read("pdf", drawn(*sheets), url=URL).markdown


def ruled(rows: list[list[str]], *, top: float, head: bool = True, xs: list[float] = XS) -> Sheet:
    """A ruled table down from *top*, its first row bold where that is a head; "\\n" parts the lines of a cell."""
    sheet = Sheet()
    ys = [top]
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            lines = text.split("\n")
            sheet.lines(xs[column] + 4, ys[-1] - 14, lines, font="F2" if head and not number else "F1")
        ys.append(ys[-1] - 8 - 12 * max(text.count("\n") + 1 for text in row))
    sheet.grid(xs, ys)
    return sheet


def open_rows(rows: list[list[str]], *, top: float, head: bool = True) -> Sheet:
    """The same without rules: labels left, figures on right edges."""
    sheet = Sheet()
    for number, (label, *figures) in enumerate(rows):
        font = "F2" if head and not number else "F3"
        sheet.text(72, top - 20 * number, label, font=font)
        for place, figure in enumerate(figures):
            sheet.text(300 + 100 * place - 6 * len(figure), top - 20 * number, figure, font=font)
    return sheet


def with_foot(sheet: Sheet, number: int) -> Sheet:
    sheet.text(72, 40, f"Limits of the state, page {number}")
    return sheet


def test_pdf_table_that_goes_on_overleaf_is_one_with_page_marked() -> None:
    first, again = [HEAD, *ROWS[:4]], [HEAD, *ROWS[4:]]
    for sheets in (
        (ruled(first, top=220), ruled(again, top=720)),
        (ruled(first, top=220), ruled(ROWS[4:], top=720, head=False)),
        (open_rows(first, top=220), open_rows(again, top=720)),
        (open_rows(first, top=220), open_rows(ROWS[4:], top=720, head=False)),
    ):
        assert markdown(*sheets) == f"<!-- page 1 -->\n\n{WHOLE}\n"


def test_pdf_table_that_goes_on_overleaf_keeps_foot_on_its_page() -> None:
    parts = [HEAD, *ROWS[:4]], [HEAD, *ROWS[4:6]], [HEAD, *ROWS[6:]]
    sheets = [with_foot(ruled(part, top=170), number) for number, part in enumerate(parts, 1)]
    sheets[2].text(72, 90, "Each limit is for the year.", font="F3")
    document = read("pdf", drawn(*sheets), url=URL)
    lines = document.markdown.split("\n\n")
    assert lines[:2] == ["<!-- page 1 -->", "Limits of the state, page 1"]
    assert lines[2].splitlines()[6:9] == ["| <!-- page 2 --> |  |  |", *PIPES[4:6]]
    assert lines[2].splitlines()[9:] == ["| <!-- page 3 --> |  |  |", *PIPES[6:]]
    assert lines[3:] == ["Each limit is for the year.\n"]
    assert document.removed == ("running_foot", "table_head")
    assert document.kept_share < 1


def test_pdf_table_row_that_page_parts_is_one_row() -> None:
    first = [["Office", "Duty", "Staff"], ["Loans", "Gives each\nborrower a", "12"]]
    rest = [["", "notice within\n3 days.", ""], ["Banks", "Keeps records.", "7"]]
    found = markdown(ruled(first, top=220), ruled(rest, top=720, head=False))
    assert "| Loans | Gives each borrower a <!-- page 2 --> notice within 3 days. | 12 |\n| Banks |" in found


def test_pdf_table_row_without_label_overleaf_stays_row() -> None:
    first = [["Office", "Duty", "Staff"], ["Loans", "Gives notice.", "12"]]
    rest = [["", "Not more than 3 days.", ""], ["Banks", "Keeps records.", "7"]]
    found = markdown(ruled(first, top=220), ruled(rest, top=720, head=False))
    assert "| Loans | Gives notice. | 12 |\n| <!-- page 2 --> |  |  |\n|  | Not more than 3 days. |  |\n" in found


@cases(
    ("why", "sheets"),
    [
        ("room was left", (with_foot(ruled([HEAD, *ROWS[:4]], top=720), 1), with_foot(ruled(ROWS[4:], top=720), 2))),
        ("other columns", (ruled([HEAD, *ROWS[:4]], top=220), ruled(ROWS[4:], top=720, xs=[72, 180, 300, 400]))),
        ("another head", (ruled([HEAD, *ROWS[:4]], top=220), ruled([["State", "a", "b"], *ROWS[4:]], top=720))),
    ],
)
def test_pdf_table_overleaf_that_is_another_stays_apart(why: str, sheets: tuple[Sheet, Sheet]) -> None:
    assert "\n\n<!-- page 2 -->\n\n|" in markdown(*sheets), why


def test_pdf_text_between_tables_overleaf_keeps_them_apart() -> None:
    after = ruled([HEAD, *ROWS[4:]], top=680)
    after.text(72, 720, "Limits of the other state", font="F3")
    assert "<!-- page 2 -->\n\nLimits of the other state\n\n| County" in markdown(
        ruled([HEAD, *ROWS[:4]], top=220), after
    )


# Heads of two levels.


def two_levels(*, rows: list[list[str]], bold: int = 2) -> Sheet:
    """A ruled table whose first cell covers two rows, and the next two columns."""
    sheet = Sheet()
    xs, ys = [72.0, 200.0, 300.0, 400.0, 500.0], [700.0 - 20 * number for number in range(len(rows) + 1)]
    for y in ys:
        sheet.rule(200 if y == ys[1] else 72, y, 500, y)
    for x in xs:
        sheet.rule(x, ys[-1], x, ys[1] if x in {300, 500} else ys[0])
    sheet.rule(500, ys[1], 500, ys[0])
    sheet.rule(400, ys[1], 400, ys[0])
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            if text:
                sheet.text(xs[column] + 4, ys[number] - 14, text, font="F2" if number < bold else "F1")
    return sheet


LEVELS = [
    ["County", "Limits for 2026", "", "Fee"],
    ["", "One unit", "Two units", "2026"],
    ["Adams", "$1,250", "$900", "4"],
    ["Brown", "$1,300", "$950", "5"],
]


def test_pdf_head_of_two_levels_names_each_column_by_both() -> None:
    assert markdown(two_levels(rows=LEVELS)).startswith(
        "<!-- page 1 -->\n\n| County | Limits for 2026: One unit | Limits for 2026: Two units | Fee: 2026 |\n"
        "| --- | --- | --- | --- |\n| Adams | $1,250 | $900 | 4 |"
    )


def test_pdf_bold_row_of_figures_below_head_is_no_head() -> None:
    rows = [LEVELS[0], ["", "$2,550", "$1,850", "9"], *LEVELS[2:]]
    assert "| County | $2,550 | $1,850 | 9 |" in markdown(two_levels(rows=rows))


def over_columns(*, rule: bool) -> Sheet:
    """An open table with labels over two columns each."""
    rows = [["County", "One unit", "Two units", "One unit", "Two units"]]
    rows += [[f"{name} county", *(f"${number},{more}00" for more in range(1, 5))] for number, name in enumerate("ABCD")]
    sheet = Sheet()
    for number, row in enumerate(rows):
        for place, text in enumerate(row):
            at = 72 if not place else 220 + 90 * (place - 1) - 6 * len(text)
            sheet.text(at, 700 - 20 * number, text, font="F3" if number else "F2")
    sheet.text(156, 720, "Limits of 2025", font="F2")
    sheet.text(330, 720, "Limits of 2026", font="F2")
    if rule:
        sheet.rule(150, 715, 312, 715)
        sheet.rule(326, 715, 492, 715)
    return sheet


def test_pdf_open_table_with_labels_over_columns_names_each_by_both() -> None:
    head = ["County", "Limits of 2025: One unit", "Limits of 2025: Two units", "Limits of 2026: One unit"]
    assert f"| {' | '.join(head)} | Limits of 2026: Two units |" in markdown(over_columns(rule=True))


def test_pdf_open_table_with_labels_of_uncertain_columns_stays_text() -> None:
    found = markdown(over_columns(rule=False))
    assert "|" not in found and "Limits of 2025 Limits of 2026" in found
