"""The monitor as its users have it: `scrapy monitor` over what was collected, in Debian's Chromium.

Where Debian's headless shell of it is installed, in that: the same engine without a desktop's browser around it.

`signed_in("operator")` gives a page on which somebody is signed in; `width=390` is a telephone's, `dark=True` the dark
theme. Who signs in for the first time on a monitor, or again in a test, does so by the form; else by the cookie of
then, in the browser context of then: its cache has the page's files, and a new context takes two seconds of CPU to load
them. The modules that a worker runs one after the other share the browser. One process renders all pages of a context,
and an empty page keeps it, with the scripts that it has compiled: a page takes a third of what it takes in a new
process.
Whatever went wrong in the browser fails the test at its end.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.crawl.tiers.browser.marked_chromium import QUICK_CHROMIUM
from tests.monitor.browser.collecting import collect
from tests.monitor.browser.seen import Faults
from tests.monitor.browser.serving import add_user, open_screen, serving, sign_in
from tests.support.made_once import copy_of
from tests.support.project import Project
from tests.support.server.fixtures import next_address
from tests.support.server.site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, Page, StorageState

expect.set_options(timeout=30_000)  # a loaded machine is given its time


class SignedIn(Protocol):
    def __call__(self, role: str, path: str = "/", *, width: int = 1440, dark: bool = False) -> Page: ...


@pytest.fixture(scope="session")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project that collected three times, with the users `viewer` and `operator`."""
    project = Project(copy_of("monitored", tmp_path_factory.mktemp("monitored"), _collect))
    project.use_manifest()
    return project


def _collect(folder: Path) -> None:
    project = Project(folder)
    with Site(next_address()) as site, Site(next_address()) as broken:
        collect(project, site, broken)
    for role in ("viewer", "operator"):
        add_user(project, role, role)


@pytest.fixture(scope="session")
def monitor(collected: Project) -> Iterator[str]:
    """The address at which `scrapy monitor` serves it."""
    with serving(collected) as address:
        yield address


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Playwright keeps an event loop running in this thread: it must end before tests that run one of their own."""
    with sync_playwright() as playwright:
        sandboxed = os.geteuid() != 0
        browser = playwright.chromium.launch(
            executable_path=QUICK_CHROMIUM, chromium_sandbox=sandboxed, args=["--process-per-site"]
        )
        yield browser
        browser.close()


@pytest.fixture
def excused() -> list[str]:
    """Words of the browser's complaints that this test provokes, such as `status of 422`."""
    return []


class Session(NamedTuple):
    """Where somebody signed in, and what the browser had of it then."""

    context: BrowserContext
    state: StorageState

    def restore(self) -> bool:
        """Give the context the cookies of then; whether they still are a session."""
        self.context.clear_cookies()
        self.context.add_cookies(self.state["cookies"])  # type: ignore[arg-type]
        return self.context.request.get("/api/v1/session").ok

    def close_pages(self) -> None:
        self.context.set_offline(False)
        for page in self.context.pages[1:]:
            page.close()


@pytest.fixture(scope="package")
def known_sessions(chromium: Browser) -> dict[str, dict[str, Session]]:
    """Those of the browser, by the address of their monitor."""
    return {}


@pytest.fixture(scope="module")
def sessions(monitor: str, known_sessions: dict[str, dict[str, Session]]) -> dict[str, Session]:
    """Of each who signed in on *monitor*, by name; tests use it one after the other."""
    return known_sessions.setdefault(monitor, {})


@pytest.fixture
def signed_in(monitor: str, chromium: Browser, excused: list[str], sessions: dict[str, Session]) -> Iterator[SignedIn]:
    """Signs somebody in, and opens a path. At the end nothing else than *excused* may have gone wrong in the pages."""
    faults: list[Faults] = []
    known = dict(sessions)
    with ExitStack() as opened:

        def opens(role: str, path: str = "/", *, width: int = 1440, dark: bool = False) -> Page:
            session = known.pop(role, None)
            context = session.context if session else new_context(chromium, monitor)
            is_signed_in = session is not None and session.restore()
            page = context.new_page()
            forgotten = {"origin": monitor, "storageTypes": "local_storage"}
            context.new_cdp_session(page).send("Storage.clearDataForOrigin", forgotten)  # what another test has chosen
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme="dark" if dark else "light")
            faults.append(Faults(page))
            if is_signed_in:
                open_screen(page, path)
            else:
                context.clear_cookies()
                sign_in(page, role, path)
            if session is None and role in sessions:  # signed in for the second time
                opened.callback(context.close)
                return page
            if not is_signed_in:
                sessions[role] = session = Session(context, context.storage_state())
            assert session is not None
            opened.callback(session.close_pages)
            return page

        yield opens
    told = [fault for page in faults for fault in page]
    assert [fault for fault in told if not any(words in fault for words in excused)] == []


def new_context(chromium: Browser, address: str) -> BrowserContext:
    """A browser context for the monitor at *address*, with a page that keeps the process."""
    context = chromium.new_context(
        base_url=address, timezone_id="America/New_York", locale="en-GB", reduced_motion="reduce"
    )
    context.new_page().goto("/api/v1/session")  # light, whoever asks
    return context
