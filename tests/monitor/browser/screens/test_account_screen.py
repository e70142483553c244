"""Signing in and out, one's own password, and what a lock-out says, in a browser, by keyboard."""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.monitor.browser.operated import operated
from tests.monitor.browser.seen import faultless
from tests.monitor.browser.serving import PASSWORD, add_user, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

    from tests.monitor.browser.conftest import SignedIn
    from tests.support.project import Project

pytestmark = pytest.mark.crawl

_NEW = "an umbrella and nine geese"
# Who is locked out stays so for 15 minutes: a test that runs again needs a name of its own.
_RUNS = count()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = operated(tmp_path_factory)
    add_user(made, "anna", "viewer")
    return made


@pytest.fixture(scope="module")
def monitor(project: Project) -> Iterator[str]:
    with serving(project) as address:
        yield address


def tries(page: Page, name: str, password: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")


def change(page: Page, old: str, new: str, again: str | None = None) -> None:
    for label, typed in (("Current password", old), ("New password", new), ("Confirm new password", again or new)):
        page.get_by_label(label, exact=True).fill(typed)
    page.keyboard.press("Enter")


def test_account_screen_failed_sign_ins_lock_account(signed_in: SignedIn, excused: list[str]) -> None:
    excused += ["status of 401", "status of 429"]
    page = signed_in("viewer")
    page.get_by_role("button", name="Sign out").press("Enter")
    expect(page).to_have_url(re.compile(r"/login$"))
    page.goto("/login?next=//example.org/x")
    expect(page.get_by_label("Name")).to_be_focused()
    assert faultless(page, "login") == []
    alert, name = page.get_by_role("alert"), f'"><img src=x{next(_RUNS)} onerror=window.ran=1>'
    for _ in range(5):
        tries(page, name, "wrong")
        expect(alert).to_have_text("Wrong name or password.")
        expect(page.get_by_label("Password")).to_have_value("")
        expect(page.get_by_label("Password")).to_be_focused()
    tries(page, name, "wrong")
    expect(alert).to_have_text("Too many failed attempts. Try again in 15 min.")
    assert faultless(page, "login locked") == []
    assert page.evaluate("window.ran") is None and page.locator("script").count() == 0
    tries(page, "viewer", PASSWORD)
    expect(page.get_by_role("heading", name="Changes", exact=True)).to_be_visible()
    assert "example.org" not in page.url


def test_account_screen_changed_password_ends_other_sessions(signed_in: SignedIn, excused: list[str]) -> None:
    excused += ["status of 401", "status of 422"]
    other, page = signed_in("anna"), signed_in("anna", "/account")
    expect(page.get_by_text("Viewer (read-only).")).to_be_visible()
    assert faultless(page, "account") == []
    change(page, "not my password at all", _NEW)
    expect(page.get_by_role("alert")).to_contain_text("Wrong password.")
    change(page, PASSWORD, "short")
    expect(page.get_by_role("alert")).to_contain_text("at least 15 characters")
    assert faultless(page, "account refused") == []
    change(page, PASSWORD, _NEW, again=f"{_NEW}!")
    expect(page.get_by_text("Passwords do not match.")).to_be_visible()
    page.get_by_label("Confirm new password").fill(_NEW)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Password changed. Your other sessions were signed out.")).to_be_visible()
    expect(page.get_by_label("Current password")).to_have_value("")
    other.get_by_role("link", name="Control").press("Enter")
    expect(other).to_have_url(re.compile(r"/login\?next=%2Fcontrol|/login\?next=/control"))
    tries(other, "anna", _NEW)
    expect(other.get_by_role("heading", name="Control")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Account")).to_be_visible()


def test_account_screen_operator_made_viewer_loses_actions(
    project: Project, signed_in: SignedIn, excused: list[str]
) -> None:
    excused.append("status of 403")
    page = signed_in("operator", "/control")
    expect(page.get_by_role("button", name="Pause all sources")).to_be_visible()
    assert project.scrapy("monitor", "users", "role", "operator", "--role", "viewer").returncode == 0
    page.get_by_role("button", name="Pause all sources").press("Enter")
    page.get_by_label("Reason").fill("x")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text(
        "Only operators may do this. Your role is viewer."
    )
    page.reload()
    expect(page.get_by_text("Read-only access")).to_be_visible()
