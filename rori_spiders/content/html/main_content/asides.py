"""Find blocks beside an article: comments, teasers, share bars, subscription boxes.

Only pages that are articles have them in this sense. What is law stays wherever it stands.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from lxml.html import HtmlElement

from rori_spiders.content.dom_names import class_and_id, names
from rori_spiders.content.html.main_content.element_weights import Weight, forget
from rori_spiders.content.html.panels import named_as
from rori_spiders.content.html.tree import drop
from rori_spiders.content.markdown.links import leads_to_document

_NAMED = re.compile(
    r"comment|disqus|related|recommend|teaser|promo|outbrain|taboola|trc_|newsletter|sponsor|share|sharing|social|popular"
    r"|trending|most-?read|read-?next|read-?more|subscribe|more-?(?:on|from|stories)|shoutbox|combx|advert|hatnote"
    r"|toolbar",
    re.IGNORECASE,
)
_GALLERY = re.compile(r"(?:^|[\s_-])(?:photo-?|image-?|picture-?)?(?:gallery|slide-?show)(?:$|[\s_-])", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:^|[\s_-])toc|contents|infobox", re.IGNORECASE)
# What readers wrote under a page, by the name of its box and by what only such boxes say.
_THREAD = re.compile(
    r"(?:^|[\s_-])(?:(?:reader|article|user|post)[-_]?)?comments?(?:[-_]?(?:list|section|area|container|wrapper|thread"
    r"|box|stream|content|block))?(?:$|[\s_-])|disqus[-_]?thread|^respond$",
    re.IGNORECASE,
)
_OF_READERS = re.compile(
    r"\b(?:repl(?:y|ies)|said:|ago|\d{1,2}:\d\d|(?:leave|post|add|write|submit) (?:a |your )?comment|"
    r"log ?in|sign ?in|register|be the first)\b",
    re.IGNORECASE,
)
_THREADS = names("div section ol ul aside")
# A page that says less outside of its comments may be made of them.
_LEAST_CHARS = 400
_PARTS = names("ul ol div table section aside header footer dl figure p h2 h3 h4 h5 h6 form")
_BOXES = names("div section table")
# Shares of the article, and characters, swept over 125 articles (2026-11): F1 0.972, and nothing of them lost.
_LESSER = 0.2
_LESSER_OF_LINKS = 0.25
_MOSTLY_LINKS = 0.6
_SOME_LINKS = 0.2
_FEW_CHARS = 400
# An article that says so much without its pictures is not the captions of these.
_MUCH_CHARS = 1500

# A paragraph that begins with its enumerator; "(202) 555-0100" and the link "§ 12.3" are none.
_STATED = re.compile(r"^(?:\((?:[a-z]{1,3}|[ivx]+|\d{1,2})\)[A-Z]|§\d|Sec(?:tion|\.)\d)")
_STATED_CHARS = 40
_LEAVES = names("p li td th dt dd h1 h2 h3 h4 h5 h6 pre caption blockquote figcaption")
_ENUMERATED = re.compile(r"^(?:§|\((?:[a-z]{1,3}|[ivx]+|\d{1,3})\)(?=.)|Sec(?:tion|\.)\d|\d+C\.?F\.?R)", re.IGNORECASE)


def is_named_aside(element: HtmlElement) -> bool:
    """Whether *element* is called something that stands beside articles."""
    return element.tag == "aside" or _names_aside(class_and_id(element))


@lru_cache(maxsize=4096)
def _names_aside(named: str) -> bool:
    return _NAMED.search(named) is not None


def asides(article: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> list[HtmlElement]:
    """The parts of *article* that stand beside it, none inside another, none with law in it or a link to a file."""
    total = weights[article].text + weights[article].links
    found: dict[HtmlElement, None] = {}
    for part in article.iter(*_PARTS):
        if part is article or part not in weights or any(above in found for above in part.iterancestors()):
            continue
        if _is_aside(part, weights, total) and not _hands_out(part) and not holds_law(part):
            found[part] = None
    return list(found)


def drop_asides(article: HtmlElement, weights: Mapping[HtmlElement, Weight], *, are_named: bool = False) -> None:
    """Take what stands beside *article* out of it; with *are_named* what is called so alone."""
    for part in asides(article, weights):
        if not are_named or is_named_aside(part):
            drop(part)


def drop_comments(body: HtmlElement, weights: dict[HtmlElement, Weight]) -> None:
    """Take what readers wrote out of *body*, whose *weights* are brought up to date; law stays."""
    for part in [element for element in body.iter(*_THREADS) if _THREAD.search(class_and_id(element))]:
        weight = weights.get(part)
        if weight is None or part.getparent() is None or weights[body].text - weight.text < _LEAST_CHARS:
            continue
        if weight.main_headings or not _OF_READERS.search(part.text_content()) or holds_law(part):
            continue
        forget(part, weights, body)
        drop(part)


def _is_aside(part: HtmlElement, weights: Mapping[HtmlElement, Weight], total: int) -> bool:
    weight = weights[part]
    size = weight.text + weight.links
    if not size:
        return False
    if is_named_aside(part) and size < _LESSER * total:
        return part.tag == "aside" or weight.links > _SOME_LINKS * size or size < _FEW_CHARS
    if _GALLERY.search(named_as(part)) and part.find(".//h1") is None:
        return total - size > max(_MUCH_CHARS, _LESSER * total)
    if (
        part.tag not in _BOXES
        or _is_in_row(part, weights)
        or size >= _LESSER_OF_LINKS * total
        or weight.links <= _MOSTLY_LINKS * size
    ):
        return False
    return not _CONTENTS.search(class_and_id(part))


def _is_in_row(part: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> bool:
    """Whether *part* is what a row of a table says of something, whose name is a link."""
    cell = next(part.iterancestors("td", "th"), None)
    return cell is not None and any(
        other in weights and weights[other].text for other in cell.getparent() if other is not cell
    )


def _hands_out(part: HtmlElement) -> bool:
    """Whether *part* links to a file, which may be the text itself in print, or an exhibit of it."""
    return any(leads_to_document(link.get("href") or "") for link in part.iter("a"))


def holds_law(part: HtmlElement) -> bool:
    """Whether *part* holds a section, an enumerated paragraph, or an entry of a table with headers."""
    return any(is_law(block, text) for block, text in blocks(part))


def states_law(part: HtmlElement) -> bool:
    """Whether *part* holds a section or an enumerated paragraph that is more than a line of links."""
    return any(
        len(text) > _STATED_CHARS and _STATED.match(text) and block.find(".//a") is None for block, text in blocks(part)
    )


def is_law(block: HtmlElement, text: str) -> bool:
    """Whether a block, its *text* without white space, is one that no article may lose."""
    if block.tag in {"td", "th"}:
        table = next(block.iterancestors("table"), None)
        return table is not None and table.find(".//th") is not None
    return bool(_ENUMERATED.match(text))


def blocks(part: HtmlElement) -> Iterator[tuple[HtmlElement, str]]:
    """The blocks of text of *part*, innermost ones, each with its text without white space."""
    for element in part.iter(*_LEAVES, "div"):
        if element.tag == "div":
            text = "".join([element.text or "", *(child.tail or "" for child in element)])
        elif any(inner.tag in _LEAVES for inner in element.iterdescendants()):
            continue
        else:
            text = element.text_content()
        if squeezed := "".join(text.split()):
            yield element, squeezed
