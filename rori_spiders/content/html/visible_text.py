"""Measure the visible text of a page in one pass, to decide whether it needs a browser or is empty."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from lxml.html import HtmlElement

from rori_spiders.content.dom_names import names
from rori_spiders.content.encoding import decode
from rori_spiders.content.html import tree
from rori_spiders.exceptions import ConversionError

NOT_TEXT = names(
    "script style noscript template svg iframe object head select option textarea button input canvas video audio"
)
_NOT_MAIN = names("nav header footer aside dialog")
_NOT_MAIN_ROLES = names("navigation banner contentinfo search complementary dialog")
_HEADINGS = names("h1 h2 h3 h4 h5 h6")


#: What an element says that scripts have yet to fill, alone and as a whole. Browsers read it, too. Rules about the
#: loading of ships do not.
LOADING_TEXT = (
    r"(?:(?:loading|fetching|retrieving)\b[^.!?]{0,60}(?:\.{3}|…)"
    r"|(?:loading|please wait|one moment(?:,? please)?|loading,? please wait)(?:[.!]|\.{3}|…)?)"
)
_LOADING = re.compile(LOADING_TEXT, re.IGNORECASE)
#: A place in a text for a value that scripts put there. Pages about such templates have them in code.
_PLACEHOLDER = re.compile(r"\{\{[^{}\n]{1,60}\}\}")
#: What a text has that may be one of both, line by line and in lower case.
_UNFILLED_WORDS = ("{{", "\nload", "\nfetch", "\nretr", "\nplea", "\none mo")
_UNFILLED_NAMES = ("aria-busy", "keleton", "mmer")
_CODE = names("code pre samp kbd tt")
_NEVER_FILLED = NOT_TEXT | _NOT_MAIN | _CODE | names("button a label")
_HIDDEN = re.compile(r"display:\s?none|visibility:\s?hidden", re.IGNORECASE)
_SKELETON = re.compile(r"(?:^|[-_ ])(?:skeleton|shimmer)(?:[-_ ]|$)", re.IGNORECASE)


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
    unfilled: str = ""


def measure_tree(root: HtmlElement) -> Measured:
    """Measure a parsed page. The tree stays as it is."""
    main = linked = chars = words = 0
    counts: Counter[str] = Counter()
    lines, called = list[str](), list[str]()
    for texts, in_main, in_link in _shown(root, counts, called):
        for text in texts:
            piece = text.split()
            lines.append(line := " ".join(piece))
            size = len(line)
            chars, words = chars + size, words + len(piece)
            if in_link:
                linked += size if in_main else 0
            elif in_main:
                main += size
    scripts = sum(1 for _ in root.iter("script"))
    headings = sum(counts[name] for name in _HEADINGS)
    unfilled = _unfilled_part(root) if scripts and _may_be_unfilled(lines, called) else ""
    return Measured(main, chars, words, headings, counts["p"], counts["a"], scripts, _title(root), linked, unfilled)


def _title(root: HtmlElement) -> str | None:
    titles = (title for title in root.iter("title") if next(title.iterancestors("svg"), None) is None)
    texts = (text for title in titles for text in (title.text, *(part.tail for part in title)))
    return next((" ".join(text.split()) for text in texts if text and not text.isspace()), None)


def _may_be_unfilled(lines: list[str], called: list[str]) -> bool:
    """Whether the page may show or hold what `_unfilled_part` finds, which looks at each element once more."""
    text, classes = "\n".join(["", *lines]).lower(), " ".join(called).lower()
    return any(word in text for word in _UNFILLED_WORDS) or any(word in classes for word in _UNFILLED_NAMES)


def _unfilled_part(root: HtmlElement) -> str:
    """By what the main part shows that scripts are to fill a part of it; '' where nothing says so."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        tag, role = element.tag, element.get("role")
        if not isinstance(tag, str) or tag in _NEVER_FILLED or role in _NOT_MAIN_ROLES or is_hidden(element):
            continue
        waiting.extend(element)
        text = " ".join(filter(None, (element.text, *(one.tail for one in element))))
        if found := _PLACEHOLDER.search(text):
            return found[0]
        own = "" if len(element) else " ".join(text.split())
        if is_loading(own):
            return own
        is_skeleton = not own and not len(element) and _SKELETON.search(element.get("class", ""))
        if is_skeleton or element.get("aria-busy") == "true":
            return own[:60] or element.get("class") or tag
    return ""


def is_hidden(element: HtmlElement) -> bool:
    """Whether *element* itself says that it is not shown."""
    return element.get("hidden") is not None or bool(_HIDDEN.search(element.get("style", "")))


def is_loading(text: str) -> bool:
    """Whether *text*, all that an element says, stands for what scripts have yet to bring."""
    return bool(_LOADING.fullmatch(text[:100]))


def shown_words(body: bytes, content_type: str | None = None) -> Counter[str]:
    """How often each word is shown by an HTML body. Never raises: what cannot be read shows none."""
    try:
        return shown_words_of_tree(tree.parse(decode(body, content_type).text))
    except ConversionError:
        return Counter()


def shown_words_of_tree(root: HtmlElement) -> Counter[str]:
    """As `shown_words`, of a tree that was parsed already. The tree stays as it is."""
    return Counter(word for texts, _, _ in _shown(root, Counter(), []) for text in texts for word in text.split())


def _shown(root: HtmlElement, counts: Counter[str], called: list[str]) -> Iterator[tuple[list[str], bool, bool]]:
    """The own texts of each element that is shown, whether it stands in the main part, whether in a link.

    Tags are counted in *counts*; *called* gets the names of the attributes of what is shown, and its classes.
    """
    waiting = [(root, True, False)]
    while waiting:
        element, in_main, in_link = waiting.pop()
        tag = element.tag
        counts[tag] += 1
        if tag in NOT_TEXT:
            continue
        in_main = in_main and tag not in _NOT_MAIN
        if present := element.keys():
            if "hidden" in present:
                continue
            if in_main and "role" in present:
                in_main = element.get("role") not in _NOT_MAIN_ROLES
            called += present
            if "class" in present:
                called.append(element.get("class"))
        in_link = in_link or tag == "a"
        texts = [text] if (text := element.text) and not text.isspace() else []
        for child in element:
            if (text := child.tail) and not text.isspace():
                texts.append(text)
            waiting.append((child, in_main, in_link))
        if texts:
            yield texts, in_main, in_link
