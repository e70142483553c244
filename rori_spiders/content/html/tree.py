"""The text of an HTML page in, one lxml tree out, with everything that was in the text, however deep it nests."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice

from lxml import etree, html
from lxml.html import HtmlElement

from rori_spiders.content.dom_names import names
from rori_spiders.exceptions import UnreadableDocument

# Readable pages nest 15 to 40 levels; of 2,633 measured ones none reached 256. libxml2 stops there, at 2,048 with
# huge_tree, and drops the rest without an error to catch (libxml2 2.14).
_MOST_LEVELS = 200
# Not counted are elements that HTML closes by itself: rows and items multiply this by up to three.
_FLATTENED_LEVELS = 60
_METADATA = names("title meta link base script style noscript template object bgsound basefont")
# Rows and cells where no table can have them: formatting was left open around them, and libxml2 nested them in it.
_IS_TANGLED = etree.XPath(
    "boolean(/descendant::tr[not(parent::table or parent::tbody or parent::thead or parent::tfoot)][ancestor::td])"
    " or boolean(/descendant::td[not(parent::tr)][ancestor::a])"
)
# Whether an element has so many above it. Step by step down: counting ancestors takes ten times that.
_IS_TOO_DEEP = etree.XPath(f"boolean({'/*' * (_MOST_LEVELS + 1)})")
_INSETS = ("ul", "ol", "blockquote", "dd", "menu", "dir")
# Lists in lists, as deep as no law goes (its paragraphs have seven levels). Each level indents all lines within: two
# thousand levels make of 64 KB of tags 100 MB of blanks.
_MOST_INSETS = 16
# What follows these belongs to the page all the same (HTML standard, "after after body"); libxml2 2.14 drops it.
_ENDS = re.compile(r"</(?:body|html)\s*>", re.IGNORECASE)
_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(0xFDD0, 0xFDF0), 0xFFFE, 0xFFFF, 0x2028, 0x2029])
_CONTROLS |= {11: " ", 12: " ", 0x2028: "\n", 0x2029: "\n"}


@cache
def _find_controls() -> Callable[[bytes], object]:
    import re2  # half the time of `re`; a crawl's own process has no use for it

    pattern = re2.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x{2028}\x{2029}\x{fdd0}-\x{fdef}\x{fffe}\x{ffff}]")
    search: Callable[[bytes], object] = pattern.search
    return search


class _PageElement(html.HtmlElement):  # type: ignore[misc]  # without stubs it is Any
    def text_content(self) -> str:
        """As lxml's, which evaluates an XPath expression: that takes three times as long."""
        try:
            return etree.tostring(self, method="text", encoding="unicode", with_tail=False)
        except etree.SerialisationError as error:  # nothing but want of memory keeps text from being copied
            raise MemoryError from error


# One class for all: that of lxml.html calls Python for each element that is met, a tenth of a large page's time.
_ONE_CLASS = etree.ElementDefaultClassLookup(element=_PageElement)


def parse(text: str) -> HtmlElement:
    """The tree of *text*, its root an ``html`` element. Raises UnreadableDocument when there is nothing in it."""
    has_controls = _find_controls()(text.encode("utf-8", "surrogatepass")) is not None
    clean = text.translate(_CONTROLS) if has_controls else text
    if not clean.strip():
        raise UnreadableDocument("the page is empty: its body contains no readable text")
    clean = shortened(_ENDS.sub("", clean))
    root = _parsed(clean)
    if _IS_TANGLED(root) or _IS_TOO_DEEP(root):
        clean = untangle(clean)
        root = _parsed(clean)
        if _IS_TOO_DEEP(root):
            root = _parsed(flatten(clean, _FLATTENED_LEVELS))
    if next(root.iter("dd", "dt"), None) is not None:
        for inner in root.xpath("//dd/dd | //dd/dt | //dt/dt | //dt/dd"):  # HTML closes the former, libxml2 does not
            inner.getparent().addnext(inner)
    for inset in list(_deep_insets(root)):
        for item in [inset, *inset.iterchildren("li")]:
            item.tag = "div"
    for void in list(root.iter("source", "embed")):
        _empty(void)
    return _with_one_body(root)


def goes_on_behind_end(text: str) -> bool:
    """Whether a page has more behind its end tag: `parse` keeps that, libxml2 by itself does not."""
    end = _ENDS.search(text)
    return end is not None and bool(_ENDS.sub("", text[end.end() :]).strip())


