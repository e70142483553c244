"""What the ledger keeps of pages and sources as they are now, against what it has recorded of them: audit, runs,
versions, actions. None of it has a leaf of its own in the log of facts.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from math import isclose
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, Table, and_, case, func, or_, select

from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.operations.source_status import BREAKER_FAILURES
from rori_spiders.ledger.tables import (
    actions,
    audit,
    change_totals,
    envelopes,
    page_aliases,
    page_validators,
    pages,
    run_totals,
    run_urls,
    runs,
    source_state,
    versions,
)
from rori_spiders.ledger.tables.runs import FINAL_URL_STATES, OPEN_RUN_STATES
from rori_spiders.reviews.events import MISSING_VERDICTS
from rori_spiders.runtime.redaction import MASK
from rori_spiders.staging.verification.finding import Finding
from rori_spiders.staging.verification.history_checks import CLOCK_TOLERANCE
from rori_spiders.urls.canonical import url_hash

_Numbers = tuple[float, ...]
#: The tiers whose validators are those of the answer's headers; an API's are made of what it lists.
_TIERS_WITH_HEADERS = ("http", "browser")
_OF_PAGE = and_(audit.c.url_hash == pages.c.url_hash, audit.c.manifest_id == pages.c.source_id)
#: What a person accepted of a run came after its end.
_WAS_NOT_ACCEPTED = runs.c.run_id.not_in(select(actions.c.target).where(actions.c.action.in_(["accept", "accept_run"])))
_IS_CLOSED = runs.c.state.not_in(OPEN_RUN_STATES)
_IS_SIGHT = audit.c.state.in_(["captured", "unchanged"])


def check_pages(ledger: Ledger) -> Iterator[Finding]:
    """What is listed of every page, against its newest version; when it was seen and missed, against the audit."""
    with ledger.connect() as conn:
        for query, sentence in (
            (_differing_pages(), "its row differs from its newest version: text, title or removal"),
            (_pages_without_version(), "its row names a version, and it has none"),
            (_unaudited_sights(), "its row says that it was last seen at {at}, and no audit row does"),
            (_later_sights(), "its row says that it was last seen at {at}, and the audit has a later sight"),
            (_unbacked_first_sights(), "its row says that it was first seen at {at}: nothing tells of it then"),
            (_unaudited_misses(), "its row says that it is missing since {at}, and no audit row does"),
            (_missed_pages(), "the audit says that it is missing since {at}, and its row does not"),
        ):
            for url, at in conn.execute(query.execution_options(yield_per=500)):
                yield Finding("page_differs", url, sentence.format(at=at and f"{at:%Y-%m-%d %H:%M:%S} UTC"))
        for url, at, *bounds in conn.execute(_earlier_first_sights().execution_options(yield_per=500)):
            # A job on another node may have died before it recorded what it reserved, by a clock that was ahead.
            if any(at > bound + CLOCK_TOLERANCE for bound in bounds if bound is not None):
                yield Finding("page_differs", url, f"its row says that it was first seen at {at}: it was seen before")
        unseen = select(pages.c.url, pages.c.url_hash).where(pages.c.last_seen_at.is_(None))  # others are joined by it
        for url, digest in conn.execute(unseen.execution_options(yield_per=500)):
            if digest != url_hash(url):
                yield Finding("page_differs", url, "its row has the hash of another URL")


def _differing_pages() -> Select[Any]:
    newest = select(versions.c.page_id, func.max(versions.c.seq).label("seq")).group_by(versions.c.page_id).subquery()
    of_page = and_(versions.c.page_id == newest.c.page_id, versions.c.seq == newest.c.seq)
    is_removed = versions.c.change_type == "deleted"
    differs = or_(
        pages.c.last_seq != newest.c.seq,
        pages.c.content_hash.is_distinct_from(versions.c.content_hash),
        pages.c.gone_at.is_distinct_from(case((is_removed, versions.c.captured_at))),
        and_(~is_removed, pages.c.title.is_distinct_from(versions.c.title)),
    )
    return select(pages.c.url, pages.c.gone_at).join_from(pages, newest).join(versions, of_page).where(differs)


def _pages_without_version() -> Select[Any]:
    has_none = pages.c.page_id.not_in(select(versions.c.page_id))
    return select(pages.c.url, pages.c.gone_at).where(pages.c.last_seq > 0, has_none)


def _unaudited_sights() -> Select[Any]:
    is_backed = _has_row(audit, _OF_PAGE, _IS_SIGHT, audit.c.timestamp == pages.c.last_seen_at)
    return select(pages.c.url, pages.c.last_seen_at).where(pages.c.last_seen_at.is_not(None), ~is_backed)


def _later_sights() -> Select[Any]:
    """Clocks of nodes differ: a row that was recorded before may be of later."""
    last = (
        select(audit.c.audit_id)
        .where(_OF_PAGE, audit.c.timestamp == pages.c.last_seen_at)
        .order_by(audit.c.audit_id.desc())
        .limit(1)
        .correlate(pages)
        .scalar_subquery()
    )
    is_outdated = _has_row(
        audit, _OF_PAGE, _IS_SIGHT, audit.c.timestamp > pages.c.last_seen_at, audit.c.audit_id > last
    )
    return select(pages.c.url, pages.c.last_seen_at).where(pages.c.last_seen_at.is_not(None), is_outdated)


def _unbacked_first_sights() -> Select[Any]:
    """Pages first seen at a time of which nothing tells: no answer, no version, no envelope, no other address.

    A page is reserved before its first answer is recorded. Where that failed, a run that met it was under way then.
    """
    at = pages.c.first_seen_at
    same_envelope = and_(envelopes.c.url_hash == pages.c.url_hash, envelopes.c.source_id == pages.c.source_id)
    met = and_(run_urls.c.url_hash == pages.c.url_hash, runs.c.source_id == pages.c.source_id)
    was_under_way = and_(runs.c.started_at <= at, or_(runs.c.finished_at.is_(None), runs.c.finished_at >= at))
    backings = (
        _has_row(audit, _OF_PAGE, audit.c.timestamp == at),
        _has_row(versions, versions.c.page_id == pages.c.page_id, versions.c.captured_at == at),
        _has_row(envelopes, same_envelope, envelopes.c.reserved_at == at),
        _has_row(page_aliases, page_aliases.c.page_id == pages.c.page_id, page_aliases.c.seen_at == at),
        select(run_urls.c.run_id).join(runs).where(met, was_under_way).correlate(pages).exists(),
        select(audit.c.run_id).join(runs).where(_OF_PAGE, was_under_way).correlate(pages).exists(),
    )
    was_recorded = pages.c.last_seen_at.is_not(None)  # others may be only reserved
    return select(pages.c.url, at).where(was_recorded, *(~backing for backing in backings))


def _earlier_first_sights() -> Select[Any]:
    """A page is there when its first envelope is reserved, or with the row of its first answer."""
    first = select(audit.c.timestamp).where(_OF_PAGE, _IS_SIGHT).order_by(audit.c.audit_id).limit(1)
    same = and_(envelopes.c.url_hash == pages.c.url_hash, envelopes.c.source_id == pages.c.source_id)
    reserved = select(func.min(envelopes.c.reserved_at)).where(same)
    bounds = [query.correlate(pages).scalar_subquery() for query in (first, reserved)]
    is_later = [or_(pages.c.first_seen_at > bound, bound.is_(None)) for bound in bounds]
    query = select(pages.c.url, pages.c.first_seen_at, *bounds)
    return query.where(pages.c.last_seen_at.is_not(None), *is_later)


def _unaudited_misses() -> Select[Any]:
    """Of pages that are not gone: their removal says more."""
    of_row = select(audit.c.audit_id).where(_OF_PAGE, audit.c.timestamp == pages.c.missing_since, *_missing_row())
    return select(pages.c.url, pages.c.missing_since).where(
        pages.c.missing_since.is_not(None), pages.c.gone_at.is_(None), ~of_row.correlate(pages).exists()
    )


def _missing_row() -> tuple[ColumnElement[bool], ...]:
    return audit.c.state == "failed", audit.c.kind == "page", audit.c.verdict.in_(sorted(MISSING_VERDICTS))


def _missed_pages() -> Select[Any]:
    """Pages that were missed before their rows say so. What a suspect run missed proves nothing, and is forgotten."""
    since = func.min(audit.c.timestamp).label("since")
    return (
        select(pages.c.url, since)
        .select_from(audit.join(pages, _OF_PAGE).join(runs, runs.c.run_id == audit.c.run_id))
        .where(*_missing_row(), audit.c.timestamp > pages.c.last_seen_at, pages.c.last_seq > 0)
        .where(pages.c.gone_at.is_(None), runs.c.state != "suspect", _WAS_NOT_ACCEPTED)
        .group_by(pages.c.page_id, pages.c.url, pages.c.missing_since)
        .having(or_(pages.c.missing_since.is_(None), pages.c.missing_since > since))
    )


def _has_row(table: Table, *conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    return select(table.c[table.primary_key.columns.keys()[0]]).where(*conditions).correlate(pages).exists()


def check_validators(ledger: Ledger) -> Iterator[Finding]:
    """What a page is asked with next time, against the answer that gave it: else a 304 would confirm another text."""
    of_answer = and_(
        _OF_PAGE,
        audit.c.kind == "page",
        audit.c.timestamp == page_validators.c.seen_at,
        audit.c.engine == page_validators.c.tier,
    )
    names = ("audit_id", "run_id", "state", "http_status", "final_url", "response_headers")
    audited = (audit.c.raw_hash.label("audited"), *(audit.c[name] for name in names))
    rows = page_validators.outerjoin(pages).outerjoin(audit, of_answer)
    query = select(page_validators, pages.c.url, *audited).select_from(rows)
    query = query.order_by(page_validators.c.page_id, page_validators.c.tier)
    with ledger.connect() as conn:
        last, is_same, url, models = None, True, "", audit_log.ModelRows()
        for row in conn.execute(query.execution_options(yield_per=500)):
            if last != (row.page_id, row.tier):
                if not is_same:
                    yield _differing_validators(url, last)
                last, is_same, url = (row.page_id, row.tier), False, row.url or f"page {row.page_id}"
            is_same = is_same or _gave_validators(conn, row, models)
        if not is_same:
            yield _differing_validators(url, last)


def _differing_validators(url: str, of: tuple[int, str] | None) -> Finding:
    tier = "" if of is None else of[1]
    return Finding("validators_differ", url, f"no audit row of that time has what it is asked with by {tier}")


def _gave_validators(conn: Connection, row: Row[Any], models: audit_log.ModelRows) -> bool:
    if row.audit_id is None or row.audited not in {None, row.raw_hash}:
        return False
    if row.tier not in _TIERS_WITH_HEADERS:
        return True
    whole = audit_log.with_whole_values(conn, row._mapping, models)
    headers = {name.lower(): values for name, values in (whole["response_headers"] or {}).items()}
    pairs = ((row.etag, headers.get("etag")), (row.last_modified, headers.get("last-modified")))
    return all(_is_given(stored, sent) for stored, sent in pairs)


def _is_given(stored: str | None, sent: Sequence[str] | None) -> bool:
    """A value in which a secret was masked is not stored."""
    return (
        stored in sent if stored is not None and sent is not None else stored is None and (not sent or MASK in sent[0])
    )


def check_sources(ledger: Ledger) -> Iterator[Finding]:
    """When each source was checked, changed and paused, against its runs and the actions."""
    with ledger.connect() as conn:
        for source_id, at in conn.execute(_unbacked_checks()):
            sentence = f"its row says that it was checked at {at:%Y-%m-%d %H:%M:%S} UTC, and no complete run ended then"
            yield Finding("source_differs", source_id, sentence)
        for source_id, at in conn.execute(_unbacked_changes()).all():
            if not _was_answered(conn, source_id, at):
                sentence = f"its row says that it changed at {at:%Y-%m-%d %H:%M:%S} UTC, and no run was under way then"
                yield Finding("source_differs", source_id, sentence)
        yield from _check_last_changes(conn)
        yield from _check_pauses(conn)


def _unbacked_checks() -> Select[Any]:
    ended = and_(
        runs.c.source_id == source_state.c.source_id,
        runs.c.finished_at == source_state.c.last_checked_at,
        runs.c.state == "complete",
    )
    is_backed = select(runs.c.run_id).where(ended).exists()
    query = select(source_state.c.source_id, source_state.c.last_checked_at)
    return query.where(source_state.c.last_checked_at.is_not(None), ~is_backed)


def _unbacked_changes() -> Select[Any]:
    """A run is left open, with what it found so far, and goes on later."""
    at = source_state.c.last_changed_at
    worked = and_(
        runs.c.source_id == source_state.c.source_id,
        runs.c.started_at <= at,
        or_(runs.c.finished_at.is_(None), runs.c.finished_at == at, runs.c.resumed_at >= at),
    )
    query = select(source_state.c.source_id, at)
    return query.where(at.is_not(None), ~select(runs.c.run_id).where(worked).exists())


def _was_answered(conn: Connection, source_id: str, at: datetime) -> bool:
    """Whether a page of the source was audited in the hour before: so the row of a run whose clock leapt, and was set
    right before the run went on, tells of a time that its end does not.
    """
    answered = audit.c.timestamp.between(at - CLOCK_TOLERANCE, at)
    query = select(audit.c.audit_id).where(audit.c.manifest_id == source_id, answered).limit(1)
    return conn.execute(query).first() is not None


def _check_last_changes(conn: Connection) -> Iterator[Finding]:
    query = select(runs.c.source_id, runs.c.finished_at, runs.c.counts).where(_IS_CLOSED, _WAS_NOT_ACCEPTED)
    found: dict[str, datetime] = {}
    for source_id, at, counts in conn.execute(query.execution_options(yield_per=500)):
        if at is not None and _count(counts, "changed"):
            found[source_id] = max(at, found.get(source_id, at))
    for source_id, at in conn.execute(select(source_state.c.source_id, source_state.c.last_changed_at)):
        later = found.get(source_id)
        if later is not None and (at is None or at < later):
            sentence = (
                f"a run found a change until {later:%Y-%m-%d %H:%M:%S} UTC, its row tells of an earlier one or none"
            )
            yield Finding("source_differs", source_id, sentence)


def _count(counts: object, name: str) -> int:
    """One of the counts of a run; 0 where they are none."""
    number = counts.get(name) if isinstance(counts, dict) else None
    return number if isinstance(number, int) else 0


def _check_pauses(conn: Connection) -> Iterator[Finding]:
    """Who paused a source last, and why, is what its last action says; the breaker follows from failed runs."""
    done = select(actions).where(actions.c.action.in_(["pause", "resume"])).order_by(actions.c.action_id)
    last: dict[str, Row[Any]] = {row.target: row for row in conn.execute(done)}
    for row in conn.execute(select(source_state)).all():
        action = last.pop(row.source_id, None)
        paused = action if action is not None and action.action == "pause" else None
        if row.paused_by == "person":
            if paused is None or (paused.at, paused.reason) != (row.paused_at, row.paused_reason):
                yield Finding(
                    "source_differs", row.source_id, "its row says that a person paused it, its last action not"
                )
        elif paused is not None:
            yield Finding("source_differs", row.source_id, f"{paused.actor} paused it, and its row does not say so")
        elif row.paused_by == "breaker" and not _has_tripped(conn, row):
            sentence = f"its row says that {BREAKER_FAILURES} failures paused it, and no run failed then"
            yield Finding("source_differs", row.source_id, sentence)
    for source_id, action in last.items():
        if action.action == "pause":
            yield Finding("source_differs", source_id, f"{action.actor} paused it, and no row says so")


def _has_tripped(conn: Connection, row: Row[Any]) -> bool:
    failed = (runs.c.source_id == row.source_id, runs.c.state == "failed", runs.c.finished_at == row.paused_at)
    return conn.execute(select(runs.c.run_id).where(*failed).limit(1)).first() is not None


def check_totals(ledger: Ledger) -> Iterator[Finding]:
    """The sums over closed runs and their versions, which the metrics tell, counted anew."""
    sums: defaultdict[tuple[str, ...], list[float]] = defaultdict(lambda: [0] * len(_SUMMED))
    with ledger.connect() as conn:
        columns = [runs.c[name] for name in ("state", "method", "counts", *_SUMMED_COLUMNS)]
        for state, method, counts, *used in conn.execute(
            select(*columns).where(_IS_CLOSED).execution_options(yield_per=500)
        ):
            values = [1, *used, *(_count(counts, name) for name in FINAL_URL_STATES)]
            sums[state, method] = [a + b for a, b in zip(sums[state, method], values, strict=True)]
        yield from _check_sums(conn, run_totals, {key: tuple(values) for key, values in sums.items()})
        grouped = (
            select(versions.c.change_type, func.count()).join(runs).where(_IS_CLOSED).group_by(versions.c.change_type)
        )
        yield from _check_sums(conn, change_totals, {(name,): (number,) for name, number in conn.execute(grouped)})


_SUMMED_COLUMNS = ("requests", "browser_pages", "seconds")
#: Seconds are added in another order, and may differ in their last digits.
_is_close = partial(isclose, abs_tol=1e-3)
_SUMMED = ("runs", *_SUMMED_COLUMNS, *FINAL_URL_STATES)


def _check_sums(
    conn: Connection, table: Table, counted: Mapping[tuple[str, ...], tuple[float, ...]]
) -> Iterator[Finding]:
    keys = len(table.primary_key.columns)
    stored = {tuple(row[:keys]): tuple(row[keys:]) for row in conn.execute(select(table))}
    for key in sorted(counted.keys() | stored.keys()):
        nothing = (0.0,) * (len(table.columns) - keys)
        if not all(map(_is_close, counted.get(key, nothing), stored.get(key, nothing))):
            yield Finding("totals_differ", " ".join(key), f"{table.name} has other sums than the ledger's rows")
