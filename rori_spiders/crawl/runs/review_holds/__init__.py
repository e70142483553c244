"""Acceptance of pages that a run held for review, because most of their text, or many pages at once, had gone.

`acceptor.py` accepts a page, or the page count of a run; `held_pages.py` reads the page again from the stored bytes
and compares it with the current text; `apply.py` writes the result to the ledger under the leases of the source.
"""

from rori_spiders.crawl.runs.review_holds.acceptor import (
    SUSPECT,
    AcceptedPage,
    Acceptor,
    ReviewContext,
    accept_page_count,
    refresh_run_summary,
)
from rori_spiders.crawl.runs.review_holds.apply import Reviewer
from rori_spiders.crawl.runs.review_holds.held_pages import NotAcceptable

__all__ = [
    "SUSPECT",
    "AcceptedPage",
    "Acceptor",
    "NotAcceptable",
    "ReviewContext",
    "Reviewer",
    "accept_page_count",
    "refresh_run_summary",
]
