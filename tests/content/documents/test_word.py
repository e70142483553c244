"""Word files: what a reader sees of them, what colleagues changed, and the files that must not pass for a page."""

from __future__ import annotations

import pytest

from rori_spiders.content.convert import convert
from rori_spiders.content.documents import read
from rori_spiders.content.documents.file_types import kind_of
from rori_spiders.content.documents.word import reader
from rori_spiders.exceptions import UnreadableDocument
from tests.content.documents.docx import cell, docx, item, numbering, p, row, run, table

URL = "https://www.example.gov/letters/2024-01.docx"
STYLES = (
    '<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="en-US"/></w:rPr></w:rPrDefault></w:docDefaults>'
    '<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Chapter"><w:name w:val="Chapter Head"/>'
    '<w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Section"><w:name w:val="Section Head"/><w:basedOn w:val="Chapter"/>'
    '<w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/>'
    '<w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    '<w:style w:type="character" w:styleId="Up"><w:name w:val="Up"/><w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'
    '</w:style><w:style w:type="character" w:styleId="Secret"><w:name w:val="S"/><w:rPr><w:vanish/></w:rPr></w:style>'
)
LEGAL = numbering(("decimal", "%1."), ("lowerLetter", "(%2)"), ("lowerRoman", "(%3)"), ("decimal", "%1.%4"))


def text(body: str, **parts: str) -> str:
    return read("docx", docx(body, **parts), url=URL).markdown  # type: ignore[arg-type]  # parts are named, not its options


def test_word_headings_levels_and_metadata_come_from_file() -> None:
    core = (
        "<dc:title>final_v3.docx</dc:title><dc:creator>An Agency</dc:creator>"
        "<dcterms:created>2024-01-31T12:00:00Z</dcterms:created>"
    )
    body = p("Letter 2024-01", style="Title") + p("Who", style="Chapter") + p("When", style="Section") + p("1986. Now")
    document = read("docx", docx(body, core=core, styles=STYLES), url=URL)
    assert document.markdown == "# Letter 2024-01\n\n# Who\n\n## When\n\n1986\\. Now\n"
    assert (document.title, document.language, document.format) == ("Letter 2024-01", "en-US", "markdown")
    assert document.metadata == {"author": "An Agency", "published_date": "2024-01-31T12:00:00Z", "kind": "docx"}


def test_word_list_numbers_are_those_word_shows() -> None:
    body = item("one") + item("alpha", 1) + item("beta", 1) + item("deep", 2) + item("two") + item("again", 1)
    assert text(body, numbering=LEGAL) == (
        "1. one\n   - (a) alpha\n   - (b) beta\n     - (i) deep\n2. two\n   - (a) again\n"
    )


def test_word_numbering_continues_after_text_and_restarts_where_stated() -> None:
    again = '<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/>'
    numbers = LEGAL + again + "</w:lvlOverride></w:num>"
    body = item("one") + p("Between") + item("two") + p("Then") + item("new", 0, 2) + item("sub", 3, 2)
    assert text(body, numbering=numbers) == "1. one\n\nBetween\n\n2. two\n\nThen\n\n1. new\n   - 1.1 sub\n"


def test_word_numbering_by_style_and_in_headings_is_shown() -> None:
    numbers = numbering(("upperRoman", "Article %1."), ("lowerLetter", "(%2)"))
    styles = STYLES.replace(
        '<w:outlineLvl w:val="0"/>', '<w:outlineLvl w:val="0"/><w:numPr><w:numId w:val="1"/></w:numPr>'
    )
    body = p("Scope", style="Chapter") + p("a clause", style="Clause") + p("Terms", style="Chapter")
    assert (
        text(body, styles=styles, numbering=numbers) == "# Article I. Scope\n\n- (a) a clause\n\n# Article II. Terms\n"
    )


def test_word_bullets_stay_bullets() -> None:
    assert text(item("x") + item("y", 1), numbering=numbering(("bullet", "•"), ("bullet", "o"))) == "- x\n  - y\n"


def test_word_tracked_changes_are_accepted_and_reported() -> None:
    deleted = '<w:del w:id="1" w:author="x"><w:r><w:delText>shall not</w:delText></w:r></w:del>'
    inserted = f'<w:ins w:id="2" w:author="x">{run("must")}</w:ins>'
    moved = f'<w:moveFrom w:id="3">{run("here")}</w:moveFrom><w:moveTo w:id="4">{run("there")}</w:moveTo>'
    rows = table(row(cell("gone"), cell("5"), about='<w:del w:id="5"/>'), row(cell("kept"), cell("6")))
    both = f'<w:ins w:id="6"><w:del w:id="7"><w:r><w:delText>never</w:delText></w:r></w:del>{run("pay")}</w:ins>'
    cells = table(row(cell("left", '<w:cellDel w:id="8"/>'), cell("7")), row(cell("a"), cell("b")))
    gone = table(row(cell("all"), about='<w:del w:id="9"/>'))
    body = p("It ", deleted, inserted, " ", moved, " ", both) + rows + p("And") + cells + gone
    document = read("docx", docx(body), url=URL)
    head = "|  |  |\n| --- | --- |\n"
    assert document.markdown == f"It must there pay\n\n{head}| kept | 6 |\n\nAnd\n\n{head}|  | 7 |\n| a | b |\n"
    assert document.removed == ("tracked_deletions", "tracked_insertions")


