"""The ledger against the store and itself: rows with files, versions and audit; chains; the sums of the runs."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache, partial
from typing import Any

from sqlalchemy import BindParameter, Connection, Row, Select, Text, and_, bindparam, case, cast, func, or_, select

from rori_spiders.exceptions import StagingError
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.dialects import json_length
from rori_spiders.ledger.pages import compaction
from rori_spiders.ledger.runs import listed_urls
from rori_spiders.ledger.runs import run_records as run_counts
from rori_spiders.ledger.staged_envelopes import AUDIT_OF_ENVELOPE
from rori_spiders.ledger.tables import audit, envelopes, list_exclusions, pages, run_urls, runs, versions
from rori_spiders.ledger.tables.runs import OPEN_RUN_STATES
from rori_spiders.reasons import ReasonCode
from rori_spiders.staging.recovery import find_left_behind, find_live_jobs
from rori_spiders.staging.store import Store
from rori_spiders.staging.verification.finding import Finding
from rori_spiders.staging.verification.history_checks import CLOCK_TOLERANCE
from rori_spiders.staging.verification.parallel_reads import map_in_threads
from rori_spiders.staging.verification.selection import Selection
from rori_spiders.urls import list_marks
from rori_spiders.urls.canonical import url_hash

_RECORDED_STATES = ("staged", "indexed", "pruning", "pruned")
#: Its file may be gone, and the next job or prune sees that it is; or it is gone.
_REMOVED_STATES = ("pruning", "pruned")


def check_left_behind(ledger: Ledger, now: datetime) -> Iterator[Finding]:
    """What dead jobs left between two steps: the next job, or a repair, finishes it."""
    for row in find_left_behind(ledger, "reserved", now):
        sentence = "was reserved by a job that died before it was recorded"
        yield Finding("left_reserved", row.path, sentence, repairable=True)
    for row in find_left_behind(ledger, "staged", now):
        yield Finding("left_staged", row.path, "was staged by a job that died before the index was", repairable=True)


def check_rows(ledger: Ledger, store: Store, selection: Selection, counts: Counter[str]) -> Iterator[Finding]:
    """Every envelope's row: its file, its version, its audit row; and the reverse of the last two."""

    def look_for_file(row: Row[Any]) -> tuple[Row[Any], bool]:
        return row, row.state in _REMOVED_STATES or store.exists(row.path)

    with ledger.connect() as conn:
        rows = _stream_rows(conn, selection.restrict(_envelopes_query(), envelopes.c.run_id))
        for row, is_there in map_in_threads(look_for_file, rows, threads=store.concurrent_reads):
            counts["envelopes"] += 1
            if not is_there and not _is_removed(ledger, row.path):
                yield Finding("file_missing", row.path, f"its file is missing; it was staged from {row.url}")
            yield from _check_recorded(row)
        for row in _stream_rows(conn, selection.restrict(_orphan_versions_query(), versions.c.run_id)):
            where = f"{row.url} (version {row.seq})"
            yield Finding("version_without_envelope", where, f"run {row.run_id} staged no envelope for it")
        for row in _stream_rows(conn, selection.restrict(_orphan_audit_query(), audit.c.run_id)):
            yield Finding("audit_without_envelope", row.staged_path, f"audited for {row.url}, but never staged")


def _check_recorded(row: Row[Any]) -> Iterator[Finding]:
    """An envelope's row against its version and its audit row."""
    if row.page_id is None:
        yield Finding("version_missing", row.path, "its page has no version with this text from this run")
    elif row.newest != (row.seq == row.last_seq):
        yield Finding("newest_differs", row.path, f"it is version {row.seq} of {row.last_seq}, its row says otherwise")
    if row.audit_id is None:
        yield Finding("audit_missing", row.path, "no audit row of its run names this file")
    elif row.audited_hash != row.content_hash or not row.content_changed:
        yield Finding("audit_differs", row.path, "its audit row names another content hash, or no change")
    elif row.page_id is not None and (wrong := _version_differences(row)):
        yield Finding("audit_differs", row.path, f"its version and its audit row differ: {', '.join(wrong)}")


