"""What a page is made for stays, in whatever it stands: law in navigation, notes in asides, tables in forms, tiles."""

from __future__ import annotations

import pytest

from tests.content.pages import page_text
from tests.support.cases import cases

LAW = "<p>The creditor shall give the consumer the disclosures of this section, in writing, before settlement.</p>"
NAV = '<nav><ul><li><a href="/a">Home</a></li><li><a href="/b">Rules</a></li></ul></nav>'
STATED = "<p>(a) The lender shall not require more than one-twelfth of the total of these payments.</p>"
TABLE = "<table><tr><th>Fee<th>Sum<tr><td>Filing<td>$25<tr><td>Copy<td>$5</table>"
TILES = "".join(
    f'<div class=tile><a href="/{n}"><h3>Tile {n}</h3><p>Find what lenders must do about topic {n}</p></a></div>'
    for n in range(8)
)


def in_main(part: str) -> str:
    return page_text(f"{NAV}<main><h1>T</h1>{LAW * 3}{part}{LAW}</main>")


@cases(
    ("part", "words"),
    [
        (f"<nav><a href=#b>Next</a>{STATED}</nav>", "one-twelfth"),
        (f"<div role=navigation>{STATED}</div>", "one-twelfth"),
        ("<aside><p>See also: <a href=/x>the interim final rule, 80 FR 1234</a></p></aside>", "interim final rule"),
        (f"<form>{TABLE}<input type=text></form>", "$25"),
        (f"<table class=share>{TABLE.removeprefix('<table>')}", "$25"),
        (f"<form>{STATED}<input type=checkbox></form>", "one-twelfth"),
    ],
    ids=["nav", "role", "aside", "form", "table", "law in a form"],
)
def test_region_law_and_notes_inside_content_stay(part: str, words: str) -> None:
    assert words in in_main(part)


@pytest.mark.parametrize(
    "part",
    [
        "<nav><a href=/1>XX 1</a> <a href=/2>XX 2</a></nav>",
        "<aside><a href=/1>XX 1</a> <a href=/2>XX 2</a> <a href=/3>XX 3</a></aside>",
        "<aside><h4>XX</h4><a href=/1>XX Follow this page</a></aside>",
        "<form><table><tr><th>XX<td><input type=text><tr><th>XX<td><input type=text></table></form>",
    ],
    ids=["nav", "links", "a box with a title", "fields"],
)
def test_region_boilerplate_inside_content_is_removed(part: str) -> None:
    assert "XX" not in in_main(part)


def test_region_law_in_navigation_stays() -> None:
    assert "one-twelfth" in page_text(f"<nav>{STATED}</nav><main><h1>T</h1>{LAW * 3}</main>")


@pytest.mark.parametrize("share", [3, 6])
def test_region_articles_outside_named_content_stay(share: int) -> None:
    articles = "".join(f"<article><h2>Rule {n}</h2>{LAW * 3}</article>" for n in range(2))
    text = page_text(f"{NAV}<div id=page><div class=content><h1>T</h1>{LAW * share * 3}</div>{articles}</div>")
    assert text.count("The creditor shall give") == share * 3 + 6


def test_region_page_of_tiles_preserves_them() -> None:
    notice = "<p>Notice: the office is closed on Monday, and reopens on Tuesday at nine.</p>"
    text = page_text(f"{NAV}<div class=grid>{TILES}</div><div class=content>{notice}</div>")
    assert text.count("Find what lenders must do") == 8
    assert "Notice: the office" in text
    assert "Home" not in text
