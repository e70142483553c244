"""The two codes by name: "12 CFR 1024.2(b)", "15 U.S.C. §§ 1681b and 1681m", "42 U.S.C. 3601 et seq."; public laws."""

import re
from collections.abc import Iterator

from rori_spiders.content.citations import pinpoints
from rori_spiders.content.citations.expressions import trigger, triggered
from rori_spiders.content.citations.model import Citation

# Scanned pages have "l" for the first "1".
# The letters are those of the Treasury ("1.36B-2"), the SEC ("240.15Ga-2"), NCUA ("708a.101"), the FAR ("52.204-21").
CFR_SECTION = re.compile(
    r"(?:\d{1,4}[a-z]?|[lI]\d{2,3}|(?P<chapter>\d{2,3}-\d{1,3}))\.\d{1,4}(?:[A-Z]?[a-z]{1,2}|[A-Z]{1,2})?(?:(?<=[a-z])\d{1,2}(?=-))?"
    r"(?:(?:-|(?<=[A-Za-z])–|(?<=\d\d)–(?=\d(?!\d))|(?<=\.0)–(?=\d))(?:\d{1,4}[A-Za-z]{0,2}|[A-Z]{1,2}|[a-z])(?!\.?\d|\w))*(?(chapter)(?:-\d{1,4}\.\d{1,3})?)(?:(?![\w.]?\d|[A-Za-z])|(?<=\d)(?=[A-Z][a-z]{3}))"
)
CFR_PART = re.compile(r"\d{1,4}(?![\d]|\.\d)")
# A dash after a bare number makes a range ("5101-5116"), after a letter it belongs to the section ("1681s-2"), and so
# it does where no range could be meant ("288–1").
USC_SECTION = re.compile(
    r"(?P<number>\d{1,5})(?:(?!et\b)(?:[a-z]{1,2}|(?P<letter>[a-z])(?P=letter){1,4})(?:[-–](?!(?P=number)[a-z])\d{1,3}[a-z]{0,2})?)?"
    r"[A-Z]{0,2}(?:(?:-|(?<=\d\d)–)\d(?!\d))?(?:(?=et\b)|(?!\w))"
)
STATUTE_SECTION = re.compile(r"\d{1,5}[A-Z]{0,2}(?![\w])")

