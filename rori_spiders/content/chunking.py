"""The sections and citations of a page for chunking: position in the text, hash, and anchor on the page.

The anchor is the ``id`` (or old ``name``) that a heading, a link inside of it or right before it, or the block that it
opens carries: the page's address with it leads to the section.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from rori_spiders.content.sections import outline, section_hashes

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from rori_spiders.content.html.hidden import Hidden


#: What a heading says without its markup, and the anchor of each heading of the page that says so, in page order.
Anchors = dict[str, list[str | None]]

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = frozenset({"section", "article", "div", "li", "details"})
_MARKUP = re.compile(r"\]\((?:[^()\s]|\([^()]*\))*\)|<[^<>]*>|&\w+;")
_WORDS = re.compile(r"\w+")
_USABLE = re.compile(r"\S{1,200}$")


class Part(NamedTuple):
    """A heading with what follows up to the next one.

    ``path`` is the section's name in the ledger: the headings that lead to it, joined by " > ", "" for what stands
    before the first, the second of the same path with " (2)". ``start`` and ``end`` are offsets in characters of the
    text, ``hash`` is the hex SHA-256 of what is between them.
    """

    path: str
    level: int  # 1 to 6; 0 for what stands before the first heading
    anchor: str | None
    start: int
    end: int
    hash: str


class Cited(NamedTuple):
    """A citation as pages carry it: offsets in characters, kind, canonical form, and the address of what is cited.

    ``target`` is None where no official address follows from the citation. It stands here because a page that crosses
    to another process has it: what finds citations takes 0.1 s to import there.
    """

    start: int
    end: int
    kind: str
    canonical: str
    target: str | None


def parts_of(markdown: str, anchors: Anchors) -> tuple[Part, ...]:
    """The sections of *markdown* in order; together they cover it whole.

    A heading has an anchor only where page and text have as many headings with its words: else it may be another's.
    """
    sections = outline(markdown)
    keys = [_key(markdown[section.start : section.end].partition("\n")[0]) for section in sections]
    counts: dict[str, int] = {}
    for section, key in zip(sections, keys, strict=True):
        counts[key] = counts.get(key, 0) + (section.level > 0)
    left = {key: iter(found) for key, found in anchors.items() if len(found) == counts.get(key)}
    return tuple(
        Part(path, section.level, next(left.get(key, iter(())), None) if section.level else None, *section[2:4], digest)
        for section, key, (path, digest) in zip(sections, keys, section_hashes(markdown), strict=True)
    )


def anchors_in(root: HtmlElement) -> Anchors:
    """The anchors of the headings in *root*."""
    anchors: Anchors = {}
    for heading in root.iter(*_HEADINGS):
        if key := _key(heading.text_content()):
            anchors.setdefault(key, []).append(_anchor_of(heading))
    return anchors


def _key(text: str) -> str:
    return " ".join(_WORDS.findall(_MARKUP.sub(" ", text).replace("\\", "").replace("_", " ")))


def _anchor_of(heading: HtmlElement) -> str | None:
    inside = (link.get("id") or link.get("name") for link in heading.iter("a", "span"))
    found = heading.get("id") or next(filter(None, inside), None) or _before(heading)
    return found if found and _USABLE.match(found) else None


def _before(heading: HtmlElement) -> str | None:
    """The anchor right before a heading, else that of the block which it opens."""
    previous, block = heading.getprevious(), heading.getparent()
    holder = None
    if previous is not None:
        if previous.tag == "a" and not previous.get("href") and not (previous.tail or "").strip():
            holder = previous
    elif block is not None and block.tag in _BLOCKS and not (block.text or "").strip():
        holder = block
    return None if holder is None else holder.get("id") or holder.get("name")


# Hints for who cuts and embeds the text (S0 §5.2 ``processing``), each by the rule that its function states.

ChunkStrategy = Literal["section_aware", "paragraph", "fixed_size"]
Complexity = Literal["simple", "medium", "complex"]

_TABLE = re.compile(r"^[ >]*\|(?: *:?-{3,}:? *\|)+ *$", re.MULTILINE)
_ITEM = re.compile(r"^([ >]*)(?:[-*+]|\d{1,9}[.)]) +\S", re.MULTILINE)
_FENCED = re.compile(r"^[ >]*(`{3,})[^\n`]*\n.*?^[ >]*\1[ ]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Hints:
    """S0's ``processing``, with how the main content was found and which volatile rules fired."""

    chunk_strategy: ChunkStrategy
    has_tables: bool
    has_lists: bool
    has_code_blocks: bool
    has_embedded_pdfs: bool
    complexity: Complexity
    cross_references: tuple[str, ...]
    extraction: dict[str, str | float]
    removed: tuple[str, ...]
    hidden: Hidden | None = None
    unread_pages: tuple[int, ...] = ()
    recognised_pages: tuple[int, ...] = ()
    ocr_pages: tuple[tuple[int, float], ...] = ()  # number and confidence


