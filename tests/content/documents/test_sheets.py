"""Excel workbooks: cells as Excel shows them, what it hides said so, and nothing that a hostile file can do."""

from __future__ import annotations

import datetime
import io
import re
from zipfile import ZipFile

import pytest
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.chart import BarChart
from openpyxl.comments import Comment
from openpyxl.utils.cell import get_column_letter

from rori_spiders.content.convert import convert
from rori_spiders.content.documents import read
from rori_spiders.content.documents.excel import reader
from rori_spiders.content.documents.excel.number_formats import Format
from rori_spiders.content.documents.file_types import kind_of
from rori_spiders.exceptions import UnreadableDocument
from tests.content.documents.docx import zipped
from tests.support.cases import cases

URL = "https://www.example.gov/limits.xlsx"


def saved(book: Workbook, sheet: tuple[str, str] | None = None) -> bytes:
    """The file; *sheet* replaces a pattern in the XML of its first sheet."""
    out = io.BytesIO()
    book.save(out)
    if sheet is None:
        return out.getvalue()
    with ZipFile(out) as made:
        files = {name: made.read(name) for name in made.namelist()}
    name = "xl/worksheets/sheet1.xml"
    changed, count = re.subn(sheet[0], sheet[1], files[name].decode())
    assert count
    return zipped({**files, name: changed.encode()})


def book(*rows: list[object], name: str = "Sheet") -> Workbook:
    made = Workbook()
    assert made.active is not None
    made.active.title = name
    for each in rows:
        made.active.append(each)
    return made


def text(made: Workbook) -> str:
    return read("xlsx", saved(made), url=URL).markdown


def test_sheet_is_section_with_text_around_table() -> None:
    made = book(["Loan limits"], [], ["State", "County"], ["CA", "Kern|x"], ["Source: HUD"], name="2024 `limits`")
    second = made.create_sheet("Notes")
    second["B2"] = "1986. Only\ntext"
    made.create_sheet("Empty")
    assert text(made) == (
        "## 2024 \\`limits\\`\n\nLoan limits\n\n| State | County |\n| --- | --- |\n| CA | Kern\\|x |\n\nSource: HUD\n\n"
        "## Notes\n\n1986\\. Only  \ntext\n"
    )


def test_sheet_figures_get_no_invented_head() -> None:
    assert text(book([2023, 2024], [1, 2])) == "## Sheet\n\n|  |  |\n| --- | --- |\n| 2023 | 2024 |\n| 1 | 2 |\n"


def test_sheet_merged_cells_are_filled_and_full_row_stands_once() -> None:
    made = book(["State", "Limit", None], ["CA", 1, 2], [None, 3, 4], ["All of it", None, None], ["NY", 5, 6])
    sheet = made.active
    assert sheet is not None
    for area in ("B1:C1", "A2:A3", "A4:C4"):
        sheet.merge_cells(area)
    assert text(made).split("\n")[2:] == [
        "| State | Limit | Limit |",
        "| --- | --- | --- |",
        "| CA | 1 | 2 |",
        "| CA | 3 | 4 |",
        "| All of it |  |  |",
        "| NY | 5 | 6 |",
        "",
    ]


def test_sheet_statement_in_merged_cells_stands_once() -> None:
    rule = "A servicer must not charge more than 1,250 dollars for the whole of a year."
    made = book(
        ["State", "Limit", None, "Year"],
        ["CA", 1250, None, 1],
        [rule, "not 30", "open", 2],
        [None, None, None, 3],
        [rule.upper(), None, None, 4],
        [rule.title(), None, None, None],
        ["", "", "", 5],
        ["WA", 1, 2, 6],
    )
    sheet = made.active
    assert sheet is not None
    for area in ("B1:C1", "B2:C2", "A3:A4", "B3:B4", "C3:C4", "A5:C5", "A6:D7"):
        sheet.merge_cells(area)
    assert text(made).split("\n")[2:-1] == [
        "| State | Limit | Limit | Year |",
        "| --- | --- | --- | --- |",
        "| CA | 1250 |  | 1 |",
        f"| {rule} | not 30 | open | 2 |",
        "|  | not 30 | open | 3 |",
        f"| {rule.upper()} |  |  | 4 |",
        f"| {rule.title()} |  |  |  |",
        "| WA | 1 | 2 | 6 |",
    ]


