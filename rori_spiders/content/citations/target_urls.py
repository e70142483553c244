"""The publisher's URL of a cited provision, derived from the citation alone, or None.

Only official sites, and only forms that they document or use themselves: eCFR's short addresses of sections and parts,
GPO's link service (www.govinfo.gov/link-docs), the Federal Register's addresses by citation and by order, dockets of
regulations.gov. A paragraph leads to the page of its section, an appendix or a comment to that of its part.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.content.citations.model import Citation

#: What the sites hold: public laws of the 104th Congress on, the Statutes at Large from volume 65, the Federal Register
#: by citation from volume 59 (1994), and the orders that it printed since.
FIRST_CONGRESS, FIRST_STATUTES, FIRST_REGISTER, FIRST_ORDER = 104, 65, 59, 12890

_CFR = re.compile(
    r"(?P<title>\d+) C\.F\.R\. (?:§ (?P<section>[\w.-]+)|Part (?P<part>\d+)(?:, Subpart (?P<subpart>[A-Z]+))?"
    r"|Chapter (?P<chapter>[IVXL]+))"
)
_USC = re.compile(r"(?P<title>\d+) U\.S\.C\. § (?P<section>[\w-]+)")
_PUBLIC_LAW = re.compile(r"Pub\. L\. (?P<congress>\d+)-(?P<law>\d+)")
_STATUTES = re.compile(r"(?P<volume>\d+) Stat\. (?P<page>\d+)")
_REGISTER = re.compile(r"(?P<volume>\d+) Fed\. Reg\. (?P<page>\d+)")
_ORDER = re.compile(r"Exec\. Order (?P<number>\d+)")
_DOCKET = re.compile(r"Docket No\. (?P<id>[A-Z]{2,8}-\d{4}-\d{4})$")


def target_of(citation: Citation) -> str | None:
    """The address of what *citation* names; of a lettered regulation that of its part."""
    text = citation.target or citation.canonical
    for pattern, form in _FORMS:
        if found := pattern.match(text):
            return form(found)
    return None


def _cfr(found: re.Match[str]) -> str:
    title = f"https://www.ecfr.gov/current/title-{found['title']}"
    if found["section"]:
        return f"{title}/section-{found['section']}"
    if found["chapter"]:
        return f"{title}/chapter-{found['chapter']}"
    return f"{title}/part-{found['part']}" + (f"/subpart-{found['subpart']}" if found["subpart"] else "")


def _usc(found: re.Match[str]) -> str:
    return f"https://www.govinfo.gov/link/uscode/{found['title']}/{found['section']}"


def _public_law(found: re.Match[str]) -> str | None:
    congress, law = int(found["congress"]), int(found["law"])
    return f"https://www.govinfo.gov/link/plaw/{congress}/public/{law}" if congress >= FIRST_CONGRESS else None


def _statutes(found: re.Match[str]) -> str | None:
    volume = int(found["volume"])
    return f"https://www.govinfo.gov/link/statute/{volume}/{found['page']}" if volume >= FIRST_STATUTES else None


def _register(found: re.Match[str]) -> str | None:
    volume = int(found["volume"])
    return f"https://www.federalregister.gov/citation/{volume}-FR-{found['page']}" if volume >= FIRST_REGISTER else None


def _order(found: re.Match[str]) -> str | None:
    number = int(found["number"])
    return f"https://www.federalregister.gov/executive-order/{number}" if number >= FIRST_ORDER else None


def _docket(found: re.Match[str]) -> str:
    return f"https://www.regulations.gov/docket/{found['id']}"


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str | None]], ...] = (
    (_CFR, _cfr),
    (_USC, _usc),
    (_PUBLIC_LAW, _public_law),
    (_STATUTES, _statutes),
    (_REGISTER, _register),
    (_ORDER, _order),
    (_DOCKET, _docket),
)
