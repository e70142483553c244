"""The tree of a text: headings, and below them paragraphs, items, tables and code, each under what introduces it.

Paragraphs of law nest by their enumerators, "(d)(1)(i)(A)", within a section, a definition, or the comments on a
paragraph; list items by their indentation. A paragraph that ends with a colon introduces what follows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from rori_spiders.content.changes.blocks import read_text
from rori_spiders.content.changes.paragraph_labels import follows_label, is_first_label, labels_with_offsets, place_runs
from rori_spiders.content.sections import fence_after

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Kind = Literal["text", "heading", "paragraph", "item", "table", "code"]


@dataclass(slots=True)
class Node:
    """``body[start:end]`` is its own text, without what stands below it.

    ``designator`` is what it adds to its designation: "§ 1024.17", "(c)", "comment 2(c)(1)(i)", a defined term.
    ``is_sure``: false for an enumerator that could not be placed; what stands below is not sure then either.
    """

    kind: Kind
    start: int
    end: int
    level: int = 0  # of a heading
    heading: str = ""
    designator: str = ""
    is_sure: bool = True
    introduces: bool = False
    children: list[Node] = field(default_factory=list)

    @property
    def last(self) -> int:
        """Where the text below it ends."""
        return self.children[-1].last if self.children else self.end


class _Unit:
    """A block before it has its place: ``labels`` are its enumerators, each with its offset in the body."""

    __slots__ = ("end", "indent", "kind", "labels", "start", "text")

    def __init__(self, kind: Kind, start: int, text: str) -> None:
        self.kind, self.start, self.end, self.text = kind, start, start + len(text), text
        self.indent = len(text) - len(text.lstrip(" >"))
        is_labelled = kind in {"paragraph", "item"}
        offset = start + len(text) - len(text.lstrip())
        labels = labels_with_offsets(text.strip()) if is_labelled else []
        self.labels = [(label, offset + at) for label, at in labels]


_SECTION_WORDS = (
    "Section|Sec|Article|Art|Part|Subpart|Chapter|Subchapter|Title|Appendix|Supplement|Rule|Schedule|Annex|Division"
    "|Clause|Exhibit|Form"
)
_DESIGNATOR = re.compile(
    rf"(?:§§? ?\d[\w.:-]*|(?:(?i:{_SECTION_WORDS}))\.? (?:\d[\w.:-]*|[IVXLC]+\b|[A-Z]\b)(?:-\d+)?)"
)
#: A line that names a section although it is no heading: as texts without markup have them.
_SECTION_LINE = re.compile(
    rf"(?:\*\*|\*)?(?:§ ?\d|(?:{_SECTION_WORDS}|{_SECTION_WORDS.upper()})\.? (?:\d|[IVXLC]+\b|[A-Z]\b)"
    r"|\d{1,3}(?:-\d{1,4}(?:\.\d+)?){2}\. )"
)
_SECTION_LINE_CHARS = 160
_MARKS = re.compile(r"[*_`]|\\(?=[.()\[\]*_])|\]\([^()\s]*\)|\[")
#: "*Bureau* means", "“Dealer” includes": a definition stands for itself, whatever enumerators stand before it.
_DEFINITION = re.compile(
    r"(?:[-*] )?(?:(?:\*{1,3}|_|[“\"])(?P<term>[^*_“”\"\n]{2,90})(?:\*{1,3}|_|[”\"])"
    r"(?:,? or (?:the )?[*_“\"][^*_“”\"\n]{2,90}[*_”\"]){0,5}[^.\n]{0,60}?\b(?:means?|includes?|refers? to|shall mean"
    r"|(?:has|have) the (?:same )?meaning|is (?:defined|an?|the|any))\b"
    r"|(?:The term )?(?P<bare>[A-Z][\w'’/,-]{1,30}(?: [\w'’/,()-]{1,30}){0,8}) means\b)"
)
#: The paragraph that comments of an interpretation belong to: "2(c) Adverse action", "Paragraph 4(a)".
_COMMENTED = re.compile(r"(?:Paragraph |Comment )?(?P<of>\d{1,3}[a-z]?(?:\([A-Za-z0-9]{1,5}\)){1,6})(?![\w(-])")
_COMMENTED_SECTION = re.compile(r"(?:Section|§) ?\d{1,4}\.(?P<of>\d{1,3}[a-z]?)\b(?!\()")
_POINT = re.compile(r"(?:[-*] )?[*_]{0,2}(?P<label>\d{1,3}|[ivx]{1,5}|[A-Z])\\?\.[*_]{0,2}\s")
_INTERPRETATIONS = re.compile(r"Supplement I\b|Official (?:Staff )?(?:Interpretation|Commentary)", re.IGNORECASE)
_INTRODUCES = re.compile(r"(?::|—|–|\bmeans|\bincludes?|\bfollowing)[*_)\s]*$")
_LINE_CHARS = 120


def read_tree(body: str) -> Node:
    """The tree of *body*; in order, its nodes cover the whole text but white space between them."""
    root = Node("text", 0, 0)
    above = [root]
    units: list[_Unit] = []
    for unit, level in _units(body):
        section = _heading_of(unit, level, above)
        if section is None:
            units.append(unit)
            continue
        _Scopes(above[-1], above).add(units)
        units = []
        while above[-1].level >= section.level:
            above.pop()
        above[-1].children.append(section)
        above.append(section)
    _Scopes(above[-1], above).add(units)
    return root


def _heading_of(unit: _Unit, level: int, above: Sequence[Node]) -> Node | None:
    """The node of a heading, or of a line that is one in all but its marks; None for another block."""
    text = plain(unit.text)
    if level:
        text = text.lstrip("#").strip()
    elif (
        unit.kind == "paragraph"
        and len(unit.text) <= _SECTION_LINE_CHARS
        and _SECTION_LINE.match(unit.text)
        and not unit.text.rstrip().endswith((";", ":", ","))
        and "\n" not in unit.text
    ):
        level = _level_of_line(text, above)
    else:
        return None
    found = _DESIGNATOR.match(text)
    designator = found[0].rstrip(".:-") if found else "".join(f"({label})" for label, _ in labels_with_offsets(text))
    return Node("heading", unit.start, unit.end, level, text, designator)


def _level_of_line(text: str, above: Sequence[Node]) -> int:
    """Below all headings with marks; a supplement or an appendix beside what it follows."""
    if text.startswith(("Appendix", "Supplement")):
        units = ("§", "Appendix", "Supplement")
        return next((node.level for node in reversed(above) if node.designator.startswith(units)), 7)
    is_supplement = any(node.designator.startswith("Supplement") for node in above)
    return 8 if is_supplement or above[-1].level == 8 else 7


def plain(text: str) -> str:
    """*text* without emphasis, escapes and the addresses of links, on one line."""
    return " ".join(_MARKS.sub("", text).split())


def _units(body: str) -> Iterator[tuple[_Unit, int]]:
    """The blocks of *body* in order, a table and a stretch of code as one, each with its level if it is a heading."""
    text = read_text(body)
    at, fence = 0, ""
    open_unit: tuple[Kind, int, int] | None = None  # a table or code that goes on
    for block in text.blocks:
        start = body.index(block.text, at)
        at = start + len(block.text)
        kind: Kind = {"table row": "table", "line of code": "code", "heading": "heading"}.get(block.kind, "paragraph")  # type: ignore[assignment]
        is_next = open_unit is not None and open_unit[0] == kind
        if kind == "table":
            goes_on = is_next and "\n" not in block.text and not body[open_unit[2] : start].strip(" >\n")  # type: ignore[index]
            goes_on = goes_on and body.count("\n", open_unit[2], start) <= 1  # type: ignore[index]
        elif kind == "code":
            goes_on, fence = is_next and bool(fence), fence_after(block.text, fence)
        else:
            goes_on, fence = False, ""
        if open_unit is not None and not goes_on:
            yield _Unit(open_unit[0], open_unit[1], body[open_unit[1] : open_unit[2]]), 0
            open_unit = None
        if kind in {"table", "code"}:
            open_unit = (kind, open_unit[1] if open_unit is not None else start, at)
            continue
        level = text.sections[block.section].level if kind == "heading" else 0
        yield _Unit("item" if block.kind == "list item" else kind, start, block.text), level
    if open_unit is not None:
        yield _Unit(open_unit[0], open_unit[1], body[open_unit[1] : open_unit[2]]), 0


class _Scopes:
    """Puts the blocks of a section below its heading: each enumerator is read within its own scope.

    A scope is the section itself, a definition, or the comments on one paragraph.
    """

    def __init__(self, section: Node, above: Sequence[Node]) -> None:
        self._section = section
        self._is_interpretation = any(_INTERPRETATIONS.search(node.heading) for node in above)
        self._above = [
            label for node in above if node.kind == "heading" for label, _ in labels_with_offsets(node.heading)
        ]

    def add(self, units: Sequence[_Unit]) -> None:
        commented = _commented(self._section.heading) if self._is_interpretation else ""
        if commented:
            self._section.designator = f"comment {commented}"
        numbers = self._scope_numbers(units)
        own = _Nesting(self._section, self._above, self._is_interpretation, self._section)
        own.expect([unit for unit, number in zip(units, numbers, strict=True) if not number])
        scope, opened = own, 0
        for at, (unit, number) in enumerate(zip(units, numbers, strict=True)):
            if number > opened:
                opened = number
                scope = self._open_scope(unit, own)
                later = zip(units[at + 1 :], numbers[at + 1 :], strict=True)
                scope.expect([one for one, other in later if other == number])
            else:
                scope = scope if number else own
                scope.add(unit)

    def _scope_numbers(self, units: Sequence[_Unit]) -> list[int]:
        """The number of each block's scope; 0 is the section's own, to which its next enumerator leads back."""
        numbers: list[int] = []
        own: list[str] = list(self._above)
        inner: list[str] = []
        current = last = 0
        for unit in units:
            if self._begins_scope(unit):
                current = last = last + 1
                inner = []
            elif labels := [label for label, _ in unit.labels]:
                is_own = not _goes_on(inner, labels[0]) and _goes_on(own, labels[0])
                if current and is_own and not self._is_interpretation:
                    current = 0
                (inner if current else own).extend(labels)
            numbers.append(current)
        return numbers

    def _begins_scope(self, unit: _Unit) -> bool:
        if unit.kind == "paragraph" and self._is_interpretation and _commented(unit.text):
            return True
        return unit.kind in {"paragraph", "item"} and not unit.labels and _DEFINITION.match(unit.text) is not None

    def _open_scope(self, unit: _Unit, own: _Nesting) -> _Nesting:
        node = Node("paragraph", unit.start, unit.end, introduces=True, designator=_definition_or_comment(unit.text))
        own.attach(node, own.definitions_parent())
        return _Nesting(node, [], self._is_interpretation, self._section)


def _goes_on(labels: Sequence[str], label: str) -> bool:
    """Whether *label* is the first of an order, or follows one of *labels*."""
    return is_first_label(label) or any(follows_label(one, label) for one in labels)


def _definition_or_comment(text: str) -> str:
    commented = _commented(text)
    return f"comment {commented}" if commented else defined_term(text)


def defined_term(text: str) -> str:
    """The term that *text* defines; "" for another text."""
    found = _DEFINITION.match(text)
    return plain(found["term"] or found["bare"]) if found else ""


def _commented(text: str) -> str:
    line = plain(text).lstrip("# ")
    if len(line) > _LINE_CHARS:
        return ""
    found = _COMMENTED.match(line) or _COMMENTED_SECTION.match(line)
    return found["of"] if found else ""


class _Nesting:
    """Nests the blocks of one scope."""

    def __init__(self, scope: Node, above: Sequence[str], is_interpretation: bool, section: Node) -> None:
        self._scope, self._above, self._section = scope, list(above), section
        self._is_interpretation = is_interpretation
        self._placed: list[tuple[tuple[str, ...], Node]] = []  # enumerated nodes from the outermost to the current
        self._items: list[tuple[int, Node]] = []  # list items by indentation
        self._intro: Node | None = None  # the last paragraph that no enumerator begins
        self._lead: Node | None = None  # the same, for list items: nothing else stands between
        self._places: Iterator[tuple[str, ...] | None] = iter(())

    def expect(self, units: Sequence[_Unit]) -> None:
        """Place the enumerators of all blocks of the scope, which `add` then takes one by one."""
        runs = [[label for label, _ in labels] for unit in units if (labels := self._labels(unit))]
        self._places = iter(place_runs(runs, above=self._above))

    def add(self, unit: _Unit) -> None:
        if self._labels(unit):
            self._enumerated(unit, next(self._places))
        elif unit.kind == "item":
            self._item(unit)
        else:
            self._other(unit)

    def attach(self, node: Node, parent: Node) -> None:
        """Put *node* below *parent*, or below the section where something else has begun since: order is the text's."""
        last = self._section
        while last is not parent and last.children:
            last = last.children[-1]
        if last is not parent:
            parent = self._section
            node.is_sure = node.is_sure and not node.designator.startswith("(")
        parent.children.append(node)

    def definitions_parent(self) -> Node:
        """What a definition stands under: the enumerated paragraph, or what introduces the definitions."""
        if self._placed or self._intro is None or not self._intro.introduces:
            return self._current()
        return self._intro

    def _labels(self, unit: _Unit) -> list[tuple[str, int]]:
        if not self._is_interpretation:
            return unit.labels
        found = _POINT.match(unit.text.lstrip()) if unit.kind in {"paragraph", "item"} else None
        return [(found["label"], unit.start)] if found else []

    def _current(self) -> Node:
        return self._placed[-1][1] if self._placed else self._scope

    def _enumerated(self, unit: _Unit, place: tuple[str, ...] | None) -> None:
        self._items = []
        self._lead = None
        if place is None:
            # Where it stands is not sure, so it is under nothing that it may not belong to.
            self.attach(Node("paragraph", unit.start, unit.end, is_sure=False), self._scope)
            self._placed = []
            return
        place = place[len(self._above) :] if list(place[: len(self._above)]) == self._above else place
        labels = self._labels(unit)[-len(place) :] if place else []
        while self._placed and self._placed[-1][0] != place[: len(self._placed[-1][0])]:
            self._placed.pop()
        if self._placed and self._placed[-1][0] == place:  # the same label again
            self._placed.pop()
        parent = self._placed[-1][1] if self._placed else self._first_parent()
        starts = [unit.start, *(at for _, at in labels[1:])]
        ends = [*starts[1:], unit.end]
        depth = len(place) - len(labels)
        for at, (start, end) in enumerate(zip(starts, ends, strict=True)):
            inner = place[: depth + at + 1]
            known = self._placed[-1][0] if self._placed else ()
            node = Node("paragraph", start, end, introduces=True, designator=self._designator(inner, len(known)))
            self.attach(node, parent)
            self._placed.append((inner, node))
            parent = node

    def _designator(self, place: tuple[str, ...], known: int) -> str:
        if not self._is_interpretation:
            return "".join(f"({label})" for label in place[known:])
        joiner = "." if known else "-"
        return joiner + ".".join(place[known:])

    def _first_parent(self) -> Node:
        """What a first enumerator stands under: the paragraph right before it, if that introduces it."""
        if self._intro is not None and self._intro.introduces:
            return self._intro
        return self._scope

    def _item(self, unit: _Unit) -> None:
        while self._items and self._items[-1][0] >= unit.indent:
            self._items.pop()
        parent = self._items[-1][1] if self._items else self._lead or self._current()
        node = Node("item", unit.start, unit.end, introduces=True)
        self.attach(node, parent)
        self._items.append((unit.indent, node))

    def _other(self, unit: _Unit) -> None:
        kind: Kind = unit.kind
        if self._items and unit.indent > self._items[-1][0]:
            self.attach(Node(kind, unit.start, unit.end), self._items[-1][1])
            return
        self._items = []
        introduces = kind == "paragraph" and _INTRODUCES.search(unit.text) is not None
        node = Node(kind, unit.start, unit.end, introduces=introduces)
        lead = self._lead if kind in {"table", "code"} else None
        parent = lead if lead is not None and lead.introduces else self._current()
        self.attach(node, parent)
        if kind == "paragraph":
            self._intro = self._lead = node
