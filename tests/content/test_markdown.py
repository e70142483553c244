"""What each kind of element becomes; and text that must not become anything."""

from __future__ import annotations

from lxml.html import fragment_fromstring
from markdown_it import MarkdownIt

from tests.content.pages import markdown_of
from tests.support.cases import cases


@cases(
    ("html", "markdown"),
    [
        ("<h1>One</h1><h3>Three</h3>", "# One\n\n### Three"),
        ("<h2><b>§&nbsp;5</b> Scope<br>of rule</h2>", "## § 5 Scope of rule"),
        ("<h2><h2>Twice opened</h2></h2>", "## Twice opened"),
        ("<p>one\n  two\u00a0three</p><p>four</p>", "one two three\n\nfour"),
        ("<div>loose<p>block</p>loose again</div>", "loose\n\nblock\n\nloose again"),
        ("<p>line<br>next</p>", "line  \nnext"),
        ("<p>a<br><br><br></p><p>b</p>", "a\n\nb"),
        ("<p>5<sup>2</sup> CO<sub>2</sub></p>", "5<sup>2</sup> CO<sub>2</sub>"),
        ("<p>pro\u00advision \u200bof&#150;law&#8239;x</p>", "provision of–law x"),
        ("<p>an <em>important</em> <i>rule</i></p>", "an *important* *rule*"),
        ("<p><b>A</b><b>B</b> <strong> padded </strong>end</p>", "**AB** **padded** end"),
        ("<p><b>Sec. 1.</b>Text</p>", "<strong>Sec. 1.</strong>Text"),
        ("<p><b></b>x<i> </i>y</p>", "x y"),
        ("<p>The <del>old</del> and <ins>new</ins> <s>gone</s></p>", "The ~~old~~ and <ins>new</ins> ~~gone~~"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
        ("<dl><dt>Term<dd>First.<dd>Second.</dl>", "Term\n: First.\n: Second."),
        ("<dl><dt>APR<dt>Rate<!-- a year --><dt>Cost<dd>Of credit.</dl>", "APR\nRate\nCost\n: Of credit."),
        ("<dl><dt>One<dd>First.<dt>Two<dt>Three</dl>", "One\n: First.\n\nTwo\n\nThree"),
        ("<p>see <code>a*b_c</code></p>", "see `a*b_c`"),
        ("<pre>  a\n    b &lt;c&gt;</pre>", "```\n  a\n    b <c>\n```"),
        ("<pre>has ``` in it</pre>", "````\nhas ``` in it\n````"),
        ("<p>he said <q>yes</q></p>", "he said “yes”"),
        ("<p>a</p><hr><p>b</p>", "a\n\n---\n\nb"),
        ("<p>The rate is <img src=r.png alt='5.5 %'> a year</p>", "The rate is 5.5 % a year"),
        ("<p>where <b>P</b> <img src=e.gif alt='= r(1+r)'> <i>N</i></p>", "where **P** = r(1+r) *N*"),
        ("<p>Visit <img src=x.png alt='external link icon'> us</p>", "Visit us"),
        ("<p><img src=x.png alt=Rules>Rules of the court</p>", "Rules of the court"),
        ("<p>x<img src=a.png alt=Seal><svg><text>no</text></svg><script>no()</script>y</p>", "xy"),
        ("<details><summary>More</summary><p>Text</p></details>", "More\n\nText"),
        ("<p><span>1986</span>. A paragraph</p>", "1986\\. A paragraph"),
        ("<p><span>3</span>) A</p><p>In <span>1986</span>. A</p>", "3\\) A\n\nIn 1986. A"),
        (
            "<p><code>x<sup>2</sup> *y*</code> and <code>*z*</code></p>",
            "<code>x<sup>2</sup> \\*y\\*</code> and `*z*`",
        ),
        ("<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby> <ruby>字<rt>ji</rt></ruby></p>", "漢(kan) 字(ji)"),
        ("<p><span>1986</span>.5 A</p>", "1986.5 A"),
    ],
)
def test_markdown_of_element_is_expected(html: str, markdown: str) -> None:
    assert markdown_of(html) == markdown


@cases(
    ("html", "markdown"),
    [
        ('<a href="../x/?a=1&amp;b=2">t</a>', "[t](https://www.example.gov/rules/x/?a=1&b=2)"),
        ('<a href="//other.gov/a b(c">t</a>', "[t](https://other.gov/a%20b%28c)"),
        ('<a href="/a_(b)">t</a>', "[t](https://www.example.gov/a_(b))"),
        ('<a href="#n1">1</a>', "[1](https://www.example.gov/rules/1099/#n1)"),
        ('<a href="mailto:a@b.gov">write</a>', "[write](mailto:a@b.gov)"),
        ('<a href="javascript:x()">text</a> <a name="n">anchor</a>', "text anchor"),
        ('<a href="f.pdf"><img alt="Form 1"></a>', "[Form 1](https://www.example.gov/rules/1099/f.pdf)"),
        (
            '<a href="f.pdf"><img alt="Form 1"></a> is here',
            "[Form 1](https://www.example.gov/rules/1099/f.pdf) is here",
        ),
        ('<a href="/home"><img alt="Logo"></a>after', "after"),
        ('<a href="/c"><h3>Card</h3><p>Text</p></a>', "### [Card](https://www.example.gov/c)\n\nText"),
        (
            '<p>(<a href="/a">see</a>)!<a href="/b">b</a></p>',
            "([see](https://www.example.gov/a))\\![b](https://www.example.gov/b)",
        ),
        ('<a href="/a">x<br></a>y', "[x](https://www.example.gov/a)  \ny"),
        ('<b><a href="/a">x</a></b>', "**[x](https://www.example.gov/a)**"),
    ],
)
def test_markdown_of_link_is_expected(html: str, markdown: str) -> None:
    assert markdown_of(html) == markdown


def test_markdown_preformatted_text_preserves_links_and_order() -> None:
    html = '<pre>1. <a href="/op1.pdf">24-1882</a>  Evans <b>v. <i>Smith</i></b> &amp; Co\n2. none\n</pre>'
    assert markdown_of(html) == (
        '<pre>\n1. <a href="https://www.example.gov/op1.pdf">24-1882</a>  Evans <b>v. <i>Smith</i></b> &amp; Co\n'
        "2. none\n</pre>"
    )


def test_markdown_preformatted_text_preserves_meaningful_marks() -> None:
    assert markdown_of("<pre>5 m<sup>2</sup> &lt; <del>10</del><ins>20</ins></pre>") == (
        "<pre>\n5 m<sup>2</sup> &lt; <del>10</del><ins>20</ins>\n</pre>"
    )


@cases(
    "text",
    [
        "1986. A paragraph",
        "7) of the list",
        "# 4 counts",
        "- a dash",
        "+ a plus",
        "> 5 acres",
        "=====",
        "---",
        "* starred * text_with_underscores _and_ more *",
        "[80 FR 12345, March 1, 2015]",
        "[a](b) and [c]: d",
        "[note]: at the start",
        "<section> and <https://x.gov/> & &amp; &sect;",
        r"a \ b \* c",
        "back`tick and ``two``",
        "~~~ and ~~struck~~",
        "a | b | c",
        "!important [x]",
        ": a colon",
        "https://www.ecfr.gov/current/title-12/part-1024_x*y",
    ],
)
def test_markdown_text_like_markup_reads_back(text: str) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    for html in (
        f"<p>{escaped}</p>",
        f"<ul><li>{escaped}</li></ul>",
        f"<p>before<br>{escaped}</p>",
        f"<p><i>{escaped}</i></p>",
    ):
        read = MarkdownIt("commonmark").enable("table").enable("strikethrough").render(markdown_of(html))
        assert text in _text(read), read


def _text(html: str) -> str:
    return str(fragment_fromstring(html, create_parent="div").text_content())


def test_markdown_adjacent_elements_form_no_link() -> None:
    assert markdown_of("<p>[80 FR 1]<span>(2015)</span></p>") == "[80 FR 1\\](2015)"


def test_markdown_emphasis_over_blocks_does_not_break_them() -> None:
    assert markdown_of("<b><p>one</p><p>two</p></b>") == "one\n\ntwo"


def test_markdown_empty_block_separates_words() -> None:
    assert markdown_of("<strong>Supreme Court<p></p></strong>Hand Down List") == "**Supreme Court**\n\nHand Down List"


def test_markdown_text_inside_picture_stays() -> None:
    assert markdown_of("<picture><source srcset=a><img src=b><p>No jury today</p></picture>") == "No jury today"


def test_markdown_nothing_but_marks_leaves_no_blank_lines() -> None:
    assert markdown_of("<p>a</p><p><i> </i></p><p><br></p><p><b></b></p><p>b</p>") == "a\n\nb"


def test_markdown_blank_lines_of_preformatted_text_stay() -> None:
    assert markdown_of("<pre>a\n\n\n\nb</pre><p>c</p>") == "```\na\n\n\n\nb\n```\n\nc"
