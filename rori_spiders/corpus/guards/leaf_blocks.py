"""Parse markdown into leaf blocks, in order, each with the headings it stands under; and the inline text that a
line renders to.  Input: markdown. Output: ``Leaf``s: headings, paragraphs, tables, code, HTML; offsets are in
characters of the text. Reference definitions are not parsed: they are paragraphs, so that nothing in the text
escapes the guards. Two stretches with the same ``InlineText`` mean the same to a reader and to a program.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, NamedTuple

from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from markdown_it.token import Token


#: Characters that take no room and may be left out; those that turn the direction of reading are not among them.
INVISIBLE_CHARACTERS = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_STRAIGHT = str.maketrans(dict.fromkeys(INVISIBLE_CHARACTERS) | dict(zip("‘’‚‛“”„‟", "''''\"\"\"\"", strict=True)))
#: Words of denial and of exception.
NEGATION = re.compile(
    r"\b(?:not|no|never|none|nor|neither|without|cannot|nothing|nobody|hardly|non|except\w*|unless|exclud\w+|only|but"
    r"|n[o0]t)\b|n't\b|\b(?:non|un)-",
    re.IGNORECASE,
)
BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_BLANKS = re.compile(r"\s+")
_OPENING = {"link_open": "link", "s_open": "struck"}


class Span(NamedTuple):
    """A property of ``text[start:end]``: ``kind`` is link, struck, code, image, html; ``value`` its target or tag."""

    start: int
    end: int
    kind: str
    value: str

    def moved(self, by: int) -> Span:
        return self._replace(start=self.start + by, end=self.end + by)


class InlineText(NamedTuple):
    """``text`` as it is read, and the spans within it, in order."""

    text: str
    spans: tuple[Span, ...] = ()


def inline_text(tokens: Sequence[Token]) -> InlineText:
    """Return the inline *tokens* as displayed."""
    reader = _InlineReader()
    reader.read(tokens)
    return _collapse_whitespace("".join(reader.parts), reader.spans)


def normalize_characters(text: str) -> str:
    """*text* with straight quote marks, composed, without characters that take no room."""
    return unicodedata.normalize("NFC", text.translate(_STRAIGHT))


class _InlineReader:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self.spans: list[Span] = []
        self._size = 0
        self._open: list[tuple[int, str, str]] = []

    def read(self, tokens: Iterable[Token]) -> None:
        for token in tokens:
            if token.type in _OPENING:
                self._open.append((self._size, _OPENING[token.type], _link_target(token, "href")))
            elif token.type in {"link_close", "s_close"}:
                start, kind, value = self._open.pop()
                if token.info != "auto":  # the text of an autolink is its address
                    self.spans.append(Span(start, self._size, kind, value))
            elif token.type == "image":
                at = self._size
                self.read(token.children or ())
                self.spans.append(Span(at, self._size, "image", _link_target(token, "src")))
            elif token.type == "html_inline" and not BREAK.fullmatch(token.content):
                self.spans.append(Span(self._size, self._size, "html", token.content))
            else:
                self._text(token)

    def _text(self, token: Token) -> None:
        at = self._size
        is_break = token.type in {"softbreak", "hardbreak", "html_inline"}
        self.parts.append(" " if is_break else normalize_characters(token.content))
        self._size += len(self.parts[-1])
        if token.type == "code_inline":
            self.spans.append(Span(at, self._size, "code", ""))


def _link_target(token: Token, name: str) -> str:
    title = token.attrGet("title")
    return f"{token.attrGet(name) or ''}" + (f"\n{title}" if title else "")


def _collapse_whitespace(text: str, spans: Sequence[Span]) -> InlineText:
    """Collapse white space to single spaces, and adjust the spans."""
    if not spans:
        return InlineText(" ".join(text.split()))
    places: list[int] = []
    parts: list[str] = []
    size, at = 0, 0
    for blank in (*_BLANKS.finditer(text), None):
        start, end = blank.span() if blank else (len(text), len(text))
        parts.append(text[at:start])
        places.extend(range(size, size + start - at))
        size += start - at
        is_inner = start > 0 and end < len(text)
        places.extend([size] * (end - start))
        if is_inner:
            parts.append(" ")
            size += 1
        at = end
    places.append(size)
    folded = "".join(parts)
    return InlineText(folded, tuple(sorted(_trim_span(folded, places, span) for span in spans)))


def _trim_span(text: str, places: Sequence[int], span: Span) -> Span:
    start, end = places[span.start], places[span.end]
    while start < end and text[start] == " ":
        start += 1
    while start < end and text[end - 1] == " ":
        end -= 1
    return span._replace(start=start, end=max(start, end))


LeafKind = Literal["heading", "paragraph", "table", "code", "html"]
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|\w{1,40});")
_NEW_LINE = re.compile(r"\r\n?")
_DEFINITION = re.compile(r"(?m)^(?:[^\S\n]|>)*[:~][ \t]")
#: Blanks at the end of a line of code or HTML are invisible.
_LINE_ENDS = re.compile(r"(?m)(?<![ \t])[ \t]+$")
_OPENED = {"list_item_open": "item", "blockquote_open": "quote", "dd_open": "definition"}
_CLOSED = {"list_item_close", "blockquote_close", "dd_close"}


class Container(NamedTuple):
    """A list item, quotation or definition that contains a leaf, and the number of its first leaf."""

    kind: str
    first: int


@dataclass(frozen=True, slots=True)
class Leaf:
    """``text[start:end]``. ``above``: numbers of the headings that lead to it. ``marker``: of the item it begins.

    ``rows`` of a table: cells, the header first. ``is_strong``: a paragraph all in bold.
    """

    number: int
    kind: LeafKind
    shown: InlineText
    start: int
    end: int
    level: int
    above: tuple[int, ...]
    holders: tuple[Container, ...]
    marker: str = ""
    rows: tuple[tuple[InlineText, ...], ...] = ()
    info: str = ""
    is_strong: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        """The key by which leaves of the same kind and text are equal."""
        kinds = tuple(holder.kind for holder in self.holders)
        return self.kind, self.shown, self.rows, self.info, kinds, self.marker


@dataclass(frozen=True, slots=True)
class LeafText:
    """A text and its leaves. ``unread`` counts letters and digits of the text that are in no leaf."""

    markdown: str
    leaves: tuple[Leaf, ...]
    unread: Counter[str]

    def raw(self, leaf: Leaf) -> str:
        """The markdown of *leaf*."""
        return self.markdown[leaf.start : leaf.end]

    def headings(self, leaf: Leaf) -> list[str]:
        """Return the texts of the headings above *leaf*, the highest first."""
        return [self.leaves[number].shown.text for number in leaf.above]


def has_definition_lines(markdown: str) -> bool:
    """Return whether *markdown* has lines that parsers of definition lists read as definitions."""
    return _DEFINITION.search(markdown) is not None


def parse_leaves(markdown: str, *, definitions: bool = False) -> LeafText:
    """Parse *markdown* into leaves; lines with a leading colon are paragraphs, or with *definitions* definitions."""
    text = _NEW_LINE.sub("\n", markdown)
    leaves = _LeafReader(text).read(_markdown_parser(definitions=definitions))
    unread = Counter(normalize_characters(_decode_entities(BREAK.sub(" ", text))))
    unread.subtract(Counter("".join(map(_full_text, leaves))))
    unread = Counter({one: count for one, count in unread.items() if count and one.isalnum()})
    return LeafText(text, tuple(leaves), unread)


def _full_text(leaf: Leaf) -> str:
    parts = [leaf.shown, *(cell for row in leaf.rows for cell in row)]
    values = [span.value for part in parts for span in part.spans if span.kind != "code"]
    texts = [part.text for part in (parts[1:] if leaf.rows else parts)]
    info = leaf.info.partition(" ")[2] if leaf.kind == "code" else ""
    return normalize_characters(_decode_entities(BREAK.sub(" ", " ".join([*texts, *values, leaf.marker, info]))))


def _decode_entities(text: str) -> str:
    """*text* with what its entities stand for: markdown reads them where they end with a semicolon, but in code."""
    while (once := _ENTITY.sub(lambda found: html.unescape(found[0]), text)) != text:
        text = once
    return text


@cache
def _markdown_parser(*, definitions: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).disable("reference")
    # Addresses as they stand: two spellings of one are two.
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    return parser.use(deflist_plugin) if definitions else parser


class _LeafReader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._offsets = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
        self._leaves: list[Leaf] = []
        self._above: list[tuple[int, int]] = []  # level, number
        self._holders: list[tuple[str, int | None]] = []
        self._outside: list[list[tuple[int, int]]] = []  # the headings above each holder
        self._markers: list[str] = []
        self._rows: list[list[InlineText]] = []
        self._table_at: Token | None = None

    def read(self, parser: MarkdownIt) -> list[Leaf]:
        tokens = parser.parse(self._text)
        for at, token in enumerate(tokens):
            self._token(token, tokens[at + 1] if at + 1 < len(tokens) else token)
        return self._leaves

    def _token(self, token: Token, following: Token) -> None:
        kind = token.type
        if kind in _OPENED:
            self._holders.append((_OPENED[kind], None))
            self._outside.append(self._above)
            if kind == "list_item_open":
                self._markers.append(token.info or "-")
        elif kind in _CLOSED:
            self._holders.pop()
            # A heading in a list item or a quotation leads what stands in there, and nothing behind it.
            self._above = self._outside.pop()
            self._markers.clear()
        elif kind == "heading_open":
            # Only what begins with "#" is cut at by those who read the text later.
            self._add("heading", token, following, info="" if token.markup.startswith("#") else "underlined")
        elif kind in {"paragraph_open", "dt_open"}:
            self._add("paragraph", token, following, info="term" if kind == "dt_open" else "")
        elif kind in {"fence", "code_block"}:
            self._add("code", token, None, info=f"{kind} {token.info.strip()}")
        elif kind == "html_block":
            self._add("html", token, None)
        else:
            self._table(token, following)

    def _table(self, token: Token, following: Token) -> None:
        if token.type == "table_open":
            self._rows, self._table_at = [], token
        elif token.type == "tr_open":
            self._rows.append([])
        elif token.type in {"th_open", "td_open"}:
            self._rows[-1].append(inline_text(following.children or ()))
        elif token.type == "table_close" and self._table_at is not None:
            self._add("table", self._table_at, None, rows=tuple(map(tuple, self._rows)))

    def _add(
        self,
        kind: LeafKind,
        token: Token,
        inline: Token | None,
        info: str = "",
        rows: tuple[tuple[InlineText, ...], ...] = (),
    ) -> None:
        number = len(self._leaves)
        level = int(token.tag[1]) if kind == "heading" else 0
        if level:
            around = self._outside[-1] if self._outside else []
            self._above = [one for one in self._above if one[0] < level or one in around]
        above = tuple(number for _, number in self._above)
        if level:
            self._above = [*self._above, (level, number)]
        self._holders = [(name, number if first is None else first) for name, first in self._holders]
        first, last = token.map or (0, 0)
        start, end = self._offsets[first], self._offsets[last + (kind == "paragraph" and first == last)]
        children = (inline.children or ()) if inline is not None else ()
        if kind in {"code", "html"}:
            shown = InlineText(_LINE_ENDS.sub("", token.content).rstrip("\n"))
        elif rows:
            shown = InlineText(" | ".join(cell.text for row in rows for cell in row))
        else:
            shown = inline_text(children)
        self._leaves.append(
            Leaf(
                number, kind, shown, start, min(end, len(self._text)), level, above,
                tuple(Container(name, first or 0) for name, first in self._holders), "".join(self._markers), rows, info,
                kind == "paragraph" and not info and _is_strong(children),
            )
        )  # fmt: skip
        self._markers.clear()


def _is_strong(tokens: Sequence[Token]) -> bool:
    depth, strong = 0, False
    for token in tokens:
        depth += {"strong_open": 1, "strong_close": -1}.get(token.type, 0)
        if token.type == "text" and token.content.strip():
            if not depth:
                return False
            strong = True
    return strong
