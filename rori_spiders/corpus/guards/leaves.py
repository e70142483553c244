"""A markdown text as its smallest blocks, in order, each knowing what it stands under.

In: markdown. Out: ``Leaf``s: headings, paragraphs, tables, code, HTML; offsets are in characters of the text. Reference
definitions are not read: they are paragraphs like others, so that nothing in the text escapes the eye.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, NamedTuple

from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin

from rori_spiders.corpus.guards.shown import BREAK, Shown, shown_of, straight

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.token import Token

Kind = Literal["heading", "paragraph", "table", "code", "html"]
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|\w{1,40});")
_NEW_LINE = re.compile(r"\r\n?")
_DEFINITION = re.compile(r"(?m)^[\s>]*[:~][ \t]")
#: Blanks at the end of a line of code or HTML are seen by nobody.
_LINE_ENDS = re.compile(r"(?m)(?<![ \t])[ \t]+$")
_OPENED = {"list_item_open": "item", "blockquote_open": "quote", "dd_open": "definition"}
_CLOSED = {"list_item_close", "blockquote_close", "dd_close"}


class Holder(NamedTuple):
    """A list item, a quotation or a definition that a leaf stands in, and the number of its own first leaf."""

    kind: str
    first: int


@dataclass(frozen=True, slots=True)
class Leaf:
    """``text[start:end]``. ``above``: numbers of the headings that lead to it. ``marker``: of the item it begins.

    ``rows`` of a table: cells, the header first. ``is_strong``: a paragraph all in bold.
    """

    number: int
    kind: Kind
    shown: Shown
    start: int
    end: int
    level: int
    above: tuple[int, ...]
    holders: tuple[Holder, ...]
    marker: str = ""
    rows: tuple[tuple[Shown, ...], ...] = ()
    info: str = ""
    is_strong: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        """What two leaves have in common that say the same as the same kind of thing."""
        kinds = tuple(holder.kind for holder in self.holders)
        return self.kind, self.shown, self.rows, self.info, kinds, self.marker


@dataclass(frozen=True, slots=True)
class Text:
    """A text and its leaves. ``unread`` counts letters and digits that stand in it and in no leaf."""

    markdown: str
    leaves: tuple[Leaf, ...]
    unread: Counter[str]

    def raw(self, leaf: Leaf) -> str:
        """The markdown of *leaf*."""
        return self.markdown[leaf.start : leaf.end]

    def headings(self, leaf: Leaf) -> list[str]:
        """What the headings above *leaf* say, the highest first."""
        return [self.leaves[number].shown.text for number in leaf.above]


def may_define(markdown: str) -> bool:
    """Whether *markdown* has lines that a reader of definition lists takes for definitions."""
    return _DEFINITION.search(markdown) is not None


def read(markdown: str, *, definitions: bool = False) -> Text:
    """*markdown* in leaves; lines that begin with a colon are paragraphs, or *definitions* of the term before them."""
    text = _NEW_LINE.sub("\n", markdown)
    leaves = _Reader(text).read(_parser(definitions=definitions))
    unread = Counter(straight(_unescaped(BREAK.sub(" ", text))))
    unread.subtract(Counter("".join(map(_all_of, leaves))))
    unread = Counter({one: count for one, count in unread.items() if count and one.isalnum()})
    return Text(text, tuple(leaves), unread)


def _all_of(leaf: Leaf) -> str:
    parts = [leaf.shown, *(cell for row in leaf.rows for cell in row)]
    values = [span.value for part in parts for span in part.spans if span.kind != "code"]
    texts = [part.text for part in (parts[1:] if leaf.rows else parts)]
    info = leaf.info.partition(" ")[2] if leaf.kind == "code" else ""
    return straight(_unescaped(BREAK.sub(" ", " ".join([*texts, *values, leaf.marker, info]))))


def _unescaped(text: str) -> str:
    """*text* with what its entities stand for: markdown reads them where they end with a semicolon, but in code."""
    while (once := _ENTITY.sub(lambda found: html.unescape(found[0]), text)) != text:
        text = once
    return text


@cache
def _parser(*, definitions: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).disable("reference")
    # Addresses as they stand: two spellings of one are two.
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    return parser.use(deflist_plugin) if definitions else parser


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._offsets = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
        self._leaves: list[Leaf] = []
        self._above: list[tuple[int, int]] = []  # level, number
        self._holders: list[tuple[str, int | None]] = []
        self._outside: list[list[tuple[int, int]]] = []  # the headings above each holder
        self._markers: list[str] = []
        self._rows: list[list[Shown]] = []
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
            self._rows[-1].append(shown_of(following.children or ()))
        elif token.type == "table_close" and self._table_at is not None:
            self._add("table", self._table_at, None, rows=tuple(map(tuple, self._rows)))

    def _add(
        self, kind: Kind, token: Token, inline: Token | None, info: str = "", rows: tuple[tuple[Shown, ...], ...] = ()
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
            shown = Shown(_LINE_ENDS.sub("", token.content).rstrip("\n"))
        elif rows:
            shown = Shown(" | ".join(cell.text for row in rows for cell in row))
        else:
            shown = shown_of(children)
        self._leaves.append(
            Leaf(
                number, kind, shown, start, min(end, len(self._text)), level, above,
                tuple(Holder(name, first or 0) for name, first in self._holders), "".join(self._markers), rows, info,
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
