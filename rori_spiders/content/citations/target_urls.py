"""The publisher's URL of a cited provision, derived from the citation alone, or None.

Only official sites, and only forms that they document or use themselves: eCFR's short addresses of sections and parts,
GPO's link service (www.govinfo.gov/link-docs), the Federal Register's addresses by citation and by order, dockets of
regulations.gov, and the sections of eleven codes of states. A paragraph leads to the page of its section, an appendix
or a comment to that of its part. Uniform acts have none: only the states enact them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from rori_spiders.content.citations.state_names import CALIFORNIA

if TYPE_CHECKING:
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


# States' codes: the forms of addresses that the legislatures' sites use, each seen on a page that links to one.

_STATE_LAW = re.compile(
    r"(?:(?:19|20)\d\d )?(?P<code>[A-Z][^§]{1,80}?) (?:§ )?(?P<section>(?:\d[\w.:-]*\w|\d)[a-z]?)(?:\(|$)"
)
_CALIFORNIAN = re.compile(r"Cal\. (?P<subject>.+) Code")
_CODES: dict[str, tuple[str, ...]] = {
    "AZ": ("A.R.S.", "Ariz. Rev. Stat.", "Arizona Revised Statutes"),
    "FL": ("Fla. Stat.", "Florida Statutes"),
    "MI": ("MCL", "Mich. Comp. Laws", "Michigan Compiled Laws"),
    "MN": ("Minn. Stat.", "Minnesota Statutes"),
    "NV": ("NRS", "Nev. Rev. Stat.", "Nevada Revised Statutes"),
    "OH": ("O.R.C.", "Ohio Rev. Code", "Ohio Revised Code"),
    "RCW": ("RCW", "Wash. Rev. Code", "Revised Code of Washington"),
    "TX": ("Tex. Tax Code", "Texas Tax Code"),
    "UT": ("Utah Code", "U.C.A.", "UCA"),
    "WAC": ("WAC", "Wash. Admin. Code", "Washington Administrative Code"),
}
_CODE_OF = {name: key for key, names in _CODES.items() for name in names}
_ANNOTATED = re.compile(r" Ann(?:\.|otated)$")


def _state_law(found: re.Match[str]) -> str | None:
    name, section = _ANNOTATED.sub("", found["code"]), found["section"]
    if subject := _CALIFORNIAN.fullmatch(name):
        key = CALIFORNIA.get(subject["subject"])
        query = f"lawCode={key}&sectionNum={section}"
        return f"https://leginfo.legislature.ca.gov/faces/codes_displaySection.xhtml?{query}" if key else None
    form = _STATE_FORMS.get(_CODE_OF.get(name, ""))
    return form(section) if form else None


def _arizona(section: str) -> str | None:
    title, dash, number = section.partition("-")
    return f"https://www.azleg.gov/ars/{title}/{number:0>5}.htm" if dash and number.isdecimal() else None


def _florida(section: str) -> str | None:
    chapter, point, number = section.partition(".")
    if not (point and chapter.isdecimal() and number.isdecimal()):
        return None
    hundred = int(chapter) // 100
    path = f"{hundred:02}00-{hundred:02}99/{chapter:0>4}/Sections/{chapter:0>4}.{number}.html"
    return f"https://www.leg.state.fl.us/statutes/index.cfm?App_mode=Display_Statute&URL={path}"


def _nevada(section: str) -> str | None:
    chapter, point, number = section.partition(".")
    return f"https://www.leg.state.nv.us/NRS/NRS-{chapter}.html#NRS{chapter}Sec{number}" if point else None


def _texas_tax(section: str) -> str | None:
    chapter, point, _ = section.partition(".")
    return f"https://statutes.capitol.texas.gov/Docs/TX/htm/TX.{chapter}.htm#{section}" if point else None


def _utah(section: str) -> str | None:
    parts = section.split("-")
    if len(parts) != len(("title", "chapter", "section")):
        return None
    title, chapter, number = parts
    return f"https://le.utah.gov/xcode/Title{title}/Chapter{chapter}/{title}-{chapter}-S{number}.html"


_STATE_FORMS: dict[str, Callable[[str], str | None]] = {
    "AZ": _arizona,
    "FL": _florida,
    "MI": lambda section: f"https://www.legislature.mi.gov/Laws/MCL?objectName=mcl-{section.replace('.', '-')}",
    "MN": lambda section: f"https://www.revisor.mn.gov/statutes/cite/{section}",
    "NV": _nevada,
    "OH": lambda section: f"https://codes.ohio.gov/ohio-revised-code/section-{section}",
    "RCW": lambda section: f"https://app.leg.wa.gov/RCW/default.aspx?cite={section}",
    "TX": _texas_tax,
    "UT": _utah,
    "WAC": lambda section: f"https://app.leg.wa.gov/WAC/default.aspx?cite={section}",
}

_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str | None]], ...] = (
    (_CFR, _cfr),
    (_USC, _usc),
    (_PUBLIC_LAW, _public_law),
    (_STATUTES, _statutes),
    (_REGISTER, _register),
    (_ORDER, _order),
    (_DOCKET, _docket),
    (_STATE_LAW, _state_law),
)
