"""The list of changes: what a reader sees first, reads whole, and decides."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.pages import change_assignments, change_records
from rori_spiders.ledger.pages.change_records import ChangeFilter
from rori_spiders.ledger.pages.vocabulary import OPEN
from tests.monitor.browser.seen import axe, overflows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

    from tests.monitor.browser.conftest import SignedIn
    from tests.support.project import Project

pytestmark = pytest.mark.crawl


@pytest.fixture(autouse=True)
def _undecided(collected: Project) -> Iterator[None]:
    """Take back what a test that failed half way decided and assigned: its next attempt begins as the first did."""
    yield
    now = datetime.now(UTC)
    with closing(open_ledger(f"sqlite:///{collected.ledger}")) as ledger, ledger.begin() as conn:
        chosen = [(change.page_id, change.seq) for change in change_records.list_changes(conn, ChangeFilter())]
        change_records.review_changes(conn, chosen, OPEN, reason=None, actor="operator", now=now)
        change_assignments.assign_changes(conn, chosen, None, due_on=None, comment=None, actor="operator", now=now)


def _choose(page: Page, label: str, value: str) -> None:
    """Set a filter, which on a phone stands behind a button."""
    if (folded := page.get_by_role("button", name="Filters", exact=True)).is_visible():
        folded.press("Enter")
        assert axe(page) == []
    page.get_by_label(label, exact=True).select_option(label=value)


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)], ids=["wide-light", "phone-dark"])
def test_changes_screen_lists_by_publication_and_leads_to_comparison(
    signed_in: SignedIn, width: int, dark: bool
) -> None:
    page = signed_in("viewer", "/", width=width, dark=dark)
    entry = page.get_by_role("listitem").filter(has=page.get_by_role("button", name="Show difference")).first
    expect(entry).to_be_visible()
    box = entry.bounding_box()
    assert box is not None and box["height"] < (90 if width == 1440 else 190), "ten are on a screen, three on a phone's"
    assert box["y"] < 280, "heading, filters and summary leave three entries of 190 pixels their place"
    assert "→" in page.locator("main").inner_text()
    expect(page.get_by_role("button", name="Not material")).to_have_count(0)
    assert overflows(page) == 0
    assert axe(page) == []
    if width == 390:  # the place is for what a thumb wants first
        entry.get_by_role("button", name="Show difference").click()
    page.get_by_role("link", name="Compare").first.click()
    expect(page.get_by_label("Before", exact=True)).to_be_visible()


def test_changes_screen_review_by_keyboard_is_recorded_and_taken_back(signed_in: SignedIn) -> None:
    page = signed_in("operator")
    entries = page.locator("[data-entry]")
    expect(entries.first).to_be_visible()
    number = entries.count()
    page.keyboard.press("j")
    expect(entries.first).to_be_focused()
    page.keyboard.press("o")
    expect(entries.first.locator("[data-change]").first).to_be_visible()
    assert axe(page) == []
    page.keyboard.press("o")
    expect(page.locator("[data-change]")).to_have_count(0)
    page.keyboard.press("a")
    expect(page.get_by_text("Marked as material: 1 change.")).to_be_visible()
    expect(entries).to_have_count(number - 1)
    page.keyboard.press("u")
    expect(entries).to_have_count(number)
    entries.first.get_by_role("button", name="Material", exact=True).press("Enter")
    page.get_by_label("Review", exact=True).select_option(label="Material")
    expect(entries).to_have_count(1)
    page.get_by_role("button", name="Undo review").click()
    expect(page.get_by_text("No matching changes.")).to_be_visible()


def test_changes_screen_what_was_read_leaves_unread_and_comes_back(signed_in: SignedIn) -> None:
    page = signed_in("viewer")
    entries, assigned = page.locator("[data-entry]"), page.get_by_label("Assigned", exact=True)
    first = entries.first
    expect(first).to_be_visible()
    total = entries.count()
    if "Unread: " not in (first.text_content() or ""):  # another test of this monitor's has read it
        first.get_by_role("button", name="Mark unread").click()
    expect(first).to_contain_text("Unread: ")
    assigned.select_option(label="Unread by me")
    expect(page.get_by_text("Mark unread")).to_have_count(0)
    number = entries.count()
    assigned.select_option(label="To anybody")
    expect(entries).to_have_count(total)
    first.focus()
    page.keyboard.press("o")
    expect(first.get_by_role("button", name="Mark unread")).to_be_visible()
    expect(first).not_to_contain_text("Unread: ")
    assigned.select_option(label="Unread by me")
    expect(entries).to_have_count(number - 1)
    assert axe(page) == []
    assigned.select_option(label="To anybody")
    expect(entries).to_have_count(total)
    first.focus()
    page.keyboard.press("r")
    expect(first).to_contain_text("Unread: ")


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)], ids=["wide-light", "phone-dark"])
def test_sources_screen_owner_of_agency_is_named_and_taken_back(signed_in: SignedIn, width: int, dark: bool) -> None:
    page = signed_in("operator", "/sources?group=agency", width=width, dark=dark)
    owner = page.get_by_label("Owner of CFPB")
    owner.select_option(label="operator")
    expect(page.get_by_text("CFPB: owned by operator.")).to_be_visible()
    assert overflows(page) == 0
    assert axe(page) == []
    owner.select_option(label="Nobody")
    expect(page.get_by_text("CFPB: no owner.")).to_be_visible()


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)], ids=["wide-light", "phone-dark"])
def test_changes_screen_assignment_is_recorded_found_and_undone(signed_in: SignedIn, width: int, dark: bool) -> None:
    page = signed_in("operator", "/", width=width, dark=dark)
    entries = page.locator("[data-entry]")
    expect(entries.first).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("s")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Assigned to").select_option(label="operator")
    dialog.get_by_label("Due").fill("2026-01-31")
    dialog.get_by_label("Comment").fill("Do our letters say 60 days?")
    assert axe(page) == []
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Assigned to operator: 1 change.")).to_be_visible()
    _choose(page, "Assigned", "Overdue")
    expect(entries).to_have_count(1)
    expect(entries.first).to_contain_text("operator, due 2026-01-31")
    expect(entries.first).to_contain_text("Do our letters say 60 days?")
    assert overflows(page) == 0
    assert axe(page) == []
    page.keyboard.press("u")
    expect(page.get_by_text("No matching changes.")).to_be_visible()


@pytest.mark.parametrize(("width", "dark"), [(1440, True), (390, False)], ids=["wide-dark", "phone-light"])
def test_changes_screen_summary_leads_to_sources(signed_in: SignedIn, width: int, dark: bool) -> None:
    page = signed_in("viewer", width=width, dark=dark)
    summary = page.get_by_role("complementary", name="Summary")
    expect(summary).to_contain_text("Oldest unreviewed")
    if width == 1440:
        expect(summary.get_by_role("img", name="week of")).to_be_visible()
    summary.get_by_role("link", name="failed").click()
    expect(page.get_by_role("heading", name="Sources", level=1)).to_be_focused()
    assert "status=failed" in page.url


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)], ids=["wide-light", "phone-dark"])
def test_changes_screen_noise_lines_are_proposed_of_what_is_not_material(
    signed_in: SignedIn, width: int, dark: bool
) -> None:
    page = signed_in("operator", "/?importance=medium", width=width, dark=dark)
    entry = page.locator("[data-entry]").filter(has=page.get_by_role("button", name="Show difference")).first
    entry.get_by_role("button", name="Not material").click()
    _choose(page, "Review", "Not material")
    page.get_by_role("button", name="Propose noise lines").click()
    expect(page.get_by_text("No noise line for").or_(page.get_by_text("would rank low")).first).to_be_visible()
    assert overflows(page) == 0
    assert axe(page) == []
    page.get_by_role("button", name="Undo review").click()
    expect(page.get_by_text("No matching changes.")).to_be_visible()


@pytest.mark.parametrize("width", [1440, 390])
def test_changes_screen_filters_of_a_link_are_named_and_removed_one_by_one(signed_in: SignedIn, width: int) -> None:
    page = signed_in("viewer", "/?importance=high&kind=new_page", width=width, dark=False)
    kind = page.get_by_role("button", name="Remove filter: Kind: new page")
    level = page.get_by_role("button", name="Remove filter: Importance: High")
    expect(kind).to_be_visible()
    # On a desk the control says it.
    expect(level).to_be_visible(visible=width == 390)
    assert (axe(page), overflows(page)) == ([], 0)
    kind.press("Enter")
    expect(kind).to_have_count(0)
    page.wait_for_url(lambda url: "kind=" not in url and "importance=high" in url)
    if width == 390:
        level.press("Enter")
        expect(page.get_by_role("button", name="Clear filter")).to_have_count(0)
