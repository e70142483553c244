"""What courts write. Decisions by volume, reporter and page: "576 F.3d 1040"; the reporters are those of the Free Law
Project. Rules of courts: "Fed. R. Civ. P. 12(b)(6)", "Rule 8.5 of the Mississippi Rules of Professional Conduct".
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from typing import NamedTuple

from rori_spiders.content.citations import pinpoints
from rori_spiders.content.citations.expressions import spelled, spelled_from_capital, trigger, triggered
from rori_spiders.content.citations.model import Citation
from rori_spiders.content.citations.state_names import STATES

_ROMAN = (
    r"(?=[ivxlc]{1,7}\b|[IVXLC]{2,7}\b)[cC]?(?:[xX][cC]|[xX][lL]|[lL]?[xX]{0,3})(?:[iI][xX]|[iI][vV]|[vV]?[iI]{0,3})\b"
)
# "5 U.S. (1 Cranch) 137" names the reporter's first printing, "18 How. Prac. (1860) 482" its year.
_CASE = re.compile(
    r"(?P<volume>\d(?<![\w.$§-]\d)\d{0,3}(?:[A-C]\b|-\d{1,3})?)"
    r"\s{1,3}(?P<reporter>[A-Z][\w.'’&]{0,15}(?:,?\s[A-Z\d(\[&][\w.')\]’&]{0,15}|\s(?:d|th)\b){0,5}?)"
    r"(?P<inner>\s?\((?:\d{1,2}\s)?[A-Z][\w.&' -]{1,24}\)|\s\((?:1[6-9]|20)\d\d,?\))?"
    r",?\s{1,3}(?:(?P<at>at\s{1,3}(?:pp?\.\s)?(?=\d))|(?P<paragraph>¶{1,2}\s{0,3}|P\s?(?=\d)|par\.\s{1,3})"
    r"|[Pp](?:\.|age)\s{1,3})?"
    r"(?![23][dD]\b|[4-9]th\b)"
    r"(?P<page>[DS]?\d{1,6}(?:,\d{3}\b(?!\s[A-Z]))?(?:-[A-Z]{1,2}\b|[A-Za-z]\b|[\[(][AU][\])])?"
    rf"|{_ROMAN})"
    r"(?![\w$%/-]|[.,:]\d(?!\d{2,3}\s[A-Z]))"
)
# Services count paragraphs, mostly without a volume: "Fed. Sec. L. Rep. (CCH) ¶ 77,526".
_PARAGRAPH = re.compile(
    r"(?P<reporter>[A-Z](?<![\w.].)[\w.'&]{0,12}(?:\s[A-Z&(\[][\w.')\]&]{0,12}){1,5}),?\s{1,3}"
    r"(?:¶{1,2}\s{0,2}|P\s?(?=\d)|par\.\s)(?P<page>\d{1,3},\d{3}|\d{4,6})[A-Z]?\b"
)
_NAMES_PARAGRAPH = trigger(r"¶\s{0,2}\d|\sP\s?\d|\spar\.\s\d")
# Databases count by year: "2018 WL 1234567", "2009 U.S. Dist. LEXIS 4567".
_DATABASE = triggered(
    " WL |LEXIS",
    r"(?<![\w.$-])(?P<volume>(?:19|20)\d\d)\s{1,3}(?P<reporter>WL"
    r"|(?:[A-Z][\w.]{0,7}\s){1,4}LEXIS)\s{1,3}(?P<page>\d{1,8})\b",
)
# Numbers of courts, not of a publisher: "2012-Ohio-4907", "2010-NMSC-012", "T.C. Memo. 2019-233".
_BY_COURT = triggered(
    r"-\s?(?:Ohio|NMSC|NMCA)",
    r"(?P<year>(?:19|20)\d\d(?<![\w./=-]\d{4}))\s?-\s?(?P<court>Ohio|NMSC|NMCA"
    r"|NMCERT)\s?-\s?(?P<number>\d{1,5})\b(?![-/]|\.\w)",
)
_TAX_COURT = triggered(
    r"T\.?\s?C\.?\s(?:Memo|Summ)",
    r"T(?<=\bT)\.?\s?C\.?\s(?P<kind>Memo|Summ(?:\.|ary)\s(?:Op\.|Opinion))\.?,?\s(?:No\.\s)?(?P<number>(?:19"
    r"|20)\d\d-\d{1,3})\b",
)
# Courts that number their decisions of a year: "2014 IL App (5th) 120583-U", "2022 ME 123", "2016 CO 47M".
_NEUTRAL = triggered(
    r"(?:19|20)\d\d\s(?:IL|MT|ME|CO|OK|WY|UT|ND|SD|VT|WI|AR|PA|OR|VI|NH|KY|ID|NV|OH|DNH|COA)(?:\s|COA)",
    r"(?P<volume>(?:19|20)\d\d(?<![\w.$-]\d{4}))\s(?P<reporter>(?:IL|MT|ME|CO|OK|WY|UT|ND|SD|VT|WI|AR|PA|OR|VI|NH"
    r"|KY|ID|NV|OH|DNH)"
    r"(?:\s(?:App|CIV\sAPP|CR|CRIM\sAPP|Super|Supreme|JUD\sETH|AG|COA)\b(?:\s\((?:1st|2d|3d|4th|5th)\))?|\sS\b"
    r"|COA)?|COA)"
    r"\s(?P<page>\d{1,7}(?:-[A-Z]{1,2}|[A-Z]{1,2}|\s?[PU])?)(?![\w-]|[.,:]\d)",
)
#: What may stand behind a neutral citation: "in 2016 CO 47 tons" is none.
_AFTER_NEUTRAL = re.compile(r"\s{0,3}(?:$|[,;.)\]¶(]|[*_]{1,2}[,;.)]|\n)")
_BEFORE_NEUTRAL = re.compile(
    r"(?:[,;(\[*_|\n]\s{0,3}|\b(?:See|see|In|in|and|also|of|by|Cf\.|cf\.|e\.g\.|citing|quoting|v\.|decision)\s)$"
)
# Names that are also a month, or another kind of citation.
_NO_REPORTER = re.compile(
    r"(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.|(?:[\w.]+\s)?(?:Stat|Rd)\.|No\.|F\.\s?R\."
    r"|C\.\s?F\.\s?R\.|U\.\s?S\.\s?C\."
)
# Names that are also an address: "12 Ohio St. 34".
_LIKE_ADDRESS = re.compile(r"(?:[\w.]+\s)?(?:Ave|St|Fed)\.?")
_SERIES = re.compile(r"[23]d\b|[4-9]th\b")
# A bare word ("Root", "Day", "Ohio") is a reporter where it stands as one: "Doe v. Roe, 5 Day 12 (1811)".
_PARTIES = re.compile(r"(?:\sv\.?\s|\bvs\.\s|\b[Ii]n\s[Rr]e\s|\b[Ee]x\s[Pp]arte\s|\b[Mm]atter\sof\s)[^.;\n]{2,70},\s$")
_COURT_AND_YEAR = re.compile(
    r"(?:,\s\d{1,4}(?:[-–]\d{1,4})?(?:\sn\.\d{1,2})?){0,3}(?:,\s¶{1,2}\s?\d"
    r"|\s\((?:[A-Z][\w.]{0,12}\s){0,4}(?:1[6-9]|20)\d\d\))"
)
#: The laws of a session and the registers of the states, of which reporters-db knows volume and page.
_PAGED_LAWS = frozenset({"leg_session", "admin_register"})


class _Reporters(NamedTuple):
    """``known``: each spelling, without blanks, and without points too, and the reporter's abbreviation.

    ``paragraphs``: services that count paragraphs. ``laws``: those of `_PAGED_LAWS`.
    """

    known: dict[str, str]
    paragraphs: dict[str, str]
    laws: frozenset[str]


@cache
def _reporters() -> _Reporters:
    """The reporters and their spellings; one that several reporters share stands for itself."""
    from reporters_db import EDITIONS, LAWS, REPORTERS, VARIATIONS_ONLY

    names = {name: name for name in EDITIONS}
    for spelling, shared in VARIATIONS_ONLY.items():
        names.setdefault(spelling, shared[0] if len(shared) == 1 else spelling)
    names = {spelling: name for spelling, name in names.items() if not _NO_REPORTER.fullmatch(spelling)}
    laws = {name for name, all_ in LAWS.items() if any(law["cite_type"] in _PAGED_LAWS for law in all_)}
    names = {name: name for name in laws} | names
    known = {"".join(spelling.split()): name for spelling, name in names.items()}
    # Without points, as the courts of New York, Michigan, Oregon and Illinois write: "461 Mich App 123".
    pointless: dict[str, set[str]] = {}
    for spelling, name in names.items():
        pointless.setdefault(_folded(spelling), set()).add(name)
    for folded, meant in pointless.items():
        if len(meant) == 1 and folded not in known:
            known[folded] = next(iter(meant))
    paragraphs = {
        spelling
        for editions in REPORTERS.values()
        for one in editions
        for edition, data in one["editions"].items()
        if any("paragraph" in shape or "cch" in shape for shape in data.get("regexes", ()))
        for spelling in [edition, *(variation for variation, of in one["variations"].items() if of == edition)]
    }
    return _Reporters(known, {_folded(one): names[one] for one in paragraphs}, frozenset(laws))


def _folded(spelling: str) -> str:
    return re.sub(r"[\s.,’']+", "", spelling).replace("[", "(").replace("]", ")")


def find(text: str) -> Iterator[Citation]:
    """Each decision that a reporter printed or a database counts; spellings of one reporter share its abbreviation."""
    full: dict[str, str] = {}
    for match, reporter in _printed(text):
        book, page = f"{match['volume']} {reporter}", match["page"]
        if match["at"]:  # "576 F.3d at 1042" is a page of the decision that was cited before
            canonical = full.get(book, f"{book} at {page}")
        else:
            canonical = full[book] = f"{book} {page}"
        yield Citation(match.start(), match.end(), "other", canonical)
    if _NAMES_PARAGRAPH.is_in(text):
        yield from _of_services(text)
    for match in _DATABASE.finditer(text):
        canonical = f"{match['volume']} {' '.join(match['reporter'].split())} {match['page']}"
        yield Citation(match.start(), match.end(), "other", canonical)
    for match in _BY_COURT.finditer(text):
        yield Citation(match.start(), match.end(), "other", "-".join(match.groups()))
    for match in _NEUTRAL.finditer(text):
        before = text[max(0, match.start() - 12) : match.start()]
        if _AFTER_NEUTRAL.match(text, match.end()) and (not before.strip() or _BEFORE_NEUTRAL.search(before)):
            yield Citation(match.start(), match.end(), "other", " ".join(match[0].split()))
    for match in _TAX_COURT.finditer(text):
        kind = "Memo." if match["kind"] == "Memo" else "Summ. Op."
        yield Citation(match.start(), match.end(), "other", f"T.C. {kind} {match['number']}")


def _of_services(text: str) -> Iterator[Citation]:
    """Paragraphs of services. Their name begins at one of the words: "See Bankr. L. Rep. ¶ 67,488"."""
    for match in _PARAGRAPH.finditer(text):
        for word in re.finditer(r"\S+", match["reporter"]):
            if name := _reporters().paragraphs.get(_folded(match["reporter"][word.start() :])):
                yield Citation(match.start() + word.start(), match.end(), "other", f"{name} ¶ {match['page']}")
                break


def _printed(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each decision with its reporter's abbreviation. What is none of them may hold the volume of the next."""
    at = 0
    while match := _CASE.search(text, at):
        reporter = _reporter_of(text, match)
        at = match.end() if reporter else match.end("volume")
        if reporter:
            yield match, reporter


