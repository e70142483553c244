"""Who refers to whom: each citation of a version's chunks, and each link, with the document and chunk that it leads to.

In: the lines of the chunks, and the URLs of the documents. Out: a `Reference` for each mention, in order.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from rori_spiders.content.citations.model import Citation
from rori_spiders.content.citations.target_urls import target_of
from rori_spiders.corpus.documents.provenance import whole_place
from rori_spiders.urls.canonical import normalise_url

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

#: ``exact``: the cited paragraph begins in the chunk. ``part``: what is around it does. ``missing``: its section or
#: part is in the corpus, and has no such paragraph or section. ``outside``: only the publisher has it, at ``url``.
#: ``unknown``: no address is known.
Resolution = Literal["exact", "part", "missing", "outside", "unknown"]
RESOLUTIONS: dict[Resolution, str] = {
    "exact": "the cited paragraph or page is in the corpus",
    "part": "the corpus has the section that the cited paragraph belongs to",
    "missing": "the corpus has the part or section, but not what is cited; or the page was removed",
    "outside": "not in the corpus; the publisher has it at `url`",
    "unknown": "not in the corpus, and no address of it is known",
}
_LAST_LEVEL = re.compile(r"(?:\([^()]+\)|\.[ivxA-Z]{1,5}|-\d{1,3})$")
_CFR_SECTION = re.compile(r"(?P<title>\d+ C\.F\.R\.) § (?P<part>\d{1,4})\.")
#: "(b)(2) through (4)", "§§ 1024.17–1024.21": what stands between the ends of a range.
_RANGE = re.compile(r"\s*(?:through|–|—|-)\s*", re.IGNORECASE)
_LINK = re.compile(r"\]\((https?://(?:[^()\s]|\([^()\s]{0,200}\))+)(?=[)\s])")


class Reference(NamedTuple):
    """A line of ``references.jsonl``. ``start`` and ``end`` are offsets in the text of the document *doc_id*."""

    chunk: str
    doc_id: str
    kind: str
    citation: str
    start: int
    end: int
    resolution: Resolution
    target_doc: str | None
    target_chunk: str | None
    url: str | None


class _Target(NamedTuple):
    doc_id: str
    chunk: str


class ReferenceResolver:
    """Finds what is cited among *lines*, the chunks of a version as `ChunkLine` has them, as plain values.

    *documents*: ``doc_id`` by normalised URL. *removed*: URLs of pages that earlier versions had.
    """

    def __init__(
        self, lines: Iterable[Mapping[str, Any]], documents: Mapping[str, str], removed: Collection[str] = ()
    ) -> None:
        self._documents, self._removed = documents, frozenset(removed)
        self._targets: dict[str, list[_Target]] = {}
        self._first: dict[str, str] = {}  # the first chunk of each document
        self._homes: dict[str, str] = {}  # the document that is a part or section, whole, by its citation
        self._by_url: dict[str, str] = {}  # what the publisher's address of a section or part names
        self._texts: dict[tuple[str, str], list[str]] = {}  # of a document's section
        self._siblings: dict[tuple[str, str], list[str]] = {}  # the paragraphs below one parent, in a document's order
        for line in lines:
            doc_id = line["doc_id"]
            if doc_id not in self._first:
                self._first[doc_id] = line["id"]
                if home := whole_place(line["source_url"], line["title"]):
                    self._homes.setdefault(home, doc_id)
                    self._name_address(home)
            for name in line["designations"]:
                self._targets.setdefault(name, []).append(_Target(doc_id, line["id"]))
                self._siblings.setdefault((doc_id, _parent(name)), []).append(name)
                self._name_address(name)
            if line["designation"]:
                self._texts.setdefault((doc_id, _section_of(line["designation"])), []).append(line["text"])

    def _name_address(self, name: str) -> None:
        """Remember what the publisher's address of a section or part names."""
        if "(" not in name and "," not in name and (url := target_of(Citation(0, 0, "cfr", name))):
            self._by_url.setdefault(url, name)

    def references_of(self, line: Mapping[str, Any]) -> Iterator[Reference]:
        """The references of a chunk, those of its citations first; each once."""
        seen = set()
        text, start = line["text"], line["end"] - len(line["text"])
        for cited in self._citations_of(line, start):
            if cited["citation"] not in seen:
                seen.add(cited["citation"])
                yield self._of_citation(line, cited)
        for link in _LINK.finditer(text):
            found = self._of_link(line, link, start) if start + link.start() >= line["start"] else None
            if found is not None and found.citation not in seen:
                seen.add(found.citation)
                yield found

    def _citations_of(self, line: Mapping[str, Any], start: int) -> Iterator[Mapping[str, Any]]:
        """The citations of a chunk, and what the corpus has between the two ends of each range."""
        yield from line["citations"]
        for first, last in pairwise(line["citations"]):
            if _RANGE.fullmatch(line["text"], first["end"] - start, max(0, last["start"] - start)):
                for name in self._between(first["citation"], last["citation"], line["doc_id"]):
                    url = target_of(Citation(0, 0, first["kind"], name))
                    yield {**first, "citation": name, "url": url, "end": last["end"]}

    def _between(self, first: str, last: str, doc_id: str) -> Sequence[str]:
        """The designations from *first* to *last*, without them, in the document that both are of."""
        begin, end = self._target(first, doc_id), self._target(last, doc_id)
        if begin is None or end is None or (begin.doc_id, _parent(first)) != (end.doc_id, _parent(last)):
            return ()
        siblings = self._siblings.get((begin.doc_id, _parent(first)), [])
        if first not in siblings or last not in siblings:
            return ()
        return siblings[siblings.index(first) + 1 : siblings.index(last)]

    def _of_citation(self, line: Mapping[str, Any], cited: Mapping[str, Any]) -> Reference:
        name = cited["citation"]
        resolution, target = self._resolve(name, line["doc_id"], cited["url"])
        return Reference(
            line["id"], line["doc_id"], cited["kind"], name, cited["start"], cited["end"], resolution,
            target.doc_id if target else None, target.chunk if target else None, cited["url"],
        )  # fmt: skip

    def _resolve(self, name: str, doc_id: str, url: str | None) -> tuple[Resolution, _Target | None]:
        if (target := self._target(name, doc_id)) is not None:
            return "exact", target
        for around in _places_around(name):
            if (target := self._target(around, doc_id)) is not None:
                return ("missing" if self._lacks(target.doc_id, around, name) else "part"), target
        found = _CFR_SECTION.match(name)
        part = f"{found['title']} Part {found['part']}" if found else ""
        if part in self._homes and part in self._targets:  # the part's own text, not its table of contents
            return "missing", self._target(part, self._homes[part])
        named = self._by_url.get(url or "") if "§" not in name else None
        if named is not None:  # "Regulation X" is its part
            return "exact", self._target(named, doc_id)
        return ("outside" if url else "unknown"), None

    def _target(self, name: str, doc_id: str) -> _Target | None:
        """The chunk in which *name* begins: of the same document, else of the one that is its part or section."""
        found = self._targets.get(name, ())
        if not found and (home := self._homes.get(name)) is not None:  # by its address or title alone
            return _Target(home, self._first[home])
        section = _section_of(name)
        homes = {doc_id: 0, self._homes.get(section, ""): 1, self._homes.get(_part_of(section), ""): 2}
        return min(found, key=lambda one: homes.get(one.doc_id, 3), default=None)

    def _lacks(self, doc_id: str, around: str, name: str) -> bool:
        """Whether the text around, of a document that has the whole section, nowhere has the label of what is cited."""
        section = _section_of(around)
        if doc_id not in {self._homes.get(section), self._homes.get(_part_of(section))}:
            return False
        label = name[len(around) :].lstrip(",. -").partition(")")[0] + ")"
        if not label.startswith("("):  # points of comments are written without brackets
            return False
        texts = self._texts.get((doc_id, section), ())
        return bool(texts) and not any(label in text for text in texts)

    def _of_link(self, line: Mapping[str, Any], link: re.Match[str], at: int) -> Reference | None:
        """A link to a document of the corpus, or to one that was removed; others are the text's own business."""
        try:
            url = normalise_url(link[1])
        except ValueError:
            return None
        doc_id = self._documents.get(url)
        if doc_id == line["doc_id"] or (doc_id is None and url not in self._removed):
            return None
        return Reference(
            line["id"], line["doc_id"], "link", url, at + link.start(1), at + link.end(1),
            "exact" if doc_id else "missing", doc_id, self._first.get(doc_id or ""), url,
        )  # fmt: skip