def _version_differences(row: Row[Any]) -> list[str]:
    """What the version says otherwise than the audit of the same answer, which may end some time after it came."""
    same = {
        "raw_object": row.audited_bytes in {None, row.raw_object},
        "tier": row.engine == row.tier,
        "captured_at": row.started_at - CLOCK_TOLERANCE <= row.captured_at <= row.timestamp + CLOCK_TOLERANCE,
    }
    return [name for name, holds in same.items() if not holds]


def _is_removed(ledger: Ledger, path: str) -> bool:
    """Whether a prune took it since its row was read."""
    with ledger.connect() as conn:
        return conn.execute(select(envelopes.c.state).where(envelopes.c.path == path)).scalar() in _REMOVED_STATES


def _stream_rows(conn: Connection, query: Select[Any]) -> Iterator[Row[Any]]:
    yield from conn.execute(query.execution_options(yield_per=500))


def _envelopes_query() -> Select[Any]:
    """Envelopes with their version and audit row, where there are any."""
    of_page = and_(pages.c.source_id == envelopes.c.source_id, pages.c.url_hash == envelopes.c.url_hash)
    of_version = and_(
        versions.c.page_id == pages.c.page_id,
        versions.c.run_id == envelopes.c.run_id,
        versions.c.content_hash == envelopes.c.content_hash,
    )
    of_audit = and_(AUDIT_OF_ENVELOPE, audit.c.kind == "page")
    return (
        select(
            envelopes.c.path,
            envelopes.c.url,
            envelopes.c.state,
            envelopes.c.content_hash,
            envelopes.c.newest,
            pages.c.last_seq,
            versions.c.page_id,
            versions.c.seq,
            versions.c.raw_object,
            versions.c.tier,
            versions.c.captured_at,
            audit.c.audit_id,
            audit.c.content_hash.label("audited_hash"),
            audit.c.content_changed,
            audit.c.raw_hash.label("audited_bytes"),
            audit.c.engine,
            audit.c.timestamp,
            runs.c.started_at,
        )
        .select_from(
            envelopes.join(runs).outerjoin(pages, of_page).outerjoin(versions, of_version).outerjoin(audit, of_audit)
        )
        .where(envelopes.c.state.in_(_RECORDED_STATES))
        .order_by(envelopes.c.path)
    )


def _orphan_versions_query() -> Select[Any]:
    of_version = and_(envelopes.c.run_id == versions.c.run_id, envelopes.c.url_hash == pages.c.url_hash)
    return (
        select(pages.c.url, versions.c.seq, versions.c.run_id)
        .select_from(versions.join(pages).outerjoin(envelopes, of_version))
        .where(envelopes.c.envelope_id.is_(None))
    )


def _orphan_audit_query() -> Select[Any]:
    of_path = envelopes.c.path == audit.c.staged_path
    return (
        select(audit.c.staged_path, audit.c.url)
        .select_from(audit.outerjoin(envelopes, of_path))
        .where(audit.c.staged_path.is_not(None), envelopes.c.envelope_id.is_(None))
    )


def check_lists(ledger: Ledger, store: Store, selection: Selection, counts: Counter[str]) -> Iterator[Finding]:
    """Every count of URLs that a list names and a run leaves out: made again from the list's bytes and its marks."""
    read = lru_cache(maxsize=8)(partial(_read_marked_urls, store))  # passes over one site have the same lists
    with ledger.connect() as conn:
        query = select(runs.c.run_id, runs.c.state).where(runs.c.run_id.in_(select(list_exclusions.c.run_id)))
        query = selection.restrict(query, runs.c.run_id).order_by(runs.c.source_id, runs.c.started_at)
        found: list[Any] = list(conn.execute(query))
    for run_id, state in selection.choose("runs_with_lists", found):
        counts["runs_with_lists"] += 1
        with ledger.connect() as conn:
            rows = listed_urls.list_exclusions(conn, run_id)
            counts["list_counts"] += len(rows)
            yield from _check_audited_counts(conn, run_id, rows)
            yield from _check_list_sum(conn, run_id, rows, read, is_complete=state == "complete")