def test_sheet_hidden_cells_are_removed_and_reported() -> None:
    made = book(["a", "b", "c"], ["x", "secret", "y"], ["secret", "secret", "secret"], ["z", "secret", "w"])
    sheet = made.active
    assert sheet is not None
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["B"].hidden = True
    made.create_sheet("Lists -->").sheet_state = "veryHidden"
    document = read("xlsx", saved(made), url=URL)
    assert document.markdown == (
        "## Sheet\n\n<!-- hidden rows: 3 -->\n\n<!-- hidden columns: B -->\n\n"
        "| a | c |\n| --- | --- |\n| x | y |\n| z | w |\n\n<!-- hidden sheet: Lists - - -->\n"
    )
    assert document.removed == ("hidden_rows", "hidden_columns", "hidden_sheets")


def test_sheet_formulas_are_written_with_values() -> None:
    made = book(["a", "b"], [1, "=A2*2"], [2, "=A3*2"])
    assert "<!-- formulas without a computed value: 2 -->" in text(made) and "| 1 | =A2\\*2 |" in text(made)
    computed = saved(made, (r"<f>A(\d)\*2</f><v></v>", r"<f>A\1*2</f><v>4.50</v>"))
    assert read("xlsx", computed, url=URL).markdown.endswith("| 1 | 4.5 |\n| 2 | 4.5 |\n")


def test_sheet_note_is_separated_from_number_before_it() -> None:
    made = book(["a", "b"], ["x", None])
    assert made.active is not None
    made.active["B2"] = CellRichText("12.5", TextBlock(InlineFont(vertAlign="superscript"), "1"))
    assert "| x | 12.5<sup>1</sup> |" in text(made)


def test_sheet_shared_strings_preserve_raised_and_struck_text() -> None:
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    part = (
        f'<sst xmlns="{space}"><si><t>a*b_x000D_</t></si><si><r><t>CO</t></r><r><rPr><vertAlign val="subscript"/></rPr>'
        "<t>2</t></r><r><rPr><strike/></rPr><t>old</t></r><rPh><t>reading</t></rPh></si></sst>"
    )
    assert reader.shared_strings(part.encode()) == ["a\\*b", "CO<sub>2</sub>~~old~~"]


def test_sheet_metadata_comes_from_file() -> None:
    made = book(["a"])
    made.properties.title, made.properties.creator = "Limits", "HUD"
    made.properties.created = made.properties.modified = datetime.datetime(2024, 1, 31)
    document = read("xlsx", saved(made), url=URL)
    assert document.title == "Limits"
    assert document.metadata["author"] == "HUD"
    assert document.metadata["published_date"].startswith("2024-01-31")
    assert document.metadata["kind"] == "xlsx"