_SIGN = r"(?:§{1,2}|[Ss]ections?\b|[Ss]ecs?\.)?\s{0,3}"
_CFR = re.compile(
    r"(?P<title>[\dlI](?<![\w.–-].)(?:(?<=\d)\d?|(?<=[lI])[0O\d]))(?:\s{0,3}C\.?\s?F\.?\s?R\.?"
    r"|,?\s{1,3}(?:of\s{1,3}the\s{1,3})?Code\s{1,3}of\s{1,3}Federal\s{1,3}Regulations),?\s{0,3}(?P<parts>[Pp]arts?\b|[Pp]ts?\.)?\s{0,3}"
    + _SIGN
)
_NAMES_CFR = trigger(r"C\.?\s?F\.?\s?R|Code\s{1,3}of\s{1,3}Federal")
# "subpart E of 12 CFR part 1026", "Supplement I to 12 CFR part 1005": what stands before the title.
INNER = (
    r"(?P<inner>(?:[Ee]xhibit\s{1,3}(?P<exhibit>[A-Z]{1,2}(?:-\d{1,2})?)\s{1,3}(?:of|to|in)\s{1,3}(?=[Ss]ubpart))?[Ss]ubpart\s{1,3}(?P<subpart>[A-Z]{1,2})|[Aa]ppendix\s{1,3}(?P<appendix>[A-Z]{1,2}(?:-\d{1,2})?)"
    r"|[Ss]upplement\s{1,3}(?P<supplement>I))\s{1,3}(?:of|to|in)\s{1,3}"
)
_INNER_BEFORE = re.compile(rf"\b{INNER}$")
_TITLE_BEFORE = re.compile(r"\b[Tt]itle\s{1,3}\Z")
# "part 200 of title 24, Code of Federal Regulations", "supplement I to part 1003 of title 12".
_CFR_BEHIND = triggered(
    r"of\s{1,3}(?:[Tt]itle\s{1,3})?\d",
    rf"\b(?:{INNER})?(?:[Pp]art\s{{1,3}}(?P<part>\d{{1,4}})|(?:[Ss]ection|§)\s{{1,3}}(?P<section>\d{{1,4}}\.\d{{1,4}}[a-z]?)"
    r"(?P<pins>(?:\([A-Za-z0-9]{1,4}\)){0,6}))\s{1,3}of\s{1,3}(?:[Tt]itle\s{1,3})?(?P<title>\d{1,2})"
    r"(?:,?\s{1,3}(?:of\s{1,3}the\s{1,3})?Code\s{1,3}of\s{1,3}Federal\s{1,3}Regulations|,?\s{1,3}C\.?\s?F\.?\s?R\b\.?)",
)
_NAMES_USC = trigger(r"U\.?\s?S\.?\s?C|United\s{1,3}States\s{1,3}Code|usca?(?:$|[^0-9A-Za-z_])")
_CFR_CHAPTER = triggered(
    r"R\.?,?\s+[Cc]h(?:apter|\.)\s+[IVXL]",
    r"(?P<title>\d(?<![\d.]\d)\d?)\s+C\.?F\.?R\.?,?\s+[Cc]h(?:apter|\.)\s+(?P<chapter>[IVXL]{1,7})\b",
)
# "38 U.S.C. chapter 37", "chapter 37 of title 38, United States Code".
_USC_CHAPTER = triggered(
    r"[Cc]h(?:apters?|\.)\s{1,3}\d",
    r"(?P<title>\d(?<![\d.–-]\d)\d?)\s{1,3}U\.?\s?S\.?\s?C\.?,?\s{1,3}[Cc]h(?:apter|\.)\s{1,3}(?P<chapter>\d{1,3}[A-Z]?)\b",
)
_USC_CHAPTER_BEHIND = triggered(
    r"[Cc]h(?:apters?|\.)\s{1,3}\d",
    r"\b[Cc]h(?:apter|\.)\s{1,3}(?P<chapter>\d{1,3}[A-Z]?)\s{1,3}of\s{1,3}(?:[Tt]itle\s{1,3})?(?P<title>\d{1,2}),?\s{1,3}(?:of\s{1,3}the\s{1,3})?"
    r"(?:U\.?\s?S\.?\s?C\b\.?|United\s{1,3}States\s{1,3}Code)",
)
_CODE = r"(?:U\.?\s?S\.?\s?C(?:ode\b|\.?(?:\s?[AS]\b\.?)?)|United\s{1,3}States\s{1,3}Code|usca?\b)"
_USC = triggered(
    r"\d,?\s{0,3}(?:U\.?\s?S\.?\s?C|United\s{1,3}States\s{1,3}Code|usc)",
    rf"(?P<title>\d(?<![\d.–-]\d)\d?),?\s{{0,3}}{_CODE}(?:\sAnn(?:otated\b|\.))?(?P<appendix>,?\s{{0,3}}[Aa]pp(?:endix\b|\.)(?:\s\d(?=,?\s{{0,3}}§))?)?"
    r",?\s{0,3}(?:[Cc]ode\s{1,3})?" + _SIGN,
)
# The code before its title: "U.S. Code, Title 26, Section 32(b)", "Code of Federal Regulations, Title 7, § 273.9".
_TITLE_BEHIND = (
    r",?\s{1,3}[Tt]itle\s{1,3}(?P<title>\d{1,2})(?:,?\s{1,3}(?:[Cc]hapter|[Pp]art|[Ss]ubpart)\s{1,3}\w{1,5})?,?\s{1,3}"
    r"(?:§{1,2}|[Ss]ections?\b|[Ss]ubsections?\b|[Ss]ecs?\.)\s{0,3}(?=\d)"
)
_USC_TITLE_BEHIND = triggered(r",?\s{1,3}[Tt]itle\s{1,3}\d", _CODE + _TITLE_BEHIND)
_CFR_TITLE_BEHIND = triggered(
    r",?\s{1,3}[Tt]itle\s{1,3}\d",
    r"C(?<=\bC)(?:\.?\s?F\.?\s?R\.?|ode\s{1,3}of\s{1,3}Federal\s{1,3}Regulations(?:\s\(CFR\))?)" + _TITLE_BEHIND,
)
# Regulations of the Treasury are those of title 26.
_TREASURY = triggered(
    r"Treas(?:ury|\.)\s{1,3}Reg",
    r"T(?<=\bT)reas(?:ury|\.)\s{1,3}Reg(?:ulations?\b|s?\.),?\s{0,3}(?:§{1,2}|[Ss]ec(?:tions?\b|s?\.))\s{0,3}(?=\d)",
)
# "section 101 of title 49, United States Code", "Section 14123(a)(2) of 49 U.S.C.".
_SECTION_BEHIND = r"\d{1,5}[a-z]{0,3}(?:[-–]\d{1,2}[a-z]?)?[A-Z]?(?:\([A-Za-z0-9]{1,4}\)){0,6}"
_USC_BEHIND = triggered(
    r"(?:of|,)\s{1,3}(?:[Tt]itle\s{1,3})?\d{1,2},?\s{1,3}(?:of\s{1,3}the\s{1,3})?(?:U\.?\s?S\.?\s?C|United\s{1,3}States|usc)",
    rf"(?:§{{1,2}}|\b[Ss]ec(?:tions?|s?\.))\s{{0,3}}(?P<sections>{_SECTION_BEHIND}(?:(?:,\s{{1,3}}(?:and\s{{1,3}}|or\s{{1,3}})?|\s{{1,3}}(?:and|or|through|to)\s{{1,3}}){_SECTION_BEHIND}){{0,12}})"
    rf"(?:,?\s{{1,3}}of\s{{1,3}}|,\s{{1,3}})(?:[Tt]itle\s{{1,3}})?(?P<title>\d{{1,2}}),?\s{{1,3}}(?:of\s{{1,3}}the\s{{1,3}})?(?>{_CODE})(?!,?\s{{0,3}}(?:§|[Ss]ec|\d))",
)
# The Internal Revenue Code is title 26. "IRC R301" is of the International Residential Code.
_IRC = triggered(
    r"Revenue\s{1,3}Code|(?:^|[^0-9A-Za-z_])I\.?R\.?C(?:$|[^0-9A-Za-z_])",
    r"\b(?:I\.?R\.?C\.?|Internal\s{1,3}Revenue\s{1,3}Code(?:\s{1,3}of\s{1,3}19(?:39|54|86))?)(?:\s{1,3}\(IRC\))?,?\s{0,3}(?:§{1,2}|[Ss]ec(?:tions?\b|s?\.))?\s{0,3}(?=\d)",
)
_IRC_BEHIND = triggered(
    r"\s{1,3}of\s{1,3}the\s{1,3}I(?:nternal\s{1,3}Revenue\s{1,3}Code|RC)",
    r"(?:§{1,2}|\b[Ss]ec(?:tions?\b|s?\.))\s{0,3}(?P<sections>\d{1,4}[A-Z]{0,2}(?:\([A-Za-z0-9]{1,4}\)){0,6})\s{1,3}of\s{1,3}the\s{1,3}"
    r"(?:Internal\s{1,3}Revenue\s{1,3}Code(?:\s{1,3}of\s{1,3}19(?:39|54|86))?|IRC)\b",
)
_ET_SEQ = re.compile(r",?\s{0,2}[*_]?et\.?\s+seq\b\.?[*_]?")
_WITHIN_PART = re.compile(
    r",?\s+(?:\(?)(?:[Ss]ubparts?\s+(?P<subpart>[A-Z]{1,2})\b(?:,?\s+[Ee]xhibit\s+(?P<exhibit>[A-Z]{1,2}(?:-\d{1,2})?)\b)?"
    r"|[Aa]pp(?:endix|endices|\.)\s+(?P<appendix>[A-Z]{1,2}(?:-\d{1,2}(?:\([A-Z]\))?)?)(?!\w)|"
    r"[Ss]upp(?:lement|\.)\s+(?P<supplement>I)\b)"
)
_SEVERAL = re.compile(r"(?:[Ss]ubparts|[Aa]ppendices)\s{1,3}[A-Z]{1,2}$")
_MORE_INNER = re.compile(
    r"(?:,\s{1,3}(?:and\s{1,3}|or\s{1,3})?|\s{1,3}(?:and|or|through|to|&)\s{1,3}|\s?[–-]\s?)(?P<letter>[A-Z]{1,2})(?![\w.])"
)
_TRIGGER_OF_LAW = r"P(?:ub(?:lic|\.)?\s*L(?:aw|\.)?|\.\s?L\.)\s*(?:No\.\s*|Number\s+)?\d{2,3}[-–]"
_PUBLIC_LAW = triggered(
    _TRIGGER_OF_LAW,
    r"P(?<=\bP)(?:ub(?:lic|\.)?\s*L(?:aw|\.)?|"
    r"\.\s?L\.)\s*(?:No\.\s*|Number\s+)?(?P<law>\d{2,3}[-–](?!(?:19|20)\d\d\b)\d{1,4})(?P<section>,?\s+(?:(?:[Tt]itle|"
    r"div\.)\s+[IVXLA-Z]{1,6},\s+)?(?:§{1,2}|[Ss]ec(?:tions?|s?\.))\s*)?",
)
_SECTION_OF_LAW = triggered(
    _TRIGGER_OF_LAW,
    r"\b[Ss]ec(?:tion|\.)\s{1,3}(?P<section>\d{1,5}[A-Z]{0,2}(?:\([A-Za-z0-9]{1,4}\)){0,5})\s+of\s+(?:[Tt]itle\s+[IVXL]{1,6}\s+of\s+)?"
    r"(?:Pub(?:lic|\.)?\s*L(?:aw|\.)?|P\.\s?L\.)\s*(?:No\.\s*)?(?P<law>\d{2,3}[-–]\d{1,4})(?!\d)",
)


