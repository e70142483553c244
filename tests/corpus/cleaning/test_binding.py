"""What may not go without a person's word; and what steers."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from rori_spiders.corpus.cleaning.blocks import parse_blocks
from rori_spiders.corpus.cleaning.boilerplate import binding_reason, chrome_kind, follows_lead_sentence
from rori_spiders.corpus.cleaning.cleaner import clean_body
from rori_spiders.corpus.site_rules import CleaningRules
from tests.support.cases import cases


@cases(
    ("text", "what"),
    [
        ("Sign up for the 2 courses", "figure"),
        ("The fee is low: $", "figure"),
        ("Sign up within thirty days", "number"),
        ("Apply by the deadline", "time"),
        ("Learn more before March", "time"),
        ("The lender must answer", "obligation"),
        ("Only a lender answers", "obligation"),
        ("[Reserved]", "obligation"),
        ("You may also like", "obligation"),
        ("Subscribe. We do not sell anything", "denial"),
        ("Non-members contact sales", "denial"),
        ("Learn more unless it rains", "denial"),
        ("Read more in the Truth in Lending Act", "citation"),
        ("- [Rules](https://www.example.gov/rules)", "citation"),
        ("[Read more](https://www.example.gov/a.pdf)", "document"),
        ("[Подписаться](https://www.example.ru/)", "unread language"),
        ("订阅", "unread language"),
        ("Book a demo", None),
        ("[Learn more](https://www.example.com/node/1024)", None),
        ("**Follow us** on Mastodon", None),
        ("Café, façade", None),
    ],
)
def test_binding_text_is_detected(text: str, what: str | None) -> None:
    assert binding_reason(text) == what


@cases(
    ("text", "what"),
    [
        ("Book a demo", "call to action"),
        ("- [Get started](https://www.example.com/)", "call to action"),
        ("Request your free quote today", "call to action"),
        ("**Subscribe** to our newsletter!", "call to action"),
        ("Back to top", "call to action"),
        ("[Home](https://www.example.com/) | [Help](https://www.example.com/help)", "links"),
        ("- [Home](https://www.example.com/)", "links"),
        # These say something, or may.
        ("Contact us", None),
        ("The lender keeps the file.", None),
        ("Subscribe to our newsletter, in which the examiners tell what they have found in the files of lenders", None),
        ("See the [booklet](https://www.example.com/) of the Bureau", None),
        ("1. Book a demo", None),
        ("# Book a demo", None),
        ("| Book a demo |", None),
        ("> Book a demo", None),
        ("<del>\n\nBook a demo\n\n</del>", None),
        ("Book a demo before 5 p.m.", None),
        ("NONE", None),
        ("***", None),
    ],
)
def test_chrome_kind_of_block(text: str, what: str | None) -> None:
    found = [chrome_kind(block) for block in parse_blocks(text)]
    assert (found[0] if len(found) == 1 else next(filter(None, found), None)) == what


def test_chrome_kind_run_of_many_links_is_content() -> None:
    line = " ".join(f"[Word](https://www.example.com/{at})" for at in range(41))
    assert chrome_kind(parse_blocks(line)[0]) is None


@pytest.mark.parametrize(
    ("lead", "is_led"),
    [("The lender gives:", True), ("Share this:", False), ("The lender gives them.", False), ("# Links:", False)],
)
def test_binding_list_announced_by_sentence_belongs_to_it(lead: str, is_led: bool) -> None:
    blocks = parse_blocks(f"{lead}\n\n- [One](https://www.example.com/1)\n- [Two](https://www.example.com/2)\n")
    assert [follows_lead_sentence(blocks, at) for at in (1, 2)] == [is_led, is_led]


def test_figure_of_the_own_title_holds_no_named_block() -> None:
    rules = CleaningRules(remove_blocks_matching=("Book a demo",))
    body = "# Routing 2.0\n\nText.\n\nBook a demo of Routing 2.0\n\nBook a demo of Routing for $20\n"
    draft = clean_body(body, url="https://acme.example/routing", title="Routing 2.0", rules=rules)
    assert [one.text for one in draft.removals] == ["Book a demo of Routing 2.0"]
    assert [one.name for one in draft.flags] == ["rule_kept_block"]


def test_rule_acknowledged_once_makes_no_page_one_for_a_person() -> None:
    told = {"drop_sections": [{"heading": "Prices"}]}
    body = "# Plans\n\nText of the plans.\n\n## Prices\n\nThe plan costs 20 a month.\n"
    seen = {**told, "acknowledged": ["drop_sections: Prices"]}
    flags = [
        [flag.name for flag in clean_body(body, url="https://acme.example/", title="", rules=rules).flags]
        for rules in (CleaningRules.model_validate(told), CleaningRules.model_validate(seen))
    ]
    assert flags == [["rule_removed_what_binds"], []]
    with pytest.raises(ValidationError, match="not in the file: drop_sections: Fees"):
        CleaningRules.model_validate({**told, "acknowledged": ["drop_sections: Fees"]})
