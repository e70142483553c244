"""The addresses of a wiki's lists, and what their answers name; of old wikis, and of those that lie."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rori_spiders.crawl.tiers.mediawiki import api_queries as wiki_lists
from rori_spiders.urls.canonical import normalise_url
from tests.support.cases import cases

API = "https://wiki.example.org/w/api.php"


def read(answer: Any) -> wiki_lists.ListAnswer:
    return wiki_lists.parse_list_answer(json.dumps(answer).encode())


def test_wiki_list_continue_parameters_are_all_sent_back() -> None:
    first = wiki_lists.namespace_list_url(API, 0, "A & B+C")
    second = normalise_url(
        wiki_lists.continue_list_url(first, {"gapcontinue": "A|1", "continue": "gapcontinue||", "odd": "x"})
    )
    third = wiki_lists.continue_list_url(second, {"gapcontinue": "A|2", "continue": "gapcontinue||"})
    assert "odd=x" in second and "odd" not in third
    assert "gapprefix=A+%26+B%2BC" in third and "gapcontinue=A%7C2" in third
    assert wiki_lists.first_list_url(third) != third and wiki_lists.first_list_url(third) == wiki_lists.first_list_url(
        second
    )
    assert wiki_lists.is_first_list_url(first) and not wiki_lists.is_first_list_url(second)


def test_wiki_list_url_is_described() -> None:
    url = normalise_url(wiki_lists.category_list_url(API, "Category:Lois & décrets", level=2, depth=3))
    assert (wiki_lists.category_level(url), wiki_lists.listed_category(url)) == (2, "Category:Lois & décrets")
    assert wiki_lists.describe_list_url(url) == "the members of Category:Lois & décrets"
    assert (
        wiki_lists.describe_list_url(wiki_lists.namespace_list_url(API, 12, "P"))
        == "the pages of namespace 12 that begin with 'P'"
    )
    assert not wiki_lists.is_list_url(wiki_lists.site_info_url(API))


def test_wiki_list_subcategories_are_requested_only_within_depth() -> None:
    above, last = (wiki_lists.category_list_url(API, "Category:A", level=level, depth=1) for level in (0, 1))
    assert "subcat" in above and "subcat" not in last


def test_wiki_list_old_continue_format_is_read() -> None:
    old = read({"query-continue": {"allpages": {"gapfrom": "B"}}, "query": {"pages": {"7": {"ns": 0, "title": "A"}}}})
    assert (old.pages, old.more) == (("A",), {"gapfrom": "B"})


def test_wiki_list_pages_have_revisions_except_redirects() -> None:
    info = {"ns": 0, "lastrevid": 5, "touched": "2026-02-13T10:00:00Z"}
    pages = [info | {"title": "A"}, info | {"title": "B", "redirect": True}, info | {"title": "C", "redirect": ""}]
    listed = read({"query": {"pages": [*pages, {"ns": 0, "title": "D", "lastrevid": 6}]}})
    assert listed.pages == ("A", "B", "C", "D")
    assert [(one.title, one.revision) for one in listed.infos] == [("A", 5)]


def test_wiki_list_continued_answer_adds_to_same_pages() -> None:
    first = {"ns": 0, "title": "A"}
    more = {"continue": {"incontinue": "7|B", "gapcontinue": "A", "continue": "||"}}
    one = read({"query": {"pages": [first]}} | more)
    two = read({"query": {"pages": [first | {"lastrevid": 5, "touched": "2026-02-13T10:00:00Z"}]}} | more)
    assert one.named < two.named


def test_wiki_list_categories_are_separated_only_for_category() -> None:
    answer = json.dumps({"query": {"pages": [{"ns": 14, "title": "Category:A"}, {"ns": 0, "title": "B"}]}}).encode()
    of_category = wiki_lists.parse_list_answer(answer, of_category=True)
    assert (of_category.pages, of_category.categories) == (("B",), ("Category:A",))
    assert wiki_lists.parse_list_answer(answer).pages == ("Category:A", "B")


def test_wiki_list_without_entries_is_empty() -> None:
    assert read({"batchcomplete": True}).is_empty


@pytest.mark.parametrize(
    ("page", "unknown"),
    [
        ({"missing": True}, True),
        ({"missing": ""}, True),
        ({"missing": True, "categoryinfo": {"size": 0}}, False),
        ({"pageid": 7}, False),
    ],
)
def test_wiki_list_category_without_page_and_members_is_unknown(page: dict[str, Any], unknown: bool) -> None:
    assert read({"query": {"pages": [page], "categorymembers": []}}).is_unknown is unknown
    assert read({"query": {"pages": {"-1": page}, "categorymembers": []}}).is_unknown is unknown


@cases(
    "answer",
    [
        [],
        {"query": {"categorymembers": "none"}},
        {"query": {"pages": ["A"]}},
        {"query": {"pages": [{"ns": 0}]}},
        {"query": {"pages": [{"ns": "0", "title": "A"}]}},
        {"query": {"pages": [{"ns": 0, "title": ""}]}},
        {"query": {"pages": [{"ns": 0, "title": "A" * 600}]}},
        {"query": {"pages": [{"ns": 0, "title": "A"}] * 5001}},
        {"query": {"pages": []}, "continue": "again"},
    ],
)
def test_wiki_list_invalid_answer_is_refused(answer: Any) -> None:
    with pytest.raises(ValueError, match="the API"):
        read(answer)


@cases(
    ("path", "prefix"),
    [
        ("/wiki/$1", "/wiki/"),
        ("/$1", "/"),
        ("/w/index.php?title=$1", "/w/index.php?title="),
        ("/$1/view", None),
        ("//elsewhere.example/$1", None),
        ("https://elsewhere.example/$1", None),
        (7, None),
    ],
)
def test_wiki_site_info_gives_article_path(path: object, prefix: str | None) -> None:
    answer = {"query": {"general": {"articlepath": path}}}
    assert wiki_lists.parse_article_prefix(json.dumps(answer).encode()) == prefix
