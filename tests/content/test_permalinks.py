"""What links a heading to itself is no text; every other link within a page stays."""

from __future__ import annotations

import pytest

from tests.content.pages import page_text
from tests.support.cases import cases

_TEXT = "<p>A borrower has 30 days to send the notice, and the servicer answers in writing within 14 days.</p>"


@cases(
    "mark",
    [
        '<a class="headerlink" href="#scope" title="Permalink to this heading">¶</a>',
        '<a href="#scope" title="Link to this heading"><svg></svg></a>',
        '<a class="hash-link" href="#scope" aria-label="Direct link to Scope"></a>',
        '<a class="header-anchor" href="#scope" aria-hidden="true">#</a>',
        '<a class="permalink" href="#scope">§</a>',
    ],
)
def test_permalink_mark_of_heading_is_removed(mark: str) -> None:
    assert page_text(f"<main><h1 id=scope>1.1. Scope{mark}</h1>{_TEXT}</main>").startswith("# 1.1. Scope\n")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<p>See <a href="#p12">¶</a> 12 of the order.</p>', "[¶](https://www.example.gov/rules/1099/#p12) 12"),
        (
            '<p>See <a class="permalink" href="#p12">¶ 12</a> of the order.</p>',
            "[¶ 12](https://www.example.gov/rules/1099/#p12)",
        ),
        ('<p>The rate <a class="footnote-ref" href="#fn1">*</a> is 5.25 %.</p>', "*"),
        ('<p>Rules: <a class="permalink" href="/rules/1">#</a></p>', "(https://www.example.gov/rules/1)"),
    ],
)
def test_permalink_lookalike_in_text_stays(html: str, expected: str) -> None:
    assert expected in page_text(f"<main><h1>Scope</h1>{_TEXT}{html}</main>")


def test_permalink_anchor_of_heading_stays() -> None:
    html = f'<main><h1>Rules</h1><h2><a class="header-anchor" id="scope" href="#scope">#</a>Scope</h2>{_TEXT}</main>'
    assert page_text(html).split("\n\n")[1] == "## Scope"
