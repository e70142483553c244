"""PowerPoint files: slides in their order, and what stands on them; broken and huge ones."""

from __future__ import annotations

import pytest

from rori_spiders.content.documents import read
from rori_spiders.content.documents.file_types import kind_of
from rori_spiders.content.documents.powerpoint import reader
from rori_spiders.exceptions import UnreadableDocument
from tests.content.documents.docx import zipped
from tests.support.cases import cases

URL = "https://www.example.gov/briefing.pptx"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMES = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    f'xmlns:r="{OFFICE}"'
)


def para(text: str, about: str = "") -> str:
    return f"<a:p>{about}<a:r><a:t>{text}</a:t></a:r></a:p>"


def shape(*paragraphs: str, place: str | None = None, hidden: str = "0") -> str:
    """A shape; *place* is what it is a placeholder of, None for a text box."""
    holder = "" if place is None else f'<p:ph type="{place}"/>'
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="a" hidden="{hidden}"/><p:nvPr>{holder}</p:nvPr></p:nvSpPr>'
        f"<p:txBody>{''.join(paragraphs)}</p:txBody></p:sp>"
    )


def title(text: str) -> str:
    return shape(para(text), place="title")


def frame(content: str) -> str:
    return f"<p:graphicFrame><a:graphic><a:graphicData>{content}</a:graphicData></a:graphic></p:graphicFrame>"


def slide(*shapes: str, about: str = "") -> str:
    return f"<p:sld {NAMES}{about}><p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld></p:sld>"


