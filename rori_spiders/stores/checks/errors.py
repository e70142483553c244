"""The error log against the audit: each failure and each that was overcome has its line, and each line is of one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rori_spiders.envelope.lines import read_time, wire_time
from rori_spiders.ledger import error_log, failures
from rori_spiders.stores.checks.finding import Finding
from rori_spiders.stores.failures import line_of
from rori_spiders.stores.recovery import live_jobs

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from datetime import datetime

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.stores.base import LogLine, Store

    #: Source, URL, time, whether it was overcome: what tells one line from another.
    Key = tuple[str, str, str, bool]


def check_errors(ledger: Ledger, store: Store, now: datetime, counts: Counter[str]) -> Iterator[Finding]:
    """Every line of the error log, and the lines that are missing."""
    due = _due(ledger, now)
    for where, line in store.error_places():
        counts["error_lines"] += 1
        key = _key(line)
        if key is None:
            yield Finding("error_line", where, "is not a line of the error log")
        elif due.pop(key, None) is None and not _is_known(ledger, key):
            yield Finding("error_line_without_row", where, f"the audit has no such end of {key[1]}")
    for _, url, at, resolved in due:
        what = "its failure was overcome" if resolved else "it failed"
        yield Finding("error_line_missing", url, f"{what} at {at}, and has no line in the error log", repairable=True)


def missing_errors(ledger: Ledger, store: Store, now: datetime) -> list[LogLine]:
    """The lines that the error log lacks, oldest first."""
    due = _due(ledger, now)
    for line in store.error_lines():
        if (key := _key(line)) is not None:
            due.pop(key, None)
    with ledger.connect() as conn:
        return [line_of(one) for one in error_log.lines_of(conn, sorted(due.values()))]


def _due(ledger: Ledger, now: datetime) -> dict[Key, int]:
    """The lines that must be there, each with its row of the audit. What live jobs are about to write is left out."""
    with ledger.connect() as conn:
        lines = {
            (one.source_id, one.url, wire_time(one.at), one.resolved): one.audit_id for one in error_log.all_lines(conn)
        }
    with ledger.connect() as conn:  # after the rows: whoever is not unlogged by now has a line by now
        live = live_jobs(conn, now)
        writing = {audit_id for audit_id, job_id in failures.unlogged(conn) if job_id in live}
    return {key: audit_id for key, audit_id in lines.items() if audit_id not in writing}


def _is_known(ledger: Ledger, key: Key) -> bool:
    """Whether the page ended so, in a run that ended after the rows were read, or before clocks were set back."""
    source_id, url, at, resolved = key
    with ledger.connect() as conn:
        return any((wire_time(when), good) == (at, resolved) for when, good in error_log.ends_of(conn, source_id, url))


def _key(line: str) -> Key | None:
    try:
        fields = json.loads(line)
        source_id, url, resolved = fields["manifest_id"], fields["url"], fields["resolved"]
        at = wire_time(read_time(fields["timestamp"]))
    except (ValueError, TypeError, KeyError):
        return None
    if not (isinstance(source_id, str) and isinstance(url, str) and isinstance(resolved, bool)):
        return None
    return source_id, url, at, resolved
