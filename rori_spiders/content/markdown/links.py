"""Links: where they lead, absolute, and their text, in running text and in preformatted text."""

import html
import re
from functools import lru_cache
from urllib.parse import urljoin

from lxml import etree
from lxml.html import HtmlElement

from rori_spiders.content.markdown import inline

_NO_TARGET = re.compile(r"\s*(?:(?:javascript|data|vbscript|about|blob|file):|$)", re.IGNORECASE)
_PLAIN = re.compile(r"(?:https?://[\w.-]+)?(?:/[\w%.,=~+-]*)+(?:\?[\w/%.,=~+&-]+)?", re.ASCII)
_EDGES = " " + inline.BREAK
_UNSAFE = re.compile(r"[\x00-\x20\x7f<>\\|()]")
_ORIGIN = re.compile(r"https?://[\w.:-]+(?=[/?#]|$)", re.ASCII)
# By the suffix, and by the addresses of documents in CivicPlus, Granicus and Legistar.
_DOCUMENT = re.compile(
    r"\.(?:pdf|docx?|xlsx?|pptx?|rtf|csv|zip|txt|xml)(?:$|[?#])|/documentcenter/view/|/viewfile/"
    r"|/show(?:published)?document|/view\.ashx\?m=",
    re.IGNORECASE,
)
_LEAD = re.compile(r"(?:#{1,6} |- |> |\d+[.)] )*")
# Marks without which preformatted text says something else: m<sup>2</sup>, what was struck and what was put in.
_MEANT = ("sup", "sub", "del", "ins", "s", "strike")
_MARKS = {*_MEANT, "b", "strong", "i", "em"}
_MARK = re.compile(r"\\?\[?(?:\d{1,3}|\\?[*†‡§]{1,3})\\?\]?")
_NOTED = re.compile(r"foot-?note|end-?note|note-?ref|(?:^|[^a-z])_?(?:fn|ftn|edn|note)(?:[^a-z]|ref)", re.IGNORECASE)
_AROUND_MARKS = ("span", "b", "strong", "i", "em", "u", "small", "font")
_STOPS = tuple('.,;:)”"’')
# What stands alone before the paragraph that it labels; an address may be long.
_ENUMERATOR = re.compile(r"(?:\((?:[A-Za-z]{1,2}|[ivxlcIVXLC]{3,6}|\d{1,3})\)){1,3}")
_NOTE_LABEL = re.compile(r"[\[(]{0,2}(?:\d{1,3}|[a-z]|[*†‡§¶]{1,3})[.)\]/]{0,2}")
_NOT_SHOWN = re.compile(rf"\]\([^()\s]*\)|</?sup>|[\\{inline.LINK}{inline.LINK_END}]")
_LABEL_STARTS = frozenset(f"([<0123456789\\*†‡§¶{inline.LINK}abcdefghijklmnopqrstuvwxyz")
_LABEL_CHARS = 300
# Headings, lists, rows, quotes, fences and rules.
_NO_PARAGRAPH = re.compile(r"[#|>`~:]|[-+] |---|\d{1,9}[.)] | {4}")
# Lines that a link inside of would break: rows, fences, rules, HTML.
_NOT_INLINE = ("|", "`", "---", "<pre")


def leads_somewhere(href: str) -> bool:
    """Whether *href* is an address: no script, no template's remains."""
    return not _NO_TARGET.match(href) and "{{" not in href


def leads_to_document(href: str) -> bool:
    """Whether *href* is the address of a file to read, such as a form, an agenda or a rule as PDF."""
    return bool(_DOCUMENT.search(href))


def target(href: str, base: str) -> str:
    """*href* as a link's target in markdown: absolute, and without a character that would end it."""
    href = _joined(href, base)
    if not _UNSAFE.search(href):
        return href
    href = re.sub(r"[\x00-\x20\x7f]", lambda found: f"%{ord(found[0]):02X}", href)
    href = href.replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C").replace("|", "%7C")
    return href if _is_balanced(href) else href.replace("(", "%28").replace(")", "%29")


def _joined(href: str, base: str) -> str:
    """As `urljoin`, which takes ten times as long; plain addresses are most of all."""
    if _PLAIN.fullmatch(href) and "/." not in href and not href.startswith("//"):
        if href[0] != "/":
            return href
        if origin := _origin(base):
            return origin + href
    try:
        return urljoin(base, href)
    except ValueError:  # not a URL, yet what the page says
        return href


@lru_cache(maxsize=8)
def _origin(base: str) -> str:
    found = _ORIGIN.match(base)
    return found[0] if found else ""


