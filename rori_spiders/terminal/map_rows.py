"""A map's pages and sections as rows: for CSV, JSON, and the tables that people read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.mapping.sections import folder_of, reasons
from rori_spiders.terminal.listing import Column
from rori_spiders.terminal.map_words import FOUND
from rori_spiders.urls import path_and_query
from rori_spiders.wikis import lists as wiki_lists
from rori_spiders.wikis import shown as wiki_shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rori_spiders.mapping import Entry
    from rori_spiders.mapping.sections import Section

_STATES = (("collect", "green"), ("excluded", "dim"), ("failed", "red"), ("unanswered", "yellow"))
PAGES = (
    Column("url", "page"),
    Column("state", "would be", colours=_STATES),
    Column("reason", "why"),
    Column("held", "held"),
    Column("asked", "asked"),
    Column("found_by", "found by"),
    Column("found_on"),
    Column("depth"),
    Column("lastmod", "last modified"),
    Column("title", "title"),
    Column("description"),
    Column("section"),
)
SECTIONS = (
    Column("shown", "section"),
    Column("collect", "collect", right=True),
    Column("held", "held", right=True),
    Column("excluded", "excluded", right=True),
    Column("failed", "failed", right=True),
    Column("found_by", "found by"),
    Column("newest", "newest"),
)
REASONS = (
    Column("state", "state", colours=_STATES),
    Column("pages", "pages", right=True),
    Column("reason", "why"),
    Column("example", "for example"),
)


_OWN = ("url", "state", "reason", "held", "asked", "found_on", "depth", "lastmod", "title", "description")


def folder(method: str) -> Callable[[Entry], str]:
    """What a page's section is: the folder of its path; of a wiki, the list that names it."""
    return _list_of if method == "mediawiki" else folder_of


def _list_of(entry: Entry) -> str:
    on = entry.found_on
    if on is None:
        return "named by the manifest/"
    named = wiki_lists.words(on) if wiki_lists.is_list(on) else wiki_shown.words(on)
    return f"{named.replace('/', '-')}/"


def below(entries: Iterable[Entry], section: str | None, of: Callable[[Entry], str]) -> list[Entry]:
    """The pages whose section is, or lies below, *section*; all of them without one."""
    if section is None:
        return list(entries)
    return [entry for entry in entries if f"{of(entry)}/".startswith(section) or _path(entry).startswith(section)]


def _path(entry: Entry) -> str:
    return path_and_query(entry.url)


def pages(entries: Iterable[Entry], of: Callable[[Entry], str]) -> Iterator[dict[str, Any]]:
    """One row a page, by address."""
    for entry in sorted(entries, key=lambda one: one.url):
        yield {name: getattr(entry, name) for name in _OWN} | {
            "found_by": FOUND.get(entry.found_by, entry.found_by),
            "section": of(entry),
        }


def sections(found: Sequence[Section]) -> Iterator[dict[str, Any]]:
    """One row a section, with what lies below it."""
    parents: list[str] = []
    for one in found:
        parents[one.level :] = [one.name]
        own = one.name.removeprefix(parents[one.level - 1]) if one.level else one.name
        yield {
            "section": one.name,
            "shown": "  " * one.level + own,
            "pages": one.size,
            "collect": one.states["collect"],
            "held": one.held,
            "excluded": one.states["excluded"],
            "failed": one.states["failed"] + one.states["unanswered"],
            "found_by": ", ".join(f"{FOUND.get(by, by)} {count}" for by, count in one.found.most_common()),
            "lastmod": one.lastmod,
            "newest": (one.lastmod or "")[:10],
        }


def why_not(entries: Iterable[Entry]) -> Iterator[dict[str, Any]]:
    for state, reason, count, example in reasons(entries):
        yield {"state": state, "reason": reason, "pages": count, "example": example}
