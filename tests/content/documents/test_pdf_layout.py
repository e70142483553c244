"""PDF: paragraphs, headings, reading order, running lines, raised marks."""

from __future__ import annotations

import io

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import Link

from rori_spiders.content.documents import Document, read
from rori_spiders.content.documents.pdf import page_layout, reader
from tests.content.documents.drawn import Sheet, drawn, outlined, prose
from tests.support.cases import cases

URL = "https://www.example.gov/rule.pdf"
LAW = (
    "The Bureau finds that a creditor must make a reasonable and good faith determination, at or before "
    "consummation, that the consumer will have a reasonable ability to repay the loan according to its terms. "
)
MORE = (
    "A servicer shall not impose a late fee of more than $25.00 unless the contract, as amended in 1986, allows one. "
    "Nothing in this paragraph limits the rights that a borrower has under any other law of the United States. "
)


def of(*sheets: Sheet) -> Document:
    return read("pdf", drawn(*sheets), url=URL)


def blocks(document: Document) -> list[str]:
    return [block for block in document.markdown.strip().split("\n\n") if not block.startswith("<!--")]


# --- paragraphs ----------------------------------------------------------------------------------------------------


def test_pdf_lines_become_paragraphs() -> None:
    sheet = Sheet()
    sheet.lines(72, 700, prose(LAW, 70))
    sheet.lines(72, 620, prose(MORE, 70))
    assert blocks(of(sheet)) == [LAW.strip(), MORE.strip()]


def test_pdf_indent_begins_paragraph() -> None:
    sheet = Sheet()
    sheet.lines(72, 700, prose("   " + LAW, 70) + prose("   " + MORE, 70))
    sheet.orders = [order.replace(" 72 ", " 90 ").replace("(   ", "(") for order in sheet.orders]
    sheet.orders = [
        order if "The Bureau" in order or "A servicer" in order else order.replace(" 90 ", " 72 ")
        for order in sheet.orders
    ]
    assert blocks(of(sheet)) == [LAW.strip(), MORE.strip()]


def test_pdf_deliberate_line_breaks_stay() -> None:
    sheet = Sheet()
    sheet.lines(72, 700, [*prose(LAW, 70), "1700 G Street NW", "Washington, DC 20552"])
    assert of(sheet).markdown.endswith("1700 G Street NW  \nWashington, DC 20552\n")


def test_pdf_enumerators_are_text() -> None:
    sheet = Sheet()
    sheet.lines(72, 700, [*prose(LAW, 70), "(a) Scope.", "(b) Terms.", "1986. A year.", "- A dash."])
    assert of(sheet).markdown.endswith("(a) Scope.\n\n(b) Terms.\n\n1986\\. A year.\n\n\\- A dash.\n")


@cases(
    ("before", "after", "elsewhere", "expected"),
    [
        ("a deter-", "mination of income", "The determination stands.", "a determination of income"),
        ("a deter-", "mination of income", "It stands.", "a deter-mination of income"),
        ("a long-", "term loan for homes", "A longterm loan, a long-term loan.", "a long-term loan for homes"),
        ("of 1026-", "32 and its comments", "102632 and determination.", "of 1026-32 and its comments"),
        ("a re-", "lease of the borrower", "The release stands.", "a re-lease of the borrower"),
    ],
)
def test_pdf_hyphen_is_removed_only_with_evidence(before: str, after: str, elsewhere: str, expected: str) -> None:
    sheet = Sheet()
    sheet.lines(72, 700, [before, after])
    sheet.lines(72, 600, [elsewhere])
    assert blocks(of(sheet))[0] == expected


def test_pdf_text_like_markup_is_escaped() -> None:
    sheet = Sheet()
    sheet.text(72, 700, "# 5 *stars* <b>bold</b> `code` [a](b) <!-- page 9 -->")
    assert blocks(of(sheet)) == ["\\# 5 \\*stars\\* \\<b>bold\\</b> \\`code\\` [a\\](b) \\<!-- page 9 -->"]


# --- headings ------------------------------------------------------------------------------------------------------


def test_pdf_larger_print_is_heading_by_size() -> None:
    sheet = Sheet()
    sheet.text(72, 740, "Ability to Repay", size=20)
    sheet.text(72, 710, "Purpose and scope", size=14)
    sheet.lines(72, 690, prose(LAW * 3, 70))
    sheet.text(72, 560, "Effective date", size=14)
    sheet.lines(72, 540, prose(MORE * 3, 70))
    document = of(sheet)
    headings = [block for block in blocks(document) if block.startswith("#")]
    assert headings == ["# Ability to Repay", "## Purpose and scope", "## Effective date"]
    assert document.title == "Ability to Repay"