def find(text: str) -> Iterator[Citation]:
    """Citations that name their code. Lists are cut into their items; the first carries the head."""
    if _NAMES_CFR.is_in(text):
        yield from _of_regulations(text)
    for match in _TREASURY.finditer(text):
        yield from _cfr_sections(text, match.start(), match.end(), 26)
    if _NAMES_USC.is_in(text):
        yield from _of_code(text)
    for match in _IRC_BEHIND.finditer(text):
        yield Citation(match.start(), match.end(), "usc", f"26 U.S.C. § {match['sections']}")
    for match in _IRC.finditer(text):
        yield from _usc(text, match, 26)
    for match in _SECTION_OF_LAW.finditer(text):
        law = match["law"].replace("–", "-")
        yield Citation(match.start(), match.end(), "publ", f"Pub. L. {law}, § {match['section']}")
    for match in _PUBLIC_LAW.finditer(text):
        yield from _public_law(text, match)


def _of_regulations(text: str) -> Iterator[Citation]:
    for match in _CFR_BEHIND.finditer(text):
        number = f"Part {match['part']}" if match["part"] else f"§ {match['section']}{match['pins']}"
        canonical = f"{match['title']} C.F.R. {number}" + inner_of(match)
        yield Citation(match.start(), match.end(), "cfr", canonical)
    for match in _CFR.finditer(text):
        named = _TITLE_BEFORE.search(text, max(0, match.start() - 8), match.start())
        yield from _cfr(text, match, (named or match).start())
    for match in _CFR_TITLE_BEHIND.finditer(text):
        yield from _cfr(text, match, match.start())
    for match in _CFR_CHAPTER.finditer(text):
        yield Citation(match.start(), match.end(), "cfr", f"{match['title']} C.F.R. Chapter {match['chapter']}")


