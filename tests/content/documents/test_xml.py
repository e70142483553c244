"""XML: the law's vocabularies by fixture, nothing lost, and nothing that a hostile file can do."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from lxml import etree

from rori_spiders.content.documents import read, tables
from rori_spiders.content.documents.xml import parser
from rori_spiders.exceptions import UnreadableDocument
from tests.support.cases import cases

URL = "https://www.example.gov/title-12.xml"
CASES = sorted(path.parent for path in (Path(__file__).parent / "fixtures").glob("*/input.xml"))


def markdown(body: str) -> str:
    return read("xml", body.encode(), url=URL).markdown


@cases("case", CASES, ids=lambda case: case.name)
def test_xml_fixture_gives_expected_markdown(case: Path) -> None:
    document = read("xml", (case / "input.xml").read_bytes(), url=URL)
    assert document.markdown == (case / "expected.md").read_text(encoding="utf-8")
    assert document.format == "markdown"


@pytest.mark.parametrize("case", [case for case in CASES if case.name != "regml-section"], ids=lambda case: case.name)
def test_xml_every_word_is_in_markdown(case: Path) -> None:
    """RegML splits words over elements ("<def>form</def>s"); all others keep theirs whole."""
    body = (case / "input.xml").read_bytes()
    plain = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", read("xml", body, url=URL).markdown)
    plain = re.sub(r"</?su[bp]>", " ", plain)
    root = etree.fromstring(body)
    wanted = Counter(word for text in root.itertext() for word in re.findall(r"\w+", str(text)))
    assert wanted - Counter(re.findall(r"\w+", plain)) == Counter()


def test_xml_title_and_facts_of_rule_are_read() -> None:
    case = next(case for case in CASES if case.name == "fr-rule-2012-31311")
    document = read("xml", (case / "input.xml").read_bytes(), url=URL)
    assert document.title is not None
    assert document.title.startswith("Home Mortgage Disclosure (Regulation C)")
    assert document.metadata["agency"] == "BUREAU OF CONSUMER FINANCIAL PROTECTION"
    assert "2012-31311" in document.metadata["identifier"]


def test_xml_dates_of_part_are_read() -> None:
    case = next(case for case in CASES if case.name == "cfr-part-1006")
    assert read("xml", (case / "input.xml").read_bytes(), url=URL).metadata["modified_date"] == "2012-01-01"


def test_xml_footnotes_follow_their_paragraph() -> None:
    text = markdown(
        "<RULE><P>Rates rise.<SU>1</SU><FTNT><P><SU>1</SU>By <E T='03'>law</E>.</P></FTNT> And fall.</P></RULE>"
    )
    assert text == "Rates rise.<sup>1</sup>\n\n> <sup>1</sup> By *law*.\n\nAnd fall.\n"


def test_xml_statement_across_columns_or_rows_stands_once() -> None:
    gpo = (
        "<GPOTABLE><BOXHD><CHED H='1'>Year</CHED><CHED H='1'>Low</CHED><CHED H='1'>High</CHED></BOXHD>"
        "<ROW><ENT>2019</ENT><ENT A='01'>not over 30</ENT></ROW></GPOTABLE>"
    )
    assert "| 2019 | not over 30 |  |" in markdown(f"<RULE>{gpo}</RULE>")
    rule = "A servicer must not charge more than 1,250 dollars for the whole of a year."
    rows = (
        "<TR><TH>State</TH><TH COLSPAN='2'>Fee of 2026</TH></TR><TR><TD>CA</TD>"
        "<TD ROWSPAN='2' COLSPAN='2'>not over 30</TD></TR>"
        f"<TR><TD ROWSPAN='2'>{rule}</TD></TR><TR><TD>1</TD><TD>2</TD></TR>"
    )
    assert markdown(f"<RULE><TABLE>{rows}</TABLE></RULE>").splitlines()[-5:] == [
        "| State | Fee of 2026 | Fee of 2026 |",
        "| --- | --- | --- |",
        "| CA | not over 30 |  |",
        f"| {rule} | not over 30 |  |",
        "|  | 1 | 2 |",
    ]


def test_xml_blank_of_print_is_restored() -> None:
    assert markdown("<RULE><P>Act.<E T='03'>See</E>75 FR 1, 2<E T='52'>n</E>.</P></RULE>") == (
        "Act. *See* 75 FR 1, 2<sub>n</sub>.\n"
    )


def test_xml_table_heads_and_spans_are_written() -> None:
    table = (
        "<GPOTABLE><TTITLE>Fees</TTITLE><BOXHD><CHED H='1'>Year</CHED><CHED H='1'>Fee</CHED><CHED H='2'>Low</CHED>"
        "<CHED H='2'>High</CHED></BOXHD><ROW><ENT>2019</ENT><ENT A='01'>None</ENT></ROW>"
        "<TNOTE>a Yearly.</TNOTE></GPOTABLE>"
    )
    assert markdown(f"<RULE>{table}</RULE>") == (
        "Fees\n\n| Year | Fee: Low | Fee: High |\n| --- | --- | --- |\n| 2019 | None | None |\n\na Yearly.\n"
    )


@cases(
    ("text", "expected"),
    [
        ("1986. A year", r"1986\. A year"),
        ("# 3", r"\# 3"),
        ("- dash", r"\- dash"),
        ("a * b", r"a \* b"),
        ("__", r"\_\_"),
        ("5 &lt;b&gt;", r"5 \<b>"),
        ("&amp;sect;", r"\&sect;"),
        ("[Reserved]", "[Reserved]"),
        ("[x](y)", r"[x\](y)"),
        ("snake_case", "snake_case"),
    ],
)
def test_xml_text_like_markdown_is_escaped(text: str, expected: str) -> None:
    assert markdown(f"<RULE><P>{text}</P></RULE>") == expected + "\n"


def test_xml_other_vocabulary_is_readable() -> None:
    body = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://a.gov/b</loc></url></urlset>"
    document = read("xml", body.encode(), url=URL)
    assert document.markdown == "https://a.gov/b\n"
    assert document.links == ("https://a.gov/b",)


def test_xml_links_are_absolute_and_listed_once() -> None:
    document = read(
        "xml", b"<a><b href='/c'>x</b><b href='/c'>y</b><b href='http://['>z</b><b href='mailto:q'/></a>", url=URL
    )
    assert document.links == ("https://www.example.gov/c",)


BILLION = "<!DOCTYPE l [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;'>]><l>&b;</l>"
FETCHING = "<!DOCTYPE l [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><l>&x;</l>"


@pytest.mark.parametrize("body", [BILLION, FETCHING, " " * 70_000 + BILLION], ids=["billion laughs", "file", "late"])
def test_xml_entities_are_refused(body: str) -> None:
    with pytest.raises(UnreadableDocument, match=r"entities|well formed"):
        read("xml", body.encode(), url=URL)


def test_xml_foreign_dtd_is_not_fetched() -> None:
    assert read("xml", b"<!DOCTYPE l SYSTEM 'http://127.0.0.1:9/x.dtd'><l>text</l>", url=URL).markdown == "text\n"


@cases(
    ("body", "sentence"),
    [
        ("<a><b></a>", "not well formed"),
        ("<RULE><P>cut o", "not well formed"),
        ("<a/>", "no text"),
        ("<a>" * 200 + "x" + "</a>" * 200, "levels deep"),
        ("<a>" * 100_000, "levels deep|not well formed"),
    ],
)
def test_xml_unreadable_body_has_reason(body: str, sentence: str) -> None:
    with pytest.raises(UnreadableDocument, match=sentence):
        read("xml", body.encode(), url=URL)


def test_xml_file_too_large_is_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "MAX_BYTES", 10)
    with pytest.raises(UnreadableDocument, match="at most 10"):
        read("xml", b"<a>more than ten</a>", url=URL)


@pytest.mark.parametrize("tag", ["DIV5", "DIV6", "DIV8", "DIV9"])
def test_xml_ecfr_part_has_title_of_its_own_heading(tag: str) -> None:
    inner = "" if tag in ("DIV8", "DIV9") else "<DIV8><HEAD>§ 1.1 Inner.</HEAD><P>Text.</P></DIV8>"
    body = f"<{tag}><HEAD>Its own heading</HEAD><P>Text.</P>{inner}</{tag}>"
    assert read("xml", body.encode(), url=URL).title == "Its own heading"


@cases(
    ("body", "expected"),
    [
        ("<DIV8><HEAD>§ 1</HEAD><P>(a) One.</P><P>(b) Two.</P>tail</DIV8>", "# § 1\n\n(a) One.\n\n(b) Two.\n\ntail\n"),
        ('<rates><rate date="2026-01-01" value="5.25"/></rates>', "rate: date 2026-01-01, value 5.25\n"),
        (
            '<rates asOf="2026-03-01"><rate date="2026-01-01" id="r1">5.50</rate></rates>',
            "rates: asOf 2026-03-01\n\n5.50 (date 2026-01-01)\n",
        ),
        (
            '<d>The <rate value="5.25"/> is <r day="2026-01-01">5</r>.</d>',
            "The (rate: value 5.25) is 5 (day 2026-01-01).\n",
        ),
        ('<l><county name="Adams"><one>1</one><two>2</two></county></l>', "county: name Adams\n\n1\n\n2\n"),
        ('<RULE><AGENCY TYPE="S">Board</AGENCY><GPH DEEP="4"><GID>1</GID></GPH></RULE>', "Board\n\n1\n"),
        (
            "<rss><summary>&lt;p&gt;At &lt;b&gt;5%&lt;/b&gt;&lt;/p&gt;&lt;a href='/x'&gt;it&lt;/a&gt;</summary></rss>",
            "At **5%**\n\n[it](https://www.example.gov/x)\n",
        ),
        ("<rss><item><description>a &lt; b and c &gt; d</description></item></rss>", "a < b and c > d\n"),
    ],
    ids=[
        "paragraphs beside text",
        "attributes alone",
        "of text",
        "in a line",
        "of a group",
        "layout",
        "escaped HTML",
        "signs",
    ],
)
def test_xml_document_gives_expected_markdown(body: str, expected: str) -> None:
    assert markdown(body) == expected


def test_xml_table_passage_across_columns_stands_once_and_a_label_in_each() -> None:
    passage = "The limit must not be more than 1,250 dollars for any county of the state of the lender."
    table = (
        "<TABLE><TR><TH>County</TH><TH>Low</TH><TH>High</TH></TR><TR><TD>Adams</TD><TD COLSPAN='2'>same limit</TD></TR>"
        f"<TR><TD>Brown</TD><TD COLSPAN='2'>{passage}</TD></TR></TABLE>"
    )
    shown = tables.html(etree.fromstring(table), lambda element: "".join(map(str, element.itertext())))
    assert "| Adams | same limit | same limit |" in shown
    assert f"| Brown | {passage} |  |" in shown