def _deep_insets(root: HtmlElement) -> Iterator[HtmlElement]:
    """Lists and quotations in so many others that they would be indented beyond what anybody reads."""
    levels: dict[HtmlElement, int] = {}
    for inset in root.iter(*_INSETS):
        above = next(inset.iterancestors(*_INSETS), None)
        levels[inset] = 0 if above is None else levels[above] + 1
        if levels[inset] >= _MOST_INSETS:
            yield inset


def drop(element: HtmlElement) -> None:
    """Take *element* with all it holds out of its tree, and leave the text that follows it."""
    parent = element.getparent()
    if parent is None:
        return
    tail = element.tail
    if tail:
        before = element.getprevious()
        if before is None:
            parent.text = (parent.text or "") + tail
        else:
            before.tail = (before.tail or "") + tail
    element.tail = None
    parent.remove(element)


def move_to_main(dialog: HtmlElement, main: HtmlElement | None, *, without: Iterable[str]) -> None:
    """Make *dialog* a section at the end of *main*, where it is not within that, and take the attributes *without*."""
    dialog.tag = "section"
    for name in without:
        dialog.attrib.pop(name, None)
    if main is not None and main not in dialog.iterancestors():
        drop(dialog)
        main.append(dialog)


def _empty(void: HtmlElement) -> None:
    """Put behind *void* what libxml2 put into it: it does not know that these elements hold nothing."""
    parent = void.getparent()
    if parent is None or not (len(void) or void.text):
        return
    after, at, last = void.tail or "", parent.index(void), void
    void.text, void.tail = None, void.text
    for last in list(void):
        at += 1
        parent.insert(at, last)
    last.tail = (last.tail or "") + after


def _parsed(text: str) -> HtmlElement:
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    parser.set_element_class_lookup(_ONE_CLASS)
    try:
        root = html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError) as error:
        if is_want_of_memory(error):
            raise MemoryError from error
        raise UnreadableDocument(f"the page cannot be read as HTML: {error}") from error
    return root


def is_want_of_memory(error: BaseException) -> bool:
    """Whether *error* is how lxml says that no memory was left.

    libxml2 then has no words for what happened ("unknown error"), or lxml lost them for want of memory ("None", at line
    0): https://github.com/lxml/lxml/blob/lxml-6.1.3/src/lxml/parser.pxi, ``_raiseParseError``.
    """
    if isinstance(error, etree.ParseError) and str(error).startswith("None"):
        return True
    return isinstance(error, MemoryError) or (isinstance(error, etree.LxmlError) and "unknown error" in str(error))


def _with_one_body(root: HtmlElement) -> HtmlElement:
    """*root* with all that is shown in one ``body``: browsers put content there wherever broken markup left it."""
    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    at = 0
    for part in [*root.findall("head/*"), *(part for part in root if part.tag not in {"head", "body"})]:
        if part.tag not in _METADATA and part.getparent() is not body:
            body.insert(at, part)
            at += 1
    for further in root.findall("body")[1:]:
        further.tag = "div"
        body.append(further)
    return root


# The source text of a page that libxml2 would cut short or tangle, mended so that it keeps all of its words. Browsers
# close open formatting at a table's row and an open link at the next one; libxml2 nests instead, level under level,
# and stops at its limit. All repairs work on tags in the text, in one pass.

