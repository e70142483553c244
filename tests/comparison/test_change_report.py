"""Changes as people and programs read them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lxml import etree

from rori_spiders.comparison.change_report import (
    change_document,
    change_sentence,
    group_changes,
    render_atom,
    render_markdown,
)
from rori_spiders.ledger.pages.change_records import ChangeRow
from tests.support.cases import cases

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ATOM = {"a": "http://www.w3.org/2005/Atom"}


def _change(
    page_id: int = 1,
    *,
    at: datetime = NOW,
    importance: int = 2,
    source: str = "a",
    publication: str = "a",
    **details: Any,
) -> ChangeRow:
    return ChangeRow(
        page_id=page_id, seq=2, source_id=source, at=at, from_seq=1, kind="text", importance=importance,
        details=details, described_at=at, url=f"https://a.gov/{page_id}", title="Page & <b>", run_id=f"run {at:%d}",
        content_hash="c" * 64, published=None, effective=None, publisher_version=None,
        decision=None, reason=None, reviewed_by=None, reviewed_at=None, publication=publication, site="a.gov",
    )  # fmt: skip


@cases(
    ("details", "sentence"),
    [
        ({"excerpt": ["§ 5", ["=", "within "], ["-", "60"], ["+", "61"], ["=", " days"]]}, "§ 5: within 60 → 61 days"),
        ({"excerpt": ["§ 5", ["=", "must "], ["-", "not "], ["=", "pay"]]}, "§ 5: must [removed: not] pay"),
        ({"excerpt": ["§ 5", ["+", "An escrow\naccount"]]}, "§ 5: [added: An escrow account]"),
        (
            {
                "excerpt": ["§ 5", ["-", "60"], ["+", "61"]],
                "next_excerpt": ["§ 6", ["-", "a"], ["+", "b"]],
                "more_passages": 3,
            },
            "§ 5: 60 → 61; also § 6: a → b (+2 passages)",
        ),
        ({"sections": [["changed", "Part > § 5"], ["added", "§ 6"]]}, "Text changed: § 5, § 6"),
        ({"notes": ["The text is missing."]}, "Text changed: The text is missing."),
        ({}, "Text changed"),
        ({"excerpt": ["§\u202e5", ["+", "\x1b[31mred"]]}, None),
    ],
)
def test_change_sentence_tells_words_or_sections(details: dict[str, Any], sentence: str | None) -> None:
    found = change_sentence(_change(**details))
    assert found == sentence or (sentence is None and "\x1b" not in found and "\u202e" not in found)


@cases(
    ("excerpt", "sentence"),
    [
        (
            [["-", "July"], ["+", "May"], ["=", " "], ["-", "6"], ["+", "4"], ["=", ", 2026."]],
            "p: July 6 → May 4, 2026.",
        ),
        ([["=", "a"], ["-", "x"], ["=", " "], ["-", "y"], ["=", " z"]], "p: a [removed: x] [removed: y] z"),
        (
            [["+", "| When | Cost |\n| --- | ---: |\n"], ["=", " "], ["+", "| May 5 | $7 |"]],
            "p: [added: When | Cost] [added: May 5 | $7]",
        ),
        ([["=", "a loan"], ["+", ", except one"], ["=", "."]], "p: a loan [added: , except one]."),
        ([["=", "See ["], ["-", "a"], ["+", "b"], ["=", "](https://a.gov/x(1))."]], "p: See a → b."),
        ([["=", "["], ["-", "a](/1)"], ["+", "b](/2)"]], "p: a → b"),
        ([["+", "![Logo](/l.png) [Part [x] y](/u), [Forms](https://a.gov/fo…"]], "p: [added: Logo Part [x] y, Forms]"),
        ([["=", "See [a](/"], ["-", "1"], ["+", "2"], ["=", ")"]], "p: See [a](/1 → 2)"),
        ([["=", "The [servicer] may (if asked)"], ["+", " not"]], "p: The [servicer] may (if asked) [added: not]"),
        ([["+", "…ews](/n) of May"]], "p: [added: …ews of May]"),
    ],
)
def test_change_sentence_shows_words_of_links_and_a_target_only_where_it_alone_changed(
    excerpt: list[list[str]], sentence: str
) -> None:
    assert change_sentence(_change(excerpt=["p", *excerpt])) == sentence


@cases(
    ("details", "sentence"),
    [
        ({"excerpt": ["Records", ["+", "Keep it."]], "sections": [["added", "A > Records"]]},
         "New section Records: [added: Keep it.]"),
        ({"excerpt": ["Records", ["-", "Records"]], "sections": [["removed", "A > Records"]]},
         "Removed section: [removed: Records]"),
        ({"excerpt": ["Records", ["+", "Keep it."]], "sections": [["added", "A > Records"], ["changed", "Records"]]},
         "Records: [added: Keep it.]"),
        ({"excerpt": ["(before the first heading)", ["+", "- **A** bond of \\\\$5"]]}, "[added: A bond of $5]"),
        ({"excerpt": ["(before the first heading), [1](/1), Date", ["-", "a"], ["+", "b"]]}, "1, Date: a → b"),
        ({"excerpt": ["p", ["=", "a"], ["+", "**"], ["=", " b"]]}, "p: a [added: **] b"),
        ({"excerpt": ["p", ["=", "a "], ["-", "x"], ["+", "y"], ["=", " word" * 40]]},
         "p: a x → y" + " word" * 19 + "…"),
        ({"excerpt": ["29 Aug", ["-", "28"], ["+", "29"], ["=", " Aug"]]}, "28 → 29 Aug"),
        ({"excerpt": ["p", ["=", "by October "], ["-", "31"], ["+", "1"], ["=", ", "], ["-", "2009"], ["+", "2010"]]},
         "p: by October 31, 2009 → October 1, 2010"),
        ({"excerpt": ["p", ["-", "May"], ["+", "July"], ["=", " 1, "], ["-", "2009"], ["+", "2010"], ["=", "."]]},
         "p: May 1, 2009 → July 1, 2010."),
        ({"excerpt": ["p", ["-", "30"], ["+", "60"], ["=", ", "], ["-", "70"], ["+", "80"]]}, "p: 30 → 60, 70 → 80"),
    ],
)  # fmt: skip
def test_change_sentence_names_place_once_and_shows_what_the_page_shows(details: dict[str, Any], sentence: str) -> None:
    assert change_sentence(_change(**details)) == sentence


@cases(
    ("kind", "details", "sentence"),
    [
        ("moved", {"moves": [["A fee of $5", "R > § 5", "R > § 6", "paragraph"]], "moved": 3},
         "Moved from § 5 to § 6: “A fee of $5” (+2 passages)"),
        ("moved", {"moves": [["A fee", "§ 5", "§ 5", "paragraph"]], "moved": 1}, "Moved within § 5: “A fee”"),
        ("moved", {"moves": [["§ 6", "§ 5", "(before the first heading)", "section"]], "moved": 1},
         "Moved from behind § 5 to the beginning: “§ 6”"),
        ("moved", {"sections": [["changed", "§ 5"]]}, "Passages moved: § 5"),
        ("replaced", {"excerpt": ["§ 5", ["-", "a b"], ["+", "c"]], "words_removed": 2, "words_added": 1,
                      "next_excerpt": ["§ 6", ["+", "d"]], "more_passages": 9},
         "Text replaced (2 words removed, 1 added). § 5: a b → c"),
        ("link", {"excerpt": ["Forms", ["=", "[Forms](https://a.gov/"], ["-", "1"], ["+", "2"], ["=", ")"]],
                  "marks": [["link", "https://a.gov/forms/archive/older/licences/1", "https://a.gov/forms/archive/older/licences/2"]]},
         "Forms: link …/1 → …/2"),
    ],
)  # fmt: skip
def test_change_sentence_says_from_where_to_where(kind: str, details: dict[str, Any], sentence: str) -> None:
    assert change_sentence(_change(**details)._replace(kind=kind)) == sentence


def test_group_changes_names_part_run_of_a_source_and_site_of_an_edit() -> None:
    part, run = "12 CFR 1024", f"run {NOW:%d}"
    found = [
        _change(1, part=part, publication="12 CFR 1024 2026-02-27"),
        _change(2, publication=run),
        _change(3, publication=run, importance=3),
        _change(4, part=part, publication="12 CFR 1024 2026-02-27", source="b", importance=3),
        _change(5, publication="f00d 2026-02-27"),
        _change(6, publication="f00d 2026-02-27", source="b"),
        _change(7, part=part, publication="12 CFR 1024 2026-02-20"),
        _change(8, publication=f"run 8 {NOW:%d}")._replace(run_id=f"run 8 {NOW:%d}"),
        _change(9, publication="cafe 2026-02-27"),
    ]
    groups = [(group.title, [change.page_id for change in group.changes]) for group in group_changes(found)]
    assert groups == [
        ("12 CFR 1024: 2 pages of 2 sources", [4, 1]),
        ("a: 2 pages", [3, 2]),
        ("a.gov: 2 pages of 2 sources", [5, 6]),
        ("12 CFR 1024", [7]),
        ("Page & <b>", [8]),
        ("Page & <b>", [9]),
    ]


def test_render_markdown_escapes_what_came_from_the_web() -> None:
    text = "\n".join(render_markdown(group_changes([_change(excerpt=["*x*", ["+", "[y](http://evil)"]])]), "Changes"))
    assert "[Page & \\<b\\>](<https://a.gov/1>): x: \\[added: y\\]" in text


def test_render_markdown_shows_entities_and_strokes_as_they_stand() -> None:
    text = "\n".join(render_markdown(group_changes([_change(excerpt=["&lt;b&gt;", ["+", "~~not~~"]])]), "Changes"))
    assert r"\&lt;b\&gt;" in text and r"\~\~not\~\~" in text


@cases("title", ["a\uffffb", "a\ufffeb", "a\x0bb", "a\ud800b", "]]></title><script>", "a\x00b"])
def test_render_atom_of_any_title_is_a_feed(title: str) -> None:
    found = [_change()._replace(title=title)]
    feed = etree.fromstring(render_atom(found, feed_id="x", title="y", now=NOW))
    assert (feed.findtext("a:entry/a:title", namespaces=ATOM) or "").startswith(title[0])


def test_render_atom_is_a_feed_whose_entries_keep_their_ids() -> None:
    found = [_change(1, rules=["deadline"]), _change(2)]
    feed = etree.fromstring(render_atom(found, feed_id="tag:rori.dev,2026:changes", title="Changes", now=NOW))
    later = etree.fromstring(render_atom([found[0]._replace(described_at=NOW)], feed_id="x", title="y", now=NOW))
    assert feed.findtext("a:updated", namespaces=ATOM) == "2026-03-01T12:00:00Z"
    ids = [entry.findtext("a:id", namespaces=ATOM) for entry in feed.iterfind("a:entry", ATOM)]
    assert len(set(ids)) == 2
    assert later.findtext("a:entry/a:id", namespaces=ATOM) == ids[0]
    for entry in feed.iterfind("a:entry", ATOM):
        for name in ("id", "title", "updated", "link", "summary"):
            assert len(entry.findall(f"a:{name}", ATOM)) == 1, name
    empty = etree.fromstring(render_atom([], feed_id="x", title="y", now=NOW))
    assert not empty.findall("a:entry", ATOM)


def test_render_atom_follows_the_grammar_of_rfc_4287() -> None:
    grammar = etree.RelaxNG(file=str(Path(__file__).parent / "fixtures" / "atom.rng"))
    rows = [_change(1, rules=["deadline"]), _change(2)._replace(title="\x0b§ 5 <&>", url="https://a.gov/é?a=1&b=%20")]
    for found, address in ((rows, "https://a.gov/feeds/x.atom"), ([], None)):
        feed = render_atom(found, feed_id="tag:rori.dev,2026:x", title="Changes", now=NOW, address=address)
        assert grammar.validate(etree.fromstring(feed)), grammar.error_log
    assert not grammar.validate(etree.fromstring(feed.replace(b"12:00:00Z", b"12:00:00")))


def test_change_document_tells_reasons_and_leaves_out_rules_that_are_gone() -> None:
    document = change_document(_change(rules=["deadline", "no-longer-there"], effective=["2026-01-01", None]), NOW)
    assert document["rules"] == ["deadline", "no-longer-there"]
    assert document["reasons"] == ["a date or period by which something is due or takes effect"]
    assert (document["change"], document["importance"], document["effective_before"]) == ("1-2", "medium", "2026-01-01")
