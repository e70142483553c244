"""``scrapy as-of``: print which text of a page was held at an instant, and what proves it."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from rori_spiders.evidence.point_in_time import describe_page, describe_state
from rori_spiders.exceptions import StagingError, UsageError
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.pages import imported_captures, point_in_time
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.plurals import format_count
from rori_spiders.staging.store import Store
from rori_spiders.terminal.audit.responses import write_stored_bytes
from rori_spiders.terminal.listing import Column, format_for_people, print_hint, write_details, write_listing

_STATE_COLOURS = (
    ("held", "green"),
    ("removed", "red"),
    ("moved", "yellow"),
    ("not_captured", "yellow"),
    ("imported", "cyan"),
)
#: The table of many pages shows titled columns; JSON and CSV have all.
COLUMNS = (
    *(Column("source", "source"), Column("url", "url"), Column("title"), Column("as_of")),
    Column("state", "state", colours=_STATE_COLOURS),
    *(Column("published", "published"), Column("effective", "effective"), Column("effective_until", "until")),
    *(Column("captured", "captured (UTC)"), Column("last_seen", "last seen (UTC)")),
    Column("known", "known (UTC)"),
    *map(Column, ("next_look", "next_look_saw", "replaced", "says", "version", "content_hash", "text_object")),
    *map(Column, ("raw_object", "robots_object", "envelope", "envelope_state", "run", "last_seen_run")),
    *map(Column, ("audit_row", "last_seen_row", "version_leaf", "envelope_leaf", "last_seen_leaf")),
    *map(Column, ("provenance", "trust", "stated_for", "imported_from", "file_sha256", "imported_by", "import_record")),
)
#: How the lines about one page are named.
_NAMES = {
    "as_of": "as of",
    "published": "published (publisher)",
    "effective": "effective (publisher)",
    "effective_until": "effective until (publisher)",
    "captured": "captured",
    "stated_for": "stated for (publisher)",
    "last_seen": "last seen",
    "known": "known",
}
_CLOCKS = ("published", "effective", "effective_until", "captured", "last_seen", "known")


def print_page(ledger: Ledger, url: str, at: datetime, form: str, heading: str, *, source_id: str | None) -> int:
    """Print what was held of *url* at *at* with its proof, one answer a source; 1 if no text was."""
    rows = _load_page(ledger, url, at, source_id)
    if form != "table":
        write_listing(rows, COLUMNS, form)
        return 0 if any(row["state"] == "held" for row in rows) else 1
    print(f"{heading}:")
    for row in rows:
        print()
        write_details(dict(_shown(row)), label=lambda key: _NAMES.get(key, key.replace("_", " ")))
    if not rows:
        print_hint(f"No source has {escape_one_line(url)}. `scrapy audit --url URL` lists requests for it.")
    return 0 if any(row["state"] == "held" for row in rows) else 1


def print_pages(ledger: Ledger, at: datetime, form: str, heading: str, *, source_id: str | None) -> int:
    """List every page that was ever captured as it stood at *at*; 1 if no text of any was held."""
    states: Counter[str] = Counter()
    if form == "table":
        print(f"{heading}:\n")
    with ledger.connect() as conn:
        rows = (describe_state(one, at) for one in point_in_time.list_pages(conn, at, source_id))
        write_listing(_count_states(rows, states), COLUMNS, form)
        imported = imported_captures.count_pages(conn, at, source_id)
    if form == "table":
        print(
            f"{states['held']} of {format_count(states.total(), 'page')} had a text then. "
            "--page URL shows one with its proof."
        )
        if imported:
            print_hint(f"Not counted: {format_count(imported, 'page')} with an imported text (scrapy import list).")
    return 0 if states["held"] else 1


def _count_states(rows: Iterable[dict[str, Any]], states: Counter[str]) -> Iterator[dict[str, Any]]:
    for row in rows:
        states[row["state"]] += 1
        yield row


def print_imported_text(
    ledger: Ledger, store: Store, url: str, at: datetime, heading: str, *, source_id: str | None
) -> int:
    """Print exactly the last text of *url* that was imported and captured by *at*; 1 for none."""
    rows = [row for row in _load_page(ledger, url, at, source_id) if row["state"] == "imported"]
    if not rows:
        sys.stderr.write(f"{heading}: no text of {escape_one_line(url)} was imported that was captured by then.\n")
        return 1
    _require_one_source([row["source"] for row in rows])
    data = _load_text(store, rows[0]["text_object"])
    sys.stderr.write(f"{heading}: {rows[0]['says']}\n")
    write_stored_bytes(data)
    return 0


def print_text(ledger: Ledger, store: Store, url: str, at: datetime, heading: str, *, source_id: str | None) -> int:
    """Print exactly the text held at *at* to stdout, after checking its hash, and the clocks to stderr; 1 for none."""
    with ledger.connect() as conn:
        found = point_in_time.find_proofs(conn, url, at, source_id)
    rows = _load_page(ledger, url, at, source_id)
    if not found:
        for row in rows or [{"says": f"No source has {escape_one_line(url)}."}]:
            sys.stderr.write(f"{heading}: {row['says']}\n")
        return 1
    _require_one_source([one.held.source_id for one in found])
    version, row = found[0].held.version, next(one for one in rows if one["state"] == "held")
    data = _load_text(store, version.body_object)
    if version.body_object != version.content_hash:
        raise StagingError(f"The object {version.body_object} does not have the content hash {version.content_hash}.")
    sys.stderr.write(f"{heading}: {row['says']}\n")
    for name in _CLOCKS:
        zone = " UTC" if isinstance(row[name], datetime) else ""
        sys.stderr.write(f"{_NAMES[name]}: {format_for_people(row[name]) or '-'}{zone}\n")
    write_stored_bytes(data)
    return 0


def _require_one_source(ids: list[str]) -> None:
    if len(ids) > 1:
        raise UsageError(f"several sources collected this URL ({', '.join(ids)}): choose one with --source")


def _load_text(store: Store, digest: str) -> bytes:
    try:
        return store.get_object(digest)  # checks the hash
    except FileNotFoundError:
        raise StagingError(
            f"{store.location}: the text (object {digest}) is missing. Objects are never pruned: restore "
            "it from a backup, or set RORI_STAGING to the right staging area."
        ) from None


def _load_page(ledger: Ledger, url: str, at: datetime, source_id: str | None) -> list[dict[str, Any]]:
    with ledger.connect() as conn:
        return describe_page(conn, url, at, source_id)


def _shown(row: dict[str, Any]) -> list[tuple[str, Any]]:
    """The lines about one page: the clocks of a text also where they have no time."""
    is_held = row["state"] == "held"
    return [(name, value) for name, value in row.items() if value is not None or (is_held and name in _CLOCKS)]
