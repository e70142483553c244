"""The logs and summaries against the ledger: each line known and as written, each row with its line or file, the lines
in the order in which the ledger recorded what they tell.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import select

from rori_spiders.envelope.log_lines import format_wire_time, parse_wire_time
from rori_spiders.ledger.audit import error_log, failure_states
from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.pages import field_history
from rori_spiders.ledger.runs import crawl_summaries
from rori_spiders.ledger.staged_envelopes import AUDIT_OF_ENVELOPE
from rori_spiders.ledger.tables import actions, audit, envelopes, runs
from rori_spiders.staging.ledger_logs import line_digest, render_line
from rori_spiders.staging.recovery import find_live_jobs
from rori_spiders.staging.verification.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import Connection, Row

    from rori_spiders.ledger.audit.error_log import ErrorLine
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.pages.field_history import FieldLineKey
    from rori_spiders.staging.store import Log, LogLine, Store
    from rori_spiders.staging.verification.selection import Selection

    ErrorLineKey = tuple[str, str, str, bool]


#: Of lines that a repair appended: they stand after lines that are younger. Their names are in its ``details``.
REPAIR = "repair"


class LineOrder:
    """Follows the lines of *log*, of which ``name`` (``index``, ``errors``) is named in findings and repairs.

    A job appends its lines in the order of their audit rows, and those of a run before it ends: a run that starts
    later has none before them. In a bucket, whose lines are read run by run, those of several runs have no order.
    """

    def __init__(self, ledger: Ledger, log: Log, name: str) -> None:
        self._name = name
        self._is_one_sequence = log.is_one_sequence
        self._last: dict[str, int] = {}
        self._latest_start: datetime | None = None
        with ledger.connect() as conn:
            rows = conn.execute(select(runs.c.run_id, runs.c.job_id, runs.c.started_at, runs.c.finished_at)).all()
            self._repaired = load_repaired(conn, name)
        self._runs = {row.run_id: row for row in rows}

    def check(
        self, where: str, line: str | int, *, run_id: str, audit_id: int, at: datetime | None
    ) -> Iterator[Finding]:
        """The next line, that of envelope or audit row *line*, recorded *at* that time by the row *audit_id*."""
        run = self._runs.get(run_id)
        if run is None or line in self._repaired:
            return
        of = run.job_id if self._is_one_sequence else run_id
        before, self._last[of] = self._last.get(of, 0), audit_id
        if audit_id < before or self._is_late(run, at):
            yield Finding(f"{self._name}_order", where, "stands after lines of what was recorded later")

    def _is_late(self, run: Row[*tuple[Any, ...]], at: datetime | None) -> bool:
        """Whether a run that started after this one had ended has lines before. An acceptance comes after the end."""
        if not self._is_one_sequence:
            return False
        before = self._latest_start
        self._latest_start = run.started_at if before is None else max(before, run.started_at)
        if before is None or run.finished_at is None:
            return False
        ended: datetime = run.finished_at if at is None else max(run.finished_at, at)
        return before > ended


def load_repaired(conn: Connection, name: str) -> set[Any]:
    """The lines of the log *name* that repairs appended."""
    done = select(actions.c.details).where(actions.c.action == REPAIR, actions.c.target == name)
    return {line for details in conn.execute(done).scalars() for line in details["lines"]}


def note_repair(conn: Connection, name: str, lines: Sequence[str | int], *, now: datetime) -> None:
    """Record that a repair is about to append *lines* to the log *name*: envelopes, rows of the audit, or changes."""
    if lines:
        activity_log.record_action(
            conn, now=now, actor=activity_log.SYSTEM, action=REPAIR, target=name, details={"lines": list(lines)}
        )


def check_index(ledger: Ledger, store: Store, now: datetime, counts: Counter[str]) -> Iterator[Finding]:
    """Every line of the index, their order, and the lines that are missing."""
    seen: set[str] = set()
    order = LineOrder(ledger, store.index, "index")
    for where, line in store.index.places():
        counts["index_lines"] += 1
        envelope_id = _parse_envelope_id(line)
        if envelope_id is None:
            yield Finding("index_line", where, "is not a line of the index")
        elif envelope_id in seen:
            yield Finding("index_line_twice", where, f"envelope {envelope_id} already has a line")
        else:
            seen.add(envelope_id)
            yield from _check_index_line(ledger, order, where, envelope_id, line)
    for row in _indexed_rows(ledger, now):
        if row.envelope_id not in seen:
            yield Finding("index_line_missing", row.path, "has no line in the index", repairable=True)


def find_missing_index_lines(ledger: Ledger, store: Store, now: datetime) -> list[Row[Any]]:
    """The rows of indexed envelopes whose lines the index does not hold."""
    seen = {_parse_envelope_id(line) for line in store.index.lines()}
    return [row for row in _indexed_rows(ledger, now) if row.envelope_id not in seen]


def _check_index_line(ledger: Ledger, order: LineOrder, where: str, envelope_id: str, line: str) -> Iterator[Finding]:
    with ledger.connect() as conn:
        row = conn.execute(_ENVELOPE_WITH_AUDIT.where(envelopes.c.envelope_id == envelope_id)).first()
    if row is None:
        yield Finding("index_line_without_row", where, f"not in the ledger: envelope {envelope_id}")
        return
    if row.index_line != line:
        yield Finding("index_line_differs", where, f"differs from the line written for envelope {envelope_id}")
    if row.audit_id is not None:
        yield from order.check(where, envelope_id, run_id=row.run_id, audit_id=row.audit_id, at=row.staged_at)


_ENVELOPE_WITH_AUDIT = select(
    envelopes.c.index_line, envelopes.c.run_id, envelopes.c.staged_at, audit.c.audit_id
).select_from(envelopes.outerjoin(audit, AUDIT_OF_ENVELOPE))


def _indexed_rows(ledger: Ledger, now: datetime) -> Iterator[Row[Any]]:
    """Rows that say that their line was written. Those of after *now* may have been, after the index was read."""
    wanted = select(envelopes).where(
        envelopes.c.state.in_(("indexed", "pruning", "pruned")), envelopes.c.staged_at <= now
    )
    with ledger.connect() as conn:
        yield from conn.execute(wanted.order_by(envelopes.c.path).execution_options(yield_per=500))


def _parse_envelope_id(line: str) -> str | None:
    try:
        fields = json.loads(line)
    except ValueError:
        return None
    found = fields.get("envelope_id") if isinstance(fields, dict) else None
    return found if isinstance(found, str) else None


# The error log against the audit: each failure and each that was overcome has its line, and each line is of one.


class _ExpectedLine(NamedTuple):
    """A line that must be there: its row of the audit, when it was recorded, and its hash."""

    audit_id: int
    run_id: str
    at: datetime
    digest: bytes


def check_errors(ledger: Ledger, store: Store, now: datetime, counts: Counter[str]) -> Iterator[Finding]:
    """Every line of the error log, letter for letter, their order, and the lines that are missing."""
    due = _expected_lines(ledger, now)
    seen = Counter[bytes]()
    order = LineOrder(ledger, store.errors, "errors")
    for where, line in store.errors.places():
        counts["error_lines"] += 1
        key, digest = _error_line_key(line), line_digest(line)
        if key is None:
            yield Finding("error_line", where, "is not a line of the error log")
            continue
        # A page may end after the rows were read, and a line is of another end when clocks were set back.
        expected = due.pop(key, None)
        is_first = expected is not None and expected.digest == digest and not seen[digest]
        known = [expected] if expected is not None and is_first else _load_ends(ledger, key)
        # Lines tell seconds: two runs within one may end alike.
        alike = [one for one in known if one.digest == digest]
        if not known:
            yield Finding("error_line_without_row", where, f"the audit has no such outcome of {key[1]}")
        elif not alike:
            yield Finding("error_line_differs", where, f"differs from the line that the audit tells of {key[1]}")
        elif seen[digest] >= len(alike):
            yield Finding("error_line_twice", where, f"the same line of {key[1]} stands before it")
        else:
            row = alike[seen[digest]]
            yield from order.check(where, row.audit_id, run_id=row.run_id, audit_id=row.audit_id, at=row.at)
        seen[digest] += 1
    for _, url, at, resolved in due:
        what = "its failure was resolved" if resolved else "it failed"
        yield Finding("error_line_missing", url, f"{what} at {at}, and has no line in the error log", repairable=True)


def find_missing_errors(ledger: Ledger, store: Store, now: datetime) -> dict[int, LogLine]:
    """The lines that the error log lacks, oldest first, by their rows of the audit."""
    due = _expected_lines(ledger, now)
    for line in store.errors.lines():
        if (key := _error_line_key(line)) is not None:
            due.pop(key, None)
    with ledger.connect() as conn:
        missing = error_log.load_lines(conn, sorted(one.audit_id for one in due.values()))
        return {one.audit_id: render_line(one) for one in missing}


def _expected_lines(ledger: Ledger, now: datetime) -> dict[ErrorLineKey, _ExpectedLine]:
    """The lines that must be there. What live jobs are about to write is left out."""
    with ledger.connect() as conn:
        lines: dict[ErrorLineKey, _ExpectedLine] = {}
        for one in error_log.load_all_lines(conn):
            lines.setdefault(_key_of_line(one), _expect_line(one))
    with ledger.connect() as conn:  # after the rows: a row that is not unlogged by now has its line
        live = find_live_jobs(conn, now)
        writing = {audit_id for audit_id, job_id in failure_states.list_unlogged(conn) if job_id in live}
    return {key: line for key, line in lines.items() if line.audit_id not in writing}


def _load_ends(ledger: Ledger, key: ErrorLineKey) -> list[_ExpectedLine]:
    """What lines of the page's ends at that time say."""
    with ledger.connect() as conn:
        ends = [one for one in error_log.load_page_ends(conn, key[0], key[1]) if _key_of_line(one) == key]
    return [_expect_line(one) for one in ends]


