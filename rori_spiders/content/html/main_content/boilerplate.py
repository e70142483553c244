"""The boilerplate of a page: what it repeats on every page of the site and what steers the reader, not what it says.

Told by element, role, and the words of class and id, and never by those alone: a block that holds a large share of
the page's text, or its main heading, is not boilerplate whatever it is called.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from lxml import etree
from lxml.html import HtmlElement

from rori_spiders.content.dom_names import class_and_id, names
from rori_spiders.content.html.controls import ASKS, ENTRIES, is_amid_sentence, is_in_paragraph
from rori_spiders.content.html.entries import has_headers
from rori_spiders.content.html.main_content.asides import states_law
from rori_spiders.content.html.main_content.binding_terms import terms_in
from rori_spiders.content.html.main_content.element_weights import Weight, forget, remember, together
from rori_spiders.content.html.tree import drop
from rori_spiders.content.markdown.links import leads_to_document

_ROLES = names("navigation banner contentinfo search menu menubar dialog alertdialog toolbar")
_SPLIT = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")

# Words of class and id that mean boilerplate. Words that also name what agencies write about (utility, consent, social,
# header, related, notice) are not among them, but for the compounds that follow.
_WORDS = names(
    "breadcrumb breadcrumbs crumb crumbs navbar nav navigation navi topnav subnav sidenav leftnav rightnav globalnav"
    " mainnav menu menus menubar submenu megamenu masthead skip skiplink skipnav skiplinks share sharing sharethis"
    " addthis addtoany socialmedia cookie cookies gdpr footer sitefooter pagefooter pager pagination"
    " paginator backtotop modal lightbox popup newsletter signup subscribe langswitch translate googtrans editsection"
    " navbox toolbar facet facets printfriendly offcanvas hamburger quicklinks searchbox searchform"
)
_PHRASES = re.compile(
    r"usa-?(?:banner|footer)|(?:gov|official)-?banner|site-?(?:header|footer|nav)|page-?footer"
    r"|global-?(?:header|footer|nav)|skip-?(?:to|nav|link|main|content)|back-?to-?top|sign-?up|language-?switch"
    r"|search-?(?:form|box|bar|block)|social-?(?:links|media|share|icons)|quick-?links|print-?(?:link|button|page)"
    r"|e?mail-?(?:page|link)|feedback|edit-?section|mw-jump|catlinks|side-?bar|cookie-?(?:banner|notice|bar)"
    r"|related-?(?:links|posts|articles|stories|content|pages)|you-?are-?here|browser-?(?:upgrade|update|happy|warning)"
    r"|outdated-?browser|chrome-?frame"
    # MediaWiki's own lines about a page: above its text, and in print; its api.php gives the text without them.
    r"|\bprintfooter\b|\bsiteSub\b|\bcontentSub2?\b",
    re.IGNORECASE,
)
# What each of these phrases has a part of, in lower case: most names have none, and a search that ignores case is dear.
_PARTS_OF_PHRASES = re.compile(
    r"banner|footer|header|nav|skip|top|sign-?up|switch|search|social|quick|print|mail|feedback|edit|mw-|catlinks|side"
    r"|cookie|related|you|browser|chrome|sub"
)
# Names that no content has been seen under; on a page of a few lines they may hold most of the text.
_SURELY = re.compile(
    r"(?:^|[\s_-])(?:(?:site|page|global|main|soi)[-_]?footer|footer(?:[-_]?(?:wrapper|container|inner|area|"
    r"nav|widgets|links|menu))?"
    r"|breadcrumbs?|comment-respond|cookie[-_]?(?:banner|notice|consent)|skip[-_]?(?:link|nav)s?|gm-style)(?:$|[\s_-])",
    re.IGNORECASE,
)
_SURE_TOO_MUCH = 0.6
_GOV_BANNER = re.compile(r"(?:^|[\s_-])(?:usa|us|gov|government|official)[-_]?banner(?:$|[\s_-])", re.IGNORECASE)
# The U.S. Web Design System's banner has about 440 characters.
_GOV_BANNER_CHARS = 1000
_FOLDED = re.compile(r"(?:^|\s)(?:collapse|accordion-collapse|dropdown|flyout|expandable)(?:\s|$)", re.IGNORECASE)
# Where agencies list documents, beside what sites put under these names; menus and feet of sites are not among them.
_MAY_LIST_DOCUMENTS = re.compile(r"side-?bar|related|collapse|accordion|expandable|drop-?down", re.IGNORECASE)
_MENU = re.compile(r"nav|foot|head(?!ing)|crumb", re.IGNORECASE)
# Of the links that lead out of such a list: on 16 pages of councils and courts all did.
_SHARE_OF_DOCUMENTS = 0.8
_NOTICE = re.compile(r"(?:^|[\s_-])(?:alert|warning|notice|message|browser)", re.IGNORECASE)
_NOTICE_CHARS = 400
_BROWSER = re.compile(
    r"(?:outdated|unsupported|old(?:er)?) (?:web )?browser|(?:enable|turn on) java ?script"
    r"|browser (?:is|version is) (?:out of date|outdated|not supported|no longer)",
    re.IGNORECASE,
)
# Tabs name the panels under them.
_TABS = re.compile(
    r"(?:^|[\s_-])(?:tabs|tab-?list|tab-?nav(?:igation)?|tab-?(?:menu|links|bar))(?:$|[\s_-])", re.IGNORECASE
)
_PANEL_LINK = re.compile(r"#.")
_ORDER = re.compile(
    r"(?:(?:go |return |jump )?(?:back )?to (?:the )?top(?: of (?:the )?page)?|top of page|new search"
    r"|back to (?:the )?(?:full view|(?:search )?results)|skip to .{0,20}content|(?:e-?mail|share) this page"
    r"|print(?:er)?[- ](?:this page|friendly(?: version)?|page))",
    re.IGNORECASE,
)
_ORDER_CHARS = 30
_BLOCKS = names("div section ul ol nav aside header footer form table td tr span p fieldset dl center a li article")
# A block with more of the page's running text than this is the page, whatever it is called.
_TOO_MUCH = 0.35
_ASIDE_TOO_MUCH = 0.15
# An aside of the text with a link or two ("See also: the interim rule") is a note; with more it is a list of links.
_FEW_LINKS = 2
_WORDS_IN_TEXT = names("a span")
_ENTRIES = names("td tr table")
_ASIDES = names("div section aside form fieldset")
_LISTS = names("ul ol div")
_HEAD_CHARS = 100
_LABEL_CHARS = 30
_UNDIVIDED = names("p table td ul ol dl pre blockquote form")
# What sites say around their pages. "Last updated" is not among it: it dates the text.
_OF_SITE = re.compile(
    r"\b(?:skip to|powered by|(?:web)?site by|select (?:your )?language|all rights reserved|subscribe|"
    r"newsletter|log ?in"
    r"|sign in|back to top|follow us|share this|site ?map|trending|related (?:links|articles|pages)|"
    r"stay informed"
    r"|upcoming events|call \d{3} for|page tree|no labels|first to like|opens in (?:a )?new)\b|©",
    re.IGNORECASE,
)
# What a page asks about itself, in any wording that has been seen: of its reader, never of what it is about.
_HELPFUL = re.compile(
    r"\s*(?:was|did|is|how) (?:this|the|useful was this) (?:page|article|information|content|answer)[^.?]{0,40}"
    r"(?:helpful|useful|problem|question|looking for|need)[^.?]{0,20}\?",
    re.IGNORECASE,
)
# A box that says nothing but these is a share bar, however little the page says beside it.
_SHARE_FIRST = names("share like spread")
_SHARES = tuple(_SHARE_FIRST)
_SHARE_WORDS = _SHARE_FIRST | names(
    "this it the love a on via with to by of page post article story friend friends loading email e mail print tweet x"
    " facebook twitter linkedin pinterest reddit whatsapp tumblr telegram bluesky mastodon threads copy link more click"
    " opens in new window"
)
_SHARE_CHARS = 200
_WORD = re.compile(r"\w+")
# A cell with so much of a page's text, and no less, makes its table the page's layout.
_LAYOUT_SHARE, _LAYOUT_CHARS = 0.6, 300
_OF_PAGE = re.compile(
    r"©|\(c\)|copyright|all rights reserved|privacy|contact us|last (?:updated|modified)", re.IGNORECASE
)
_FOOTERS = re.compile(r"foot(?:er)?(?:$|[\s_-])", re.IGNORECASE)
_HOLD_ITEMS = names("ul ol dl table tr p")
_STEERS = re.compile(r"cookie|gdpr|modal|popup|menu|breadcrumb|crumb|banner", re.IGNORECASE)
_CONTENT = names("main article")
_NOTES = re.compile(r"(?:foot|end)-?notes?(?:$|[\s_-])", re.IGNORECASE)
_BEHIND_TITLE = etree.XPath("boolean(preceding::h1)")
_CARDS = names("div section li aside")
_OF_PAGES = names("h1 main nav")
_SECTIONS = names("article section main blockquote")
# A paragraph of law has more characters outside links.
_STATED_CHARS = 40
# A form that asks, with its questions. Longer ones are regulatory forms, whose wording is content.
_FORM_CHARS = 600


def drop_boilerplate(root: HtmlElement, weights: dict[HtmlElement, Weight]) -> None:
    """Remove boilerplate from *root*, whose ``weights`` are brought up to date on the way."""
    total = max(1, weights[root].text)
    edges = _edges_of_layout(root, weights, total) | _edges_of_content(root, weights, total)
    waiting = list(root)
    while waiting:
        element = waiting.pop()
        if element in edges or (element.tag in _BLOCKS and is_boilerplate(element, weights[element], total)):
            if _is_all_there_is(element, weights):
                continue
            bound = terms_in(element, weights) if _may_bind(element) and weights[element].text else []
            if element in bound:
                continue
            forget(element, weights, root)
            if bound:
                _leave_alone(bound, element, weights)
                remember(element, weights, root)
            else:
                drop(element)
        else:
            waiting.extend(element)


def _edges_of_layout(root: HtmlElement, weights: Mapping[HtmlElement, Weight], total: int) -> set[HtmlElement]:
    """The rows and cells of links around the cell of a layout table that holds the text of the page."""
    edges: set[HtmlElement] = set()
    least = max(_LAYOUT_CHARS, _LAYOUT_SHARE * total)
    for table in root.iter("table"):
        if weights[table].text < least:
            continue
        cells = [cell for cell in table.iter("td") if next(cell.iterancestors("table"), None) is table]
        main = max(cells, key=lambda cell: weights[cell].text, default=None)
        if main is None or weights[main].text < least:
            continue
        rows = {cell.getparent() for cell in cells}
        own = main.getparent()
        for part in [*(row for row in rows if row is not own), *(cell for cell in own if cell is not main)]:
            weight = weights[part]
            is_links = weight.link_count > _FEW_LINKS and weight.text <= min(_HEAD_CHARS, weight.links)
            if is_links and not weight.main_headings and _has_only_labels(part):
                edges.add(part)
    return edges


def _edges_of_content(root: HtmlElement, weights: Mapping[HtmlElement, Weight], total: int) -> set[HtmlElement]:
    """What stands around the block with the title and most of the text: lists of links, and lines of the site."""
    edges: set[HtmlElement] = set()
    whole, block = weights[root], root
    if total < _LAYOUT_CHARS:
        return edges
    while True:
        inner = max((part for part in block if part in weights), key=lambda part: weights[part].text, default=None)
        if inner is None or inner.tag in _UNDIVIDED or weights[inner].text < _LAYOUT_SHARE * total:
            return edges
        if weights[inner].main_headings < max(whole.main_headings, 1):
            return edges
        edges.update(part for part in block if part is not inner and _is_edge(part, weights))
        block = inner


def _is_edge(part: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> bool:
    weight = weights.get(part)
    if weight is None or not isinstance(part.tag, str) or not weight.text + weight.links:
        return False
    if weight.headings > 1 or part.find(".//table") is not None:
        return False
    if weight.link_count > _FEW_LINKS and weight.links > weight.text and weight.text <= _HEAD_CHARS:
        return _has_only_labels(part)
    text = " ".join(part.text_content().split())
    return len(text) <= _HEAD_CHARS + _LABEL_CHARS and _OF_SITE.search(text) is not None and not states_law(part)


def _has_only_labels(part: HtmlElement) -> bool:
    """Whether what *part* says outside links is labels: a title or a sentence is longer."""
    texts = part.xpath(".//text()[not(ancestor::a)]")
    return all(len(" ".join(str(text).split())) <= _LABEL_CHARS for text in texts)


def _is_all_there_is(element: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> bool:
    """Whether *element* is what the main part of a page is made of: an index that its software calls a menu."""
    if element.tag not in _LISTS or not weights[element].links or _is_trail(element):
        return False
    main = next((above for above in element.iterancestors() if above.tag == "main"), None)
    if main is None or main not in weights:
        return False
    rest = weights[main].text + weights[main].links - weights[element].text - weights[element].links
    return rest <= _HEAD_CHARS and any(map(leads_out, element.iter("a"))) and not _is_share_bar(element)


def _is_trail(element: HtmlElement) -> bool:
    named = " ".join(class_and_id(part) for part in (element, *element.iterancestors()))
    return "crumb" in named.lower()


def leads_out(link: HtmlElement) -> bool:
    """Whether *link* leads to another page."""
    return (link.get("href") or "#")[0] != "#"


def _may_bind(element: HtmlElement) -> bool:
    """Whether an agency may have put terms into *element*: a box beside the text, or its foot; a menu has none."""
    if element.tag in {"nav", "header"} or (element.get("role") or "").lower() in _ROLES:
        return False
    return element.tag != "footer" and not _STEERS.search(class_and_id(element))


def _leave_alone(bound: list[HtmlElement], element: HtmlElement, weights: dict[HtmlElement, Weight]) -> None:
    """Leave of *element* only *bound*, parts of it."""
    for part in list(element):
        element.remove(part)
    element.text = None
    if element.tag in _HOLD_ITEMS:
        element.tag = "div"
    for part in bound:
        part.tail = None
        element.append(part)
    weights[element] = together(weights[part] for part in element)


def is_boilerplate(element: HtmlElement, weight: Weight, total: int) -> bool:
    """Whether *element* is boilerplate of a page with *total* characters of running text."""
    named = _meaning(class_and_id(element).strip())
    if named.is_banner and weight.text < _GOV_BANNER_CHARS and not weight.main_headings:
        return True  # the same words on every .gov page: on a short page they would outweigh the rest
    by_words = _is_boilerplate_text(element, weight, named)
    if (by_words or named.is_sure or named.is_boilerplate) and (
        _is_part_of_text(element, weight, named)
        or _is_foot_of_text(element, weight)
        or (weight.text > weight.links and _is_of_card(element))
    ):
        return False
    if by_words:
        return True
    if named.is_sure and weight.text <= _SURE_TOO_MUCH * total and not weight.main_headings:
        return True
    if weight.text > _TOO_MUCH * total or (weight.main_headings and element.tag != "nav"):
        return False
    if element.tag == "nav" or (element.get("role") or "").lower() in _ROLES:
        return weight.text <= _STATED_CHARS or not states_law(element)
    if element.tag in {"header", "footer"}:
        return not (_is_sectioned(element) or _is_of_card(element) or _is_of_text(element, weight))
    if named.may_list_documents and _lists_documents(element):
        return False
    if named.is_boilerplate:
        return weight.links > weight.text or (weight.text <= _ASIDE_TOO_MUCH * total and not states_law(element))
    return _is_box(element, weight, named, total)


def _lists_documents(element: HtmlElement) -> bool:
    """Whether the links of *element* lead to documents, such as agendas, minutes and forms."""
    links = [link for link in element.iter("a") if leads_out(link)]
    documents = sum(leads_to_document(link.get("href") or "") for link in links)
    return documents > 0 and documents >= _SHARE_OF_DOCUMENTS * len(links)


def _is_box(element: HtmlElement, weight: Weight, named: _Meaning, total: int) -> bool:
    """Whether *element* is a folded list or an aside of links, or a form that asks and says little."""
    if named.is_folded and weight.link_count > 2 and weight.text * 10 < weight.links:
        return True
    if element.tag == "aside" or element.get("role") == "complementary":
        return (
            weight.links > weight.text
            and weight.text < _ASIDE_TOO_MUCH * total
            and not (weight.link_count <= _FEW_LINKS and not weight.headings and _is_inside(element, _CONTENT))
        )
    if element.tag == "form":
        return (
            element.get(ASKS) not in {None, ENTRIES}
            and weight.text < min(_FORM_CHARS, _ASIDE_TOO_MUCH * total)
            and not _informs(element)
        )
    return False


def _informs(form: HtmlElement) -> bool:
    """Whether *form* holds law, or a table with headers whose entries are figures rather than fields."""
    if states_law(form):
        return True
    cells = [cell for table in form.iter("table") if table.find(".//th") is not None for cell in table.iter("td")]
    return sum(any(map(str.isalnum, cell.text_content())) for cell in cells) >= max(2, len(cells) / 2)


def _is_boilerplate_text(element: HtmlElement, weight: Weight, named: _Meaning) -> bool:
    """Whether *element* says what pages do, or speaks of its reader's browser, or asks whether the page has helped."""
    if element.tag in _ASIDES and (0 < weight.text < _NOTICE_CHARS or 0 < weight.links <= _SHARE_CHARS):
        text = element.text_content()
        if 0 < weight.text < _NOTICE_CHARS and _HELPFUL.match(text):
            return True
        is_short = weight.text + weight.links <= _SHARE_CHARS
        if is_short and text.lstrip().lower().startswith(_SHARES) and _is_share_bar(element):
            return True
    if element.tag == "a":
        return weight.links <= _ORDER_CHARS and bool(_ORDER.fullmatch(" ".join(element.text_content().split())))
    if not named.is_notice or not 0 < weight.text < _NOTICE_CHARS:
        return False
    return bool(_BROWSER.search(element.text_content()))


