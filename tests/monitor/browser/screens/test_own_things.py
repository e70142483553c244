"""Subscriptions and API tokens of the person who is signed in: added, shown once, ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.monitor.browser.seen import axe, overflows

if TYPE_CHECKING:
    from tests.monitor.browser.conftest import SignedIn

pytestmark = pytest.mark.crawl


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)], ids=["wide-light", "phone-dark"])
def test_account_screen_feed_and_token_are_shown_once_and_ended(signed_in: SignedIn, width: int, dark: bool) -> None:
    page = signed_in("viewer", "/account", width=width, dark=dark)
    mine = page.get_by_role("region", name="Subscriptions to changes")
    mine.get_by_label("Importance").select_option(label="High")
    mine.get_by_role("button", name="Subscribe").click()
    expect(mine.locator("code")).to_contain_text("/feeds/")
    expect(mine.get_by_role("row").nth(1)).to_contain_text("changes of importance high or above")
    tokens = page.get_by_role("region", name="API tokens", exact=True)
    tokens.get_by_label("Label").fill("dashboard")
    tokens.get_by_role("button", name="Make token").click()
    expect(tokens.locator("code")).to_contain_text("rori_")
    expect(tokens.get_by_role("row").nth(1)).to_contain_text("read")
    assert overflows(page) == 0
    assert axe(page) == []
    mine.get_by_role("button", name="End subscription").first.click()
    expect(mine.get_by_text("You get no changes yet.")).to_be_visible()
    tokens.get_by_role("button", name="Revoke dashboard").click()
    expect(tokens.get_by_text("revoked", exact=True).last).to_be_visible()
    page.reload()
    expect(tokens.get_by_role("row").nth(1)).to_be_visible()
    expect(page.locator("code")).to_have_count(0)