def _reporter_of(text: str, match: re.Match[str]) -> str | None:
    """The reporter's abbreviation; None where the words are no reporter's, or may be other words and stand alone."""
    reporters, page = _reporters(), match["page"]
    spelling = "".join(match["reporter"].split())
    whole = spelling + "".join((match["inner"] or "").split())  # "Am. B.R. (N.S.)" is another than "Am. B.R."
    spelling = whole if whole in reporters.known else spelling
    name = reporters.known.get(spelling)
    is_pointless = name is None
    if is_pointless and not (name := reporters.known.get(_folded(spelling))):
        return None
    is_law = name in reporters.laws
    if ("," in page or "-" in match["volume"]) and not (match["paragraph"] or is_law):
        return None
    is_word = _LIKE_ADDRESS.fullmatch(match["reporter"]) is not None
    if is_pointless or "." not in spelling:
        is_word = is_word or not (is_law or _SERIES.search(spelling) or " " in match["reporter"])
    if is_word and not match["paragraph"] and page[-1] not in "])" and not _is_decision(text, match):
        return None
    return name


def _is_decision(text: str, match: re.Match[str]) -> bool:
    """Whether the names of parties stand before the citation, or a court and year behind it."""
    before = text[max(0, match.start() - 90) : match.start()]
    return _COURT_AND_YEAR.match(text, match.end()) is not None or _PARTIES.search(before) is not None


