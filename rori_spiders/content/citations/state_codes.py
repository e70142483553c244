"""Codes of the states: "Cal. Civ. Code § 2923.5", "Minnesota Statutes 290.067", "RCW 61.24.030"; and uniform acts.

One grammar: the state, a subject, and what the code is called ("Tex. Prop. Code Ann."), or what it is called "of" the
state ("Code of Alabama 1975"), then the way to the section ("Title 40, Chapter 18") and its number. The state is
written out, abbreviated as in the Bluebook's table T1, or with its two capitals; codes that go by initials and
California's named codes, in a source of California, need none.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from rori_spiders.content.citations import pinpoints
from rori_spiders.content.citations.expressions import (
    SECTION_TRIGGER,
    spelled,
    spelled_from_capital,
    trigger,
    triggered,
)
from rori_spiders.content.citations.model import Citation
from rori_spiders.content.citations.state_names import (
    CALIFORNIA,
    HOME_CODES,
    INITIALS,
    MARYLAND,
    MARYLAND_ARTICLES,
    NEW_YORK,
    NUMBERED_INITIALS,
    OF_THE_STATE,
    ONLY_CALIFORNIAN,
    ONLY_TEXAN,
    SHAPED_INITIALS,
    SPELLINGS,
    STATES,
    TEXAS,
)

# A point at the end may be missing, where what is left is no word of its own ("Or", "Me").
_STATE = spelled(
    [
        form
        for spelling in [*(spelling for state in STATES for spelling in state), *SPELLINGS]
        for form in (
            [spelling, spelling[:-1], spelling.upper()]
            if re.fullmatch(r"(?!Or|Me)[A-Z][a-z]+\.", spelling)
            else [spelling]
        )
    ]
)
#: Abbreviations that may stand behind a code: "Wash." in "Rev. Code Wash.".
_WITH_POINT = spelled(state.abbreviation for state in STATES if state.abbreviation.endswith("."))
_LETTERS = r"(?:[A-Z]{1,2}|[a-z](?![a-z]))"
#: A section: digits with at most a letter or two, joined by points, dashes, colons or a comma ("79-32,121"). A dash
#: before the same chapter is a range: "83.40-83.682". An en dash joins where it can be no range: "44–7–30".
_NUMBER = (
    rf"(?P<first>(?:[IVX]{{1,5}}-|[A-Z]{{1,2}}-?)?\d{{1,6}}{_LETTERS}?)(?:\.\d{{1,6}}{_LETTERS}?(?=[-–](?P=first)\.\d)"
    rf"|(?:(?:[.:/-]|-\.|(?<=[\s§]\d{{3}})—(?=\d{{1,3}}\.\d)|,(?=\d{{3}}(?!\d))|[–‑](?=\d{{1,4}}[A-Z]?[–‑]\d)|(?:(?<=[–‑]\d)|(?<=[–‑]\d\d)"
    rf"|(?<=[–‑]\d{{3}})|(?<=\d[a-z]))[–‑])"
    rf"[A-Z]?\d{{1,6}}{_LETTERS}?|-[A-Za-z](?![\w-])|-[A-Z](?=[:-]\d)){{0,6}}(?![\w-]|:[IVX]))"
)
SECTION = re.compile(_NUMBER)
#: Behind one sign of a section also of two parts: "§ 8–203".
_ONE_ITEM = re.compile(rf"\d{{1,2}}(?:\.\d)?[A-Z]?[–‑]\d{{1,5}}[A-Z]?(?:\.\d{{1,3}})?(?![\w–‑-])|{_NUMBER}")
#: Behind several signs "1110-1122" is a range; "16 Del. Admin. Code § 4000-4008" is a number.
_RANGE_ITEM = re.compile(rf"\d{{4}}(?=-\d{{4}}(?![\w.:-]))|\d{{5}}(?=-\d{{5}}(?![\w.:-]))|{_NUMBER}")
_SIGNS_OF_MANY = re.compile(r"(?:§§|\b[Ss]ec(?:tions|s\.))\s{0,3}$")
_ONE_SIGN = re.compile(r"(?:(?<!§)§|\b[Ss]ec(?:tion|\.))\s{0,3}$")
# The agency whose rule it is: "He-W 654.16", "DFI-Bkg 40.01".
_AGENCY = r"(?!Rule|Part|Code|Art|Act|Reg)[A-Z][A-Za-z]{1,3}(?:-[A-Z][A-Za-z]{0,3})?"
_AGENCY_ITEM = re.compile(rf"(?:{_AGENCY}\s)?{_NUMBER}")
# Without a sign only a number that is nothing else: with a point or dash in it, or of three digits and no year.
_PLAIN = (
    r"(?:R\d{2,3}\b|R?\d{1,4}[A-Za-z]{0,2}(?:-[A-Z]{1,2})?(?:(?:[.:/]|-\.?)\d{1,5}[A-Za-z]{0,2}){1,4}"
    r"|\d{1,3}[A-Z]?(?:[–‑]\d{1,4}[A-Z]?){2}"
    r"|(?!(?:19|20)\d\d\b)\d{3,6}[a-z]?\b(?!,\d|\s?%|\s[A-Z]{3,5}\s))"
)
_ANNOTATED = (
    r"(?:(?:,?\s{1,3}|(?<=\.)(?=A))(?:A(?:nn|NN)(?:otated\b|\.)|Serv\.|Online\b|\(?(?:19|20)\d\d\)?(?![\w.-])|Supp\.|Regs?\.|R\.|r\.|R\b(?=\s\d{1,3}[.:-])|Rules?\b"
    r"|of\s(?:1[89]|20)\d\d\b"
    r"|(?:of\s)?Regulations\b|of\s(?:Regs\.|Rules)|L\b|\([A-Z&]{2,6}\)|\((?:West|McKinney|LexisNexis|Vernon|Consol\.)\))){0,4}"
)
# What codes are called. Before it the state and the subject are looked for; a plain "Law" or "Code" is none.
_NOUN = triggered(
    r"(?:^|[^0-9A-Za-z_])(?:C(?:ode|ODE)(?:$|[^0-9A-Za-z_]|Section\s)|S(?:tat(?:utes?|s)?|TAT)(?:$|[^0-9A-Za-z_])|L(?:aws?|AWS)(?:$|[^0-9A-Za-z_])"
    r"|Gen\.?\sL|C(?:odified|omp\.?)\sL|CLS\s[A-Z]|R\.\s(?:\d|pt|ch)|Rules,?\s{1,3}(?:parts?\s{1,3})?\d{4}\.\d|Codes,?\s{1,3}Rules"
    r"|Admin(?:istrative|\.)?\s{1,3}[Rr]|Act\sAnn\.|Leyes\sAn\.|R(?:egs|EGS)\.)",
    r"(?P<noun>[CSLGAR](?<=\b[CSLGAR])(?:(?<=C)(?:ode|ODE)(?:\b(?!\s{1,3}of\s{1,3}Laws)"
    r"|(?=Section\s))(?P<procedure>\s{1,3}(?:of\s{1,3})?(?:Civ(?:il|\.)|Crim(?:inal|\.)|Evid(?:ence|\.))"
    r"(?:\s{1,3}(?:Proc(?:edure\b|\.)|P\.))?)?|(?<=S)(?:tat(?:utes?|s)?|TAT)\b\.?|(?<=L)(?:aws?|AWS)\b|(?<=G)en\.?\sL\b\.?"
    r"|(?<=C)(?:odified|omp\.?)\sL\b\.?|(?<=C)LS(?:\s[A-Z][\w.&']{1,12}){1,5}|(?<=R)\.(?=\s(?:\d|pts?\.|ch))"
    r"|(?<=R)ules(?=,?\s{1,3}(?:parts?\s{1,3})?\d{4}\.\d)|(?<=C)odes,?\s{1,3}Rules,?\s{1,3}(?:and|&)\s{1,3}Regulations"
    r"|(?<=A)dmin(?:istrative|\.|\b)\s{1,3}(?:Rules?|R\.|R(?=\s)|r\.)|(?<=A)ct\sAnn\.|(?<=L)eyes\sAn\.|(?<=R)(?:egs|EGS)\.)"
    rf"(?P<of>\s{{1,3}}of\s{{1,3}}(?:the\s{{1,3}})?(?:State\s{{1,3}}of\s{{1,3}})?(?:{_STATE})(?!\w)|\s{{1,3}}(?:{_WITH_POINT}))?{_ANNOTATED})",
)
# "Title 40, Chapter 18, ", or headings joined by dashes: "Tax - Title 10 - Income Tax - ".
_WAY = (
    r"(?:(?:,?\s{0,3}[|–—-]?\s{0,3}(?:Title|Chapter|Division|Volume|Part|Article|Sub(?:title|chapter|part)"
    r"|[Tt]it\.?|title|ch\.|c\.|[Pp]t\.|art\.|CH)\s|\s(?=\d{1,2}\s§|(?:Department|Board|Commission|Office)\s|(?:(?!Act\b)[A-Z][a-z]{2,15}\s|and\s|of\s){1,5}§)"
    r"|\s{1,3}(?:[|–—-]|::)\s|,?\s(?:ch|c|tit)\.(?=\d)|,?\s(?:(?!Sec|See\b)[A-Z][\w.&'’]{0,20}\s|and\s"
    r"|of\s){1,5}[|–—-]\s)(?:(?!\bCode\b)[^;§()\n]){0,160}?)?"
)
# "Md. Code Ann., Com. Law § 12-114": the subject behind the code.
_BEHIND = (
    r"(?:,\s{1,3}(?P<subject>(?!Sec|Title|Tit|Chap|Rule|Part|Art|Div|See\b|and\s|(?:[\w.&'’]{1,15}\s){0,3}Code\b)"
    r"(?:[A-Z][\w.&'’–-]{1,14}\s|and\s|[&–-]\s){0,5}[A-Z][\w.&'’–-]{1,14})(?:\s{1,3}Art(?:icle|\.))?)?"
)
# The way from the code's name to the number of its section, which begins where this ends.
_TO_SECTION = re.compile(
    rf"{_BEHIND}(?P<way>{_WAY})(?:,?\s{{0,3}}[|–—-]?\s{{0,3}}(?P<agency>{_AGENCY}\s{{1,3}})?"
    rf"(?:§{{1,2}}|\bSS\b|[Ss]ec(?:tions?\b|t?s?\.|t\b)|SECTIONS?\b|\b(?:[rR]\.|ss?\.|pars?\.|[Rr]ules?\b|[Aa]rt(?:icles?\b|s?\."
    rf"|\b)(?!\s{{0,3}}[\w.-]{{1,12}},?\s{{1,3}}(?:[|–—-]\s|Ch|Sec|§|Part"
    rf"|Sub))))\s{{0,3}}(?=(?:{_AGENCY}\s)?(?:[IVX]{{1,5}}-|[A-Z]{{0,2}}-?)\d)"
    rf"|\s{{1,3}}(?={_AGENCY}\s\d{{1,4}}\.\d)|(?:,?\s{{1,3}}|\.)(?=\d{{1,3}}-\d{{1,3}}[A-Z]?(?:-\d|\.\d{{1,2}}\b)))"
    rf"|,?\s{{1,3}}(?:p(?:ar)?ts?\.?\s{{1,3}}(?=\d{{4}}\.\d))?(?=(?:{_AGENCY}\s)?{_PLAIN})"
)
_BEFORE = re.compile(
    rf"(?<![\w.$§-])(?P<code>(?:(?:19|20)\d\d\s"
    rf"|\d{{1,3}}[A-Z]?(?:[-.]\d{{1,4}}){{0,3}}\s)?(?P<state>{_STATE})(?:(?<=[A-Z]{{2}})\."
    rf"|['’]s)?(?:\s{{1,3}}|(?<=\.))(?:(?:(?!Code,)[A-Z][\w.&'’-]{{0,20}},?|and|of|&|the|–|-|legal)(?:\s{{1,3}}|(?<=\.))){{0,7}})$"
)
_CALIFORNIAN = re.compile(
    r"(?:(?:19|20)\d\d )?(?:Calif\.?|Cal\.?|California|CA) (?P<subject>.+?) Code(?: Ann(?:\.|otated))?"
)
_TEXAN = re.compile(rf"(?:Texas|TX|Tex\.?)\s(?P<subject>{'|'.join(TEXAS)}) Code(?: Ann(?:\.|otated))?")
# "Colorado revised statutes, Section 39-22-119.5".
_NOUN_IN_SMALL_LETTERS = triggered(
    " statutes",
    rf"(?P<noun>[rgc](?<=\b[rgc])(?:evised|eneral|ompiled)\s{{1,3}}(?:statutes"
    rf"|laws)\b(?P<of>\s{{1,3}}of\s{{1,3}}(?:the\s{{1,3}})?(?:{_STATE}))?{_ANNOTATED})",
)
_WITH_SUBJECT = re.compile(r"(?:Md|MD|Maryland|Cal|California|CA|Tex|TX|Texas|V\.T\.C\.A)\b")
_UNIFORM_NAMES = {
    "U.C.C.": "UCC", "Uniform Commercial Code": "UCC", "U.P.C.": "UPC", "Uniform Probate Code": "UPC",
    "Unif. Prob. Code": "UPC", "U3C": "UCCC", "Uniform Consumer Credit Code": "UCCC",
}  # fmt: skip
_CHAPTER = re.compile(r",?\s{0,3}(?:c\.|ch\.|Chapter)\s{0,3}(?P<number>\d{1,4}[A-Z]{0,2})")
#: Louisiana's and Mississippi's rules are numbered anew in each part of a title.
_NUMBERS_IN_PARTS = re.compile(r"(?:La\.|Louisiana|Miss\.|Mississippi)\s{1,3}Admin")
_PART_OF_TITLE = re.compile(r"\b(?:[Pp]t\.|Part)\s{1,3}(?P<number>[IVXL]{1,6}|\d{1,4})\b")
_PART = re.compile(r",?\s{1,3}Pt\.\s{0,3}(?P<number>\d{1,4})")
_TITLE = re.compile(r"(?:\b[Tt]it(?:le|\.)?\s{0,3}|^\s(?=\d{1,2}\s?$))(?P<title>\d{1,3}[A-Z]?(?:-[A-Z])?)\b")
_PAGE = re.compile(r"\d{1,4}(?!\w|[.:-]\d)")
_BARE = re.compile(r"\d{1,4}[A-Z]{0,2}(?![\w.:-])")
# A year, the beginning of the way to the section, and the code's initials are no part of its name.
_NO_NAME = re.compile(
    r",?\s{1,3}(?:of\s)?(?:\(?(?:19|20)\d\d\)?|\([A-Z&]{2,6}\)|\((?:West|McKinney|LexisNexis|Vernon|Consol\.)\))$"
)
#: "Neb.Rev.Stat.", as West prints it.
_WITHOUT_BLANK = re.compile(r"\.(?=[A-Z][a-z])")
_LEAD = re.compile(
    r"(?:\b(?:19|20)\d\d\s|(?<![\w-])\d\d-\d{3}\s(?=$))?"
    r"(?:\b(?:Official|Revised|General|Compiled|Administrative|Rev\.|Gen\.|Comp\.)\s{1,3})?$"
)
_KIND_OF_CODE = re.compile(r"\b(?:General|Revised|Administrative)\s{1,3}$")
_SESSION = re.compile(r"(?:19|20)\d\d\s")
_SUBJECT = re.compile(rf"\b(?P<subject>{spelled([*CALIFORNIA, *TEXAS])})\s{{1,3}}$")
_PROCEDURE = re.compile(
    r"\bCode\s{1,3}of\s{1,3}Civil\s{1,3}Procedure,?\s{1,3}(?:§{1,2}|[Ss]ec(?:tions?|\.))\s{0,3}(?=\d)"
)
_UNIT_BEFORE = re.compile(
    r"§|\bS\d|[Ss][Ee][Cc](?:[Tt]|\.)|\bss?\.|[Rr]ule|[Aa]rticle|[Cc]h(?:apter|\.)|CHAPTER|[Tt]it(?:le|\.)"
)
# What stands before a code: "Section 626.854, Florida Statutes", "section 2 of chapter 183C of the General Laws of".
_SIGN_BEFORE = re.compile(
    r"(?:§{1,2}|\b(?:[Ss]ec(?:tions?\b|s?\.)|SECTIONS?|ss?\.|[Rr]ules?|[Aa]rticles?|SS?(?=\d)))\s{0,3}(?=[A-Z]{0,2}-?\d)"
)
_JOINT = re.compile(
    r"(?:\s\(\w{1,3}\)){0,4}(?:,?\set\.?\sseq\.?)?(?:,?\s(?:sub(?:d(?:ivision|s?\.)|section|s\.)|par(?:agraph|\.)|cl(?:ause|\.))\s[\w()]{1,8}){0,3}"
    r"(?:,?\s{1,3}(?:of|in)\s{1,3}(?:[Tt]itle\s{1,3}(?P<title>\d{1,3}[A-Z]?),?\s{1,3}(?:of\s{1,3})?)?"
    r"(?:[Cc]hapter\s{1,3}(?P<chapter>\d{1,4}[A-Z]{0,2}),?\s{1,3}(?:of\s{1,3})?)?(?:the\s{1,3})?"
    r"|,\s{1,3}(?:the\s{1,3})?)"
)
_JOINT_OF_INITIALS = re.compile(_JOINT.pattern + r"|\s{1,3}")
_TITLE_BEFORE = re.compile(r"\b[Tt]itle\s{1,3}(?P<title>\d{1,3}[A-Z]?),?\s{1,3}(?:[Cc]hapter\s{1,3}\w{1,6},?\s{1,3})?$")
# A word that goes on behind the name: "the Texas Law Enforcement", "Ohio Code Committee".
_GOES_ON = re.compile(r"\s{1,3}(?:[A-Z][a-z]|[a-z]+[- ](?:section|§))")
_DIVISION = r"\d{1,4}[A-Z]{0,3}(?:[.-]\d{1,4}[A-Z]?){0,2}(?:-[A-Z](?:-\d{1,3})?\b)?(?!\w|[.:-]\d|\s?%)"
_DIVISION_ITEM = re.compile(_DIVISION)
#: Chapters and titles, which the law of whole agencies is cited by: "ORS chapter 90", "Cal. Code Regs. tit. 22".
_DIVISION_BEHIND = re.compile(
    rf",?\s{{1,3}}(?:(?P<title>[Tt]itle"
    rf"|tit\.)\s{{1,3}}(?P<number>{_DIVISION})(?:,?\s{{1,3}}(?=[Cc]h|Part\s))?)?(?:Part\s{{1,3}}\w{{1,4}},\s{{1,3}}(?=[Cc]h))?(?:(?P<chapters>\[?[Cc]h(?:apters?\]?|s?\.)"
    rf"|c\.)\s{{0,3}}(?P<agency>{_AGENCY}\s)?(?=\d))?"
)
_DIVISION_BEFORE = re.compile(
    rf"\b(?:[Tt]itle\s{{1,3}}(?P<title>{_DIVISION}),?\s{{1,3}}(?=[Cc]h))?(?P<kind>[Cc]hapters?|CHAPTERS?|[Tt]itle)\s{{1,3}}(?P<numbers>{_DIVISION}(?:(?:,\s|,?\s(?:and|or"
    rf"|through)\s){_DIVISION}){{0,8}})"
    r"(?:,?\s{1,3}(?:of|in)\s{1,3}(?:the\s{1,3})?|,\s{1,3}(?:the\s{1,3})?|\s{1,3})$"
)
_SECTION_SIGN_BEFORE = re.compile(r"(?:§|[Ss]ections?)\s{0,3}$")
_OF_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")
_MOST_BEFORE, _MOST_SIGNS = 130, 3
_ARTICLE = re.compile(r"\b[Aa]rt(?:icles?|s?\.|)\s{0,3}$")
_SIGNS = r"(?:§{1,2}|[Ss]ec(?:tions?\b|\.)|(?:Admin\.\s)?r\.|[Aa]rts?\.)"
_INITIALS = triggered(
    rf"(?:^|[^0-9A-Za-z_.])(?:{spelled([*INITIALS, *SHAPED_INITIALS])})(?:$|[^A-Za-z_])",
    rf"(?P<code>{spelled_from_capital([*INITIALS, *SHAPED_INITIALS])})(?![A-Za-z_]|\d(?!\d{{3}}\b)|\.\w)"
    r"(?:\s{1,3}(?:19|20)\d\d\s{1,3}(?:Cum\.\s)?Supp\.|,?\s{0,3}\(?(?:19|20)\d\d(?:\sReenactment)?\)?(?=,?\s{1,3}(?:§|Sec)|,\s\d{1,2}-\d))?"
    rf"(?P<to>,?\s{{0,3}}{_SIGNS}\s{{0,3}}(?=[\dA-Z])|,\s{{1,3}}(?=\d{{1,2}}-\d{{1,2}}-\d)|\s{{1,3}}(?:Stat(?:utes?|\.)\s)?(?=[A-Z]{{0,2}}\d))?",
)
# "53-6-101, MCA": of three parts, and with nothing but a comma before the code.
_NUMBER_BEFORE = re.compile(
    r"(?<![\w.$§/:–-])(?P<number>\d{1,2}[A-Z]?(?:\.\d)?-\d{1,3}[A-Z]?(?:\.\d)?-(?!(?:19|20)\d\d\b)\d{3,4}(?:\.\d{1,3})?(?:\([A-Za-z0-9]{1,4}\)){0,4}),\s{1,3}$"
)
_MOST_OF_NUMBER = 40
# Without a sign the number must have the form of a section.
_SECTION_SHAPE = re.compile(r"[A-Z]{0,2}\d{1,4}[A-Za-z]{0,2}(?:-[A-Z]{1,2})?[.:-]\d")
_SHAPES = {name: re.compile(shape) for name, shape in SHAPED_INITIALS.items()}
#: "§ 76.09, Stats." is of Wisconsin; "Stats. 1985, ch. 12" are California's laws of a session.
_WISCONSIN = triggered(r", S(?:tats|TATS)\.", r"S(?<=, S)(?:tats|TATS)\.(?!\s{1,3}(?:1[89]|20)\d\d)")
_WISCONSIN_SECTION = re.compile(r"§ \d{2,3}\.\d{2,4}[a-z]?(?:\(|$)")
# "ss. DHS 104.01 and 104.02, Wis. Adm. Code".
_WISCONSIN_RULES = re.compile(r"W(?<=\bW)is(?:\.|consin)\s{1,3}Adm(?:in\.|\.|inistrative)\s{1,3}Code\b")
_WISCONSIN_NUMBER = re.compile(r"\d{1,4}(?:\.\d{2,4})?(?![\w-])")
_RULES_BEFORE = re.compile(
    r"(?P<sign>\b(?:ss?\.|[Ss]ections?|chs?\.|[Cc]hapters?)\s{0,3}|§{1,2}\s{0,3})?"
    rf"(?<![\w.-])(?P<agency>{_AGENCY})\s{{1,3}}(?=\d{{1,4}}\b)"
)
_CALIFORNIAN_KEY = re.compile(
    rf"C(?<=\bC)(?:A|al\.|alifornia)\s{{1,3}}(?P<key>{'|'.join(sorted(set(CALIFORNIA.values())))})\s{{1,3}}(?:§{{1,2}}\s{{0,3}}|[Ss]ection\s{{1,3}})?(?=\d{{2,5}}\b)"
)
_NUMBERED = triggered(
    rf"\d(?:-?[A-Z]|\sApp\.)?\s{{1,3}}(?:{spelled(NUMBERED_INITIALS)}|(?:PS|MRSA?|CAR|GAR),?\s{{0,3}}§)",
    rf"(?P<title>\d(?<![\w.$§-]\d)\d{{0,2}}(?:-\d{{1,3}}|-?[A-Z]|\sApp\.)?)\s{{1,3}}(?P<code>{spelled(NUMBERED_INITIALS)}|(?:PS|MRSA?|CAR|GAR)(?=,?\s{{0,3}}§))"
    r"(?:,?\s{0,3}(?:19|20)\d\d(?=,?\s{1,3}(?:§|[Ss]ec)))?(?:(?P<part>,?\s{0,3}[Pp](?:arts?|t\.)\s{1,3}(?=\d))|,?\s{0,3}(?P<chapter>ch(?:\.|apter)\s{0,3}\d{1,4}),\s{1,3}(?:[Pp](?:art"
    r"|t\.)\s{0,3}\d{1,3},\s{1,3})?§\s{0,3}(?=\d)|,?\s{0,3}(?:§{1,2}|\bSS\b|[Ss]ec(?:tions?\b|\.)|r\.|ch(?:\."
    r"|apter))\s{0,3}(?=\d)|\s{1,3}(?=\d{1,4}[A-Z]?[.:/-]\d)|\s{1,3}(?=\d{2,5}\b))",
)
# "10 CCR 2505-10, § 8.100": of Colorado's rules a section, whose number says nothing alone.
_COLORADO = triggered(
    r"\d\s{1,3}C(?:CR|\.C\.R\.)\s",
    r"(?P<title>\d(?<![\w.$§-]\d)\d?)\s{1,3}C(?:CR|\.C\.R\.)\s{1,3}(?:§\s{0,3})?(?P<rule>\d{3,4}-\d{1,3})"
    r"(?:,?\s{1,3}(?:§{1,2}|[Ss]ec(?:tions?\b|\.)|[Rr]ules?\b)\s{0,3}(?=\d)|:(?=\d)|,?\s{1,3}(?=\d{1,2}\.\d))",
)
#: Oregon, Georgia and Wisconsin write "ORS 90.300 (1)", "OCGA § 44-7-31 (a)" and "s. 224.77 (1) (m)".
_BLANK_BEFORE_PARAGRAPH = ("ORS ", "OCGA ", "O.C.G.A. ", "Wis. Stat")
_NEW_SENTENCE = re.compile(r"\s{1,3}[A-Z]")
#: "10-144 Code Me. R. ch. 101, § 1.02": Maine's rules are numbered in each chapter of a department.
_OF_DEPARTMENT = re.compile(r"\d\d-\d{3}\s{1,3}Code\s{1,3}Me\.")
_ENDS_WITH_CHAPTER = re.compile(r"ch(?:\.|apter)\s{0,3}$")
_KENTUCKY = re.compile(r"\d (?:KAR|Ky\. Admin\. Regs\.)")
_SECTION_OF_RULE = re.compile(
    r",?\s{1,3}(?:§|[Ss]ec(?:tion\b|\.))\s{0,3}(?P<section>\d{1,2}(?:\([A-Za-z0-9]{1,3}\)){0,4})(?![\w.:])"
)
_PINNED = r"\d{1,4}(?:[.-]\d{1,4}){0,2}[a-z]?(?:\([A-Za-z\d]{1,4}\)){0,5}"
# "Part 39 of Title 3 NYCRR", "section 6102 of Title 7 of the Pa.C.S.".
_NUMBERED_BEHIND = triggered(
    r"\sof\s{1,3}(?:[Tt]itle\s{1,3})?\d",
    r"(?P<part>[§PpSs](?:(?<=§)§?\s{0,3}|(?<=\b[Pp])arts?\s{1,3}|(?<=\b[Ss])ections?\s{1,3}))"
    rf"(?P<numbers>{_PINNED}(?:(?:,\s{{1,3}}(?:(?:and|or)\s{{1,3}})?|\s{{1,3}}(?:and|or|through|to)\s{{1,3}}){_PINNED}){{0,9}})\s{{1,3}}of\s{{1,3}}"
    rf"(?:[Tt]itle\s{{1,3}})?(?P<title>\d{{1,3}}(?:-[A-Z])?),?\s{{1,3}}(?:of\s{{1,3}}the\s{{1,3}})?(?P<code>{spelled(NUMBERED_INITIALS)})(?!\w)",
)
_NAMES_NUMBERED = trigger(
    "MRS|AR §|PS §|PS§|" + "|".join(sorted({word.split()[-1].replace(".", r"\.") for word in NUMBERED_INITIALS}))
)
# Rules whose number holds the code's name: "22VAC40-295-50", "218-RICR-20-00-1", "8.102.500.8 NMAC", "LAC 46:VII.501".
_WRITTEN_INTO = triggered(
    r",\s{1,3}ARM|VAC|RICR|NMAC|NCAC|LAC|Admin\. Code|F\.?A\.?C|CSR|Louisiana Admin",
    r"[\dL](?:(?<=\d)(?<![\w.-]\d)(?:\d?\s?VAC\s?\d{1,3}-\d{1,4}-\d{1,4}(?:\.\d{1,3})?"
    r"|\d{1,2}CSR\d{1,3}[A-Z]?"
    r"|\d\d[-\s]RICR[-\s]\d\d-\d\d-\d{1,3}(?:\.\d{1,3}){0,3}"
    r"|\d?(?:\.\d{1,4}){2,3}\s{1,3}NMAC|\d?[A-Z]?\s{1,3}(?:NCAC"
    r"|N\.\s?C\.\sAdmin\.\sCode)\s{1,3}\d\d[A-Z](?:\s?\.\d{4}(?:\(\w{1,3}\)){0,4})?"
    r"|\d?[A-Z]{1,2}-\d{1,4}\.\d{2,4}(?:\([\w]{1,3}\)){0,4},?\s{1,3}(?:F\.A\.C\.|FAC\b"
    r"|Fla\.\sAdmin\.\sCode)"
    r"|\d?\.\d{1,3}\.\d{2,4}(?:\([\w]{1,3}\)){0,4},\s{1,3}ARM)(?![\w-])|(?<=\bL)(?:AC|a\.\s{1,3}Admin\.\s{1,3}Code|ouisiana\s{1,3}Administrative\s{1,3}Code)\s{1,3}\d{1,2}:[IVXLC]{1,6}\.\d{1,5}\b)",
)
# "M.G.L. c. 183C, § 2", "section 2 of chapter 183C of the General Laws", in Massachusetts alone.
_MASSACHUSETTS = re.compile(
    r"(?:(?<![\w.])(?:Mass\.\s{1,3})?(?:(?:M\.?)?G\.?\s?L\.?(?:A\.?|\s{1,3}Ann\.)?|A\.L\.M\.)|General\s{1,3}Laws|(?<!\.\s)(?<!\w)Gen\.\s{1,3}Laws),?\s{0,3}(?:c\."
    r"|ch\.|[Cc]hapter)\s{0,3}"
    r"(?P<chapter>\d{1,3}[A-Z]{0,2}),?\s{0,3}(?:§{1,2}|[Ss]ec(?:tions?\b|s?\.)|ss?\.)\s{0,3}(?=\d)"
)
_OF_GENERAL_LAWS = re.compile(
    r"(?:§{1,2}|\b[Ss]ections?)\s{0,3}(?P<section>\d{1,4}[A-Z]{0,2}(?:\([A-Za-z0-9]{1,4}\)){0,4})\s{1,3}of\s{1,3}[Cc]hapter\s{1,3}"
    r"(?P<chapter>\d{1,3}[A-Z]{0,2})\s{1,3}of\s{1,3}the\s{1,3}General\s{1,3}Laws\b(?!\s{1,3}of\b)"
)
_CHAPTER_OF_GENERAL_LAWS = re.compile(
    r"(?:(?<![\w.])(?:Mass\.\s{1,3})?(?:(?:M\.?)?G\.?\s?L\.?(?:A\.?|\s{1,3}Ann\.)?|A\.L\.M\.),?\s{0,3}(?:c\.|ch\."
    r"|[Cc]hapter)\s{0,3}(?P<chapter>\d{1,3}[A-Z]{0,2})"
    r"(?!\w|,?\s{0,3}(?:§|[Ss]ec|ss?\.))"
    r"|\b(?<!of )[Cc]hapter\s{1,3}(?P<before>\d{1,3}[A-Z]{0,2})\s{1,3}of\s{1,3}the\s{1,3}General\s{1,3}Laws\b"
    r"(?!\s{1,3}of\b))"
)
_NAMES_MASSACHUSETTS = trigger(r"A\.L\.M\.|G\.?\s?L\.?A?\.?,?\s{0,3}[cC]|Gen(?:eral|\.)\s{1,3}Laws")
_CONSTITUTION = triggered(
    r"Const(?:itution|\.)?(?:\s{1,3}Ann\.)?,?\s{1,3}[Aa](?:rt|mend)",
    r"C(?<=\bC)onst(?:itution\b|\.|\b)(?:\s{1,3}Ann\.)?,?\s{1,3}(?P<kind>[Aa]rt(?:icle|\.)?|[Aa]mend(?:ment"
    r"|\.)?)\s{0,3}"
    r"(?P<article>[IVXLC]{1,8}(?:-?[A-D])?|\d{1,2})\b"
    r"(?:,?\s{1,3}(?:§{1,2}|[Ss]ec(?:tions?\b|\.)"
    r"|cl\.)\s{0,3}(?P<section>\d{1,3}[A-Z]?(?:\.\d{1,2})?(?:-[a-z])?(?:\([A-Za-z0-9]{1,4}\)){0,4}))?",
)
_BEFORE_CONSTITUTION = re.compile(rf"(?<![\w.])(?P<name>U\.\s?S\.|United\s{{1,3}}States|{_STATE})\s{{1,3}}$")
_ARTICLE_OF_CONSTITUTION = triggered(
    r"rt(?:icle|\.)\s{1,3}[IVXLC\d]",
    r"rt(?<=\b[Aa]rt)(?:icle|\.)\s{1,3}(?P<article>[IVXLC]{1,8}(?:-?[A-D])?|\d{1,2})(?:,?\s{1,3}(?:§{1,2}"
    r"|[Ss]ec(?:tions?\b|\.))\s{0,3}"
    r"(?P<section>\d{1,3}[A-Z]?(?:\.\d{1,2})?(?:-[a-z])?(?:\([A-Za-z0-9]{1,4}\)){0,4}))?(?:,?\s{1,3}of\s{1,3}the|,(?:\s{1,3}the)?)\s{1,3}"
    rf"(?:(?P<name>U\.\s?S\.|United\s{{1,3}}States|{_STATE})(?:\s{{1,3}}State)?\s{{1,3}}Constitution\b"
    r"|(?:State\s)?Constitution\s{1,3}of\s{1,3}(?:the\s{1,3})?(?:State\s{1,3}of\s{1,3})?"
    rf"(?P<of>United\s{{1,3}}States|{_STATE}))",
)
# "Section 50(a)(6)(Q), Article XVI, Texas Constitution".
_SECTION_OF_ARTICLE = re.compile(
    r"(?:§\s?|\b[Ss]ec(?:tion|\.)\s{1,3})(?P<section>\d{1,3}[A-Z]?(?:-[a-z])?(?:\([A-Za-z0-9]{1,4}\)){0,5})(?:,|\s{1,3}of)\s{1,3}$"
)
_SUBJECT_OF_NEW_YORK = (
    r"(?P<subject>[BCDEGHIJLMPRSTVW](?<!\w.)(?:(?<=T)(?:ax|AX|own)|(?<=B)(?:anking|ank\.)|(?<=G)en(?:eral|\.)\s(?:Bus(?:iness"
    r"|\.)|Mun(?:icipal|\.)|Oblig(?:ations|\.)|Constr(?:uction|\.))"
    r"|(?<=R)eal\sProp(?:erty|\.|(?=\s))(?:\s(?:Tax|Acts(?:ions\sand\sProceedings)?|Actions\sand\sProceedings))?"
    r"|(?<=L)(?:abor|ab\.|ien)|(?<=H)ighway|(?<=M)(?:unicipal\sHome\sRule|ental\sHyg(?:iene|\.))"
    r"|(?<=S)(?:oc(?:ial|\.)\sServ(?:ices|s?\.)|tate\sFin(?:ance|\.))|(?<=E)(?:xec(?:utive|\.)|duc(?:ation|\.)|lec(?:tion|\.)"
    r"|nv(?:ironmental|tl\.)\sConserv(?:ation|\.)"
    r"|mpl\.|st\.\sPowers\s&\sTrusts|states,?\sPowers\sand\sTrusts)"
    r"|(?<=P)(?:ub(?:lic|\.)\s(?:Health|Off(?:icers|\.)|Serv(?:ice|\.)|Hous(?:ing|\.))|enal|riv(?:ate"
    r"|\.)\sHous(?:ing|\.)\sFin(?:ance|\.)|ersonal\sProperty)"
    r"|(?<=I)ns(?:urance|\.)|(?<=C)(?:iv(?:il|\.)\sRights|rim(?:inal|\.)\sProc(?:edure|\.))|(?<=D)(?:om(?:estic"
    r"|\.)\sRel(?:ations|\.)|ebtor\sand\sCreditor)"
    r"|(?<=V)(?:eh(?:icle|\.)\s(?:&|and)\sTraf(?:fic|\.)|ill(?:age|\.))|(?<=M)ult(?:iple|i|\.)\sDwell(?:ing|\.)"
    r"|(?<=J)ud(?:iciary|\.)|(?<=W)ork(?:ers|\.)['’]?\sComp(?:ensation|\.)))"
)
#: Laws of New York by their subject, which no other state calls laws: "N.Y. Tax § 606", "Real Property Law § 226-b".
_NEW_YORK = triggered(
    rf"{SECTION_TRIGGER}|Law\s\d{{3}}",
    _SUBJECT_OF_NEW_YORK + r"(?P<law>\s{1,3}(?:(?:Law|LAW|L)\b|\([A-Z]{3}\)))?,?\s{1,3}"
    r"(?:(?P<sign>§{1,2}|[Ss]ec(?:tions?\b|s?\.))\s{0,3}(?=\d)|(?<=Law\s)(?=\d{3,4}(?:-[a-z])?\())",
)
# "Section 6-m of the Banking Law".
_SECTION_OF_LAW = r"\d{1,4}(?:-[a-z]{1,2})?(?:\([A-Za-z\d]{1,3}\)){0,4}"
_NEW_YORK_BEHIND = triggered(
    r"\sof\s{1,3}(?:the\s{1,3})?[BCDEGHIJLMPRSTVWN]",
    rf"[§Ss](?:(?<=§)§?\s{{0,3}}|(?<=\b[Ss])ec(?:tions?|s?\.)\s{{1,3}})(?P<numbers>{_SECTION_OF_LAW}(?:(?:,\s{{1,3}}(?:and\s{{1,3}}|or\s{{1,3}})?|\s{{1,3}}(?:and|or|to|through)\s{{1,3}})"
    rf"{_SECTION_OF_LAW}){{0,9}})\s{{1,3}}of\s{{1,3}}(?:the\s{{1,3}})?(?:(?:N\.\s?Y\.|NYS?|New\s{{1,3}}York(?:\s{{1,3}}State)?)\s{{1,3}})?"
    + _SUBJECT_OF_NEW_YORK
    + r"\s{1,3}(?:Law|LAW)\b",
)
_LETTERED_LAW = triggered(
    rf"(?:{spelled([*NEW_YORK, *MARYLAND])})(?:\sLaw)?,?\s{{1,3}}(?:§|[Ss]ec)",
    rf"(?P<law>{spelled_from_capital([*NEW_YORK, *MARYLAND])})"
    r"(?:\sLaw)?,?\s{1,3}(?:§{1,2}|[Ss]ec(?:tions?\b|\.))\s{0,3}(?=\d)",
)
_ONLY_NEW_YORK = re.compile(
    r"N\.Y\. (?:General (?:Business|Obligations|Municipal)|Penal|Judiciary|Vehicle|Municipal|Environmental|Mental"
    r"|Social|Domestic|Public Officers|Estates|Real Property (?:Tax|Act)|Multiple)"
)
_NEW_YORK_BEFORE = re.compile(
    r"\b(?:(?:N\.\s?Y\.|NYS?|New\s{1,3}York(?:\s{1,3}State)?)\s{1,3}(?:CLS\s)?|McKinney['’]s\s)$"
)
_ARTICLE_OF_MARYLAND = re.compile(
    rf"(?P<article>{spelled_from_capital(MARYLAND_ARTICLES)})\s{{1,3}}Article,?\s{{1,3}}"
    r"(?:§{1,2}|[Ss]ec(?:tions?\b|s?\.))\s{0,3}(?=\d{1,2}[A-Z]?-\d)"
)
_OF_ARTICLE = re.compile(
    rf"\s{{1,3}}of\s{{1,3}}the\s{{1,3}}(?P<article>{spelled(MARYLAND_ARTICLES)})\s{{1,3}}Article\b"
)
_MARYLAND_SECTION = re.compile(r"\d{1,2}-\d{1,4}")
_NAMES_NEW_YORK = triggered(r"New\s{1,3}York|N\.\s?Y\.|NY", r"New\s{1,3}York|N\.\s?Y\.|N(?<=\bN)Y(?:S|C|CRR)?\b")
#: What only one state's drafters write, with words that a text without it has not: the number tells the code.
_BY_WORDING = tuple(
    (words, code, re.compile(rf"{lead}(?P<number>{number})"))
    for words, code, lead, number in (
        (
            "f the Administrative Code",
            "Ohio Admin. Code ",
            r"[Rr](?<=\b[Rr])ules?\s{1,3}",
            r"\d{4}(?::\d{1,2})?-\d{1,2}-\d{2}(?:\.\d{1,2})?(?:\([A-Z0-9]{1,3}\)){0,3}(?=\sof\sthe\sAdministrative\sCode\b)",
        ),
        (
            "f the Revised Code",
            "Ohio Rev. Code § ",
            r"[Ss](?<=\b[Ss])ections?\s{1,3}",
            r"\d{3,4}\.\d{2,4}(?:\([A-Z0-9]{1,3}\)){0,3}(?=\sof\sthe\sRevised\sCode\b(?!\sof))",
        ),
        (
            "1976 Code",
            "S.C. Code § ",
            r"[Ss](?<=\b[Ss])ections?\s{1,3}",
            r"\d{1,2}-\d{1,3}-\d{1,4}(?:\([A-Za-z0-9]{1,3}\)){0,4}(?=(?:\sof\sthe|,)\s1976\sCode\b)",
        ),
        ("R.S.", "R.S. ", r"R(?<=\bR)\.S\.(?=\d)", r"\d{1,2}[A-C]?:\d{1,3}[A-Z]{0,2}-\d{1,4}(?:\.\d{1,3})?(?![\w-])"),
    )
)
#: Numbers whose form only one state's law has, with the state: the code stands in front of it.
_ONE_OF_A_KIND = tuple(
    (state, code, triggered(number, rf"{lead}(?P<number>{number})(?![\w-])"))
    for state, code, lead, number in (
        ("MI", "Mich. Admin. Code R ", r"R(?<=\bR)\s", r"\d{2,3}\.\d{1,5}[a-z]?"),
        (None, "N.J.S.A. ", r"C(?<=\bC)\.\s?", r"\d{1,2}[A-C]?:\d{1,3}[A-Z]{0,2}-\d{1,4}(?:\.\d{1,3})?[a-z]?"),
        ("NJ", "N.J.S.A. ", r"(?<![\w:.-])", r"\d{1,2}[A-C]:\d{1,3}[A-Z]{0,2}-\d{1,4}(?:\.\d{1,3})?"),
        (None, "N.H. Code Admin. R. ", r"§§?\s{0,3}", r"[A-Z][a-z]{1,2}-[A-Z]{1,2}\s\d{3,4}\.\d{2}"),
        ("OH", "Ohio Admin. Code ", r"(?<![\w:.-])", r"\d{4}:\d{1,2}-\d{1,2}-\d{2}(?:\.\d{1,2})?"),
        ("SD", "ARSD ", r"(?<![\w:.-])", r"\d\d:\d\d:\d\d:\d\d(?:\.\d\d)?"),
        ("TN", "Tenn. Comp. R. & Regs. ", r"(?<![\w:.-])", r"\d{4}-\d\d-\d\d-\.\d\d"),
        ("UT", "Utah Admin. Code ", r"(?<![\w:.-])", r"R\d{2,3}-\d{1,4}[A-Z]?(?:-\d{1,4}){1,2}"),
        ("NH", "N.H. Code Admin. R. ", r"\b", r"[A-Z][a-z]{1,2}-[A-Z]{1,2}\s\d{3,4}\.\d{2}"),
    )
)
#: "441—75.1(249A)": the agency, the rule, and the chapter that it carries out; only Iowa joins them so.
_IOWA = re.compile(r"—(?<=[\s(]\d{3}—)(?P<rule>\d{1,3}\.\d{1,3})(?=\(\d{1,3}[A-Z]?[,)])")
_MUNICIPAL = triggered(
    r"(?:City|County|Town|Village|Zoning|Building|Housing|Planning|Admin(?:istrative|\.)?|Muni?\.?|Municipal\.?)\s(?:Code|Ord)|of\sOrdinances",
    r"(?<![\w.])(?P<code>(?:[A-Z][\w.'’]{0,20},?\s){0,4}(?:M(?<=\bM)uni?(?:cipal|\.)\s(?:Code|Ordinances?)"
    r"|(?:C(?<=\bC)(?:ity|ounty)|Town|Village|Zoning|Building|Housing|Planning|Admin(?:istrative|\.|\b))\s"
    r"(?:Code|Ordinances?)|Code\sof\sOrdinances)),?\s{1,3}(?:§{1,2}|[Ss]ec(?:tions?\b|s?\.))\s{0,3}(?=\d)",
)
_UNIFORM = triggered(
    r"U(?:CCC|3C|\.?C\.?C|\.?P\.?C|nif(?:orm|\.)\s)",
    r"(?P<code>U(?<=\bU)(?:CCC|3C|\.?C\.?C\.?|\.?P\.?C\.?|nif(?:orm|\.)\s(?:(?:[A-Z][\w.-]{0,20}|and|of|on"
    r"|&)\s){1,6}?(?:Code|Act)))(?:\s\((?:19|20)\d\d\))?"
    r",?\s{1,3}(?:(?:§{1,2}|[Ss]ec(?:tions?\b|s?\.))\s{0,3}(?=\d)|(?=\d{1,2}[A-Z]?-\d{3}))",
)


_SIGN_ALONE = triggered(
    rf"{SECTION_TRIGGER}|(?:^|[^0-9A-Za-z_.])ss?\.\s{{0,3}}\d",
    r"(?:§§?|S(?<=\bS)ec(?:tions?\b|s?\.)|s(?:(?<![\w.'’]s)s?\.|(?<=\bs)ections?\b))\s{0,3}(?=\d)",
)
#: A section's own heading begins a line: "39-22-119.5. Child care credit", "290.0671 WORKING FAMILY CREDIT",
#: "290.06 Subd. 2d". "12.50 TOTAL" is one as a heading of the page alone: so are sums written.
_LINE_OF_NUMBER = re.compile(r"^(?P<heading>#{1,6} )?(?:\*\*)?(?=\d)", re.MULTILINE)
_OF_HEADING = re.compile(r"(?:\.?\s(?P<part>[Ss]ubd)|(?:\.|:|\s[-–—|])\s{1,3}[A-Z][a-z]|[.:]?\s{1,3}[A-Z]{3,}\b)")
#: "77:4 What Taxable", no time of the day: "10:30 Meeting".
_LIKE_NEW_HAMPSHIRE = re.compile(r"(?!\d{1,2}:\d\d$)\d{1,3}(?:-[A-Z])?:\d{1,3}(?:-[a-z])?")
_TITLE_CASE = re.compile(r"\s[A-Z][a-z]")
_LIKE_SUM = re.compile(r"\d{1,3}\.\d\d")
_LIKE_CFR = re.compile(r"\d{1,4}\.\d{1,5}[a-z]?")
_THREE_PARTS = re.compile(r"\d{1,3}[A-Z]?-\d{1,3}[A-Z]?(?:\.\d)?-\d{1,4}")
_POSTAL = {spelling: state.postal for state in STATES for spelling in state}
#: A state that a sentence names; the two capitals stand before a code ("MT Code, Income Tax, § 42-15-322").
_STATE_NAMED = re.compile(
    rf"(?<![\w.])({spelled(state.name for state in STATES)}|(?:{spelled(state.postal for state in STATES)})"
    r"(?=\s(?:Code|Stat|Rev|Gen|Laws?)\b))(?!\w)(?![^;]{0,130}\.\s[A-Z])"
)
_OWN_SECTION = re.compile(r"^\W{0,6}(?:S(?:EC|ec)\.|§|S(?:ection|ECTION))\s{0,3}(\d{1,5}[A-Za-z]{0,2})\b", re.MULTILINE)
_GOES_ON_WITH_OF = re.compile(r"\s{1,3}of\s")
_IN_SENTENCE = re.compile(r"[a-z,]\s{1,3}$")
#: Digits of a number that stands for its section where the law is left out; those below are of the text itself.
_SHORTEST = 3
#: Characters of "New York CLS " before the name of a law.
_MOST_OF_STATE = 20
#: Characters between the name of a code and the number of a section.
_MOST_OF_WAY = 260


def find(text: str, context: Mapping[str, str] | None = None) -> Iterator[Citation]:
    """Sections of states' codes and of uniform acts, each of a list; the form keeps the code's name as printed.

    ``context``: ``state`` ("CA") is the state that the source belongs to.
    """
    state = (context or {}).get("state")
    yield from _of_constitutions(text)
    if _NAMES_MASSACHUSETTS.is_in(text):
        yield from _of_massachusetts(text)
    yield from _of_named_codes(text, state)
    for match in _WRITTEN_INTO.finditer(text):
        yield Citation(match.start(), match.end(), "other", _plain(match[0]))
    if _NAMES_NUMBERED.is_in(text):
        yield from _of_numbered(text)
    yield from _of_initials(text)
    yield from _of_named_laws(text, state)
    for match in _MUNICIPAL.finditer(text):
        yield from _sections(text, match.start(), match.end(), f"{_plain(match['code'])} § ")
    yield from _by_wording(text)
    for match in _UNIFORM.finditer(text):
        name = _plain(match["code"])
        yield from _sections(text, match.start(), match.end(), f"{_UNIFORM_NAMES.get(name, name)} § ")


def _by_wording(text: str) -> Iterator[Citation]:
    for match in _IOWA.finditer(text):
        start = match.start() - len("441")
        canonical = f"Iowa Admin. Code r. § {text[start : match.start()]}-{match['rule']}"
        yield Citation(start, match.end(), "other", canonical)
    for words, code, form in _BY_WORDING:
        for match in form.finditer(text) if words in text else ():
            yield Citation(match.start(), match.end(), "other", code + _plain(match["number"]))


def _of_numbered(text: str) -> Iterator[Citation]:
    for match in _NUMBERED_BEHIND.finditer(text):
        part = "Part " if match["part"][0] in "Pp" else "§ "
        code = f"{match['title']} {_plain(match['code'])} {part}"
        items = pinpoints.read_list(text, match.start("numbers"), SECTION)
        items = [item for item in items if item.end <= match.end("numbers")]
        yield from _before_code(items, match.start(), match.end(), [code + item.pinned for item in items])
    for match in _COLORADO.finditer(text):
        code = "C.C.R." if "." in match[0][:7] else "CCR"
        yield from _sections(text, match.start(), match.end(), f"{match['title']} {code} {match['rule']}, § ")
    for match in _NUMBERED.finditer(text):
        sign = "Part " if match["part"] else "§ " if "§" in match[0] or "SS" in match[0] else ""
        sign = sign or ("ch. " if _ENDS_WITH_CHAPTER.search(match[0]) else "")
        chapter = f"{match['chapter']}, " if match["chapter"] else ""
        code = f"{match['title']} {_plain(match['code'])} {chapter}{sign}"
        yield from _sections(text, match.start(), match.end(), code)


def _of_named_laws(text: str, state: str | None) -> Iterator[Citation]:
    """Laws that New York and Maryland call by their subject or by letters; those that only New York has in any text."""
    if state == "NY" or _NAMES_NEW_YORK.search(text):
        yield from _of_new_york(text)
        yield from _of_lettered_laws(text, "NY")
    elif " Law §" in text:
        yield from (one for one in _of_new_york(text) if _ONLY_NEW_YORK.match(one.canonical))
    elif state == "MD":
        yield from _of_lettered_laws(text, "MD")
    if " Article" in text and (state == "MD" or "Maryland" in text or "Md." in text):
        yield from _of_maryland(text)


def _of_maryland(text: str) -> Iterator[Citation]:
    """ "Health-General Article, § 15-103, Annotated Code of Maryland", "§ 15-103 of the Health-General Article"."""
    for match in _ARTICLE_OF_MARYLAND.finditer(text):
        article = _plain(match["article"]).replace(" - ", "-")
        yield from _sections(text, match.start(), match.end(), f"Md. Code Ann., {article} § ")
    for match in _SIGN_ALONE.finditer(text):
        items = pinpoints.read_list(text, match.end(), SECTION)
        if items and (of := _OF_ARTICLE.match(text, items[-1].end)):
            head = f"Md. Code Ann., {_plain(of['article']).replace(' - ', '-')} § "
            yield from _before_code(items, match.start(), of.end(), [head + one.pinned for one in items])


def _of_wisconsin_rules(text: str) -> Iterator[Citation]:
    """Rules that stand before their code, with their agency: "s. DHS 104.01, Wis. Adm. Code"."""
    for match in _WISCONSIN_RULES.finditer(text):
        first = max(0, match.start() - _MOST_BEFORE)
        for before in reversed(list(_RULES_BEFORE.finditer(text, first, match.start()))):
            items = pinpoints.read_list(text, before.end(), _WISCONSIN_NUMBER)
            if not items or not _JOINT.fullmatch(text, items[-1].end, match.start()):
                continue
            signs = ("§" if "." in one.number else "ch." for one in items)
            rules = [f"{sign} {before['agency']} {one.pinned}" for sign, one in zip(signs, items, strict=True)]
            yield from _before_code(items, before.start(), match.end(), [f"Wis. Admin. Code {one}" for one in rules])
            break


def _of_lettered_laws(text: str, state: str) -> Iterator[Citation]:
    """Sections of laws that a state calls by letters: "SSL § 131-a" and "NY SOS § 131-a", "RP § 8-211" in Maryland."""
    for match in _LETTERED_LAW.finditer(text):
        law = NEW_YORK.get(match["law"])
        if law and state == "NY":
            named = _NEW_YORK_BEFORE.search(text, max(0, match.start() - _MOST_OF_STATE), match.start())
            yield from _sections(text, (named or match).start(), match.end(), f"N.Y. {law} § ")
        elif state == "MD" and match["law"] in MARYLAND and _MARYLAND_SECTION.match(text, match.end()):
            yield from _sections(text, match.start(), match.end(), f"Md. Code, {match['law']} § ")


def _of_new_york(text: str) -> Iterator[Citation]:
    for match in _NEW_YORK_BEHIND.finditer(text):
        items = pinpoints.read_list(text, match.start("numbers"), SECTION)
        items = [item for item in items if item.end <= match.end("numbers")]
        head = f"N.Y. {_plain(match['subject']).replace('TAX', 'Tax')} Law § "
        yield from _before_code(items, match.start(), match.end(), [head + item.pinned for item in items])
    for match in _NEW_YORK.finditer(text):
        named = _NEW_YORK_BEFORE.search(text, max(0, match.start() - _MOST_OF_STATE), match.start())
        if named or match["law"]:
            subject = _plain(match["subject"]).replace("TAX", "Tax")
            yield from _sections(text, (named or match).start(), match.end(), f"N.Y. {subject} Law § ")


def find_of_home(text: str, context: Mapping[str, str] | None = None) -> Iterator[Citation]:
    """Sections without their code, "§ 105-153.5", which have the form that only the code of their state has.

    The state is that of the page or, for numbers of three parts, one that the same sentence names before.
    """
    home = (context or {}).get("state", "")
    is_federal = "CFR" in text or "C.F.R" in text
    for state, code, form in _ONE_OF_A_KIND:
        for match in form.finditer(text) if state in (None, home) else ():
            yield Citation(match.start(), match.end(), "relative", code + _plain(match["number"]))
    if home in HOME_CODES:
        yield from _of_headings(text, *HOME_CODES[home], is_federal=is_federal)
    for match in _SIGN_ALONE.finditer(text):
        state = home if home in HOME_CODES else ""
        if match[0].startswith("s") and "." in match[0] and home not in ("FL", "WI"):
            continue
        if not state and _THREE_PARTS.match(text, match.end()):
            named = _STATE_NAMED.findall(text, max(0, match.start() - _MOST_BEFORE), match.start())
            state = _POSTAL.get(" ".join(named[-1].split()), "") if named else ""
        code, shape = HOME_CODES.get(state, ("", ""))
        number = re.compile(shape).match(text, match.end()) if code else None
        # "83.49" may be of the Code of Federal Regulations, where a page names that.
        if number is None or (is_federal and _LIKE_CFR.fullmatch(number[0])):
            continue
        for index, item in enumerate(pinpoints.read_list(text, match.end(), SECTION)):
            start, end, pins = match.start() if index == 0 else item.start, item.end, ""
            if code.startswith(_BLANK_BEFORE_PARAGRAPH) and not item.path:
                path, end = pinpoints.read_spaced_pins(text, end)
                pins = pinpoints.written(path)
            yield Citation(start, end, "relative", f"{code} § {item.pinned}{pins}")


def find_short_forms(text: str, found: Iterable[Citation]) -> Iterator[Citation]:
    """ "Section 58.161" behind "Minn. Stat. § 58.13": of a chapter that the text has cited before, with its code."""
    chapters: dict[str, dict[str, int]] = {}  # of each the heads, and where each stands first
    for citation in found:
        if chapter := _chapter_of(citation.canonical):
            head = citation.canonical.partition("(")[0].rpartition(" ")[0]
            heads = chapters.setdefault(chapter, {})
            heads[head] = min(citation.start, heads.get(head, citation.start))
    own: set[str] = set()  # sections of the text itself
    for match in _SIGN_ALONE.finditer(text) if chapters else ():
        if not (first := SECTION.match(text, match.end())):
            continue
        heads = chapters.get(_chapter_of(f"§ {first[0]}"), {})
        before = [head for head, start in heads.items() if start < match.start()]
        is_back_reference = text.endswith(("id. ", "Id. ", "id.* ", "Id.* "), 0, match.start())
        if not before or is_back_reference or any("C.F.R." in head for head in heads):
            continue
        items = pinpoints.read_list(text, match.end(), SECTION)
        head = max(before, key=heads.__getitem__)
        if (number := items[0].number).isalnum():
            own = own or {*_OWN_SECTION.findall(text), ""}
            if len(heads) > 1 or number in own or not _is_same_section(text, match, items[-1].end):
                continue
        for index, item in enumerate(items):
            if item.number.isalnum() and item.number != items[0].number:
                break
            start = match.start() if index == 0 else item.start
            yield Citation(start, item.end, "relative", f"{head} {item.pinned}")


def _is_same_section(text: str, match: re.Match[str], end: int) -> bool:
    """Whether "section 105(a)", which ends at *end*, may be the section 105 that was cited: it stands in a sentence,
    and "section 105 of" goes on.
    """
    in_sentence = _IN_SENTENCE.search(text, max(0, match.start() - 20), match.start())
    return match[0][0] in "Ss" and in_sentence is not None and _GOES_ON_WITH_OF.match(text, end) is None


def _chapter_of(canonical: str) -> str:
    """What sections of one chapter share: "58" of "Minn. Stat. § 58.13"; of a number without chapter the number; of
    what is no section, nothing.
    """
    code, _, section = canonical.partition("(")[0].replace("–", "-").rpartition(" ")
    joint = next((joint for joint in "-:." if joint in section), None)
    if not joint:
        return section if code.endswith("§") and len(section) >= _SHORTEST else ""
    is_of_code = (code.endswith("§") and not code.endswith("Act §")) or code in INITIALS
    return section.rpartition(joint)[0] if is_of_code else ""


def _of_headings(text: str, code: str, shape: str, *, is_federal: bool) -> Iterator[Citation]:
    """The sections whose headings stand in a page of their state, with the paragraphs behind their number."""
    for match in _LINE_OF_NUMBER.finditer(text):
        number = re.compile(shape).match(text, match.end())
        if number is None or (is_federal and _LIKE_CFR.fullmatch(number[0])):
            continue
        title = _OF_HEADING.match(text, number.end())
        if title is None and _LIKE_NEW_HAMPSHIRE.fullmatch(number[0]) and _TITLE_CASE.match(text, number.end()):
            yield Citation(match.end(), number.end(), "relative", f"{code} § {number[0]}")
        if title is None or (_LIKE_SUM.fullmatch(number[0]) and not (title["part"] or match["heading"])):
            continue
        yield Citation(match.end(), number.end(), "relative", f"{code} § {number[0]}")


def _of_constitutions(text: str) -> Iterator[Citation]:
    for match in _CONSTITUTION.finditer(text):
        window = text[max(0, match.start() - 25) : match.start()]
        if before := _BEFORE_CONSTITUTION.search(window):
            kind = "art." if match["kind"][1] == "r" else "amend."
            section = f", § {match['section']}" if match["section"] else ""
            start = match.start() - len(window) + before.start()
            canonical = f"{_plain(before['name'])} Const. {kind} {match['article']}{section}"
            yield Citation(start, match.end(), "other", canonical)

    for match in _ARTICLE_OF_CONSTITUTION.finditer(text):
        name = _plain(match["name"] or match["of"])
        start = match.start() - 1
        before = _SECTION_OF_ARTICLE.search(text, max(0, start - _MOST_OF_NUMBER), start)
        number = match["section"] or (before and before["section"])
        section = f", § {number}" if number else ""
        start = before.start() if before and not match["section"] else start
        yield Citation(start, match.end(), "other", f"{name} Const. art. {match['article']}{section}")


def _of_massachusetts(text: str) -> Iterator[Citation]:
    for match in _MASSACHUSETTS.finditer(text):
        yield from _sections(text, match.start(), match.end(), f"M.G.L. c. {match['chapter']}, § ")
    for match in _CHAPTER_OF_GENERAL_LAWS.finditer(text):
        yield Citation(match.start(), match.end(), "other", f"M.G.L. c. {match['chapter'] or match['before']}")
    for match in _OF_GENERAL_LAWS.finditer(text):
        canonical = f"M.G.L. c. {match['chapter']}, § {match['section']}"
        yield Citation(match.start(), match.end(), "other", canonical)


def _of_initials(text: str) -> Iterator[Citation]:
    for match in _INITIALS.finditer(text):
        name = _plain(match["code"])
        to = (match["to"] or "").strip(", ")
        if (to and not to.startswith("Stat")) or (
            match["to"] and _SHAPES.get(name, _SECTION_SHAPE).match(text, match.end())
        ):
            sign = "§ " if "§" in to else "art. " if to[:1] in ("A", "a") else ""
            yield from _sections(text, match.start(), match.end(), f"{name} {sign}")
        else:
            yield from _divisions(text, match.start(), match.end("code"), name)
            if text[match.start() - 1 : match.start()].isspace():
                before = list(_inverted(text, match.start(), match.end("code"), f"{name} ", _JOINT_OF_INITIALS))
                yield from before
                number = _NUMBER_BEFORE.search(text, max(0, match.start() - _MOST_OF_NUMBER), match.start())
                if number and not before:
                    yield Citation(number.start(), match.end("code"), "other", f"{name} {number['number']}")
    for match in _WISCONSIN.finditer(text):
        for one in _inverted(text, match.start(), match.end(), "Wis. Stat. § ", _JOINT):
            if _WISCONSIN_SECTION.search(one.canonical):
                yield one
    yield from _of_wisconsin_rules(text)
    for match in _CALIFORNIAN_KEY.finditer(text) if "CA " in text or "Cal" in text else ():
        subject = next(name for name, key in CALIFORNIA.items() if key == match["key"])
        yield from _sections(text, match.start(), match.end(), f"Cal. {subject} Code § ")


def _of_named_codes(text: str, state: str | None) -> Iterator[Citation]:
    named: set[str] = set()
    for match in chain(_NOUN.finditer(text), _NOUN_IN_SMALL_LETTERS.finditer(text)):
        way = _TO_SECTION.match(text, match.end(), match.end() + _MOST_OF_WAY)
        if way is None and _UNIT_BEFORE.search(text, max(0, match.start() - _MOST_BEFORE), match.end() + 20) is None:
            continue
        head = _head(text, match, way, state, named)
        if head is None:
            continue
        start, code = head
        named.add(code)
        if way and not (way["subject"] and not _WITH_SUBJECT.match(code)):
            code += f", {_plain(way['subject']).replace('–', '-')}" if way["subject"] else ""
            agency = f"{way['agency'].strip()} " if way["agency"] else ""
            item = _AGENCY_ITEM if "Adm" in code or "Rules" in code else SECTION
            sign = "art." if _ARTICLE.search(way[0]) else "§"
            start, within = _within(text, start, way)
            yield from _sections(text, start, way.end(), f"{code}{within} {sign} {agency}", item)
        elif divisions := list(_divisions(text, start, match.end(), code)):
            yield from divisions
        elif not _GOES_ON.match(text, match.end()) and not code.endswith("Rules"):
            yield from _inverted(text, start, match.end(), f"{code} § ", _JOINT)
    for match in _PROCEDURE.finditer(text) if state == "CA" else ():
        yield from _sections(text, match.start(), match.end(), "Cal. Civ. Proc. Code § ")


def _inverted(text: str, start: int, end: int, code: str, joint: re.Pattern[str]) -> Iterator[Citation]:
    """The sections that stand before their code, which is text[start:end]: "ss. 83.49 and 83.51, Florida Statutes"."""
    window = text[max(0, start - _MOST_BEFORE) : start]
    if not any(character.isdigit() for character in window):
        return
    for sign in reversed(list(_SIGN_BEFORE.finditer(window))[-_MOST_SIGNS:]):
        items = pinpoints.read_list(text, start - len(window) + sign.end(), SECTION)
        behind = items and items[-1].end < start and joint.fullmatch(text, items[-1].end, start)
        if not behind:
            continue
        if spaced := pinpoints.read_spaced_pins(text, items[-1].end)[0]:
            items[-1] = replace(items[-1], path=items[-1].path + spaced)
        first = start - len(window) + sign.start()
        title = behind["title"]
        if before := _TITLE_BEFORE.search(window[: sign.start()]):
            title, first = before["title"], start - len(window) + before.start()
        name, sign_of_code = (code[:-3], " § ") if code.endswith(" § ") else (code.rstrip(), " ")
        name += f" tit. {title}," if title and not items[0].number.startswith((f"{title}-", f"{title}:")) else ""
        name += f" ch. {behind['chapter']}," if behind["chapter"] and _BARE.fullmatch(items[0].number) else ""
        yield from _before_code(items, first, end, [name + sign_of_code + one.pinned for one in items])
        return


def _before_code(
    items: Sequence[pinpoints.Item], start: int, end: int, canonicals: Iterable[str]
) -> Iterator[Citation]:
    """Citations of *items* that stand before their code: the first begins at *start*, the last ends with the code."""
    for item, canonical in zip(items, canonicals, strict=True):
        first, last = start if item is items[0] else item.start, end if item is items[-1] else item.end
        yield Citation(first, last, "other", canonical)


def _divisions(text: str, start: int, end: int, code: str) -> Iterator[Citation]:
    """The chapters or the title behind or before a code, which is text[start:end], that no section is named of."""
    if "Laws" in code and _OF_YEAR.search(text, start, end + 10):
        return  # "Oregon Laws 2013, chapter 304" is of a year's laws
    window = text[max(0, start - _MOST_BEFORE) : start]
    behind = _DIVISION_BEHIND.match(text, end)
    if behind and behind["chapters"]:
        title = f" tit. {behind['number']}," if behind["title"] else ""
        if not title and (named := _TITLE_BEFORE.search(window)):
            title, start = f" tit. {named['title']},", start - len(window) + named.start()
        items = pinpoints.read_list(text, behind.end(), _DIVISION_ITEM, pinned=False)
        items = [one for one in items if not _SECTION_SIGN_BEFORE.search(text, one.start - 9, one.start)]
        for index, item in enumerate(items):
            head = f"{code}{title} ch. {behind['agency'] or ''}"
            yield Citation(start if index == 0 else item.start, item.end, "other", head + item.number)
    elif behind and behind["title"]:
        yield Citation(start, behind.end("number"), "other", f"{code} tit. {behind['number']}")
    elif before := _DIVISION_BEFORE.search(window):
        first = start - len(window)
        items = pinpoints.read_list(text, first + before.start("numbers"), _DIVISION_ITEM, pinned=False)
        items = [item for item in items if item.end <= first + before.end("numbers")]
        kind = "ch." if before["kind"][0] in "Cc" else "tit."
        title = f" tit. {before['title']}," if before["title"] else ""
        for index, item in enumerate(items):
            yield Citation(
                first + before.start() if index == 0 else item.start, end if index == len(items) - 1 else item.end,
                "other", f"{code}{title} {kind} {item.number}",
            )  # fmt: skip


def _plain(code: str) -> str:
    return " ".join(code.split())


def _head(
    text: str, match: re.Match[str], way: re.Match[str] | None, state: str | None, named: set[str]
) -> tuple[int, str] | None:
    """Where the citation of a code begins, and what the code is called; None where no state is named, neither here nor
    in *named*, the codes that the text has cited with their state.
    """
    noun = _plain(_NO_NAME.sub("", match["noun"]))
    window = text[max(0, match.start() - 110) : match.start()]
    before = _BEFORE.search(window)
    if before:
        if (
            _SESSION.match(before["code"])
            and not (way and way[0].strip(" ,"))
            and _BARE.match(text, way.end() if way else 0)
        ):
            return None  # a page of the laws of a session: "1990 Cal. Stat. 1234"
        if noun == "R." and before["code"][0].isdecimal() and way and _PAGE.match(text, way.end()):
            return None  # a page of reports: "100 Tex. Cr. R. 345"
        if noun.startswith("CODE") and before["code"].split()[0].isupper() and len(before["code"].split()[0]) < 3:
            return None  # words in capitals: "IN CODE SECTION 12"
        if "Act, " in before["code"]:  # "Virginia's Uniform Arbitration Act, Code § 8.01-577"
            return match.start(), _plain(f"{before['state']} {noun}")
        name = _WITHOUT_BLANK.sub(". ", before["code"] + noun)
        return match.start() - len(window) + before.start(), _named(_plain(name))
    if match["of"]:
        lead = _LEAD.search(window)
        start = match.start() - (len(lead[0]) if lead else 0)
        return start, _plain((lead[0] if lead else "") + noun)
    return _head_without_state(window, match.start(), noun, state, named)


def _head_without_state(window: str, at: int, noun: str, state: str | None, named: set[str]) -> tuple[int, str] | None:
    """The same for a code that its state, or a text that has named the state before, calls by less than its name."""
    if state in OF_THE_STATE and (lead := _KIND_OF_CODE.search(window)):
        name = OF_THE_STATE[state].get(f"{lead[0].strip()} {noun}")
        return (at - len(lead[0]), name) if name else None
    if noun in ("Code", "CODE") and (subject := _SUBJECT.search(window)):
        name, start = _plain(subject["subject"]), at - len(window) + subject.start()
        californian = _named(f"Cal. {name} Code") if name in CALIFORNIA else ""
        texan = f"Tex. {TEXAS[name]} Code" if name in TEXAS else ""
        if texan and (state == "TX" or TEXAS[name] in ONLY_TEXAN or texan in named):
            return start, texan
        if californian and (state == "CA" or CALIFORNIA[name] in ONLY_CALIFORNIAN or californian in named):
            return start, californian
    return None


def _named(code: str) -> str:
    """Named codes of California and Texas by the Bluebook's abbreviation, however written; other codes as printed."""
    if texan := _TEXAN.fullmatch(code):
        return f"Tex. {TEXAS[texan['subject']]} Code"
    subject = _CALIFORNIAN.fullmatch(code)
    if re.fullmatch(r"(?:Cal\.|California|CA) Code (?:of )?Civ(?:il|\.) Proc(?:edure|\.)", code):
        return "Cal. Civ. Proc. Code"
    law = CALIFORNIA.get(subject["subject"]) or CALIFORNIA.get(f"{subject['subject']}.") if subject else None
    # The first spelling of each is the abbreviation.
    return f"Cal. {next(name for name, key in CALIFORNIA.items() if key == law)} Code" if law else code


