"""Parts that a page hides until its reader, or its script, opens them: tabs, accordions, answers, tables of results.

They are content: regulators fold their questions and answers that way, and courts their lists of opinions. Told by the
control that opens them, by what they are called, or by a table with headers in them.
"""

import re
from typing import NamedTuple, cast

from lxml import etree
from lxml.html import HtmlElement

from rori_spiders.content.dom_names import names

_OVERLAY = re.compile(
    r"modal|dialog|popup|pop-up|lightbox|offcanvas|overlay|menu|nav|tooltip|cookie|consent|search(?!-?results)"
    r"|shar(?:e|ing)[-_]|[-_]shar(?:e|ing)|feedback|newsletter|subscri",
    re.IGNORECASE,
)
_PANEL = re.compile(
    r"accordion|tabs?[-_]{0,2}(?:content|pane|panel)|panel[-_]{0,2}(?:body|content|collapse)|(?:^|"
    r"[\s_-])collaps(?:e|ed|ible)(?:$|[\s_-])"
    r"|toggle[-_]{0,2}(?:content|body|text)|faq|(?:^|[\s_-])answer|expand(?:able|ed|er)?[-_]{0,2}(?:content|text|body)",
    re.IGNORECASE,
)
# What an icon or a toggle's second state is labelled with is shorter; an answer that a control says it opens may be
# as short as "No."
_PANEL_CHARS = 80
_LINKS = names("a button")
_HEADS = names("h2 h3 h4 h5 h6 dt summary button")
_FOLDED = names("div section dd p ul ol article table")
# What stands behind "Read more" in a text that is cut short.
_REST = re.compile(r"(?:^|\s)(?:read-?)?(?:more|rest|full)(?:[-_]?(?:text|content))?(?:$|\s)", re.IGNORECASE)
_TURNING = names("div section article li fieldset")
_HIDES = re.compile(r"none|hidden|hide|invisible", re.IGNORECASE)
_MESSAGE = re.compile(r"alert|message|error|warning|toast|template|notice|banner|row|item-?copy", re.IGNORECASE)
_SWITCH = re.compile(r"toggle|accordion|faq|question|expand|collaps|unfold", re.IGNORECASE)
_UNSEEN = re.compile(r"sr-only|visually-?hidden|screen-?reader", re.IGNORECASE)
_TEMPLATE = re.compile(r"\{\{|\{%|\$\{|<%")
_QUOTED = re.compile(r"""["'(]#?([A-Za-z][\w:.-]*)["')]""")
_TARGETS = names("aria-controls data-target data-bs-target data-tab data-toggle-target")
_EXPANDING = names("aria-controls data-target")  # some of the above
#: What a reader may click, be it a link or button or not.
_FIND_CLICKED = etree.XPath("descendant::*/@onclick/.. | descendant::*/@role[. = 'button']/..")
_ORDER_CHARS = 500
# Attributes that name other parts for other reasons than to open them.
_NOT_OPENING = names("id class name style for form list headers title rel target aria-labelledby aria-describedby")
_OWN = re.compile(r"#?([A-Za-z][\w:.-]{0,100})")
_CELLS_OF_RESULTS = 4


class Controls(NamedTuple):
    """The ids of what the controls of a page open, of what they say that they expand, and of what they name at all."""

    opened: frozenset[str]
    expanded: frozenset[str]
    called: frozenset[str]


def controls_in(root: HtmlElement) -> Controls:
    """The ids that controls of the page open: named by ARIA, by Bootstrap, by a link to the panel, or by a script."""
    opened, expanded, called = list[str](), list[str](), set[str]()
    clicked = set(cast("list[HtmlElement]", _FIND_CLICKED(root)))
    for element in root.iter():
        if not (present := element.keys()):
            continue
        if is_target := not _TARGETS.isdisjoint(present):
            for name in _TARGETS.intersection(present):
                opened += element.get(name, "").split()
        if element is root:
            continue
        tag = element.tag
        if tag == "a" and (href := element.get("href", "")).startswith("#"):
            opened += href.split()
        if tag in _LINKS or element in clicked:
            called.update(opener_ids(element))
        if is_target and not _EXPANDING.isdisjoint(present):
            expanded += _expanded_by(element).split()
    return Controls(_without_marks(opened), _without_marks(expanded), frozenset(called))


def _without_marks(targets: list[str]) -> frozenset[str]:
    return frozenset(target.lstrip("#") for target in targets)


