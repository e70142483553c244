"""A page: its versions, any two of them side by side, and one of them in every form that is kept."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.monitor.browser.collecting import HOSTILE
from tests.monitor.browser.seen import axe, faultless, overflows

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.monitor.browser.conftest import SignedIn

pytestmark = pytest.mark.crawl

_ENDS = "The guide "


def rule_page(page: Page) -> None:
    """From the pages of its source to the page that has three versions."""
    page.get_by_role("link", name="Section 2", exact=True).press("Enter")
    expect(page.get_by_role("heading", name="Section 2", level=1)).to_be_focused()
    expect(page.get_by_role("table", name="Versions").get_by_role("rowheader")).to_have_count(3)


def part(page: Page, name: str) -> None:
    link = page.get_by_role("navigation", name=re.compile("Sections of this page|Formats")).get_by_role(
        "link", name=name
    )
    link.press("Enter")
    expect(link).to_have_attribute("aria-current", "page")


def changed(page: Page) -> Locator:
    """The blocks that changed, in their order."""
    return page.locator("[data-change]")


def test_page_screen_any_two_versions_are_compared_side_by_side(signed_in: SignedIn) -> None:
    page = signed_in("viewer", "/sources/reg-x?tab=pages")
    rule_page(page)
    assert faultless(page) == []
    page.get_by_role("radio", name="Before: version 2").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="Before: version 1")).to_be_checked()
    page.get_by_role("button", name="Compare selected").press("Enter")
    expect(page).to_have_url(re.compile(r"tab=compare&from=\d+-1&to=\d+-3$"))
    law, fee, check, away = (changed(page).nth(number) for number in range(4))
    expect(law.locator("del")).to_have_text(["March", "shall"])
    expect(law.locator("ins")).to_have_text(["June", "may"])
    assert law.locator("del").first.bounding_box()["x"] < 720 < law.locator("ins").first.bounding_box()["x"]  # type: ignore[index]
    marks = law.get_by_role("list", name="Key changes")
    expect(marks).to_contain_text("date: March 1, 2026 → June 1, 2026")
    expect(marks).to_contain_text("operative word: shall → may")
    expect(fee.get_by_role("row").last).to_have_text("Late paymentAt most$25$30")
    expect(check.get_by_role("cell")).to_have_text(["Returned check", "$15", "5 days"])
    expect(check.locator("ins")).to_have_text(
        [" Returned check ", " ", "$15", " ", " ", "5", " days "]
    )  # 5 is not in $15
    expect(away).to_contain_text("paragraph moved from 2 to “Section 2 > Records”")
    expect(changed(page).nth(4)).to_contain_text("paragraph moved here from “Section 2 > Fees”")
    expect(page.get_by_role("heading", name="Section 2 > Transition removed")).to_be_visible()
    assert faultless(page) == []


def test_page_screen_keyboard_walks_through_changes(signed_in: SignedIn) -> None:
    page = signed_in("viewer", "/sources/reg-x?tab=pages", width=390, dark=True)
    rule_page(page)
    part(page, "Compare")
    expect(page.get_by_text("No section changed its words, 1 removed")).to_be_visible()
    part(page, "Versions")
    page.get_by_role("radio", name="Before: version 1").press("Space")
    page.get_by_role("radio", name="After: version 2").press("Space")
    page.get_by_role("button", name="Compare selected").press("Enter")
    expect(changed(page)).to_have_count(5)
    page.get_by_role("button", name="Next change").press("Enter")
    expect(changed(page).first).to_be_focused()
    expect(changed(page).first.locator("del, ins")).to_have_text(["March", "June", "shall", "may"])
    expect(changed(page).first.locator(".font-semibold.border-b-2")).to_have_text(
        ["March", "June", " 1, 2026", "shall", "may"]
    )
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="62 unchanged words")).to_be_focused()
    page.keyboard.press("Enter")
    expect(changed(page).first).to_contain_text("relieves a servicer of what it owes under another part")
    page.keyboard.press("j")
    expect(changed(page).nth(1)).to_be_focused()
    for _ in range(2):
        page.keyboard.press("k")
    expect(changed(page).first).to_be_focused()
    page.get_by_label("View", exact=True).select_option("Line diff")
    lines = page.get_by_role("region", name="Line diff")
    expect(lines).to_contain_text("removed: −| Late payment | $25 | 15 days |")
    lines.get_by_role("button", name="unchanged lines").first.press("Enter")
    expect(lines).to_contain_text("# Section 2")
    expect(lines).to_be_focused()
    assert faultless(page) == []
    page.get_by_label("Before").select_option(index=1)
    expect(page.get_by_text("No differences.")).to_be_visible()


def test_page_screen_version_in_every_format(signed_in: SignedIn) -> None:
    page = signed_in("viewer", "/sources/reg-x?tab=pages")
    rule_page(page)
    page.get_by_role("link", name="Version 2").press("Enter")
    cited = page.get_by_role("link", name="12 C.F.R. § 1026.36(c)")
    expect(cited).to_have_attribute("href", re.compile(r"^https://www\.ecfr\.gov/.*1026\.36"))
    expect(cited).to_have_attribute("rel", "noopener noreferrer nofollow")
    expect(page.get_by_role("cell", name="$30")).to_be_visible()
    assert faultless(page) == []
    part(page, "Markdown")
    expect(page.get_by_role("region", name="Markdown")).to_contain_text("| Late payment | $30 | 15 days |")
    part(page, "Original")
    expect(page.locator("iframe")).to_have_attribute("sandbox", "")
    expect(page.frame_locator("iframe").get_by_role("cell", name="$30")).to_be_visible()
    assert faultless(page) == []
    part(page, "Envelope")
    expect(page.get_by_role("region", name="Envelope")).to_contain_text('"content_hash": "sha256:')
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").press("Enter")
    envelope = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert "from June 1, 2026" in envelope["content"]["body"]
    assert faultless(page) == []
    page.get_by_label("Version", exact=True).select_option(index=2)
    expect(page.get_by_role("heading", name="Version 1")).to_be_visible()
    expect(page).to_have_url(re.compile(r"version=\d+-1&how=envelope$"))
    page.get_by_label("Version", exact=True).select_option(index=0)
    page.get_by_role("link", name="Compare with the previous version").press("Enter")
    expect(page.get_by_role("heading", name="Section 2 > Transition removed")).to_be_visible()


def test_page_screen_hostile_held_page_is_inert(signed_in: SignedIn, excused: list[str]) -> None:
    page = signed_in("viewer", "/sources/guide?tab=pages", width=390)
    page.get_by_role("link", name=f"{_ENDS}{HOSTILE}").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{_ENDS}{HOSTILE}")
    expect(page.get_by_text("held", exact=True)).to_be_visible()
    part(page, "Content")
    expect(page.get_by_text("It was rewritten in part on 3 March 2026.")).to_be_visible()
    part(page, "Original")
    expect(page.frame_locator("iframe").get_by_text("It was rewritten in part")).to_be_visible()
    assert faultless(page) == []
    part(page, "Attempts")
    expect(page.get_by_role("table", name="Attempts").get_by_role("rowheader")).to_have_count(3)
    assert page.evaluate("window.ran") is None
    assert faultless(page) == []
    page.get_by_role("link", name="outcome").press("Enter")
    expect(page.get_by_role("heading", name="URL outcome: failed")).to_be_focused()
    excused.append("status of 404")
    page.goto("/pages/404404")
    expect(page.get_by_role("heading", name="Cannot load the page")).to_be_visible()
    assert faultless(page) == []


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)], ids=["wide-light", "phone-dark"])
def test_page_screen_as_of_day_tells_text_clocks_and_proof(signed_in: SignedIn, width: int, dark: bool) -> None:
    page = signed_in("viewer", "/sources/reg-x?tab=pages", width=width, dark=dark)
    rule_page(page)
    part(page, "As of")
    expect(page.get_by_text("Choose a day.")).to_be_visible()
    day = page.get_by_label("At the end of this day")
    day.fill(f"{datetime.now(UTC) + timedelta(days=2):%Y-%m-%d}")
    expect(page.get_by_role("heading", name="A text was held")).to_be_visible()
    expect(page.get_by_text("Leaf in the log of facts")).to_be_visible()
    assert overflows(page) == 0
    assert axe(page) == []
    day.fill("2020-01-01")
    expect(page.get_by_role("heading", name="No text: not captured yet")).to_be_visible()
