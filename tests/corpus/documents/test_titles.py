"""Titles without the site's ending: found over the set, and only where the set shows it."""

from __future__ import annotations

from rori_spiders.corpus.documents.titles import TitleEndings, names_with_figures, without_figures_of
from tests.support.cases import cases

_PAGES = ("Scope", "Fees - what you pay", "Article 4: Duties", "Index")


@cases(
    ("titles", "title", "stripped"),
    [
        ([f"{page} | Regulations Library" for page in _PAGES], "Scope | Regulations Library", "Scope"),
        ([f"{page} — guide 12.18 documentation" for page in _PAGES], "Index — guide 12.19 documentation", "Index"),
        ([f"{page} - Rules | Library" for page in _PAGES], "Scope - Rules | Library", "Scope"),
        ([f"{page} | Library" for page in _PAGES], "Fees - what you pay | Library", "Fees - what you pay"),
        ([f"{page} | Library" for page in _PAGES], "Article 4: Duties | Library", "Article 4: Duties"),
        ([f"{page} | Library" for page in _PAGES], "Library", "Library"),
        ([f"{page} | Library" for page in _PAGES], "| Library", "| Library"),
        ([f"{page} | Library" for page in _PAGES[:2]], "Scope | Library", "Scope | Library"),
        ([*(f"{page} | Library" for page in _PAGES), *map(str, range(9))], "Scope | Library", "Scope | Library"),
        ([f"Part {n} | Library" for n in range(9)], None, None),
        ([], "Scope | Library", "Scope | Library"),
    ],
)
def test_title_endings_of_the_set_are_stripped(titles: list[str], title: str | None, stripped: str | None) -> None:
    assert TitleEndings(titles).strip(title) == stripped


@cases(
    ("title", "text", "left"),
    [
        ("Routing 2.0", "Book a demo of Routing 2.0", "Book a demo of Routing "),
        ("Routing 2.0 | Acme", "More about routing 2.0!", "More about Routing !"),
        ("Routing 2.0", "Routing 2.0.1, 2.0 and Routing 2.05", "Routing 2.0.1, 2.0 and Routing 2.05"),
        ("Routing 2.0", "Routing 2.0%", "Routing 2.0%"),
        ("3.5", "The rate is 3.5", "The rate is 3.5"),
        ("$500", "Pay $500", "Pay $500"),
        (None, "Routing 2.0", "Routing 2.0"),
    ],
)
def test_figures_of_a_title_are_left_out_where_it_is_repeated(title: str | None, text: str, left: str) -> None:
    assert without_figures_of(text, names_with_figures(title)) == left
