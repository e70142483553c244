"""Find the article on a page of news or a blog: readability-lxml scores the blocks, the best one grows.

Readability's own `Document.summary` parses, copies and cleans the page again, and of 125 articles it loses a twentieth
(2026-11: precision 0.98, recall 0.95). Here it scores the tree that we have, from which boilerplate was taken. The best
block then takes in what is around it for as long as that is running text: recall 0.985.
"""

from __future__ import annotations

import logging
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from readability import Document  # type: ignore[import-untyped]

from rori_spiders.content.dom_names import names
from rori_spiders.content.html.main_content.asides import is_named_aside
from rori_spiders.content.html.panels import named_as

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.html import HtmlElement

    from rori_spiders.content.html.main_content.element_weights import Weight


# What readability says of a page nobody could do anything about.
logging.getLogger("readability.readability").setLevel(logging.CRITICAL)

# What publishers of news and blogs call the element that holds the text of an article, and nothing else.
_ARTICLE_BODY = re.compile(
    r"(?:article|story|post|entry|news|art)[-_]*(?:body|content|text|copy)(?![a-z])", re.IGNORECASE
)
_PARAGRAPHS = ("p", "pre", "td", "blockquote")
_DIVISIONS = names("div section article")
# A row or an item with much text is a part of an article, never an article.
_PARTS = names("tbody thead tr td th table ul ol li dl dd p blockquote pre")
_MOSTLY_RUNNING = 0.75
_PROPOSAL_LINE_CHARS = 60
_SOME_LINKS = 0.25


class Proposal(NamedTuple):
    """Neighbouring elements that hold the article, and whether the page calls one of them an article's text."""

    parts: list[HtmlElement]
    is_named: bool


def propose(
    body: HtmlElement, weights: Mapping[HtmlElement, Weight], prose: Mapping[HtmlElement, Prose]
) -> Proposal | None:
    """The article of *body*, whose boilerplate is gone; None where no block stands out. The tree stays as it is."""
    scores = _Scores(body, weights)
    candidates = scores.score_paragraphs()
    best = scores.select_best_candidate(candidates)
    if best is None:
        return None
    best = scores.get_semantic_main_candidate(candidates, scores.get_semantic_article_candidate(candidates, best))
    block = best["elem"]
    while block.tag in _PARTS and block is not body:
        block = block.getparent()
    if block not in prose:
        return None
    named = _named(block, body, prose)
    block = _grown(block, body if named is None else named, weights, prose)
    return Proposal(_with_siblings(block, body, scores, candidates, best["content_score"] / 5), named is not None)