def test_word_insertions_alone_are_reported_as_such() -> None:
    document = read("docx", docx(p("It ", f'<w:ins w:id="2">{run("must")}</w:ins>')), url=URL)
    assert (document.markdown, document.removed) == ("It must\n", ("tracked_insertions",))


def test_word_deleted_paragraph_mark_joins_paragraphs() -> None:
    first = p("The servicer ", about='<w:rPr><w:del w:id="1"/></w:rPr>')
    assert text(first + p("must answer.")) == "The servicer must answer.\n"


def test_word_hidden_text_is_removed_and_reported() -> None:
    body = p(
        "Seen",
        run(" secret", "<w:vanish/>"),
        run(" style", '<w:rStyle w:val="Secret"/>'),
        run(" not", '<w:vanish w:val="0"/>'),
    )
    document = read("docx", docx(body, styles=STYLES, header=p("Page head"), comments=""), url=URL)
    assert document.markdown == "Seen not\n"
    assert document.removed == ("page_header", "hidden_text")


def test_word_notes_follow_text_and_marks_are_separated() -> None:
    note = '<w:footnote w:id="1">' + p("<w:r><w:footnoteRef/></w:r>", " See 12 CFR 1026.") + "</w:footnote>"
    body = p("Rates rise 5", '<w:r><w:footnoteReference w:id="1"/></w:r>', " per m", run("2", '<w:rStyle w:val="Up"/>'))
    assert text(body, styles=STYLES, footnotes=note) == (
        "Rates rise 5<sup>1</sup> per m<sup>2</sup>\n\n<sup>1</sup> See 12 CFR 1026.\n"
    )


def test_word_links_fields_boxes_and_formulas_are_written() -> None:
    box = f"<wps:txbx><w:txbxContent>{p('In a box')}</w:txbxContent></wps:txbx>"
    half = "<m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"
    square = "<m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
    body = (
        p(
            f'<w:hyperlink r:id="l1">{run("the rule")}</w:hyperlink>',
            f'<w:hyperlink w:anchor="b">{run(" below")}</w:hyperlink>',
        )
        + p('<w:fldSimple w:instr="DATE">' + run("May 1") + "</w:fldSimple>")
        + p(f'<w:r><mc:AlternateContent><mc:Choice Requires="wps">{box}</mc:Choice></mc:AlternateContent></w:r>')
        + p(f"<m:oMath>{half}<m:r><m:t>+</m:t></m:r>{square}</m:oMath>", " of it")
    )
    document = read("docx", docx(body, links={"l1": "https://www.example.gov/rule"}), url=URL)
    assert document.markdown == (
        "[the rule](https://www.example.gov/rule) below\n\nMay 1\n\nIn a box\n\n(1)/(2)+x^(2) of it\n"
    )
    assert document.links == ("https://www.example.gov/rule",)


def test_word_merged_cells_are_filled() -> None:
    rows = table(
        row(cell("State"), cell("Limit", '<w:gridSpan w:val="2"/>'), about="<w:tblHeader/>"),
        row(cell("CA", '<w:vMerge w:val="restart"/>'), cell("a"), cell("1")),
        row(cell("", "<w:vMerge/>"), cell("b|c"), cell("2")),
    )
    assert text(rows) == ("| State | Limit | Limit |\n| --- | --- | --- |\n| CA | a | 1 |\n| CA | b\\|c | 2 |\n")


def test_word_row_that_begins_or_ends_within_table_keeps_its_columns() -> None:
    rows = table(
        row(cell("State"), cell("Limit"), cell("Year"), about="<w:tblHeader/>"),
        row(cell("1,250"), cell("2014"), about='<w:gridBefore w:val="1"/>'),
        row(cell("1,300"), about='<w:gridBefore w:val="1"/><w:gridAfter w:val="1"/>'),
        row(cell("2015"), about='<w:gridBefore w:val="2"/>'),
        row(cell("CA"), cell("a"), cell("1"), about='<w:gridBefore w:val="x"/><w:gridAfter w:val="99999999"/>'),
    )
    head = "| State | Limit | Year |\n| --- | --- | --- |\n"
    assert text(rows) == f"{head}|  | 1,250 | 2014 |\n|  | 1,300 |  |\n|  |  | 2015 |\n| CA | a | 1 |\n"


