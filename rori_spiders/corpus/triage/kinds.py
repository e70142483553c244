"""Kinds of pages that seldom belong to a corpus, known by their addresses: a table."""

from __future__ import annotations

import re
from typing import NamedTuple

from rori_spiders.corpus.triage.pages import EXCLUDE, NEEDS_REVIEW, Verdict
from rori_spiders.manifest.vocabulary import STATES


class Kind(NamedTuple):
    """Pages whose path (lower case) has *pattern*."""

    name: str
    pattern: re.Pattern[str]
    decision: Verdict
    reason: str


def _folder(*names: str) -> re.Pattern[str]:
    """A whole part of a path, with what an index file may add."""
    return re.compile(rf"/(?:{'|'.join(names)})(?:/|\.\w{{2,5}}$|$)")


#: First match decides. What each kind is comes from the sitemaps and maps of real agencies and wikis.
KINDS = (
    Kind("tags", _folder("tags?", "topics?-tag", "keyword"), EXCLUDE, "a list of pages by tag"),
    Kind("authors", _folder("authors?", "by-author"), EXCLUDE, "a list of pages by author"),
    Kind(
        "pagination", re.compile(r"/page/\d+/?$|[?&](?:page|paged|offset)=\d+(?:&|$)"), EXCLUDE,
        "a further page of a list",
    ),
    Kind("archives", re.compile(r"/archives?(?:/\d{4}(?:/\d{1,2})?)?/?$"), EXCLUDE, "a list of pages by date"),
    Kind("search", _folder("search", "search-results", "find", "results"), EXCLUDE, "a search form, or what it found"),
    Kind("sign-in", _folder("log-?(?:in|out)", "sign-?(?:in|up)", "register", "my-?account"), EXCLUDE, "a sign-in"),
    Kind(
        "forms", _folder("contact(?:-us)?", "feedback", "subscribe", "unsubscribe", "newsletter(?:-signup)?", "survey"),
        EXCLUDE, "a form to write to the publisher",
    ),
    Kind(
        "print", re.compile(r"/print(?:able)?(?:/|$)|[?&]print=|[?&](?:format|view)=print"), EXCLUDE,
        "a printed page's twin",
    ),
    Kind("feeds", re.compile(r"/(?:feed|rss|atom)(?:/|\.xml|$)|\.(?:rss|atom)$"), EXCLUDE, "a feed of other pages"),
    Kind("events", _folder("events?", "calendars?", "webinars?"), EXCLUDE, "an event, or a calendar of them"),
    Kind("jobs", _folder("careers?", "jobs?", "vacancies"), EXCLUDE, "vacancies"),
    # Not a number further down: laws have parts 403, 404 and 500.
    Kind(
        "errors", re.compile(r"^/(?:404|403|500)(?:\.\w+)?/?$|/(?:error|page-not-found)(?:\.\w+)?/?$"), EXCLUDE,
        "an error page",
    ),
    Kind(
        "site-map", re.compile(r"/(?:site-?map|site-?index|a-z)(?:\.\w+)?/?$"), EXCLUDE, "a list of the site's pages",
    ),
    Kind(
        "calculators", re.compile(r"/[^/?]*(?:calculators?|estimators?|simulators?)[^/?]*"), NEEDS_REVIEW,
        "a calculator: one visit does not show what it says (needs_variant_review)",
    ),
    Kind(
        "prices", re.compile(r"/[^/?]*(?:pricing|prices|rate-?quotes?|plans-and-pricing)[^/?]*"), NEEDS_REVIEW,
        "prices, which may differ with what a visitor chooses (needs_variant_review)",
    ),
)  # fmt: skip
#: Sections of news and blogs: what stands there ages.
NEWS = _folder("news", "newsroom", "blogs?", "press(?:-releases?)?", "media-?cent(?:er|re)", "stories", "posts?")
#: A language as the first folder of a path.
LANGUAGE = re.compile(r"^/([a-z]{2})(?:-[a-z]{2})?/")
#: Two letters that begin a path and are a language; all others are states, or short names of folders.
LANGUAGES = frozenset({
    "ar", "de", "es", "fa", "fr", "he", "hi", "ht", "it", "ja", "km", "ko", "pl", "ps", "pt", "ru", "so", "sw", "th",
    "tl", "tr", "uk", "ur", "vi", "zh",
})  # fmt: skip
#: Arabic or Arkansas, German or Delaware, Hindi or Hawaii.
STATES_TOO = LANGUAGES & {state.lower() for state in STATES}
#: Titles that say what a page is.
TITLES = re.compile(
    r"^\W*(?:page not found|404\b|not found|access denied|forbidden|error\b|sign in|log ?in|search results|untitled)",
    re.IGNORECASE,
)
