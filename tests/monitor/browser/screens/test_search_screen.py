"""The search: words and citations, what stands in the address, what an empty one says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.monitor.browser.seen import axe, overflows

if TYPE_CHECKING:
    from tests.monitor.browser.conftest import SignedIn

pytestmark = pytest.mark.crawl


@pytest.mark.parametrize("excused", [["status of 409"]], ids=["one-refused"])
@pytest.mark.parametrize(("width", "dark"), [(1440, True), (390, False)], ids=["wide-dark", "phone-light"])
def test_search_screen_marks_words_and_leads_to_version(signed_in: SignedIn, width: int, dark: bool) -> None:
    page = signed_in("viewer", "/", width=width, dark=dark)
    page.get_by_role("link", name="Search", exact=True).click()
    expect(page.get_by_role("heading", name="Search", level=1)).to_be_focused()
    expect(page.get_by_text("Type words, or a citation.")).to_be_visible()
    assert axe(page) == []
    page.get_by_label("Words").fill("servicer")
    page.get_by_label("Words").press("Enter")
    expect(page.locator("mark").first).to_have_text("servicer", ignore_case=True)
    assert "q=servicer" in page.url
    assert overflows(page) == 0
    assert axe(page) == []
    page.get_by_label("Cites").fill("a rule")
    expect(page.get_by_text("'a rule' is not one citation")).to_be_visible()
    page.get_by_label("Cites").fill("12 CFR 99.1")
    expect(page.get_by_text("No text has all of this.")).to_be_visible()
    page.get_by_role("button", name="Clear 2 filters").click()
    page.get_by_label("Words").fill("servicer")
    page.locator("main li a").first.click()
    expect(page.get_by_role("heading", level=1)).not_to_have_text("Search")
    assert "version=" in page.url