def test_word_statement_in_merged_cell_stands_once() -> None:
    rule = "A servicer must not charge more than 1,250 dollars for the whole of a year."
    rows = table(
        row(cell("State"), cell("Limit", '<w:gridSpan w:val="2"/>'), about="<w:tblHeader/>"),
        row(cell("CA"), cell("a"), cell(rule, '<w:vMerge w:val="restart"/>')),
        row(cell("NY"), cell("b"), cell("", "<w:vMerge/>")),
        row(cell("WA"), cell(rule.upper(), '<w:gridSpan w:val="2"/>')),
    )
    assert [text(rows).count(one) for one in (rule, rule.upper())] == [1, 1]


def test_word_file_is_recognised_by_its_bytes() -> None:
    page = convert(docx(p("Text")), url=URL, content_type="text/html; charset=utf-8")
    assert (page.markdown, page.format) == ("Text\n", "markdown")
    assert page.html is None
    assert page.encoding is None


def test_word_same_bytes_give_same_text() -> None:
    body = docx(item("one") + p("two"), numbering=LEGAL)
    assert read("docx", body, url=URL) == read("docx", body, url=URL)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_word_truncated_file_is_unreadable(share: float) -> None:
    whole = docx(p("Text") * 50)
    part = whole[: int(len(whole) * share)]
    kind = kind_of(part, "application/octet-stream")
    assert kind in ("docx", "binary")
    with pytest.raises(UnreadableDocument, match="Word"):
        read(kind, part, url=URL)


def test_word_too_many_paragraphs_are_refused_before_parsing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_ELEMENTS", 20)
    with pytest.raises(UnreadableDocument, match="more than 20 elements"):
        read("docx", docx("<w:p/>" * 21 + "<unclosed"), url=URL)


def test_word_file_without_text_or_with_too_much_is_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnreadableDocument, match="holds no text"):
        read("docx", docx(p("")), url=URL)
    monkeypatch.setattr(reader, "MAX_ELEMENTS", 20)
    with pytest.raises(UnreadableDocument, match="more than 20 elements"):
        read("docx", docx(p("x") * 20), url=URL)


@pytest.mark.parametrize(("depth", "is_read"), [(40, True), (60, False)])
def test_word_nested_tables_are_written(depth: int, is_read: bool) -> None:
    body = p("deep")
    for _ in range(depth):
        body = table(f"<w:tr><w:tc>{body}</w:tc></w:tr>")
    if is_read:
        assert "deep" in text(body)
    else:
        with pytest.raises(UnreadableDocument, match="levels deep"):
            text(body)


@pytest.mark.parametrize(
    "part",
    ["<w:p><w:r><w:t>cut", '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', "<x/>", "<w:p/>" * 2],
    ids=["cut off", "entities", "other root", "no root"],
)
def test_word_invalid_part_is_unreadable(part: str) -> None:
    with pytest.raises(UnreadableDocument, match=r"2024-01\.docx"):
        read("docx", docx("", files={"word/document.xml": part.encode()}), url=URL)


def test_word_text_boxes_without_fallback_are_all_text() -> None:
    boxes = "".join(f"<wps:txbx><w:txbxContent>{p(words)}</w:txbxContent></wps:txbx>" for words in ("One", "Two"))
    group = f'<w:r><mc:AlternateContent><mc:Choice Requires="wpg">{boxes}</mc:Choice></mc:AlternateContent></w:r>'
    bare = f"<w:r><w:drawing>{boxes.replace('One', 'Three').replace('Two', 'Four')}</w:drawing></w:r>"
    text = read("docx", docx(p("Before", group) + p(bare) + p("After")), url=URL).markdown
    assert text.split() == ["Before", "One", "Two", "Three", "Four", "After"]


@pytest.mark.parametrize(
    ("number", "form", "shown"),
    [
        (1, "cardinalText", "One"),
        (21, "cardinalText", "Twenty-one"),
        (40, "cardinalText", "Forty"),
        (12, "ordinalText", "Twelfth"),
        (30, "ordinalText", "Thirtieth"),
        (45, "ordinalText", "Forty-fifth"),
        (100, "cardinalText", "100"),
    ],
)
def test_word_numbers_in_words_are_words(number: int, form: str, shown: str) -> None:
    level = numbering((form, "Part %1.")).replace('<w:start w:val="1"/>', f'<w:start w:val="{number}"/>')
    assert f"Part {shown}. Rates" in text(item("Rates"), numbering=level)


def test_word_tab_to_place_of_page_parts_words() -> None:
    body = '<w:p><w:r><w:t>Total</w:t><w:ptab w:alignment="right" w:relativeTo="margin"/><w:t>$900</w:t></w:r></w:p>'
    assert text(body).split() == ["Total", "$900"]


def test_word_numbers_in_words_of_another_language_are_figures() -> None:
    spanish = STYLES.replace("en-US", "es-ES")
    for form, shown in (("cardinalText", "One"), ("ordinalText", "First"), ("ordinal", "1st")):
        body, numbers = item("Plazo"), numbering((form, "Parte %1"))
        assert text(body, numbering=numbers, styles=STYLES).strip() == f"- Parte {shown} Plazo"
        assert text(body, numbering=numbers, styles=spanish).strip() == "- Parte 1 Plazo"