# Rules of courts. Their subject is abbreviated as in the Bluebook's table BT1, which is also the canonical form.

_SUBJECTS = {
    "Civil Procedure": "Civ. P.", "Criminal Procedure": "Crim. P.", "Appellate Procedure": "App. P.",
    "Bankruptcy Procedure": "Bankr. P.", "Evidence": "Evid.", "Professional Conduct": "Prof'l Conduct",
    "Professional Responsibility": "Prof'l Resp.", "Judicial Conduct": "Jud. Conduct", "Juvenile Procedure": "Juv. P.",
    "Probate Procedure": "Prob. P.", "Court": "Ct.", "the Supreme Court": "Sup. Ct.", "Judicial Administration":
    "Jud. Admin.", "General Practice": "Gen. Prac.",
}  # fmt: skip
_JURISDICTIONS = {
    "Federal": "Fed.", "Fed.": "Fed.", "United States": "U.S.", "U.S.": "U.S.", "Model": "Model", "ABA Model": "Model",
} | {spelling: state.abbreviation for state in STATES for spelling in (state.name, state.abbreviation)}  # fmt: skip
_JURISDICTION = re.compile(rf"(?<![\w.])(?P<name>{spelled(_JURISDICTIONS)})\s{{0,3}}$")
#: Rules of somebody who is not known: "Local Rules of Court", "Navajo Rules of Evidence".
_OTHER_OWNER = re.compile(r"(?<![\w.])(?<![.:;]\s)(?!The\s)[A-Z][\w.]{0,20}\s{1,3}$")
_NAMED_RULES = triggered(
    r"Rules?\s{1,3}of\s", rf"R(?<=\bR)ules?\s{{1,3}}of\s{{1,3}}(?P<subject>{spelled(_SUBJECTS)})\b"
)
_ABBREVIATED_RULES = triggered(
    r"R\.\s?(?:Civ|Crim|App|Bankr|Juv|Prob|Evid|Prof|Jud|Gen|Ct)",
    r"R(?<![A-Za-z]R)\.\s?(?P<subject>(?:Civ|Crim|App|Bankr|Juv|Prob)\.\s?P(?:roc)?|Evid|Prof(?:['’]?l\.?|\.)\s?Conduct"
    r"|Jud\.\s?Admin|Gen\.\s?Prac|Ct)(?:\.|(?<=t)\b)",
)
_RULE = re.compile(r"\d{1,4}[A-Za-z]?(?:[.:-]\d{1,4}[a-z]?){0,2}(?!\w|[.:-]\d)")
_RULES_BEFORE = re.compile(r"\b[Rr]ules?\s{1,3}(?=\d)")
_TO_NAME = re.compile(r"(?:\s{1,3}of\s{1,3}(?:the\s{1,3})?|,\s{1,3}(?:the\s{1,3})?)")
_TO_NUMBER = re.compile(r"(?:\s{1,3}\([A-Z.]{2,8}\))?(?:,?\s{1,3}[Rr]ules?\s{1,3}|\s{1,3}§?\s?)(?=\d)")
#: Characters before the name of rules in which their numbers may stand.
_MOST_RULES = 120
#: The initials of rules that no other thing has, and the rules.
_RULES_BY_INITIALS = {
    "FRCP": "Fed. R. Civ. P.", "F.R.C.P.": "Fed. R. Civ. P.", "FRE": "Fed. R. Evid.", "F.R.E.": "Fed. R. Evid.",
    "FRAP": "Fed. R. App. P.", "F.R.A.P.": "Fed. R. App. P.", "FRBP": "Fed. R. Bankr. P.",
    "C.R.C.P.": "Colo. R. Civ. P.",
    "Pa.R.C.P.": "Pa. R. Civ. P.", "Pa.R.A.P.": "Pa. R. App. P.", "Pa.R.E.": "Pa. R. Evid.", "Pa.R.Crim.P.":
    "Pa. R. Crim. P.", "N.D.R.Civ.P.": "N.D. R. Civ. P.", "N.D.R.Crim.P.": "N.D. R. Crim. P.", "N.D.R.App.P.":
    "N.D. R. App. P.", "N.D.R.Ev.": "N.D. R. Evid.", "NRCP": "Nev. R. Civ. P.", "NRAP": "Nev. R. App. P.",
    "N.R.C.P.": "Nev. R. Civ. P.", "I.R.C.P.": "Idaho R. Civ. P.", "V.R.C.P.": "Vt. R. Civ. P.",
    "M.R.Civ.P.": "Me. R. Civ. P.",
}  # fmt: skip
_INITIALS_OF_RULES = triggered(
    rf"(?:^|[^0-9A-Za-z_.])(?:{spelled(_RULES_BY_INITIALS)}),?\s{{0,3}}(?:[Rr]ules?\s{{1,3}})?(?:No\.\s)?\d",
    rf"(?P<initials>{spelled_from_capital(_RULES_BY_INITIALS)})"
    r",?\s{0,3}(?:[Rr]ules?\s{1,3})?(?:No\.\s)?(?=\d)",
)


