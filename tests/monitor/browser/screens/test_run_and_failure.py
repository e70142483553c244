"""A run, with the sum of what it discovered; and a failure, with the response that caused it and what was tried."""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.runs import listed_urls, run_records
from rori_spiders.reasons import Reason
from rori_spiders.urls.list_marks import ListMarks
from tests.monitor.browser.collecting import HOSTILE
from tests.monitor.browser.seen import faultless

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.monitor.browser.conftest import SignedIn
    from tests.support.project import Project

pytestmark = pytest.mark.crawl


def newest_run(page: Page, of: str) -> None:
    page.get_by_role("table", name="Runs").get_by_role("rowheader").first.get_by_role("link").press("Enter")
    expect(page.get_by_role("heading", name=f"Run of {of}")).to_be_focused()


def test_run_screen_lists_every_discovered_url(signed_in: SignedIn) -> None:
    page = signed_in("viewer", "/sources/reg-x?tab=runs")
    newest_run(page, "reg-x")
    expect(page.get_by_text("11 discovered = 1 captured + 7 unchanged + 1 excluded + 2 failed")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile(f"{Reason('robots_disallowed')} .*excluded 1"))).to_be_visible()
    missing = page.locator("summary", has_text="2 missing")
    missing.press("Enter")
    expect(page.get_by_text(f"failed: {Reason('not_found', http_status=404)}")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("sitemap_index.xml .* sitemap failed"))).to_be_visible()
    assert faultless(page) == []
    regions = [one.get_attribute("aria-label") for one in page.get_by_role("region").all()]
    assert len(regions) == len(set(regions)) > 3, "a screen reader lists regions by name"
    page.get_by_label("State").focus()
    page.keyboard.type("excluded")
    expect(page.get_by_role("table", name="URLs").get_by_role("rowheader")).to_have_count(1)
    page.get_by_label("State").select_option("All")
    page.get_by_label("Find").fill("1024/2")
    page.get_by_label("Find").press("Enter")
    expect(page.get_by_role("table", name="URLs").get_by_role("rowheader")).to_have_count(1)
    changed = page.get_by_role("region", name="Changed pages (1)")
    expect(changed).to_contain_text("removed: Section 2 > Transition")
    changed.get_by_role("link").press("Enter")
    expect(page.get_by_role("heading", name="Section 2 > Transition removed")).to_be_visible()
    expect(page).to_have_url(re.compile(r"tab=compare&from=\d+-2&to=\d+-3$"))


def test_run_screen_suspect_run_needs_review(signed_in: SignedIn) -> None:
    page = signed_in("viewer", "/sources/guide?tab=runs", width=390, dark=True)
    newest_run(page, "guide")
    expect(page.get_by_role("heading", name="Held for review")).to_be_visible()
    expect(page.get_by_text(Reason("suspect", percent=23)).first).to_be_visible()
    accept = page.locator("code", has_text=f"scrapy runs accept {page.url.rpartition('/')[2]} --reason TEXT")
    expect(accept).to_be_visible()
    assert faultless(page) == []


def test_failure_screen_has_response_attempts_and_cost(signed_in: SignedIn) -> None:
    page = signed_in("viewer", "/sources/walled?tab=errors")
    page.get_by_role("table", name="Failures").get_by_role("link", name="failure details").first.press("Enter")
    expect(page.get_by_role("heading", name="URL outcome: failed")).to_be_focused()
    tries = page.get_by_role("table", name="Escalation history")
    expect(tries.get_by_role("rowheader")).to_have_text(["1. http", "2. firecrawl"])
    expect(page.get_by_role("table", name="Costs").get_by_role("row").last).to_contain_text("1 credit0.0320")
    frame = page.locator("iframe")
    expect(frame).to_have_attribute("sandbox", "")
    expect(page.frame_locator("iframe").get_by_text("Checking if the site connection is secure.")).to_be_visible()
    page.locator("summary", has_text="Request headers").press("Enter")
    expect(page.get_by_text("User-Agent", exact=True)).to_be_visible()
    assert "good-key" not in page.content()
    assert faultless(page) == []


def test_failure_screen_hostile_response_is_inert(signed_in: SignedIn, excused: list[str]) -> None:
    page = signed_in("viewer", "/sources/reg-x?tab=errors", width=390, dark=True)
    page.get_by_role("row").filter(has_text="/reg/fails").first.get_by_role("link", name="failure details").press(
        "Enter"
    )
    expect(page.frame_locator("iframe").get_by_role("heading", name="Bad gateway")).to_be_visible()
    assert HOSTILE not in page.locator("main").inner_text(), "it stands in the frame alone"
    assert page.evaluate("window.ran") is None
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").press("Enter")
    assert download.value.path().read_text(encoding="utf-8") == f"<h1>Bad gateway {HOSTILE}</h1>"
    assert faultless(page) == []
    excused.append("status of 404")
    for path, what in (("/failures/404404", "the failure"), ("/runs/no-such-run", "the run")):
        page.goto(path)
        expect(page.get_by_role("heading", name=f"Cannot load {what}")).to_be_visible()
        expect(page.get_by_role("link", name="Back to the changes")).to_be_visible()


def test_run_screen_counts_what_lists_name_outside_the_scope(signed_in: SignedIn, collected: Project) -> None:
    with closing(open_ledger(f"sqlite:///{collected.ledger}")) as ledger, ledger.begin() as conn:
        run = run_records.list_runs(conn, "reg-x", after=None, limit=1)[0]
        marks = ListMarks()
        for _ in range(2345):
            marks.exclude("sitemap", Reason("outside_hosts"), is_new=True)
        counted = listed_urls.exclusions_of_list(
            marks, run.run_id, "https://www.example.org/sitemap.xml", list_object="a" * 64, marks_object="b" * 64
        )
        listed_urls.add_exclusions(conn, counted, now=run.started_at)
    page = signed_in("viewer", f"/runs/{run.run_id}", width=390)
    table = page.get_by_role("table", name="Counted with the lists that name them")
    row = table.get_by_role("row").filter(has_text="sitemap.xml")
    expect(row).to_contain_text(str(Reason("outside_hosts")))
    expect(row).to_contain_text("2,345")
    expect(page.get_by_text("scrapy audit --url URL")).to_be_visible()
    assert faultless(page) == []
