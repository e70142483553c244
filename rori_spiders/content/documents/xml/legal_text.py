"""Legal XML (CFR, eCFR, Federal Register, RegML) to markdown with the structure of the print.

Headings take their level from what holds them: part, subpart, section; ``HD SOURCE="HD2"`` stands two below its holder.
Paragraphs keep their (a)(1)(i), tables become pipe tables, footnotes stand as quotes behind their paragraph.
"""

import re
from collections.abc import Callable, Sequence

from lxml import etree

from rori_spiders.content.documents import tables
from rori_spiders.content.documents.escaping import block, escaped
from rori_spiders.content.documents.xml import inline
from rori_spiders.content.documents.xml.inline import Line, add, line_of
from rori_spiders.content.documents.xml.vocabulary import Role, local, role
from rori_spiders.content.html import tree
from rori_spiders.content.html.hidden import drop_unseen
from rori_spiders.content.markdown.renderer import render
from rori_spiders.exceptions import UnreadableDocument

_WITHIN_TEXT = frozenset({"emphasis", "raised", "lowered", "inline", "mark", "skip"})
# In a table of contents: what belongs to the entry that the element before it began.
_AFTER_NUMBER = frozenset({"SUBJECT", "SECTIONSUBJECT", "APPENDIXSUBJECT", "PG", "PGS"})
# A paragraph is one, also where text stands beside it.
_PARAGRAPHS = frozenset({"P", "FP", "PARA"})
_NUMBERS = frozenset({"SECTNO", "SECTIONNUM", "APPENDIXLETTER", "SUBJECT", "DOCENT", "SJDOC"})
# Below a section (which may stand at level 4) CommonMark has two levels left; deeper headings share the last.
_DEEPEST = 6


def to_markdown(root: etree._Element, *, base: str = "") -> str:
    """The whole document, blocks apart by an empty line; links in feeds' pages made absolute against *base*."""
    inline.silence(root)
    writer = _Writer(base)
    writer.element(root, 0)
    return "\n\n".join(writer.blocks) + "\n"