def _section_of(name: str) -> str:
    """The section, or the part's appendix or supplement, that a designation belongs to."""
    return name.partition(", comment ")[0].partition("(")[0]


def _part_of(section: str) -> str:
    found = _CFR_SECTION.match(section)
    return f"{found['title']} Part {found['part']}" if found else section.partition(",")[0]


def _parent(name: str) -> str:
    """What *name* stands directly in: "§ 1.2(a)(1)" in "§ 1.2(a)"; of a section, what its number begins with."""
    if (above := _LAST_LEVEL.sub("", name)) != name:
        return above
    return f"{name.rpartition(', ')[0]}," if ", " in name else name.rpartition(".")[0]


def _places_around(name: str) -> Iterator[str]:
    """What *name* stands in, from the inside: "§ 1.2(a)(1)" in "§ 1.2(a)", in "§ 1.2"."""
    if "§" not in name and ", comment " not in name:
        return
    while _LAST_LEVEL.search(name):
        name = _LAST_LEVEL.sub("", name)
        yield name
    if ", comment " in name:
        yield name.partition(", comment ")[0]


def references_between(
    lines: Iterable[Mapping[str, Any]], documents: Mapping[str, str], removed: Collection[str] = ()
) -> Iterator[Reference]:
    """Every reference of the chunks *lines*, but those of a chunk to itself."""
    known = list(lines)
    resolver = ReferenceResolver(known, documents, removed)
    for line in known:
        for one in resolver.references_of(line):
            if one.target_chunk != line["id"] or one.resolution == "missing":
                yield one


def format_reference(reference: Reference) -> str:
    """The line of *reference*."""
    return json.dumps(reference._asdict(), ensure_ascii=False, separators=(",", ":"))
