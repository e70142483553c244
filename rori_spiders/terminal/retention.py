"""What ``scrapy staging`` confirms, prunes and tells of the staging area."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from rori_spiders.exceptions import UsageError
from rori_spiders.ledger import actions
from rori_spiders.ledger import retention as ledgers
from rori_spiders.stores.confirmations import Taken, take_in
from rori_spiders.stores.pruning import prune
from rori_spiders.terminal.listing import FORMATS, Column, harmless, write_details, write_listing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.retention import Prunable
    from rori_spiders.stores.base import Store
    from rori_spiders.terminal.command import StrictParser

COLUMNS = (
    Column("confirmed_at", "confirmed (UTC)"),
    Column("source_id", "source"),
    Column("path", "file"),
    Column("envelope_id"),
)
#: What is named of a long list; the rest is counted.
_NAMED = 20


def add_format(verb: StrictParser) -> None:
    # Without a default: what was typed before the verb holds as well.
    verb.add_argument("--format", choices=FORMATS, default=argparse.SUPPRESS, help="table (default), json or csv")


def add_confirming(verb: StrictParser) -> None:
    verb.add_argument("ids", nargs="*", metavar="ENVELOPE_ID", help="envelopes that the ingestion side has")
    verb.add_argument("--file", metavar="FILE", help="read more of them from FILE, one a line; - for standard input")


def add_pruning(verb: StrictParser) -> None:
    verb.add_argument("--dry-run", action="store_true", help="only list what would be removed")
    verb.add_argument(
        "--older-than", metavar="DAYS", type=_days, help="confirmed longer ago than this (RORI_RETENTION_DAYS)"
    )
    add_format(verb)


def _days(text: str) -> int:
    if not text.isdecimal() or int(text) > 36_500:
        raise argparse.ArgumentTypeError(f"expected a number of days such as 90, not {text!r}")
    return int(text)


def given(opts: argparse.Namespace) -> list[str]:
    """The ids that were typed, and those of the file. UsageError when that cannot be read."""
    if opts.file is None:
        return list(opts.ids)
    try:
        text = sys.stdin.read() if opts.file == "-" else Path(opts.file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{opts.file} cannot be read: {error}") from error
    return [*opts.ids, *filter(None, map(str.strip, text.splitlines()))]


def confirm(ledger: Ledger, store: Store, ids: list[str], *, actor: str, now: datetime) -> int:
    """Confirm *ids*, and what the ingestion side has appended in the staging area. 1 when an id is not known."""
    taken = take_in(ledger, store, now)
    with ledger.begin() as conn:
        typed = ledgers.confirm(conn, ids, now=now)
        if typed.now:
            told = {"envelopes": typed.now}
            actions.record(conn, now=now, actor=actor, action="confirm", target="staging", details=told)
    _tell_taken(taken)
    print(f"{typed.now} confirmed, {typed.before} were already.")
    _tell_unknown(typed.unknown)
    return 1 if typed.unknown else 0


def _tell_taken(taken: Taken) -> None:
    done = taken.confirmed
    if done.now:
        sys.stderr.write(f"{done.now} confirmed in the staging area since the last look.\n")
    for line in taken.wrong[:_NAMED]:
        sys.stderr.write(f"A line of the confirmations is none: {harmless(line)!r}\n")
    if len(taken.wrong) > _NAMED:
        sys.stderr.write(f"... and {len(taken.wrong) - _NAMED} more such lines.\n")
    _tell_unknown(done.unknown)


def _tell_unknown(unknown: tuple[str, ...]) -> None:
    if unknown:
        named = ", ".join(harmless(one[: _NAMED * 4]) for one in unknown[:_NAMED])
        more = f" and {len(unknown) - _NAMED} more" if len(unknown) > _NAMED else ""
        sys.stderr.write(f"No staged envelope has the id {named}{more}. Is this the right RORI_DATABASE_URL?\n")


def show(ledger: Ledger, store: Store, before: datetime, form: str) -> int:
    """How the staging area stands, as far as the ledger knows."""
    with ledger.connect() as conn:
        stands = ledgers.standing(conn, before=before)
    facts = {"place": store.location, **asdict(stands), "bytes": store.envelope_bytes()}
    write_details(facts.items(), form)
    return 0


def would_prune(ledger: Ledger, before: datetime, form: str) -> int:
    """List what ``pruned`` would remove; confirmations in the staging area that are new are not looked at."""
    with ledger.connect() as conn:
        count = _list(ledgers.prunable(conn, before=before), form)
    if form == "table":
        print(f"{count} would be removed. Each was confirmed before {before:%Y-%m-%d %H:%M} UTC.")
    return 0


def pruned(ledger: Ledger, store: Store, before: datetime, form: str, *, actor: str, now: datetime) -> int:
    """Take in what was confirmed, then remove what was confirmed before *before*, and list it."""
    _tell_taken(take_in(ledger, store, now))
    count = _list(prune(ledger, store, confirmed_before=before, actor=actor, now=now), form)
    if form == "table":
        print(f"{count} removed. Each was confirmed before {before:%Y-%m-%d %H:%M} UTC.")
    return 0


def _list(removed: Iterable[Prunable], form: str) -> int:
    rows: Iterator[dict[str, object]] = map(asdict, removed)
    return write_listing(rows, COLUMNS, form)
