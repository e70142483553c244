"""`scrapy monitor` over a project, on a port that the system gives."""

from __future__ import annotations

import os
import re
import select
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rori_spiders.monitor.web import building

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

    from tests.support.project import Project

PASSWORD = "correct horse battery"
_PATIENCE_S = 120  # what starts beside other tests may be slow; nothing is told by how long it takes


@contextmanager
def serving(project: Project) -> Iterator[str]:
    """The address at which it serves *project*, with the page as it is built of these sources."""
    building.page()
    with project.start("monitor", env={"RORI_MONITOR_PORT": "0"}) as process:
        try:
            assert process.stdout is not None
            yield _address(process.stdout.fileno())
        finally:
            process.terminate()


def add_user(project: Project, name: str, role: str) -> None:
    done = project.scrapy("monitor", "users", "add", name, "--role", role, stdin=f"{PASSWORD}\n")
    assert done.returncode == 0, done.stderr


def sign_in(page: Page, name: str, path: str = "/") -> None:
    """Sign *name* in on *page*, and wait for the screen at *path*."""
    page.goto(f"/login?next={path.replace('&', '%26')}")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: urlsplit(url).path != "/login")
    page.get_by_role("heading", level=1).first.wait_for()


def open_screen(page: Page, path: str) -> None:
    """Open the screen at *path* for who is signed in on *page*."""
    page.goto(path)
    page.get_by_role("heading", level=1).first.wait_for()


def _address(output: int) -> str:
    """The URL that the command prints. Raises AssertionError when it prints none in time, or ends."""
    said = ""
    while (found := re.search(r"is at (http://\S+)\n", said)) is None:
        ready, _, _ = select.select([output], [], [], _PATIENCE_S)
        more = os.read(output, 65536).decode() if ready else ""
        assert more, f"scrapy monitor does not say where it is: {said}"
        said += more
    return found[1].rstrip("/")