def _key_of_line(line: ErrorLine) -> ErrorLineKey:
    return line.source_id, line.url, format_wire_time(line.at), line.resolved


def _expect_line(line: ErrorLine) -> _ExpectedLine:
    return _ExpectedLine(line.audit_id, line.run_id, line.at, line_digest(render_line(line).text))


def _error_line_key(line: str) -> ErrorLineKey | None:
    try:
        fields = json.loads(line)
        source_id, url, resolved = fields["manifest_id"], fields["url"], fields["resolved"]
        at = format_wire_time(parse_wire_time(fields["timestamp"]))
    except (ValueError, TypeError, KeyError):
        return None
    if not (isinstance(source_id, str) and isinstance(url, str) and isinstance(resolved, bool)):
        return None
    return source_id, url, at, resolved


def check_fields(ledger: Ledger, store: Store, counts: Counter[str]) -> Iterator[Finding]:
    """Every line of the log of fields, and the lines that are missing."""
    with ledger.connect() as conn:
        due, unlogged = field_history.list_lines(conn), set(field_history.list_lines(conn, unlogged=True))
        repaired = load_repaired(conn, "fields")
    seen: set[FieldLineKey] = set()
    last = Counter[str]()
    for where, line in store.fields.places():
        counts["field_lines"] += 1
        key = _field_line_key(line)
        if key is None:
            yield Finding("field_line", where, "is not a line of the log of fields")
        elif key in seen:
            yield Finding("field_line_twice", where, f"change {key[1]} of {key[0]} already has a line")
        else:
            seen.add(key)
            yield from _check_field_line(ledger, where, key, line)
            if store.fields.is_one_sequence and name_field_line(key) not in repaired:
                if key[1] < last[key[0]]:
                    yield Finding("fields_order", where, f"change {key[1]} of {key[0]} stands after a later one")
                last[key[0]] = max(last[key[0]], key[1])
    with ledger.connect() as conn:  # what `scrapy fields run` has appended since then was not missing
        now_logged = unlogged - set(field_history.list_lines(conn, unlogged=True))
    for source_id, seq in due:
        if (source_id, seq) not in seen | now_logged:
            what = f"change {seq} of its fields has no line in the log of fields"
            yield Finding("field_line_missing", source_id, what, repairable=True)


