"""How changes of one importance stand among each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.comparison.change_log import weigh_changes
from rori_spiders.comparison.change_weight import line_shape, weigh_change, weight_rules
from rori_spiders.ledger.pages import change_records, page_history
from rori_spiders.ledger.pages.change_records import ChangeFilter
from tests.ledger.factories import OTHER_RUN, RUN, SOURCE, a_run, a_version, at
from tests.support.cases import cases

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger

_FEE = {
    "rules": ["amount"],
    "sections": [["changed", "§ 5 Fees"]],
    "marks": [["amount", "$5", "$6"]],
    "excerpt": ["§ 5 Fees", ["=", "The fee for each copy of a record shall be "], ["-", "$5"], ["+", "$6"]],
    "words_added": 1,
    "words_removed": 1,
}


def _counter(number: int) -> dict[str, Any]:
    return {
        "rules": ["figure_in_sentence"],
        "marks": [["number", str(number), str(number + 1)]],
        "excerpt": [
            "Help",
            ["=", "There are "],
            ["-", str(number)],
            ["+", str(number + 1)],
            ["=", " callers in line."],
        ],
    }


def test_weigh_change_adds_up_the_rules_that_fit() -> None:
    points, rules = weigh_change(_FEE, title=None, versions=1, days=1)
    assert rules == ["binds", "in_law", "in_sentence", "figure_changed", "few_words", "steady_page"]
    assert points == sum(rule.points for rule in weight_rules() if rule.rule_id in rules)
    assert weigh_change(_FEE, title=None, versions=1, days=3)[0] < points
    assert weigh_change({}, title=None, versions=9, days=0) == (0, [])


_SENTENCE = "A servicer must give the borrower a written notice of the transfer of the loan and keep a copy of it "


@cases(
    ("line", "fits"),
    [
        ([["=", _SENTENCE], ["-", "then"], ["+", "now"]], {"in_sentence", "few_words"}),
        # Two lines of which one took the other's place have words in common: no sentence stayed.
        ([["=", "You must be at the fair, or "], ["-", _SENTENCE], ["+", "call the office"]], {"few_words"}),
        ([["+", "Pay no fee for help."]], set()),
        ([["+", f"{_SENTENCE * 2}."]], {"paragraph"}),
        ([["-", f"{_SENTENCE} | {_SENTENCE}"]], set()),
        ([["-", "* May 5, 2026: Agency fines servicer"]], {"dated_entry"}),
        ([["+", "| 06/08/2026 | Agency fines servicer |"]], {"dated_entry"}),
        ([["=", "May 5, 2026: Agency fines servicer "], ["-", "A"], ["+", "B"]], {"few_words"}),
    ],
)  # fmt: skip
def test_weigh_change_tells_a_sentence_that_stayed_from_lines_that_come_and_go(line: list[Any], fits: set[str]) -> None:
    details = {"excerpt": ["Help", *line], "words_added": 4}
    assert set(weigh_change(details, title=None, versions=9, days=0)[1]) == fits


@cases(
    ("first", "second", "is_same"),
    [
        ([["=", "There are "], ["-", "5"], ["+", "61"]], [["=", "There are "], ["-", "61"], ["+", "5"]], True),
        ([["+", "* May 5, 2026 | Rules committee"]], [["+", "* June 9, 2026 | Rules committee"]], True),
        ([["+", "Posted 5 May"]], [["-", "Posted 6 May"]], True),
        ([["=", "You must pay "], ["-", "5"], ["+", "6"]], [["=", "The fee is "], ["-", "5"], ["+", "6"]], False),
        ([["=", "…sent by June "], ["-", "5"], ["+", "6"]], [["=", "…sent by May "], ["-", "7"], ["+", "8"]], True),
    ],
)  # fmt: skip
def test_line_shape_leaves_figures_out(first: list[Any], second: list[Any], is_same: bool) -> None:
    one, other = (line_shape({"excerpt": ["Help", *line], "lines": ["f00d"]}) for line in (first, second))
    assert one and (one == other) == is_same


def test_line_shape_of_too_little_is_empty() -> None:
    for line in ([["=", "…of a long line "], ["-", "5"], ["+", "6"]], [["+", "5"]], []):
        assert line_shape({"excerpt": ["Help", *line]}) == ""


def test_lines_that_recur_on_a_site_stand_behind_and_stay_listed(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        a_run(conn, RUN)
        rows = []
        for number, details in enumerate([_counter(1), _counter(2), _FEE, _counter(3)]):
            page = page_history.ensure_page(conn, SOURCE, f"https://a.gov/{number}", now=at())
            page_history.add_version(conn, page.page_id, a_version(title="Help"), body_chars=1)
            rows.append({
                "page_id": page.page_id, "seq": 1, "source_id": SOURCE, "at": at(days=number), "from_seq": None,
                "kind": "number", "importance": 3, "details": details, "described_at": at(),
            })  # fmt: skip
        change_records.add_changes(conn, rows)
        assert weigh_changes(conn) == 4
        assert weigh_changes(conn) == 0
    with ledger.connect() as conn:
        listed = [change for _, change in change_records.list_by_importance(conn, ChangeFilter(), limit=9)]
    recurring = [change for change in listed if "recurs_on_site" in change.weight_rules]
    assert len(listed) == 4
    assert (listed[0].details, listed[1:]) == (_FEE, recurring)


def _publications(ledger: Ledger, *changes: tuple[str, str, int, dict[str, Any]]) -> list[str]:
    """Of changes (URL, run, day, details), weighed one after the other as jobs do it: with which each stands."""
    with ledger.begin() as conn:
        for run_id in (RUN, OTHER_RUN):
            a_run(conn, run_id, source_id=run_id)
        for url, run_id, day, details in changes:
            page = page_history.ensure_page(conn, run_id, url, now=at())
            seq = page_history.add_version(conn, page.page_id, a_version(run_id=run_id), body_chars=1)
            change_records.add_changes(conn, [{
                "page_id": page.page_id, "seq": seq, "source_id": run_id, "at": at(days=day), "from_seq": None,
                "kind": "new_page" if "amends" in details else "text", "importance": 3, "details": details,
                "described_at": at(), "url": url,
            }])  # fmt: skip
            weigh_changes(conn)
    with ledger.connect() as conn:
        found = sorted(change_records.list_changes(conn, ChangeFilter()), key=lambda one: one.page_id)
        return [one.publication for one in found]


def test_same_edit_on_pages_of_other_sources_of_the_site_is_one_publication(ledger: Ledger) -> None:
    """Also where figures in it or lines of low importance beside it differ; one of other words stands with its run."""
    edit = {"edit": "e", "alike": "a"}
    first, own, second, beside = _publications(
        ledger,
        ("https://www.a.gov/1", RUN, 0, edit),
        ("https://www.a.gov/2", RUN, 0, {"edit": "another", "alike": "b"}),
        ("https://files.a.gov/3", OTHER_RUN, 2, edit),
        ("https://files.a.gov/4", OTHER_RUN, 2, {"edit": "more", "alike": "a"}),
    )
    assert first == second == beside and first.endswith(" 2026-02-13")
    assert own == RUN


def test_same_edit_stands_with_its_run_elsewhere_later_or_where_one_run_found_it(ledger: Ledger) -> None:
    edit = {"edit": "e", "alike": "a"}
    found = _publications(
        ledger,
        ("https://a.gov/1", RUN, 0, edit),
        ("https://a.gov/2", RUN, 0, edit),
        ("https://b.gov/3", OTHER_RUN, 0, edit),
        ("https://a.gov/4", OTHER_RUN, 9, edit),
        ("https://a.gov/5", OTHER_RUN, 0, {}),
    )
    assert found == [RUN, RUN, OTHER_RUN, OTHER_RUN, OTHER_RUN]


def test_edit_that_comes_again_on_its_page_within_a_week_is_one_publication(ledger: Ledger) -> None:
    first, second = _publications(
        ledger,
        ("https://a.gov/1", RUN, 0, {"edit": "e", "alike": "a"}),
        ("https://a.gov/1", OTHER_RUN, 3, {"edit": "f", "alike": "a"}),
    )
    assert first == second != RUN


def test_changes_of_a_part_within_a_week_are_one_publication(ledger: Ledger) -> None:
    part = {"part": "12 CFR 1024", "edit": "e"}
    found = _publications(
        ledger,
        ("https://a.gov/1", RUN, 0, part),
        ("https://a.gov/2", OTHER_RUN, 7, part),
        ("https://a.gov/3", OTHER_RUN, 8, part),
    )
    assert [one.removeprefix("12 CFR 1024 2026-02-") for one in found] == ["13", "13", "21"]


def test_document_of_the_register_and_the_parts_that_it_amends_are_one_publication(ledger: Ledger) -> None:
    parts = ("12 CFR 1024", "12 CFR 1026")
    found = _publications(
        ledger,
        ("https://www.federalregister.gov/documents/1", RUN, 0, {"amends": list(parts)}),
        ("https://a.gov/2", OTHER_RUN, 1, {"part": parts[0]}),
        ("https://a.gov/3", OTHER_RUN, 2, {"part": parts[1]}),
        ("https://a.gov/4", OTHER_RUN, 2, {"part": "12 CFR 1005"}),
        ("https://a.gov/5", OTHER_RUN, 9, {"part": parts[1]}),
    )
    assert found[0] == found[1] == found[2] != found[3]
    assert found[4] == "12 CFR 1026 2026-02-22"


def test_weigh_change_whole_section_of_law_counts() -> None:
    details = {"excerpt": ["§ 5 Fees", ["-", "A fee is charged."]], "sections": [["removed", "§ 5 Fees"]]}
    assert "whole_section" in weigh_change(details, title=None, versions=9, days=1)[1]
    changed = details | {"sections": [["changed", "§ 5 Fees"]]}
    assert "whole_section" not in weigh_change(changed, title=None, versions=9, days=1)[1]
