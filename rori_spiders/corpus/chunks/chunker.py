"""A document's text in chunks, each readable alone: whole paragraphs of law, lists with what introduces them, tables.

A section that fits is a chunk. Of a longer one each paragraph is, with all below it, where that fits; small neighbours
stand together. What is cut off from its parents is given their text as lead-in, and their headings.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, NamedTuple

from rori_spiders.content import citations
from rori_spiders.corpus.auditing.chunks import estimate_tokens
from rori_spiders.corpus.chunks.designations import Designations, searched_form
from rori_spiders.corpus.chunks.text_tree import Node, read_tree
from rori_spiders.fields.extraction.chunks import split_markdown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rori_spiders.content.chunking import Cited

#: Most tokens of a chunk's own text, as the loader's chunker has them (auditing/chunks.py).
CHUNK_TOKENS = 512
#: Neighbours below one parent stand together until they have so many tokens.
JOINED_TOKENS = 128
#: A parent's text of fewer tokens stands with its first child, not alone.
LEAD_TOKENS = 96
#: Of what is repeated of all parents together.
LEADS_TOKENS = 224
_HEADING_CHARS = 200
#: Paragraphs and terms that a chunk of several names in its first line.
_MOST_MEMBERS = 12
ChunkKind = Literal["section", "paragraph", "list", "table", "code"]
_SENTENCE = re.compile(r"[^.;:]*[^\s.;:][.;:]?\W*$")
_RULE = re.compile(r"[\s>|:]*-[\s>|:-]*$")


class Chunk(NamedTuple):
    """``body[start:end]``, and what it needs to be read alone.

    ``designation`` is what it is, or the paragraph that it is a part of; ``designations`` what begins in it; ``path``
    the designators as written. ``text`` is to be indexed: section, lead-in, titles of the table, own text; with
    ``keywords`` where words are searched.
    """

    id: str
    kind: ChunkKind
    start: int
    end: int
    designation: str | None
    designations: tuple[str, ...]
    keywords: tuple[str, ...]
    path: tuple[str, ...]
    headings: tuple[str, ...]
    lead_in: tuple[str, ...]
    table_head: str
    text: str
    citations: tuple[Cited, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of the text with the nodes that begin in it. ``above``: the parents of them, from the outermost."""

    start: int
    end: int
    above: tuple[Node, ...]
    nodes: tuple[Node, ...]
    of: Node | None = None  # the node of which it is a later part
    table_head: str = ""


def split_document(body: str, *, doc_id: str, url: str, title: str | None) -> list[Chunk]:
    """Split *body*, the text of the document *doc_id*, into chunks. Together they are its text, in order."""
    tree = read_tree(body)
    packer = _Packer(body)
    names = Designations(body, url, title)
    cited = citations.of_page(body, url=url, title=title)
    starts = [one.start for one in cited]
    seen: Counter[str] = Counter()
    chunks = []
    for piece in packer.pack(tree.children, (), None):
        found = cited[bisect_left(starts, piece.start) : bisect_left(starts, piece.end)]
        chunks.append(_make_chunk(body, piece, names, found, doc_id, seen))
    return chunks


