"""Split markdown into blocks that are kept or removed as a whole, and join them again; the text a reader sees of a
block.  Input: a body. Output: headings, paragraphs, list items with all that is nested in them, tables, code,
quotes, in order. Joined unchanged they are the body again, byte by byte.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from rori_spiders.content.sections import fence_after
from rori_spiders.fields.grounding.plain_text import to_plain_text

BlockKind = Literal["heading", "paragraph", "item", "numbered", "table", "code", "quote", "tag", "rule"]

_HEADING = re.compile(r"(#{1,6}) .")
_BULLET = re.compile(r"[-*+](?:\s|$)")
_NUMBER = re.compile(r"\d{1,9}[.)](?:\s|$)")
_TAG = re.compile(r"</?(?:del|ins)>$")
_RULE = re.compile(r"(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$")
_PRE, _PRE_END = "<pre>", "</pre>"
#: Lines that continue a block without a blank line before them.
_GOES_ON: frozenset[BlockKind] = frozenset({"paragraph", "item", "numbered", "quote"})
#: Kinds whose blocks are a single line.
_ONE_LINE: frozenset[BlockKind] = frozenset({"heading", "tag", "rule"})


@dataclass(frozen=True, slots=True)
class Block:
    """``start`` and ``end``: offsets in the original body, without the last newline; ``text`` may be repaired.

    ``level``: of a heading, else 0. ``changed``: it stands between tags that say it was struck out or put in.
    ``gap``: what stood between it and the block before.
    """

    kind: BlockKind
    text: str
    start: int
    end: int
    level: int = 0
    changed: bool = False
    gap: str = ""


def parse_blocks(body: str) -> list[Block]:
    """Split *body* into blocks, in order. Only white space lies outside of blocks."""
    found: list[Block] = []
    tags = 0
    end = 0
    for block in _Reader().read(body):
        if block.kind == "tag":
            tags = max(0, tags + (-1 if block.text.lstrip().startswith("</") else 1))
        found.append(replace(block, changed=tags > 0 or block.kind == "tag", gap=body[end : block.start]))
        end = block.end
    return found


def join_blocks(blocks: Sequence[Block], body: str) -> str:
    """Join *blocks*, a subset of those of *body*; the result ends with a newline if *body* does."""
    if not blocks:
        return ""
    parts = []
    at = 0
    for number, block in enumerate(blocks):
        parts += [_separator_between(blocks[number - 1] if number else None, block, at), block.text]
        at = block.end
    last = body[at:]
    return "".join((*parts, last if not last.strip() else "\n"))


def _separator_between(before: Block | None, block: Block, at: int) -> str:
    if block.start - len(block.gap) == at:
        return block.gap
    if before is None:
        return ""
    tight = "\n\n" not in block.gap and before.kind == block.kind and block.kind in {"item", "numbered"}
    return "\n" if tight else "\n\n"


def line_text(block: Block) -> str:
    """Return the text of a heading or list item without its marker."""
    if block.kind == "heading":
        return block.text[block.level :].strip()
    if block.kind == "item":
        return block.text[1:].strip()
    return block.text.strip()


class _Reader:
    def __init__(self) -> None:
        self._kind: BlockKind | None = None  # of the block that is open
        self._start = self._end = 0
        self._level = 0
        self._text = ""
        self._fence = ""  # what ends the code that is open
        self._blank = True  # whether the line before was

    def read(self, body: str) -> Iterator[Block]:
        self._text = body
        at = 0
        for line in body.split("\n"):
            yield from self._line(line, at)
            at += len(line) + 1
        yield from self._ended()

    def _line(self, line: str, at: int) -> Iterator[Block]:
        end = at + len(line)
        if self._fence:
            self._end = end
            self._fence = "" if self._closes(line) else self._fence
            return
        if not line.strip():
            self._blank = True
            return
        if self._belongs(line):
            self._end = end
        else:
            yield from self._ended()
            self._kind, self._start, self._end = self._kind_of(line), at, end
            found = _HEADING.match(line)
            self._level = len(found[1]) if found else 0
        self._fence = _PRE_END if line.strip() == _PRE else fence_after(line, "")
        self._blank = False

    def _closes(self, line: str) -> bool:
        return line.strip() == _PRE_END if self._fence == _PRE_END else not fence_after(line, self._fence)

    def _belongs(self, line: str) -> bool:
        """Whether *line* is part of the block that is open."""
        if self._kind is None or self._kind in _ONE_LINE:
            return False
        if self._kind == "table":
            return not self._blank and line.startswith("|")
        if self._kind == "code":
            return False
        if line.startswith(("  ", "\t")):
            return True  # of an item or a definition, whatever stands between
        if self._blank:
            return False
        if self._kind == "quote":
            return line.startswith(">")
        return self._kind in _GOES_ON and self._kind_of(line) == "paragraph"

    def _kind_of(self, line: str) -> BlockKind:
        bare = line.strip()
        if line.startswith(("    ", "\t")) or bare == _PRE or fence_after(line, ""):
            return "code"
        if _HEADING.match(line):
            return "heading"
        if line.startswith("|"):
            return "table"
        if line.startswith(">"):
            return "quote"
        if _TAG.match(bare):
            return "tag"
        if _RULE.match(bare):
            # Below a line of text it would make that a heading: then both are one block.
            return "rule" if self._blank or self._kind not in _GOES_ON else "paragraph"
        return "item" if _BULLET.match(line) else "numbered" if _NUMBER.match(line) else "paragraph"

    def _ended(self) -> Iterator[Block]:
        if self._kind is not None:
            text = self._text[self._start : self._end]
            yield Block(self._kind, text, self._start, self._end, self._level)
        self._kind = None


def section_end(blocks: Sequence[Block], at: int) -> int:
    """Return the index after the last block of the section with the heading at index *at*."""
    level = blocks[at].level
    following = (n for n in range(at + 1, len(blocks)) if blocks[n].kind == "heading" and blocks[n].level <= level)
    return next(following, len(blocks))


def has_balanced_tags(blocks: Iterable[Block]) -> bool:
    """Return whether the HTML tags in *blocks* are balanced: struck-out text needs both of its tags."""
    depth = 0
    for block in blocks:
        if block.kind == "tag":
            depth += -1 if block.text.lstrip().startswith("</") else 1
        if depth < 0:
            return False
    return depth == 0


# The visible text of a block: its words, its link words, and the link targets.

_LINK = re.compile(r"\[((?:[^\[\]\\\n]|\\.){0,2000})\]\(([^()\s]{0,2000}(?:\([^()\s]{0,500}\)[^()\s]{0,2000}){0,5})\)")
# Blank lines alone match, too, and stay: so that none of them is looked at twice.
_LEAD = re.compile(r"(?m)^\s*+(?P<marks>(?:[-*+]\s+|>\s?)+)?")
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_WORD = re.compile(r"\w+")


class VisibleText(NamedTuple):
    """``text``: on one line, without marks; ``words`` and ``link_words``: how many; ``targets``: of its links."""

    text: str
    words: int
    link_words: int
    targets: tuple[str, ...]


@lru_cache(maxsize=1024)
def visible_text(text: str) -> VisibleText:
    """Return the visible text of a block of markdown."""
    links = [(found[1], found[2]) for found in _LINK.finditer(text)]
    shown = to_plain_text(_LEAD.sub(lambda lead: "" if lead["marks"] else lead[0], text)).text.strip()
    words = len(_WORD.findall(shown))
    inside = sum(len(_WORD.findall(_ESCAPE.sub("", label))) for label, _ in links)
    return VisibleText(shown, words, min(words, inside), tuple(target for _, target in links))


def fold_text(text: str) -> str:
    """Fold *text* for comparison: single spaces, lower case."""
    return " ".join(text.split()).casefold()
