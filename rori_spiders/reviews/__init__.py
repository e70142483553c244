"""Review items: what a person must look at, from when it was seen until it clears by itself.

Each is an open alert of the ledger, one a source and event, that lists its pages. Functions over a Connection.
"""

from rori_spiders.reviews.events import (
    AT_ONCE,
    CREDITS,
    CREDITS_SPENT,
    DAILY,
    EVENTS,
    FEW_PAGES,
    HOOK_DOWN,
    MANIFEST_BROKEN,
    NO_CHANGE,
    STORAGE,
)
from rori_spiders.reviews.money import EVERYBODY, clear_over, is_over, note_spending
from rori_spiders.reviews.noting import clear, note_gone, note_page, note_pages, note_run, open_item, was_rate_limited
from rori_spiders.reviews.reading import Item, Page, number_open, open_items, to_do
from rori_spiders.reviews.sources import (
    note_breaker,
    note_changes,
    note_fields,
    note_resumed,
    note_unchanging,
    unchanging,
)

__all__ = [
    "AT_ONCE",
    "CREDITS",
    "CREDITS_SPENT",
    "DAILY",
    "EVENTS",
    "EVERYBODY",
    "FEW_PAGES",
    "HOOK_DOWN",
    "MANIFEST_BROKEN",
    "NO_CHANGE",
    "STORAGE",
    "Item",
    "Page",
    "clear",
    "clear_over",
    "is_over",
    "note_breaker",
    "note_changes",
    "note_fields",
    "note_gone",
    "note_page",
    "note_pages",
    "note_resumed",
    "note_run",
    "note_spending",
    "note_unchanging",
    "number_open",
    "open_item",
    "open_items",
    "to_do",
    "unchanging",
    "was_rate_limited",
]