def test_pdf_separate_bold_line_is_heading_and_bold_words_are_not() -> None:
    sheet = Sheet()
    sheet.lines(72, 730, prose(LAW * 3, 70))
    sheet.text(72, 600, "Effective date", font="F2")
    sheet.lines(72, 584, prose(MORE * 3, 70))
    sheet.text(72, 400, "This sentence is bold because it matters.", font="F2")
    sheet.lines(72, 388, prose(LAW * 3, 70))
    assert [block for block in blocks(of(sheet)) if block.startswith("#")] == ["# Effective date"]


def levels_of(titles: list[str], sizes: tuple[float, ...] = (10,)) -> list[int]:
    """The levels of bold headings, each above a paragraph, on pages of four."""
    sheets = []
    for start in range(0, len(titles), 4):
        sheets.append(Sheet())
        for place, title in enumerate(titles[start : start + 4]):
            top = 740 - 170 * place
            sheets[-1].text(72, top, title, font="F2", size=sizes[(start + place) % len(sizes)])
            sheets[-1].lines(72, top - 20, prose(LAW * 4, 70))
    return [block.index(" ") for block in blocks(of(*sheets)) if block.startswith("#")]


@cases(
    ("titles", "levels"),
    [
        (["1. Who may ask", "2. Loans", "2.1 Small loans", "2.2 Large loans", "3. Fees"], [1, 1, 2, 2, 1]),
        (["I. Scope", "A. Who", "B. What", "II. Fees", "A. Late", "1. When", "2. Where"], [1, 2, 2, 1, 2, 3, 3]),
        (["A. Cats", "B. Dogs", "C. Hens", "H. Cows"], [1, 1, 1, 1]),  # a number is missing: nothing is certain
        (["SCOPE", "Who may ask", "FEES", "Late fees"], [1, 2, 1, 2]),
        (["Scope", "FEES", "Who may ask", "LOANS"], [1, 1, 1, 1]),
        (["Summary", "I. Scope", "A. Who", "2024 Figures"], [1, 1, 2, 1]),
    ],
)
def test_pdf_bold_headings_have_levels_by_numbers_or_capitals(titles: list[str], levels: list[int]) -> None:
    assert levels_of(titles) == levels


def test_pdf_bold_headings_have_levels_by_size_seen_twice_and_first() -> None:
    titles = ["Scope", "Who may ask", "Fees", "Late fees"]
    assert levels_of(titles, (11, 10)) == [1, 2, 1, 2]
    assert levels_of(titles, (10, 11)) == [1, 1, 1, 1]


def test_pdf_outline_gives_headings_and_levels() -> None:
    sheet = Sheet()
    sheet.text(72, 740, "Chapter 1. Loans", font="F2")
    sheet.text(72, 720, "1.1 Who may ask")
    sheet.lines(72, 700, prose(LAW, 70))
    body = outlined(drawn(sheet), [("Loans", 0, 0), ("Who may ask", 0, 1), ("Not there", 0, 1)])
    headings = [block for block in blocks(read("pdf", body, url=URL)) if block.startswith("#")]
    assert headings == ["# Chapter 1. Loans", "## 1.1 Who may ask"]


def test_pdf_broken_outline_is_ignored() -> None:
    sheet = Sheet()
    sheet.lines(72, 700, prose(LAW, 70))
    body = outlined(drawn(sheet), [("Loans", 0, 0), ("", 0, 0)])
    broken = body.replace(b"/Dest", b"/Dets").replace(b"/Next", b"/Prev")
    assert blocks(read("pdf", broken, url=URL)) == [LAW.strip()]


def test_pdf_poster_has_no_headings() -> None:
    sheet = Sheet()
    for index, words in enumerate(["Board meetings", "January 10", "March 14", "July 11", "Open to the public"]):
        sheet.text(100, 700 - 40 * index, words, size=18 + 4 * (index % 3))
    assert "#" not in of(sheet).markdown


# --- reading order -------------------------------------------------------------------------------------------------

LEFT, RIGHT = prose(LAW * 4, 38), prose(MORE * 4, 38)


def columns(order: str) -> Sheet:
    """Two columns of prose, drawn column by column or row by row, below a title that runs across."""
    sheet = Sheet()
    left = [(72, 700 - 12 * row, words) for row, words in enumerate(LEFT)]
    right = [(318, 700 - 12 * row, words) for row, words in enumerate(RIGHT)]
    rows = (
        [place for pair in zip(left, right, strict=False) for place in pair] + left[len(right) :] + right[len(left) :]
    )
    for x, y, words in left + right if order == "by column" else rows:
        sheet.text(x, y, words, font="F3")
    sheet.text(72, 740, "Rules and Regulations of the Bureau of Consumer Financial Protection", size=14)
    return sheet


