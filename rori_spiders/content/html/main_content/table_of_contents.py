"""A page's own table of contents: boilerplate on a page that holds what it lists, since each entry is a heading there.

Only what calls itself one, by its name or the words above it, and whose entries stand at the places that they lead to:
so no word is lost with it. Tables of sections are the law's own, and stay; so do the entries of an index page.
"""

import re
from collections.abc import Mapping

from lxml.html import HtmlElement

from rori_spiders.content.dom_names import class_and_id, names
from rori_spiders.content.html.main_content.element_weights import Weight, forget
from rori_spiders.content.html.tree import drop

_CALLED = re.compile(
    r"(?:^|[\s_-])(?:toc|table-?of-?contents|on-?this-?page|in-?page-?nav\w*|page-?contents|jump-?(?:links|nav|menu|to)"
    r"|anchor-?(?:links|nav|menu)|scroll-?spy)(?:$|[\s_-])",
    re.IGNORECASE,
)
_HEADED = re.compile(
    r"(?:(?:table of |page )?contents|(?:on|in) this (?:page|section|article|document|guide|topic)|jump to(?: section)?"
    r"|(?:page|quick) navigation|sections on this page)\W*(?:\[?(?:hide|show|edit)\]?)?\W*",
    re.IGNORECASE,
)
_ORDER = re.compile(r"\[?(?:hide|show|edit|expand|collapse)(?: all)?\]?|[|•·:]", re.IGNORECASE)
_SECTION = re.compile(r"\W*(?:§|sec(?:tion|\.)\s*\d|\d{3,}\.\d+\s|art(?:icle|\.)\s*[\divx])", re.IGNORECASE)
# "1.2 Scope": the number is the list's. "30 days" in a list of five entries is none.
_NUMBER = re.compile(r"\s*(?P<first>\d{1,2})(?:\.\d{1,2})*(?P<stop>\.)?\s+")
_OUTSIDE = re.compile(r"[^\w$%]*(?:\d{1,3}(?:\.\d{1,2})*)?[^\w$%]*|[ivxlcIVXLC]{1,5}\.")
_HOLDERS = names("ul ol div section p details aside table nav dl span")
_HEADS = names("h2 h3 h4 h5 h6 p div span strong b summary")
_LEAST_ENTRIES = 3
# To look up each entry takes time; longer lists are registers.
_MOST_ENTRIES = 300
# Numbers of entries, and the words above them, may stand outside the links.
_AROUND_CHARS = 40
_AROUND_SHARE = 0.25
_SEARCHED_CHARS = 400


def drop_toc(region: HtmlElement, weights: dict[HtmlElement, Weight]) -> None:
    """Take the tables of contents of the page itself out of *region*, and their ``weights``."""
    links = [link for link in region.iter("a") if (link.get("href") or "").startswith("#")]
    if len(links) < _LEAST_ENTRIES:
        return
    seen: set[HtmlElement] = set()
    for link in links:
        holder = None if link in seen else _holder(link, region, weights)
        if holder is None:
            continue
        seen.update(holder.iter())
        head = _head(holder)
        if (head is not None or _is_called(holder)) and _repeats_the_page(holder, region):
            for part in (holder, head):
                if part is not None:
                    forget(part, weights, region)
                    drop(part)


def _holder(link: HtmlElement, region: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> HtmlElement | None:
    """The outermost element around *link* that holds such links and hardly anything else."""
    found = None
    for above in link.iterancestors():
        if above is region or above not in weights:
            break
        weight = weights[above]
        if weight.text > _AROUND_CHARS + _AROUND_SHARE * weight.links or weight.main_headings:
            break
        if above.tag in _HOLDERS and weight.link_count >= _LEAST_ENTRIES:
            found = above
    return found


def _is_called(holder: HtmlElement) -> bool:
    inner = (part for part in holder.iter(*_HOLDERS) if part.get("class") or part.get("id"))
    return any(_CALLED.search(class_and_id(part)) for part in inner) or any(
        _HEADED.fullmatch(" ".join(part.text_content().split())) for part in holder.iter(*_HEADS)
    )


def _head(holder: HtmlElement) -> HtmlElement | None:
    """What stands directly above *holder*, if that is the title of a table of contents."""
    head = holder.getprevious()
    if head is None or head.tag not in _HEADS or (head.tail or "").strip():
        return None
    return head if _HEADED.fullmatch(" ".join(head.text_content().split())) else None


def _repeats_the_page(holder: HtmlElement, region: HtmlElement) -> bool:
    entries = [link for link in holder.iter("a") if link.text_content().strip()]
    if len(entries) > _MOST_ENTRIES or not all((link.get("href") or "").startswith("#") for link in entries):
        return False
    if 2 * sum(bool(_SECTION.match(entry.text_content())) for entry in entries) > len(entries):
        return False
    if len(entries) < _LEAST_ENTRIES or _says_more(holder):
        return False
    named = ((element.get("id") or element.get("name"), element) for element in region.iter())
    places = {name: element for name, element in named if name}
    own = set(holder.iter())
    for entry in entries:
        place = places.get((entry.get("href") or "")[1:])
        if place is None or place in own or not _stands_in(entry.text_content(), _text_at(place), len(entries)):
            return False
    return True


def _says_more(holder: HtmlElement) -> bool:
    """Whether *holder* says something beside its entries, their numbers, and what it is: "(repealed)", a date."""
    for element in holder.iter():
        in_link = element.tag == "a" or next(element.iterancestors("a"), None) is not None
        texts = [] if in_link else [element.text]
        if element is not holder and next(element.iterancestors("a"), None) is None:
            texts.append(element.tail)
        for text in texts:
            words = " ".join((text or "").split())
            if words and not _OUTSIDE.fullmatch(words) and not _HEADED.fullmatch(words) and not _ORDER.fullmatch(words):
                return True
    return False


def _stands_in(entry: str, text: str, entries: int) -> bool:
    """Whether *text* says what *entry* says, its number in the list of so many *entries* apart."""
    there = _plain(text)
    if _plain(entry) in there:
        return True
    number = _NUMBER.match(entry)
    is_place = number is not None and (number["stop"] is not None or int(number["first"]) <= entries)
    return number is not None and is_place and _plain(entry[number.end() :]) in there


def _text_at(place: HtmlElement) -> str:
    """The text that begins at *place*: its own, and that of what follows it, also behind what it stands in."""
    texts, size = [place.text_content()[:_SEARCHED_CHARS]], 0
    around = place
    while around.tag != "body" and size < _SEARCHED_CHARS:
        texts.append(around.tail or "")
        for after in around.itersiblings():
            texts += [after.text_content()[:_SEARCHED_CHARS], after.tail or ""]
            size += len(texts[-2]) + len(texts[-1])
            if size >= _SEARCHED_CHARS:
                break
        around = around.getparent()
    return " ".join(texts)


def _plain(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum() or character in "%$")