class _Scores(Document):  # type: ignore[misc]
    """Readability's scores, of a tree that was parsed and cleaned already."""

    def __init__(self, body: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> None:
        super().__init__(body)
        self.html = body
        self.weights = weights

    def tags(self, node: HtmlElement, *tag_names: str) -> Iterator[HtmlElement]:
        """As readability's; divisions that hold no block are paragraphs, which readability makes of them."""
        if tag_names != _PARAGRAPHS:
            yield from super().tags(node, *tag_names)
            return
        for element in node.iter(*_PARAGRAPHS, *_DIVISIONS):
            if element.tag not in _DIVISIONS or not any(inner.tag in BLOCKS for inner in element.iterdescendants()):
                yield element

    def get_link_density(self, elem: HtmlElement) -> float:
        weight = self.weights.get(elem)
        if weight is None:
            return float(super().get_link_density(elem))
        return weight.links / max(1, weight.text + weight.links)


def _named(block: HtmlElement, body: HtmlElement, prose: Mapping[HtmlElement, Prose]) -> HtmlElement | None:
    """The outermost element around *block* that is called an article's text; if it comes in several, what holds all."""
    outermost = None
    for element in (block, *block.iterancestors()):
        if element is body:
            break
        if _is_article_body(element):
            outermost = element
    while outermost is not None and outermost is not body and _has_duplicate(outermost, prose):
        outermost = outermost.getparent()
    return outermost


def _has_duplicate(element: HtmlElement, prose: Mapping[HtmlElement, Prose]) -> bool:
    return any(
        other is not element
        and other in prose
        and prose[other].running > _PROPOSAL_LINE_CHARS
        and _is_article_body(other)
        for other in element.getparent()
    )


def names_article(body: HtmlElement) -> bool:
    """Whether any element of *body* is called an article's text."""
    return any(map(_is_article_body, body.iter()))


def _is_article_body(element: HtmlElement) -> bool:
    get = element.get
    named, own = get("class"), get("id")
    if (named or own) and _is_called_article(f"{named or ''} {own or ''}"):
        return True
    return "articleBody" in (get("itemprop") or "")


@lru_cache(maxsize=4096)
def _is_called_article(named: str) -> bool:
    return bool(_ARTICLE_BODY.search(named))


def _grown(
    block: HtmlElement, limit: HtmlElement, weights: Mapping[HtmlElement, Weight], prose: Mapping[HtmlElement, Prose]
) -> HtmlElement:
    """The outermost element around *block*, up to *limit*, of whose further text most is running."""
    outermost = block
    if block is limit:
        return block
    for element in block.iterancestors():
        if element not in prose:
            break
        links = weights[element].links - weights[block].links
        more = prose[element].plain - prose[block].plain
        if more and prose[element].running - prose[block].running >= _MOSTLY_RUNNING * (more + links):
            outermost = element
        if element is limit:
            break
    return outermost


def _with_siblings(
    block: HtmlElement, body: HtmlElement, scores: _Scores, candidates: Mapping[HtmlElement, Any], least: float
) -> list[HtmlElement]:
    """*block* with those beside it that readability takes for the same article."""
    parent = block.getparent()
    if block is body or parent is None:
        return [block]
    return [part for part in parent if part is block or _belongs(part, scores, candidates, max(10.0, least))]


def _belongs(part: HtmlElement, scores: _Scores, candidates: Mapping[HtmlElement, Any], least: float) -> bool:
    if part in candidates and candidates[part]["content_score"] >= least:
        return True
    weight = scores.weights[part]
    return part.tag == "p" and weight.text > _PROPOSAL_LINE_CHARS and scores.get_link_density(part) < _SOME_LINKS


# How much of each part of a page is running text: what tells an article from the boxes around it.

BLOCKS = names(
    "blockquote dl div img ol p pre table ul article section main h1 h2 h3 h4 h5 h6 form figure header footer aside nav"
    " li center fieldset address details"
)
_NEVER_RUNNING = names("h1 h2 h3 h4 h5 h6 a span b i em strong font small sup sub")
# A line of running text; headlines and captions of the 125 measured articles are mostly shorter.
_LINE_CHARS = 65
# A block with half of the page's text is not a side box, whatever its name.
_MOST_OF_IT = 0.5


class Prose(NamedTuple):
    """Characters without white space of an element, asides left out: outside links, and of those in running text."""

    plain: int
    running: int


def survey(body: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> dict[HtmlElement, Prose]:
    """The prose of *body* and of each element in it; what stands beside articles is not in it."""
    most = _MOST_OF_IT * weights[body].text
    shown: list[HtmlElement] = []
    asides: set[HtmlElement] = set()
    for element in body.iter():
        if element.getparent() in asides or (element is not body and _is_aside(element, weights[element], most)):
            asides.add(element)
        else:
            shown.append(element)
    found: dict[HtmlElement, Prose] = {}
    for element in reversed(shown):
        found[element] = _prose(element, weights[element], found)
    return found


def _is_aside(element: HtmlElement, weight: Weight, most: float) -> bool:
    return weight.text < most and not weight.main_headings and is_named_aside(element)


def _prose(element: HtmlElement, weight: Weight, found: Mapping[HtmlElement, Prose]) -> Prose:
    inner = [(child, found[child]) for child in element if child in found]
    own = 0 if element.tag == "a" else _own_chars(element)
    plain = own + sum(prose.plain for child, prose in inner if child.tag != "a")
    running = sum(prose.running for _, prose in inner)
    if element.tag in _NEVER_RUNNING or plain - running < _LINE_CHARS:
        return Prose(plain, running)
    if own < _LINE_CHARS and weight.links > weight.text / 2:
        return Prose(plain, running)
    if not any(child.tag in BLOCKS for child in element):
        return Prose(plain, plain)
    return Prose(plain, running + own if own >= _LINE_CHARS else running)


def _own_chars(element: HtmlElement) -> int:
    pieces = [element.text, *(child.tail for child in element)]
    return sum(len("".join(piece.split())) for piece in pieces if piece)


# The lead of an article: what a page says between its main heading and the text that was taken for the article.
# Publishers put their summary into the header, beside title and byline, where no scoring of blocks finds it.

_LEADS = names("p h2 h3 div")
_BLOCKS = names("p div h1 h2 h3 h4 h5 h6 ul ol li table figure section header footer article aside form nav dl")
# Bylines, dates and captions are shorter; swept over 125 articles (2026-11): 0.5 to 1.5 of this give the same.
_LEAST_CHARS = 50
_NO_LEAD = re.compile(r"by-?line|author|caption|credit|error|media", re.IGNORECASE)
# What lies between a heading and its article is close to both.
_MOST_CHARS = 1000
_MOST_LEVELS = 6


def lead_before(article: HtmlElement, body: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> list[HtmlElement]:
    """The blocks of running text between the one main heading of *body* and *article*, in order."""
    headings = [heading for heading in body.iter("h1") if heading in weights and weights[heading].text]
    if len(headings) != 1 or article in headings[0].iterancestors():
        return []
    around = set(headings[0].iterancestors())
    if not any(above in around for above in list(article.iterancestors())[:_MOST_LEVELS]):
        return []
    found, size = [], 0
    for block in _between(headings[0], article, body):
        if not _is_lead(block, weights):
            continue
        size += weights[block].text
        found.append(block)
    return found if size <= _MOST_CHARS else []


def _between(heading: HtmlElement, article: HtmlElement, body: HtmlElement) -> Iterator[HtmlElement]:
    has_begun = False
    for element in body.iter():
        if element is article:
            return
        if has_begun and element.tag in _LEADS:
            yield element
        has_begun = has_begun or element is heading


def _is_lead(block: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> bool:
    weight = weights.get(block)
    if weight is None or weight.text < _LEAST_CHARS or weight.links > weight.text / 2:
        return False
    if _NO_LEAD.search(named_as(block)) or any(inner.tag in _BLOCKS for inner in block.iterdescendants()):
        return False
    return not any(is_named_aside(part) for part in (block, *block.iterancestors()) if part.tag != "body")