class _Writer:
    def __init__(self, base: str) -> None:
        self.blocks: list[str] = []
        self._base = base
        self._by_role: dict[Role | None, Callable[[etree._Element, int], None]] = {
            "section": self.section, "toc": self.contents, "table": self.table, "quote": self.quoted,
            "footnote": self.quoted, "lead": self.lead, "marked": self.marked, "stars": self.stars,
            "facts": self.edition,
        }  # fmt: skip

    # One element, by its role ------------------------------------------------------------------------------------

    def element(self, element: etree._Element, level: int) -> None:
        kind = role(element.tag)
        if kind in ("skip", "mark"):
            return
        if kind == "container":
            self.children(element, level + 1)
        elif kind == "heading":
            self.heading(line_of(element, emphasis=False), level + _below(element))
        elif kind is None and local(element.tag) == "SUBJECT" and level:
            self.heading(line_of(element, emphasis=False), level)
        elif kind is None and (written := escaped_html(element, self._base)):
            self.blocks.append(written)
        elif kind is None and (facts := inline.of(element)):
            self.with_facts(element, level, facts)
        else:
            self._by_role.get(kind, self.children)(element, level)

    def children(self, element: etree._Element, level: int, *, named: Sequence[etree._Element] = ()) -> None:
        """Text and inline elements gather into a paragraph, until an element of a kind of its own ends it."""
        line = Line()
        line.text(element.text)
        own_words = _own_words(element)
        for child in element:
            if child in named:  # has been written as a heading
                pass
            elif _is_inline(child, own_words):
                add(line, child)
            else:
                self.paragraph(line.finished())
                line = Line()
                self.element(child, level)
            line.text(child.tail)
        self.paragraph(line.finished())

    def with_facts(self, element: etree._Element, level: int, facts: str) -> None:
        """What its attributes say: behind a line of text, before what it holds, or all that there is."""
        if len(element) or inline.is_empty(element):
            self.blocks.append(inline.alone(element))
            self.children(element, level)
        else:
            self.paragraph(f"{line_of(element)} ({facts})")

    # Blocks -------------------------------------------------------------------------------------------------------

    def paragraph(self, text: str) -> None:
        if text:
            self.blocks.append(block(text))

    def heading(self, text: str, level: int) -> None:
        if text:
            self.blocks.append(f"{'#' * max(1, min(level, _DEEPEST))} {text}")

    def section(self, element: etree._Element, level: int) -> None:
        """SECTNO and SUBJECT are one heading; RegML has both in its subject."""
        number = next((child for child in element if local(child.tag) == "SECTNO"), None)
        subject = next((child for child in element if local(child.tag) in ("SUBJECT", "RESERVED")), None)
        named = [child for child in (number, subject) if child is not None]
        self.heading(" ".join(filter(None, (line_of(child, emphasis=False) for child in named))), level + 1)
        self.children(element, level + 1, named=named)

    def marked(self, element: etree._Element, level: int) -> None:
        """A RegML paragraph: its enumerator is an attribute, its title an element; longer comments have titles as
        headings.
        """
        line = Line()
        line.text(element.get("marker"))
        line.apart()
        line.text(element.text)
        rest: list[etree._Element] = []
        for child in element:
            name = local(child.tag)
            if name == "TITLE" and not rest:
                line.emphasised(line_of(child, emphasis=False), "*", None)
                line.apart()
            elif name == "CONTENT" and not rest and not any(role(part.tag) not in _WITHIN_TEXT for part in child):
                line.raw(line_of(child))
            else:
                rest.append(child)
            line.text(child.tail)
        self.paragraph(line.finished())
        for child in rest:
            self.element(child, level)

    def lead(self, element: etree._Element, level: int) -> None:
        """ "Authority:" and the like: the label in bold before the first paragraph."""
        start = len(self.blocks)
        label = ""
        for child in element:
            if local(child.tag) in ("HD", "HED") and not label:
                label = line_of(child, emphasis=False)
            else:
                self.element(child, level)
        body = self.blocks[start:]
        del self.blocks[start:]
        words = " ".join(filter(None, (escaped((element.text or "").strip()), body[0] if body else "")))
        if label:
            words = f"**{label}** {words}".strip()
        self.blocks += [words, *body[1:]] if words else body[1:]

    def quoted(self, element: etree._Element, level: int) -> None:
        start = len(self.blocks)
        self.children(element, level)
        inner = "\n\n".join(self.blocks[start:])
        del self.blocks[start:]
        if inner:
            self.blocks.append("\n".join(f"> {line}".rstrip() for line in inner.split("\n")))

    def contents(self, element: etree._Element, level: int) -> None:
        """A table of contents as a list: a section number and its subject are one entry."""
        entries: list[str] = []
        for child in element.iter():
            name = local(child.tag)
            if child is element or role(child.tag) in _WITHIN_TEXT or (len(child) and _holds_blocks(child)):
                continue
            words = line_of(child, emphasis=False)
            if name in _AFTER_NUMBER and entries and local(getattr(child.getprevious(), "tag", "")) in _NUMBERS:
                entries[-1] = f"{entries[-1]} {words}".strip()
            elif words:
                entries.append(words)
        if entries:
            self.blocks.append("\n".join(f"- {block(entry)}" for entry in entries))

    def stars(self, _element: etree._Element, _level: int) -> None:
        """The asterisks that stand for text that an amendment leaves as it is."""
        self.blocks.append(r"\* \* \* \* \*")

    def edition(self, element: etree._Element, level: int) -> None:
        """What the file says about the edition: one line, so that it is kept and does not pass for the law's text.

        RegML has its title only here; CFR has it again, as the heading of the part.
        """
        if level and (title := next((child for child in element if local(child.tag) == "TITLE"), None)) is not None:
            self.heading(line_of(title, emphasis=False), level)
        words = [line_of(leaf, emphasis=False) for leaf in element.iter() if not len(leaf)]
        self.paragraph(" · ".join(filter(None, words)))

    def table(self, element: etree._Element, _level: int) -> None:
        """Its title before, its notes behind: everything of it that is not a cell keeps its order."""
        convert = {"GPOTABLE": tables.gpo}.get(local(element.tag), tables.html)
        if "}" in str(element.tag) and any(local(child.tag) == "CELL" for child in element.iter()):
            convert = tables.regml
        behind: list[str] = []
        for child in element:
            name = local(child.tag)
            if name in ("TTITLE", "TDESC", "CAPTION", "TITLE"):
                self.paragraph(line_of(child))
            elif name not in ("BOXHD", "ROW", "TR", "THEAD", "TBODY", "TFOOT", "HEADER", "COLGROUP", "COL"):
                behind.append(line_of(child))
        grid = convert(element, line_of)
        if grid:
            self.blocks.append(grid)
        for text in behind:
            self.paragraph(text)


def _below(element: etree._Element) -> int:
    """How far a heading stands below its holder: HED is the holder's own, HD1 one below."""
    kind = element.get("SOURCE") or ""
    return int(kind[2]) if kind.startswith("HD") and kind[2:3].isdecimal() else 0


def _own_words(element: etree._Element) -> bool:
    return bool((element.text or "").strip()) or any((child.tail or "").strip() for child in element)


def _is_inline(child: etree._Element, own_words: bool) -> bool:
    kind = role(child.tag)
    flows = kind is None and own_words and local(child.tag) not in _PARAGRAPHS and not _holds_blocks(child)
    return kind in _WITHIN_TEXT or flows


def _holds_blocks(element: etree._Element) -> bool:
    return any(role(child.tag) not in _WITHIN_TEXT for child in element)


# Feeds (RSS, Atom) carry pages in their text: HTML whose tags are escaped, so that XML sees none of them.

# RSS 2.0 (description), its content module (encoded), Atom (summary, content).
_HOLDERS = frozenset({"DESCRIPTION", "ENCODED", "SUMMARY", "CONTENT"})
_MARKUP = re.compile(r"</[a-z][a-z0-9]*\s*>|<(?:p|br|img|hr)\b[^<>]*>", re.IGNORECASE)


def escaped_html(element: etree._Element, base: str) -> str:
    """The markdown of HTML that is *element*'s text; "" if its text is none, or it is no part of a feed for that."""
    text = element.text or ""
    if local(element.tag) not in _HOLDERS or len(element) or not _MARKUP.search(text):
        return ""
    try:
        root = tree.parse(text)
    except UnreadableDocument:
        return ""
    drop_unseen(root)
    return render(root, base=base).strip()