def _is_share_bar(element: HtmlElement) -> bool:
    first = next((words for text in element.itertext() if (words := text.split())), None)
    if first is None or first[0].lower() not in _SHARE_FIRST:
        return False
    words = _WORD.findall(" ".join(element.itertext()).lower())
    return len(words) > 1 and _SHARE_WORDS.issuperset(words)


def _is_part_of_text(element: HtmlElement, weight: Weight, named: _Meaning) -> bool:
    """Whether *element* is words of a sentence, an entry of a table, or names tabs, whatever it is called."""
    if named.is_tabs:
        return all(_PANEL_LINK.match(link.get("href") or "#panel") for link in element.iter("a"))
    if element.tag == "li" and not weight.link_count and _is_inside(element, _CONTENT):
        return bool(weight.text)
    if element.tag in _WORDS_IN_TEXT:
        return is_amid_sentence(element) or is_in_paragraph(element)
    if element.tag not in _ENTRIES or not weight.text or (element.tag == "table" and weight.links > weight.text):
        return False
    return element.find(".//th") is not None if element.tag == "table" else has_headers(element)


def _is_foot_of_text(element: HtmlElement, weight: Weight) -> bool:
    """Whether *element* is the foot of an article or of the main part, and says more than whose page it is."""
    if weight.text <= weight.links or not _FOOTERS.search(class_and_id(element)):
        return False
    return _is_inside(element, _CONTENT) and not _OF_PAGE.search(element.text_content())


