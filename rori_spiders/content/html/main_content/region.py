"""The content region of a page: the part that its own markup or the weight of its text marks as content."""

import re
from collections.abc import Iterator, Mapping

from lxml.html import HtmlElement

from rori_spiders.content.dom_names import class_and_id, names
from rori_spiders.content.html.main_content.asides import is_named_aside, states_law
from rori_spiders.content.html.main_content.binding_terms import terms_in
from rori_spiders.content.html.main_content.element_weights import Weight
from rori_spiders.content.html.main_content.titles import squeezed

_NAMED = re.compile(
    r"(?:^|\s)(?:(?:main|page|site|primary|body|region|center|left|block)[-_]?)?(?:content|contents|main|column)"
    r"(?:[-_]?(?:area|main|wrapper|container|body|column|region|block|section|page|\d))*(?:\s|$)",
    re.IGNORECASE,
)
# A main element with less is an empty frame, or a search box.
_LEAST_CHARS = 200
_LEAST_SHARE = 0.2
# What a block that is named as content may leave outside, once boilerplate has gone.
_NAMED_MAY_LEAVE = 0.4
# With more links than this outside, a page of little text is one of tiles, and its links are what it says.
_LINKS_MAY_LEAVE = 0.4
_UNDIVIDED = names("table tbody thead tr td ul ol dl p pre blockquote span a")


def find_region(body: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> HtmlElement:
    """The region of *body*, boilerplate gone: ``main``, else what is named content, else as deep as nothing is lost."""
    main = _main(body, weights)
    if main is not None:
        return main
    region, was_named = body, False
    while True:
        heaviest = max(
            (child for child in region if child.tag not in _UNDIVIDED and child in weights),
            key=lambda child: weights[child].text,
            default=None,
        )
        if heaviest is None:
            return region
        left = weights[region].text - weights[heaviest].text
        if not was_named and _is_named(heaviest) and _may_leave(region, heaviest, weights):
            was_named = True
        elif left or not _rest_is_links(weights[region], weights[heaviest]):
            return region
        region = heaviest


def _main(body: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> HtmlElement | None:
    total, links = weights[body].text, weights[body].links
    least = max(_LEAST_SHARE * total, min(_LEAST_CHARS, 0.25 * total))
    mains = (
        part
        for part in body.iter()
        if (part.tag == "main" or (part.get("role") or "").lower() == "main")
        and weights[part].text > least
        and weights[part].text + weights[part].links >= _LEAST_SHARE * (total + links)
    )
    return max(mains, key=lambda main: weights[main].text, default=None)


def _may_leave(outer: HtmlElement, inner: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> bool:
    """Whether what *outer* holds beside *inner* is the lesser part, and nothing that a page is made for."""
    whole, part = weights[outer], weights[inner]
    if whole.text - part.text > _NAMED_MAY_LEAVE * whole.text:
        return False
    if whole.links - part.links > _LINKS_MAY_LEAVE * (whole.text + whole.links) and not _has_much(part):
        return False
    return not any(_is_content(other, weights) for other in outer if other is not inner and other in weights)


def _is_content(part: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> bool:
    if weights[part].text < _LEAST_CHARS or weights[part].links > weights[part].text or is_named_aside(part):
        return False
    return any(True for _ in part.iter("article"))


def _has_much(part: Weight) -> bool:
    return part.text >= _LEAST_CHARS and part.text > part.links


def _is_named(element: HtmlElement) -> bool:
    return any(_NAMED.search(element.get(name) or "") for name in ("id", "class"))


def _rest_is_links(outer: Weight, inner: Weight) -> bool:
    """Whether going from *outer* to *inner* leaves out no heading, and links only where they are the lesser part."""
    return outer.headings == inner.headings and 2 * (outer.links - inner.links) <= inner.text + inner.links


# What of the page's own text stands beside its content region: appendices, footnotes, a second ``main``. A region is
# one element, and a page may keep its footnotes in the next one. What is law stays, wherever it stands; so does a
# part that is called an appendix or notes.

_WORDS = "foot-?notes?|end-?notes?|appendix|appendices|annex|addendum|errata"
_NOTES = re.compile(rf"(?:^|[\s_-])(?:{_WORDS})(?:$|[\s_-])", re.IGNORECASE)
_HEADS = re.compile(rf"(?:{_WORDS}|supplement i|subpart|part \d)\b", re.IGNORECASE)
_OF_SITE = re.compile(r"cookie|official website|javascript|©|all rights reserved", re.IGNORECASE)
# A paragraph of a text: blurbs of agencies are shorter.
_PARAGRAPH_CHARS = 80
_HEADINGS = names("h1 h2 h3 h4 h5 h6")


def with_adjacent_law(region: HtmlElement, body: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> HtmlElement:
    """*region*, together with the parts of *body* beside it that are law or its notes, in the order of the page."""
    if region is body:
        return region
    adjacent = [
        part
        for other in _adjacent_parts(region, body)
        if other in weights
        for part in _own_text_parts(other, region, weights)
    ]
    adjacent += [part for part in _behind(region, body) if part in weights and part not in adjacent and _is_prose(part)]
    if not adjacent:
        return region
    included = {region, *adjacent}
    ordered = [element for element in body.iter() if element in included]
    whole = region.makeelement("div")
    ordered[0].addprevious(whole)
    for part in ordered:
        part.tail = None
        whole.append(part)
    return whole


def _adjacent_parts(region: HtmlElement, body: HtmlElement) -> Iterator[HtmlElement]:
    inner = region
    while inner is not body:
        outer = inner.getparent()
        yield from (part for part in outer if part is not inner)
        inner = outer


def _behind(region: HtmlElement, body: HtmlElement) -> Iterator[HtmlElement]:
    inner = region
    while inner is not body:
        yield from inner.itersiblings()
        inner = inner.getparent()


def _own_text_parts(part: HtmlElement, region: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> list[HtmlElement]:
    """What of *part* belongs to the page's text: all, the terms in it that *region* does not say, or nothing."""
    if not weights[part].text:
        return []
    if _belongs(part, weights[part]):
        return [part]
    terms = [] if part.find(".//h1") is not None else terms_in(part, weights, amounts=False)  # `titles` has the former
    region_text = squeezed(region.text_content()) if terms else ""
    return [term for term in terms if squeezed(term.text_content()) not in region_text]


def _belongs(part: HtmlElement, weight: Weight) -> bool:
    if weight.links > weight.text:
        return False
    if any(inner.tag == "main" or inner.get("role") == "main" for inner in part.iter()):
        return True
    return _is_called_notes(part) or states_law(part)


def _is_prose(part: HtmlElement) -> bool:
    """Whether *part* is a text of its own, of several paragraphs, and nothing that is said beside texts."""
    if is_named_aside(part) or any(is_named_aside(above) for above in part.iterancestors()):
        return False
    paragraphs = [paragraph for paragraph in part.iter("p") if paragraph.find(".//a") is None]
    if _OF_SITE.search(part.text_content()):
        return False
    return sum(len(squeezed(paragraph.text_content())) >= _PARAGRAPH_CHARS for paragraph in paragraphs) >= 2


def _is_called_notes(part: HtmlElement) -> bool:
    if _NOTES.search(class_and_id(part)):
        return True
    return any(_HEADS.match(" ".join(heading.text_content().split())) for heading in part.iter(*_HEADINGS))