def _check_audited_counts(conn: Connection, run_id: str, rows: Sequence[Row[Any]]) -> Iterator[Finding]:
    columns = (audit.c.url, audit.c.reason_code, audit.c.raw_hash, audit.c.reason_detail)
    of_run = (audit.c.run_id == run_id) & (audit.c.kind == listed_urls.AUDIT_KIND)
    audited = [tuple(row) for row in conn.execute(select(*columns).where(of_run))]
    for row in rows:
        same = (row.list_url, row.reason_code, row.list_object, listed_urls.audited_proof(row))
        if same not in audited:
            yield Finding(
                "list_audit", row.list_url, f"run {run_id}: no audit row says that {row.urls} URLs: {row.reason}"
            )
    if len(audited) > len(rows):
        yield Finding("list_audit", run_id, f"the audit has {len(audited)} counts of its lists, the ledger {len(rows)}")


def _check_list_sum(
    conn: Connection,
    run_id: str,
    rows: Sequence[Row[Any]],
    read: Callable[[str, str, str], dict[str, int] | str],
    *,
    is_complete: bool,
) -> Iterator[Finding]:
    """The counts are those of the URLs that the marks leave out, each once, and that have no row of their own."""
    left_out: set[str] = set()
    with_row: set[str] = set()
    for url, listed, marks in dict.fromkeys((row.list_url, row.list_object, row.marks_object) for row in rows):
        marked = read(url, listed, marks)
        if isinstance(marked, str):
            yield Finding("list_object", url, f"run {run_id}: its counts cannot be made again: {marked}")
            return
        numbers = Counter(marked.values())
        for row in rows:
            if row.list_url == url and row.urls > numbers[row.mark]:
                sentence = f"run {run_id}: counts {row.urls} URLs, the list names {numbers[row.mark]}: {row.reason}"
                yield Finding("list_sum", url, sentence)
        left_out |= {key for key, mark in marked.items() if mark > list_marks.HAS_ROW}
        with_row |= {key for key, mark in marked.items() if mark == list_marks.HAS_ROW}
    own = set(conn.execute(select(run_urls.c.url_hash).where(run_urls.c.run_id == run_id)).scalars())
    own |= compaction.audited_alone(conn, run_id)
    counted, found = sum(row.urls for row in rows), len(left_out - own)
    if counted != found:
        yield Finding("list_sum", run_id, f"counts {counted} URLs with its lists, which leave out {found}")
    if is_complete and (missing := len(with_row - left_out - own)):
        yield Finding("list_sum", run_id, f"is complete, but has no row of {missing} URLs that its lists name in scope")


def _read_marked_urls(store: Store, url: str, listed: str, marks: str) -> dict[str, int] | str:
    """Hash -> mark of the URLs of a list; or why they cannot be read."""
    try:
        found = list_marks.marked_urls(store.get_object(listed), url, store.get_object(marks))
        return {url_hash(one.url): one.mark for one in found}
    except (ValueError, OSError, StagingError) as error:
        return str(error)


def check_runs(ledger: Ledger, now: datetime, counts: Counter[str], selection: Selection) -> Iterator[Finding]:
    """Every run: whether its pages add up to what it said when it was closed, and each has its row in the audit."""
    with ledger.connect() as conn:
        live = find_live_jobs(conn, now)
        query = select(runs.c.run_id, runs.c.state, runs.c.job_id, runs.c.counts, runs.c.compacted)
        found = conn.execute(selection.restrict(query, runs.c.run_id)).all()
        unaudited = _unaudited_urls_query(conn)
        lists = _load_missing_lists(conn, selection)
    for run in found:
        counts["runs"] += 1
        with ledger.connect() as conn:
            if run.state in OPEN_RUN_STATES or run.job_id in live:
                continue
            yield from _check_sum(conn, run)
            if number := conn.execute(unaudited, {"of_run": run.run_id}).scalar_one():
                sentence = f"no audit row says the same of how {number} of its URLs ended"
                yield Finding("audit_missing", run.run_id, sentence)
            if number := lists.get(run.run_id):
                yield Finding("run_sum", run.run_id, f"has no row of {number} lists that the audit says it has read")