class Shape:
    """Counts of markdown elements; code blocks are counted, then excluded from the other counts."""

    def __init__(self, markdown: str) -> None:
        has_fences = "```" in markdown
        self.code_blocks = len(_FENCED.findall(markdown)) if has_fences else 0
        plain = _FENCED.sub("", markdown) if has_fences else markdown
        self.tables = len(_TABLE.findall(plain)) if "---" in plain else 0
        depths = [len(indent.replace(">", "")) // 2 for indent in _ITEM.findall(plain)]
        self.items = len(depths)
        self.list_depth = max(depths) + 1 if depths else 0
        sections = [section for section in outline(markdown) if section.level]
        self.sections = len(sections)
        self.levels = len({section.level for section in sections})
        self.paragraphs = sum(
            1 for block in plain.split("\n\n") if block.strip() and not block.lstrip().startswith("#")
        )
        self.words = len(plain.split())


def chunk_strategy(shape: Shape) -> ChunkStrategy:
    """``section_aware`` from two headings on; else ``paragraph`` from three blocks on; else ``fixed_size``."""
    if shape.sections >= 2:
        return "section_aware"
    return "paragraph" if shape.paragraphs >= 3 else "fixed_size"


def complexity(shape: Shape, cross_references: int) -> Complexity:
    """By points: one each for more than 1,500 and 6,000 words, for a table, for three tables, for a list two levels
    deep and four levels deep, for three levels of headings, for 5 and 25 cross-references.

    None or one: ``simple``. Two to four: ``medium``. Five or more: ``complex``.
    """
    points = sum(
        (
            shape.words > 1500,
            shape.words > 6000,
            shape.tables >= 1,
            shape.tables >= 3,
            shape.list_depth >= 2,
            shape.list_depth >= 4,
            shape.levels >= 3,
            cross_references >= 5,
            cross_references >= 25,
        )
    )
    return "simple" if points < 2 else "medium" if points < 5 else "complex"


def read_hints(
    markdown: str,
    *,
    embedded_pdfs: bool,
    cross_references: tuple[str, ...],
    extraction: dict[str, str | float],
    removed: tuple[str, ...],
    hidden: Hidden | None = None,
    unread_pages: tuple[int, ...] = (),
    recognised_pages: tuple[int, ...] = (),
    ocr_pages: tuple[tuple[int, float], ...] = (),
) -> Hints:
    """The hints of a page. Tables: a pipe table stands in the markdown; lists: an item; code: a fenced block."""
    shape = Shape(markdown)
    return Hints(
        chunk_strategy=chunk_strategy(shape),
        has_tables=shape.tables > 0,
        has_lists=shape.items > 0,
        has_code_blocks=shape.code_blocks > 0,
        has_embedded_pdfs=embedded_pdfs,
        complexity=complexity(shape, len(cross_references)),
        cross_references=cross_references,
        extraction=extraction,
        removed=removed,
        hidden=hidden,
        unread_pages=unread_pages,
        recognised_pages=recognised_pages,
        ocr_pages=ocr_pages,
    )
