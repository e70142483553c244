"""The addresses of a wiki's lists, and what their answers name; of old wikis, and of those that lie."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rori_spiders.tiers import wiki_lists
from rori_spiders.urls import normalise

API = "https://wiki.example.org/w/api.php"


def read(answer: Any) -> wiki_lists.Listed:
    return wiki_lists.read(json.dumps(answer).encode())


def test_every_key_of_continue_is_sent_back_and_none_of_an_earlier_answer() -> None:
    first = wiki_lists.namespace_url(API, 0, "A & B+C")
    second = normalise(wiki_lists.continued(first, {"apcontinue": "A|1", "continue": "-||", "odd": "x"}))
    third = wiki_lists.continued(second, {"apcontinue": "A|2", "continue": "-||"})
    assert "odd=x" in second and "odd" not in third
    assert "apprefix=A+%26+B%2BC" in third and "apcontinue=A%7C2" in third
    assert wiki_lists.first_of(third) != third and wiki_lists.first_of(third) == wiki_lists.first_of(second)
    assert wiki_lists.is_first(first) and not wiki_lists.is_first(second)


def test_an_address_says_what_it_lists() -> None:
    url = normalise(wiki_lists.category_url(API, "Category:Lois & décrets", level=2, depth=3))
    assert (wiki_lists.level_of(url), wiki_lists.category_of(url)) == (2, "Category:Lois & décrets")
    assert wiki_lists.words(url) == "the members of Category:Lois & décrets"
    assert wiki_lists.words(wiki_lists.namespace_url(API, 12, "P")) == "the pages of namespace 12 that begin with 'P'"
    assert not wiki_lists.is_list(wiki_lists.site_url(API))


def test_sub_categories_are_asked_for_only_where_they_are_walked() -> None:
    above, last = (wiki_lists.category_url(API, "Category:A", level=level, depth=1) for level in (0, 1))
    assert "subcat" in above and "subcat" not in last


def test_old_wikis_say_otherwise_where_a_list_goes_on() -> None:
    old = read({"query-continue": {"allpages": {"apfrom": "B"}}, "query": {"allpages": [{"ns": 0, "title": "A"}]}})
    assert (old.pages, old.more) == (("A",), {"apfrom": "B"})


@pytest.mark.parametrize(
    ("page", "unknown"),
    [
        ({"missing": True}, True),
        ({"missing": ""}, True),
        ({"missing": True, "categoryinfo": {"size": 0}}, False),
        ({"pageid": 7}, False),
    ],
)
def test_a_category_is_unknown_without_page_and_members(page: dict[str, Any], unknown: bool) -> None:
    assert read({"query": {"pages": [page], "categorymembers": []}}).is_unknown is unknown
    assert read({"query": {"pages": {"-1": page}, "categorymembers": []}}).is_unknown is unknown


@pytest.mark.parametrize(
    "answer",
    [
        [],
        {"query": {"allpages": {}}},
        {"query": {"allpages": ["A"]}},
        {"query": {"allpages": [{"ns": 0}]}},
        {"query": {"allpages": [{"ns": "0", "title": "A"}]}},
        {"query": {"allpages": [{"ns": 0, "title": ""}]}},
        {"query": {"allpages": [{"ns": 0, "title": "A" * 600}]}},
        {"query": {"allpages": [{"ns": 0, "title": "A"}] * 5001}},
        {"query": {"allpages": []}, "continue": "again"},
    ],
)
def test_what_is_no_list_is_refused(answer: Any) -> None:
    with pytest.raises(ValueError, match="the API"):
        read(answer)


@pytest.mark.parametrize(
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
def test_the_wiki_says_how_its_addresses_look(path: object, prefix: str | None) -> None:
    answer = {"query": {"general": {"articlepath": path}}}
    assert wiki_lists.article_prefix(json.dumps(answer).encode()) == prefix
