"""The frontier: each URL is there once, and ends in one state."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import event
from sqlalchemy.exc import IntegrityError

from rori_spiders.items import RANK_DEFERRED, RANK_MISSING, RANK_NEW, RANK_PAGE
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.runs import frontier
from rori_spiders.ledger.runs.frontier import FinalState
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls.canonical import url_hash
from tests.ledger.factories import OTHER_RUN, a_run, a_visit, at, url

if TYPE_CHECKING:
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger


def test_frontier_discovered_urls_are_pending(ledger: Ledger, run_id: str) -> None:
    visits = [
        a_visit("5"),
        a_visit("6", kind="sitemap"),
        replace(a_visit("0"), depth=0, found_on=None, found_by="start"),
    ]
    with ledger.begin() as conn:
        frontier.add_urls(conn, run_id, visits)
    with ledger.connect() as conn:
        assert list(frontier.stream_pending_urls(conn, run_id)) == [
            visits[2],
            *sorted(visits[:2], key=lambda one: url_hash(one.url)),
        ]
        assert set(frontier.stream_url_hashes(conn, run_id)) == {url_hash(visit.url) for visit in visits}


def test_frontier_pending_urls_are_loaded_by_rank_and_depth(ledger: Ledger, run_id: str) -> None:
    ranks = {"1": RANK_PAGE, "2": RANK_MISSING, "3": RANK_NEW, "4": RANK_PAGE, "5": RANK_DEFERRED}
    visits = [replace(a_visit(name, depth=9 - int(name)), rank=rank) for name, rank in ranks.items()]
    with ledger.begin() as conn:
        frontier.add_urls(conn, run_id, visits)
        frontier.settle_urls(conn, run_id, [FinalState(url("5"), "captured")], now=at())
    with ledger.connect() as conn:
        groups = {url("1"): "a", url("2"): "b", url("3"): "a"}
        found = frontier.load_pending_urls(conn, run_id, {"a": 9, "b": 1, "c": 1}, lambda one: groups.get(one.url))
        assert [(one.url, one.rank) for one in found] == [(url(name), ranks[name]) for name in "312"]
        assert [one.url for one in frontier.load_pending_urls(conn, run_id, {"a": 1}, lambda _: "a")] == [url("3")]


def test_frontier_pending_url_is_found_with_all_that_its_visit_holds(ledger: Ledger, run_id: str) -> None:
    visit = replace(a_visit("5"), rank=RANK_NEW, lastmod="2026-07-01")
    with ledger.begin() as conn:
        frontier.add_urls(conn, run_id, [visit, a_visit("6")])
        frontier.settle_urls(conn, run_id, [FinalState(url("6"), "captured")], now=at())
    with ledger.connect() as conn:
        assert frontier.find_pending_url(conn, run_id, url("5")) == visit
        assert [frontier.find_pending_url(conn, run_id, url(name)) for name in ("6", "7")] == [None, None]


def test_frontier_pending_urls_are_read_in_order_of_an_index(tmp_path: Path) -> None:
    """Sorting all of a large run for each few hundred pages would take longer than the pages."""
    with open_ledger(str(tmp_path / "ledger.db")) as ledger, ledger.begin() as conn:
        a_run(conn, OTHER_RUN)
        frontier.add_urls(conn, OTHER_RUN, [a_visit(str(number), run_id=OTHER_RUN) for number in range(50)])
        statements: list[str] = []
        event.listen(conn, "before_cursor_execute", lambda *args: statements.append(args[2]))
        assert len(list(frontier.stream_pending_urls(conn, OTHER_RUN))) == 50
        plan = conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {statements[-1]}", (OTHER_RUN,)).all()
    assert [row.detail.split(" (")[0] for row in plan] == ["SEARCH run_urls USING INDEX ix_run_urls_pending"]


def test_frontier_known_url_stays_unchanged(ledger: Ledger, run_id: str) -> None:
    with ledger.begin() as conn:
        frontier.add_urls(conn, run_id, [a_visit("5", depth=1), a_visit("5", depth=2)])
        frontier.settle_urls(conn, run_id, [FinalState(url("5"), "captured")], now=at())
        frontier.add_urls(conn, run_id, [a_visit("5", depth=3), a_visit("6")])
        found = frontier.list_urls(conn, run_id)
    assert [(row.url, row.state, row.depth) for row in found] == [(url("5"), "captured", 1), (url("6"), "pending", 1)]


def test_frontier_nothing_discovered_writes_nothing(ledger: Ledger, run_id: str) -> None:
    with ledger.begin() as conn:
        frontier.add_urls(conn, run_id, [])
        frontier.settle_urls(conn, run_id, [], now=at())
        assert set(frontier.stream_url_hashes(conn, run_id)) == set()


def test_frontier_of_run_is_its_own(ledger: Ledger, run_id: str) -> None:
    with ledger.begin() as conn:
        a_run(conn, OTHER_RUN, source_id="reg-z")
        frontier.add_urls(conn, run_id, [a_visit("5")])
        frontier.add_urls(conn, OTHER_RUN, [a_visit("5", run_id=OTHER_RUN)])
        frontier.settle_urls(conn, OTHER_RUN, [FinalState(url("5"), "failed", Reason(ReasonCode.TIMEOUT))], now=at())
        assert len(list(frontier.stream_pending_urls(conn, run_id))) == 1
        assert list(frontier.stream_pending_urls(conn, OTHER_RUN)) == []


def test_frontier_settled_url_has_all_facts(ledger: Ledger, run_id: str) -> None:
    with ledger.begin() as conn:
        frontier.add_urls(conn, run_id, [a_visit("5")])
        frontier.settle_url(
            conn,
            run_id,
            url("5"),
            state="failed",
            reason=Reason(ReasonCode.CAPTCHA, http_status=403),
            tier="http",
            verdict="captcha",
            attempts=3,
            now=at(2),
        )
        (row,) = frontier.list_urls(conn, run_id, "failed")
        assert frontier.list_urls(conn, run_id, "pending") == []
    assert row == frontier.UrlRow(
        url=url("5"),
        kind="page",
        state="failed",
        reason=Reason("captcha", http_status=403),
        reason_code="captcha",
        reason_detail={"http_status": 403},
        depth=1,
        found_on=url("index"),
        found_by="link",
        tier="http",
        verdict="captcha",
        attempts=3,
        settled_at=at(2),
    )


def test_frontier_url_that_ends_as_it_is_found_is_as_added_and_settled(ledger: Ledger, run_id: str) -> None:
    """New ones, one that waits at the end of a longer way, one of a shorter way, and one that has ended."""
    known = [a_visit("6", depth=4), a_visit("7", depth=1), a_visit("8", depth=4)]
    found = [replace(a_visit(name, depth=2), found_by="sitemap", lastmod="2026") for name in "5678"]
    why = Reason(ReasonCode.CRAWLER_TRAP, rule="calendar \U0010ffff\x00")
    ends = [FinalState(visit.url, "excluded", why, at=at(2)) for visit in found]
    rows = []
    with ledger.begin() as conn:
        a_run(conn, OTHER_RUN, source_id="reg-z")
        for run in (run_id, OTHER_RUN):
            frontier.add_urls(conn, run, known)
            frontier.settle_urls(conn, run, [FinalState(url("8"), "captured", tier="http", attempts=1)], now=at())
            if run == run_id:
                frontier.add_settled_urls(conn, run, zip(found, ends, strict=True))
            else:
                frontier.add_urls(conn, run, found)
                frontier.settle_urls(conn, run, ends)
            rows.append(frontier.list_urls(conn, run))
    assert rows[0] == rows[1]
    assert [(row.state, row.depth, row.attempts) for row in rows[0]] == [
        ("excluded", 1, 0),
        ("excluded", 2, 0),
        ("excluded", 2, 0),
        ("excluded", 4, 0),
    ]


def test_frontier_many_urls_are_settled_at_once(ledger: Ledger, run_id: str) -> None:
    names = [str(number) for number in range(2000)]
    with ledger.begin() as conn:
        frontier.add_urls(conn, run_id, (a_visit(name) for name in names))
        frontier.settle_urls(conn, run_id, (FinalState(url(name), "unchanged") for name in names[:1500]), now=at())
        assert len(list(frontier.stream_pending_urls(conn, run_id))) == 500


def test_frontier_unknown_url_rolls_back_batch(ledger: Ledger, run_id: str) -> None:
    with ledger.begin() as conn:
        frontier.add_urls(conn, run_id, [a_visit("5")])
    batch = [FinalState(url("5"), "captured"), FinalState(url("6"), "captured")]
    with pytest.raises(KeyError, match="1 of 2 URLs settled before discovered"), ledger.begin() as conn:
        frontier.settle_urls(conn, run_id, batch, now=at())
    with ledger.connect() as conn:
        assert len(list(frontier.stream_pending_urls(conn, run_id))) == 1


@pytest.mark.parametrize("state", ["pending", "done", ""])
def test_frontier_only_final_states_settle(ledger: Ledger, run_id: str, state: str) -> None:
    with ledger.begin() as conn:
        frontier.add_urls(conn, run_id, [a_visit("5")])
    with pytest.raises(ValueError, match="not a final state"), ledger.begin() as conn:
        frontier.settle_urls(conn, run_id, [FinalState(url("5"), state)], now=at())


def test_frontier_table_constraint_has_same_states(ledger: Ledger, run_id: str) -> None:
    with ledger.begin() as conn:
        frontier.add_urls(conn, run_id, [a_visit("5")])
    with pytest.raises(IntegrityError, match="ck_run_urls_state"), ledger.begin() as conn:
        conn.exec_driver_sql("UPDATE run_urls SET state = 'done'")


def test_frontier_one_url_of_run_is_found(ledger: Ledger, run_id: str) -> None:
    with ledger.begin() as conn:
        frontier.add_urls(conn, run_id, [a_visit("5"), a_visit("6")])
        assert frontier.find_url(conn, run_id, url("6")) == frontier.list_urls(conn, run_id)[1]
        assert frontier.find_url(conn, run_id, url("7")) is None