class _Packer:
    def __init__(self, body: str) -> None:
        self._body = body
        self._own_tokens: dict[int, int] = {}  # by the node's id()
        self._total_tokens: dict[int, int] = {}

    def _own(self, node: Node) -> int:
        key = id(node)
        if key not in self._own_tokens:
            self._own_tokens[key] = estimate_tokens(self._body[node.start : node.end])
        return self._own_tokens[key]

    def _total(self, node: Node) -> int:
        key = id(node)
        if key not in self._total_tokens:
            self._total_tokens[key] = self._own(node) + sum(map(self._total, node.children))
        return self._total_tokens[key]

    def pack(self, nodes: Sequence[Node], above: tuple[Node, ...], carried: Node | None) -> Iterator[_Piece]:
        """The pieces of *nodes*, children of the last of *above*; the first begins with what was *carried* there."""
        group: list[Node] = []
        tokens = 0
        for node in nodes:
            is_full = tokens >= JOINED_TOKENS or tokens + self._total(node) > CHUNK_TOKENS
            if group and (is_full or not _join(group[-1], node)):
                yield self._grouped(group, above, carried)
                group, tokens, carried = [], 0, None
            if self._total(node) <= CHUNK_TOKENS:
                group.append(node)
                tokens += self._total(node)
                continue
            yield from self._divided(node, above, carried)
            carried = None
        if group:
            yield self._grouped(group, above, carried)

    def _grouped(self, group: Sequence[Node], above: tuple[Node, ...], carried: Node | None) -> _Piece:
        start = carried.start if carried is not None else group[0].start
        return _Piece(start, group[-1].last, above, tuple(group))

    def _divided(self, node: Node, above: tuple[Node, ...], carried: Node | None) -> Iterator[_Piece]:
        """A node that is too long: its own text, then what stands below it."""
        if node.children and self._own(node) <= LEAD_TOKENS:
            yield from self.pack(node.children, (*above, node), carried or node)
            return
        start = carried.start if carried is not None else node.start
        bare = Node(node.kind, node.start, node.end, node.level, node.heading, node.designator, node.is_sure)
        if self._own(node) <= CHUNK_TOKENS:
            yield _Piece(start, node.end, above, (bare,))
        else:
            yield from self._parts(bare, start, above)
        yield from self.pack(node.children, (*above, node), None)

    def _parts(self, node: Node, start: int, above: tuple[Node, ...]) -> Iterator[_Piece]:
        """A block that is too long, by rows, lines or sentences; later parts of a table have its column titles."""
        own = self._body[node.start : node.end]
        head = _table_head(own) if node.kind == "table" else ""
        room = max(CHUNK_TOKENS // 4, CHUNK_TOKENS - estimate_tokens(head))
        for at, part in enumerate(split_markdown(own, room, estimate_tokens)):
            begin = node.start + part.start if at else start
            end = node.start + part.end
            yield _Piece(begin, end, above, () if at else (node,), node if at else None, head if at else "")


def _join(one: Node, other: Node) -> bool:
    """Whether two neighbours may stand in one chunk: no heading begins in the middle of one."""
    return other.kind != "heading" and one.kind != "heading"


def _table_head(table: str) -> str:
    lines = table.split("\n", 2)
    return "\n".join(lines[:2]) if len(lines) > 2 and _RULE.match(lines[1]) else ""


def _make_chunk(
    body: str, piece: _Piece, names: Designations, cited: Sequence[Cited], doc_id: str, seen: Counter[str]
) -> Chunk:
    end = piece.end
    own = body[piece.start : end].strip()
    start = piece.start + len(body[piece.start : end]) - len(body[piece.start : end].lstrip())
    nodes = [piece.of] if piece.of is not None else list(piece.nodes)
    path = (*piece.above, nodes[0]) if len(nodes) == 1 else piece.above
    headings = tuple(node.heading[:_HEADING_CHARS] for node in path if node.kind == "heading")
    written = names.written_path([node for node in path if node.kind != "heading"])
    lead_in = _lead_in(body, piece)
    members = [node.designator for node in nodes if node.designator and node.is_sure and node.kind != "heading"]
    places = ["".join(written)] if written else []
    places += ["; ".join(members[:_MOST_MEMBERS])] if len(nodes) > 1 and members else []
    section = " > ".join((*headings, *places))
    text = "\n\n".join(part for part in (f"[Section: {section}]" if section else "", *lead_in) if part)
    text = f"{text}\n\n{piece.table_head}\n{own}" if piece.table_head else f"{text}\n\n{own}" if text else own
    digest = sha256(f"{doc_id}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    seen[digest] += 1
    glued = [node for node in piece.above if node.start >= piece.start]
    begun = [piece.above[: piece.above.index(node) + 1] for node in glued]
    begun += [inner for node in piece.nodes for inner in _paths(node, piece.above)]
    named = (names.of(one) for one in begun if names.is_exact(one))
    designations = tuple(dict.fromkeys(name for name in named if name))
    designation = names.of(path)
    keywords = [searched_form(designation)] if designation else []
    keywords += [word for one in (begun or [path]) for word in names.keywords_of(one)]
    return Chunk(
        id=f"{doc_id}#{digest}" + (f"-{seen[digest]}" if seen[digest] > 1 else ""),
        kind=_kind(nodes),
        start=start,
        end=start + len(own),
        designation=designation,
        designations=designations,
        keywords=tuple(dict.fromkeys(keywords)),
        path=names.written_path(path),
        headings=headings,
        lead_in=lead_in,
        table_head=piece.table_head,
        text=text,
        citations=tuple(one for one in cited if one.canonical not in designations),  # not its own heading
    )


def _paths(node: Node, above: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    path = (*above, node)
    yield path
    for child in node.children:
        yield from _paths(child, path)


def _kind(nodes: Sequence[Node]) -> ChunkKind:
    kinds = {node.kind for node in nodes}
    if kinds == {"heading"}:
        return "section"
    if kinds == {"item"}:
        return "list"
    return "table" if kinds == {"table"} else "code" if kinds == {"code"} else "paragraph"


def _lead_in(body: str, piece: _Piece) -> tuple[str, ...]:
    """The texts of the parents that the piece does not begin with, shortened where they are long."""
    parents = [node for node in piece.above if node.kind != "heading" and node.start < piece.start]
    found: list[str] = []
    left = LEADS_TOKENS
    for node in reversed(parents):
        text = shortened(body[node.start : node.end].strip(), min(LEAD_TOKENS, left))
        left -= estimate_tokens(text)
        if text and left >= 0:
            found.append(text)
    found.reverse()
    if piece.of is not None and piece.of.kind == "paragraph":
        found.append(shortened(body[piece.of.start : piece.of.end].strip(), LEAD_TOKENS // 4, ends=False))
    return tuple(found)


def shortened(text: str, tokens: int, *, ends: bool = True) -> str:
    """*text* with at most about so many tokens: its beginning, "...", and its last sentence, which may introduce."""
    if estimate_tokens(text) <= tokens:
        return text
    last = _SENTENCE.search(text[-4 * tokens :]) if ends else None
    tail = last[0].strip() if last else ""
    if estimate_tokens(tail) > tokens * 3 // 4:
        tail = ""
    room = 3 * max(0, tokens - estimate_tokens(tail))
    head = text[:room].rpartition(" ")[0]
    return f"{head} ... {tail}".strip() if head else tail
