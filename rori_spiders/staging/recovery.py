"""Recover at the start of a job: finish or roll back writes that dead jobs left half done.

A reservation whose file is whole is *adopted* when its run is still open and its URL still pending: all that
transaction B would have written is in the envelope itself, but for the page's validators, without which it is asked for
whole next time, and for what it leads to. Its links were kept with the reservation, and the walker that resumes the run
goes on from the kept links of captured pages, by its own rules (depth, patterns, whether links are followed at all).

Any other reservation is *dropped*: its file is removed, which no index line ever named, and the URL stays pending, so
that the run that is resumed fetches it again. Envelopes that were staged get the index line that they lack, ends that
the error log is to tell get their line there, and changed fields theirs in the log of fields. What belongs to a job
with a live lease is not touched: that job is still writing it.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, select

from rori_spiders import BUILD
from rori_spiders.content.sections import section_hashes
from rori_spiders.envelope import Envelope, parse_envelope
from rori_spiders.envelope.log_lines import parse_wire_time
from rori_spiders.ledger.audit import audit_log, failure_states
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.dialects import lease_clock
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.queue import leases
from rori_spiders.ledger.runs import frontier
from rori_spiders.ledger.staged_envelopes import AUDIT_OF_ENVELOPE
from rori_spiders.ledger.tables import audit, envelopes, robots_seen, run_urls, runs
from rori_spiders.ledger.tables.runs import OPEN_RUN_STATES
from rori_spiders.reasons import CAPTURED, Reason, ReasonCode
from rori_spiders.staging.envelope_writer import (
    BATCH_SIZE,
    abandon_reservation,
    bare_hash,
    mark_indexed,
    mark_staged,
    read_reserved_file,
)
from rori_spiders.staging.ledger_logs import log_pending_errors, log_pending_fields, write_pending_summaries
from rori_spiders.staging.retention import finish_pruning
from rori_spiders.staging.store import LogLine, Store
from rori_spiders.urls.canonical import origin_of

_LEFT_COLUMNS = [envelopes.c[name] for name in ("envelope_id", "run_id", "path", "file_hash", "url", "index_line")]
ADOPTED_REASON = "adopted after its job ended between writing and recording"


@dataclass(frozen=True, slots=True)
class RecoveryResult:
    """What was repaired. Paths are those of envelopes."""

    adopted: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    indexed: int = 0  # index lines that were missing
    errors: int = 0  # lines of the error log that were missing
    fields: int = 0  # lines of the log of fields that were missing
    summaries: int = 0  # files of crawl summaries that were missing
    pruned: int = 0  # files whose removal a prune had begun
    torn: tuple[str, ...] = ()  # logs whose torn last line was cut
    temporary: int = 0  # unfinished files removed

    def __str__(self) -> str:
        """Return the non-zero counts in words: ``2 envelope(s) adopted, 1 temporary file(s) removed``."""
        parts = (
            (len(self.adopted), "envelope(s) adopted"),
            (len(self.dropped), "reservation(s) dropped"),
            (self.indexed, "index line(s) added"),
            (self.errors, "line(s) of the error log added"),
            (self.fields, "line(s) of the log of fields added"),
            (self.summaries, "crawl summary file(s) written"),
            (self.pruned, "file(s) removed that an interrupted prune left"),
            (len(self.torn), "truncated log(s) cut at the last complete line"),
            (self.temporary, "temporary file(s) removed"),
        )
        return ", ".join(f"{number} {what}" for number, what in parts if number) or "nothing to repair"

    def __bool__(self) -> bool:
        logged = self.indexed or self.errors or self.fields or self.summaries or self.pruned
        return bool(self.adopted or self.dropped or logged or self.torn or self.temporary)


def recover_staging(ledger: Ledger, store: Store, now: datetime) -> RecoveryResult:
    """Repair what dead jobs left. Repeatable, also by two jobs at once. Raises StagingError, LedgerError."""
    mended = store.mend()
    live = ledger.read(lambda conn: find_live_jobs(conn, now))
    adopted, dropped = [], []
    for row in find_left_behind(ledger, "reserved", now):
        envelope = _read_complete(store, row)  # before the ledger is locked: a slow store must not keep it
        if envelope is not None and ledger.write(
            partial(adopt_reservation, envelope=envelope, envelope_id=row.envelope_id, now=now)
        ):
            adopted.append(row.path)
        elif ledger.write(partial(abandon_reservation, store=store, envelope_id=row.envelope_id)):
            dropped.append(row.path)
    return RecoveryResult(
        adopted=tuple(adopted),
        dropped=tuple(dropped),
        indexed=index_left_behind(ledger, store, now),
        errors=log_pending_errors(ledger, store, live),
        fields=log_pending_fields(ledger, store),
        summaries=write_pending_summaries(ledger, store),
        pruned=len(list(finish_pruning(ledger, store, actor="system", now=now))),
        torn=mended.torn,
        temporary=mended.temporary,
    )


def find_left_behind(ledger: Ledger, state: str, now: datetime) -> list[Row[*tuple[Any, ...]]]:
    """The envelopes in *state* whose jobs are dead, as recorded: id, run, path, hash of the file, URL, index line."""
    columns = (*_LEFT_COLUMNS, runs.c.job_id)

    def left(conn: Connection) -> list[Row[*tuple[Any, ...]]]:
        live = find_live_jobs(conn, now)
        query = select(*columns).join_from(envelopes, runs).outerjoin(audit, AUDIT_OF_ENVELOPE)
        query = query.where(envelopes.c.state == state)
        # Lines of the index stand in the order of the audit; what is only reserved has no row there.
        rows = conn.execute(query.order_by(audit.c.audit_id, envelopes.c.reserved_at, envelopes.c.envelope_id))
        return [row for row in rows if row.job_id not in live]

    return ledger.read(left)


def find_live_jobs(conn: Connection, now: datetime) -> set[str]:
    """Ids of the jobs that hold a lease at *now* (a lease's owner is ``host:pid:job id``)."""
    at = lease_clock(conn, now)
    return {lease.owner.rsplit(":", 1)[-1] for lease in leases.lease_holders(conn) if lease.expires_at > at}


def index_left_behind(ledger: Ledger, store: Store, now: datetime) -> int:
    """Append missing index lines of staged envelopes of dead jobs; return their number."""
    rows = find_left_behind(ledger, "staged", now)
    missing = 0
    for start in range(0, len(rows), BATCH_SIZE):
        batch = rows[start : start + BATCH_SIZE]
        missing += store.index.append_missing([LogLine(row.run_id, row.index_line) for row in batch])
        ledger.write(partial(mark_indexed, envelope_ids=[row.envelope_id for row in batch]))
    return missing


def adopt_reservation(conn: Connection, envelope: Envelope, envelope_id: str, *, now: datetime) -> bool:
    """Complete transaction B for a reservation from its file; False when the facts for that are not available."""
    row = conn.execute(select(envelopes).where(envelopes.c.envelope_id == envelope_id).with_for_update()).one_or_none()
    if row is None or row.state != "reserved" or not _is_page_pending(conn, row):
        return False
    page = page_history.ensure_page(conn, row.source_id, row.url, now=now)
    page_history.add_version(conn, page.page_id, _version_of(envelope), body_chars=envelope.content.body_length_chars)
    gone = envelope.integrity.change_type == "deleted"
    state, verdict = ("gone", "not_found") if gone else ("captured", "content")
    tier, attempts = envelope.scrape.engine, envelope.scrape.retry_count + 1
    frontier.settle_url(
        conn,
        row.run_id,
        row.url,
        state=state,
        reason=CAPTURED if state == "captured" else Reason(ReasonCode.GONE),
        tier=tier,
        verdict=verdict,
        attempts=attempts,
        now=now,
    )
    before = audit_log.find_last_states(conn, row.run_id, [row.url])
    audit_log.append_row(conn, _audit_row(envelope, row.path, state, verdict, _robots_object(conn, row)))
    failure_states.note_unlogged(conn, row.run_id, {row.url: state}, before)
    mark_staged(conn, envelope_id, now=now)
    return True


def _is_page_pending(conn: Connection, row: Row[Any]) -> bool:
    """Whether its run is open and the URL has no final state: else the run's sum is made and must not move."""
    query = (
        select(run_urls.c.url_hash)
        .join_from(run_urls, runs)
        .where(
            run_urls.c.run_id == row.run_id,
            run_urls.c.url_hash == row.url_hash,
            run_urls.c.state == "pending",
            runs.c.state.in_(OPEN_RUN_STATES),
        )
    )
    return conn.execute(query).one_or_none() is not None


def _read_complete(store: Store, row: Row[Any]) -> Envelope | None:
    """Read the envelope of a reservation; None when its file or one of its objects is missing."""
    data = read_reserved_file(store, row.path, row.file_hash)
    if data is None:
        return None
    envelope = parse_envelope(data)
    integrity = envelope.integrity
    named = (integrity.content_hash, integrity.raw_hash, integrity.screenshot_hash)
    return envelope if all(store.has_object(bare_hash(digest)) for digest in named if digest) else None


def _version_of(envelope: Envelope) -> page_history.NewVersion:
    integrity, metadata = envelope.integrity, envelope.page_metadata
    content_hash = bare_hash(integrity.content_hash)
    return page_history.NewVersion(
        run_id=envelope.audit.scrape_run_id,
        captured_at=parse_wire_time(envelope.scrape.timestamp),
        change_type=integrity.change_type,
        content_hash=content_hash,
        raw_object=bare_hash(integrity.raw_hash or content_hash),
        body_object=content_hash,
        screenshot_object=bare_hash(integrity.screenshot_hash) if integrity.screenshot_hash else None,
        section_hashes=section_hashes(envelope.content.body),
        converter_version=integrity.converter_version or "",
        tier=envelope.scrape.engine,
        html_hash=bare_hash(integrity.html_hash) if integrity.html_hash else None,
        title=metadata.title,
        published=metadata.published_date,
        effective=metadata.effective_date,
    )


def _robots_object(conn: Connection, row: Row[Any]) -> str | None:
    of_origin = (robots_seen.c.run_id == row.run_id) & (robots_seen.c.origin == origin_of(row.url))
    return conn.execute(select(robots_seen.c.object).where(of_origin)).scalar()


def _audit_row(envelope: Envelope, path: str, state: str, verdict: str, robots: str | None) -> audit_log.AuditRow:
    """Create the audit row from the envelope. Headers, addresses and earlier attempts are lost with the job."""
    scrape, integrity = envelope.scrape, envelope.integrity
    attempt = {
        "tier": scrape.engine,
        "at": scrape.timestamp,
        "status": scrape.http_status,
        "verdict": verdict,
        "reason": "",
        "ms": scrape.response_time_ms,
        "credits": scrape.credits_consumed,
    }
    return audit_log.AuditRow(
        run_id=envelope.audit.scrape_run_id,
        timestamp=parse_wire_time(scrape.timestamp),
        manifest_id=envelope.source.manifest_id,
        url=envelope.source.url,
        engine=scrape.engine,
        state=state,
        build=BUILD,
        http_status=scrape.http_status,
        content_hash=bare_hash(integrity.content_hash),
        content_changed=integrity.content_changed,
        response_time_ms=scrape.response_time_ms,
        credits_consumed=scrape.credits_consumed,
        retry_count=scrape.retry_count,
        staged_path=path,
        reason=ADOPTED_REASON,
        verdict=verdict,
        raw_hash=bare_hash(integrity.raw_hash) if integrity.raw_hash else None,
        robots_object=robots,
        attempts=[attempt],
    )