def link(content: str, address: str) -> str:
    """*content* as a link; of several blocks the first carries it, since a link cannot hold blocks."""
    if "\n" not in content:
        inner = content.strip(_EDGES)
        left, right = content[: len(content) - len(content.lstrip(_EDGES))], content[len(content.rstrip(_EDGES)) :]
        return f"{left}{inline.LINK}{inner}{inline.LINK_END}]({address}){right}"
    first = next(block for block in content.strip("\n" + _EDGES).split("\n") if block)
    lead = _LEAD.match(first)
    start = lead[0] if lead else ""
    if first[len(start) :].startswith(_NOT_INLINE):
        return content
    return content.replace(first, f"{start}{inline.LINK}{first[len(start) :]}{inline.LINK_END}]({address})", 1)


def spoken(anchor: HtmlElement) -> str:
    """What a link to a document that shows only a symbol is called: the symbol's text, or what is read aloud."""
    names = [image.get("alt") or "" for image in anchor.iter("img")]
    names += [anchor.get("aria-label") or "", anchor.get("title") or ""]
    return next((name.strip() for name in names if name.strip()), "")


def is_note_mark(anchor: HtmlElement, content: str) -> bool:
    """Whether *anchor*, whose text is *content*, marks a footnote and stands directly behind a word or number."""
    if not _MARK.fullmatch(inline.remove(content)):
        return False
    inner: HtmlElement = anchor
    before = ""
    while (above := inner.getparent()) is not None and not before:
        previous = inner.getprevious()
        before = (above.text if previous is None else previous.tail or "".join(previous.itertext())) or ""
        if above.tag not in _AROUND_MARKS or getattr(previous, "tag", "") == "br":
            break
        inner = above
    if before[-1:].isalnum() or before[-1:] in {"%", "$"}:
        return True
    named = " ".join(anchor.get(name) or "" for name in ("href", "class", "id", "role", "epub:type", "rel"))
    return before[-1:] in _STOPS and bool(before) and bool(_NOTED.search(named))


def join_label(element: HtmlElement, content: str) -> str:
    """*content*, the blocks of *element*: where the first is a label alone, it begins the paragraph behind it.

    A label is an enumerator of law, "(a)", a link within the page to where a footnote is referred to, or, in an element
    that is named a note, a number or symbol.
    """
    start = content.lstrip("\n")
    if start[:1] not in _LABEL_STARTS or (end := start.find("\n\n", 0, _LABEL_CHARS)) < 0:
        return content
    line, rest = start[:end], start[end:].lstrip("\n")
    if not rest or _NO_PARAGRAPH.match(rest):
        return content
    shown = _NOT_SHOWN.sub("", line).strip()
    is_mark = _NOTE_LABEL.fullmatch(shown) is not None and ("#" in line or _is_note(element))
    return f"{line} {rest}" if is_mark or _ENUMERATOR.fullmatch(shown) else content


def _is_note(element: HtmlElement) -> bool:
    named = " ".join(element.get(name) or "" for name in ("class", "id", "role", "epub:type"))
    return _NOTED.search(named) is not None


def needs_markup(element: HtmlElement) -> bool:
    """Whether preformatted text has what a fence would lose: links, raised and lowered marks, changes of the text."""
    return any(link.get("href") for link in element.iter("a")) or has_meant_marks(element)


def has_meant_marks(element: HtmlElement) -> bool:
    """Whether *element* has marks without which its text says something else."""
    return next(element.iter(*_MEANT), None) is not None


def preformatted(element: HtmlElement, base: str) -> str:
    """Preformatted text with links and marks as HTML, which markdown allows."""
    out: list[str] = []
    within = None
    for event, inner in etree.iterwalk(element, events=("start", "end")):
        if event == "start":
            href = inner.get("href") or "" if inner.tag == "a" else ""
            if within is None and leads_somewhere(href):
                within = inner
                out.append(f'<a href="{html.escape(target(href.strip(), base))}">')
            out.append(f"<{inner.tag}>" if inner.tag in _MARKS else "")
            out.append(html.escape(inline.verbatim(inner.text or ""), quote=False))
            continue
        out.append(f"</{inner.tag}>" if inner.tag in _MARKS else "")
        if inner is within:
            within = None
            out.append("</a>")
        if inner is not element:
            out.append(html.escape(inline.verbatim(inner.tail or ""), quote=False))
    return f"\n\n<pre>\n{''.join(out).strip(chr(10))}\n</pre>\n\n"


def _is_balanced(href: str) -> bool:
    depth = 0
    for character in href:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0
