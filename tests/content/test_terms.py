"""What binds in a block that is called boilerplate stays: figures, key dates, amounts, a document's last line."""

from __future__ import annotations

import pytest

from tests.content.pages import page_text
from tests.support.cases import cases

LAW = "<p>The creditor shall give the consumer the disclosures of this section, in writing, before settlement.</p>"
MAIN = f"<h1>Rule</h1>{LAW * 6}"
MENU = "<ul><li><a href=/a>Menu of the agency</a><li><a href=/b>Another of its menus, all of links</a></ul>"
FEES = "<h3>Fees</h3><table><tr><td>Threshold<td>$126.4 million<tr><td>August 2020<td>182</table>"
DATES = "<h3>Key dates</h3><ul><li>Comment period ends: March 3, 2026<li>Effective: July 1, 2026</ul>"
FACTS = "<dl><dt>Comments due</dt><dd>March 3, 2026</dd><dt>Docket</dt><dd><a href=/d>XYZ-2026-0001</a></dd></dl>"
LAST = "<p>[FR Doc. 2026-01234 Filed 1-5-26; 8:45 am]</p>"


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (f"<aside>{MENU}<div>{FEES}</div>{MENU}</aside>", ["Fees", "$126.4 million", "182"]),
        (f"<aside class=sidebar>{FEES}</aside>", ["Fees", "$126.4 million", "182"]),
        (f"<div class=sidebar>{DATES}</div>", ["Key dates", "March 3, 2026", "July 1, 2026"]),
        (f"<aside>{FACTS}</aside>", ["Comments due", "March 3, 2026", "XYZ-2026-0001"]),
        (f"<div class=footer>{LAST}</div>", ["FR Doc. 2026-01234"]),
        (f"<div class=footer>{MENU}{LAST}</div>", ["FR Doc. 2026-01234"]),
    ],
    ids=["figures among menus", "figures", "dates", "facts", "last line", "last line among menus"],
)
@pytest.mark.parametrize(
    "page",
    ["<main>{main}{part}</main>", "<div><div id=content>{main}</div>{part}</div>", "<main>{main}</main>{part}"],
    ids=["within", "beside a named block", "beside main"],
)
def test_binding_terms_stay(page: str, part: str, words: list[str]) -> None:
    text = page_text(page.format(main=MAIN, part=part)).replace("\\", "")
    assert not [word for word in words if text.count(word) != 1]
    assert "Menu" not in text


@pytest.mark.parametrize(
    "part",
    [
        "<p>It is <span class=share>of $5</span></p>",
        "<div class=sidebar><b>Comments due March 3, 2026, of $5</b></div>",
        "<ul class=sidebar><li><table><tr><td>Fee<td>of $5<tr><td>Sum<td>$126</table></ul>",
    ],
    ids=["in a sentence", "marked up", "in a list"],
)
def test_binding_terms_in_own_line_stay(part: str) -> None:
    assert page_text(f"<main>{MAIN}{part}</main>").count("of $5") == 1


@pytest.mark.parametrize("name", ["sign-up-rule", "share", "toolbar"])
def test_binding_terms_amount_in_text_block_stays(name: str) -> None:
    assert "is $5" in page_text(f"<main>{MAIN}<div class={name}><p>The fee is $5.</p></div></main>")


@cases(
    "part",
    [
        "<div class=sidebar><table><tr><th>Su<th>Mo<tr><td>1<td>2<tr><td>3<td>30</table></div>",
        "<div class=sidebar><p>Page last updated before January 3, 2026</p></div>",
        "<div class=footer><p>\u00a9 2026 The agency, by January 3, 2026</p></div>",
        "<aside><table><tr><td><a href=/1>Form 1 of it</a><td><a href=/2>2</a><td><a href=/3>3</a></table></aside>",
        "<div class=sidebar><p>A cookie expires by May 3, 2026.</p></div>",
        "<div class=sidebar><p>Write to us.</p></div>",
    ],
    ids=["calendar", "page", "copyright", "links", "cookies", "nothing"],
)
def test_binding_terms_lookalikes_are_removed(part: str) -> None:
    assert page_text(f"<main>{MAIN}{part}</main>") == page_text(f"<main>{MAIN}</main>")
