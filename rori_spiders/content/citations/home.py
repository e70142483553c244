"""Where a page stands in the codes, as its address and its title say: what "this part" and "§ 1026.43" mean there.

Only what is said outright: an address of a kind whose form is known, or a title that begins with a citation. A press
release about a section is not that section.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from rori_spiders.content.citations import codes

_SECTION = r"(?P<section>\d{1,4}\.\d{1,4}[a-z]?(?:-\d{1,2}[a-z]?)?)"
_PART = r"part-(?P<part>\d+)(?:/subpart-(?P<subpart>[A-Z]{1,2}))?"
_ECFR = r"ecfr\.gov/(?:current|on/[\d-]+)/title-(?P<title>\d+)/(?:.*/)?"
_ADDRESSES = tuple(
    (code, re.compile(pattern))
    for code, pattern in (
        ("CFR", rf"{_ECFR}section-{_SECTION}$"),
        ("CFR", rf"{_ECFR}{_PART}$"),
        ("CFR", rf"law\.cornell\.edu/cfr/text/(?P<title>\d+)/{_SECTION}$"),
        ("CFR", rf"law\.cornell\.edu/cfr/text/(?P<title>\d+)/{_PART}$"),
        ("CFR", r"consumerfinance\.gov/rules-policy/regulations/(?P<part>10\d\d)(?:/(?P<number>\d+))?$"),
        ("USC", r"law\.cornell\.edu/uscode/text/(?P<title>\d+)/(?P<section>\d+[a-z]*(?:-\d+[a-z]?)?)$"),
        ("USC", r"uscode\.house\.gov/.*granuleid:USC-prelim-title(?P<title>\d+)-section(?P<section>\d+[\w-]*)"),
    )
)
_BEFORE = re.compile(r"^(?:eCFR\s*::\s*)?")
_US_CODE = re.compile(r"^(?P<title>\d{1,2}) U\.?S\.? Code § ?(?P<section>\d{1,5}[a-z]{0,2}(?:-\d{1,3}[a-z]?)?)\b")
_FOUND = re.compile(r"(?P<title>\d+) (?P<code>C\.F\.R|U\.S\.C)\. (?:§ (?P<section>[\w.-]+)|Part (?P<part>\d+))")
#: Whose regulations a site speaks of when it says "Regulation Z".
_AGENCIES = {"federalreserve.gov": "FRB"}


def home_of(url: str, title: str | None) -> dict[str, str]:
    """The context for `citations.find`: ``title`` ("12 CFR"), ``part``, ``section``, ``agency``, if known."""
    known = _by_address(url) or _by_title(title or "")
    host = (urlsplit(url).hostname or "").removeprefix("www.")
    if host in _AGENCIES:
        known["agency"] = _AGENCIES[host]
    return known


def _by_address(url: str) -> dict[str, str]:
    address = url.partition("://")[2].partition("#")[0].rstrip("/")
    for code, pattern in _ADDRESSES:
        if found := pattern.search(address):
            named = {name: value for name, value in found.groupdict().items() if value}
            if number := named.pop("number", None):
                named["section"] = f"{named['part']}.{number}"
            return named | {"title": f"{named.get('title', '12')} {code}"}
    return {}


def _by_title(title: str) -> dict[str, str]:
    start = _BEFORE.sub("", " ".join(title.split()))
    if found := _US_CODE.match(start):
        return {"title": f"{found['title']} USC", "section": found["section"]}
    first = next((citation for citation in codes.find(start[:80]) if citation.start == 0), None)
    found = _FOUND.match(first.canonical) if first else None
    if found is None:
        return {}
    known = {"title": f"{found['title']} {found['code'].replace('.', '')}"}
    return known | {name: value for name in ("section", "part") if (value := found[name])}