def find_missing_fields(ledger: Ledger, store: Store) -> list[FieldLineKey]:
    """The lines that the log of fields lacks, oldest first."""
    seen = {_field_line_key(line) for line in store.fields.lines()}
    with ledger.connect() as conn:
        return [key for key in field_history.list_lines(conn) if key not in seen]


def name_field_line(key: FieldLineKey) -> str:
    """What a repair calls the line."""
    return f"{key[0]} {key[1]}"


def _check_field_line(ledger: Ledger, where: str, key: FieldLineKey, line: str) -> Iterator[Finding]:
    with ledger.connect() as conn:
        written = field_history.line_text(conn, key)
    if written is None:
        yield Finding("field_line_without_row", where, f"not in the ledger: change {key[1]} of {key[0]}")
    elif written != line:
        yield Finding("field_line_differs", where, f"differs from the line written for change {key[1]} of {key[0]}")


def _field_line_key(line: str) -> FieldLineKey | None:
    try:
        fields = json.loads(line)
        source_id, seq = fields["manifest_id"], fields["seq"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return (source_id, seq) if isinstance(source_id, str) and type(seq) is int else None


# Crawl summaries: each row with its file, byte by byte, and each file with its row.


def check_summaries(
    ledger: Ledger, store: Store, now: datetime, selection: Selection, counts: Counter[str]
) -> Iterator[Finding]:
    """Every summary's file that *selection* opens against its row, and each file for its row."""
    with ledger.connect() as conn:
        rows, live = crawl_summaries.list_summaries(conn), find_live_jobs(conn, now)
        recent = selection.recent_runs()
        run_ids = None if recent is None else set(conn.execute(recent).scalars())
    for row in selection.choose("summaries", (row for row in rows if run_ids is None or row.run_id in run_ids)):
        counts["summaries"] += 1
        if not row.written and row.job_id in live:
            continue
        with ledger.connect() as conn:
            text = crawl_summaries.summary_text(conn, row.path)
        try:
            if store.read_summary(row.path).decode(errors="replace") != text:
                yield Finding("summary_changed", row.path, "differs from the summary that was written")
        except FileNotFoundError:
            yield Finding("summary_missing", row.path, f"the summary of run {row.run_id} is missing", repairable=True)
    known = {row.path for row in rows}
    for path in store.summaries():
        if path not in known:
            yield Finding("summary_without_row", path, "this summary is not in the ledger")
