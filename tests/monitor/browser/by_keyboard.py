"""A person who has no mouse: Tab until what they want has the focus, then Enter, or the keys of the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

#: A screen of 50 pages has three places for the focus a row.
_MOST_TABS = 250
_HAS_FOCUS = "one => one === document.activeElement"


class Keyboard:
    """The keyboard of *page*."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def to(self, wanted: Locator) -> None:
        """Tab to it. Raises AssertionError where the focus never gets there."""
        expect(wanted).to_be_visible()
        for _ in range(_MOST_TABS):
            if wanted.evaluate(_HAS_FOCUS):
                return
            self._page.keyboard.press("Tab")
        raise AssertionError(f"no Tab leads to {wanted}")

    def press(self, *keys: str) -> None:
        """One after the other."""
        for key in keys:
            self._page.keyboard.press(key)

    def enter(self, wanted: Locator) -> None:
        """Tab to it, and press Enter."""
        self.to(wanted)
        self.press("Enter")

    def fill(self, **fields: str) -> None:
        """Type into fields of the open dialog, each named by its label's beginning, in their order; then send it."""
        dialog = self._page.get_by_role("dialog")
        for label, words in fields.items():
            self.to(dialog.get_by_label(label.replace("_", " ")))
            self._page.keyboard.press("Control+A")
            self._page.keyboard.type(words)
        self.press("Enter")

    def button(self, name: str) -> None:
        """Tab to the button of this name, and press it."""
        self.enter(self._page.get_by_role("button", name=name, exact=True))

    def confirm(self, name: str) -> None:
        """Press the button of this name in the dialog that opens, which then closes."""
        dialog = self._page.get_by_role("dialog")
        self.enter(dialog.get_by_role("button", name=name, exact=True))
        expect(dialog).to_have_count(0)
