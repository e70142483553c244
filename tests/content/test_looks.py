"""What only the looks of a text say, and formulas: no power, mark or fraction becomes a number, no struck word text."""

from __future__ import annotations

from rori_spiders.content.html import css_semantics, mathml
from rori_spiders.content.markdown.renderer import render
from tests.content.pages import URL, body_of, page_text
from tests.support.cases import cases

LAW = "<p>The servicer shall respond within thirty days of receipt of the notice from the borrower.</p>"


@cases(
    ("html", "markdown"),
    [
        ("<p>2<span style='vertical-align:super'>3</span></p>", "2<sup>3</sup>"),
        ("<p>CO<span style='font-size:8pt;vertical-align: sub'>2</span></p>", "CO<sub>2</sub>"),
        ("<p>$100<span class=MsoFootnoteReference>1</span></p>", "$100<sup>1</sup>"),
        ("<p>$100<a href='#f' class='superscript'>1</a></p>", f"$100[<sup>1</sup>]({URL}#f)"),
        ("<p>10<sup><span style='vertical-align:super'>1</span></sup></p>", "10<sup>1</sup>"),
        ("<p>10<span style='vertical-align:super'><sup>1</sup></span></p>", "10<sup>1</sup>"),
        ("<p>x <span style='vertical-align:middle'>y</span></p>", "x y"),
        (
            "<p><span style='vertical-align:super'>A line that is only set higher</span></p>",
            "A line that is only set higher",
        ),
        ("<p>pay <span style='text-decoration:line-through'>10</span> 15</p>", "pay ~~10~~ 15"),
        ("<p>pay <font style='TEXT-DECORATION: line-through'>10</font> 15</p>", "pay ~~10~~ 15"),
        ("<p style='text-decoration:underline'>new</p>", "new"),
        ("<p>5<span style='position:relative;top:-3pt'>1</span> a</p>", "5<sup>1</sup> a"),
        ("<p>5<span style='mso-text-raise:3.0pt'>1</span> a</p>", "5<sup>1</sup> a"),
        ("<p>5<span style='font-size:60%;vertical-align:30%'>1</span></p>", "5<sup>1</sup>"),
        ("<p>5<font style='vertical-align: text-top'>[1]</font></p>", "5<sup>[1]</sup>"),
        ("<p>a <span style='position:relative;top:-3pt'>word</span></p>", "a word"),
        ("<p>a <span style='vertical-align:-2px'>5</span></p>", "a 5"),
    ],
)
def test_css_looks_with_meaning_are_written(html: str, markdown: str) -> None:
    body = body_of(html)
    css_semantics.mark_distinctions(body)
    assert render(body, base=URL).rstrip("\n") == markdown


@cases(
    ("math", "markdown"),
    [
        ("<mfrac><mn>1</mn><mn>2</mn></mfrac>", "1/2"),
        ("<mi>x</mi><mo>=</mo><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac>", "x = (a + b)/c"),
        ("<msup><mi>m</mi><mn>2</mn></msup>", "m<sup>2</sup>"),
        ("<msub><mi>CO</mi><mn>2</mn></msub>", "CO<sub>2</sub>"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x<sub>i</sub><sup>2</sup>"),
        ("<msqrt><mn>4</mn><mo>-</mo><mi>y</mi></msqrt>", "√(4 - y)"),
        ("<mroot><mn>8</mn><mn>3</mn></mroot>", "<sup>3</sup>√(8)"),
        ("<mo>-</mo><mn>5</mn>", "-5"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a, b)"),
        ("<mfrac><mfrac><mn>1</mn><mn>2</mn></mfrac><mn>3</mn></mfrac>", "(1/2)/3"),
        (
            "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd></mtr></mtable>",
            "1 2 ; 3",
        ),
        (
            "<semantics>\n <mrow> <mi>A</mi>\n <mo>=</mo> <mn>1</mn></mrow><annotation>A=1</annotation>\n</semantics>",
            "A = 1",
        ),
    ],
)
def test_formulas_are_written_out(math: str, markdown: str) -> None:
    body = body_of(f"<p><span>Rate: </span><math>{math}</math></p>")
    mathml.write_out(body)
    assert render(body, base=URL).rstrip("\n") == f"Rate: {markdown}"


def test_page_with_looks_and_formulas_has_both() -> None:
    half = "<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>"
    fee = f"<p>Fee<span style='vertical-align:super'>1</span> is {half} of it.</p>"
    text = page_text(f"<main><h1>T</h1>{LAW}{fee}</main>")
    assert text.endswith("Fee<sup>1</sup> is 1/2 of it.\n")
