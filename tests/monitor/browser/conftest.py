"""The monitor as its users have it: `scrapy monitor` over what was collected, in Debian's Chromium.

`signed_in("operator")` gives a page on which somebody is signed in; `width=390` is a telephone's, `dark=True` the dark
theme.
Whatever went wrong in the browser fails the test at its end.
"""

from __future__ import annotations

import os
import re
import select
from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

import pytest
from playwright.sync_api import expect, sync_playwright

from rori_spiders.monitor.web import building
from tests.crawl.marked import CHROMIUM
from tests.monitor.browser.collecting import collect
from tests.monitor.browser.seen import Faults
from tests.project import Project
from tests.server.fixtures import next_address
from tests.server.site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

PASSWORD = "correct horse battery"
_PATIENCE_S = 120  # what starts beside other tests may be slow; nothing is told by how long it takes
expect.set_options(timeout=_PATIENCE_S * 1000 / 4)


class SignedIn(Protocol):
    def __call__(self, role: str, path: str = "/", *, width: int = 1440, dark: bool = False) -> Page: ...


@pytest.fixture(scope="session")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project that collected twice, with the users `viewer` and `operator`."""
    project = Project(tmp_path_factory.mktemp("monitored"))
    with Site(next_address()) as site, Site(next_address()) as broken:
        collect(project, site, broken)
    for role in ("viewer", "operator"):
        done = project.scrapy("monitor", "users", "add", role, "--role", role, stdin=f"{PASSWORD}\n")
        assert done.returncode == 0, done.stderr
    return project


@pytest.fixture(scope="session")
def monitor(collected: Project) -> Iterator[str]:
    """The address at which `scrapy monitor` serves it, with the page as it is built of these sources."""
    building.page()
    with collected.start("monitor", env={"RORI_MONITOR_PORT": "0", "PYTHONUNBUFFERED": "1"}) as process:
        try:
            assert process.stdout is not None
            yield _address(process.stdout.fileno())
        finally:
            process.terminate()


def _address(output: int) -> str:
    """The URL that the command prints. Raises AssertionError when it prints none in time, or ends."""
    said = ""
    while (found := re.search(r"is at (http://\S+)\n", said)) is None:
        ready, _, _ = select.select([output], [], [], _PATIENCE_S)
        more = os.read(output, 65536).decode() if ready else ""
        assert more, f"scrapy monitor does not say where it is: {said}"
        said += more
    return found[1].rstrip("/")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        sandboxed = os.geteuid() != 0
        browser = playwright.chromium.launch(executable_path=CHROMIUM, chromium_sandbox=sandboxed)
        yield browser
        browser.close()


@pytest.fixture
def signed_in(monitor: str, chromium: Browser) -> Iterator[SignedIn]:
    """Signs somebody in, and opens a path. At the end nothing may have gone wrong in any of the pages."""
    faults: list[Faults] = []
    with ExitStack() as opened:

        def sign_in(role: str, path: str = "/", *, width: int = 1440, dark: bool = False) -> Page:
            context = chromium.new_context(
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
            page.goto(f"/login?next={path.replace('&', '%26')}")
            page.get_by_label("Name").fill(role)
            page.get_by_label("Password").fill(PASSWORD)
            page.keyboard.press("Enter")
            page.get_by_role("heading", level=1).first.wait_for()
            return page

        yield sign_in
    assert [fault for page in faults for fault in page] == []
