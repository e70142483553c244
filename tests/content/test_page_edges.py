"""What stands around the text of a page that no class or element names: in layout tables, and in plain blocks."""

from __future__ import annotations

from rori_spiders.content.convert import convert

TEXT = "<p>The servicer must keep the record within 30 days after the closing of the loan.</p>" * 6
MENU = "".join(f"<a href='/{n}'>Topic {n}</a> | " for n in range(6))


def markdown_of(body: str) -> str:
    html = f"<html><head><title>Rule</title></head><body>{body}</body></html>"
    return convert(html.encode(), url="https://www.example.gov/a/").markdown


def test_layout_table_keeps_its_text_without_rows_and_columns_of_links() -> None:
    markdown = markdown_of(
        f"<table><tr><td colspan=2>{MENU}</td></tr><tr><td><b>Quick Links</b>{MENU}</td><td><h1>Rule</h1>{TEXT}"
        f"<table><tr><th>Fee</th><th>Form</th></tr><tr><td>$5</td><td><a href=/f>Form 5</a></td></tr></table></td></tr>"
        f"<tr><td colspan=2>{MENU}<br>Best viewed at 800 by 600</td></tr></table>"
    )
    assert "Topic 3" not in markdown
    assert "Quick Links" not in markdown
    assert "| $5 | [Form 5]" in markdown


def test_layout_table_row_with_a_title_stays() -> None:
    markdown = markdown_of(
        f"<table><tr><td>Archive of Supreme Court Opinions, with earlier years {MENU}</td></tr>"
        f"<tr><td><h1>Rule</h1>{TEXT}</td></tr></table>"
    )
    assert "Archive of Supreme Court Opinions" in markdown


def test_links_around_the_block_with_the_title_go_and_those_within_stay() -> None:
    markdown = markdown_of(
        f"<div class=a1>{MENU}</div><div class=a2><div class=a3><h1>Rule</h1>{TEXT}<ul><li><a href=/x>Form 1</a></li>"
        f"<li><a href=/y>Form 2</a></li><li><a href=/z>Form 3</a></li></ul></div></div><div>Website by Example</div>"
        "<div>Effective July 1, 2026</div>"
    )
    assert "Topic 3" not in markdown
    assert "Website by" not in markdown
    assert "Form 3" in markdown
    assert "Effective July 1, 2026" in markdown


def test_question_whether_the_page_has_helped_goes() -> None:
    markdown = markdown_of(
        f"<main><h1>Rule</h1>{TEXT}<div><h2>Was this page helpful?</h2><p>Tell us more.</p></div>"
        "<div><h2>Is this property a dwelling?</h2><p>Yes.</p></div></main>"
    )
    assert "helpful" not in markdown
    assert "Is this property a dwelling?" in markdown