class _Meaning(NamedTuple):
    """The meaning of an element's class and id."""

    is_banner: bool
    is_sure: bool
    is_boilerplate: bool
    is_folded: bool
    is_notice: bool
    is_tabs: bool
    may_list_documents: bool


_NOTHING = _Meaning(*[False] * 7)


@lru_cache(maxsize=4096)
def _meaning(named: str) -> _Meaning:
    """What *named* says; the same few names are met again and again on a page, and on the pages of a site."""
    if not named:
        return _NOTHING
    may_be_phrase = not named.isascii() or _PARTS_OF_PHRASES.search(named.lower()) is not None
    return _Meaning(
        is_banner=bool(_GOV_BANNER.search(named)),
        is_sure=bool(_SURELY.search(named)),
        is_boilerplate=(may_be_phrase and bool(_PHRASES.search(named)))
        or any(word.lower() in _WORDS for word in _SPLIT.split(named)),
        is_folded=bool(_FOLDED.search(named)),
        is_notice=bool(_NOTICE.search(named)),
        is_tabs=bool(_TABS.search(named)),
        may_list_documents=bool(_MAY_LIST_DOCUMENTS.search(named)) and not _MENU.search(named),
    )


def _is_sectioned(element: HtmlElement) -> bool:
    """Whether a header or footer is that of an article or section, where it holds titles, dates and notes."""
    return _is_inside(element, _SECTIONS)