def _check_sum(conn: Connection, run: Row[*tuple[Any, ...]]) -> Iterator[Finding]:
    now, then = run_counts.count_pages(conn, run.run_id), run.counts or {}
    moved = [f"{name} {then[name]} -> {now[name]}" for name in now if name in then and then[name] != now[name]]
    if moved:
        yield Finding("run_sum", run.run_id, f"its pages changed after it was closed: {', '.join(moved)}")
    if run.compacted and (alone := len(compaction.audited_alone(conn, run.run_id))) != run.compacted:
        sentence = f"{run.compacted} of its unchanged pages were compacted, the audit has {alone} of them"
        yield Finding("run_sum", run.run_id, sentence)
    if run.state == "complete" and now["pending"]:
        yield Finding("run_sum", run.run_id, f"is complete, but {now['pending']} of its pages have no final state")


def _unaudited_urls_query(conn: Connection) -> Select[Any]:
    """How many URLs of the run ``of_run`` ended otherwise than the last row of the audit says of them."""
    run_id: BindParameter[str] = bindparam("of_run")  # made once for all runs: that takes as long as to ask it
    last = select(audit.c.kind, audit.c.url_hash, func.max(audit.c.seq).label("seq")).where(audit.c.run_id == run_id)
    ends = last.group_by(audit.c.kind, audit.c.url_hash).subquery()
    of_url = and_(ends.c.kind == run_urls.c.kind, ends.c.url_hash == run_urls.c.url_hash)
    of_end = and_(audit.c.run_id == run_id, audit.c.seq == ends.c.seq)
    is_other = and_(
        audit.c.reason_code.is_not(None),  # rows from before there were codes had sentences of their own
        or_(
            audit.c.reason_code != run_urls.c.reason_code,
            func.coalesce(audit.c.reason, "") != func.coalesce(run_urls.c.reason, ""),
            cast(audit.c.reason_detail, Text).is_distinct_from(cast(run_urls.c.reason_detail, Text)),
            audit.c.verdict != run_urls.c.verdict,
            audit.c.engine != run_urls.c.tier,
            and_(
                audit.c.reason_code != ReasonCode.ACCEPTED.value,  # it has the time of the answer, and asked nothing
                or_(
                    audit.c.timestamp.is_distinct_from(run_urls.c.settled_at),
                    json_length(conn, audit.c.attempts) != run_urls.c.attempts,
                ),
            ),
        ),
    )
    state = case((audit.c.state == "fetched", "captured"), else_=audit.c.state)
    # A list that robots.txt forbids is excluded; rows of before have it as failed.
    is_forbidden_list = and_(run_urls.c.kind != "page", run_urls.c.state == "excluded", audit.c.state == "failed")
    is_other_state = and_(state != run_urls.c.state, ~is_forbidden_list)
    differs = or_(audit.c.seq.is_(None), is_other_state, audit.c.url != run_urls.c.url, is_other)
    of_run = and_(run_urls.c.run_id == run_id, run_urls.c.state != "pending")
    rows = run_urls.outerjoin(ends, of_url).outerjoin(audit, of_end)
    return select(func.count()).select_from(rows).where(of_run, differs)


def _load_missing_lists(conn: Connection, selection: Selection) -> dict[str, int]:
    """By run, how many sitemaps, feeds and API answers are in its audit, and not among its URLs."""
    of_url = and_(run_urls.c.run_id == audit.c.run_id, run_urls.c.url_hash == audit.c.url_hash)
    there = select(run_urls.c.run_id).where(of_url).correlate(audit).exists()
    query = select(audit.c.run_id, func.count()).where(audit.c.kind.in_(("sitemap", "api")), ~there)
    query = selection.restrict(query, audit.c.run_id).group_by(audit.c.run_id)
    return {row[0]: row[1] for row in conn.execute(query)}