def _expanded_by(control: HtmlElement) -> str:
    """What *control* says that it expands: ids, each with or without a "#" before it."""
    is_switch, named = control.get("aria-expanded") is not None, control.get("aria-controls") or ""
    if is_switch:
        return f"{named} {control.get('data-target') or ''}"
    is_button = control.tag == "button" and control.get("aria-haspopup") is None
    return named if is_button or control.get("role") == "tab" else ""


def openers_in(root: HtmlElement) -> list[HtmlElement]:
    """What a reader may click below *root*: links and buttons first, then what else is made to be clicked."""
    links = [element for element in root.iter(*_LINKS) if element is not root]
    return links + cast("list[HtmlElement]", _FIND_CLICKED(root))


def opener_ids(opener: HtmlElement) -> list[str]:
    """The ids that *opener*, a link or button, may open: those that an attribute or a script's call names."""
    found = []
    for name, value in opener.items():
        if name in _NOT_OPENING:
            continue
        if name == "onclick" or (name == "href" and value.startswith("javascript:")):
            found += _QUOTED.findall(value[:_ORDER_CHARS])
        elif (name != "href" or value.startswith("#")) and (own := _OWN.fullmatch(value.strip())):
            found.append(own[1])
    return found


def is_panel(element: HtmlElement, controls: Controls) -> bool:
    """Whether *element*, hidden now, is a part of the page that opens."""
    named = named_as(element)
    if is_overlay(named):
        return False
    text, own = element.text_content().strip(), element.get("id") or ""
    if not text or _TEMPLATE.search(text):
        return False
    if own in controls.expanded or _PANEL.search(named) or _stands_under_head(element):
        return True
    if len(text) >= _PANEL_CHARS and (own in controls.opened or (element.get("role") or "") == "tabpanel"):
        return True
    if len(text) >= _PANEL_CHARS and (_REST.search(named) or _is_region_of_head(element) or _takes_turns(element)):
        return True
    if len(text) >= _PANEL_CHARS and own in controls.called and not _is_list_of_links(element, text):
        return True
    tables = [element] if element.tag == "table" else element.iter("table")
    return any(table.find(".//th") is not None and len(table.findall(".//td")) >= _CELLS_OF_RESULTS for table in tables)


def _is_region_of_head(element: HtmlElement) -> bool:
    """Whether *element* is the region of the heading before it, or what the switch before it expands without its id."""
    head = element.getprevious()
    if head is None:
        return False
    if element.get("role") == "region" and (head.tag in _HEADS or head.get("role") == "heading"):
        return True
    is_switch = head.get("aria-expanded") is not None and (head.tag == "button" or head.get("role") == "button")
    return is_switch and element.tag in _FOLDED and not _is_list_of_links(element, element.text_content())


def _takes_turns(element: HtmlElement) -> bool:
    """Whether *element* is one of several blocks alike side by side of which another is shown: a step, a slide."""
    above, kind = element.getparent(), (element.get("class") or "").split()[:1]
    if above is None or not kind or element.tag not in _TURNING or _MESSAGE.search(named_as(element)):
        return False
    if element.find(".//a") is not None:  # cards that lead to other pages take turns, too
        return False
    return any(
        other.tag == element.tag
        and (other.get("class") or "").split()[:1] == kind
        and other.get("hidden") is None
        and not _HIDES.search(f"{other.get('style') or ''};{other.get('class') or ''}")
        and len(other.text_content().strip()) >= _PANEL_CHARS
        for other in above
        if other is not element
    )


def _is_list_of_links(element: HtmlElement, text: str) -> bool:
    linked = sum(len(link.text_content()) for link in element.iter("a"))
    return 2 * linked > len(text)


def _stands_under_head(element: HtmlElement) -> bool:
    """Whether *element* is the definition of a term, or follows a heading that is called a switch."""
    head = element.getprevious()
    if head is None or element.tag not in _FOLDED or _UNSEEN.search(element.get("class") or ""):
        return False
    if head.tag == "dt":
        return bool(element.tag == "dd")
    above = element.getparent()
    named = f"{named_as(head)} {head.get('onclick') or ''} {'' if above is None else named_as(above)}"
    return head.tag in _HEADS and bool(_SWITCH.search(named)) and not is_overlay(named)


def is_overlay(named: str) -> bool:
    """Whether what is *named* so lies over the page, or steers it."""
    return bool(_OVERLAY.search(named))


def named_as(element: HtmlElement) -> str:
    """What *element* is called: its id, its classes, its role."""
    return f"{element.get('id') or ''} {element.get('class') or ''} {element.get('role') or ''}"
