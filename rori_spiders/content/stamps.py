"""The lines that change on a page by themselves: clocks, stamps, counters, traces, each by a rule with a name.

A rule fires only when its pattern covers a whole line. A line that speaks of law is never one of them, whatever it
looks like: "Effective date: July 1, 2024", "[80 FR 12345, March 1, 2015]".
"""

from __future__ import annotations

import re
from typing import NamedTuple

# Longer lines say more than when or how often.
LINE_CHARS = 160

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s*)?"
_NTH = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = (
    rf"{_WEEKDAY}(?:\d{{1,4}}[-/.]\d{{1,2}}[-/.]\d{{1,4}}|{_MONTH}\s*{_NTH},?\s*\d{{4}}"
    rf"|{_NTH}[\s-]+{_MONTH}[\s,-]+\d{{4}}|{_MONTH}\s+\d{{4}})"
)
_ZONE = r"(?:\s*(?:[ECMPA][SD]?T|UTC|GMT|eastern|central|mountain|pacific)(?:\s+time)?)?(?:\s*[+-]\d{4})?"
_TIME = rf"\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\s*[ap]\.?m\.?)?{_ZONE}"
_MOMENT = rf"(?:{_DATE}(?:[T\s,-]*(?:at|@)?\s*{_TIME})?|{_TIME}(?:[\s,-]*(?:on\s+)?{_DATE})?)\.?"
_DONE = r"(?:updated|modified|reviewed|revised|changed|published|refreshed|checked)"
_DONE_OR = rf"{_DONE}(?:\s*(?:/|or|and|,)\s*{_DONE})*"
_WHEN = r"(?:\s+(?:on|at|as\s+of|date|time))*\s*:?\s*"
_COUNTED = r"(?:visitors?|visits?|hits|page\s*views|views|downloads|guests?)"


class Rule(NamedTuple):
    """A name, a pattern that a whole line must fit, and whether it holds only at the foot of the page."""

    name: str
    pattern: re.Pattern[str]
    only_at_foot: bool = False


def _rule(name: str, *alternatives: str, only_at_foot: bool = False) -> Rule:
    return Rule(name, re.compile("|".join(alternatives), re.IGNORECASE), only_at_foot)


RULES = (
    _rule(
        "clock",
        rf"(?:the\s+)?(?:current|local|server|system|eastern|official)\s+(?:u\.?s\.?\s+)?"
        rf"(?:date|time|date\s*(?:and|&|/)\s*time)(?:\s+is)?\s*:?\s*{_MOMENT}",
        rf"(?:today\s+is|today'?s\s+date(?:\s+is)?|it\s+is\s+now)\s*:?\s*{_MOMENT}",
    ),
    _rule(
        "page_stamp",
        rf"(?:this\s+)?(?:web\s*)?(?:page|site|content)(?:\s+(?:was|were|has\s+been))?(?:\s+(?:last|most\s+recently))?"
        rf"\s+(?:{_DONE_OR}|current(?=\s+as\s+of)){_WHEN}{_MOMENT}",
        rf"date\s+modified\s*:?\s*{_MOMENT}",
    ),
    _rule(
        "foot_stamp",
        rf"(?:last|date|most\s+recently|date\s+last)?\s*{_DONE_OR}{_WHEN}{_MOMENT}",
        only_at_foot=True,
    ),
    _rule(
        "relative_time",
        r"(?:(?:about|over|updated|posted|last\s+updated)\s+)*(?:\d+|an?)\s+(?:second|minute|hour|day)s?\s+ago",
    ),
    _rule(
        "visitor_counter",
        rf"(?:you\s+are\s+)?(?:total\s+)?{_COUNTED}\s*(?:number|no\.?|count(?:er)?)?\s*(?:since[^:]{{0,40}})?[:#\s]*[\d,]+",
        rf"(?:total\s+)?number\s+of\s+{_COUNTED}\s*:?\s*\(?[\d,]+\)?",
        rf"[\d,]+\s+(?:total\s+)?{_COUNTED}(?:\s+since.{{0,40}})?",
    ),
    _rule(
        "server_trace",
        r"(?:this\s+)?(?:page|request)\s+(?:was\s+)?(?:generated|rendered|served|processed|created)\s+in\s*:?\s*[\d.]+\s*"
        r"(?:s|ms|sec\w*|milli\w*)\.?",
        r"(?:request|session|transaction|correlation|trace|server)\s*(?:id|no\.?|name)\s*[:#]\s*[\w.:-]{6,}",
    ),
    _rule("nonce", r"(?:csrf|nonce|session|authenticity)[\w-]*(?:token|id|key)?\s*[:=]\s*[A-Za-z0-9+/=_-]{8,}"),
)

# A text without any of these words fits no rule. To be searched in lower case: a pattern that ignores case takes seven
# times as long, and this one is put to each text of each page.
TRIGGER = re.compile(
    r"time|date|today|page|site|content|updated|modified|reviewed|revised|changed|published|ago|visit|views|hits|guest"
    r"|downloads|request|session|trace|nonce|csrf|server|checked|refreshed|now|transaction|correlation"
)
_LAW = re.compile(
    r"effective|amend|enact|adopt|expir|complian|comply|comment|hearing|meeting|deadline|\bdated|\bfiled|approv|issued"
    r"|docket|section|\b(?:rule|order|act|law|due|notice)s?\b|§|¶|\bstat\.|\bpub\.?\s?l|\bF\.?R\.?\b|\bC\.?F\.?R|\bU\.?\s?S\.?\s?C",
    re.IGNORECASE,
)

# What notices in boxes say to those who must act on them; agencies mark such boxes as alerts, as Bootstrap does.
_TERMS = re.compile(
    r"[$%]|\b(?:not|must|shall|only|unless|until|except|no longer|requir\w*|prohibit\w*|eligib\w*|limit\w*|fees?|rates?"
    r"|loans?|lend\w*|mortgag\w*|borrow\w*|credit\w*|consumers?|applica\w*|forms?|regulat\w*|guid\w*)\b",
    re.IGNORECASE,
)


def speaks_of_law(text: str) -> bool:
    """Whether *text* may be part of what the page is collected for."""
    return bool(_LAW.search(text))


def speaks_of_terms(text: str) -> bool:
    """Whether *text*, a box that may come and go, says what someone may, must or has to pay."""
    return bool(_TERMS.search(text))


def rule_covering(text: str, *, at_foot: bool) -> str | None:
    """The name of the rule whose pattern covers the whole of *text*, if it is one line and does not speak of law."""
    line = " ".join(text.split())
    if len(line) > LINE_CHARS or speaks_of_law(line):
        return None
    return next(
        (rule.name for rule in RULES if (at_foot or not rule.only_at_foot) and rule.pattern.fullmatch(line)), None
    )
