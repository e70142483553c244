"""Addresses that a site makes without end: session ids, paths that grow, calendars, facets, links that only lead on.
And those at which it gives pages once more: superseded versions, print views, search results.

In: a normalised URL. Out: why nobody should ask for it, or None. The rules are few and sure; what they let through is
stopped by the caps on pages and depth, which hold for every source.
"""

import re
from collections import Counter
from urllib.parse import urlsplit

from rori_spiders.urls.canonical import path_and_query

#: Pages of one run when the manifest names no `max_pages`: the largest guide that is collected has some 2,600, and at
#: one request in two seconds these take half a day.
MAX_PAGES = 20_000
#: Links from the start when the manifest names no `max_depth` (at most 20 there): what is as far away as this is only
#: reached by "next", "next", "next", as in a calendar.
MAX_DEPTH = 100
#: The longest address in the sources' sites has some 300 characters; browsers of old took 2,083, many servers stop at
#: 8,192.
MAX_CHARS = 4096
#: Folders in a path. The deepest of the sources' sites have 9.
MAX_SEGMENTS = 30

UNFILLED_PLACEHOLDER = "unfilled template placeholder"
#: Times that one word may be a folder of a path, and one name a parameter of a query. Laws repeat "part" three times.
MAX_REPEATS = 4
#: Choices of a faceted list (`f[0]=...&f[1]=...`) in one address: with three there are more lists than pages.
MAX_CHOICES = 2

# The same folders three times in a row. Laws repeat numbers (/title/1/1/1/): those count only with a word among them.
_AGAIN = re.compile(r"(?=/[^/]*[^\W\d_])((?:/[^/]+){1,4}?)\1\1(?=/|$)")
# One letter may be an appendix of a chapter of a title: four times.
_LETTER_AGAIN = re.compile(r"(/[^\W\d_])\1\1\1(?=/|$)")
_LETTER = re.compile(r"[^\W\d_]")
_LEAST_LETTERS = 3
# What templates leave behind when nobody rendered them, as `normalise_url` spells it.
_UNRENDERED = re.compile(
    r"%7B%7B|%7D%7D|\$%7B|%3C%(?:25|=|-|%20)|(?:\[|%5B){2}|(?:\[|%5B)object%20Object", re.IGNORECASE
)
_ESCAPED_AGAIN = re.compile(r"%25(?:25)+[0-9A-F]{2}", re.IGNORECASE)
# Months, weeks and days of a calendar, which go on for ever both ways. A year alone may be a document's name.
_CALENDAR_DAY = re.compile(r"/(?:19|20|21)\d\d[-/](?:w?\d{1,2}|[a-z]{3,9})(?:[-/]\d{1,2})?/?$", re.IGNORECASE)
_CALENDAR_FOLDER = re.compile(r"/calendars?(?=[/?]|$)", re.IGNORECASE)
_CALENDAR_QUERY = re.compile(
    r"\?(?:[^?]*&)?(?:date|day|week|month|start|tribe-bar-date)=(?:19|20|21)\d\d-?\d\d?", re.IGNORECASE
)
# The Events Calendar of WordPress, and others that name months so below /events/; an event has a name of its own.
_EVENTS = re.compile(
    r"/[\w-]*events?/(?:(?:month|week|day|list|photo|map)/)?(?:19|20|21)\d\d-\d\d(?:-\d\d)?/?(?:\?|$)",
    re.IGNORECASE,
)
_EVENTS_FOLDER = re.compile(r"/[\w-]*(?:events?|calendar)(?=[/?]|$)", re.IGNORECASE)
_EVENTS_QUERY = re.compile(
    r"\?(?:[^?]*&)?(?:(?:outlook-)?ical=1|tribe-bar-date=|tribe_event_display=|(?:mo|month)=\w+&(?:yr|year)=\d{4})",
    re.IGNORECASE,
)
_CHOICE = re.compile(r"[?&][^=&]*(?:\[|%5B)[^=&]*(?:\]|%5D)=", re.IGNORECASE)
_SESSION_PATH = re.compile(r";(?:jsessionid|phpsessid|sessionid|sid)=[^/?;]*", re.IGNORECASE)
_SESSION_FOLDER = re.compile(r"/\((?:[SXAF]\([\w-]{20,32}\))+\)(?=/)")  # ASP.NET without cookies
# Names that mean nothing else, and names that do so when a random number follows.
_SESSION_QUERY = re.compile(
    r"(?:(?<=\?)|&)(?:(?:jsessionid|phpsessid|aspsessionid\w*|cftoken|sessionid|session_id|oscsid|zenid)=[^&]*"
    r"|(?:sid|session|sess|s_id|cfid)=(?=[^&]*\d)(?:[0-9a-f]{16,}|[\w-]{24,})(?=&|$))",
    re.IGNORECASE,
)
# Who sent a reader here; never what the page is. https://en.wikipedia.org/wiki/UTM_parameters, and the ids that
# Google, Meta, Microsoft, Mailchimp and HubSpot add to links.
_TRACKING = re.compile(
    r"(?:(?<=\?)|&)(?:utm_[a-z]+|fbclid|gclid|gbraid|wbraid|dclid|msclkid|mc_[ce]id|_hsenc|_hsmi)=[^&]*", re.IGNORECASE
)


