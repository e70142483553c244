"""Addresses that a site makes without end: session ids, paths that grow, links that only ever lead on.

In: a normalised URL. Out: why nobody should ask for it, or None. The rules are few and sure; what they let through is
stopped by the caps on pages and depth, which hold for every source.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

#: Pages of one run when the manifest names no `max_pages`: the largest guide that is collected has some 2,600, and at
#: one request in two seconds these take half a day.
MAX_PAGES = 20_000
#: Links from the start when the manifest names no `max_depth` (at most 20 there): what is as far away as this is only
#: reached by "next", "next", "next", as in a calendar.
MAX_DEPTH = 100
#: The longest address in the sources' sites has some 300 characters; browsers of old took 2,083, Scrapy stops at 8,192
#: (URLLENGTH_LIMIT) without a word.
MAX_CHARS = 4096
#: Folders in a path. The deepest of the sources' sites have 9.
MAX_SEGMENTS = 30

# The same folders three times in a row. Laws repeat numbers (/title/1/1/1/): those count only with a word among them.
_AGAIN = re.compile(r"(?=/[^/]*[^\W\d_])((?:/[^/]+){1,4}?)\1\1(?=/|$)")
# One letter may be an appendix of a chapter of a title: four times.
_LETTER_AGAIN = re.compile(r"(/[^\W\d_])\1\1\1(?=/|$)")
_SESSION_PATH = re.compile(r";(?:jsessionid|phpsessid|sessionid|sid)=[^/?;]*", re.IGNORECASE)
_SESSION_FOLDER = re.compile(r"/\((?:[SXAF]\([\w-]{20,32}\))+\)(?=/)")  # ASP.NET without cookies
# Names that mean nothing else, and names that do so when a random number follows.
_SESSION_QUERY = re.compile(
    r"(?:(?<=\?)|&)(?:(?:jsessionid|phpsessid|aspsessionid\w*|cftoken|sessionid|session_id|oscsid|zenid)=[^&]*"
    r"|(?:sid|session|sess|s_id|cfid)=(?=[^&]*\d)(?:[0-9a-f]{16,}|[\w-]{24,})(?=&|$))",
    re.IGNORECASE,
)


def without_session(url: str) -> str | None:
    """*url* without the session ids in it; None when there is none: most servers give the same page for both."""
    head, mark, query = url.partition("?")
    clean = _SESSION_FOLDER.sub("", _SESSION_PATH.sub("", head))
    rest = _SESSION_QUERY.sub("", f"{mark}{query}").replace("?&", "?", 1)
    whole = clean + ("" if rest == "?" and query else rest)
    return whole if whole != url else None


def trap_in(url: str, depth: int = 0) -> str | None:
    """Why *url*, found *depth* links from the start, belongs to a site without end; None when nothing says so."""
    if len(url) > MAX_CHARS:
        return f"an address of {len(url)} characters, more than {MAX_CHARS}"
    path = urlsplit(url).path
    if path.count("/") > MAX_SEGMENTS:
        return f"a path of more than {MAX_SEGMENTS} folders"
    again = _AGAIN.search(path)
    if again and (len(again[1]) > 2 or _LETTER_AGAIN.search(path)):
        return f"a path that repeats itself: {again[1][:60]}"
    if depth > MAX_DEPTH:
        return f"more than {MAX_DEPTH} links from the start"
    return None
