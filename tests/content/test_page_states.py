"""What a step replaced on a page stays in its text, where it stood; what the later state has is not repeated."""

from __future__ import annotations

from rori_spiders.content.html.page_states import keep_replaced_text
from tests.support.cases import cases

_PAGE = (
    "<!DOCTYPE html><html><head><title>Rates</title></head><body><main><h1>Rates</h1>As of May. {}</main></body></html>"
)


def _joined(before: str, after: str) -> str:
    html = keep_replaced_text(_PAGE.format(before), _PAGE.format(after))
    assert html.startswith("<!DOCTYPE html>")
    return html.partition("As of May. ")[2].partition("</main>")[0]


@cases(
    ("before", "after", "expected"),
    [
        # rows, items, paragraphs and panels before those that came in their place
        (
            "<ul id=l><li>A 1</li><li>A 2</li></ul><button>Next</button>",
            "<ul id=l><li>B 1</li></ul>",
            '<ul id="l"><li>A 1</li><li>A 2</li><li>B 1</li></ul>',
        ),
        (
            "<table><tr><th>Firm</th></tr><tr><td>A</td></tr></table>",
            "<table><tr><th>Firm</th></tr><tr><td>B</td></tr></table>",
            "<table><tr><th>Firm</th></tr><tr><td>A</td></tr><tr><td>B</td></tr></table>",
        ),
        (
            "<div id=d><h2>Fees</h2><p>One percent.</p></div>",
            "<div id=d><h2>Terms</h2><p>Thirty years.</p></div>",
            '<div id="d"><h2>Fees</h2><p>One percent.</p><h2>Terms</h2><p>Thirty years.</p></div>',
        ),
        (
            "<div class=c><h3>A</h3><p>One.</p></div><div class=c><h3>B</h3><p>Two.</p></div>",
            "<div class=c><h3>C</h3><p>Three.</p></div><div class=c><h3>D</h3><p>Four.</p></div>",
            (
                '<div class="c"><h3>A</h3><p>One.</p></div><div class="c"><h3>B</h3><p>Two.</p></div>'
                '<div class="c"><h3>C</h3><p>Three.</p></div><div class="c"><h3>D</h3><p>Four.</p></div>'
            ),
        ),
        ("<p>1</p><p>2</p><p>3</p>", "<p>2</p><p>3</p><p>4</p>", "<p>1</p><p>2</p><p>3</p><p>4</p>"),
        ("<p>Seen before.</p>", "<section>Something went wrong.</section>", None),
        (
            "<ol><li>A</li><li>B</li></ol>",
            "<ol><li>C</li></ol>",
            '<ol><li value="1">A</li><li value="2">B</li></ol><ol><li>C</li></ol>',
        ),
        # nothing was lost: it is as it came
        ("<ul><li>A</li></ul>", "<ul><li>A<li>B</ul>", "<ul><li>A<li>B</ul>"),
        (
            "<ul><li>Part 1</li></ul>",
            "<ul><li>Part 1<ul><li>1.1</li></ul></ul>",
            "<ul><li>Part 1<ul><li>1.1</li></ul></ul>",
        ),
        ("<div>Loading rates...</div>", "<div>The rate is 6%.</div>", "<div>The rate is 6%.</div>"),
        ("<p hidden>Unseen</p><button>More</button><nav>Menu</nav>", "<p>Text</p>", "<p>Text</p>"),
        ("<p>A <b>bold</b> word</p>", "<p>A bold word</p>", "<p>A bold word</p>"),
    ],
)
def test_keep_replaced_text(before: str, after: str, expected: str | None) -> None:
    found = _joined(before, after)
    if expected is None:
        assert "Seen before." in found and "Something went wrong." in found
    else:
        assert found == expected


def test_keep_replaced_text_is_kept_over_several_steps() -> None:
    html = _PAGE.format("<ul><li>Page 1</li></ul>")
    for number in range(2, 6):
        html = keep_replaced_text(html, _PAGE.format(f"<ul><li>Page {number}</li></ul>"))
    places = [html.index(f"<li>Page {number}</li>") for number in range(1, 6)]
    assert places == sorted(places) and html.count("<li>") == 5


def test_dialog_that_a_step_opened_is_a_section_of_the_main_part() -> None:
    closed = "<p>Rule.</p></main><dialog id=d>Fee: $2.</dialog> Tail."
    opened = closed.replace("<dialog", "<dialog open role=dialog data-dialog-shown=step")
    whole = keep_replaced_text(_PAGE.format(closed), _PAGE.format(opened))
    assert '<p>Rule.</p><section id="d">Fee: $2.</section></main> Tail.' in whole
    assert "Fee" in keep_replaced_text(whole, _PAGE.format(closed)).partition("</main>")[0], "closed by the next step"
    again = keep_replaced_text(whole, _PAGE.format(opened))
    assert again.count("Fee") == 1
    own = _PAGE.format(closed.replace("<dialog", "<dialog open data-dialog-shown=page"))
    assert keep_replaced_text(_PAGE.format(closed), own) == own
