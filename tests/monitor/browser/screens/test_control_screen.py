"""Run control in a browser, by keyboard: run, cancel, pause, resume, another moment; and what goes wrong meanwhile."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.monitor.browser.operated import operated
from tests.monitor.browser.seen import faultless
from tests.monitor.browser.serving import PASSWORD, serving
from tests.support.project import Project, source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Locator, Page

    from tests.monitor.browser.conftest import SignedIn

pytestmark = pytest.mark.crawl

_WHY = "The site is moving <b>this</b> week."


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Four sources at three sites."""
    made = operated(tmp_path_factory)
    made.env["RORI_EVIDENCE_HEADS"] = f"file://{made.folder}/heads.txt,rfc3161+http://127.0.0.1:9/tsr"
    sources = [
        source("reg-x", "https://www.example.org/x", category="cfpb", name="Regulation X"),
        source("reg-z", "https://www.example.com/z", category="cfpb", name="Regulation Z"),
        source("guide", "https://www.example.net/guide", name="The guide"),
        source("faqs", "https://www.example.net/faqs", name="Questions"),
    ]
    file = made.folder / "mine.json"
    file.write_text(json.dumps({"version": "1.0.0", "sources": sources}), encoding="utf-8")
    assert made.scrapy("manifest", "activate", str(file)).returncode == 0
    return made


@pytest.fixture(scope="module")
def monitor(project: Project) -> Iterator[str]:
    with serving(project) as address:
        yield address


def jobs(page: Page) -> Locator:
    return page.get_by_role("region", name="Jobs").first.get_by_role("row")


def deeds(page: Page) -> Locator:
    return page.get_by_role("region", name="Activity log").first.get_by_role("row")


def ask(page: Page, button: str, does: str, *, why: str | None = None) -> None:
    """Press the first button so called, and what it asks."""
    page.get_by_role("button", name=button, exact=True).first.press("Enter")
    dialog = page.get_by_role("dialog")
    if why is not None:
        dialog.get_by_label("Reason").fill(why)
    dialog.get_by_role("button", name=does, exact=True).press("Enter")


def test_control_screen_runs_are_queued_and_cancelled(signed_in: SignedIn) -> None:
    page = signed_in("operator", "/control")
    expect(page.get_by_text("No jobs queued or running.")).to_be_visible()
    assert faultless(page, "control empty") == []
    found = page.get_by_label("Find sources")
    for words, name in (("regulation", "Regulation Z"), ("guide", "The guide")):
        found.fill(words)
        page.get_by_role("checkbox", name=name).press("Space")
    expect(page.get_by_role("list", name="Selected sources").get_by_role("button")).to_have_count(2)
    page.get_by_role("button", name="Remove guide").press("Enter")
    found.fill("faq")
    page.get_by_role("checkbox", name="Questions").press("Space")
    ask(page, "Run …", "Run")
    expect(page.get_by_text("Queued 2 sources in 2 jobs.")).to_be_visible()
    expect(jobs(page)).to_have_count(3)
    assert faultless(page, "control queued") == []

    page.get_by_role("radio", name="By category").press("Space")
    page.get_by_label("Category", exact=True).select_option("cfpb (2)")
    ask(page, "Run …", "Run")
    queued = page.get_by_role("status").filter(has_text="Queued")
    expect(queued).to_contain_text("Queued 1 source in 1 job.")
    expect(queued).to_contain_text("reg-z:")
    page.get_by_role("radio", name="All due sources").press("Space")
    ask(page, "Run …", "Run")
    expect(jobs(page)).to_have_count(5)  # with the heads of the columns

    cancel = page.get_by_role("button", name="Cancel job: faqs", exact=True)
    cancel.press("Enter")
    dialog = page.get_by_role("dialog", name="Cancel this job?")
    expect(dialog).to_contain_text("It will not start. Sources: faqs.")
    assert faultless(page, "cancel") == []
    dialog.get_by_role("button", name="Close").press("Enter")
    expect(cancel).to_be_focused()
    ask(page, "Cancel job: faqs", "Cancel job")
    expect(cancel).to_have_count(0)
    expect(jobs(page)).to_have_count(5)
    expect(jobs(page).filter(has_text="faqs")).to_contain_text("cancelled")
    expect(deeds(page).nth(1)).to_contain_text(re.compile(r"operator\s*cancel job\s*faqs"))
    page.get_by_label("Search the log").fill("cancel JOB")
    expect(page).to_have_url(re.compile(r"\?q=cancel"))
    expect(deeds(page)).to_have_count(2)
    page.get_by_label("Search the log").fill("nothing so")
    expect(page.get_by_text("No matching actions.")).to_be_visible()


def test_control_screen_pause_holds_and_shows_reason(signed_in: SignedIn) -> None:
    page = signed_in("operator", "/control")
    page.get_by_role("button", name="Pause all sources").press("Enter")
    dialog = page.get_by_role("dialog", name="Pause all sources?")
    expect(dialog.get_by_label("Reason")).to_be_focused()
    for nothing in ("", "  "):
        page.keyboard.type(nothing)
        page.keyboard.press("Enter")
        expect(dialog).to_be_visible()
    page.keyboard.type(_WHY)
    assert faultless(page, "pause") == []
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    schedule = page.get_by_role("region", name="Schedule")
    expect(schedule).to_contain_text(re.compile(rf"All sources are paused since .* by operator: {_WHY}"))
    expect(deeds(page).nth(1)).to_contain_text(re.compile(rf"pause\s*all sources\s*{_WHY}"))
    page.get_by_label("Find sources").fill("guide")
    page.get_by_role("checkbox", name="The guide").press("Space")
    ask(page, "Run …", "Run")
    expect(page.get_by_role("status").filter(has_text="No sources queued.")).to_contain_text(_WHY)
    assert faultless(page, "paused") == []
    viewer = signed_in("viewer", "/control")
    expect(viewer.get_by_role("region", name="Schedule")).to_contain_text(f"by operator: {_WHY}")
    expect(deeds(viewer).nth(1)).to_contain_text(_WHY)
    expect(viewer.get_by_role("button", name=re.compile("Pause|Resume|Run|Cancel"))).to_have_count(0)
    assert faultless(viewer, "control viewer") == []
    ask(page, "Resume", "Resume")
    expect(schedule).to_contain_text("Active: runs start when due.")


