"""A source: how it stands, its pages with their reasons, its runs, its errors, what it cost, and its pause."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from rori_spiders.reasons import Reason
from tests.monitor.browser.collecting import HOSTILE
from tests.monitor.browser.seen import faultless

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.monitor.browser.conftest import SignedIn

pytestmark = pytest.mark.crawl


def part(page: Page, name: str) -> None:
    """Go to a part of the source, by keyboard."""
    link = page.get_by_role("navigation", name="Sections of this source").get_by_role("link", name=name)
    link.press("Enter")
    expect(link).to_have_attribute("aria-current", "page")


def rows(page: Page, table: str) -> Locator:
    return page.get_by_role("table", name=table).get_by_role("rowheader")


def row(page: Page, text: str) -> Locator:
    return page.get_by_role("row").filter(has_text=text)


def test_source_screen_shows_status(signed_in: SignedIn) -> None:
    page = signed_in("viewer", "/sources/reg-x")
    expect(page.get_by_role("heading", name="Regulation X", level=1)).to_be_visible()
    expect(page.locator("code", has_text="scrapy collect --source reg-x")).to_be_visible()
    assert "`" not in page.get_by_role("region", name="Schedule").inner_text()
    last = page.get_by_role("region", name="Facts").locator("time").last
    shown, tooltip = last.inner_text(), last.get_attribute("title") or ""
    found = re.fullmatch(r"\d{4}-\d\d-\d\d (\d\d):(\d\d):\d\d UTC · .* (\d\d):(\d\d) GMT-([45])", tooltip)
    assert found, tooltip
    hour, minute, own_hour, own_minute, behind = found.groups()
    assert (int(hour) - int(own_hour)) % 24 == int(behind), "New York is four or five hours behind"
    assert minute == own_minute
    assert f"{hour}:{minute} UTC" in shown
    assert faultless(page) == []
    page.get_by_role("link", name=re.compile("complete: 11 pages, 1 changed, 2 failed")).press("Enter")
    expect(page.get_by_role("heading", name="Run of reg-x")).to_be_focused()


def test_source_screen_pages_have_state_and_reason(signed_in: SignedIn) -> None:
    page = signed_in("viewer", "/sources/reg-x")
    part(page, "Pages")
    expect(page.get_by_text("8 captured, 1 excluded, 1 failed, 1 refused")).to_be_visible()
    expect(row(page, "/private/a")).to_contain_text(re.compile(f"excluded.*{Reason('robots_disallowed')}", re.DOTALL))
    expect(row(page, "/reg/gone")).to_contain_text(re.compile(r"failed.*Not found \(HTTP 404\)", re.DOTALL))
    assert faultless(page) == []
    page.get_by_label("State").focus()
    page.keyboard.type("refused")
    expect(page).to_have_url(re.compile("tab=pages&state=refused"))
    expect(rows(page, "Pages")).to_have_count(1)
    expect(row(page, "/reg/fails")).to_contain_text(Reason("denied", http_status=403))
    page.get_by_label("Find").fill("no such page")
    expect(page.get_by_text("Clear the filters to see all pages.")).to_be_visible()
    page.get_by_role("button", name="Clear 2 filters").press("Enter")
    expect(rows(page, "Pages")).to_have_count(11)
    page.get_by_role("link", name=re.compile("outcome: .*private.a")).press("Enter")
    expect(page.get_by_role("heading", name="URL outcome: excluded")).to_be_focused()


def test_source_screen_runs_failures_and_costs(signed_in: SignedIn) -> None:
    page = signed_in("viewer", "/sources/walled")
    page.get_by_role("link", name="Pages", exact=True).focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(rows(page, "Runs")).to_have_count(3)
    expect(page.get_by_role("cell", name=re.compile("failed: 1 page, 1 failed .The start URL failed"))).to_have_count(3)
    assert faultless(page) == []
    part(page, "Errors")
    expect(rows(page, "Failures")).to_have_count(3)
    expect(page.get_by_role("link", name="Search, filter and export")).to_have_attribute(
        "href", "/errors?source=walled"
    )
    assert faultless(page) == []
    part(page, "Costs and escalations")
    expect(page.get_by_text("3 credits, 0.10 USD in 12 months")).to_be_visible()
    expect(page.get_by_role("img", name="Requests by month and tier")).to_be_visible()
    expect(rows(page, "Requests by month and tier")).to_have_count(2)
    expect(row(page, "3 credits")).to_contain_text("firecrawl")
    assert faultless(page) == []


def test_source_screen_lists_what_needs_review(signed_in: SignedIn, excused: list[str]) -> None:
    page = signed_in("viewer", "/sources/guide", width=390, dark=True)
    review = page.get_by_role("region", name="Needs review")
    expect(review).to_contain_text(Reason("suspect", percent=23))
    expect(review.locator("code").first).to_have_text(re.compile("scrapy runs accept [0-9a-f-]{36} --reason TEXT"))
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Guide {HOSTILE}")
    assert page.evaluate("window.ran") is None
    assert faultless(page) == []
    excused.append("status of 404")
    page.goto("/sources/no-such-source")
    expect(page.get_by_role("heading", name="Cannot load the source")).to_be_visible()
    page.get_by_role("link", name="Back to the changes").press("Enter")
    expect(page.get_by_role("heading", name="Changes", exact=True)).to_be_visible()


def test_source_screen_pause_and_resume(signed_in: SignedIn) -> None:
    page = signed_in("operator", "/sources/guide")
    said = page.get_by_role("status")
    page.get_by_role("button", name="Pause").press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name="Pause Guide")).to_be_visible()
    assert faultless(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Pause")).to_be_focused()
    page.keyboard.press("Enter")
    dialog.get_by_label("Reason").fill(f"a test {HOSTILE}")
    page.keyboard.press("Enter")
    expect(page.get_by_text("paused", exact=True)).to_be_visible()
    expect(said.get_by_text("is paused.")).to_be_visible()
    page.get_by_role("button", name="Run now").press("Enter")
    dialog.get_by_role("button", name="Run", exact=True).press("Enter")
    expect(said.get_by_text("was not queued: ")).to_be_visible()
    expect(said.get_by_text("is paused.")).to_have_count(0)
    page.get_by_role("button", name="Resume").press("Enter")
    dialog.get_by_role("button", name="Resume").press("Enter")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    said.get_by_role("button", name="Dismiss").first.press("Enter")
    expect(said.get_by_text("was not queued: ")).to_have_count(0)
    assert page.evaluate("window.ran") is None
