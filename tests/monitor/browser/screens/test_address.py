"""What is chosen on a screen lives in its address, and all of it is done by keyboard."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.monitor.browser.seen import axe

if TYPE_CHECKING:
    from tests.monitor.browser.conftest import SignedIn

pytestmark = pytest.mark.crawl


def test_address_of_sources_keeps_search_filters_sort_and_grouping(signed_in: SignedIn) -> None:
    page = signed_in("viewer", "/sources")
    rows = page.get_by_role("table").get_by_role("rowheader")
    expect(rows).to_have_count(4)
    page.get_by_label("Status", exact=True).focus()
    page.keyboard.type("failed")
    expect(page).to_have_url(re.compile(r"\?status=failed$"))
    expect(rows).to_have_text([re.compile("A server that fails"), re.compile("Guide"), re.compile("behind a wall")])
    page.go_back()
    expect(rows).to_have_count(4)
    page.get_by_label("Search", exact=True).focus()
    page.keyboard.type("regulation")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Sources (1 of 4)")).to_be_visible()
    page.get_by_role("button", name="Clear filter").press("Enter")
    page.get_by_role("button", name="Pages").press("Enter")
    page.get_by_role("button", name="Pages").press("Enter")
    expect(page.get_by_role("columnheader", name="Pages")).to_have_attribute("aria-sort", "descending")
    page.reload()
    expect(rows.first).to_contain_text("Regulation X")
    page.get_by_label("Group by").select_option("Agency")
    page.locator("summary", has_text="CFPB (1)").press("Enter")
    expect(rows).to_have_text([re.compile("Regulation X")])
    assert axe(page) == []
    page.get_by_label("Sort by").select_option("Name, Z to A")
    page.get_by_role("button", name="Expand all").press("Enter")
    expect(rows).to_have_count(4)
    assert page.locator("summary").all_inner_texts()[-2:] == ["CFPB (1)", "none (3)"]
    page.get_by_label("Agency").select_option("none (3)")
    expect(page).to_have_url(re.compile("agency=-"))
    expect(page.locator("summary", has_text="CFPB")).to_have_count(0)
    page.get_by_label("Group by").select_option("Status")
    page.get_by_label("Sort by").select_option("Status, worst first")
    expect(page.get_by_role("heading", name="Sources (3 of 4)")).to_be_visible()


def test_address_of_failures_keeps_filters(signed_in: SignedIn) -> None:
    page = signed_in("viewer", "/errors?view=all&verdict=not_found")
    rows = page.get_by_role("table").get_by_role("rowheader")
    expect(rows).to_have_count(3)
    with page.expect_download() as download:
        page.get_by_role("link", name="Export CSV").press("Enter")
    lines = download.value.path().read_text(encoding="utf-8").splitlines()
    assert len(lines) == 4 and all("/reg/gone" in line for line in lines[1:])
    page.get_by_label("Resolution").select_option("Resolved")
    expect(page.get_by_text("No matching failures.")).to_be_visible()
    assert "resolved=true" in page.url and axe(page) == []
    page.get_by_role("button", name="Clear 2 filters").press("Enter")
    expect(rows).to_have_count(13)
    page.get_by_label("From").fill("2999-01-01")
    expect(page.get_by_text("No matching failures.")).to_be_visible()


def test_keyboard_skips_to_content_and_focus_follows_screen(signed_in: SignedIn) -> None:
    page = signed_in("viewer")
    page.locator("body").press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    page.get_by_role("navigation").get_by_role("link", name="Errors").press("Enter")
    expect(page.get_by_role("heading", name="Errors", level=1)).to_be_focused()
    expect(page).to_have_title("Errors · RORI Collector")


def test_theme_is_remembered_and_sign_out_ends_session(signed_in: SignedIn, excused: list[str]) -> None:
    excused.append("status of 401")  # a request that was under way when the session ended
    page = signed_in("viewer")
    page.get_by_label("Theme").select_option("Theme: Dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_role("button", name="Sign out").press("Enter")
    expect(page).to_have_url(re.compile(r"/login$"))
    page.goto("/errors?q=a")
    expect(page).to_have_url(re.compile(r"/login\?next=/errors%3Fq%3Da$"))
