"""How changes of one importance stand among each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.comparison.change_log import weigh_changes
from rori_spiders.comparison.change_weight import line_shape, weigh_change, weight_rules
from rori_spiders.ledger.pages import change_records, page_history
from rori_spiders.ledger.pages.change_records import ChangeFilter
from tests.ledger.factories import RUN, SOURCE, a_run, a_version, at
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


@cases(
    ("first", "second", "is_same"),
    [
        ([["=", "There are "], ["-", "5"], ["+", "61"]], [["=", "There are "], ["-", "61"], ["+", "5"]], True),
        ([["+", "* May 5, 2026 | Rules committee"]], [["+", "* June 9, 2026 | Rules committee"]], True),
        ([["+", "Posted 5 May"]], [["-", "Posted 6 May"]], True),
        ([["=", "You must pay "], ["-", "5"], ["+", "6"]], [["=", "The fee is "], ["-", "5"], ["+", "6"]], False),
    ],
)  # fmt: skip
def test_line_shape_leaves_figures_out(first: list[Any], second: list[Any], is_same: bool) -> None:
    one, other = line_shape({"excerpt": ["Help", *first]}), line_shape({"excerpt": ["Help", *second]})
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
