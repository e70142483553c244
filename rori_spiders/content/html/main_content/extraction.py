"""Main content: which part of a page is the page.

readability-lxml proposes an article; a completeness guard disposes. The guard compares the proposal, block by block,
with the page's own content region, from which boilerplate has been taken. What is law is in the region; a proposal that
lost any of it is refused. Readability is asked only where a page says of itself that it is an article: on 45 labelled
government pages it kept 0.72 of the text (the region: 1.00), on 125 articles it was the better one (F1 0.95 to 0.88).
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from cssselect import SelectorError
from lxml import etree
from lxml.html import HtmlElement

from rori_spiders.content.html.main_content.asides import blocks, drop_asides, drop_comments, is_law
from rori_spiders.content.html.main_content.boilerplate import drop_boilerplate
from rori_spiders.content.html.main_content.element_weights import Weight, weigh
from rori_spiders.content.html.main_content.news_article import lead_before, names_article, propose, survey
from rori_spiders.content.html.main_content.region import find_region, with_adjacent_law
from rori_spiders.content.html.main_content.table_of_contents import drop_toc
from rori_spiders.content.html.main_content.titles import squeezed, title_of, with_title
from rori_spiders.content.html.tree import drop
from rori_spiders.exceptions import ConversionError

# What only publishers of news and blogs write, and what content management systems write on every page.
_NEWS_TYPES = ("schema.org/NewsArticle", "schema.org/BlogPosting")
_POST_TYPES = "|article|news|blog|Article|"
# When and by whom, told of one text: agencies date their pages too, but their hosts are known (below).
_META = "translate(concat(@name, @property), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ.-_:', 'abcdefghijklmnopqrstuvwxyz')"
_IS_SIGNED = (
    f"boolean(//meta[@content!=''][contains('|author|dccreator|articleauthor|parselyauthor|sailthruauthor|bylinename|',"
    f" concat('|', {_META}, '|'))])"
    f" and boolean(//meta[@content!=''][contains('|date|pubdate|publishdate|publicationdate|articlepublishedtime"
    f"|parselypubdate|sailthrudate|datepublished|dcdateissued|', concat('|', {_META}, '|'))])"
)
_BYLINE = re.compile(r"(?:^|[-_ \t\r\n])(?:byline|author)(?![^-_ \t\r\n])")
_LD_NEWS = re.compile(r'"@type"\s*:\s*(?:\[\s*)?"(?:News|Blog|Reportage|Analysis|Opinion)\w*|"@type"\s*:\s*"Article"')
# Pages of public bodies are law until shown otherwise: their region is taken, whatever their software calls them.
_PUBLIC_HOST = re.compile(
    r"^https?://[^/?#]*\.(?:gov|mil|us|(?:gov|gob|gouv)\.[a-z]{2}|gc\.ca|europa\.eu)(?:[:/?#]|$)", re.IGNORECASE
)
# Of the text outside links and asides an article must keep so much. Who says "news" and calls a block its text
# means it; "article" is also what content management systems of agencies and courts say of each of their pages.
_LEAST_OF_NAMED_NEWS = 0.2
_LEAST_OF_NEWS = 0.6
_LEAST_OF_OTHERS = 0.8
_LEAST_ARTICLE = 400
# Scoring takes time; pages of this size are reference works, whose region is wanted anyway.
_MOST_ELEMENTS = 20_000


class Extraction(NamedTuple):
    """How the main content was found: ``readability``, ``region``, ``selector`` or ``body``, and the share of it kept.

    ``kept_share`` is the share of all text that the page shows (characters without white space) in what was taken.
    """

    way: str
    kept_share: float


class Article(NamedTuple):
    """The element that holds the main content, how it was found, and how many characters the page shows in all."""

    element: HtmlElement
    way: str
    shown: int

    def extraction(self, beyond: int = 0) -> Extraction:
        """What is recorded of it; *beyond* are characters of the page that were set aside when it was found."""
        return Extraction(self.way, round(min(1.0, chars(self.element) / max(1, self.shown + beyond)), 3))


def extract(
    root: HtmlElement, *, url: str = "", content_selector: str | None = None, remove_selectors: Iterable[str] = ()
) -> Article:
    """The main content of the page *root*, from which what is not seen was taken already. Changes *root*.

    Raises ConversionError for a selector that is none, or that finds nothing: an operator asked for that part of the
    page, so a page without it must not be taken for one.
    """
    body = root.find("body")
    body = root if body is None else body
    title = title_of(body)
    shown = chars(body)
    take_out(body, remove_selectors)
    if content_selector:
        way, element = "selector", _selected(body, content_selector)
    else:
        way, element = _found(root, body, url)
    return Article(element if content_selector else with_title(element, title), way, shown)


def take_out(body: HtmlElement, selectors: Iterable[str]) -> None:
    """Take what *selectors* find out of *body*. Raises ConversionError for a selector that is none."""
    for selector in selectors:
        for element in _select(body, selector):
            drop(element)


def _found(root: HtmlElement, body: HtmlElement, url: str) -> tuple[str, HtmlElement]:
    weights = weigh(body)
    drop_boilerplate(body, weights)
    may_be_article = not _PUBLIC_HOST.match(url) and len(weights) < _MOST_ELEMENTS
    if may_be_article:
        drop_comments(body, weights)
    region = find_region(body, weights)
    if may_be_article:
        kind = root.get(_KIND, "")
        proposal = _proposed(body, region, weights, kind)
        if proposal is not None:
            return "readability", proposal
        if kind:
            drop_asides(region, weights, are_named=kind != "news")
    drop_toc(region, weights)
    region = with_adjacent_law(region, body, weights)
    return "body" if region is body else "region", region


def _select(body: HtmlElement, selector: str) -> list[HtmlElement]:
    try:
        return list(body.cssselect(selector))
    except (SelectorError, etree.XPathError) as error:
        raise ConversionError(f"the selector {selector!r} of this source is not a CSS selector: {error}") from error


def _selected(body: HtmlElement, selector: str) -> HtmlElement:
    found = _select(body, selector)
    if not found:
        raise ConversionError(f"the content_selector {selector!r} of this source matches nothing on this page")
    every = set(found)
    whole = etree.SubElement(body, "div")
    for element in found:
        if every.isdisjoint(element.iterancestors()):
            element.tail = None
            whole.append(element)
    drop_boilerplate(whole, weigh(whole))
    return whole


# Set on the root by `mark_article`, since scripts and metadata are gone when it is asked for.
_KIND = "data-article-kind"
# To ask for attributes takes a seventh of a walk over the elements.
_MAY_BE_NEWS = etree.XPath("boolean(descendant-or-self::*/@itemtype) or boolean(descendant-or-self::*/@itemprop)")


def mark_article(root: HtmlElement) -> None:
    """Note on *root* what the page says that it is; to be called while scripts and metadata are still there."""
    scripts = (script for script in root.iter("script") if "ld+json" in (script.get("type") or ""))
    if any(_LD_NEWS.search(script.text or "") for script in scripts) or (
        _MAY_BE_NEWS(root) and any(map(_is_news, root.iter()))
    ):
        root.set(_KIND, "news")
    elif any(map(_is_of_post, root.iter("meta"))):
        is_signed = any(_is_byline(element) for body in root.iter("body") for element in body.iterdescendants())
        root.set(_KIND, "news" if is_signed else "post")
    elif root.xpath(_IS_SIGNED):
        root.set(_KIND, "post")


def _is_news(element: HtmlElement) -> bool:
    if element.get("itemprop") == "articleBody":
        return True
    kind = element.get("itemtype")
    return kind is not None and any(name in kind for name in _NEWS_TYPES)


def _is_of_post(meta: HtmlElement) -> bool:
    is_type = meta.get("property") == "og:type" or meta.get("name") == "og:type"
    return is_type and f"|{meta.get('content', '')}|" in _POST_TYPES


def _is_byline(element: HtmlElement) -> bool:
    return element.get("rel") == "author" or _BYLINE.search(element.get("class", "")) is not None


def _proposed(
    body: HtmlElement, region: HtmlElement, weights: Mapping[HtmlElement, Weight], kind: str
) -> HtmlElement | None:
    """Readability's article, if the guard lets it pass."""
    if not kind and not names_article(body):
        return None  # scoring takes a fifth of all time
    prose = survey(body, weights)
    proposal = propose(body, weights, prose)
    if proposal is None or not (kind or proposal.is_named):
        return None
    taken = sum(prose[part].plain for part in proposal.parts if part in prose)
    shown = prose[region].plain if region in prose else weights[region].text
    least = _LEAST_OF_OTHERS
    if kind == "news":
        least = _LEAST_OF_NAMED_NEWS if proposal.is_named else _LEAST_OF_NEWS
    if taken < _LEAST_ARTICLE or taken < least * shown or _loses_law(region, proposal.parts):
        return None
    return _joined([*lead_before(proposal.parts[0], body, weights), *proposal.parts], weights)


def _loses_law(region: HtmlElement, parts: list[HtmlElement]) -> bool:
    taken = set(parts)
    return any(
        is_law(block, text) and taken.isdisjoint((block, *block.iterancestors())) for block, text in blocks(region)
    )


def _joined(parts: list[HtmlElement], weights: Mapping[HtmlElement, Weight]) -> HtmlElement:
    """*parts* in one element, without what stands beside an article."""
    for part in parts:
        drop_asides(part, weights)
    if len(parts) == 1:
        return parts[0]
    whole = parts[0].makeelement("div")
    parts[0].addprevious(whole)
    for part in parts:
        part.tail = None
        whole.append(part)
    return whole


def chars(element: HtmlElement) -> int:
    """How many characters *element* says, white space not counted."""
    return len(squeezed(element.text_content()))