def _of_code(text: str) -> Iterator[Citation]:
    for match in _USC_BEHIND.finditer(text):
        yield from _behind(text, match)
    for chapters in (_USC_CHAPTER, _USC_CHAPTER_BEHIND):
        for match in chapters.finditer(text):
            yield Citation(match.start(), match.end(), "usc", f"{match['title']} U.S.C. Chapter {match['chapter']}")
    for match in _USC.finditer(text):
        yield from _usc(text, match, int(match["title"]), _appendix(match))
    for match in _USC_TITLE_BEHIND.finditer(text):
        yield from _usc(text, match, int(match["title"]))


def _appendix(match: re.Match[str]) -> str:
    """ "App. " or "App. 3 ": the appendix of a title, whose sections have numbers of their own."""
    number = re.search(r"\d", match["appendix"] or "")
    return f"App. {number[0]} " if number else "App. " if match["appendix"] else ""


def _behind(text: str, match: re.Match[str]) -> Iterator[Citation]:
    """Sections that stand before their title; the last carries its name."""
    items = pinpoints.read_list(text, match.start("sections"), USC_SECTION)
    items = [item for item in items if item.end <= match.end("sections")]
    for index, item in enumerate(items):
        start = match.start() if index == 0 else item.start
        end = match.end() if index == len(items) - 1 else item.end
        yield Citation(start, end, "usc", f"{match['title']} U.S.C. § {item.pinned}")


