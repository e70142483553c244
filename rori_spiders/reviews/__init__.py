"""Review items: what a person must look at, from when it was seen until it clears by itself.

Each is an open alert of the ledger, one a source and event, that lists its pages. Functions over a Connection.
"""

from rori_spiders.reviews.events import (
    AT_ONCE,
    CLOCK_SET,
    CREDITS,
    CREDITS_SPENT,
    DAILY,
    EVENTS,
    FEW_PAGES,
    HOOK_DOWN,
    MANIFEST_BROKEN,
    NO_CHANGE,
    OFFLINE,
    STORAGE,
)
from rori_spiders.reviews.review_items import ReviewItem, ReviewPage, count_open_items, open_items, recommended_action
from rori_spiders.reviews.source_alerts import (
    clear_item,
    find_unchanging,
    note_breaker,
    note_changes,
    note_fields,
    note_gone,
    note_page,
    note_pages,
    note_resumed,
    note_run,
    note_unchanging,
    open_item,
    was_rate_limited,
)
from rori_spiders.reviews.spending import ALL_PROVIDERS, clear_limit_alert, is_limit_obsolete, note_spending

__all__ = [
    "ALL_PROVIDERS",
    "AT_ONCE",
    "CLOCK_SET",
    "CREDITS",
    "CREDITS_SPENT",
    "DAILY",
    "EVENTS",
    "FEW_PAGES",
    "HOOK_DOWN",
    "MANIFEST_BROKEN",
    "NO_CHANGE",
    "OFFLINE",
    "STORAGE",
    "ReviewItem",
    "ReviewPage",
    "clear_item",
    "clear_limit_alert",
    "count_open_items",
    "find_unchanging",
    "is_limit_obsolete",
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
    "open_item",
    "open_items",
    "recommended_action",
    "was_rate_limited",
]