_VOID = names("area base br col embed hr img input link meta param source track wbr")
_SELF_CLOSING = names("p li tr td th option thead tbody tfoot")
_BLOCKS = names("div section article center table ul ol dl dt dd form blockquote fieldset main header footer")
_RAW = re.compile(r"<(?:(script|style|textarea)(?![\w\x80-\U0010ffff])|!--)", re.IGNORECASE | re.ASCII)
_RAW_ENDS = {
    name: re.compile(rf"</{name}\s*>", re.IGNORECASE | re.ASCII) for name in ("script", "style", "textarea")
} | {"": re.compile("-->")}
# Where no > follows, neither does one follow what begins within the name: that is passed over, up to an end tag.
_TAG = re.compile(r"<(/?)(?:([a-zA-Z][^\s/>]*+)([^<>]*+)>|[a-zA-Z](?:[^\s/<>]|<(?!/))*+)")
_LOOKS_ONLY = re.compile(r"</?(?:font|big|small|nobr|basefont|blink)\b[^<>]*>", re.IGNORECASE)
_LONG_TAG_CHARS = 65536
_LONG_TAG = re.compile(rf"<[a-zA-Z][^<>]{{{_LONG_TAG_CHARS},}}>")
_ATTRIBUTE = re.compile(r"\s[^\s=]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"']+))?")
# The element with most of them on 2,633 government pages has 61; libxml2 compares each with all others.
_MOST_ATTRIBUTES = 1000
_ENTRY = re.compile(r"<(/?)(a|dl|dt|dd)\b", re.IGNORECASE)


def shortened(text: str) -> str:
    """*text*, each tag in it with no more attributes than a parser can take in."""
    return _LONG_TAG.sub(_with_fewer, text) if len(text) > _LONG_TAG_CHARS else text


def _with_fewer(found: re.Match[str]) -> str:
    tag = found[0]
    if tag.count("=") <= _MOST_ATTRIBUTES and tag.count(" ") <= _MOST_ATTRIBUTES:
        return tag  # one long picture, one long state of a form
    attributes = [attribute[0] for attribute in islice(_ATTRIBUTE.finditer(tag), _MOST_ATTRIBUTES)]
    name = re.split(r"[\s/]", tag, maxsplit=1)[0]
    return f"{name}{''.join(attributes)}>"


def untangle(text: str) -> str:
    """*text* without the tags that only set looks, and with each link, term and definition closed before the next."""
    return _ENTRY.sub(_Closer(), _LOOKS_ONLY.sub("", _replace_raw(_only_json_ld, text)))


def _replace_raw(replacement: Callable[[str], str], text: str) -> str:
    """*text* with scripts, styles, text areas and comments replaced; one that nothing closes stays.

    Each is looked for once: where one has no end, no later one of its kind has.
    """
    pieces, done, unclosed = [], 0, set[str]()
    at = _RAW.search(text)
    while at is not None:
        name = (at[1] or "").lower()
        end = None if name in unclosed else _raw_end(text, name, at.end())
        if end is None:
            unclosed.add(name)
        else:
            pieces += [text[done : at.start()], replacement(text[at.start() : end])]
            done = end
        at = _RAW.search(text, at.end() if end is None else end)
    return "".join([*pieces, text[done:]])


def _raw_end(text: str, name: str, start: int) -> int | None:
    """Where the element *name* ends whose tag goes on at *start*; "" for a comment."""
    if name:
        start = text.find(">", start) + 1
        if not start:
            return None
    found = _RAW_ENDS[name].search(text, start)
    return None if found is None else found.end()


class _Closer:
    """Puts the end tags that HTML lets authors leave out, and libxml2 does not supply."""

    def __init__(self) -> None:
        self._link = False
        self._entries = [""]  # the open dt or dd of each open dl

    def __call__(self, found: re.Match[str]) -> str:
        tag, name, is_end = found[0], found[2].lower(), bool(found[1])
        if name == "a":
            was_open, self._link = self._link, not is_end
            return f"</a>{tag}" if was_open and not is_end else tag
        if name == "dl":
            if not is_end:
                self._entries.append("")
            elif len(self._entries) > 1:
                self._entries.pop()
            else:
                self._entries[-1] = ""
            return tag
        before, self._entries[-1] = self._entries[-1], "" if is_end else name
        return f"</{before}>{tag}" if before and not is_end else tag


def _only_json_ld(raw: str) -> str:
    return raw if "ld+json" in raw[:200] else " "


def flatten(text: str, levels: int) -> str:
    """*text* without the tags that open more than *levels* deep; blocks among them leave a line break.

    Elements that HTML closes by itself are not counted.
    """
    return _Flattener(levels).run(_replace_raw(lambda _: " ", text))


class _Flattener:
    def __init__(self, levels: int) -> None:
        self._levels = levels
        self._open: list[str] = []
        self._dropped: dict[str, int] = {}

    def run(self, text: str) -> str:
        return _TAG.sub(self._tag, text)

    def _tag(self, found: re.Match[str]) -> str:
        if found[2] is None:
            return found[0]
        name = found[2].lower()
        if name in _VOID or name in _SELF_CLOSING or found[3].endswith("/"):
            return found[0]
        return self._close(found[0], name) if found[1] else self._start(found[0], name)

    def _start(self, tag: str, name: str) -> str:
        if len(self._open) < self._levels:
            self._open.append(name)
            return tag
        self._dropped[name] = self._dropped.get(name, 0) + 1
        return "<br>" if name in _BLOCKS else ""

    def _close(self, tag: str, name: str) -> str:
        if self._dropped.get(name):
            self._dropped[name] -= 1
            return "<br>" if name in _BLOCKS else ""
        if name in self._open:
            while self._open.pop() != name:
                pass
        return tag
