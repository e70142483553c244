"""The monitor as its users have it: `scrapy monitor` over what was collected, in Debian's Chromium.

`signed_in("operator")` gives a page on which somebody is signed in; `width=390` is a telephone's, `dark=True` the dark
theme. Who signs in for the first time in a module, or again in a test, does so by the form; else by the cookie of then.
Whatever went wrong in the browser fails the test at its end.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.crawl.tiers.browser.marked_chromium import CHROMIUM
from tests.monitor.browser.collecting import collect
from tests.monitor.browser.seen import Faults
from tests.monitor.browser.serving import add_user, open_screen, serving, sign_in
from tests.support.project import Project
from tests.support.server.fixtures import next_address
from tests.support.server.site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page, StorageState

expect.set_options(timeout=30_000)  # a loaded machine is given its time


class SignedIn(Protocol):
    def __call__(self, role: str, path: str = "/", *, width: int = 1440, dark: bool = False) -> Page: ...


@pytest.fixture(scope="session")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project that collected three times, with the users `viewer` and `operator`."""
    project = Project(tmp_path_factory.mktemp("monitored"))
    with Site(next_address()) as site, Site(next_address()) as broken:
        collect(project, site, broken)
    for role in ("viewer", "operator"):
        add_user(project, role, role)
    return project


@pytest.fixture(scope="session")
def monitor(collected: Project) -> Iterator[str]:
    """The address at which `scrapy monitor` serves it."""
    with serving(collected) as address:
        yield address


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Playwright keeps an event loop running in this thread: it must end before tests that run one of their own."""
    with sync_playwright() as playwright:
        sandboxed = os.geteuid() != 0
        browser = playwright.chromium.launch(executable_path=CHROMIUM, chromium_sandbox=sandboxed)
        yield browser
        browser.close()


@pytest.fixture
def excused() -> list[str]:
    """Words of the browser's complaints that this test provokes, such as `status of 422`."""
    return []


@pytest.fixture(scope="module")
def sessions(monitor: str) -> dict[str, StorageState]:
    """What a browser has of who signed in on *monitor*, by name: the form takes a second of CPU each time."""
    return {}


@pytest.fixture
def signed_in(
    monitor: str, chromium: Browser, excused: list[str], sessions: dict[str, StorageState]
) -> Iterator[SignedIn]:
    """Signs somebody in, and opens a path. At the end nothing else than *excused* may have gone wrong in the pages."""
    faults: list[Faults] = []
    known = dict(sessions)
    with ExitStack() as opened:

        def opens(role: str, path: str = "/", *, width: int = 1440, dark: bool = False) -> Page:
            session = known.pop(role, None)
            context = chromium.new_context(
                storage_state=session,
                base_url=monitor,
                viewport={"width": width, "height": 900},
                color_scheme="dark" if dark else "light",
                timezone_id="America/New_York",
                locale="en-GB",
                reduced_motion="reduce",
            )
            opened.callback(context.close)
            page = context.new_page()
            faults.append(Faults(page))
            if session and context.request.get("/api/v1/session").ok:
                open_screen(page, path)
            else:
                context.clear_cookies()
                sign_in(page, role, path)
                sessions[role] = context.storage_state()
            return page

        yield opens
    told = [fault for page in faults for fault in page]
    assert [fault for fault in told if not any(words in fault for words in excused)] == []
