"""Review items: what a person must look at, from when it was seen until it clears by itself.

Each is an open alert of the ledger, one a source and event, that lists its pages. Functions over a Connection.
"""

from rori_spiders.reviews.events import EVENTS, FEW_PAGES
from rori_spiders.reviews.noting import clear, note_page, note_pages, note_run, open_item, was_rate_limited
from rori_spiders.reviews.reading import Item, Page, number_open, open_items

__all__ = [
    "EVENTS",
    "FEW_PAGES",
    "Item",
    "Page",
    "clear",
    "note_page",
    "note_pages",
    "note_run",
    "number_open",
    "open_item",
    "open_items",
    "was_rate_limited",
]
