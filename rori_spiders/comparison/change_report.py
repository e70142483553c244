"""Changes as people and programs read them: a sentence each, grouped by publication, as JSON, Markdown and feeds."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby, pairwise
from typing import Any, Protocol

from lxml import etree
from lxml.builder import ElementMaker  # type: ignore[import-not-found]

from rori_spiders.comparison.change_description import KINDS
from rori_spiders.comparison.change_weight import find_weight_rule
from rori_spiders.comparison.diff_report import NO_HEADING
from rori_spiders.comparison.importance import Importance, find_rule
from rori_spiders.content.changes.model import text_of_side
from rori_spiders.ledger.pages.change_records import ChangeFilter, ChangeRow
from rori_spiders.ledger.pages.imported_changes import ImportedChangeRow
from rori_spiders.ledger.pages.vocabulary import OPEN
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.plurals import format_count

#: What Markdown would not show as it stands: marks, and what begins an entity.
_MARKUP = re.compile(r"[\\`*_\[\]<>#|~]|&(?=#?[0-9A-Za-z]{1,40};)")
#: Where the words of a link end; its target may be cut with the excerpt.
_LINK_END = re.compile(r"\]\((?:[^\s()]|\([^\s()]*\))*(?:\)|…$)")
#: Marks of Markdown within a line, and a line break in a cell.
_MARKS = re.compile(r"\\(?=[!-/:-@\[-`{-~])|(?<!\\)\*{1,3}|<br ?/?>|(?m:^)(?:(?:[-+>]|#{1,6}) ){1,8}")
_HEADING_CHARS = 120
_TARGET_CHARS = 40
#: Of the words that stayed, so many characters are shown behind the last change, and to each side between two.
_AFTER_CHARS = 100
#: Behind these a sentence has ended.
_ENDS = frozenset(".!?…]”")
_BECAME = {"added": "New section", "removed": "Removed section"}
#: A date whose day and year changed is one swap.
_WHOLE_DATE = re.compile(r"(?:[A-Z][a-z]{2,8}\.? )?\d{1,2}, \d{4}")
_BEFORE_YEAR = re.compile(r"(?: \d{1,2})?, ")
_MONTH_END = re.compile(r"\b[A-Z][a-z]{2,8}\.? \Z")
#: The line below the head of a table.
_TABLE_RULE = re.compile(r"\|(?: :?-{3,}:? \|)+")
#: What stands close to a bracket before it; "": nothing follows.
_AFTER_BRACKET = " .,;:!?)"
_ATOM = "http://www.w3.org/2005/Atom"
_ATOM_ELEMENT = ElementMaker(namespace=_ATOM, nsmap={None: _ATOM})


@dataclass(frozen=True, slots=True)
class Publication:
    """Changes that belong together (comparison/change_log.py), the most important first."""

    title: str
    changes: tuple[ChangeRow, ...]

    @property
    def importance(self) -> Importance:
        return Importance(self.changes[0].importance)


def group_changes(found: Iterable[ChangeRow]) -> list[Publication]:
    """Changes (newest first) by publication, newest publication first."""
    groups: dict[str, list[ChangeRow]] = {}
    for change in found:
        groups.setdefault(change.publication, []).append(change)

    def order(one: ChangeRow) -> tuple[int, int]:
        return -one.importance, -one.points

    return [Publication(_title(rows), tuple(sorted(rows, key=order))) for rows in groups.values()]


def _title(changes: Sequence[ChangeRow]) -> str:
    pages, sources = ({getattr(change, field) for change in changes} for field in ("page_id", "source_id"))
    name = escape_one_line(name_publication(changes[0], len(pages)))
    if len(pages) == 1:
        return name
    of = f" of {format_count(len(sources), 'source')}" if len(sources) > 1 else ""
    return f"{name}: {format_count(len(pages), 'page')}{of}"


def name_publication(change: ChangeRow, pages: int) -> str:
    """Of so many *pages*: the part of a code; the one page; the site on which one edit was made; or the source."""
    stands_alone = change.publication in {change.run_id, change.source_id}
    page = (change.title or change.url) if pages == 1 else ""
    part = change.details.get("part") or (", ".join(change.details.get("amends", ())) if pages > 1 else "")
    return part or page or (change.source_id if stands_alone else change.site)


class DescribedChange(Protocol):
    """What a sentence about a change is made of, be it between versions or between imported texts."""

    @property
    def kind(self) -> str: ...

    @property
    def details(self) -> dict[str, Any]: ...


def change_sentence(change: DescribedChange) -> str:
    """What changed, in a line: ``§ 1024.17 Escrow accounts: within 60 → 61 days``."""
    return " ".join(escape_one_line("".join(text for _, text in change_words(change))).split())


def change_words(change: DescribedChange) -> Iterator[tuple[str, str]]:
    """The words of the sentence, in order, each ``=``, or ``-`` and ``+`` where the old and the new text differ.

    Where, what matters most, what matters next, and how many passages more there are.
    """
    details = change.details
    excerpt = details.get("excerpt")
    if change.kind == "moved" and "moves" in details:
        yield "=", _moves_sentence(details)
    elif change.kind == "link" and excerpt and (targets := _changed_targets(details)):
        heading = _plain_heading(excerpt[0])
        yield "=", f"{heading}: link " if heading else "Link "
        yield from (("-", targets[0]), ("=", " → "), ("+", targets[1]))
        yield from _count_words(details.get("more_passages", 0))
    elif excerpt and any(op != "=" for op, _ in excerpt[1:]):
        if change.kind == "replaced":
            removed, added = details.get("words_removed", 0), details.get("words_added", 0)
            yield "=", f"Text replaced ({format_count(removed, 'word')} removed, {added:,} added). "
        yield "=", _place(details, excerpt)
        shown = list(_excerpt_words(_without_marks(excerpt[1:])))
        yield from shown
        if change.kind != "replaced":
            yield from _further_words(details, excerpt[0], is_ended=shown[-1][1].rstrip()[-1:] in _ENDS)
    else:
        what = KINDS[change.kind]
        notes = details.get("notes", ())
        sections = [_plain_heading(path.rpartition(" > ")[2]) for _, path in details.get("sections", ())]
        about = f": {', '.join(filter(None, sections[:3]))}" if any(sections[:3]) else f": {notes[0]}" if notes else ""
        yield "=", f"{what[0].upper()}{what[1:]}{about}"


def _further_words(details: dict[str, Any], heading: str, *, is_ended: bool) -> Iterator[tuple[str, str]]:
    more, excerpt = details.get("more_passages", 0), details.get("next_excerpt")
    if excerpt and any(op != "=" for op, _ in excerpt[1:]):
        place = "" if excerpt[0] == heading else _place(details, excerpt).removesuffix(": ")
        yield "=", f"{' Also' if is_ended else '; also'}{place and f' {place}'}: "
        yield from _excerpt_words(_without_marks(excerpt[1:]))
        more -= 1
    yield from _count_words(more)


def _count_words(more: int) -> Iterator[tuple[str, str]]:
    if more > 0:
        yield "=", f" (+{format_count(more, 'passage')})"


def _place(details: dict[str, Any], excerpt: Sequence[Any]) -> str:
    """Where it changed: "§ 5: ", "New section § 5: "; "" before the first heading, and where the heading itself is."""
    heading = _plain_heading(excerpt[0])
    sides = {text_of_side(excerpt[1:], side) for side in "-+"}
    became = "" if details.get("more_sections") else _BECAME.get(_section_kind(details, excerpt[0]), "")
    is_said = heading.rstrip(" .:") in {_plain_heading(text).rstrip(" .:") for text in sides}
    named = " ".join(filter(None, (became, "" if is_said else heading)))
    return f"{named}: " if named else ""


def _section_kind(details: dict[str, Any], heading: str) -> str:
    """What became of the section of that last heading; "" where there are several, of which not the same became."""
    kinds = {kind for kind, path in details.get("sections", ()) if path.rpartition(" > ")[2].rstrip(" .:") == heading}
    return kinds.pop() if len(kinds) == 1 else ""


def _plain_heading(heading: str) -> str:
    words = _without_marks([("=", heading.removeprefix(NO_HEADING).removeprefix(", "))])
    text = " ".join("".join(text for _, text in words).split())
    return text if len(text) <= _HEADING_CHARS else f"{text[:_HEADING_CHARS].rpartition(' ')[0]}…"


def _moves_sentence(details: dict[str, Any]) -> str:
    """``Moved from § 5 to § 6: “A fee of…” (+2 passages)``."""
    words, before, after, what = details["moves"][0]
    old, new = (_plain_heading(path.rpartition(" > ")[2]) for path in (before, after))
    if what == "section":
        where = " to ".join(f"behind {path}" if path else "the beginning" for path in (old, new))
        where = f"from {where}"
    elif before == after:
        where = f"within {new or 'the page'}"
    else:
        where = f"from {old or 'before the first heading'} to {new or 'before the first heading'}"
    return f"Moved {where}: “{_plain_heading(words)}”{''.join(text for _, text in _count_words(details['moved'] - 1))}"


def _changed_targets(details: dict[str, Any]) -> tuple[str, str] | None:
    """Of the first link that leads elsewhere, where the targets differ: ``…/1719`` and ``…/1720``."""
    found = ((old, new) for kind, old, new in details.get("marks", ()) if kind == "link" and old and new)
    old, new = next(found, (None, None))
    if old is None or new is None:
        return None
    differs = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), len(old))
    start = max(old.rfind("/", 0, differs), differs - _TARGET_CHARS)
    if start <= len("https://") or max(len(old), len(new)) <= _TARGET_CHARS:
        start = 0
    sides = (f"{'…' if start else ''}{side[start:]}" for side in (old, new))
    old, new = (side if len(side) <= 2 * _TARGET_CHARS else f"{side[: 2 * _TARGET_CHARS]}…" for side in sides)
    return old, new


def _without_marks(words: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """What the page shows: no marks of Markdown, nor targets of links; as it was where nothing else changed."""
    if not any("]" in text or _MARKS.search(text) for _, text in words):  # most
        return words
    characters = [[op, character] for op, text in words for character in text]
    hidden: set[int] = set()
    for side in "-+":
        places = [at for at, (op, _) in enumerate(characters) if op in {"=", side}]
        text = "".join(characters[at][1] for at in places)
        for end in _LINK_END.finditer(text):
            hidden.update(places[end.start() : end.end()])
            if (start := _find_link_start(text, end.start())) >= 0:
                hidden.update(places[start - (text[:start][-1:] == "!") : start + 1])
        for mark in _MARKS.finditer(text):
            hidden.update(places[mark.start() : mark.end()])
            if mark[0].startswith("<"):
                characters[places[mark.start()]][1] = " "
                hidden.discard(places[mark.start()])
    shown: list[list[str]] = []
    for at, (op, character) in enumerate(characters):
        if at in hidden or not character:
            continue
        if shown and shown[-1][0] == op:
            shown[-1][1] += character
        else:
            shown.append([op, character])
    had_changes = any(op != "=" for op, _ in words)
    return shown if not had_changes or any(op != "=" and text.strip() for op, text in shown) else words


def _find_link_start(text: str, end: int) -> int:
    """Where the bracket opens that closes at *end*; -1: it was cut off, or there is none."""
    depth = 0
    for at in range(end, -1, -1):
        depth += (text[at] == "]") - (text[at] == "[")
        if not depth:
            return at
    return -1


def _excerpt_words(words: Sequence[Sequence[str]]) -> Iterator[tuple[str, str]]:
    """What changed with signs that also stand without colours: ``60 → 61``, ``[removed: not]``, ``[added: except]``."""
    before = ""
    for (op, text), (after, following) in pairwise([*_join_swaps(words), ("", "")]):
        if op == "=":
            yield op, _shorten(text, is_first=not before, is_last=not after)
        elif op == "-" and after == "+":
            yield op, text
            yield "=", " → "
        elif op == "+" and before == "-":
            yield op, text
        else:
            yield "=", f" [{'removed' if op == '-' else 'added'}: "
            yield op, _TABLE_RULE.sub("", text).strip(" |\n")
            yield "=", "]" if following[:1] in _AFTER_BRACKET else "] "
        before = op


def _shorten(text: str, *, is_first: bool, is_last: bool) -> str:
    """Words that stayed, without those far from a change; those before the first are short already."""
    if is_first or len(text) <= _AFTER_CHARS * (1 if is_last else 2) + 20:
        return text
    start, end = text[:_AFTER_CHARS].rpartition(" ")[0], text[-_AFTER_CHARS:].partition(" ")[2]
    return f"{start}…" if is_last else f"{start} … {end}"


def _join_swaps(words: Sequence[Sequence[str]]) -> Iterator[Sequence[str]]:
    """Words in a row that all changed are one swap: ``July 6 → September 4``, not ``July → September 6 → 4``."""
    runs = list(words)
    for at in range(len(runs) - 4):
        group = runs[at : at + 5]  # what changed, the comma before the year, the year
        if [op for op, _ in group] == ["-", "+", "=", "-", "+"] and _BEFORE_YEAR.fullmatch(group[2][1]):
            stays = runs[at - 1][1] if at and runs[at - 1][0] == "=" else ""
            month = _MONTH_END.search(stays)
            old, new = (f"{month[0] if month else ''}{text_of_side(group, side)}" for side in "-+")
            if _WHOLE_DATE.fullmatch(old) and _WHOLE_DATE.fullmatch(new):
                if month:
                    runs[at - 1] = ("=", stays[: month.start()])
                runs[at : at + 5] = [("-", old), ("+", new), ("=", ""), ("=", ""), ("=", "")]
    runs = [run for run in runs if run[1]]
    for stayed, found in groupby(runs, key=lambda run: run[0] == "=" and not run[1].isspace()):
        group = list(found)
        old, new = (text_of_side(group, side) for side in "-+")
        is_joined = not stayed and any(op == "=" for op, _ in group[1:-1]) and old.strip() and new.strip()
        yield from ((("-", old), ("+", new)) if is_joined else group)


def change_reasons(change: DescribedChange) -> list[str]:
    """Why it matters as much, strongest first."""
    found = (find_rule(rule_id) for rule_id in change.details.get("rules", ()))
    return [rule.says for rule in found if rule is not None]


def order_reasons(change: ChangeRow) -> list[str]:
    """Why it stands before or behind others as important."""
    found = (find_weight_rule(rule_id) for rule_id in change.weight_rules)
    return [rule.says if rule.points > 0 else f"further down: {rule.says}" for rule in found if rule is not None]


def _described_fields(change: ChangeRow | ImportedChangeRow) -> dict[str, Any]:
    """What both kinds of changes have: of which page, how important, and what is other."""
    details = change.details
    return {
        "source": change.source_id,
        "url": change.url,
        "title": change.title,
        "kind": change.kind,
        "importance": Importance(change.importance).word,
        "rules": details.get("rules", []),
        "reasons": change_reasons(change),
        "sentence": change_sentence(change),
        "sections": details.get("sections", []),
        "marks": details.get("marks", []),
        "citations": details.get("citations", []),
        "part": details.get("part"),
        "words_added": details.get("words_added", 0),
        "words_removed": details.get("words_removed", 0),
        "published": change.published,
    }


def change_document(change: ChangeRow, now: datetime) -> dict[str, Any]:
    """A change for programs; docs/reference/commands.md names the keys."""
    details = change.details
    return {
        "change": change.change_id,
        "captured_at": change.at,
        **_described_fields(change),
        "effective": change.effective,
        "effective_before": details.get("effective", [None])[0],
        "from_version": change.from_seq,
        "to_version": change.seq,
        "content_hash": f"sha256:{change.content_hash}",
        "run": change.run_id,
        "review": change.decision or OPEN,
        "review_reason": change.reason,
        "reviewed_by": change.reviewed_by,
        "reviewed_at": change.reviewed_at,
        "assignee": change.assignee,
        "due_on": change.due_on,
        "overdue": change.is_overdue(now),
        "comments": [comment._asdict() for comment in change.comments],
        "notes": details.get("notes", []),
    }


def imported_change_document(change: ImportedChangeRow) -> dict[str, Any]:
    """A change between imported texts for programs; docs/reference/commands.md names the keys."""
    return {
        "provenance": "imported",
        "change": change.change_id,
        "stated_at": change.at,
        "previously_stated_at": change.from_at,
        **_described_fields(change),
        "trust": change.trust,
        "trust_before": change.from_trust,
        "content_hash": change.content_hash and f"sha256:{change.content_hash}",
        "content_hash_before": change.from_content_hash and f"sha256:{change.from_content_hash}",
        "imported_from": change.imported_from,
        "imported_by": change.imported_by,
        "imported_at": change.imported_at,
        "import_id": change.import_id,
        "record": change.record,
        "notes": change.details.get("notes", []),
    }


def describe_filter(wanted: ChangeFilter) -> str:
    """``changes of high importance, of cfpb-reg-x``."""
    level = Importance(wanted.importance)
    parts = ["all changes" if level == Importance.LOW else f"changes of importance {level.word} or above"]
    if wanted.sources:
        parts.append(f"of {', '.join(wanted.sources)}")
    if wanted.kinds:
        parts.append(f"of kind {', '.join(wanted.kinds)}")
    if wanted.words:
        parts.append(f"with {wanted.words!r} in URL or title")
    return ", ".join(parts)


def render_markdown(publications: Iterable[Publication], heading: str) -> Iterator[str]:
    """The changes as a Markdown document, line by line."""
    yield f"# {heading}"
    for publication in publications:
        yield f"\n## {_escape(publication.title)} ({publication.importance.word})\n"
        for change in publication.changes:
            yield (
                f"- **{Importance(change.importance).word}** · {change.at.astimezone(UTC):%Y-%m-%d} · "
                f"[{_escape(change.title or change.url)}](<{change.url}>): {_escape(change_sentence(change))}"
            )


def _escape(text: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", escape_one_line(text))


def render_atom(
    found: Sequence[ChangeRow], *, feed_id: str, title: str, now: datetime, address: str | None = None
) -> bytes:
    """The changes as an Atom feed (RFC 4287). An entry's id stays the same for ever: a reader shows each once.

    *address* is the feed's own; *now* dates a feed without entries.
    """
    make = _ATOM_ELEMENT
    updated = max((change.at for change in found), default=now)
    feed = make.feed(
        make.id(feed_id),
        make.title(title),
        make.updated(_timestamp(updated)),
        make.author(make.name("RORI Collector")),
        *([make.link(rel="self", href=address)] if address else []),
        *(_entry(change) for change in found),
    )
    return etree.tostring(feed, xml_declaration=True, encoding="utf-8", pretty_print=True)


def _entry(change: ChangeRow) -> Any:
    make, importance = _ATOM_ELEMENT, Importance(change.importance).word
    name = escape_one_line(change.title or change.url)
    return make.entry(
        make.id(_entry_id(change)),
        make.title(f"{name}: {KINDS[change.kind]}"),
        make.updated(_timestamp(change.at)),
        make.link(rel="alternate", href=change.url),
        make.category(term=importance),
        make.category(term=change.kind),
        make.category(term=escape_one_line(change.source_id)),
        make.summary(_summary(change)),
    )


def render_json_feed(found: Sequence[ChangeRow], *, title: str, address: str) -> bytes:
    """The changes as a JSON Feed (version 1.1), with the ids of the Atom feed; *address* is the feed's own."""
    items = [
        {
            "id": _entry_id(change),
            "url": change.url,
            "title": f"{escape_one_line(change.title or change.url)}: {KINDS[change.kind]}",
            "content_text": _summary(change),
            "date_published": _timestamp(change.at),
            "tags": [Importance(change.importance).word, change.kind, escape_one_line(change.source_id)],
        }
        for change in found
    ]
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": title,
        "feed_url": address,
        "authors": [{"name": "RORI Collector"}],
        "language": "en",
        "items": items,
    }
    return json.dumps(feed, ensure_ascii=False, indent=1).encode("utf-8", "replace")


def _entry_id(change: ChangeRow) -> str:
    return f"tag:rori.dev,2026:change/{change.content_hash[:16]}/{change.change_id}"


def _summary(change: ChangeRow) -> str:
    reasons = ", ".join(change_reasons(change))
    return change_sentence(change) + (f" ({Importance(change.importance).word}: {reasons})" if reasons else "")


def _timestamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
