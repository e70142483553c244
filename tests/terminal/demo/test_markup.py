"""GPO's markup as HTML, element by element."""

from __future__ import annotations

from lxml import etree

from tests.support.cases import cases
from tools.demo_site.gpo_markup import Body, table_html


def rendered(xml: str, *, closed_up: bool = False) -> str:
    return Body(closed_up=closed_up).html(etree.fromstring(f"<X>{xml}</X>"))


@cases(
    ("xml", "expected"),
    [
        ('<HD SOURCE="HD1">I. Background</HD>', "<h2>I. Background</h2>"),
        ('<HD SOURCE="HD3">Cushion</HD>', "<h4>Cushion</h4>"),
        ("<HD/>", ""),
        ("<P/>", ""),
        ("<P>A &amp; B &lt; C</P>", "<p>A &amp; B &lt; C</p>"),
        ('<P>the <E T="03">de minimis</E> rule</P>', "<p>the <em>de minimis</em> rule</p>"),
        ('<P>H<E T="52">2</E>O</P>', "<p>H<sub>2</sub>O</p>"),
        ("<STARS/>", '<p class="stars">* * * * *</p>'),
        ("<AMDPAR>2. In § 1</AMDPAR>", '<p class="amendment"><strong>2. In § 1</strong></p>'),
        ("<PRTPAGE P='9'/>", ""),
        ("<P>over <PRTPAGE P='9'/>the page</P>", "<p>over the page</p>"),
        ("<EXTRACT><P>x</P></EXTRACT>", '<div class="extract">\n<p>x</p>\n</div>'),
        (
            "<SECTION><SECTNO>§ 1026.52</SECTNO><SUBJECT>Limits.</SUBJECT><P>x</P></SECTION>",
            "<h3>§ 1026.52 Limits.</h3>\n<p>x</p>",
        ),
    ],
)
def test_demo_markup_element(xml: str, expected: str) -> None:
    assert rendered(xml) == expected


def test_demo_markup_paragraph_levels() -> None:
    text = rendered("<P>(a) A</P><P>(1) One</P><P>(i) I</P><P>(A) A</P><P>(ii) II</P><P>(2)(i) Two</P><P>(b) B</P>")
    assert [line.split('"')[1] + " " + line.split('"')[3] for line in text.splitlines()] == [
        "level-1 a",
        "level-2 a-1",
        "level-3 a-1-i",
        "level-4 a-1-i-A",
        "level-3 a-1-ii",
        "level-3 a-2-i",
        "level-1 b",
    ]


def test_demo_markup_headings_between_markers() -> None:
    xml = '<P>(d) <E T="03">Required information</E>—(1) <E T="03">In general.</E> As (2) says—</P><P>(i) Name</P>'
    first, second = rendered(xml).splitlines()
    assert first.startswith('<p class="level-2" id="d-1">(d) <em>Required')
    assert second == '<p class="level-3" id="d-1-i">(i) Name</p>'
    assert 'id="e-1-i"' in rendered('<P>(e) <E T="03">Record</E>. (1) <E T="03">Base.</E> (i) Either</P>')


def test_demo_markup_ambiguous_roman_letter_follows_letters() -> None:
    assert '"level-1" id="i"' in rendered("<P>(h) H</P><P>(i) I</P>")


def test_demo_markup_ids_are_unique() -> None:
    assert rendered("<P>(1) x</P><P>(1) y</P>").count('id="1"') == 1


def test_demo_markup_footnote_and_its_mark() -> None:
    xml = "<P>Rule,<SU>1</SU><FTREF/>the Bureau</P><FTNT><P><SU>1</SU>78 FR 1.</P></FTNT>"
    assert rendered(xml, closed_up=True) == (
        '<p>Rule,<sup><a href="#footnote-1">1</a></sup> the Bureau</p>\n'
        '<p class="footnote" id="footnote-1"><sup>1</sup> 78 FR 1.</p>'
    )


def test_demo_markup_joined_words_are_split_in_affected_files_only() -> None:
    xml = '<P>in the<E T="04">Federal Register</E>. See<E T="03">id.</E>at 7</P>'
    assert rendered(xml, closed_up=True) == ("<p>in the <strong>Federal Register</strong>. See <em>id.</em> at 7</p>")
    assert "the<strong>" in rendered(xml)


def test_demo_markup_table_with_three_heading_levels() -> None:
    xml = """<GPOTABLE><TTITLE>Step 1</TTITLE><TDESC>[Dollars]</TDESC><BOXHD><CHED H="1"/><CHED H="1">Single</CHED>
    <CHED H="2">Taxes</CHED><CHED H="3">pmt</CHED><CHED H="3">bal</CHED><CHED H="2">School</CHED></BOXHD>
    <ROW><ENT I="01">Jun</ENT><ENT>1</ENT><ENT>2</ENT><ENT>−3</ENT></ROW></GPOTABLE>"""
    assert table_html(etree.fromstring(xml), Body().inline).splitlines() == [
        "<table>",
        "<caption>Step 1 [Dollars]</caption>",
        "<thead>",
        '<tr><th scope="col" rowspan="3"></th><th scope="colgroup" colspan="3">Single</th></tr>',
        '<tr><th scope="colgroup" colspan="2">Taxes</th><th scope="col" rowspan="2">School</th></tr>',
        '<tr><th scope="col">pmt</th><th scope="col">bal</th></tr>',
        "</thead>",
        "<tbody>",
        '<tr><th scope="row">Jun</th><td>1</td><td>2</td><td>−3</td></tr>',
        "</tbody>",
        "</table>",
    ]