def _is_of_text(element: HtmlElement, weight: Weight) -> bool:
    """Whether a header holds, behind the page's title and without links, a lead; or a footer notes."""
    if element.tag == "footer":
        return bool(_NOTES.search(class_and_id(element)))
    return weight.text > _HEAD_CHARS and not weight.links and bool(_BEHIND_TITLE(element))


def _is_of_card(element: HtmlElement) -> bool:
    """Whether *element* is a part of a card and no page's, as "slds-card__footer" in "slds-card" is by its name."""
    card = element.getparent()
    if card is None or card.tag not in _CARDS:
        return False
    prefixes = tuple(
        f"{name}{joint}"
        for name in (card.get("class") or "").split()
        for joint in ("__head", "-head", "__foot", "-foot")
    )
    if not prefixes or not any(name.startswith(prefixes) for name in (element.get("class") or "").split()):
        return False
    return all(part.tag not in _OF_PAGES for part in card.iter())


def _is_inside(element: HtmlElement, tags: frozenset[str]) -> bool:
    return any(parent.tag in tags or parent.get("role") == "main" for parent in element.iterancestors())


# The mark behind a heading that links to the heading itself: generators of manuals write one ("¶"), seen on hovering.
# It is no text of the page. A mark that a citation is written with is no such link, even where it is a link: "¶ 12".

