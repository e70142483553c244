"""What changes on a page by itself, taken out of its tree before markdown is written and hashed.

Lines that a rule of `stamps` covers, banners that turn or come and go, session ids in the addresses of links. The names
of the rules that fired are kept with the page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.entries import is_entry, is_in_sentence, is_text_in_sentence
from rori_spiders.content.names import names
from rori_spiders.content.stamps import LINE_CHARS, RULES, TRIGGER, rule_covering, speaks_of_law, speaks_of_terms
from rori_spiders.content.tree import drop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

_MOST_LEVELS_UP = 4
# A line with the indentation of its source; what is longer is no line.
_RAW_CHARS = 4 * LINE_CHARS
# A stamp without the word "page" is furniture only after this share of the page's elements.
_FOOT = 0.75
_BANNER_ROLES = names("marquee timer alert")
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
    order = [*(rule.name for rule in RULES), "rotating_banner", "session_link"]
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
    foot = len(elements) * _FOOT
    for at, element in enumerate(elements):
        for text, is_tail in ((element.text, False), (element.tail, True)):
            if not text or len(text) > _RAW_CHARS or text.isspace() or not TRIGGER.search(text.lower()):
                continue
            at_foot = at >= foot or _in_footer(element)
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


def _in_footer(element: HtmlElement) -> bool:
    return any(parent.tag == "footer" for parent in element.iterancestors())


def _drop_banners(root: HtmlElement) -> bool:
    fired = False
    for banner in [element for element in root.iter() if _is_banner(element)]:
        text = banner.text_content()
        says = speaks_of_law(text) or (banner.get("role") == "alert" and speaks_of_terms(text))
        if len(text) < _BANNER_CHARS and not says and banner.find(".//h1") is None:
            fired = fired or bool(text.strip())
            drop(banner)
    return fired


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
        clean = _SESSION.sub("", href)
        if clean != href:
            link.set("href", clean.rstrip("?&"))
            fired = True
    return fired
