"""How a provider fails: by its own fault, for want of a key or of money, or because it could not get the page.

* ProviderFailed     final: the next tier, or the end
  + KeyRefused       its site was not asked: another key may
  + Passing          its site may have been asked: once more, in the page's turn
"""

from __future__ import annotations

from scrapy.exceptions import DownloadCancelledError

#: The first words of a reason, explained in docs/logs.md.
WORDS = (
    "provider_unreachable",
    "provider_timeout",
    "provider_refused",
    "provider_out_of_credits",
    "provider_rate_limited",
    "provider_error",
    "provider_bad_answer",
    "provider_wrong_page",
    "provider_gave_up",
    "provider_no_document",
    "cost_limit",
    "paid_calls_full",
)


class ProviderFailed(DownloadCancelledError):
    """Raised when a provider brought no answer for a page. Goes to the next tier; never retried, never a page.

    *word* is one of WORDS. *charged*: the call may have been paid for, and counts as what was reserved for it.
    """

    def __init__(self, word: str, says: str, *, charged: bool = False) -> None:
        assert word in WORDS, word
        super().__init__(says)
        self.word = word
        self.charged = charged


class KeyRefused(ProviderFailed):
    """Raised when a key may not be used for *rest_s* seconds: unknown, out of credits, too often used."""

    def __init__(self, word: str, says: str, rest_s: float) -> None:
        super().__init__(word, says)
        self.rest_s = rest_s


class Passing(ProviderFailed):
    """Raised for what a second call may better. The site may have been asked: that call waits for its turn."""