def test_control_screen_source_is_paused_resumed_and_rescheduled(signed_in: SignedIn, excused: list[str]) -> None:
    excused.append("status of 409")
    page = signed_in("operator", "/sources/guide")
    ask(page, "Pause", "Pause", why=_WHY)
    expect(page.get_by_text(_WHY).first).to_be_visible()
    assert faultless(page, "source paused") == []
    ask(page, "Run now", "Run")
    expect(page.get_by_text("The guide was not queued: ")).to_be_visible()
    ask(page, "Resume", "Resume")
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    page.get_by_role("button", name="Next run …").press("Enter")
    page.get_by_label("Date and time").fill("2999-01-01T10:00")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Next run of The guide")
    expect(dialog.get_by_role("alert")).to_contain_text("The next run may be at most 366 days from now.")
    assert faultless(page, "next run") == []


def test_control_screen_ended_session_leads_to_login(signed_in: SignedIn, excused: list[str]) -> None:
    excused.append("status of 401")
    page = signed_in("operator", "/control?q=guide")
    page.context.clear_cookies()
    ask(page, "Pause all sources", "Pause", why=_WHY)
    expect(page).to_have_url(re.compile(r"/login\?next="))
    page.get_by_label("Name").fill("operator")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/control\?q=guide$"))
    expect(page.get_by_text("Active: runs start when due.")).to_be_visible()


def test_control_screen_failed_action_shows_error_and_keeps_input(
    project: Project, signed_in: SignedIn, excused: list[str]
) -> None:
    excused += ["status of 503", "ERR_INTERNET_DISCONNECTED"]
    page = signed_in("operator", "/control")
    expect(page.get_by_role("button", name="Pause all sources")).to_be_visible()
    dialog = page.get_by_role("dialog")
    with closing(sqlite3.connect(project.ledger, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        ask(page, "Pause all sources", "Pause", why=_WHY)
        expect(dialog.get_by_role("alert")).to_contain_text("locked")
        assert faultless(page, "locked") == []
        other.execute("ROLLBACK")
    page.context.set_offline(True)
    dialog.get_by_role("button", name="Pause", exact=True).press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text(
        "Cannot reach the monitor. Check that scrapy monitor is running."
    )
    expect(dialog.get_by_label("Reason")).to_have_value(_WHY)
    page.keyboard.press("Escape")
    stale = page.get_by_role("region", name="Jobs").first.get_by_role("alert")
    expect(stale).to_contain_text(re.compile(r"Cannot reach the monitor.*Showing data from \d"))
    assert faultless(page, "stale") == []
    page.get_by_role("link", name="Manifests").press("Enter")  # its files were there before they were wanted
    expect(page.get_by_role("alert").first).to_contain_text("Cannot reach the monitor")
    assert faultless(page, "away") == []
    page.context.set_offline(False)
    page.get_by_role("button", name="Try again").first.press("Enter")
    expect(page.get_by_role("rowheader", name="mine")).to_be_visible()


def test_control_screen_evidence_tells_heads_destinations_and_verification(
    signed_in: SignedIn, project: Project
) -> None:
    page = signed_in("viewer", "/control")
    evidence = page.get_by_role("region", name="Evidence")
    expect(evidence).to_contain_text("No head was signed yet: nothing would show that somebody rewrote the")
    expect(evidence).to_contain_text("No verification on record.")
    expect(evidence.get_by_role("row").filter(has_text="heads.txt")).to_contain_text("nothing to send yet")
    card = page.get_by_role("region", name="Fleet").first
    card.get_by_text(re.compile(r"\d+ checks OK")).click()
    fleet = card.get_by_role("row")
    expect(fleet.filter(has_text="freshness")).to_contain_text("the objective is 95%")
    expect(fleet.filter(has_text="queue")).to_contain_text("jobs waiting")
    assert faultless(page, "no heads") == []
    assert project.scrapy("evidence", "key", "create", "ledger.example.org/collector").returncode == 0
    assert project.scrapy("evidence", "sign").returncode == 1, "of one destination nobody answers"
    assert project.scrapy("verify", "--record").returncode == 0
    page.reload()
    expect(evidence.get_by_text("ledger.example.org/collector")).to_be_visible()
    expect(evidence.get_by_role("button", name=re.compile("Copy the root"))).to_be_visible()
    expect(evidence.get_by_role("row").filter(has_text="heads.txt")).to_contain_text("arrived")
    expect(evidence.get_by_role("row").filter(has_text="rfc3161+")).to_contain_text("failed")
    expect(evidence).to_contain_text(re.compile("Last verified .* everything agrees"))
    expect(evidence).to_contain_text("; 2 are newer")
    assert faultless(page, "heads") == []
    with closing(sqlite3.connect(project.ledger)) as ledger, ledger:
        ledger.execute("UPDATE actions SET reason = 'forged' WHERE action = 'create_evidence_key'")
    assert project.scrapy("verify", "--record").returncode == 1
    page.reload()
    expect(evidence).to_contain_text(re.compile(r"1 problem.*1 × fact_changed", re.DOTALL))
    assert faultless(page, "problems") == []
