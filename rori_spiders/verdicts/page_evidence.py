"""Gather the evidence of a page in one pass: the places that rules inspect, and the amount of its own text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lxml import etree

from rori_spiders.content.encoding import decode
from rori_spiders.content.html.tree import is_want_of_memory, shortened
from rori_spiders.exceptions import UnreadableDocument
from rori_spiders.verdicts.rule import Place, fold_case

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.content.html.parsed_page import ParsedPage

# A refusal shows itself early: the largest of the captured ones has 345 KB, nearly all of it an image in its styles.
# Where the beginning shows less than any rule allows a wall, all is read: data, styles and pictures stand before it.
MAX_CHARS = 1_500_000
# Characters per place; the longest phrase of any refusal stands within the first 12,000 of its visible text.
_MAX_PLACE = 40_000
_MAX_PROSE = 8_000
#: Of a main element only whether it says anything is of interest.
_MOST_MAIN_PARTS, _MOST_MAIN_CHARS = 20, 200
# A wall speaks of itself: of a page, a browser, a request. All captured ones in English that have this much text of
# their own and name no vendor do (2026-11); what does not is about something else, such as a hearing that was denied.
_ELSEWHERE_CHARS = 100
_OF_THE_WEB = re.compile(
    r"\b(?:web(?:sites?|pages?|master)?|sites?|pages?|browsers?|servers?|urls?|links?|javascript|cookies?|firewall|"
    r"administrator|captcha|bots?|ip|network|internet|online|proxy|vpn|https?|nginx|apache|log ?in|logged|sign ?in|"
    r"password|domain|hosting|click|refresh|reload|try again|check back|back (?:soon|shortly|up)|your (?:request|"
    r"connection|access|patience)|requested|resource|inconvenience|(?:support|reference|request|ray|incident|event|"
    r"case) (?:id|number|#)|automated|unusual|traffic|portal|app(?:lication)? error|exception|error code|redirect\w*)\b"
)
# Of the 190 captured refusals and errors only a parked page has one of these words in so much text (2026-11).
_LAW_CHARS = 150
_OF_LAW = re.compile(r"\b(?:shall|pursuant to|hereby|thereof)\b")
_ENGLISH = re.compile(r"\b(?:the|and|of|is)\b")
_MAX_OF: dict[Place, int] = {"title": 2_000, "heading": 8_000, "text": 24_000}
_UNSEEN = frozenset({"style", "template", "svg", "math", "object", "canvas", "video", "audio", "datalist"})
_BOILERPLATE = frozenset({"nav", "header", "footer", "aside", "a", "button", "select", "label", "menu"})
_HEADINGS = frozenset({"h1", "h2"})
#: What stands around a page's own part; and what a page may consist of instead of text.
_AROUND = frozenset({"nav", "header", "footer", "aside"})
_SHOWN_WITHOUT_TEXT = frozenset(
    {"img", "iframe", "object", "embed", "svg", "canvas", "video", "audio", "input", "select", "textarea"}
)
#: What is read as a whole, each for a place of its own.
_CODE: dict[str, Place] = {"script": "script", "noscript": "noscript", "title": "title"}
_COUNTED = frozenset({"script", "img", "iframe", "frame", "a", "input", "body", "meta"})
_SOURCES = {"script": "src", "iframe": "src", "frame": "src", "link": "href", "img": "src", "form": "action"}
_APP_ROOT = re.compile(
    r"^(?:root|app|__next|__nuxt|___gatsby|app-root|ember\d+|main-app|react-root|svelte|gwt)$", re.IGNORECASE
)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


@dataclass(slots=True)
class Evidence:
    """Places as text, counts as numbers.

    ``visible`` and ``prose`` are characters of text as a reader sees it; ``prose`` leaves out links, menus, headers and
    footers, which refusals and real pages share. Forms stay: ASP.NET wraps whole pages in one.
    """

    places: dict[Place, str] = field(default_factory=dict)
    visible: int = 0
    prose: int = 0
    links: int = 0
    passwords: int = 0
    scripts: int = 0
    images: int = 0
    frames: int = 0
    app_root: bool = False
    own: int = 0  # characters outside menus, headers and footers, links counted
    #: The beginning of the text of its main element; None: it has none, or one that shows pictures or fields only.
    main: str | None = None
    refresh: str | None = None  # the content of a meta refresh
    whole: str = ""  # all visible text, where `gather` was asked for it
    own_text: str = ""  # the beginning of its prose, in small letters

    _folded: dict[Place, str] = field(default_factory=dict)

    # Of its own text; few pages are asked for any of it.

    @property
    def is_elsewhere(self) -> bool:
        """Whether it says, in English, nothing of pages, sites, browsers."""
        if self.prose < _ELSEWHERE_CHARS or not _ENGLISH.search(self.own_text):
            return False
        return _OF_THE_WEB.search(self.own_text) is None

    @property
    def is_of_law(self) -> bool:
        """Whether it lays down duties, as walls do not."""
        return self.prose >= _LAW_CHARS and _OF_LAW.search(self.own_text) is not None

    @property
    def is_of_access(self) -> bool:
        """Whether most of its sentences are about accounts and the use of a system."""
        # Its expressions are many, and compiled as it is imported: a crawl needs them in its workers alone.
        from rori_spiders.verdicts.wall_language import speaks_of_access

        return speaks_of_access(self.own_text)

    def of(self, place: Place) -> str:
        return self.places.get(place, "")

    def folded(self, place: Place) -> str:
        """A place in small letters; the places do not change any more once this was asked."""
        if place not in self._folded:
            self._folded[place] = fold_case(self.of(place))
        return self._folded[place]


def gather_evidence(
    body: bytes,
    content_type: str | None = None,
    *,
    whole: bool = False,
    enough: int | None = None,
    parsed: ParsedPage | None = None,
) -> Evidence:
    """Read a page, as it is decoded. What cannot be parsed shows no text; raises MemoryError and nothing else.

    A page without a field for a password and with more than *enough* characters of prose, 8,000 or more, has no places:
    its reading ends there, and ``visible`` and ``prose`` are at least what is said. Not with *whole*.

    *parsed*: the same body, whose tree is read and left as it is, where it is what would be read without it: what
    follows the end of a page is for those who must not lose a word.
    """
    is_same = parsed is not None and not parsed.goes_on_behind_end
    if parsed is not None and is_same and (whole or len(parsed.decoded.text) <= MAX_CHARS):
        try:
            root = parsed.root
        except UnreadableDocument:
            return _gather_from(None, whole, None)
        return _gather_from(root, whole, None if whole else enough)
    text = decode(body, content_type).text.replace("\x00", "")
    if whole or len(text) <= MAX_CHARS:
        return _gather(text, whole, None if whole else enough)
    beginning = _gather(text[:MAX_CHARS], False, enough)
    return beginning if beginning.prose > _MAX_PROSE else _gather(text, False, enough)


def _gather(text: str, whole: bool, enough: int | None) -> Evidence:
    parser = etree.HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True, encoding="utf-8")
    text = shortened(text)
    try:
        root = etree.fromstring(text.encode("utf-8", "replace") or b"<p/>", parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        if is_want_of_memory(error):  # a page that was not read must not pass for an empty one
            raise MemoryError from error
        root = None
    return _gather_from(root, whole, enough)


def _gather_from(root: etree._Element | None, whole: bool, enough: int | None) -> Evidence:
    found = _Gatherer(whole)
    if root is None:
        return found.evidence()
    may_end = enough is not None and not any(_is_password(control.get("type")) for control in root.iter("input"))
    is_read = found.walk(root, enough if may_end else None)
    return found.evidence() if is_read else found.counts()


def _is_password(kind: str | None) -> bool:
    return (kind or "").lower() == "password"


def _fold_space(text: str) -> str:
    return " ".join(text.split())


def _is_hidden(element: etree._Element, present: Sequence[str | bytes]) -> bool:
    return "hidden" in present or ("style" in present and _HIDDEN.search(element.get("style", "")) is not None)


class _Gatherer:
    """The state of the one pass."""

    def __init__(self, whole: bool) -> None:
        self._whole: list[str] | None = [] if whole else None
        self._lists: dict[Place, list[str]] = {
            place: [] for place in ("title", "heading", "text", "noscript", "script", "source", "element")
        }
        self._left = {place: _MAX_OF.get(place, _MAX_PLACE) for place in self._lists}  # characters
        self._seen = Evidence()
        self._prose: list[str] = []
        self._boilerplate = 0
        self._around = 0
        self._headings = 0
        self._main: etree._Element | None = None
        self._main_parts: list[str] = []
        self._has_main = self._shows_more = False

    def evidence(self) -> Evidence:
        self._seen.places = {place: _fold_space(" ".join(parts)) for place, parts in self._lists.items()}
        self._seen.whole = _fold_space(" ".join(self._whole or ()))
        main = _fold_space(" ".join(self._main_parts))
        self._seen.main = main if self._has_main and (main or not self._shows_more) else None
        self._seen.own_text = fold_case(" ".join(self._prose))
        self._seen.places["element"] = "\n".join(self._lists["element"])
        self._seen.places["source"] = "\n".join(self._lists["source"])
        self._seen.places["heading"] = "\n".join(map(_fold_space, self._lists["heading"]))
        return self._seen

    def counts(self) -> Evidence:
        """What is known of a page that was not read to its end."""
        return self._seen

    def walk(self, root: etree._Element, enough: int | None = None) -> bool:
        """Read *root*. False where that ended before, with more than *enough* prose."""
        walker = etree.iterwalk(root, events=("start", "end"))
        for event, element in walker:
            tag = element.tag
            if event == "end":
                if tag in _BOILERPLATE:
                    self._boilerplate -= 1
                    self._around -= tag in _AROUND
                elif tag in _HEADINGS:
                    self._leave_heading(element)
                if element is self._main:
                    self._main = None
                shown = element.tail
            elif isinstance(tag, str) and self._enter(element, tag):
                shown = element.text
            else:
                # lxml still reports the end of what is skipped, so that the tail is not lost.
                walker.skip_subtree()
                continue
            if shown and not shown.isspace():
                self._add_text(shown)
                if enough is not None and self._seen.prose > enough:
                    return False
        return True

    def _enter(self, element: etree._Element, tag: str) -> bool:
        """Note an element; False for one whose inside nobody sees."""
        if present := element.keys():  # a list of names costs half of what all values cost
            self._note_names(element, tag, present)
        if tag in _COUNTED:
            self._count(element, tag)
        if tag == "app-root" or "-app" in tag:
            self._seen.app_root = True
        if self._main is not None:
            self._shows_more |= tag in _SHOWN_WITHOUT_TEXT
        elif tag == "main" or ("role" in present and element.get("role") == "main"):
            self._main, self._has_main = element, True
        if tag in _BOILERPLATE:
            self._boilerplate += 1
            self._around += tag in _AROUND
        elif tag in _HEADINGS:
            self._headings += 1
        elif tag in _CODE:
            self._add(_CODE[tag], " ".join(element.itertext()))  # type: ignore[arg-type]
            return False
        return tag not in _UNSEEN and not (present and _is_hidden(element, present))

    def _count(self, element: etree._Element, tag: str) -> None:
        seen = self._seen
        seen.scripts += tag == "script"
        seen.images += tag == "img"
        seen.frames += tag in ("iframe", "frame")
        seen.links += tag == "a"
        seen.passwords += tag == "input" and _is_password(element.get("type"))
        if tag == "body":
            self._add("script", element.get("onload"))
        if tag == "meta" and element.get("http-equiv", "").lower() == "refresh":
            seen.refresh = seen.refresh or element.get("content")

    def _note_names(self, element: etree._Element, tag: str, present: Sequence[str | bytes]) -> None:
        if tag in _SOURCES:
            self._add("source", element.get(_SOURCES[tag]))
        if not ("id" in present or "class" in present or "name" in present):
            return
        name, classes, own = element.get("id", ""), element.get("class", ""), element.get("name", "")
        if (name or classes or own) and self._left["element"] > 0:
            self._add("element", f"{tag}#{name}.{classes}[{own}]")
        if name and _APP_ROOT.match(name):
            self._seen.app_root = True

    def _leave_heading(self, element: etree._Element) -> None:
        self._headings -= 1
        if not self._headings:  # of headings in headings the outer one has all the words
            self._add("heading", " ".join(element.itertext()) + " ")  # type: ignore[arg-type]

    def _add_text(self, text: str) -> None:
        size = len(" ".join(text.split())) + 1
        self._seen.visible += size
        self._seen.own += 0 if self._around else size
        if self._main is not None and len(self._main_parts) < _MOST_MAIN_PARTS:
            self._main_parts.append(text[:_MOST_MAIN_CHARS])
        if not self._boilerplate:
            if self._seen.prose < _MAX_PROSE:
                self._prose.append(text[:_MAX_PROSE])
            self._seen.prose += size
        self._add("text", text)
        if self._whole is not None:
            self._whole.append(text)

    def _add(self, place: Place, text: str | None) -> None:
        if text and (left := self._left[place]) > 0:
            self._lists[place].append(text[:left])
            self._left[place] = left - len(text)
