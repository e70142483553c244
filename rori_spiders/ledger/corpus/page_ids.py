"""Page ids of the corpus, derived from URLs."""

from rori_spiders.urls.canonical import url_hash

#: Hex digits: among 20,000 pages two share them once in 90 billion corpora.
_ID_DIGITS = 16


def action_target(domain: str) -> str:
    """How what people do to the corpus of *domain* is filed: the target of its rows in ``actions``."""
    return f"corpus {domain}"


def page_id_for_url(url: str) -> str:
    """The page's id: the first 16 hex digits of the SHA-256 of its normalised URL. The same in every run."""
    return url_hash(url)[:_ID_DIGITS]