#: Pages that stand beside the current text and repeat it, by the name of the rule: excluded unless the manifest allows
#: them (`allowed_copies`). A date counts as a version below a part's number (no year) or a word that says so: news have
#: dates in their addresses too. As on consumerfinance.gov/rules-policy/regulations/1024/2020-01-01/5/ and
#: ecfr.gov/on/2020-01-01/title-12/.
COPY_RULES: dict[str, re.Pattern[str]] = {
    "dated_version": re.compile(
        r"/(?:(?!(?:19|20)\d\d/)\d+|(?:part|title|chapter)-?\d+|on|as-?of|versions?|editions?|archived?)"
        r"/(?:19|20)\d\d-\d\d-\d\d(?:/|\?|$)",
        re.IGNORECASE,
    ),
    # "Revisions" without a number before it may be a chapter of a handbook.
    "version_list": re.compile(
        r"/(?:versions|\d[\w.-]*/revisions)(?:/|\?|$)|\?(?:[^?]*&)?(?:oldid=\d|action=history(?:&|$))", re.IGNORECASE
    ),
    "print_view": re.compile(
        r"/(?:print|printable|print-?view)/?(?:\?|$)|/print(?:-?pdf)?/(?:(?:pdf|html)/)?(?:node/)?\d+(?:\.html?)?/?(?:\?|$)"
        r"|[?&](?:print|printable|printer_?friendly)(?:=(?:1|true|yes|y)?)?(?:&|$)"
        r"|[?&](?:view|format|output|mode)=print(?:able)?(?:&|$)",
        re.IGNORECASE,
    ),
    # A folder's `?s=` is WordPress's, where it comes first and is neither a session nor a number.
    "search_results": re.compile(
        r"/(?:site-?)?search(?:-?results?)?(?:/index)?(?:\.\w{2,5})?/?\?|/search/(?:node|site|label|content|all)/[^?]"
        r"|/\?s=(?!\d+(?:&|$)|[0-9a-f]{8,}(?:&|$))[^&]",
        re.IGNORECASE,
    ),
}
_DATE = r"/(?:19|20)\d\d-\d\d-\d\d"
_DATED = re.compile(rf"{_DATE}(?=/[^?])", re.IGNORECASE)
_DATED_BY_WORD = re.compile(rf"/(?:on|as-?of|versions?|editions?|archived?){_DATE}(?=/[^?])", re.IGNORECASE)


def find_copy(url: str) -> str | None:
    """The rule of COPY_RULES by which *url*, normalised, repeats other pages; None for a page of its own."""
    return _match_copy(url)[0]


def is_same_version(url: str, other: str) -> bool:
    """Whether both addresses are copies by the same rule, and by the same words: pages of one dated version, say."""
    return _match_copy(url)[0] is not None and _match_copy(url) == _match_copy(other)


def _match_copy(url: str) -> tuple[str | None, str]:
    target = path_and_query(url)
    found = ((name, rule.search(target)) for name, rule in COPY_RULES.items())
    return next(((name, match[0]) for name, match in found if match), (None, ""))


