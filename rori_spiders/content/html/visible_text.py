"""Measure the visible text of a page in one pass, to decide whether it needs a browser or is empty."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.dom_names import names
from rori_spiders.content.encoding import decode
from rori_spiders.content.html import tree
from rori_spiders.exceptions import ConversionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

_NOT_TEXT = names(
    "script style noscript template svg iframe object head select option textarea button input canvas video audio"
)
_NOT_MAIN = names("nav header footer aside dialog")
_NOT_MAIN_ROLES = names("navigation banner contentinfo search complementary dialog")
_HEADINGS = names("h1 h2 h3 h4 h5 h6")


class Measured(NamedTuple):
    """Sizes of a page's text, white space folded.

    ``main_chars`` counts characters outside navigation, header, footer and asides, and outside links, those inside
    links there are ``main_link_chars``; ``chars`` and ``words`` count all that is shown.
    """

    main_chars: int = 0
    chars: int = 0
    words: int = 0
    headings: int = 0
    paragraphs: int = 0
    links: int = 0
    scripts: int = 0
    title: str | None = None
    main_link_chars: int = 0


def measure_tree(root: HtmlElement) -> Measured:
    """Measure a parsed page. The tree stays as it is."""
    main = linked = chars = words = 0
    counts: Counter[str] = Counter()
    for piece, in_main, in_link in _pieces(root, counts):
        size = len(" ".join(piece))
        chars, words = chars + size, words + len(piece)
        main += size if in_main and not in_link else 0
        linked += size if in_main and in_link else 0
    title = next(
        (" ".join(text.split()) for text in root.xpath("//title[not(ancestor::svg)]/text()") if text.strip()), None
    )
    scripts = sum(1 for _ in root.iter("script"))
    headings = sum(counts[name] for name in _HEADINGS)
    return Measured(main, chars, words, headings, counts["p"], counts["a"], scripts, title, main_link_chars=linked)


def shown_words(body: bytes, content_type: str | None = None) -> Counter[str]:
    """How often each word is shown by an HTML body. Never raises: what cannot be read shows none."""
    try:
        return shown_words_of_tree(tree.parse(decode(body, content_type).text))
    except ConversionError:
        return Counter()


def shown_words_of_tree(root: HtmlElement) -> Counter[str]:
    """As `shown_words`, of a tree that was parsed already. The tree stays as it is."""
    return Counter(word for piece, _, _ in _pieces(root, Counter()) for word in piece)


def _pieces(root: HtmlElement, counts: Counter[str]) -> Iterator[tuple[list[str], bool, bool]]:
    """The words of each text that is shown, whether it stands in the main part, whether in a link; tags are counted."""
    waiting = [(root, True, False)]
    while waiting:
        element, in_main, in_link = waiting.pop()
        tag = element.tag
        counts[tag] += 1
        if tag in _NOT_TEXT or element.get("hidden") is not None:
            continue
        in_main = in_main and tag not in _NOT_MAIN and element.get("role") not in _NOT_MAIN_ROLES
        in_link = in_link or tag == "a"
        if (text := element.text) and not text.isspace():
            yield text.split(), in_main, in_link
        for child in element:
            if (text := child.tail) and not text.isspace():
                yield text.split(), in_main, in_link
            waiting.append((child, in_main, in_link))
