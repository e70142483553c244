"""Boilerplate, found by counting: what goes, and above all what stays however often it stands there."""

from __future__ import annotations

import random
from dataclasses import asdict
from typing import TYPE_CHECKING

from rori_spiders.corpus.cleaning import boilerplate
from rori_spiders.corpus.cleaning.boilerplate import Boilerplate, count_boilerplate
from rori_spiders.corpus.cleaning.cleaner import clean_body
from rori_spiders.corpus.site_rules import CleaningRules
from tests.support.cases import cases

if TYPE_CHECKING:
    import pytest

RULES = CleaningRules()
BAR = "**\\| [HOME](https://www.example.gov/) | [HELP](https://www.example.gov/help.html)**"


def address(at: int) -> str:
    return f"https://www.example.gov/bills/{at}"


def site(block: str, share: float, pages: int = 20) -> list[tuple[str, str]]:
    """So many pages, *block* on that share of them."""
    return [
        (address(at), f"# Bill {at}\n\n{block if at < share * pages else 'Other words.'}\n\nText {at}.\n")
        for at in range(pages)
    ]


def left_of(pages: list[tuple[str, str]], rules: CleaningRules = RULES) -> str:
    url, body = pages[0]
    return clean_body(body, url=url, title="", rules=rules, boilerplate=count_boilerplate(pages)).body


@cases(
    ("block", "share", "goes"),
    [
        (BAR, 1.0, True),
        (BAR, 0.8, True),
        (BAR, 0.75, False),  # links may tell pages from each other
        ("Book a demo", 0.3, True),
        ("Book a demo", 0.25, False),
        ("[Read more](https://www.example.gov/more)", 0.5, True),
        ("- [Home](https://www.example.gov/)\n- [Help](https://www.example.gov/help)", 1.0, True),
        # On every page of real courts, legislatures and registers:
        ("Please note: These electronic orders may contain computer-generated errors.", 1.0, False),
        ("Opinions ordered published are cited as such by other courts.", 1.0, False),
        ("\\*\\*\\*NONE\\*\\*\\*", 1.0, False),
        ("[Reserved]", 1.0, False),
        ("Description", 1.0, False),
        ("Book a demo: $100", 1.0, False),
        ("[Form](https://www.example.gov/form.pdf)", 1.0, False),
        ("The lender gives:\n\n- [the booklet](https://www.example.gov/booklet)", 1.0, False),
        ("1. [Home](https://www.example.gov/)", 1.0, False),
        ("| [Home](https://www.example.gov/) |\n| --- |\n| [Help](https://www.example.gov/) |", 1.0, False),
        ("## [Home](https://www.example.gov/)", 1.0, False),
    ],
)
def test_boilerplate_repeated_blocks_go_others_stay(block: str, share: float, goes: bool) -> None:
    pages = site(block, share)
    assert left_of(pages) == (pages[0][1].replace(f"{block}\n\n", "") if goes else pages[0][1])


def test_boilerplate_list_goes_whole_or_stays() -> None:
    every = "- [Changelog](https://www.example.gov/changes)\n"
    pages = [(url, f"{body}\n{every}- [Known issues of {url[-2:]}]({url}/issues)\n") for url, body in site("x", 0)]
    pages = [(url, body.replace("of /", "of ")) for url, body in pages]
    assert left_of(pages) == pages[0][1]


def test_boilerplate_own_url_in_block_is_ignored() -> None:
    pages = [
        (url, f"{body}\n[Share this]({url}) [Share this](https://x.example/?u=https%3A%2F%2Fwww.example.gov%2Fbills%2F{at})\n")
        for at, (url, body) in enumerate(site("x", 0))
    ]  # fmt: skip
    assert left_of(pages) == "# Bill 0\n\nOther words.\n\nText 0.\n"


def test_boilerplate_hosts_are_counted_apart_few_pages_prove_nothing() -> None:
    few = site("Book a demo", 1.0, pages=4)
    assert left_of(few) == few[0][1]
    other = [(url.replace("www", "news"), body) for url, body in site("x", 0, pages=100)]
    assert "Book" not in left_of([*site("Book a demo", 1.0, pages=5), *other])


def test_boilerplate_text_kept_by_site_rule_stays() -> None:
    pages = site("Book a demo", 1.0)
    assert left_of(pages, CleaningRules(keep_blocks_matching=("book a demo",))) == pages[0][1]
    assert left_of(pages, CleaningRules(remove_boilerplate=False)) == pages[0][1]


def test_boilerplate_page_order_is_irrelevant_and_counts_are_stored() -> None:
    pages = site(BAR, 1.0)
    mixed = random.Random(1).sample(pages, len(pages))
    counted = count_boilerplate(pages)
    assert counted == count_boilerplate(mixed)
    assert Boilerplate(**asdict(counted)) == counted


def test_boilerplate_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is frequent is found still, and no count is ever too high."""
    monkeypatch.setattr(boilerplate, "MAX_UNITS", 50)
    pages = site("Book a demo", 1.0, pages=200)
    noise = [(url, f"{body}\n[Only here]({url}/own{at})\n") for at, (url, body) in enumerate(pages)]
    counts = count_boilerplate(noise).counts["www.example.gov"]
    assert max(counts.values()) <= 200
    assert left_of(noise) == noise[0][1].replace("Book a demo\n\n", "")