def find_rules(text: str, context: Mapping[str, str] | None = None) -> Iterator[Citation]:
    """Each rule of a court, or of conduct before courts. ``state`` in *context* is whose rules are meant, where no
    other is named.
    """
    home = next((one.abbreviation for one in STATES if one.postal == (context or {}).get("state")), "")
    for match in chain(_NAMED_RULES.finditer(text), _ABBREVIATED_RULES.finditer(text)):
        window = text[max(0, match.start() - 40) : match.start()]
        named = _JURISDICTION.search(window)
        is_word = match[0].startswith("Rule")
        if named is None and (not is_word or _OTHER_OWNER.search(window)):
            continue
        jurisdiction = _JURISDICTIONS[" ".join(named["name"].split())] if named else home
        subject = _subject(match["subject"])
        start = match.start() - len(window) + named.start() if named else match.start()
        name = f"{jurisdiction} R. {subject}".strip()
        if number := _TO_NUMBER.match(text, match.end()):
            yield from _rules(start, pinpoints.read_list(text, number.end(), _RULE), name)
        else:
            yield from _rules_before(text, start, match.end(), name)
    for match in _INITIALS_OF_RULES.finditer(text):
        items = pinpoints.read_list(text, match.end(), _RULE)
        yield from _rules(match.start(), items, _RULES_BY_INITIALS[match["initials"]])


def _subject(printed: str) -> str:
    """A subject as table BT1 abbreviates it: "Civil Procedure" and "Civ.P" are "Civ. P."."""
    words = " ".join(printed.replace("’", "'").split())
    if words in _SUBJECTS:
        return _SUBJECTS[words]
    first = re.split(r"\W", words)[0]
    return next(subject for subject in _SUBJECTS.values() if subject.startswith(first))


def _rules_before(text: str, start: int, end: int, name: str) -> Iterator[Citation]:
    """The rules before their name, which is text[start:end]: "Rules 12 and 56 of the Federal Rules of ..."."""
    first = max(0, start - _MOST_RULES)
    for head in reversed(list(_RULES_BEFORE.finditer(text, first, start))):
        items = pinpoints.read_list(text, head.end(), _RULE)
        if items and items[-1].end < start and _TO_NAME.fullmatch(text, items[-1].end, start):
            yield from _rules(head.start(), items, name, end)
            return


def _rules(start: int, items: list[pinpoints.Item], name: str, end: int | None = None) -> Iterator[Citation]:
    for index, item in enumerate(items):
        stop = end if end is not None and index == len(items) - 1 else item.end
        yield Citation(start if index == 0 else item.start, stop, "other", f"{name} {item.pinned}")
