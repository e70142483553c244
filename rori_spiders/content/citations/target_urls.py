"""The publisher's URL of a cited provision, derived from the citation alone, or None.

Only official sites, and only forms that they document or use themselves: eCFR's short addresses of sections and parts,
GPO's link service (www.govinfo.gov/link-docs), the Federal Register's addresses by citation and by order, dockets of
regulations.gov, and the sections of the states' codes and rules below. A paragraph leads to the page of its section, an
appendix or a comment to that of its part. Uniform acts have none: only the states enact them.
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
_RULE_BEFORE_CODE = re.compile(
    r"(?P<section>\d{1,2}[A-Z]{1,3}-[\d.]+\d)(?:\([^ ]*)?,? (?P<code>F\.A\.C\.|FAC|Fla\. Admin\. Code)"
)
_VIRGINIAN_RULE = re.compile(
    r"(?P<title>\d{1,2}) ?(?:VAC ?|Va\. Admin\. Code (?:§ )?)(?P<agency>\d+)-(?P<chapter>\d+)"
    r"-(?P<section>\d+(?:\.\d+)?)"
)
_OF_MAINE = re.compile(
    r"(?:(?P<number>\d{1,2}(?:-[A-C])?) (?:M\.R\.S\.(?:A\.)?|MRSA?)"
    r"|Me\. (?:Rev\. )?Stat\.(?: Ann\.)? tit\. (?P<title>\d{1,2}(?:-[A-C])?),)"
    r" § (?P<section>\d[\w-]*)"
)
_WISCONSIN_RULE = re.compile(r"Wis\. Admin\. Code § (?P<agency>[A-Z][A-Za-z-]*) (?P<section>\d+\.\d+)")
_CALIFORNIAN = re.compile(r"Cal\. (?P<subject>.+) Code")
_CODES: dict[str, tuple[str, ...]] = {
    "AK": ("AS", "A.S.", "Alaska Stat.", "Alaska Statutes"),
    "DC": ("D.C. Code", "D.C. Official Code"),
    "FAC": ("Fla. Admin. Code", "Florida Administrative Code", "F.A.C.", "FAC"),
    "IA": ("Iowa Code",),
    "COMAR": ("COMAR", "Md. Code Regs."),
    "MN R": ("Minn. R.", "Minn. Rules", "Minnesota Rules"),
    "MO": ("RSMo", "RSMo.", "Mo. Rev. Stat.", "Missouri Revised Statutes"),
    "NC": ("G.S.", "N.C.G.S.", "NCGS", "N.C. Gen. Stat.", "North Carolina General Statutes"),
    "NE": ("Neb. Rev. Stat.", "Nebraska Revised Statutes"),
    "NAC": ("NAC", "Nev. Admin. Code", "Nevada Administrative Code"),
    "OAC": ("Ohio Admin. Code", "Ohio Adm.Code", "Ohio Adm. Code", "Ohio Administrative Code"),
    "OAR": ("OAR", "Or. Admin. R.", "Oregon Administrative Rules"),
    "SD": ("SDCL", "S.D. Codified Laws", "South Dakota Codified Laws"),
    "VA": ("Va. Code", "Virginia Code", "Code of Virginia"),
    "WV": ("W. Va. Code", "W.Va. Code", "West Virginia Code"),
    "WI": ("Wis. Stat.", "Wis. Stats.", "Wisconsin Statutes"),
    "AZ": ("A.R.S.", "Ariz. Rev. Stat.", "Arizona Revised Statutes"),
    "FL": ("Fla. Stat.", "Florida Statutes"),
    "MI": ("MCL", "Mich. Comp. Laws", "Michigan Compiled Laws"),
    "MN": ("Minn. Stat.", "Minnesota Statutes"),
    "NV": ("NRS", "Nev. Rev. Stat.", "Nevada Revised Statutes"),
    "OH": ("O.R.C.", "ORC", "Ohio Rev. Code", "Ohio Revised Code"),
    "RCW": ("RCW", "Wash. Rev. Code", "Revised Code of Washington"),
    "TX": ("Tex. Tax Code", "Texas Tax Code"),
    "UT": ("Utah Code", "U.C.A.", "UCA"),
    "WAC": ("WAC", "Wash. Admin. Code", "Washington Administrative Code"),
}
_CODE_OF = {name: key for key, names in _CODES.items() for name in names}
_ANNOTATED = re.compile(r" Ann(?:\.|otated)(?: [rR]\.)?$|(?<=Admin\. Code) [rR]\.$")


def _state_law(found: re.Match[str]) -> str | None:
    name, section = _ANNOTATED.sub("", found["code"]), found["section"]
    if subject := _CALIFORNIAN.fullmatch(name):
        key = CALIFORNIA.get(subject["subject"])
        query = f"lawCode={key}&sectionNum={section}"
        return f"https://leginfo.legislature.ca.gov/faces/codes_displaySection.xhtml?{query}" if key else None
    return _of_code(name, section)


def _rule_before_code(found: re.Match[str]) -> str | None:
    return _of_code(found["code"], found["section"])


def _of_code(name: str, section: str) -> str | None:
    key = _CODE_OF.get(name, "")
    form, shape = _STATE_FORMS.get(key), _SECTION_SHAPES.get(key)
    return form(section) if form and (shape is None or shape.fullmatch(section)) else None


def _virginian_rule(found: re.Match[str]) -> str:
    path = "title{title}/agency{agency}/chapter{chapter}/section{section}".format_map(found.groupdict())
    return f"https://law.lis.virginia.gov/admincode/{path}/"


def _maine(found: re.Match[str]) -> str:
    title = found["number"] or found["title"]
    return f"https://legislature.maine.gov/statutes/{title}/title{title}sec{found['section']}.html"


def _wisconsin_rule(found: re.Match[str]) -> str:
    rule = f"{found['agency']}%20{found['section']}"
    return f"https://docs.legis.wisconsin.gov/document/administrativecode/{rule}"


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


def _nevada_rule(section: str) -> str:
    chapter, _, number = section.partition(".")
    return f"https://www.leg.state.nv.us/NAC/NAC-{chapter}.html#NAC{chapter}Sec{number}"


def _north_carolina(section: str) -> str:
    chapter = section.partition("-")[0]
    folder = "https://www.ncleg.gov/EnactedLegislation/Statutes/HTML/BySection"
    return f"{folder}/Chapter_{chapter}/GS_{section}.html"


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
    "AK": lambda section: f"https://www.akleg.gov/basis/statutes.asp#{section}",
    "AZ": _arizona,
    "COMAR": lambda section: f"https://regs.maryland.gov/us/md/exec/comar/{section}",
    "DC": lambda section: f"https://code.dccouncil.gov/us/dc/council/code/sections/{section}",
    "FAC": lambda section: f"https://www.flrules.org/gateway/ruleno.asp?id={section}",
    "IA": lambda section: f"https://www.legis.iowa.gov/docs/code/{section}.pdf",
    "MN R": lambda section: f"https://www.revisor.mn.gov/rules/{section}/",
    "MO": lambda section: f"https://revisor.mo.gov/main/OneSection.aspx?section={section}",
    "NAC": _nevada_rule,
    "NC": _north_carolina,
    "NE": lambda section: f"https://nebraskalegislature.gov/laws/statutes.php?statute={section}",
    "OAC": lambda section: f"https://codes.ohio.gov/ohio-administrative-code/rule-{section}",
    "OAR": lambda section: f"https://secure.sos.state.or.us/oard/view.action?ruleNumber={section}",
    "SD": lambda section: f"https://sdlegislature.gov/Statutes/{section}",
    "VA": lambda section: f"https://law.lis.virginia.gov/vacode/{section}/",
    "WI": lambda section: f"https://docs.legis.wisconsin.gov/document/statutes/{section}",
    "WV": lambda section: f"https://code.wvlegislature.gov/{section}/",
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

#: What a section must look like where a code's initials are another's too, or where a chapter could stand.
_SECTION_SHAPES: dict[str, re.Pattern[str]] = {
    key: re.compile(shape)
    for key, shape in {
        "AK": r"\d\d\.\d\d\.\d{3}",
        "COMAR": r"\d\d[A-Z]?\.\d\d\.\d\d(?:\.\d\d)?",
        "DC": r"\d{1,2}-\d{3,4}(?:\.\d\d[a-z]?)?",
        "FAC": r"\d{1,2}[A-Z]{0,3}-\d{1,3}\.\d{3,5}",
        "IA": r"\d{1,3}[A-Z]?\.\d{1,3}[A-Z]?",
        "MN R": r"\d{4}\.\d{4}",
        "MO": r"\d{1,3}\.\d{3,4}",
        "NAC": r"\d{1,3}[A-Z]?\.\d{3,5}",
        "NC": r"\d{1,3}[A-Z]?-\d{1,4}(?:\.\d{1,3}[A-Z]?)?[a-z]?",
        "NE": r"\d{1,2}-[\d,]{3,6}(?:\.\d\d)?",
        "OAC": r"\d{3,4}(?::\d{1,2})?-\d{1,2}-\d\d(?:\.\d{1,2})?",
        "OAR": r"\d{3}-\d{3}-\d{4}",
        "SD": r"\d{1,2}[A-Z]?-\d{1,3}[A-Z]?-\d{1,3}(?:\.\d{1,2})?",
        "VA": r"\d{1,2}(?:\.\d)?-\d{1,4}(?:\.\d{1,3}(?::\d{1,2})?)?",
        "WI": r"\d{2,3}\.\d{2,4}[a-z]{0,2}",
        "WV": r"\d{1,2}[A-Z]?-\d{1,3}[A-Z]?-\d{1,3}[a-z]?",
    }.items()
}

_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str | None]], ...] = (
    (_CFR, _cfr),
    (_USC, _usc),
    (_PUBLIC_LAW, _public_law),
    (_STATUTES, _statutes),
    (_REGISTER, _register),
    (_ORDER, _order),
    (_DOCKET, _docket),
    (_RULE_BEFORE_CODE, _rule_before_code),
    (_VIRGINIAN_RULE, _virginian_rule),
    (_OF_MAINE, _maine),
    (_WISCONSIN_RULE, _wisconsin_rule),
    (_STATE_LAW, _state_law),
)
