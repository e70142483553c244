"""List of sources and error log: what they show of what was collected, at every width, in both themes, by keyboard."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.monitor.browser.collecting import HOSTILE
from tests.monitor.browser.seen import axe, overflows

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.monitor.browser.conftest import SignedIn

pytestmark = pytest.mark.crawl

BOTH = pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)], ids=["wide-light", "phone-dark"])


def row(page: Page, name: str) -> str:
    found = page.get_by_role("row").filter(has_text=name).first
    expect(found).to_be_visible()
    return found.inner_text()


@BOTH
def test_sources_screen_shows_status_and_alerts(signed_in: SignedIn, width: int, dark: bool) -> None:
    page = signed_in("viewer", "/sources", width=width, dark=dark)
    expect(page.get_by_role("heading", name="Sources (4)")).to_be_visible()
    assert re.search(r"changed", row(page, "Regulation X")) and "11 pages" in row(page, "Regulation X")
    assert "failed" in row(page, "A server that fails")
    assert HOSTILE in row(page, "guide") and page.evaluate("window.ran") is None
    expect(page.get_by_role("heading", name="Open alerts")).to_be_visible()
    expect(page.get_by_text("No jobs running")).to_be_visible()
    box = page.get_by_role("row").filter(has_text="Regulation X").first.bounding_box()
    assert box is not None and box["height"] < 120, "a dozen sources are not three screens of a phone any more"
    assert overflows(page) == 0
    assert axe(page) == []


@BOTH
def test_failures_screen_lists_failures(signed_in: SignedIn, width: int, dark: bool) -> None:
    page = signed_in("viewer", "/errors?view=all", width=width, dark=dark)
    expect(page.get_by_text("searched the whole log")).to_be_visible()
    assert "403" in row(page, "/reg/fails")
    assert overflows(page) == 0
    assert axe(page) == []


@BOTH
def test_causes_screen_lists_failures_by_consequence(signed_in: SignedIn, width: int, dark: bool) -> None:
    page = signed_in("viewer", "/errors", width=width, dark=dark)
    cause = row(page, "/reg/fails")
    assert "3 ×" in cause and "Never held." in cause
    assert "A dead link; never held." in row(page, "/reg/gone")
    assert overflows(page) == 0
    assert axe(page) == []
    page.get_by_role("button", name="More filters").press("Enter")
    page.get_by_label("Severity").select_option("high")
    expect(page.get_by_text("/reg/gone")).to_have_count(0)
    page.get_by_role("link", name="Every failure").press("Enter")
    expect(page.get_by_text("searched the whole log")).to_be_visible()
    assert "severity=high" in page.url
