"""What a browser saw on a page of the monitor that nobody should see, and what axe says of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rori_spiders.monitor.web import building

if TYPE_CHECKING:
    from playwright.sync_api import Page

_AXE = building.WEB / "node_modules" / "axe-core" / "axe.min.js"
_BROKEN = """document.addEventListener(
    "securitypolicyviolation", (e) => console.error("CSP", e.violatedDirective, e.blockedURI))"""
#: Without what axe passed, of which it would describe each element, and without rules whose violations are never grave:
#: three fifths of the time. Style sheets that only those ask for are not loaded anew. Nothing where axe, half a
#: megabyte, is not yet.
_VIOLATIONS = """'axe' in window ? axe.run({
    resultTypes: ['violations'],
    preload: false,
    rules: Object.fromEntries(axe._audit.rules
        .filter((rule) => ['minor', 'moderate'].includes(rule.impact))
        .map((rule) => [rule.id, {enabled: false}])),
}).then((found) => found.violations) : null"""

#: What Chromium says when a page as it was received tries to run a script, or to fetch a picture, in its frame.
_RECEIVED = r"'http://[^']+/api/v1/(versions/[\d-]+|failures/\d+)/"
KEPT_STILL_IN_ITS_FRAME = re.compile(
    rf"Blocked script execution in {_RECEIVED}(raw|response)' because the document's frame is sandboxed"
    rf"|Loading the image {_RECEIVED}[^']*' violates .* directive: \"img-src data:\""
)


class Faults(list[str]):
    """Errors of the console, exceptions, and breaches of the Content-Security-Policy, as they happen on *page*.

    That what was received is kept from running in its frame is none.
    """

    def __init__(self, page: Page) -> None:
        super().__init__()
        page.add_init_script(_BROKEN)
        page.on("console", lambda said: self._noted(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.append(str(error)))

    def _noted(self, said: str) -> None:
        if not KEPT_STILL_IN_ITS_FRAME.match(said):
            self.append(said)


def axe(page: Page) -> list[str]:
    """What axe finds serious or critical on *page* as it is now: the rule, and where."""
    building.install(whole=False)
    found: list[dict[str, Any]] | None = page.evaluate(_VIOLATIONS)
    if found is None:
        page.evaluate(_AXE.read_text(encoding="utf-8"))
        found = page.evaluate(_VIOLATIONS)
    assert found is not None
    grave = (one for one in found if one["impact"] in {"serious", "critical"})
    return [f"{one['id']}: {node['target']} {node['html'][:120]}" for one in grave for node in one["nodes"]]


def faultless(page: Page, what: str = "") -> list[str]:
    """What is wrong with *page* as it is now, called *what*: on a desk in light, on a telephone in the dark.

    The window and the colours are afterwards what they were.
    """
    before, found = page.viewport_size, []
    for width, scheme in ((390, "dark"), (1440, "light")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        found += [f"{what} {width} {scheme}: {one}" for one in axe(page)]
        if wide := overflows(page):
            found.append(f"{what} {width} {scheme}: {wide} pixels too wide")
    if before is not None:
        page.set_viewport_size(before)
    return found


def overflows(page: Page) -> int:
    """By how many pixels the page is wider than its window: people would have to scroll sideways."""
    wide: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return wide
