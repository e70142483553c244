"""Alerts that list pages. Both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.items import FrontierUrl, PageItem
from rori_spiders.ledger.operations import alerts
from rori_spiders.reasons import Reason
from rori_spiders.reviews import source_alerts
from tests.operations.alerts.conftest import NOON

if TYPE_CHECKING:
    from tests.operations.alerts.conftest import AlertHarness


def test_page_alert_whose_list_is_full_gives_no_exact_count(harness: AlertHarness) -> None:
    with harness.ledger.begin() as conn:
        for number in range(source_alerts.MAX_PAGES_PER_ITEM + 5):
            visit = FrontierUrl("run-1", "s1", f"https://www.hud.gov/{number}")
            item = PageItem(visit, "failed", Reason("walker_error", error_type="KeyError", error="x"))
            source_alerts.note_page(conn, item, is_start=False, reason="why", now=NOON)
            if number == 1:
                assert alerts.open_alerts(conn)[0]["message"].startswith("2 pages could not")
        [alert] = alerts.open_alerts(conn)
    assert alert["message"].startswith("At least 200 pages could not be converted: why")
    assert len(alert["pages"]) == source_alerts.MAX_PAGES_PER_ITEM
