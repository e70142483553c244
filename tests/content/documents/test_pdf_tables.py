"""PDF: ruled tables, with their spans; grids that are no tables; tables without rules between their columns."""

from __future__ import annotations

import pytest

from rori_spiders.content.documents import read
from tests.content.documents.drawn import Sheet, drawn
from tests.support.cases import cases

URL = "https://www.example.gov/thresholds.pdf"
XS, YS = [72.0, 200.0, 300.0, 400.0], [700.0, 680.0, 660.0, 640.0]
CELLS = [["County", "Limit", "Year"], ["Adams", "$1,250", "2014"], ["Brown", "$1,300", "2015"]]
TABLE = "| County | Limit | Year |\n| --- | --- | --- |\n| Adams | $1,250 | 2014 |\n| Brown | $1,300 | 2015 |"


def markdown(sheet: Sheet) -> str:
    return read("pdf", drawn(sheet), url=URL).markdown.removeprefix("<!-- page 1 -->\n\n").rstrip()


def filled(sheet: Sheet, cells: list[list[str]], *, head: str = "F2") -> Sheet:
    for row, texts in enumerate(cells):
        for column, words in enumerate(texts):
            if words:
                sheet.text(XS[column] + 4, YS[row] - 14, words, font="F1" if row else head)
    return sheet


def ruled() -> Sheet:
    sheet = Sheet()
    sheet.grid(XS, YS)
    return sheet


def test_pdf_ruled_grid_is_table() -> None:
    assert markdown(filled(ruled(), CELLS)) == TABLE


def test_pdf_table_without_detectable_head_has_empty_head() -> None:
    assert markdown(filled(ruled(), CELLS, head="F1")).startswith("|  |  |  |\n| --- | --- | --- |\n| County | Limit |")


def test_pdf_cells_drawn_as_boxes_are_table() -> None:
    sheet = Sheet()
    for row in range(3):
        for column in range(3):
            sheet.box(XS[column], YS[row + 1], XS[column + 1] - XS[column], 20)
    assert markdown(filled(sheet, CELLS)) == TABLE


def test_pdf_rules_drawn_as_thin_boxes_are_table() -> None:
    sheet = Sheet()
    sheet.orders += [f"{x - 0.4} 640 0.8 60 re f" for x in XS]
    sheet.orders += [f"72 {y - 0.4} 328 0.8 re f" for y in YS]
    assert markdown(filled(sheet, CELLS)) == TABLE


def test_pdf_table_with_open_sides_is_closed() -> None:
    sheet = Sheet()
    for y in YS:
        sheet.rule(72, y, 400, y)
    for x in XS[1:-1]:
        sheet.rule(x, 640, x, 700)
    assert markdown(filled(sheet, CELLS)) == TABLE


def test_pdf_table_spans_are_filled() -> None:
    sheet = Sheet()
    for y in (700, 640):
        sheet.rule(72, y, 400, y)
    for x in (72, 200, 400):
        sheet.rule(x, 640, x, 700)
    sheet.rule(72, 680, 400, 680)  # the head's second cell spans two columns,
    sheet.rule(200, 660, 400, 660)  # the county two rows
    sheet.rule(300, 640, 300, 680)
    filled(sheet, [["County", "Limits", ""], ["Adams", "$1,250", "$1,275"], ["", "$1,300", "$1,325"]])
    assert markdown(sheet) == (
        "| County | Limits | Limits |\n| --- | --- | --- |\n| Adams | $1,250 | $1,275 |\n| Adams | $1,300 | $1,325 |"
    )


@cases(
    ("label", "times"),
    [("Tier 2", 2), ("All counties of the state", 2), ("not over 700 a year", 1), ("2 dwellings in a lot", 1)],
)
def test_pdf_table_label_over_rows_is_repeated_and_statement_stands_once(label: str, times: int) -> None:
    sheet = Sheet()
    for y in (700, 680, 640):
        sheet.rule(72, y, 400, y)
    for x in XS:
        sheet.rule(x, 640, x, 700)
    sheet.rule(200, 660, 400, 660)
    text = markdown(filled(sheet, [CELLS[0], [label, *CELLS[1][1:]], ["", *CELLS[2][1:]]]))
    assert text.count(label) == times
    assert text.endswith(f"| {label if times > 1 else ''} | $1,300 | 2015 |")


def test_pdf_table_lines_and_bars_stay_in_cell() -> None:
    sheet = filled(ruled(), [CELLS[0], ["Adams", "", "2014"], CELLS[2]])
    sheet.text(204, 671, "$1,250 |", size=7)
    sheet.text(204, 663, "or more", size=7)
    assert "| Adams | $1,250 \\| or more | 2014 |" in markdown(sheet)


def test_pdf_table_empty_cell_holds_its_column() -> None:
    assert "| Adams |  | 2014 |" in markdown(filled(ruled(), [CELLS[0], ["Adams", "", "2014"], CELLS[2]]))


