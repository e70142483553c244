"""Citations that one expression tells whole: a table of kind, expression and canonical form. Data only.

Every expression is linear: no nested repetition, every repetition bounded or of one class of characters. ``form`` is
filled from the named groups of the match.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pattern:
    """One expression. ``form`` uses ``str.format`` with the match's groups.

    A text without any of ``words`` has no match; to look for words costs a hundredth of trying everywhere.
    """

    kind: str
    regex: re.Pattern[str]
    form: str
    words: tuple[str, ...]

    def may_be_in(self, text: str) -> bool:
        return not self.words or any(word in text for word in self.words)


def _p(kind: str, regex: str, form: str, *words: str) -> Pattern:
    return Pattern(kind, re.compile(regex), form, words)


# An outline id of Handbook 4000.1: "II.A.4.c.ii(B)".
_OUTLINE = r"(?P<s>[IVX]{1,4}\.[A-Z](?:\.\d{1,2})?(?:\.[a-z])?(?:\.[ivx]{1,5})?)\b(?P<p>(?:\([A-Za-z0-9]{1,3}\)){0,4})"
# fmt: off
PATTERNS: tuple[Pattern, ...] = (
    _p("fr",
         r"(?<![\d.])(?P<v>\d{1,3})\s+(?:FR|F\.\s?R\.|Fed\.?\s?Reg\.?|Federal\s+Register)\s+(?P<p>\d{1,6})(?![\d.]*\d)",
         "{v} Fed. Reg. {p}", "FR", "F.", "Fed"),
    _p("stat",
         r"(?<![\d.])(?P<v>\d{2,3})\s+Stat\.?\s+(?P<p>\d{1,5})\b", "{v} Stat. {p}", "Stat"),
    _p("rin",
         r"\bRIN:?\s{0,2}(?P<a>\d{4})\s?[-–]?\s?(?P<l>[A-Z]{2})\s?[-–]?\s?(?P<n>\d{2})\b", "RIN {a}-{l}{n}", "RIN"),
    _p("docket",
         r"\b[Dd]ocket\s+(?:(?:Nos?\.?|ID|"
         r"[Nn]umber)\s*:?\s*)?(?P<id>[A-Z]{1,8}\d{0,4}-(?:[A-Z0-9]{1,8}-){0,4}\d{2,6})\b", "Docket No. {id}", "ocket"),
    _p("mortgagee_letter",
         r"\b(?:Mortgagee\s+Letter|ML)\s+(?P<y>(?:19|20)\d{2})-(?P<n>\d{2})\b",
         "Mortgagee Letter {y}-{n}", "Mortgagee", "ML"),
    _p("mortgagee_letter",
         r"\b(?:Mortgagee\s+Letter|ML)\s+(?P<y>[012]\d)-(?P<n>\d{2})\b",
         "Mortgagee Letter 20{y}-{n}", "Mortgagee", "ML"),
    _p("va_circular",
         r"\b[Cc]hange\s+(?P<c>\d{1,2})\s+to\s+(?:VA\s+)?Circular\s+26-(?P<y>\d{2})-(?P<n>\d{1,2})\b",
         "VA Circular 26-{y}-{n}, Change {c}", "Circular"),
    _p("va_circular",
         r"\b(?:VA\s+)?Circular\s+26-(?P<y>\d{2})-(?P<n>\d{1,2}),?\s+Change\s+(?P<c>\d{1,2})\b",
         "VA Circular 26-{y}-{n}, Change {c}", "Circular"),
    _p("va_circular",
         r"\b(?:VA\s+)?Circular\s+26-(?P<y>\d{2})-(?P<n>\d{1,2})\b", "VA Circular 26-{y}-{n}", "Circular"),
    _p("va_pamphlet",
         r"\bChapter\s+(?P<c>\d{1,2}),\s+Topic\s+(?P<t>\d{1,2}(?:\.[a-z])?)\s+of\s+(?:the\s+)?VA\s+Pamphlet\s+26-7\b",
         "VA Pamphlet 26-7, Chapter {c}, Topic {t}", "Pamphlet"),
    _p("va_pamphlet",
         r"\bVA\s+Pamphlet\s+26-7(?:,\s+Revised)?,\s+Chapter\s+(?P<c>\d{1,2}),\s+Topic\s+(?P<t>\d{1,2}(?:\.[a-z])?)\b",
         "VA Pamphlet 26-7, Chapter {c}, Topic {t}", "Pamphlet"),
    _p("va_pamphlet",
         r"\bVA\s+Pamphlet\s+26-7(?:,\s+Revised)?,\s+Chapter\s+(?P<c>\d{1,2})\b",
         "VA Pamphlet 26-7, Chapter {c}", "Pamphlet"),
    _p("usda_hb",
         r"\bHB-1-3555,\s+Chapter\s+(?P<c>\d{1,2}),\s+(?:Section|paragraph)\s+(?P<s>\d{1,2}\.\d{1,2})\b",
         "USDA HB-1-3555, Chapter {c}, Section {s}", "HB-1-3555"),
    _p("usda_hb",
         r"\bHB-1-3555,\s+Chapter\s+(?P<c>\d{1,2})\b", "USDA HB-1-3555, Chapter {c}", "HB-1-3555"),
    _p("hud_handbook",
         r"\b(?:HUD\s+)?Handbook\s+(?P<h>\d{4}\.\d)(?P<r>\s+REV-\d)?,?\s+(?:Section\s+)?" + _OUTLINE,
         "HUD Handbook {h}{r}, {s}{p}", "Handbook"),
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
         r"\b(?:HUD\s+)?Handbook\s+(?P<h>\d{4}\.\d)(?P<r>\s+REV-\d)?\b", "HUD Handbook {h}{r}", "Handbook"),
    _p("hud_handbook",
         r"(?<![\w.])(?P<s>(?:II|III|IV|V|I)\.[A-E]\.\d{1,2}\.[a-z](?:\.[ivx]{1,5})?)\b(?P<p>(?:\([A-Za-z0-9]{1,3}\)){0,4})",
         "HUD Handbook 4000.1, {s}{p}", "I.", "V."),
    _p("fannie",
         r"\b(?:Selling\s+Guide\s+)?(?:Announcement\s+)?SEL-(?P<y>20\d{2})-(?P<n>\d{2})\b",
         "Fannie Mae Selling Guide Announcement SEL-{y}-{n}", "SEL-"),
    _p("fannie",
         r"\bLender\s+Letter\s+LL-(?P<y>20\d{2})-(?P<n>\d{2})\b", "Fannie Mae Lender Letter LL-{y}-{n}", "LL-"),
    _p("fannie",
         r"\b(?:Fannie\s+Mae\s+)?Servicing\s+Guide,?\s+(?P<s>[A-F]\d?-\d{1,2}(?:\.\d{1,2})?-\d{2})\b",
         "Fannie Mae Servicing Guide {s}", "Servicing"),
    _p("fannie",
         r"\b(?:(?:Fannie\s+Mae\s+)?Selling\s+Guide,?\s+(?:Section\s+)?)?(?P<s>(?:[A-E]\d|E)-\d{1,2}(?:\.\d{1,2})?-\d{2})\b",
         "Fannie Mae Selling Guide {s}"),
    _p("freddie",
         r"\bFreddie\s+Mac\s+Bulletin\s+(?P<n>20\d{2}-\d{1,2})\b", "Freddie Mac Bulletin {n}", "Freddie"),
    _p("freddie",
         r"\bGuide\s+Exhibit\s+(?P<n>\d{1,3})\b", "Freddie Mac Guide, Exhibit {n}", "Exhibit"),
    _p("other",
         r"\b(?P<a>CFPB|OCC|FDIC|NCUA|FHFA|FRB)\s+(?P<k>Bulletin|Circular|Advisory Bulletin)\s+(?P<n>(?:20\d{2}|"
         r"AB)[-\s]\d{1,4}(?:-\d{1,3})?)\b", "{a} {k} {n}", "Bulletin", "Circular"),
    _p("other",
         r"\b(?:FR\s+Doc\.|[Rr]ule\s+document)\s+(?:No\.\s+)?(?P<n>(?:E\d|\d{2,4})-\d{4,6})\b",
         "FR Doc. {n}", "FR Doc", "document"),
    _p("other",
         r"\b(?:USDA\s+)?HB-1-3550,\s+Chapter\s+(?P<c>\d{1,2})\b", "USDA HB-1-3550, Chapter {c}", "HB-1-3550"),
    _p("other",
         r"\bRD\s+Instruction\s+(?P<n>\d{4}-[A-Z])\b", "RD Instruction {n}", "Instruction"),
    _p("other",
         r"\bCPD\s+Notice\s+(?P<n>\d{2}-\d{1,3})\b", "CPD Notice {n}", "CPD"),
    _p("other",
         r"(?<![\d.])(?P<v>\d{1,3})\s+U\.\s?S\.\s+(?P<p>\d{1,4})\b(?!\s*C)", "{v} U.S. {p}", "U."),
    _p("other",
         r"\b[Tt]itle\s+(?P<t>[IVXL]{1,6})\s+of\s+the\s+Dodd-Frank\s+(?:Wall\s+Street\s+Reform\s+and\s+Consumer\s+Prote"
         r"ction\s+)?Act\b", "Dodd-Frank Act, Title {t}", "Dodd-Frank"),
)
# fmt: on
