"""By which name the corpus knows a URL."""

from __future__ import annotations

from rori_spiders.urls import url_hash

#: Hex digits: among 20,000 pages two share them once in 90 billion corpora.
_DIGITS = 16


def filed_as(domain: str) -> str:
    """How what people do to the corpus of *domain* is filed: the target of its rows in ``actions``."""
    return f"corpus {domain}"


def page_id_of(url: str) -> str:
    """The page's id: the first 16 hex digits of the SHA-256 of its normalised URL. The same in every run."""
    return url_hash(url)[:_DIGITS]