def test_pdf_table_is_placed_where_it_was_drawn() -> None:
    sheet = Sheet()
    sheet.text(72, 720, "Table 1. Limits:")
    sheet.grid(XS, YS)
    filled(sheet, CELLS)
    sheet.text(72, 600, "As amended.")
    assert markdown(sheet) == f"Table 1. Limits:\n\n{TABLE}\n\nAs amended."


@pytest.mark.parametrize("turn", ["0 1 -1 0", "0 -1 1 0"])
def test_pdf_rotated_table_is_table(turn: str) -> None:
    """The whole page is drawn a quarter turned, as wide tables are."""
    upright = filled(ruled(), CELLS)
    sheet = Sheet(rotate=90 if turn.startswith("0 1") else 270)
    place = "612 0" if turn.startswith("0 1") else "0 792"
    sheet.orders = ["q", f"{turn} {place} cm", *upright.orders, "Q"]
    assert markdown(sheet) == TABLE


# --- no tables -----------------------------------------------------------------------------------------------------


def test_pdf_text_across_rule_is_not_table() -> None:
    sheet = filled(ruled(), CELLS)
    sheet.text(170, 646, "overprinted_on_the_rule")
    assert "---" not in markdown(sheet)
    assert "$1,250" in markdown(sheet)


def test_pdf_frame_around_text_is_not_table() -> None:
    sheet = Sheet()
    sheet.box(60, 600, 400, 120)
    assert markdown(filled(sheet, CELLS)) == "County Limit Year  \nAdams $1,250 2014  \nBrown $1,300 2015"


def test_pdf_grid_with_missing_corner_is_not_table() -> None:
    sheet = Sheet()
    sheet.grid(XS[:3], YS[:3])
    sheet.rule(300, 700, 400, 700)
    sheet.rule(400, 700, 400, 660)
    assert "---" not in markdown(filled(sheet, CELLS))


def test_pdf_clipping_and_white_boxes_are_not_rules() -> None:
    sheet = Sheet()
    for row in range(3):
        for column in range(3):
            box = f"{XS[column]} {YS[row + 1]} {XS[column + 1] - XS[column]} 20 re"
            sheet.orders += [f"1 1 1 rg {box} f 0 0 0 rg", f"q {box} W n Q"]
    assert "---" not in markdown(filled(sheet, CELLS))


def test_pdf_framed_columns_of_prose_are_not_table() -> None:
    sheet = Sheet()
    sheet.grid([72, 300, 540], [700, 400, 380])
    sheet.lines(76, 688, ["Nothing in this part limits any right of a borrower."] * 13, size=6)
    sheet.lines(304, 688, ["A servicer shall answer each notice within thirty days."] * 13, size=6)
    sheet.text(76, 386, "Left")
    sheet.text(304, 386, "Right")
    assert "---" not in markdown(sheet)


def test_pdf_table_long_text_across_columns_stands_once_outside_the_table() -> None:
    sheet = Sheet()
    for y in YS:
        sheet.rule(72, y, 400, y)
    for x in (72, 400):
        sheet.rule(x, 640, x, 700)
    for x in (200, 300):
        sheet.rule(x, 640, x, 660)
        sheet.rule(x, 680, x, 700)
    cells = [
        CELLS[0],
        ["The servicer must not pay more than 1,250 of it to the county at all.", "", ""],
        CELLS[2],
    ]
    text = markdown(filled(sheet, cells))
    assert text == (
        "| County | Limit | Year |\n| --- | --- | --- |\n\n"
        "The servicer must not pay more than 1,250 of it to the county at all.\n\n"
        "|  |  |  |\n| --- | --- | --- |\n| Brown | $1,300 | 2015 |"
    )


def test_pdf_table_text_across_some_columns_stands_once() -> None:
    sheet = Sheet()
    for y in (700, 660, 640):
        sheet.rule(72, y, 400, y)
    sheet.rule(72, 680, 400, 680)
    for x in (72, 200, 400):
        sheet.rule(x, 640, x, 700)
    sheet.rule(300, 660, 300, 700)
    cells = [CELLS[0], CELLS[1], ["Brown", "not over 700", ""]]
    assert markdown(filled(sheet, cells)).endswith("| Brown | not over 700 |  |")


def head_over_two_columns() -> Sheet:
    sheet = Sheet()
    for y in YS:
        sheet.rule(72, y, 400, y)
    for x in (72, 200, 400):
        sheet.rule(x, 640, x, 700)
    sheet.rule(300, 640, 300, 680)
    return sheet


def test_pdf_table_short_head_over_columns_is_repeated() -> None:
    cells = [["County", "Limit of 2026", ""], CELLS[1], CELLS[2]]
    assert markdown(filled(head_over_two_columns(), cells)).startswith("| County | Limit of 2026 | Limit of 2026 |")


def test_pdf_table_statement_across_columns_of_first_row_stands_once() -> None:
    cells = [["Rule", "not before May 5, 2026", ""], CELLS[1], CELLS[2]]
    assert markdown(filled(head_over_two_columns(), cells, head="F1")).count("May 5, 2026") == 1


