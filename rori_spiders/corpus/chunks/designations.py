"""The designation of each paragraph of law, in the form that citations of it take: "12 C.F.R. § 1024.17(c)(1)"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.content.citations import codes
from rori_spiders.content.citations.context import home_of, place_of
from rori_spiders.corpus.chunks.text_tree import defined_term

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rori_spiders.content.citations.context import Place
    from rori_spiders.corpus.chunks.text_tree import Node

_SECTION = re.compile(r"§ ?(?P<number>[\w.-]+)")
_LABELS = re.compile(r"(?:\(\w{1,5}\)\s*)+")
_PART = re.compile(r"Part (?P<part>\d{1,4})", re.IGNORECASE)
_OF_PART = re.compile(r"(?P<name>Appendix [A-Z]{1,2}|Supplement I)\b", re.IGNORECASE)
_TO_PART = re.compile(r"\bto Part (?P<part>\d{1,4})", re.IGNORECASE)


def _name(heading: str) -> str:
    """ "Appendix A", "Supplement I", however the heading writes it."""
    word, _, letter = heading.partition(" ")
    return f"{word.capitalize()} {letter.upper()}"


_CODES = {"cfr": "C.F.R.", "usc": "U.S.C."}


class Designations:
    """Names the nodes of one document, where its code, title and part are known."""

    def __init__(self, body: str, url: str, title: str | None) -> None:
        self._body = body
        home = home_of(url, title)
        self._place: Place = place_of(body, home, codes.find(body))
        self._home_part = home.get("part")

    def of(self, path: Sequence[Node]) -> str | None:
        """The designation of the last node of *path*; of what is not sure, that of the section around it."""
        base, at = self._base(path)
        if base is None:
            return None
        for node in path[at:]:
            if ", Appendix " in base or not node.is_sure:
                break
            if node.kind == "heading" and not node.designator.startswith(("(", "comment ")):
                break
            if node.designator.startswith(("(", "-", ".")):
                base += node.designator
            elif node.designator.startswith("comment "):
                base = f"{base.partition(', comment ')[0]}, {node.designator}"
            elif node.designator:  # a defined term: its enumerators are not the section's
                break
        return base

    def is_exact(self, path: Sequence[Node]) -> bool:
        """Whether `of` names the last node itself, not what is around it."""
        node = path[-1]
        if node.kind == "heading":
            return self._base(path)[1] == len(path) or node.designator.startswith(("(", "comment "))
        if ", Appendix " in (self.of(path) or ""):  # nobody cites the paragraphs of one
            return False
        names = node.designator.startswith(("(", "-", ".", "comment "))
        return names and all(one.is_sure and not _is_term(one) for one in path)

    def written_path(self, path: Sequence[Node]) -> tuple[str, ...]:
        """The designators of *path*, from the part down to the paragraph, as they stand in the text."""
        return tuple(node.designator for node in path if node.designator and node.is_sure)

    def keywords_of(self, path: Sequence[Node]) -> Iterator[str]:
        """The names by which people search for the last node of *path*: its citation, or the term that it defines."""
        node = path[-1]
        if term := node.designator if _is_term(node) else self._defined_by(node):
            part = next((found[0] for one in reversed(path) if (found := _PART.match(one.designator))), None)
            yield f"definition of {term}" + (f" in {part.lower()}" if part else "")
        if not _is_term(node) and (name := self.of(path)) is not None and self.is_exact(path):
            yield searched_form(name)

    def _defined_by(self, node: Node) -> str:
        """The term of an enumerated definition: "(c) *Adverse action* means"."""
        if node.kind == "heading" or not node.designator.startswith("("):
            return ""
        return defined_term(_LABELS.sub("", self._body[node.start : node.end]))

    def _base(self, path: Sequence[Node]) -> tuple[str | None, int]:
        """What the last heading with a place in a code names, and how much of *path* that takes."""
        place = self._place
        for at in reversed(range(len(path))):
            node = path[at]
            if node.kind != "heading":
                continue
            if found := _OF_PART.match(node.heading):
                to = _TO_PART.search(node.heading)
                part = to["part"] if to else self._part_above(path[:at])
                title = place.title_of(part) if part else None
                if title and place.code != "usc":
                    return f"{title} C.F.R. Part {part}, {_name(found['name'])}", at + 1
                return None, at + 1
            if node.designator.startswith("§") and (found := _SECTION.match(node.designator)):
                return self._section(found["number"].rstrip(".")), at + 1
            if found := _PART.match(node.designator):
                title = place.title_of(found["part"])
                return (f"{title} C.F.R. Part {found['part']}" if title else None), at + 1
        if place.section and place.code in _CODES and place.title:
            return f"{place.title} {_CODES[place.code]} § {place.section}", 0
        return None, 0

    def _section(self, number: str) -> str | None:
        if self._place.code == "usc":
            return f"{self._place.title} U.S.C. § {number}" if self._place.title else None
        title = self._place.title_of(number.partition(".")[0]) if "." in number else None
        return f"{title} C.F.R. § {number}" if title else None

    def _part_above(self, path: Sequence[Node]) -> str | None:
        found = (_PART.match(node.designator) for node in reversed(path))
        return next((one["part"] for one in found if one), self._home_part or self._place.part)


def searched_form(name: str) -> str:
    """A designation as people type it: "12 CFR § 1024.17(c)(1)"."""
    return name.replace("C.F.R.", "CFR").replace("U.S.C.", "USC")


def _is_term(node: Node) -> bool:
    is_enumerator = node.designator.startswith(("(", "-", ".", "comment "))
    return bool(node.designator) and node.kind != "heading" and not is_enumerator