@cases(
    ("code", "number", "shown"),
    [
        ("General", "0.30000000000000004", "0.3"),
        ("General", "1234567890123", "1234567890123"),
        ("0.00%", "0.0525", "5.25%"),
        ("0.0", "0.25", "0.3"),  # away from zero, as Excel does, not to the even one
        ("#,##0", "-1234567.5", "-1,234,568"),
        ("#,##0.00_);(#,##0.00)", "-1234.5", "(1,234.50)"),
        ('_(* #,##0_);_(* (#,##0);_(* "-"??_);_(@_)', "0", "-"),
        ('$#,##0.0,,"M"', "12345678", "$12.3M"),
        ("00000", "501", "00501"),
        ("000-00-0000", "123456789", "123-45-6789"),
        ("[$€-407] #,##0.00", "5.5", "€ 5.50"),
        ("0.0#", "2", "2.0"),
        ("m/d/yyyy", "45322", "1/31/2024"),
        ("mmmm d, yyyy", "45322", "January 31, 2024"),
        ("# ?/?", "6.875", "6 7/8"),
        ("# ?/?", "0.5", "1/2"),
        ("# ?/?", "7", "7"),
        ("# ?/?", "2.99", "3"),
        ("# ??/??", "-5.3125", "-5 5/16"),
        ("?/?", "1.5", "3/2"),
        ('# ?/8"%"', "6.25", "6 2/8%"),
        ("h:mm AM/PM", "0.375", "9:00 AM"),
        ("[h]:mm", "1.5", "36:00"),
        ("yyyy-mm-dd hh:mm:ss", "45322.99999", "2024-01-31 23:59:59"),
        # Not understood, or shows nothing: the number as it is stored.
        ("0.00E+00", "12345", "1.23E+04"),
        ("0.00E+00", "-0.00123456", "-1.23E-03"),
        ("0.00E+00", "9.999", "1.00E+01"),
        ("0.00E+00", "0", "0.00E+00"),
        ("##0.0E+0", "123456", "123.5E+3"),
        ("0.##E-0", "1500", "1.5E3"),
        ("[<100]0;0.0", "5.25", "5.25"),
        (";;;", "5", "5"),
        ("m/d/yyyy", "-1", "-1"),
        ("0.0", "#N/A", "#N/A"),
        ("0.0", "1E+400000000", "1E+400000000"),
        ("General", "1.50E-40", "1.5E-40"),
        ("0" * 300, "5", "5"),
    ],
)
def test_sheet_numbers_are_formatted_as_in_excel(code: str, number: str, shown: str) -> None:
    assert Format(code).shown(number) == shown


def test_sheet_1904_dates_are_converted() -> None:
    assert Format("yyyy-mm-dd", is_1904=True).shown("0") == "1904-01-01"


def test_sheet_workbook_is_recognised_by_its_bytes() -> None:
    page = convert(saved(book(["a", "b"], ["c", "d"])), url=URL, content_type="text/html")
    assert page.markdown == "## Sheet\n\n| a | b |\n| --- | --- |\n| c | d |\n"
    assert page.html is None


def test_sheet_chart_alone_is_unreadable() -> None:
    made = book()
    made.create_chartsheet("Chart").add_chart(BarChart())
    with pytest.raises(UnreadableDocument, match="holds no text"):
        read("xlsx", saved(made), url=URL)


def test_sheet_cell_at_far_corner_is_cheap() -> None:
    made = book(["a"])
    assert made.active is not None
    made.active["XFD1048576"] = "far"
    merged = '</sheetData><mergeCells><mergeCell ref="A1:XFC1048570"/></mergeCells>'
    body = saved(made, ("</sheetData>", merged))
    assert read("xlsx", body, url=URL).markdown == "## Sheet\n\na\n\nfar\n"


def test_sheet_too_many_cells_are_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_CELLS", 5)
    with pytest.raises(UnreadableDocument, match="more than 5 cells"):
        text(book(["a", "b", "c"], ["d", "e", "f"]))
    monkeypatch.setattr(reader, "MAX_CELLS", 100)
    monkeypatch.setattr(reader, "MAX_CHARS", 10)
    with pytest.raises(UnreadableDocument, match="more than 10 characters"):
        text(book(["a" * 11]))


_CORNERS = "".join(
    f'<row r="{at}"><c r="{get_column_letter(at)}{at}"><v>1</v></c><c r="A{at}"><v>2</v></c></row>'
    for at in range(2, 3000)
)


