"""The lines that change on a page by themselves: clocks, stamps, counters, traces, each by a rule with a name.

A rule fires only when its pattern covers a whole line. A line that speaks of law is never one of them, whatever it
looks like: "Effective date: July 1, 2024", "[80 FR 12345, March 1, 2015]".
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple, cast

from lxml import etree
from lxml.html import HtmlElement

from rori_spiders.content.dom_names import names
from rori_spiders.content.html.entries import is_entry, is_in_sentence, is_text_in_sentence
from rori_spiders.content.html.tree import drop
from rori_spiders.runtime.plugins import NoiseRule, active_plugins

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
_WHEN = r"(?:\s+(?:on|at|as\s+of|date|time))*\s*(?::\s*)?"
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
        rf"(?:you\s+are\s+)?(?:total\s+)?{_COUNTED}\s*+(?:(?:number|no\.?|count(?:er)?)\s*+)?"
        r"(?:since[^:]{0,40})?[:#\s]*+[\d,]+",
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
    r"t(?:ime|oday|ra(?:ce|nsaction))|d(?:ate|ownloads)|p(?:age|ublished)|s(?:ite|e(?:ssion|rver))|updated|modified"
    r"|c(?:ontent|h(?:ang|eck)ed|srf|orrelation)|re(?:v(?:iew|is)ed|quest|freshed)|ago|vi(?:sit|ews)|hits|guest|no(?:nce|w)"
)


@cache
def _all_rules() -> tuple[tuple[Rule, ...], re.Pattern[str]]:
    """The rules above and those of plug-ins, and what triggers one of them."""
    added = [(f"plug-in {one.name}", plugin) for one, plugin in active_plugins(NoiseRule)]
    rules = (_rule(name, plugin.pattern, only_at_foot=plugin.only_at_foot) for name, plugin in added)
    words = (re.escape(word.lower()) for _, plugin in added for word in plugin.words)
    return (*RULES, *rules), re.compile("|".join((TRIGGER.pattern, *words)))


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
    if len(line) > LINE_CHARS:
        return None
    name = next(
        (rule.name for rule in _all_rules()[0] if (at_foot or not rule.only_at_foot) and rule.pattern.fullmatch(line)),
        None,
    )
    return None if name is None or speaks_of_law(line) else name


# What changes on a page by itself, taken out of its tree before markdown is written and hashed. Lines that a rule of
# `stamps` covers, banners that turn or come and go, session ids in the addresses of links. The names of the rules
# that fired are kept with the page.

_MOST_LEVELS_UP = 4
# A line with the indentation of its source; longer text is not a line.
_RAW_CHARS = 4 * LINE_CHARS
# A stamp without the word "page" is boilerplate only after this share of the page's elements.
_FOOT = 0.75
_BANNER_ROLES = names("marquee timer alert")
# Most pages have none. To ask for attributes takes less than half of a walk over the elements.
_HAS_BANNER_ROLE = etree.XPath(
    "boolean(descendant-or-self::marquee)"
    " or boolean(descendant-or-self::*/@role[. = 'marquee' or . = 'timer' or . = 'alert'])"
)
_CLASSES = etree.XPath("descendant-or-self::*/@class", smart_strings=False)
_TURNS = ("data-ride", "data-bs-ride", "data-interval")
_NOT_LINES = names("script style noscript template textarea title head meta link svg pre code option")
_TOKEN_INPUT = re.compile(
    r"csrf|nonce|token|viewstate|eventvalidation|form_build_id|verification|session", re.IGNORECASE
)
_BANNER_CHARS = 600
_SESSION = re.compile(
    r";jsessionid=[\w.!-]+"
    r"|(?<=[?&])(?:jsessionid|phpsessid|aspsessionid\w*|cfid|cftoken|sessionid|session_id|sid|nonce|_wpnonce|csrf_?token"
    r"|authenticity_token|_|cachebust\w*|timestamp)=[\w.%!-]{6,}(?:&|$|(?=\#))",
    re.IGNORECASE,
)


def remove_volatile(root: HtmlElement) -> tuple[str, ...]:
    """Apply every rule to *root*, and name those that fired, each once.

    A line inside a sentence, or an entry of a table or list, is none (`entries`).

    Beyond those of `stamps.RULES`: ``form_token`` (hidden inputs with tokens, which never reach the text anyway),
    ``rotating_banner`` (site banners, alerts, marquees and carousels that turn by themselves, unless they are long or
    speak of law) and ``session_link`` (session ids and nonces in the addresses of links).
    """
    if any(map(_is_token, list(root.iter("input")))):
        return ("form_token", *(name for name in _remove(root) if name != "form_token"))
    return _remove(root)


def _is_token(control: HtmlElement) -> bool:
    return (control.get("type") or "").lower() == "hidden" and bool(_TOKEN_INPUT.search(control.get("name") or ""))


def _remove(root: HtmlElement) -> tuple[str, ...]:
    fired = {name for name, element in list(_stamped(root)) if _take(element)}
    if _drop_banners(root):
        fired.add("rotating_banner")
    if _clean_links(root):
        fired.add("session_link")
    order = [*(rule.name for rule in _all_rules()[0]), "rotating_banner", "session_link"]
    return tuple(name for name in order if name in fired)


class _Run(NamedTuple):
    """A text of its own among other children: the text or the tail of an element."""

    element: HtmlElement
    is_tail: bool


def _take(target: HtmlElement | _Run) -> bool:
    if isinstance(target, _Run):
        if target.is_tail:
            target.element.tail = " "
        else:
            target.element.text = " "
    else:
        drop(target)
    return True


def _stamped(root: HtmlElement) -> Iterator[tuple[str, HtmlElement | _Run]]:
    """The lines that a rule covers, the widest element that is such a line first choice."""
    elements = [element for element in root.iter() if element.tag not in _NOT_LINES]
    foot, triggers = len(elements) * _FOOT, _all_rules()[1].search
    for at, element in enumerate(elements):
        for text, is_tail in ((element.text, False), (element.tail, True)):
            if not text or len(text) > _RAW_CHARS or text.isspace() or triggers(text.lower()) is None:
                continue
            at_foot = at >= foot or any(parent.tag == "footer" for parent in element.iterancestors())
            start = element.getparent() if is_tail else element
            if start is None or is_entry(start, text):
                continue
            if (found := _widest(start, root, at_foot=at_foot)) is not None:
                if not is_in_sentence(found[1]):
                    yield found
            elif not is_text_in_sentence(element, is_tail=is_tail) and (name := rule_covering(text, at_foot=at_foot)):
                yield name, _Run(element, is_tail)


def _widest(element: HtmlElement | None, root: HtmlElement, *, at_foot: bool) -> tuple[str, HtmlElement] | None:
    found = None
    for _ in range(_MOST_LEVELS_UP):
        if element is None or element is root or element.tag in {"body", "html", "main", "td", "th", "h1"}:
            return found
        text = element.text_content()
        if len(text) > _RAW_CHARS:
            return found
        if (name := rule_covering(text, at_foot=at_foot)) is not None:
            found = (name, element)
        element = element.getparent()
    return found


def _drop_banners(root: HtmlElement) -> bool:
    fired = False
    if not _may_have_banners(root):
        return False
    for banner in list(filter(_is_banner, root.iter())):
        text = banner.text_content()
        says = speaks_of_law(text) or (banner.get("role") == "alert" and speaks_of_terms(text))
        if len(text) < _BANNER_CHARS and not says and banner.find(".//h1") is None:
            fired = fired or bool(text.strip())
            drop(banner)
    return fired


def _may_have_banners(root: HtmlElement) -> bool:
    if _HAS_BANNER_ROLE(root):
        return True
    classes = " ".join(cast("list[str]", _CLASSES(root)))
    return "carousel" in classes or "usa-banner" in classes


def _is_banner(element: HtmlElement) -> bool:
    if element.tag == "marquee" or element.get("role") in _BANNER_ROLES:
        return True
    named = element.get("class")
    if not named:
        return False
    if "carousel" in named and any(element.get(name) is not None for name in _TURNS):
        return True
    return "usa-banner" in named and "usa-banner" in named.split()


def _clean_links(root: HtmlElement) -> bool:
    fired = False
    for link in root.iter("a", "area"):
        href = link.get("href") or ""
        if "=" not in href:
            continue
        clean = _SESSION.sub("", href)
        if clean != href:
            link.set("href", clean.rstrip("?&"))
            fired = True
    return fired
