"""Text that a page hides is left out, and said; what a control opens stays."""

from __future__ import annotations

import pytest

from rori_spiders.content.convert import convert
from rori_spiders.content.html.hidden import Hidden, drop_unseen
from tests.content.pages import body_of, markdown_of, page_text
from tests.support.cases import cases

LONG = "An answer that a control of the page opens, and that says more than the label of an icon ever would say."


def hidden_in(html: str) -> tuple[Hidden | None, str]:
    body = body_of(html)
    return drop_unseen(body), " ".join(body.text_content().split())


@cases(
    ("html", "hidden", "left"),
    [
        ("<p>Text</p>", None, "Text"),
        ("<script>x()</script><style>p {}</style><p hidden></p><p>Text</p>", None, "Text"),
        ("<p hidden>Draft  text</p><p>Text</p>", Hidden(1, 10, "Draft text"), "Text"),
        ("<div hidden>All of <b class=hidden>this</b></div><p>Text</p>", Hidden(1, 11, "All of this"), "Text"),
        ("<a class=sr-only>Skip to content</a><i style='display: none'>no</i>", Hidden(2, 17, "Skip to content"), ""),
        (f"<button aria-controls=a></button><div id=a hidden>{LONG}</div>", None, LONG),
    ],
    ids=["none", "no text", "hidden", "nested", "several", "opened"],
)
def test_hidden_text_is_counted_once(html: str, hidden: Hidden | None, left: str) -> None:
    assert hidden_in(html) == (hidden, left)


TABLE = (
    "<table><tr><th>Case</th><th>Title</th></tr><tr><td>1</td><td>A v. B</td></tr><tr><td>2</td><td>C</td></tr></table>"
)


@cases(
    ("html", "left"),
    [
        ("<a aria-expanded=false aria-controls=a>Fee?</a><div id=a hidden>No fee.</div>", "Fee?No fee."),
        ("<h3>Fee?</h3><div class='accordion-content' style='display:none'>No fee.</div>", "Fee?No fee."),
        ("<a class=q>Fee?</a><div class='faq__answer hidden'>No fee.</div>", "Fee?No fee."),
        (f"<li data-tab=t1>One</li><div id=t1 style='display:none'>{LONG}</div>", f"One{LONG}"),
        (f"<h3 onclick=\"toggle('x1')\">Q</h3><div id=x1 style='display:none'>{LONG}</div>", f"Q{LONG}"),
        (f"<a href='#m'>Terms</a><div id=m class='modal' style='display:none'>{LONG}</div>", f"Terms{LONG}"),
        (f"<a onclick=\"show('d')\">Terms</a><dialog id=d>{LONG}<button>Close</button></dialog>", f"Terms{LONG}"),
        (f"<a popovertarget=d>Terms</a><div id=d popover>{LONG}</div>", f"Terms{LONG}"),
        (f"<a href='#i'>Terms</a><div style='display:none'><div id=i>{LONG}</div></div>", f"Terms{LONG}"),
        (f"<main>Rule</main><dialog open>{LONG}<button>Close</button></dialog>", f"Rule{LONG}"),
        (f"<div id=searchResultsWrapper style='display:none'>{TABLE}</div>", "CaseTitle1A v. B2C"),
    ],
    ids=[
        "expanded",
        "accordion",
        "answer",
        "tab",
        "script",
        "modal",
        "dialog",
        "popover",
        "box",
        "open dialog",
        "results",
    ],
)
def test_hidden_panel_that_opens_stays(html: str, left: str) -> None:
    assert hidden_in(html) == (None, left)


@cases(
    "html",
    [
        f"<a href='#m'>Sign in</a><div id=m class='modal' style='display:none'>{LONG}</div>",
        f"<div class='accordion-content' hidden>{{{{ answer }}}} {LONG}</div>",
        "<button aria-expanded=false aria-controls=n>Menu</button><div id=n class=nav-menu hidden>Home</div>",
        f"<div class='modal' style='display:none'>{TABLE}</div>",
        f"<nav><a href='#m'>Terms</a></nav><div id=m class='modal' style='display:none'>{LONG}</div>",
        f"<a href='#m'>Terms</a><div id=m class='modal' style='display:none'><h4>Cookie settings</h4>{LONG}</div>",
        f"<a href='#m'>Go</a><div id=m class='modal' hidden>{LONG}<form><input type=password></form></div>",
    ],
    ids=["sign-in", "template", "menu", "table over the page", "menu's dialog", "cookies", "password"],
)
def test_hidden_overlay_is_removed(html: str) -> None:
    hidden, _ = hidden_in(html)
    assert hidden is not None


@pytest.mark.parametrize(
    ("html", "left"),
    [
        ("<p>5 <span aria-hidden=true>percent</span></p>", "5 percent"),
        ("<p><span aria-hidden=true>$1,200</span><span class=sr-only>1200 dollars</span></p>", "$1,200"),
        ("<p><span aria-hidden=true>×</span> Text <i class=fa-icon aria-hidden=true>home</i></p>", "Text"),
        ("<a>Rule <span aria-hidden=true>PDF</span></a>", "Rule"),
    ],
    ids=["word", "figure", "icons", "in a link"],
)
def test_hidden_from_screen_readers_only_stays(html: str, left: str) -> None:
    assert hidden_in(html)[1] == left


def test_hidden_panel_is_headed_by_its_button() -> None:
    question = "<button aria-expanded=false aria-controls=a>May a fee be charged?</button>"
    text = page_text(
        f"<main><h1>T</h1>{question}<div id=a hidden><p>No, not before the loan is closed.</p></div></main>"
    )
    assert text == "# T\n\nMay a fee be charged?\n\nNo, not before the loan is closed.\n"


