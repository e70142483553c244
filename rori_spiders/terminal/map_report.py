"""A map as it is printed: tables for people, one JSON object or CSV with a row a page for programs."""

from __future__ import annotations

import json
import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

from rori_spiders.mapping.sections import opened, tree
from rori_spiders.terminal import map_rows, map_words
from rori_spiders.terminal.listing import harmless, write_details, write_listing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.job import Job
    from rori_spiders.mapping import Entry, Inventory
    from rori_spiders.run import Run

#: Rows of a table where nobody says how many: what a person looks through.
MOST_ROWS = 40
#: Of reasons, and of notes.
_FEW = 20


def report(inventory: Inventory, run: Run, job: Job, *, form: str, section: str | None, limit: int | None) -> None:
    """Print the map in *form*. *section*: only what lies below; *limit*: rows (of pages, or of the tree)."""
    of = map_rows.folder(run.source.method)
    chosen = map_rows.below(inventory.pages, section, of)
    if form == "csv":
        write_listing(islice(map_rows.pages(chosen, of), limit), map_rows.PAGES, form)
    elif form == "json":
        _write_json(inventory, run, job, chosen, limit)
    else:
        _write_tables(inventory, run, job, chosen, section, limit or MOST_ROWS)


def _write_json(inventory: Inventory, run: Run, job: Job, chosen: Sequence[Entry], limit: int | None) -> None:
    """One page a line, so that a large map is never in memory twice."""
    of = map_rows.folder(run.source.method)
    rows = islice(map_rows.pages(chosen, of), limit)
    out = sys.stdout
    out.write(json.dumps(_facts(inventory, run, job, chosen), ensure_ascii=False, indent=1).removesuffix("\n}"))
    out.write(',\n "urls": [')
    for number, row in enumerate(rows):
        out.write((",\n  " if number else "\n  ") + json.dumps(row, ensure_ascii=False))
    out.write("\n ]\n}\n")


def _facts(inventory: Inventory, run: Run, job: Job, chosen: Sequence[Entry]) -> dict[str, Any]:
    of = map_rows.folder(run.source.method)
    span, _ = map_words.in_time(inventory, job, run)
    lists = [entry for entry in inventory.entries.values() if entry.kind != "page"]
    counts = inventory.counts()
    return {
        "source": run.source_id,
        "start_url": run.source.url,
        "method": run.source.method,
        "complete": run.stopped is None,
        "asked": map_words.asked(inventory, job),
        "not_asked": map_words.not_asked(inventory, run),
        "robots": {origin: {"outcome": one.outcome, "delay_s": one.delay_s} for origin, one in job.robots.items()},
        "known": counts.total(),
        **{state: counts[state] for state in ("collect", "excluded", "failed", "unanswered")},
        "held": sum(entry.held for entry in inventory.pages),
        "estimate": {name: getattr(span, name) for name in ("requests", "every_s", "seconds", "a_night", "nights")},
        "notes": list(map_words.notes(inventory, run, job)),
        "lists": [{"url": one.url, "kind": one.kind, "state": one.state, "reason": one.reason} for one in lists],
        "reasons": list(map_rows.why_not(chosen)),
        "sections": [
            {name: value for name, value in row.items() if name not in {"shown", "newest"}}
            for row in map_rows.sections(opened(tree(chosen, of), 1000))
        ],
        "listed": len(chosen),
    }


def _write_tables(
    inventory: Inventory, run: Run, job: Job, chosen: Sequence[Entry], section: str | None, limit: int
) -> None:
    of = map_rows.folder(run.source.method)
    write_details(
        [
            ("Source", f"{run.source_id}: {run.source.name}"),
            ("Start URL", run.source.url),
            ("robots.txt", map_words.robots(job)),
            ("Asked", map_words.asked(inventory, job)),
            ("Not asked", map_words.not_asked(inventory, run)),
            ("Known so far", map_words.known(inventory)),
            ("A collection", map_words.in_time(inventory, job, run)[1]),
        ]
    )
    _write_notes(list(map_words.notes(inventory, run, job)))
    found = tree(chosen, of)
    rows = list(map_rows.sections(opened(found, limit)))
    print()
    write_listing(rows, map_rows.SECTIONS)
    _write_reasons(chosen)
    if section is not None or len(chosen) <= limit:
        _write_pages(chosen, run, section, limit)
    else:
        print("\nPages of a section: --section PATH; all of them: --format csv")


def _write_notes(notes: Sequence[str]) -> None:
    for note in notes[:_FEW]:
        print(f"  ! {harmless(note)}")
    if len(notes) > _FEW:
        print(f"  ! and {len(notes) - _FEW} more: --format json")


def _write_reasons(chosen: Sequence[Entry]) -> None:
    why = list(map_rows.why_not(chosen))
    if why:
        print("\nNot collected:")
        write_listing(why[:_FEW], map_rows.REASONS)
    if len(why) > _FEW:
        print(f"and {len(why) - _FEW} more reasons: --format json")


def _write_pages(chosen: Sequence[Entry], run: Run, section: str | None, limit: int) -> None:
    if not chosen:
        print(f"No page that is known so far lies below {harmless(section or '')}.")
        return
    print()
    columns = [one for one in map_rows.PAGES if one.key not in {"held", "asked"}]
    write_listing(islice(map_rows.pages(chosen, map_rows.folder(run.source.method)), limit), columns)
    if len(chosen) > limit:
        print(f"and {len(chosen) - limit:,} more: --limit N, or --format csv")