def _within(text: str, start: int, way: re.Match[str]) -> tuple[int, str]:
    """The title or chapter that a section's number needs where it does not have it: "Mass. Gen. Laws ch. 62, § 6",
    "Title 10, California Code of Regulations, Section 1409"; and where the citation begins then.
    """
    chapter = _CHAPTER.fullmatch(way["way"] or "")
    if chapter and (_BARE.match(text, way.end()) or "par" in way[0] or _OF_DEPARTMENT.match(text, start)):
        return start, f" ch. {chapter['number']},"
    if part := _PART.fullmatch(way["way"] or ""):
        return start, f" pt. {part['number']},"
    behind = _TITLE.search(way["way"] or "")
    title = behind or _TITLE_BEFORE.search(text, max(0, start - 30), start)
    if title and not re.compile(rf"{title['title']}[-:.]").match(text, way.end()):
        part = _PART_OF_TITLE.search(way["way"] or "") if _NUMBERS_IN_PARTS.match(text, start) else None
        within = f" tit. {title['title']}," + (f" pt. {part['number']}," if part else "")
        return start if behind else title.start(), within
    return start, ""


def _sections(text: str, start: int, at: int, head: str, item: re.Pattern[str] = SECTION) -> Iterator[Citation]:
    if item is SECTION and _ONE_SIGN.search(text, max(start, at - 12), at):
        item = _ONE_ITEM
    elif item is SECTION and _SIGNS_OF_MANY.search(text, max(start, at - 12), at):
        item = _RANGE_ITEM
    for index, one in enumerate(pinpoints.read_list(text, at, item)):
        within = _SECTION_OF_RULE.match(text, one.end) if _KENTUCKY.search(head) else None
        end, canonical = one.end, head + one.pinned
        if within:
            end, canonical = within.end(), f"{canonical}, § {within['section']}"
        elif not one.path and head.startswith(_BLANK_BEFORE_PARAGRAPH) and text.startswith(" (", end):
            path, behind = pinpoints.read_spaced_pins(text, end)
            if path and not _NEW_SENTENCE.match(text, behind):
                end, canonical = behind, canonical + pinpoints.written(path)
        yield Citation(start if index == 0 else one.start, end, "other", canonical)