def related(*targets: tuple[str, str]) -> bytes:
    """Relationships rId1, rId2, ...: kind and target; addresses are external."""
    entries = "".join(
        f'<Relationship Id="rId{number}" Type="{OFFICE}/{kind}" Target="{target}"'
        f"{' TargetMode=' + chr(34) + 'External' + chr(34) if '://' in target else ''}/>"
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{entries}</Relationships>'.encode()


def pptx(*slides: str, more: dict[str, bytes] | None = None) -> bytes:
    places = [f"slides/slide{number}.xml" for number in range(1, len(slides) + 1)]
    listed = "".join(f'<p:sldId id="{256 + number}" r:id="rId{number}"/>' for number in range(1, len(slides) + 1))
    files = {
        "_rels/.rels": related(("officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f"<p:presentation {NAMES}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>".encode(),
        "ppt/_rels/presentation.xml.rels": related(*(("slide", place) for place in places)),
        **{f"ppt/{place}": text.encode() for place, text in zip(places, slides, strict=True)},
    }
    return zipped(files | (more or {}))


def text(*slides: str, more: dict[str, bytes] | None = None) -> str:
    return read("pptx", pptx(*slides, more=more), url=URL).markdown


def test_powerpoint_file_is_told_by_its_bytes() -> None:
    body = pptx(slide(title("Limits")))
    assert kind_of(body, "application/zip") == "pptx"
    document = read("pptx", body, url=URL)
    assert (document.markdown, document.title) == ("<!-- slide 1 -->\n\n## Limits\n", "Limits")
    assert document.metadata == {"kind": "pptx"}


def test_powerpoint_slides_are_read_title_first_and_shapes_in_order() -> None:
    group = f"<p:grpSp><p:nvGrpSpPr/>{shape(para('in a group'))}<p:grpSp>{shape(para('deeper'))}</p:grpSp></p:grpSp>"
    first = slide(shape(para("before")), title("Limits *2026*"), group, shape(para("after")))
    assert text(first, slide(shape(para("not for renters")))) == (
        "<!-- slide 1 -->\n\n## Limits \\*2026\\*\n\nbefore\n\nin a group\n\ndeeper\n\nafter\n\n"
        "<!-- slide 2 -->\n\nnot for renters\n"
    )


def test_powerpoint_lists_have_their_levels_and_numbers() -> None:
    def numbered(scheme: str, level: int = 0) -> str:
        return f'<a:pPr lvl="{level}"><a:buAutoNum type="{scheme}"/></a:pPr>'

    steps = shape(para("one"), para("sub", '<a:pPr lvl="1"/>'), para("left out", '<a:pPr lvl="4"/>'), place="body")
    counted = shape(
        *(para(word, numbered("arabicPeriod")) for word in ("a", "b")), para("c", numbered("alphaLcParenBoth"))
    )
    plain = shape(para("1. No list"), para("second"))
    assert text(slide(steps, counted, plain)) == (
        "<!-- slide 1 -->\n\n- one\n   - sub\n      - left out\n\n1. a\n2. b\n- (c) c\n\n1\\. No list\n\nsecond\n"
    )


def test_powerpoint_runs_keep_marks_breaks_and_links() -> None:
    runs = (
        '<a:p><a:r><a:t>Rate</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>1</a:t></a:r><a:br/>'
        '<a:r><a:rPr strike="sngStrike"/><a:t>5%</a:t></a:r><a:r><a:t> </a:t></a:r>'
        '<a:r><a:rPr><a:hlinkClick r:id="rId1"/></a:rPr><a:t>6%</a:t></a:r></a:p>'
    )
    more = {"ppt/slides/_rels/slide1.xml.rels": related(("hyperlink", "https://www.example.gov/a"))}
    document = read("pptx", pptx(slide(shape(runs)), more=more), url=URL)
    assert document.markdown.endswith("Rate<sup>1</sup>  \n~~5%~~ [6%](https://www.example.gov/a)\n")
    assert document.links == ("https://www.example.gov/a",)


def test_powerpoint_tables_have_head_and_write_merged_text_once() -> None:
    def row(*cells: str) -> str:
        return f"<a:tr>{''.join(cells)}</a:tr>"

    def cell(words: str, about: str = "") -> str:
        return f"<a:tc{about}><a:txBody>{para(words)}</a:txBody></a:tc>"

    table = "".join(
        (
            row(cell("County"), cell("Limit", ' gridSpan="2"'), cell("", ' hMerge="1"')),
            row(cell("Adams", ' rowSpan="2"'), cell("not over 5", ' gridSpan="2"'), cell("", ' hMerge="1"')),
            row(cell("", ' vMerge="1"'), cell("a|b"), cell("7")),
        )
    )
    assert text(slide(frame(f'<a:tbl><a:tblPr firstRow="1"/>{table}</a:tbl>'))) == (
        "<!-- slide 1 -->\n\n| County | Limit | Limit |\n| --- | --- | --- |\n| Adams | not over 5 |  |\n"
        "| Adams | a\\|b | 7 |\n"
    )
    assert "|  |  |  |\n| --- | --- | --- |\n| County |" in text(slide(frame(f"<a:tbl>{table}</a:tbl>")))


def test_powerpoint_chart_is_its_title_and_figures() -> None:
    def points(kind: str, *values: str) -> str:
        each = "".join(f'<c:pt idx="{at}"><c:v>{value}</c:v></c:pt>' for at, value in enumerate(values) if value)
        return f"<c:{kind}Ref><c:{kind}Cache><c:formatCode>0.0%</c:formatCode>{each}</c:{kind}Cache></c:{kind}Ref>"

    def series(name: str, *values: str) -> str:
        years = points("str", "2025", "2026")
        return (
            f"<c:ser><c:tx>{points('str', name)}</c:tx><c:cat>{years}</c:cat>"
            f"<c:val>{points('num', *values)}</c:val></c:ser>"
        )

    chart = (
        f"<c:chartSpace {NAMES}><c:chart><c:title><c:tx><c:rich>{para('Rates')}</c:rich></c:tx></c:title><c:plotArea>"
        f"<c:barChart>{series('Fixed', '0.061', '0.067')}{series('Adjustable', '', '0.05')}</c:barChart></c:plotArea>"
        "</c:chart></c:chartSpace>"
    )
    more = {
        "ppt/slides/_rels/slide1.xml.rels": related(("chart", "../charts/chart1.xml")),
        "ppt/charts/chart1.xml": chart.encode(),
    }
    assert text(slide(frame('<c:chart r:id="rId1"/>')), more=more) == (
        "<!-- slide 1 -->\n\n<!-- chart -->\n\nRates\n\n|  | Fixed | Adjustable |\n| --- | --- | --- |\n"
        "| 2025 | 6.1% |  |\n| 2026 | 6.7% | 5.0% |\n"
    )


def test_powerpoint_notes_stand_below_their_slide() -> None:
    notes = slide(shape(para("Not before May 5."), place="body"), shape(para("3"), place="sldNum"))
    more = {
        "ppt/slides/_rels/slide1.xml.rels": related(("notesSlide", "../notesSlides/notesSlide1.xml")),
        "ppt/notesSlides/notesSlide1.xml": notes.replace("p:sld ", "p:notes ").replace("p:sld>", "p:notes>").encode(),
    }
    found = text(slide(title("Limits")), slide(title("End")), more=more)
    assert "## Limits\n\n<!-- notes -->\n\nNot before May 5.\n\n<!-- slide 2 -->" in found


def test_powerpoint_what_is_left_out_is_named() -> None:
    feet = (shape(para("Agency"), place="ftr"), shape(para("2"), place="sldNum"))
    hidden = slide(title("Secret"), about=' show="0"')
    document = read("pptx", pptx(slide(title("A"), *feet, shape(para("unseen"), hidden="1")), hidden), url=URL)
    assert document.markdown == "<!-- slide 1 -->\n\n## A\n\n<!-- hidden slide: 2 -->\n"
    assert document.removed == ("page_footer", "page_number", "hidden_text", "hidden_slides")


def test_powerpoint_formula_is_its_letters() -> None:
    math = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    formula = f'<a:p><a:r><a:t>Rate </a:t></a:r><w xmlns="" xmlns:m="{math}"><m:r><m:t>x=5</m:t></m:r></w></a:p>'
    assert text(slide(shape(formula))).endswith("Rate x=5\n")


def test_powerpoint_strict_file_is_read_alike() -> None:
    whole = slide(title("Limits"))
    strict = whole.replace(
        "http://schemas.openxmlformats.org/presentationml/2006", "http://purl.oclc.org/ooxml/presentationml"
    )
    strict = strict.replace("http://schemas.openxmlformats.org/drawingml/2006", "http://purl.oclc.org/ooxml/drawingml")
    assert text(strict) == text(whole)


@cases(
    ("why", "body"),
    [
        ("holds no text", pptx(slide())),
        ("holds no text", pptx(slide(title("a"), about=' show="0"'))),
        ("holds no text", pptx()),
        ("a slide is missing", pptx(slide(title("a")), more={"ppt/_rels/presentation.xml.rels": related()})),
        ("presentation.xml is missing", zipped({"ppt/slides/slide1.xml": b"<a/>"})),
        ("was cut off", pptx(slide(title("a")))[:-40]),
        ("holds macros", pptx(slide(title("a")), more={"ppt/vbaProject.bin": b"x"})),
        ("more than 80,000", pptx(slide(shape("<a:p/>" * (reader.MAX_ELEMENTS + 1))))),
        ("at most 33,554,432", pptx(slide(title("a")), more={"ppt/media.xml": b" " * 34_000_000})),
    ],
)
def test_powerpoint_broken_or_huge_file_is_unreadable(why: str, body: bytes) -> None:
    with pytest.raises(UnreadableDocument, match=why):
        read("pptx", body, url=URL)


def test_powerpoint_senseless_numbers_change_nothing() -> None:
    odd = para("a", '<a:pPr lvl="-4"><a:buAutoNum type="" startAt="x"/></a:pPr>')
    table = '<a:tbl><a:tr><a:tc vMerge="1"/><a:tc hMerge="1"/></a:tr></a:tbl>'
    chart = frame('<c:chart r:id="none"/>')
    assert text(slide(shape(odd), frame(table), chart)) == "<!-- slide 1 -->\n\n- 1 a\n"
