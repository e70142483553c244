"""What a change is, as data: its kind, its sections, figures and citations, how much it matters and why.

In: two versions of a page and the difference of their texts. Out: a ``ChangeDescription``, which the ledger keeps and
from which each surface makes its sentence.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rori_spiders.comparison.diff_report import readable_path
from rori_spiders.comparison.importance import (
    ChangedBlock,
    Importance,
    ImportanceRule,
    choose_rule,
    is_all_marks,
    is_renumbered_heading,
    read_block,
)
from rori_spiders.comparison.noise import SiteHistory, alike_id, hash_text, is_covered, line_id, trace_change
from rori_spiders.content.changes.model import Change, Difference, Op, Place, SectionChange, text_of_side
from rori_spiders.content.changes.paragraph_labels import labels_of
from rori_spiders.content.citations.context import home_of
from rori_spiders.ledger.pages.page_history import VersionRow

#: Kept of each change; the whole difference is made again from the texts (`scrapy diff`).
MAX_SECTIONS = 40
MAX_MARKS = 40
_SECTION_NUMBER = re.compile(r"(?:§ ?|Sec(?:tion|\.) )\d[\w.-]*\w|§ ?\d")
_NOT_THE_SECTION = re.compile(r"\b(?:Supplement|Appendix|Comment|Interpretation)", re.IGNORECASE)
#: An excerpt is a line or two: so many characters, of which so many before the first change.
_EXCERPT_CHARS = 240
_BEFORE_CHARS = 60
_NEXT_CHARS = 120
_LABEL_CHARS = 60
_MOVED_CHARS = 80
MAX_MOVES = 3
#: What a section is that stands behind another one than before.
_SECTION = "section"
_HAS_WORDS = re.compile(r"\w")
#: Of a text of which fewer words stayed than this share, another one stands in its place. A judgement: no set of
#: replaced documents is at hand to measure it by.
_REPLACED_SHARE = 0.1
#: Kinds of changes, each with what it is called; a list can be filtered by them.
KINDS = {
    "initial": "first capture of a source",
    "new_page": "new page",
    "returned": "page is back",
    "removed": "page removed",
    "address": "page moved",
    "replaced": "text replaced",
    "text": "text changed",
    "table": "table changed",
    "number": "number changed",
    "date": "date changed",
    "renumbered": "renumbered",
    "moved": "passages moved",
    "link": "link changed",
    "layout": "layout changed",
    "unknown": "not compared",
}
#: Pages below a part: appendices, supplements, and the Bureau's comments on a regulation.
_BELOW_PART = re.compile(
    r"ecfr\.gov/(?:current|on/[\d-]{1,12})/title-(?P<title>\d{1,2})/(?:[^?#]{0,200}/)?part-(?P<part>\d{1,5})/"
    r"|consumerfinance\.gov/rules-policy/regulations/(?P<regulation>10\d\d)/"
)
#: A document of the Federal Register begins with its agency, "12 CFR Parts 1024 and 1026", its docket, and its action.
_HEAD_CHARS = 6000
_HEADER_PARTS = re.compile(r"(?m)^(\d{1,2}) CFR Parts? (\d{1,5}(?:(?:,| and|, and) \d{1,5}){0,20})$")
_ACTION = re.compile(r"(?m)^#{1,6} ACTION:?\n+([^\n]{1,200})")
_IS_RULE = re.compile(r"^(?!.*\bpropos)(?:.*\b)?rules?\b", re.IGNORECASE)
_HEADING_MARKS = re.compile(r"^#{1,6} ")
_FIGURE_KINDS = {"number": "number", "amount": "number", "percentage": "number", "date": "date"}


@dataclass(frozen=True, slots=True)
class ChangeDescription:
    """``kind`` is one of KINDS. ``details`` is JSON; ``describe_difference`` names its keys."""

    kind: str
    importance: Importance
    details: dict[str, Any] = field(default_factory=dict)


def describe_whole_page(
    kind: str, title: str | None, url: str, *, notes: Sequence[str] = (), amends: Sequence[str] = ()
) -> ChangeDescription:
    """A page that is there for the first time (``new_page``), again (``returned``), or no longer (``removed``).

    *amends*: the parts of a code that a new document amends, which ``details`` has too.
    """
    rule = choose_rule(ChangedBlock("new_rule" if amends else kind))
    details: dict[str, Any] = {"rules": [rule.rule_id], "part": cited_part(url, title), "amends": list(amends)}
    return ChangeDescription(kind, rule.level, _without_empty(details | {"notes": list(notes)}))


def describe_difference(
    difference: Difference,
    old: VersionRow,
    new: VersionRow,
    url: str,
    *,
    old_words: int,
    notes: Sequence[str] = (),
    restless: Collection[str] = (),
    noise_lines: Collection[str] = (),
    site: SiteHistory | None = None,
    words_of: Mapping[str, int] | None = None,
) -> ChangeDescription:
    """What became of a page's text of *old_words* words. *restless*: ``lines`` that changed in its last versions too;
    *noise_lines*: those of the source's manifest entry; *site*: what came and went on its site before; *words_of*: of
    each section, by its heading path, before and after together.

    Keys of ``details``, each left out where it is empty: ``rules`` (why it matters, strongest first), ``sections``
    ([how, heading path]), ``marks`` ([kind, old, new]), ``more_sections`` and ``more_marks`` (how many were left out),
    ``excerpt`` ([heading, [op, text] ...] of what matters most), ``next_excerpt`` (of what matters next),
    ``more_passages`` (how many others changed; those of low importance count where all are), ``moves`` ([first words,
    heading path before, after, what it is]), ``moved`` (how many passages did), ``words_added``,
    ``words_removed``, ``citations``
    (that came or went), ``lines`` (that changed, without their figures, hashed), ``edit`` (all blocks that changed,
    with both sides word for word, hashed), ``alike`` (the same without figures and dates, and without blocks of low
    importance where there are others),
    ``part`` (the page's place in a code, such as "12 CFR 1024"), ``amends`` (such parts, of a new document),
    ``effective`` ([old, new]),
    ``notes``, and what `noise.trace_change` names.
    """

    blocks = [
        (section, change, rule_of_block(change, section.path, new.page_id, restless, noise_lines, site))
        for section, change in _read(difference)
    ]
    # Without blocks: texts that are alike once one converter made both, or sections of which only the hashes are known.
    coarse = choose_rule(ChangedBlock("layout" if difference.is_empty else "changed"))
    ranked = sorted(blocks, key=lambda one: (-one[2].level, one[1].kind == "layout"))
    rules = list(dict.fromkeys(rule.rule_id for _, _, rule in ranked)) or [coarse.rule_id]
    level = max((rule.level for _, _, rule in blocks), default=coarse.level)
    marks = list(dict.fromkeys((mark.kind, mark.old, mark.new) for _, change, _ in ranked for mark in change.marks))
    added, removed = _count_words(change for _, change, _ in blocks)
    # A counter that went on beside paragraphs with other numbers is no reason to call them anything else.
    named = [change for _, change, rule in blocks if rule.level > Importance.LOW] or [change for _, change, _ in blocks]
    kind = (
        "layout"
        if difference.is_empty
        else kind_of_changes(named, words_left=old_words - removed, words_before=old_words)
    )
    details = {
        "rules": rules,
        "sections": [[one.kind, readable_path(one.path)] for one in difference.sections[:MAX_SECTIONS]],
        "more_sections": max(0, len(difference.sections) - MAX_SECTIONS),
        "marks": [list(mark) for mark in marks[:MAX_MARKS]],
        "more_marks": max(0, len(marks) - MAX_MARKS),
        **_choose_excerpts(ranked),
        **_moves(change for _, change, _ in blocks),
        "words_added": added,
        "words_removed": removed,
        "citations": _citations(marks),
        "lines": [line for line in dict.fromkeys(line_id(change) for _, change, _ in ranked) if line][:MAX_MARKS],
        **_hash_edits(difference, blocks),
        "part": cited_part(url, new.title),
        "effective": [old.effective, new.effective] if old.effective != new.effective else None,
        "notes": list(notes),
        **trace_change(((section.path, change) for section, change, _ in blocks), words_of or {}),
    }
    return ChangeDescription(kind, level, _without_empty(details))


def rule_of_block(
    change: Change,
    path: str,
    page_id: int,
    restless: Collection[str],
    noise_lines: Collection[str],
    site: SiteHistory | None,
) -> ImportanceRule:
    """The rule for a block. Text that changes in version after version is not law, unless a rule says that it binds;
    nor is what comes and goes by itself, unless it is a numbered paragraph."""
    block = read_block(change, path)
    rule = choose_rule(block)
    if noise_lines and rule.level > Importance.LOW and is_covered(change, noise_lines):
        return choose_rule(ChangedBlock("noise_line"))
    if rule.recurs and line_id(change) in restless:
        return choose_rule(ChangedBlock("recurring"))
    if rule.level == Importance.LOW or site is None:
        return rule
    rotation = site.find_rotation(page_id, change, path)
    # Below the last section of a page stands what its site shows on each page. Of law, a place alone says nothing.
    if not rotation or (block.is_law and (rotation == "place" or _has_label(change))):
        return rule
    return choose_rule(replace(block, change=f"rotating_{rotation}"))


def _has_label(change: Change) -> bool:
    """Whether the block is a numbered paragraph, before or after."""
    return any(labels_of(text_of_side(change.words, side)) for side in "-+")


def _hash_edits(
    difference: Difference, blocks: Sequence[tuple[SectionChange, Change, ImportanceRule]]
) -> dict[str, str | None]:
    """By what pages are known on which the same edit was made, or one that differs in figures alone. None of a section
    of which no block is known."""
    if difference.is_empty or not all(section.changes for section in difference.sections):
        return {}
    changes = [change for _, change, _ in blocks]
    main = [change for _, change, rule in blocks if rule.level > Importance.LOW]
    # Each block whole, with what came and what went. Where on the page it stands does not count.
    edit = [(one.kind, one.what, one.note, one.words, [cell[:3] for cell in one.cells]) for one in changes]
    return {"edit": hash_text(repr(edit)), "alike": alike_id(main or changes)}


def cited_part(url: str, title: str | None) -> str | None:
    """The part or chapter of a code that the page is, such as "12 CFR 1024": changes of one part belong together."""
    home = home_of(url, title)
    part = home.get("part") or home.get("section", "").partition(".")[0]
    if part and "title" in home:
        return f"{home['title']} {part}"
    below = _BELOW_PART.search(url)
    return f"{below['title'] or '12'} CFR {below['part'] or below['regulation']}" if below else None


def amended_parts(text: str) -> list[str]:
    """The parts that a rule of the Federal Register amends, such as "12 CFR 1024", by the lines above its title.

    None of a document that only proposes, or is no rule.
    """
    head = text[:_HEAD_CHARS]
    action = _ACTION.search(head)
    if action is None or not _IS_RULE.search(action[1]):
        return []
    return [f"{title} CFR {part}" for title, parts in _HEADER_PARTS.findall(head) for part in re.findall(r"\d+", parts)]


def _read(difference: Difference) -> Iterator[tuple[SectionChange, Change]]:
    for section in difference.sections:
        if section.stands_after is not None and section.stood_after is not None:
            before, after = Place(section.stood_after, 0), Place(section.stands_after, 0)
            heading = section.path.rpartition(" > ")[2]
            yield section, Change("moved", _SECTION, before, after, words=(("=", heading),), blocks=section.sections)
        yield from ((section, change) for change in section.changes)


def _citations(marks: Iterable[tuple[str, str | None, str | None]]) -> list[str]:
    return list(dict.fromkeys(text for kind, *sides in marks if kind == "citation" for text in sides if text))


def _without_empty(details: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in details.items() if value not in (None, 0, [], {})}


# The kind of a change: what somebody who sorts a list by it expects to find there.


def kind_of_changes(changes: Sequence[Change], *, words_left: int, words_before: int) -> str:
    """The one of `KINDS` that the changes of a page of *words_before* words are, of which *words_left* stayed."""
    kinds = {change.kind for change in changes}
    if changes and kinds <= {"layout"}:
        return "layout"
    if changes and kinds <= {"moved", "moved_away", "layout"}:
        return "moved"
    if words_before and words_left < _REPLACED_SHARE * words_before:
        return "replaced"
    changed = [change for change in changes if change.kind not in {"moved", "moved_away", "layout"}]
    if changed and all(change.cells or change.what == "table row" for change in changed):
        return "table"
    renumbered = [change for change in changed if is_renumbered_heading(change)]
    others = [change for change in changed if change not in renumbered]
    if changed and all(change.kind in {"changed", "moved_and_changed"} and is_all_marks(change) for change in others):
        marks = {mark.kind for change in others for mark in change.marks}
        return _kind_of_marks(marks | ({"label"} if renumbered else set()))
    return "text"


def _kind_of_marks(marks: set[str]) -> str:
    if "label" in marks and marks <= {"label", "citation"}:  # references follow what they refer to
        return "renumbered"
    if marks == {"link"}:
        return "link"
    figures = {_FIGURE_KINDS.get(mark, "text") for mark in marks - {"label"} or marks}
    return figures.pop() if len(figures) == 1 else "number" if figures == {"number", "date"} else "text"


def _count_words(changes: Iterable[Change]) -> tuple[int, int]:
    """Words added and removed; those that moved are neither."""
    counts: Counter[str] = Counter()
    for change in changes:
        for words in change.texts:
            for op, text in words:
                counts[op] += len(text.split())
    return counts["+"], counts["-"]


# The excerpt: what matters most, in a line or two.


def _choose_excerpts(ranked: Sequence[tuple[SectionChange, Change, ImportanceRule]]) -> dict[str, Any]:
    """What matters most, and what an excerpt of it alone would hide: noise that binds can stand before an edit.

    The heading of a section that came or went is its name, and no passage beside its text; nor is a line without words.
    """
    worded = [
        one for one in ranked if any(_HAS_WORDS.search(text) for words in one[1].texts for _, text in words)
    ] or ranked
    named = [one for one in worded if one[1].what != "heading" or one[0].kind not in {"added", "removed"}] or worded
    above = [one for one in named if one[2].level > Importance.LOW]
    further = (above or named)[1:]
    return {
        "excerpt": _excerpt(*named[0][:2]) if named else None,
        "next_excerpt": _excerpt(*further[0][:2], longest=_NEXT_CHARS) if further else None,
        "more_passages": len(further),
    }


def _moves(changes: Iterable[Change]) -> dict[str, Any]:
    """What stands elsewhere, unchanged: [first words, heading path before, after, what it is], and how many passages.

    A section's paths are of those that it stood and stands behind.
    """
    moved = [change for change in changes if change.kind == "moved" and change.old and change.new]
    moves = [
        [
            _cut("".join(text for _, text in one.words), _MOVED_CHARS),
            readable_path(one.old.path),
            readable_path(one.new.path),
            one.what,
        ]
        for one in moved[:MAX_MOVES]
        if one.old and one.new
    ]
    return {"moves": moves, "moved": sum(one.blocks for one in moved)}


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest].rpartition(' ')[0] or text[:longest]}…"


def _excerpt(section: SectionChange, change: Change, longest: int = _EXCERPT_CHARS) -> list[Any]:
    """The last heading above the change (with row and column of a cell), then its words around what changed."""
    heading = _name_place(readable_path(section.path), change.paragraph)
    if change.cells:
        cell = change.cells[0]
        labels = (_cut(readable_path(part), _LABEL_CHARS) for part in (cell.row, cell.column) if part)
        heading = ", ".join((heading, *labels))
        return [heading, *_cut_words(cell.words, longest)]
    words = (
        [(op, _HEADING_MARKS.sub("", text)) for op, text in change.words] if change.what == "heading" else change.words
    )
    return [heading, *_cut_words(words, longest)]


def _name_place(path: str, paragraph: str) -> str:
    """The last heading of *path*; of a section, with the paragraph: "§ 1024.17(c)(1) Escrow accounts"."""
    headings = [heading.rstrip(" .:") for heading in path.split(" > ")]
    at = next((at for at in reversed(range(len(headings))) if _SECTION_NUMBER.match(headings[at])), None)
    # Under a heading of its own, or in an interpretation of the section, enumerators are not the section's.
    if not paragraph or at is None or not all(map(labels_of, headings[at + 1 :])) or _NOT_THE_SECTION.search(path):
        return headings[-1]
    return _SECTION_NUMBER.sub(lambda number: f"{number[0]}{paragraph}", headings[at], count=1)


def _cut_words(words: Sequence[tuple[Op, str]], left: int) -> list[list[str]]:
    """The runs of *words* from a little before the first change on, at most *left* characters together."""
    first = next((at for at, (op, _) in enumerate(words) if op != "="), 0)
    cut: list[list[str]] = []
    for at, (op, text) in enumerate(words[max(0, first - 1) :], start=max(0, first - 1)):
        if at < first and len(text) > _BEFORE_CHARS:
            text = f"…{text[-_BEFORE_CHARS:].partition(' ')[2]}"
        if len(text) > left:
            cut.append([op, _cut(text, left)])
            break
        cut.append([op, text])
        left -= len(text)
    return cut