@pytest.mark.parametrize("order", ["by column", "by row"])
def test_pdf_columns_are_read_one_after_other(order: str) -> None:
    texts = blocks(of(columns(order)))
    assert texts[0] == "# Rules and Regulations of the Bureau of Consumer Financial Protection"
    assert " ".join(texts[1:]) == f"{LAW * 4}{MORE * 4}".strip()


def test_pdf_block_drawn_late_is_read_in_its_place() -> None:
    sheet = Sheet()
    sheet.lines(72, 600, prose(MORE, 70))
    sheet.lines(72, 700, prose(LAW, 70))
    assert blocks(of(sheet)) == [LAW.strip(), MORE.strip()]


def test_pdf_rows_of_short_entries_are_not_columns() -> None:
    sheet = Sheet()
    for row in range(12):
        sheet.text(72, 700 - 12 * row, f"County {row}", font="F3")
        sheet.text(318, 700 - 12 * row, f"{row},500", font="F3")
    assert "County 3 3,500  \nCounty 4 4,500  \n" in of(sheet).markdown


@pytest.mark.parametrize("rotate", [0, 90, 270])
def test_pdf_rotated_page_reads_like_any_other(rotate: int) -> None:
    turn = {0: "1 0 0 1", 90: "0 1 -1 0", 270: "0 -1 1 0"}[rotate]
    sheet = Sheet(rotate=rotate)
    for index, words in enumerate(prose(LAW, 70)):
        x, y = {0: (72, 700 - 12 * index), 90: (100 + 12 * index, 72), 270: (500 - 12 * index, 700)}[rotate]
        sheet.text(x, y, words, font="F3", turn=turn)
    assert blocks(of(sheet)) == [LAW.strip()]


# --- running lines -------------------------------------------------------------------------------------------------


def book(count: int, *, foot: str = "Page {}") -> list[Sheet]:
    sheets = []
    for number in range(1, count + 1):
        sheet = Sheet()
        sheet.text(72, 760, "Federal Register / Vol. 79, No. 248")
        sheet.lines(72, 700, prose(f"Section {number * 7} of the Act. {LAW}", 70))
        sheet.text(300, 30, foot.format(number + 77240))
        sheets.append(sheet)
    return sheets


def test_pdf_running_lines_are_removed_and_named() -> None:
    document = of(*book(5))
    assert document.markdown.count("Federal Register / Vol. 79, No. 248") == 1
    assert "Page 77241" in document.markdown
    assert "Page 77242" not in document.markdown
    assert document.removed == ("running_head", "running_foot")
    assert document.metadata["running_lines"] == "Federal Register / Vol. 79, No. 248\nPage {page+77240}"
    assert document.kept_share < 1
    assert all(f"Section {number * 7} of" in document.markdown for number in range(1, 6))


def test_pdf_bare_page_numbers_are_removed() -> None:
    document = of(*book(4, foot="{}"))
    assert "77241" not in document.markdown
    assert "page_number" in document.removed


def test_pdf_two_pages_have_running_lines_that_are_the_same_on_both() -> None:
    document = of(*book(2))
    assert document.markdown.count("Federal Register / Vol. 79, No. 248") == 1
    assert "Page 77242" in document.markdown  # that it numbers the pages is not certain
    assert document.removed == ("running_head",)


@cases(
    ("lines", "left"),
    [
        (("Page 1 of 2", "Page 2 of 2"), 1),
        (("2026 guide, page 1", "2026 guide, page 2"), 1),
        (("1", "2"), 0),
        (("Question 1", "Question 2"), 2),
        (("12", "12"), 2),
        (("This does not apply to 30 loans.", "This does apply to 30 loans."), 2),
    ],
)
def test_pdf_lines_of_two_pages_stay_where_they_may_be_text(lines: tuple[str, str], left: int) -> None:
    sheets = book(2, foot="")
    for sheet, line in zip(sheets, lines, strict=True):
        sheet.text(300, 30, line)
    shown = of(*sheets).markdown.splitlines()
    assert sum(shown.count(line) for line in dict.fromkeys(lines)) == left


@cases("words", ["Rates in {}", "Table {}. Limits", "Exhibit {}", "§ {}", "Fees for {}"])
def test_pdf_counter_that_differs_from_page_number_stays(words: str) -> None:
    sheets = [Sheet() for _ in range(5)]
    for index, sheet in enumerate(sheets):
        sheet.text(72, 740, words.format(2019 + index))
        sheet.text(72, 600, f"The limit of {'abcde'[index] * 4} stands here.")
    markdown = read("pdf", drawn(*sheets), url=URL).markdown
    assert [words.format(2019 + index) in markdown for index in range(5)] == [True] * 5