def test_pdf_table_short_text_across_all_columns_stands_once() -> None:
    sheet = Sheet()
    for y in YS:
        sheet.rule(72, y, 400, y)
    for x in (72, 400):
        sheet.rule(x, 640, x, 700)
    for x in (200, 300):
        sheet.rule(x, 640, x, 660)
        sheet.rule(x, 680, x, 700)
    assert "| Meeting of May 5, 2026 |  |  |" in markdown(
        filled(sheet, [CELLS[0], ["Meeting of May 5, 2026"], CELLS[2]])
    )


# Tables without rules between their columns: columns by white strips, rows by rules or gaps.

OPEN_ROWS = [
    ["Charge", "Most", "Share"],
    ["Appraisal by one who is certified|in the state of the dwelling", "$1,250", "4.5%"],
    ["Recording", "$90", "0.75%"],
    ["Credit report", "$1,015", "12%"],
]
OPEN_TABLE = """\
| Charge | Most | Share |
| --- | --- | --- |
| Appraisal by one who is certified in the state of the dwelling | $1,250 | 4.5% |
| Recording | $90 | 0.75% |
| Credit report | $1,015 | 12% |"""


def columns(rows: list[list[str]], *, gap: float = 8, rules: str = "", head: str = "F2", shift: float = 0) -> Sheet:
    """Rows below a paragraph: labels left, the rest in Courier on right edges; *rules* below rows ("h": head)."""
    sheet = Sheet()
    sheet.lines(
        72, 740, ["The lender may charge what this table states for each of the services, and it keeps", "a record."]
    )
    y = 700.0
    for number, (label, *figures) in enumerate(rows):
        lines = label.split("|")
        for place, words in enumerate(figures):
            at = 420 + 90 * place + shift * (number % 2)
            font = head if number == 0 else "F3"
            sheet.text(at - 6 * len(words), y - 6 * (len(lines) - 1) * (rules == "m"), words, font=font)
        sheet.lines(72, y, lines, font=head if number == 0 else "F3")
        y -= 12 * len(lines) + gap
        if rules == "a" or (rules == "h" and number == 0):
            sheet.rule(72, y + gap / 2 + 8, 515, y + gap / 2 + 8)
    sheet.lines(
        72,
        y - 20,
        ["What is charged beyond that is returned to the borrower within thirty days of the day of", "closing."],
    )
    return sheet


def table_in(sheet: Sheet) -> str:
    return "\n".join(line for line in markdown(sheet).splitlines() if line.startswith("|"))


def test_pdf_open_table_is_table_by_gaps_or_rules() -> None:
    for sheet in (
        columns(OPEN_ROWS),
        columns(OPEN_ROWS, rules="h"),
        columns(OPEN_ROWS, rules="a"),
        columns(OPEN_ROWS, rules="m"),  # figures in the middle of their row
        columns(OPEN_ROWS, rules="a", head="F3"),
    ):
        assert table_in(sheet) == OPEN_TABLE
        text = markdown(sheet)
        assert text.startswith("The lender may charge what") and text.endswith("of the day of closing.")


def test_pdf_open_table_with_years_for_names_has_them_as_head() -> None:
    rows = [["State", "2023", "2024"], ["Adams", "1.5", "-2.5"], ["Brown", "3.0", "—"], ["Clay", "7.25", "11.0"]]
    assert table_in(columns(rows)).startswith("| State | 2023 | 2024 |\n| --- | --- | --- |\n| Adams | 1.5 | -2.5 |")
    assert table_in(columns(rows, head="F3")) == ""


def test_pdf_open_table_that_is_not_certain_stays_text() -> None:
    one_gap = columns(OPEN_ROWS, gap=0)  # no larger between rows than within a cell
    two_in_one = [[*row[:1], f"{row[1]} {row[2]}", "7%"] for row in OPEN_ROWS]
    for sheet in (
        one_gap,
        columns(OPEN_ROWS[1:]),  # no head
        columns(OPEN_ROWS[:3]),  # two rows
        columns(OPEN_ROWS, shift=20),  # figures on no edge
        columns(two_in_one),
        columns([*OPEN_ROWS[:3], ["Credit report", "", "12%"]]),
        columns([["", "Most of all charges", ""], *OPEN_ROWS[:3], ["Credit report", "see", "12%"]]),
        columns([["Chapter", "Page"], ["Adams", "3"], ["Brown", "11"], ["Clay", "12"]]),
    ):
        assert table_in(sheet) == ""


def test_pdf_open_table_loses_no_word() -> None:
    words = {word.strip("|") for row in OPEN_ROWS for text in row for word in text.replace("|", " ").split()}
    for gap in (0.0, 2.0, 4.0, 8.0):
        for rules in ("", "a", "h", "m"):
            assert words <= set(markdown(columns(OPEN_ROWS, gap=gap, rules=rules)).replace("|", " ").split())