def undated_urls(url: str) -> tuple[str, ...]:
    """Where the current text of *url*, a page of a dated version, may be: at its address without the date.

    None for the first page of a version, whose address would be that of all versions.
    """
    ways = (_DATED.sub("", url), _DATED_BY_WORD.sub("", url), _DATED_BY_WORD.sub("/current", url))
    return tuple(dict.fromkeys(way for way in ways if way != url))


def strip_session_and_tracking(url: str) -> tuple[str, str] | None:
    """The address at which *url* is read, without what changes from visit to visit, and what was taken out.

    None when there is nothing to take out.
    """
    plain = strip_session(url)
    if plain is not None:
        return _strip_tracking(plain) or plain, "session ID removed"
    plain = _strip_tracking(url)
    return None if plain is None else (plain, "tracking parameter removed")


def _strip_tracking(url: str) -> str | None:
    head, mark, query = url.partition("?")
    rest = _TRACKING.sub("", f"{mark}{query}").replace("?&", "?", 1)
    whole = head + ("" if rest == "?" and query else rest)
    return whole if whole != url else None


def strip_session(url: str) -> str | None:
    """*url* without the session ids in it; None when there is none: most servers give the same page for both."""
    head, mark, query = url.partition("?")
    clean = _SESSION_FOLDER.sub("", _SESSION_PATH.sub("", head))
    rest = _SESSION_QUERY.sub("", f"{mark}{query}").replace("?&", "?", 1)
    whole = clean + ("" if rest == "?" and query else rest)
    return whole if whole != url else None


def find_trap(url: str, depth: int = 0) -> str | None:
    """Why *url*, found *depth* links from the start, belongs to a site without end; None when nothing says so."""
    if len(url) > MAX_CHARS:
        return f"URL of {len(url)} characters (maximum {MAX_CHARS})"
    if _UNRENDERED.search(url):
        return UNFILLED_PLACEHOLDER
    parts = urlsplit(url)
    grown = _repeated_path(parts.path) or _repeated_query(parts.query)
    if grown is not None:
        return grown
    if _ESCAPED_AGAIN.search(url):
        return "URL escaped repeatedly"
    if _is_calendar(url):
        return "calendar page"
    if len(_CHOICE.findall(url)) > MAX_CHOICES:
        return f"more than {MAX_CHOICES} facets selected"
    if depth > MAX_DEPTH:
        return f"more than {MAX_DEPTH} links from the start URL"
    return None


def _is_calendar(url: str) -> bool:
    return (
        _EVENTS.search(url) is not None
        or any(_are_found(part, _CALENDAR_FOLDER, _CALENDAR_DAY) for part in url.split("?"))
        or _are_found(url, _CALENDAR_FOLDER, _CALENDAR_QUERY)
        or _are_found(url, _EVENTS_FOLDER, _EVENTS_QUERY)
    )


def _are_found(text: str, first: re.Pattern[str], behind: re.Pattern[str]) -> bool:
    """Whether *text* has *first* and, behind it, the other: two searches, where one would try each pair of places."""
    found = first.search(text)
    return found is not None and behind.search(text, found.end()) is not None


def _repeated_path(path: str) -> str | None:
    if path.count("/") > MAX_SEGMENTS:
        return f"path of more than {MAX_SEGMENTS} segments"
    again = _AGAIN.search(path)
    if again and (len(again[1]) > 2 or _LETTER_AGAIN.search(path)):
        return f"repeating path: {again[1][:60]}"
    words = (one for one in path.split("/") if len(_LETTER.findall(one)) >= _LEAST_LETTERS)
    word, times = next(iter(Counter(words).most_common(1)), ("", 0))
    return f"repeating path: /{word[:60]}" if times > MAX_REPEATS else None


def _repeated_query(query: str) -> str | None:
    """Parameters that a page adds to its own address each time."""
    pairs = query.split("&") if query else []
    pair, times = next(iter(Counter(pairs).most_common(1)), ("", 0))
    if times > 2 and pair:
        return f"repeating query: {pair[:60]}"
    name, times = next(iter(Counter(one.partition("=")[0] for one in pairs).most_common(1)), ("", 0))
    return f"repeating query: {name[:60]}" if times > MAX_REPEATS and name else None