def test_pdf_figure_at_foot_of_each_page_stays() -> None:
    sheets = book(5, foot="")
    for sheet, figure in zip(sheets, (12, 500, 7, 1986, 32), strict=True):
        sheet.text(300, 30, f"{figure}")
    assert all(f"\n{figure}" in of(*sheets).markdown for figure in (12, 500, 7, 1986, 32))


# --- marks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rise", "name"), [(4, "sup"), (-3, "sub")])
def test_pdf_raised_or_lowered_digit_is_separated_from_number(rise: int, name: str) -> None:
    sheet = Sheet()
    sheet.orders.append(
        f"BT /F1 10 Tf 72 700 Td (for 1,200) Tj /F1 6 Tf {rise} Ts (3) Tj 0 Ts /F1 10 Tf ( acres) Tj ET"
    )
    assert blocks(of(sheet)) == [f"for 1,200<{name}>3</{name}> acres"]


def test_pdf_note_begins_with_its_mark() -> None:
    sheet = Sheet()
    sheet.orders.append("BT /F1 6 Tf 72 700 Td 4 Ts (3) Tj 0 Ts /F1 10 Tf ( See 78 FR 4726.) Tj ET")
    assert blocks(of(sheet)) == ["<sup>3</sup> See 78 FR 4726."]


# --- links, bounds -------------------------------------------------------------------------------------------------


def test_pdf_link_annotations_become_links() -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(drawn(columns("by column")))))
    for address in ("https://www.ecfr.gov/title-12", "mailto:a@example.gov", "https://www.ecfr.gov/title-12"):
        writer.add_annotation(0, Link(rect=(72, 700, 200, 712), url=address))
    out = io.BytesIO()
    writer.write(out)
    assert read("pdf", out.getvalue(), url=URL).links == ("https://www.ecfr.gov/title-12",)


@pytest.mark.parametrize(("name", "reason"), [("MAX_WORDS", "page 1 holds"), ("MAX_LAID_OUT", "the document holds")])
def test_pdf_file_too_large_for_layout_is_plain_text_with_reason(
    name: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_layout if name == "MAX_WORDS" else reader, name, 5)
    sheet = Sheet()
    sheet.lines(72, 700, prose(LAW, 70))
    document = of(sheet)
    assert document.way == "plain_text"
    assert document.metadata["plain_text"].startswith(reason)
    assert " ".join(document.markdown.split()) == f"<!-- page 1 --> {LAW.strip()}"


def test_pdf_plain_text_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_LAID_OUT", 5)
    sheet = Sheet()
    sheet.lines(72, 700, ["# 5 days", "1. A *fee* of <b>", "- 3", "[a](b)"])
    assert of(sheet).markdown.splitlines()[2:] == ["\\# 5 days", "1\\. A \\*fee\\* of \\<b>", "\\- 3", "[a\\](b)"]


def test_pdf_text_far_off_page_is_cheap() -> None:
    sheet = Sheet()
    sheet.lines(72, 700, prose(LAW * 4, 40))
    sheet.text(3e8, 100, "far")
    sheet.text(72, 1e30, "away", size=1e7)
    assert blocks(of(sheet))[0] == f"{LAW * 4}".strip()


def test_pdf_head_drawn_last_does_not_move_words_of_justified_text() -> None:
    """Blanks wider than a size part the words of a row; a head over some of them stands above all."""
    sheet = Sheet()
    rows = [["Each", "servicer", "shall", "not"], ["charge", "any", "fee", "at"], ["all", "to", "a", "borrower."]]
    for number, words in enumerate(rows):
        for place, word in enumerate(words):
            sheet.text(72 + 110 * place, 600 - 12 * number, word)
    sheet.text(280, 760, "Agency manual")
    text = " ".join(read("pdf", drawn(sheet), url=URL).markdown.split())
    assert text.endswith("Agency manual Each servicer shall not charge any fee at all to a borrower.")


def test_pdf_bullets_drawn_apart_begin_their_lines() -> None:
    sheet = Sheet()
    sheet.text(72, 700, "A notice states:")
    sheet.text(90, 680, "the date of payment, and")
    sheet.text(90, 660, "the amount that the borrower has not yet paid on the note.")
    sheet.text(78, 680, "•")
    sheet.text(78, 660, "•")
    assert blocks(of(sheet)) == [
        "A notice states:",
        "• the date of payment, and",
        "• the amount that the borrower has not yet paid on the note.",
    ]
