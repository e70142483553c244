"""Somebody who may only look finds no buttons that act, and reads why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from tests.monitor.browser.conftest import SignedIn

pytestmark = pytest.mark.crawl

_ACTS = ("Run now", "Run …", "Pause", "Pause all sources", "Resume", "Next run …", "Cancel", "Check", "Activate")


@pytest.mark.parametrize("path", ["/sources/guide", "/control", "/manifests"])
def test_viewer_screen_explains_missing_buttons(signed_in: SignedIn, path: str) -> None:
    page = signed_in("viewer", path)
    expect(page.get_by_text("Read-only access")).to_be_visible()
    for acts in _ACTS:
        expect(page.get_by_role("button", name=acts, exact=True)).to_have_count(0)
