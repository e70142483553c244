"""The tier that worked is known for 7 days, by source and kind of page; the browser's pages are counted once each."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from rori_spiders.ledger.runs import run_records, tier_memory
from rori_spiders.ledger.tables import tier_memory as table
from tests.ledger.factories import SOURCE, at

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger

KIND = "www.hud.gov/rules/{n}"


def test_tier_memory_successful_tier_lasts_a_week(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        tier_memory.remember_tier(conn, SOURCE, KIND, "browser", now=at())
        assert tier_memory.remembered_tiers(conn, SOURCE, now=at(days=6.9)) == {KIND: "browser"}
        assert tier_memory.remembered_tiers(conn, SOURCE, now=at(days=7)) == {}
        assert tier_memory.remembered_tiers(conn, "another", now=at()) == {}


def test_tier_memory_last_success_counts_from_its_time(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        tier_memory.remember_tier(conn, SOURCE, KIND, "browser", now=at())
        tier_memory.remember_tier(conn, SOURCE, KIND, "http", now=at(days=5))
        assert tier_memory.remembered_tiers(conn, SOURCE, now=at(days=11)) == {KIND: "http"}


def test_tier_memory_failed_tier_is_forgotten(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        tier_memory.remember_tier(conn, SOURCE, KIND, "browser", now=at())
        tier_memory.remember_tier(conn, SOURCE, "www.hud.gov/", "browser", now=at())
        tier_memory.forget_tier(conn, SOURCE, KIND)
        assert tier_memory.remembered_tiers(conn, SOURCE, now=at()) == {"www.hud.gov/": "browser"}


def test_tier_memory_expired_entries_are_deleted(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        tier_memory.remember_tier(conn, SOURCE, KIND, "browser", now=at())
        tier_memory.remember_tier(conn, SOURCE, "www.hud.gov/", "browser", now=at(days=8))
        assert conn.execute(select(func.count()).select_from(table)).scalar_one() == 1


def test_browser_pages_never_exceed_budget(ledger: Ledger, run_id: str) -> None:
    def take(_: int) -> bool:
        with ledger.begin() as conn:
            return run_records.take_browser_page(conn, run_id, 5)

    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(take, range(20)))
    assert taken.count(True) == 5
    with ledger.connect() as conn:
        assert run_records.get_run(conn, run_id).browser_pages == 5


def test_browser_budget_of_zero_or_of_unknown_run_is_spent(ledger: Ledger, run_id: str) -> None:
    with ledger.begin() as conn:
        assert not run_records.take_browser_page(conn, run_id, 0)
        assert not run_records.take_browser_page(conn, "online cfpb", 5)