# Sphinx: headerlink; Docusaurus: hash-link; MkDocs, Pelican: headerlink; AnchorJS, Jekyll: header-anchor.
_NAMED = re.compile(
    r"(?:^|\s)(?:header-?link|heading-?(?:anchor|link)|header-?anchor|hash-?link|anchorjs-link|anchor-?link|"
    r"perma-?link)(?:$|\s)",
    re.IGNORECASE,
)
_TITLED = re.compile(r"(?:perma(?:nent )?|direct )?link to this\b", re.IGNORECASE)
_MARK_CHARS = 2


def drop_permalinks(root: HtmlElement) -> None:
    """Take the marks from *root*; the anchors stay, which other pages link to."""
    for anchor in root.iter("a"):
        if (anchor.get("href") or "").startswith("#") and is_permalink(anchor):
            for inner in list(anchor):
                anchor.remove(inner)
            anchor.text = None


def is_permalink(anchor: HtmlElement) -> bool:
    """Whether *anchor*, a link within its page, is called a permanent link and shows a mark only."""
    mark = anchor.text_content().strip()
    if len(mark) > _MARK_CHARS or any(map(str.isalnum, mark)):
        return False
    return bool(_NAMED.search(class_and_id(anchor)) or _TITLED.match(anchor.get("title") or ""))