def test_hidden_formula_of_image_stays() -> None:
    math = "<span style='display: none'><math><mi>H</mi><mo>=</mo><mn>1</mn></math></span><img src=h.svg>"
    assert hidden_in(f"<p>Then <span>{math}</span></p>") == (None, "Then H=1")


def test_hidden_text_excerpt_is_short() -> None:
    hidden, _ = hidden_in(f"<p hidden>{'word ' * 5_000}</p>")
    assert hidden is not None and hidden.chars == 24_999 and len(hidden.begins) == 120


@cases(
    ("html", "markdown"),
    [
        ("<p>shall pay <del>10</del><ins>15</ins> days</p>", "shall pay ~~10~~<ins>15</ins> days"),
        ("<h2>Fees <s>old</s> <ins>new</ins></h2>", "## Fees ~~old~~ <ins>new</ins>"),
        ("<ul><li><ins>x</ins><li><strike>y</strike></ul>", "- <ins>x</ins>\n- ~~y~~"),
        (
            "<table><tr><th>a<th>b<tr><td><s>1</s><td><ins>2</ins></table>",
            "| a | b |\n| --- | --- |\n| ~~1~~ | <ins>2</ins> |",
        ),
        ("<del><p>(a) All</p><p>(b) None</p></del><p>c</p>", "<del>\n\n(a) All\n\n(b) None\n\n</del>\n\nc"),
        ("<ins><h2>New</h2><ul><li>x</ul></ins>", "<ins>\n\n## New\n\n- x\n\n</ins>"),
        ("<ul><li>a<del><p>b</p><p>c</p></del></ul>", "- a\n\n  <del>\n\n  b\n\n  c\n\n  </del>"),
        ("<ins><p>one</p></ins>", "<ins>one</ins>"),
    ],
)
def test_hidden_deleted_and_inserted_text_are_distinguished(html: str, markdown: str) -> None:
    assert markdown_of(html) == markdown


@cases(
    ("html", "left"),
    [
        ("<h3 class=toggle>Fee?</h3><div style='display:none'>No fee.</div>", "Fee?No fee."),
        ("<dl><dt>Fee</dt><dd style='display:none'>A sum.</dd></dl>", "FeeA sum."),
        ("<div class=faq><h4>Fee?</h4><p hidden>No fee.</p></div>", "Fee?No fee."),
        ("<p hidden=until-found>Folded</p>", "Folded"),
        ("<h3 class=toggle>Fee?</h3><div class=sr-only>opens</div>", "Fee?"),
        ("<h3>Fee?</h3><div style='display:none'>Draft</div>", "Fee?"),
        ("<p style='position: absolute; left: -9999px'>Aloud</p>", ""),
        ("<p style='clip: rect(1px, 1px, 1px, 1px)'>Aloud</p>", ""),
        ("<div popover>Note</div>", ""),
    ],
    ids=["switch", "definition", "question", "found", "aloud", "heading", "out of sight", "clipped", "popover"],
)
def test_hidden_text_under_its_switch_stays_and_off_screen_text_is_removed(html: str, left: str) -> None:
    hidden, text = hidden_in(html)
    assert text == left
    assert (hidden is None) == ("Fee?" != left != "")


@pytest.mark.parametrize(
    "html",
    [
        "<p aria-hidden=true>The rate is 5 percent.</p>",
        "<table><tr><td aria-hidden=true>The rate is 5 percent.<td>b</table>",
        "<p>The rate is <span class='d-none d-md-inline'>5</span> percent.</p>",
        "<p class='hidden md:block'>The rate is 5 percent.</p>",
    ],
)
def test_hidden_in_some_windows_only_stays(html: str) -> None:
    body = body_of(html)
    assert drop_unseen(body) is None
    assert "The rate is 5 percent." in body.text_content()


def test_hidden_dialog_stands_behind_the_block_that_opens_it() -> None:
    body = (
        "<main><h1>Opinions</h1><p>Read the <a href='#s1-modal' data-toggle='modal'>summary</a> of A v. "
        "B.</p><p>More.</p>"
        f"</main><div class='modal fade' id='s1-modal' role='dialog'><h5>Held</h5><p>{LONG}</p><a "
        f"href='#'>Close</a></div>"
    )
    markdown = convert(f"<html><body>{body}</body></html>".encode(), url="https://a.example.gov/").markdown
    assert markdown.index("summary") < markdown.index("##### Held") < markdown.index(LONG) < markdown.index("More.")
    assert "Close" not in markdown


@cases(
    ("inside", "is_text"),
    [
        (f"<h2>Notice</h2><p>{LONG}</p><button>Close</button>", True),
        (f"<h2>We value your opinion</h2><p>{LONG} Take our survey.</p>", False),
        (f"<h2>Cookies</h2><p>{LONG}</p>", False),
        ("<p>Loading</p>", False),
    ],
    ids=["notice", "survey", "cookies", "short"],
)
def test_dialog_open_at_first_is_text_of_page(inside: str, is_text: bool) -> None:
    page = f"<html><body><main><h1>Rule</h1><p>{LONG}</p></main><dialog open>{inside}</dialog></body></html>"
    markdown = convert(page.encode(), url="https://a.example/", content_type="text/html").markdown
    assert ("Close" in markdown, markdown.count(LONG)) == (False, 2 if is_text else 1)
