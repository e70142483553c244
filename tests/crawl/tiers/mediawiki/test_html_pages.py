"""Lists of a wiki as people see them: where they begin, what they name, where they go on."""

from __future__ import annotations

import pytest

from rori_spiders.crawl.tiers.mediawiki import html_pages as wiki_page
from rori_spiders.crawl.tiers.mediawiki import html_pages as wiki_shown
from rori_spiders.crawl.tiers.mediawiki.api_answers import query_parameters
from tests.crawl.walkers.mediawiki import wiki_pages as made

LIKE = "https://wiki.example.org/wiki/Main_Page"
HERE = wiki_shown.all_pages_url(0, None, LIKE, "/wiki/")


def read(html: str, url: str = HERE, *, is_deep: bool = False) -> wiki_shown.HtmlList:
    return wiki_shown.read_html_list(html.encode(), url, "/wiki/", is_deep)


def onward(title: str) -> str:
    return f"/w/index.php?title=Special:AllPages&amp;from={title}&amp;hideredirects=1"


def test_wiki_html_list_urls_are_those_people_use() -> None:
    assert HERE == "https://wiki.example.org/wiki/Special:AllPages?namespace=0&hideredirects=1"
    begins = wiki_shown.all_pages_url(12, "P & Q", LIKE, "/w/index.php?title=")
    assert begins.endswith("/w/index.php?title=Special:PrefixIndex&prefix=P+%26+Q&namespace=12&hideredirects=1")
    assert wiki_shown.describe_html_list(begins) == "the pages of namespace 12 that begin with 'P & Q'"
    law = wiki_shown.category_page_url("Category:Law & order", LIKE, "/wiki/")
    assert wiki_shown.describe_html_list(law) == "the members of Category:Law & order"
    assert wiki_shown.category_page_url("Category:Law", LIKE, "/wiki/", apart_from_page=True).endswith("Law?pagefrom=")


def test_wiki_html_previous_link_is_not_next_page() -> None:
    first = read(made.all_pages("A", "B", links=[onward("Node.js")]))
    assert first.pages == ("A", "B")
    (more,) = first.more
    middle = read(made.all_pages("Node.js", "O'Brien", links=[onward("A"), onward("P_1")]), more)
    assert [query_parameters(link)["from"] for link in middle.more] == ["P_1"]
    assert read(made.all_pages("P 1", links=[onward("Node.js")]), middle.more[0]).more == ()


def test_wiki_html_namespace_titles_continue_without_prefix() -> None:
    url = wiki_shown.all_pages_url(12, None, LIKE, "/wiki/")
    html = made.all_pages("Help:Top", links=[onward("Z") + "&amp;namespace=12"])
    assert len(read(html, url).more) == 1


def test_wiki_html_tables_of_old_versions_are_read() -> None:
    redirect = '<td class="mw-redirect"><a href="/wiki/R" class="mw-redirect">R</a></td>'
    row = f'<td><a href="/wiki/A">A</a></td>{redirect}<td></td>'
    html = f'<html><body><table class="mw-allpages-table-chunk"><tr>{row}</tr></table></body></html>'
    assert read(html).pages == ("A",)


def test_wiki_html_pages_and_subcategories_continue_separately() -> None:
    at = "/w/index.php?title=Category:Law"
    html = made.category("A", sub=["Rules"], more=f"{at}&amp;pagefrom=B").replace(
        '<div id="mw-subcategories">', f'<div id="mw-subcategories"><a href="{at}&amp;subcatfrom=S">next</a>'
    )
    here = "https://wiki.example.org/wiki/Category:Law"
    flat, deep = read(html, here), read(html, here, is_deep=True)
    assert (flat.categories, len(flat.more)) == ((), 1)
    assert (deep.categories, len(deep.more)) == (("Category:Rules",), 2)
    assert wiki_shown.list_key(deep.more[0]) != wiki_shown.list_key(deep.more[1])
    below = read(html, f"https://wiki.example.org{at}&subcatfrom=R", is_deep=True)
    assert [query_parameters(link).get("subcatfrom") for link in below.more] == ["S"]


@pytest.mark.parametrize(
    ("html", "words"),
    [
        (made.page("Login required"), "has no wiki list"),
        ("", "empty"),
        (made.all_pages("A").replace('href="/wiki/A"', 'href="https://elsewhere.example/wiki/A"'), "has no page link"),
        (made.all_pages("B", links=[onward("A")]), "cannot be found"),
    ],
)
def test_wiki_html_incomplete_list_is_refused(html: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read(html)


def test_wiki_html_page_names_redirect_target() -> None:
    url = "https://wiki.example.org/wiki/Old"

    def page_facts(html: str) -> wiki_page.PageHtmlFacts:
        return wiki_page.read_page_html(html.encode(), url, "/wiki/")

    assert page_facts(made.page("Old")) == (None, False, False)
    assert page_facts(made.page("New rule", came_from="Old")) == (
        "https://wiki.example.org/wiki/New_rule",
        False,
        False,
    )
    assert page_facts(made.stub("Next", "Last page")) == ("https://wiki.example.org/wiki/Last_page", True, False)
    assert page_facts(made.page("Old", categories=["Rules", "Disambiguation pages"])).is_disambiguation
    assert page_facts(made.page("Old", text='<div id="disambigbox">It may mean</div>')).is_disambiguation
