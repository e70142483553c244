"""Citations that one expression tells whole: a table of kind, expression and canonical form. Data only.

Every expression is linear: no nested repetition, every repetition bounded or of one class of characters. ``form`` is
filled from the named groups of the match.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from rori_spiders.content.citations.expressions import Trigger, Triggered, compile_anywhere, trigger, triggered
from rori_spiders.content.citations.model import Citation


@dataclass(frozen=True, slots=True)
class Pattern:
    """One expression. ``form`` uses ``str.format`` with the match's groups.

    A text without each of ``triggers`` has no match; to look for these costs a hundredth of trying everywhere.
    """

    kind: str
    regex: re.Pattern[str]
    form: str
    triggers: tuple[Trigger, ...]

    def may_be_in(self, text: str) -> bool:
        return all(one.is_in(text) for one in self.triggers)


def _p(kind: str, regex: str, form: str, *words: str, names: str = "") -> Pattern:
    """``words``: one of them is in each text with a match, and so is the expression ``names``."""
    triggers = ("|".join(map(re.escape, words)), names)
    return Pattern(kind, compile_anywhere(regex), form, tuple(trigger(one) for one in triggers if one))


# An outline id of Handbook 4000.1: "II.A.4.c.ii(B)".
_OUTLINE = r"(?P<s>[IVX]{1,4}\.[A-Z](?:\.\d{1,2})?(?:\.[a-z])?(?:\.[ivx]{1,5})?)\b(?P<p>(?:\([A-Za-z0-9]{1,3}\)){0,4})"
# "Chapter 244, Session Laws of Colorado 2001", "Act No. 135 of the Public Acts of 1977".
_OF_LAWS = (
    r"\s+(?P<n>\d{1,4}),?\s+(?:of\s+the\s+)?(?:Session\s+|Public\s+)?(?:Laws|Statutes|Acts)\s+(?:of\s+)?"
    r"(?:[A-Z][a-z]+\s+){0,2}(?P<y>(?:1[89]|20)\d{2})\b"
)
_LAWS_OF_YEAR = r"(?:Laws|Statutes|Acts)\s+(?:of\s+)?(?:[A-Z][a-z]+\s+){0,2}(?:1[89]|20)\d{2}"
# "Mortgagee Letter", "MORTGAGEE LETTER", "mortgagee letter".
_LETTER = r"\b[Mm](?:ortgagee\s+[Ll]etter(?:\s+\(ML\))?|ORTGAGEE\s+LETTER|(?<=M)L)"
_LETTERS = r"\b[Mm](?:ortgagee\s+[Ll]etters|ORTGAGEE\s+LETTERS|(?<=M)Ls)\s+"
_NAMES_LETTER = r"(?:[Ll]etter|LETTER|\(ML\)|ML)\s+\d\d"
_REVISION = r"(?:,?\s+(?P<r>REV-\d))?"
# fmt: off
PATTERNS: tuple[Pattern, ...] = (
    _p("fr",
         r"(?<![\d.])(?P<v>\d{1,3})\s+(?:FR|F\.\s?R\.|Fed\.?\s?Reg\.?|Federal\s+Register)\s+"
         r"(?P<p>\d{1,6}(?!,\d{3}(?!\d))|\d{1,3}(?=,))(?:,(?P<q>\d{3}))?(?![\d.]*\d)",
         "{v} Fed. Reg. {p}{q}",
         names=r"F(?:R|\.\s?R\.|ed\.?\s?Reg\.?|ederal\s+Register)\s+\d"),
    _p("stat",
         r"(?<![\d.])(?P<v>\d{2,3})\s+Stat\.?\s+(?P<p>\d{1,5})\b", "{v} Stat. {p}", names=r"Stat\.?\s+\d"),
    _p("rin",
         r"\bRIN:?\s{0,2}(?P<a>\d{4})\s?[-–]?\s?(?P<l>[A-Z]{2})\s?[-–]?\s?(?P<n>\d{2})\b", "RIN {a}-{l}{n}", "RIN"),
    _p("docket",
         r"\b[Dd]ocket\s+(?:(?:Nos?\.?|ID|[Nn]umber)\s*(?::\s*)?)?"
         r"(?P<id>[A-Z]{1,8}\d{0,4}-(?:[A-Z0-9]{1,8}-){0,4}\d{2,6})\b", "Docket No. {id}",
         names=r"ocket\s+(?:(?:Nos?\.?|ID|[Nn]umber)\s*(?::\s*)?)?[A-Z]{1,8}\d{0,4}-"),
    _p("mortgagee_letter",
         _LETTER + r"\s+(?P<y>(?:19|20)\d{2})-(?P<n>\d{2})\b",
         "Mortgagee Letter {y}-{n}", names=_NAMES_LETTER),
    _p("mortgagee_letter",
         _LETTER + r"\s+(?P<y>[012]\d)-(?P<n>\d{2})\b", "Mortgagee Letter 20{y}-{n}", names=_NAMES_LETTER),
    _p("mortgagee_letter",
         _LETTER + r"\s+(?:19)?(?P<y>[789]\d)-(?P<n>\d{1,2})\b", "Mortgagee Letter 19{y}-{n:0>2}", names=_NAMES_LETTER),
    _p("va_circular",
         r"\b[Cc]hange\s+(?P<c>\d{1,2})\s+to\s+(?:VA\s+)?Circular\s+26-(?P<y>\d{2})-(?P<n>\d{1,2})\b",
         "VA Circular 26-{y}-{n}, Change {c}", names=r"Circular\s+26-\d"),
    _p("va_circular",
         r"\b(?:VA\s+)?Circular\s+26-(?P<y>\d{2})-(?P<n>\d{1,2}),?\s+Change\s+(?P<c>\d{1,2})\b",
         "VA Circular 26-{y}-{n}, Change {c}", names=r"Circular\s+26-\d"),
    _p("va_circular",
         r"\b(?:VA\s+)?Circular\s+26-(?P<y>\d{2})-(?P<n>\d{1,2})\b", "VA Circular 26-{y}-{n}",
         names=r"Circular\s+26-\d"),
    _p("hud_handbook",
         r"\b(?:HUD\s+)?Handbook\s+(?P<h>\d{4}\.\d)" + _REVISION + r",?\s+(?:(?:(?:at|Section)\s+)?" + _OUTLINE +
         r"|\((?:Section\s+)?" + _OUTLINE.replace("<s>", "<t>").replace("<p>", "<q>") + r"\))",
         "HUD Handbook {h}{r}, {s}{t}{p}{q}", "Handbook"),
    _p("hud_handbook",
         r"\b(?:HUD\s+)?Handbook\s+(?P<h>\d{4}\.\d)" + _REVISION + r",?\s+[Cc]hapter\s+(?P<c>\d{1,2})"
         r",?\s+[Pp]ara(?:graph|\.)\s+(?P<p>\d{1,2}-\d{1,2})\b",
         "HUD Handbook {h}{r}, Chapter {c}, Paragraph {p}", "Handbook"),
    _p("hud_handbook",
         r"\b(?:HUD\s+)?Handbook\s+(?P<h>\d{4}\.\d)" + _REVISION + r",?\s+[Cc]hapter\s+(?P<c>\d{1,2})(?![-.]?\d)",
         "HUD Handbook {h}{r}, Chapter {c}", "Handbook"),
    _p("hud_handbook",
         r"\b(?:HUD\s+)?Handbook\s+(?P<h>\d{4}\.\d)" + _REVISION
         + r",?\s+[Pp]ara(?:graph|\.)\s+(?P<p>\d{1,2}-\d{1,2})\b",
         "HUD Handbook {h}{r}, Paragraph {p}", "Handbook"),
    _p("hud_handbook",
         r"\b[Pp]ara(?:graph|\.)\s+(?P<p>\d{1,2}-\d{1,2})(?:\.?[A-Z])?\s+of\s+(?:the\s+)?(?:HUD\s+)?Handbook\s+"
         r"(?P<h>\d{4}\.\d)" + _REVISION,
         "HUD Handbook {h}{r}, Paragraph {p}", "Handbook"),
    _p("hud_handbook",
         r"\b[Cc]hapter\s+(?P<c>\d{1,2})\s+of\s+(?:the\s+)?(?:HUD\s+)?Handbook\s+(?P<h>\d{4}\.\d)" + _REVISION,
         "HUD Handbook {h}{r}, Chapter {c}", "Handbook"),
    _p("hud_handbook",
         r"\b(?:Section\s+)?" + _OUTLINE + r"\s+of\s+(?:the\s+)?(?:HUD\s+)?Handbook\s+(?P<h>\d{4}\.\d)\b",
         "HUD Handbook {h}, {s}{p}", "Handbook"),
    _p("hud_handbook",
         r"\b(?:HUD\s+)?Handbook\s+(?P<h>\d{4}\.\d),?\s+Appendix\s+(?P<a>\d{1,2}\.\d{1,2})\b",
         "HUD Handbook {h}, Appendix {a}", "Handbook"),
    _p("hud_handbook",
         r"\bAppendix\s+(?P<a>\d{1,2}\.\d{1,2})\s+of\s+(?:the\s+)?(?:HUD\s+)?Handbook\s+(?P<h>\d{4}\.\d)\b",
         "HUD Handbook {h}, Appendix {a}", "Handbook"),
    _p("hud_handbook",
         r"\b(?:HUD\s+)?Handbook\s+(?P<h>\d{4}\.\d)" + _REVISION + r"\b", "HUD Handbook {h}{r}", "Handbook"),
    _p("hud_handbook",
         r"(?<![\w.])(?P<s>(?:II|III|IV|V"
         r"|I)\.[A-E]\.\d{1,2}\.[a-z](?:\.[ivx]{1,5})?)\b(?P<p>(?:\([A-Za-z0-9]{1,3}\)){0,4})",
         "HUD Handbook 4000.1, {s}{p}", names=r"[IV]\.[A-E]\.\d"),
    _p("fannie",
         r"\b(?:Selling\s+Guide\s+)?(?:Announcement\s+)?SEL-(?P<y>20\d{2})-(?P<n>\d{2})\b",
         "Fannie Mae Selling Guide Announcement SEL-{y}-{n}", "SEL-"),
    _p("fannie",
         r"\b(?:(?:Fannie\s+Mae\s+)?Servicing\s+Guide\s+)?(?:Announcement\s+)?SVC-(?P<y>20\d{2})-(?P<n>\d{2})\b",
         "Fannie Mae Servicing Guide Announcement SVC-{y}-{n}", "SVC-"),
    _p("fannie",
         r"\bLender\s+Letter\s+LL-(?P<y>20\d{2})-(?P<n>\d{2})\b", "Fannie Mae Lender Letter LL-{y}-{n}", "LL-"),
    _p("fannie",
         r"\b(?:Fannie\s+Mae\s+)?Servicing\s+Guide,?\s+(?P<s>[A-F]\d?-\d{1,2}(?:\.\d{1,2})?-\d{2})\b",
         "Fannie Mae Servicing Guide {s}", "Servicing"),
    _p("fannie",
         r"\b(?:(?:Fannie\s+Mae\s+)?Selling\s+Guide,?\s+(?:Section\s+)?)?(?P<s>(?:[A-E]\d"
         r"|E)-\d{1,2}(?:\.\d{1,2})?-\d{2})\b",
         "Fannie Mae Selling Guide {s}", names=r"[A-E]\d?-\d{1,2}(?:\.\d{1,2})?-\d{2}"),
    _p("freddie",
         r"\bFreddie\s+Mac\s+Bulletin\s+(?P<n>20\d{2}-\d{1,2})\b", "Freddie Mac Bulletin {n}", "Freddie"),
    _p("freddie",
         r"\bGuide\s+Exhibit\s+(?P<n>\d{1,3})\b", "Freddie Mac Guide, Exhibit {n}", "Exhibit"),
    _p("other",
         r"\b(?P<a>CFPB|OCC|FDIC|NCUA|FHFA|FRB)\s+(?P<k>Bulletin|Circular|Advisory Bulletin)\s+(?P<n>(?:20\d{2}|"
         r"AB)[-\s]\d{1,4}(?:-\d{1,3})?)\b", "{a} {k} {n}", names=r"(?:Bulletin|Circular)\s+(?:20|AB)"),
    _p("other",
         r"\b(?:FR\s+Doc\.?|[Rr]ule\s+document)\s+(?:No[.:]\s+)?(?P<n>(?:E\d|\d{2,4})-\d{4,6})\b",
         "FR Doc. {n}", names=r"FR\s+Doc|ule\s+document"),
    _p("other",
         r"\b(?:FDIC\s+)?(?:Financial\s+Institution\s+Letters?\s+)?(?:\(FIL\)\s+)?FIL-(?P<n>\d{1,3})-(?P<y>(?:19|20)\d{2})\b",
         "FDIC FIL-{n}-{y}", "FIL-"),
    _p("other",
         r"\b(?P<k>(?:Federal\s+Reserve\s+)?(?:SR|CA))\s+[Ll]etters?\s+(?P<n>\d{2}-\d{1,2})\b", "{k} Letter {n}",
         "Letter", "letter"),
    _p("other",
         r"\b(?:CFPB\s+)?Compliance\s+Bulletin(?:\s+and\s+Policy\s+Guidance)?\s+(?P<n>20\d{2}-\d{2})\b",
         "CFPB Bulletin {n}", names=r"Compliance\s+Bulletin\s"),
    _p("other",
         r"\b(?:CFPB\s+)?Consumer\s+Financial\s+Protection\s+(?P<k>Circular|Bulletin)\s+(?P<n>20\d{2}-\d{1,2})\b",
         "CFPB {k} {n}", names=r"Protection\s+(?:Circular|Bulletin)\s"),
    _p("other",
         r"\b(?:NCUA\s+)?Letters?\s+(?:to\s+(?:Federal\s+)?Credit\s+Unions?,?\s+)?(?:\(?(?:LCU|LTCU)\)?\s+)?(?:No\.\s*)?"
         r"(?P<n>\d{2}-F?CU-\d{2})\b", "NCUA Letter to Credit Unions {n}", names=r"\d\d-F?CU-\d"),
    _p("other",
         r"\b(?:NCUA\s+)?Regulatory\s+Alert\s+(?:No\.\s*)?(?P<n>\d{2}-RA-\d{2})\b", "NCUA Regulatory Alert {n}",
         names=r"\d\d-RA-\d"),
    _p("other",
         r"\b(?:HUD\s+)?(?:Notices?\s+(?:No\.\s*)?(?P<o>PIH|H|FHEO)|(?P<q>PIH|FHEO)(?:\s+Notice)?)[-\s](?:No\.\s*)?"
         r"(?P<n>(?:(?:19|20)\d{2}|[0189]\d)-\d{1,3})\b(?:\s+\((?:HA|HUD)\))?",
         "HUD Notice {o}{q} {n}", names=r"(?:Notices?\s+(?:No\.\s*)?H|PIH|FHEO)(?:-|\s)"),
    _p("other",
         r"\bOCC\s+(?P<k>Advisory\s+Letter|Banking\s+Circular)\s+(?P<n>\d{4}-\d{1,3}|\d{3})\b", "OCC {k} {n}", "OCC"),
    _p("other",
         r"\bRD\s+Instruction\s+(?P<n>\d{3,4}(?:\.\d{1,2})?-[A-Z]),?\s+Exhibit\s+(?P<e>[A-Z]{1,2}(?:-\d{1,2})?)\b",
         "RD Instruction {n}, Exhibit {e}", "Instruction"),
    _p("other",
         r"\bRD\s+Instruction\s+(?P<n>\d{3,4}(?:\.\d{1,2})?-[A-Z])\b", "RD Instruction {n}", "Instruction"),
    _p("other",
         r"\b(?:HUD\s+)?(?:CPD\s+Notice|Notice:?\s+CPD)[-\s](?P<n>\d{2}-\d{1,3})\b", "CPD Notice {n}", "CPD"),
    _p("other",
         r"\bU\.?\s?S\.?\s?S\.?\s?G\.?(?:\s{1,3}Manual)?,?\s{0,3}(?:(?:§{1,2}|[Ss]ections?)\s{0,3})?(?P<n>\d[A-Z]\d{1,2}\.\d{1,2})\b"
         r"(?P<p>(?:\([A-Za-z0-9]{1,4}\)){0,5})", "U.S.S.G. § {n}{p}", names=r"S\.?\s?S\.?\s?G"),
    _p("other",
         r"\b(?:Sentencing\s+Guidelines?|Guidelines\s+Manual),?\s+(?:§{1,2}"
         r"|[Ss]ections?)\s*(?P<n>\d[A-Z]\d{1,2}\.\d{1,2})\b"
         r"(?P<p>(?:\([A-Za-z0-9]{1,4}\)){0,5})", "U.S.S.G. § {n}{p}", "Guideline"),
    _p("other",
         r"\bRev(?:enue|\.)\s+(?P<k>Rul|Proc)(?:ing|edure|\.)\s+(?P<n>(?:(?:19|20)\d{2}|[5-9]\d)-\d{1,3})\b",
         "Rev. {k}. {n}", "Rul", "Proc"),
    _p("other",
         r"\bI(?:RS|\.R\.S\.|nternal\s+Revenue\s+Service)\s+(?P<k>Notice|Announcement)\s+(?P<n>(?:(?:19"
         r"|20)\d{2}|[5-9]\d)-\d{1,3})\b",
         "I.R.S. {k} {n}", "IRS", "I.R.S.", "Internal"),
    _p("other",
         r"\bT\.\s?D\.\s+(?P<n>\d{4,5})\b", "T.D. {n}", names=r"T\.\s?D\.\s+\d"),
    _p("other",
         r"\b(?P<h>H\.\s?R\.|S\.)\s+(?P<k>Conf\.\s+)?Rep\.\s+(?:No\.\s+)?(?P<n>\d{2,3}[-–]\d{1,4})\b",
         "{h} Rep. No. {n}", "Rep."),
    _p("eo",
         r"\bE(?:xecutive\s+Order|xec\.\s+Order|\.\s?O\.)\s+(?:Nos?\.\s*)?(?P<n>(?:[A-Z]{1,3}-)?\d{2,4}-\d{1,3})\b(?![-–])",
         "Exec. Order {n}", names=r"E(?:xecutive\s+Order|xec\.\s+Order|\.\s?O\.)\s"),
    _p("other",
         r"\b(?:Presidential\s+)?Proclamation\s+(?:No\.\s*)?(?P<n>\d{4,5})\b", "Proclamation {n}", "Proclamation"),
    _p("other",
         r"\b(?P<y>(?:19|20)\d{2})\s+(?P<s>[A-Z][\w.]{0,9}(?:\s[A-Z][\w.]{0,9}){0,2}\s(?:Sess\.\s)?(?:Laws|Acts"
         r"|Stat\.|Pub\.\sActs)),?\s+"
         r"(?P<k>[Cc]h\.|c\.|[Cc]hapter|Act|No\.|P\.A\.)\s*(?P<n>\d{1,4})\b",
         "{y} {s} {k} {n}", names=r"(?:Laws|Acts|Stat\.),?\s+(?:[Cc]h|c\.|Act|No\.|P\.A\.)"),
    _p("other",
         r"\b(?P<s>Session\s+Laws?|Laws|Acts|Stats\.|Statutes|St\.|L\.|P\.\s?L\.|PL)\s+(?:of\s+(?:[A-Z][a-z]+\s){0,2})?(?P<y>(?:1[89]"
         r"|20)\d{2}),?\s+(?:[Cc]h(?:\.|apter)|c\.|"
         r"(?P<a>No\.|Act)\s)\s*(?P<n>\d{1,4}[A-Z]?)\b",
         "Laws {y}, ch. {n}", "Law", "Acts ", "Stat", "St. ", "L. ", "PL ",
         names=r"\d\d{3},?\s+(?:[Cc]h|c\.|No\.|Act)"),
    _p("other",
         r"\b[Cc]h(?:apter|\.)" + _OF_LAWS, "Laws {y}, ch. {n}", names=_LAWS_OF_YEAR),
    _p("other",
         r"\bAct(?:\s+No\.)?" + _OF_LAWS, "Laws {y}, ch. {n}", "Laws", "Acts", names=_LAWS_OF_YEAR),
    _p("other",
         r"(?<![\d.-])(?P<y>(?:1[89]|20)\d{2})\s+c\.?\s+(?P<n>\d{1,4})(?=\s+(?:art\s+\d+\s+)?[s§]\s)",
         "Laws {y}, ch. {n}", " c ", " c. "),
    _p("other",
         r"\bP\.\s?L\.\s?(?P<n>\d{1,3}-(?:19|20)\d{2})\b", "P.L. {n}", "P.L.", "P. L."),
    _p("other",
         r"\b(?:Session\s+Law|S\.\s?L\.|SL)\s+(?P<n>(?:19|20)\d{2}-\d{1,3})\b",
         "Session Law {n}", "Session Law", "S.L.", "S. L.", "SL 20"),
    _p("other",
         r"\b(?:Public\s+Act|P\.\s?A\.)\s+(?:No\.\s*)?(?P<n>\d{2,3}-\d{1,4})\b",
         "Public Act {n}", "Public Act", "P.A.", "P. A."),
    _p("other",
         r"\b(?P<y>(?:19|20)\d{2})\s+(?P<s>Wisconsin|Wis\.|PA|Public)\s+Act\s+(?P<n>\d{1,4})\b",
         "{y} {s} Act {n}", "Act", names=r"(?:Wisconsin|Wis\.|PA|Public)\s+Act"),
    _p("other",
         r"\bOrd(?:inance|\.)\s+(?:Nos?\.|Number|#)\s*(?P<n>(?:[A-Z]{1,3}-)?\d{1,6}(?:[-–.]\d{1,5}){0,3})\b",
         "Ordinance No. {n}", "Ord"),
    _p("other",
         r"(?<![\d.])(?P<v>\d{1,3})\s+U\.\s?S\.\s+(?P<p>\d{1,4})\b(?!\s*C)", "{v} U.S. {p}", names=r"U\.\s?S\.\s+\d"),
)
# fmt: on


# Series of numbers behind one head: "Mortgagee Letters 2020-05 and 2021-03", "Public Laws 111-203 and 115-174".

_NEXT = re.compile(r"(?:[,;]\s{1,3}(?:and\s+|or\s+)?|\s{1,3}(?:and|or|through)\s+)")
# The longest list of a year of the Federal Register has 61 items.
_MOST = 100


class Series(NamedTuple):
    """A head, and what each number behind it looks like; ``form`` is filled from the groups of the number."""

    kind: str
    head: Triggered
    number: re.Pattern[str]
    form: str


def _s(kind: str, needed: str, head: str, number: str, form: str) -> Series:
    return Series(kind, triggered(needed, head), re.compile(number), form)


# fmt: off
SERIES = (
    _s("mortgagee_letter", "[Ll]etters|LETTERS|MLs", _LETTERS, r"(?P<n>(?:19|20)\d{2}-\d{2})\b",
       "Mortgagee Letter {n}"),
    _s("mortgagee_letter", "[Ll]etters|LETTERS|MLs", _LETTERS, r"(?P<n>[012]\d-\d{2})\b",
       "Mortgagee Letter 20{n}"),
    _s("mortgagee_letter", "[Ll]etters|LETTERS|MLs", _LETTERS, r"(?P<n>[789]\d-\d{2})\b",
       "Mortgagee Letter 19{n}"),
    _s("va_circular", r"irculars\s+26-", r"\b(?:VA\s+)?Circulars\s+", r"(?P<n>26-\d{2}-\d{1,2})\b", "VA Circular {n}"),
    _s("docket", r"ockets?\s+(?:No|ID|[Nn]umber)", r"\b[Dd]ockets?\s+(?:Nos?\.?|IDs?|[Nn]umbers?)\s*(?::\s*)?",
       r"(?P<n>[A-Z]{1,8}\d{0,4}-(?:[A-Z0-9]{1,8}-){0,4}\d{2,6})\b", "Docket No. {n}"),
    _s("rin", r"RINs?:?\s", r"\bRINs?:?\s+", r"(?P<n>\d{4}-[A-Z]{2}\d{2})\b", "RIN {n}"),
    _s("eo", r"Orders\s+(?:No|\d)", r"\bExec(?:utive|\.)\s+Orders\s+(?:Nos?\.\s*)?", r"(?P<n>\d{4,5})\b",
       "Exec. Order {n}"),
    _s("publ", r"Public\s+Laws?\s", r"\bPublic\s+Laws\s+(?:Nos?\.?\s*)?", r"(?P<n>\d{2,3}-\d{1,4})(?!\d)",
       "Pub. L. {n}"),
    _s("publ", r"Public\s+Laws?\s", r"\bPublic\s+Law\s+No:\s*", r"(?P<n>\d{2,3}-\d{1,4})(?!\d)", "Pub. L. {n}"),
    _s("fannie", r"Lender\s+Letter", r"\bLender\s+Letters?\s+", r"(?:LL-)?(?P<n>20\d{2}-\d{2})\b",
       "Fannie Mae Lender Letter LL-{n}"),
    _s("fannie", r"Servicing\s+Guide",
       r"\b(?:Fannie\s+Mae\s+)?Servicing\s+Guide,?\s+(?:(?:Procedures?|Sections?|Topics?)\s+)?",
       r"(?P<n>[A-F]\d?-\d{1,2}(?:\.\d{1,2})?-\d{2})\b", "Fannie Mae Servicing Guide {n}"),
    _s("other", r"OCC\s+Bulletin", r"\bOCC\s+Bulletins?\s+", r"(?P<n>(?:19|20)\d{2}-\d{1,2})\b", "OCC Bulletin {n}"),
    _s("other", r"CFPB\s+Bulletin", r"\bCFPB\s+Bulletins?\s+", r"(?P<n>20\d{2}-\d{2})\b", "CFPB Bulletin {n}"),
    _s("other", r"Advisory\s+Bulletin", r"\bFHFA\s+Advisory\s+Bulletins?\s+", r"(?:AB\s)?(?P<n>20\d{2}-\d{2})\b",
       "FHFA Advisory Bulletin AB {n}"),
    _s("freddie", r"Bulletins?\s+20\d{2}-", r"\b(?:Freddie\s+Mac\s+(?:Guide\s+)?|Guide\s+)Bulletins?\s+",
       r"(?P<n>20\d{2}-\d{1,2})\b",
       "Freddie Mac Bulletin {n}"),
    _s("freddie", r"Guide,?\s+Chapter", r"\b(?:Freddie\s+Mac\s+)?Guide,?\s+Chapters?\s+", r"(?P<n>\d{4})\b(?!\.\d)",
       "Freddie Mac Guide, Chapter {n}"),
    _s("freddie", r"Guide,?\s+Exhibit", r"\b(?:Freddie\s+Mac\s+)?Guide,?\s+Exhibits?\s+", r"(?P<n>\d{1,3})\b(?!\.\d)",
       "Freddie Mac Guide, Exhibit {n}"),
    _s("hud_handbook", "Handbooks", r"\b(?:HUD\s+)?Handbooks\s+", r"(?P<n>\d{4}\.\d(?:\s+REV-\d)?)\b",
       "HUD Handbook {n}"),
)
# fmt: on


def find_series(text: str) -> Iterator[Citation]:
    """Each number of each series; the first carries the head."""
    for series in SERIES:
        for head in series.head.finditer(text):
            yield from _numbers(text, head, series)


def _numbers(text: str, head: re.Match[str], series: Series) -> Iterator[Citation]:
    start, at = head.start(), head.end()
    for _ in range(_MOST):
        number = series.number.match(text, at)
        if number is None:
            return
        yield Citation(start, number.end(), series.kind, series.form.format_map(number.groupdict()))
        following = _NEXT.match(text, number.end())
        if following is None:
            return
        start = at = following.end()


# Chapters and topics of agencies' handbooks, cited without their book where the text or the page is about one.


class Guide(NamedTuple):
    """A book: ``about`` tells a text or a page that is about it; within that ``regex`` finds its places."""

    kind: str
    about: Triggered
    regex: re.Pattern[str]
    form: str


def _g(kind: str, about: str, regex: str, form: str) -> Guide:
    return Guide(kind, triggered(about, about), re.compile(regex), form)


_FREDDIE = r"Freddie\s+Mac"
_SUPERVISORS = r"Federal\s+Reserve|SR\s+[Ll]etter|OCC\s|FDIC\s|FIL-\d"
# fmt: off
GUIDES = (
    _g("freddie", _FREDDIE, r"\bChapters?\s+(?P<c>\d{4})\b(?!\.\d)(?:\s+of\s+the\s+(?:Single-Family\s+)?Guide\b)?",
       "Freddie Mac Guide, Chapter {c}"),
    _g("freddie", _FREDDIE, r"(?<=\d{4}\sand\s)(?P<c>\d{4})\s+of\s+the\s+Guide\b", "Freddie Mac Guide, Chapter {c}"),
    _g("other", _SUPERVISORS, r"\bSR\s(?:Letter\s)?(?P<n>\d{2}-\d{1,2})\b(?!-)", "SR Letter {n}"),
    _g("other", _SUPERVISORS, r"\bCA\s(?:Letter\s)?(?P<n>\d{2}-\d{1,2})\b(?!-)", "CA Letter {n}"),
    _g("freddie", _FREDDIE, r"\bGuide\s+(?P<n>[1-9]\d{3}\.\d{1,2}(?:\([a-z\d]{1,4}\)){0,5})(?![\w.]?\d)",
       "Freddie Mac Guide § {n}"),
    _g("freddie", _FREDDIE, r"\bBulletin\s+(?P<n>20\d{2}-\d{1,2})\b", "Freddie Mac Bulletin {n}"),
)
# fmt: on


def find_guides(text: str, context: Mapping[str, str] | None) -> Iterator[Citation]:
    """The places of those books that the text names, or that the page belongs to by ``title`` or ``agency``."""
    page = " ".join(str(value) for key, value in (context or {}).items() if key in {"title", "agency"} and value)
    for guide in GUIDES:
        if guide.about.regex.search(page) or guide.about.search(text):
            for match in guide.regex.finditer(text):
                yield Citation(match.start(), match.end(), guide.kind, guide.form.format_map(match.groupdict()))
