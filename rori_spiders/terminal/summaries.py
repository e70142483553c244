"""A run's crawl summary for a person: what of the publisher's own lists it has, and what is missing by name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rori_spiders.ledger import summaries
from rori_spiders.terminal.listing import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

#: How many missing pages a person reads at a glance; the file has more.
_MOST_SHOWN = 20
_WORDS = {"elsewhere": "read at another address", "not_asked": "not asked"}
_STATES = ("captured", "unchanged", "elsewhere", "excluded", "failed", "gone", "pending", "not_asked")


def document_of(conn: Connection, run_id: str) -> dict[str, Any] | None:
    """The run's newest summary; None while it has none."""
    row = summaries.newest(conn, run_id)
    document: dict[str, Any] | None = None if row is None else json.loads(row.text)
    return document


def lines_of_summary(conn: Connection, run_id: str) -> Iterator[str]:
    """Lines under a run's facts; none while it has no summary."""
    row = summaries.newest(conn, run_id)
    if row is None:
        return
    document = json.loads(row.text)
    yield from (f"Note: {harmless(note)}" for note in document["notes"])
    yield "Of what the publisher lists:"
    lists = document["coverage"]
    for one in lists:
        yield from _lines(one)
    if not lists:
        yield "  nothing: no sitemap was read, and no page of contents names a page"
    yield f"  In full: {row.path} in the staging area{'' if row.written else ' (its file is not written yet)'}"


def _lines(one: dict[str, Any]) -> Iterator[str]:
    parts = [f"{one[state]} {_WORDS.get(state, state)}" for state in _STATES if one[state]]
    more = " (there are more; so many are counted)" if one["cut"] else ""
    yield f"  {_name(one)}: {one['listed']} pages{more} = {' + '.join(parts) or 'none'}"
    for reason, number in list(one["excluded_by"].items())[:_MOST_SHOWN]:
        yield f"      {number:>5} excluded: {harmless(reason)}"
    for page in one["missing"][:_MOST_SHOWN]:
        yield f"      missing: {harmless(page['url'])}  {page['state']}: {harmless(page['reason'])}"
    if one["missing_in_all"] > _MOST_SHOWN:
        yield f"      and {one['missing_in_all'] - _MOST_SHOWN} more missing"


def _name(one: dict[str, Any]) -> str:
    on = one["listed_on"]
    if one["listed_by"] == "api":
        return "the wiki's lists"
    if one["listed_by"] == "contents":
        return f"contents {harmless(on[0])}"
    return f"sitemap {harmless(on[0])}" if len(on) == 1 else f"{len(on)} sitemaps"