@pytest.mark.parametrize(
    "more",
    [
        f"{_CORNERS}</sheetData>",
        "</sheetData><mergeCells>" + '<mergeCell ref="A1:XFB1"/>' * 2000 + "</mergeCells>",
    ],
    ids=["a diagonal", "merged again and again"],
)
def test_sheet_scattered_cells_are_bounded(more: str) -> None:
    made = book(["a", "b"])
    assert made.active is not None
    made.active["XFC1"] = "far"
    with pytest.raises(UnreadableDocument, match="spreads its cells over more than"):
        read("xlsx", saved(made, ("</sheetData>", more)), url=URL)


@pytest.mark.parametrize(
    ("pattern", "to"),
    [
        (r"<sheetData>", "<sheetData"),
        (r't="inlineStr"><is><t>a</t></is>', 't="s"><v>999</v>'),
        (r'r="A1" t', 'r="A!1" t'),
        (r"^", '<!DOCTYPE x [<!ENTITY a "b">]>'),
    ],
    ids=["markup", "string", "place", "entities"],
)
def test_sheet_broken_parts_are_unreadable(pattern: str, to: str) -> None:
    body = saved(book(["a", "b"]), (pattern, to))
    assert kind_of(body) == "xlsx"
    with pytest.raises(UnreadableDocument, match=r"limits\.xlsx"):
        read("xlsx", body, url=URL)


def test_sheet_same_bytes_give_same_text() -> None:
    body = saved(book(["a", 1.5], ["b", datetime.date(2024, 1, 31)]))
    assert read("xlsx", body, url=URL) == read("xlsx", body, url=URL)


def test_sheet_notes_and_text_boxes_stand_below_their_sheet() -> None:
    made = book(["State", "Limit"], ["CA", "not 5"], ["NV", "hidden"])
    sheet = made.worksheets[0]
    sheet["B2"].comment = Comment("Ann:\nfrom May 1\nnot for *renters*", "Ann")
    sheet["A3"].comment = Comment("of a hidden row", "Ann")
    sheet.row_dimensions[3].hidden = True
    assert text(made).endswith(
        "| CA | not 5 |\n\n<!-- notes on cells -->\n\n- B2 (Ann): from May 1  \n  not for \\*renters\\*\n"
    )


def test_sheet_notes_on_hidden_cells_are_named_as_removed() -> None:
    made = book(["State", "Limit"], ["CA", "5"], ["NV", "hidden"])
    made.worksheets[0]["A3"].comment = Comment("of a hidden row", "Ann")
    made.worksheets[0].row_dimensions[3].hidden = True
    assert read("xlsx", saved(made), url=URL).removed == ("hidden_notes", "hidden_rows")


def test_sheet_note_with_senseless_reference_is_kept() -> None:
    made = book(["State", "Limit"], ["CA", "5"])
    made.worksheets[0]["B2"].comment = Comment("not for renters", "Ann")
    with ZipFile(io.BytesIO(saved(made))) as whole:
        files = {name: whole.read(name) for name in whole.namelist()}
    part = next(name for name in files if "comment" in name and name.endswith(".xml"))
    for place in ("ZZZZ2", "Ä2", "2", "*B*2", ""):
        body = zipped({**files, part: files[part].replace(b'ref="B2"', f'ref="{place}"'.encode())})
        assert "(Ann): not for renters" in read("xlsx", body, url=URL).markdown, place


def test_sheet_text_box_is_text() -> None:
    made = book(["State", "Limit"], ["CA", "5"])
    made.worksheets[0].add_chart(BarChart(), "D4")
    box = (
        '<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><xdr:sp><xdr:txBody><a:p><a:r><a:t>Not for '
        "</a:t></a:r><a:r><a:t>renters</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:wsDr>"
    )
    with ZipFile(io.BytesIO(saved(made))) as whole:
        files = {name: whole.read(name) for name in whole.namelist()}
    body = zipped({**files, "xl/drawings/drawing1.xml": box.encode()})
    assert read("xlsx", body, url=URL).markdown.endswith("<!-- text boxes -->\n\nNot for renters\n")