def _cfr(text: str, match: re.Match[str], start: int) -> Iterator[Citation]:
    title = int(pinpoints.mended(match["title"]))
    if not 1 <= title <= 50:
        return
    before = _INNER_BEFORE.search(text, max(0, start - 40), start)
    items = pinpoints.read_list(text, match.end(), CFR_SECTION)
    form = "{title} C.F.R. § {item}"
    if not items:
        items = pinpoints.read_list(text, match.end(), CFR_PART, pinned=False)
        form = "{title} C.F.R. Part {item}"
    for index, item in enumerate(items):
        canonical, end = form.format(title=title, item=item.pinned), item.end
        if "Part" in form and index == len(items) - 1:
            canonical, end = within_part(text, canonical, end)
        begin, inner_from = start if index == 0 else item.start, item.end
        if before and index == 0 and "Part" in form:
            begin, canonical = before.start(), canonical + inner_of(before)
        yield Citation(begin, end, "cfr", canonical)
        if end != inner_from:
            yield from _more_inner(text, end, canonical)


def _more_inner(text: str, at: int, first: str) -> Iterator[Citation]:
    """Of "12 CFR part 1026, subparts A and E" the rest: *first* is the part with the first of them and ends at *at*."""
    part, joint, inner = first.rpartition(" ")
    if not inner.isalpha() or not _SEVERAL.search(text, max(0, at - 14), at):
        return
    following = _MORE_INNER.match(text, at)
    while following is not None:
        yield Citation(*following.span("letter"), "cfr", part + joint + following["letter"])
        following = _MORE_INNER.match(text, following.end())


def _cfr_sections(text: str, start: int, at: int, title: int) -> Iterator[Citation]:
    for index, item in enumerate(pinpoints.read_list(text, at, CFR_SECTION)):
        yield Citation(start if index == 0 else item.start, item.end, "cfr", f"{title} C.F.R. § {item.pinned}")


def inner_of(match: re.Match[str]) -> str:
    """The part's subpart, appendix or supplement that *match* names by `INNER`, as canonical forms write it."""
    if match["subpart"]:
        exhibit = f", Exhibit {match['exhibit']}" if match["exhibit"] else ""
        return f", Subpart {match['subpart']}{exhibit}"
    if match["appendix"]:
        return f", Appendix {match['appendix']}"
    return ", Supplement I" if match["supplement"] else ""


def within_part(text: str, canonical: str, end: int) -> tuple[str, int]:
    """A part with the subpart and its exhibit, the appendix or the supplement that is named right behind it."""
    inner = _WITHIN_PART.match(text, end)
    return (canonical + inner_of(inner), inner.end()) if inner else (canonical, end)


def _usc(text: str, match: re.Match[str], title: int, appendix: str = "") -> Iterator[Citation]:
    if not 1 <= title <= 54:
        return
    for index, item in enumerate(pinpoints.read_list(text, match.end(), USC_SECTION)):
        et_seq = _ET_SEQ.match(text, item.end)
        end = et_seq.end() if et_seq else item.end
        canonical = f"{title} U.S.C. {appendix}§ {item.pinned}" + (" et seq." if et_seq else "")
        yield Citation(match.start() if index == 0 else item.start, end, "usc", canonical)


def _public_law(text: str, match: re.Match[str]) -> Iterator[Citation]:
    law = "Pub. L. " + match["law"].replace("–", "-")
    items = pinpoints.read_list(text, match.end(), STATUTE_SECTION) if match["section"] else []
    if not items:
        yield Citation(match.start(), match.end("law"), "publ", law)
    for index, item in enumerate(items):
        yield Citation(match.start() if index == 0 else item.start, item.end, "publ", f"{law}, § {item.pinned}")
