"""The audit: one row a URL and run at its final state, never changed, each a leaf of the log of facts.

To change, remove or insert a row, one must rewrite the log from there on; else ``verify_chain`` finds it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from hashlib import sha256
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack

from sqlalchemy import JSON, Text, cast, exists, func, select, text

from rori_spiders import BUILD
from rori_spiders.ledger.audit import fact_log
from rori_spiders.ledger.audit.facts import AUDIT, format_time
from rori_spiders.ledger.dialects import ONE, insert_rows, lock_for_writing
from rori_spiders.ledger.tables import audit, audit_chains, run_urls, runs
from rori_spiders.ledger.tables.audit_trail import NOT_UNCHANGED
from rori_spiders.runtime.plurals import format_count
from rori_spiders.urls.canonical import url_hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, Select

    from rori_spiders.items import FrontierUrl
    from rori_spiders.reasons import Reason


#: The audit record of the specification (§8), in its order; ``query`` gives these names first.
RECORD_FIELDS = (
    "run_id",
    "timestamp",
    "manifest_id",
    "url",
    "engine",
    "http_status",
    "content_hash",
    "content_changed",
    "response_time_ms",
    "credits_consumed",
    "retry_count",
    "error",
    "staged_path",
)
#: Of an unchanged page these may hold only what differs from another row of the run: under this name stands which row
#: (its ``seq``), a header that this one has not is null. No header's name has a space.
LIKE_ROW = "like row"
_HEADER_COLUMNS = ("request_headers", "response_headers")
_BATCH_SIZE = 500  # rows in memory while a long answer is read


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """One operation at its end. Hashes are hex without prefix; headers are already redacted."""

    run_id: str
    timestamp: datetime
    manifest_id: str
    url: str
    engine: str
    state: str  # of the URL; `fetched` or `failed` for other kinds than `page`
    build: str
    kind: str = "page"  # page | robots | sitemap | api | list
    http_status: int | None = None
    content_hash: str | None = None
    content_changed: bool | None = None
    response_time_ms: int | None = None
    credits_consumed: int = 0
    retry_count: int = 0
    error: str | None = None
    staged_path: str | None = None
    reason: str | None = None
    reason_code: str | None = None
    reason_detail: Mapping[str, Any] | None = None
    verdict: str | None = None
    rules: Sequence[str] | None = None
    final_url: str | None = None
    redirects: Sequence[tuple[int, str]] | None = None
    ip_address: str | None = None
    request_headers: Mapping[str, Any] | None = None
    response_headers: Mapping[str, Any] | None = None
    raw_hash: str | None = None
    robots_object: str | None = None
    attempts: Sequence[Mapping[str, Any]] | None = None


_FIELDS = tuple(field.name for field in fields(AuditRow))


def excluded_row(visit: FrontierUrl, reason: Reason, *, at: datetime) -> AuditRow:
    """The row of a URL that was never asked for; no tier fetched it: ``engine`` is that of last resort."""
    return AuditRow(
        run_id=visit.run_id,
        timestamp=at,
        manifest_id=visit.source_id,
        url=visit.url,
        engine="http",
        kind=visit.kind,
        state="excluded",
        reason=str(reason),
        reason_code=reason.code.value,
        reason_detail=reason.detail,
        build=BUILD,
    )


def append_row(conn: Connection, row: AuditRow) -> int:
    """Append one row; gives its ``seq``, its number within the run."""
    return append_rows(conn, [row])


def append_rows(conn: Connection, rows: Sequence[AuditRow]) -> int:
    """Append rows in their order, of one or several runs, in one statement; gives the last one's ``seq``."""
    if not rows:
        raise ValueError("nothing to append")
    made: list[dict[str, Any]] = []
    for run_id, of_run in groupby(sorted(rows, key=attrgetter("run_id")), key=attrgetter("run_id")):
        lock_for_writing(conn, audit, of=run_id)
        seq = conn.execute(select(func.max(audit.c.seq)).where(audit.c.run_id == run_id)).scalar() or 0
        model = _first_row_with_headers(conn, run_id)
        for row in of_run:
            seq += 1
            values = {name: getattr(row, name) for name in _FIELDS} | {"seq": seq, "url_hash": url_hash(row.url)}
            if row.state == "excluded" and row.http_status is None:  # never asked for: half of the columns are null
                values = {name: value for name, value in values.items() if value is not None}
            elif model is None and _has_headers(values):
                model = values
            elif model is not None and row.state == "unchanged" and _has_headers(values):
                values |= {name: _header_differences(values[name], model, name) for name in _HEADER_COLUMNS}
            made.append(values)
    for _, alike in groupby(made, key=tuple):
        insert_rows(conn, audit, list(alike))
    fact_log.note_rows(conn, "audit", made)
    return next(int(values["seq"]) for values in reversed(made) if values["run_id"] == rows[-1].run_id)


def _has_headers(values: Mapping[Any, Any]) -> bool:
    return values["kind"] == "page" and all(values[name] is not None for name in _HEADER_COLUMNS)


#: Under this name a connection keeps the row of the run that it wrote last.
_MODEL_OF_RUN = "rori first row with headers"
ModelOfRun = dict[str, "Mapping[Any, Any]"]


def _first_row_with_headers(conn: Connection, run_id: str) -> Mapping[Any, Any] | None:
    """The row of the run that its unchanged pages are compared with; once committed it stays the one."""
    known: ModelOfRun = conn.info.setdefault(_MODEL_OF_RUN, {})
    if run_id in known:
        return known[run_id]
    columns = (audit.c.seq, *(audit.c[name] for name in _HEADER_COLUMNS))
    has_headers = [audit.c[name].is_not(None) for name in _HEADER_COLUMNS]
    query = select(*columns).where(audit.c.run_id == run_id, audit.c.kind == "page", *has_headers)
    found = conn.execute(query.order_by(audit.c.seq).limit(ONE)).mappings().one_or_none()
    if found is not None and not fact_log.has_noted_rows(conn, "audit", run_id):
        known.clear()  # a job records its runs in turn
        known[run_id] = found
    return found


def _header_differences(headers: Mapping[str, Any], model: Mapping[Any, Any], name: str) -> dict[str, Any]:
    other = model[name]
    names = (*headers, *(one for one in other if one not in headers))
    different = {one: headers.get(one) for one in names if headers.get(one) != other.get(one)}
    return {LIKE_ROW: model["seq"], **different}


_MOST_MODELS = 1_000  # of as many runs at once, rows that come in the order of time are
#: Rows that others are like, by run and ``seq``.
ModelRows = dict[tuple[str, int], "Mapping[Any, Any]"]


def with_whole_values(conn: Connection, row: Mapping[Any, Any], models: ModelRows) -> dict[Any, Any]:
    """*row* with all of its headers, whichever row of its run has them; *models* keeps those that were read.

    An unchanged page without a final URL came from its own.
    """
    whole = dict(row)
    if whole["state"] == "unchanged" and whole["http_status"] is not None and whole["final_url"] is None:
        whole |= {"final_url": whole["url"], "redirects": []}
    for name in _HEADER_COLUMNS:
        headers = whole.get(name)
        if headers and LIKE_ROW in headers:
            whole[name] = _whole_headers(conn, whole["run_id"], name, headers, models)
    return whole


def _whole_headers(
    conn: Connection, run_id: str, name: str, headers: Mapping[str, Any], models: ModelRows
) -> dict[str, Any]:
    key = (run_id, headers[LIKE_ROW])
    if key not in models:
        if len(models) >= _MOST_MODELS:
            models.clear()
        of_row = (audit.c.run_id == key[0]) & (audit.c.seq == key[1])
        models[key] = conn.execute(select(*(audit.c[one] for one in _HEADER_COLUMNS)).where(of_row)).mappings().one()
    every = {**models[key][name], **headers}
    return {one: values for one, values in every.items() if one != LIKE_ROW and values is not None}


def query_rows(
    conn: Connection, *, limit: int | None = None, **wanted: Unpack[AuditFilter]
) -> Iterator[dict[str, Any]]:
    """The rows that match, oldest first; with *limit* the newest so many.

    Each row holds ``RECORD_FIELDS`` first, then the others. As on the wire, times are ISO 8601 with ``Z``, and
    ``content_hash`` begins with ``sha256:``.
    """
    if limit is None:
        yield from map(as_record, stream_rows(conn, **wanted))
        return
    models: ModelRows = {}
    newest = _select_rows(**wanted).order_by(audit.c.timestamp.desc(), audit.c.audit_id.desc()).limit(limit)
    rows = conn.execute(newest).mappings().all()
    yield from (as_record(with_whole_values(conn, row, models)) for row in reversed(rows))


def stream_rows(conn: Connection, **wanted: Unpack[AuditFilter]) -> Iterator[dict[Any, Any]]:
    """The rows that match, oldest first, with the values of the ledger and all of their headers."""
    models: ModelRows = {}
    oldest_first = _select_rows(**wanted).order_by(audit.c.timestamp, audit.c.audit_id)
    with conn.execute(oldest_first.execution_options(yield_per=_BATCH_SIZE)) as found:
        yield from (with_whole_values(conn, row, models) for row in found.mappings())


def stream_values(conn: Connection, names: Sequence[str], **wanted: Unpack[AuditFilter]) -> Iterator[list[Any]]:
    """The values of *names* of the rows that match, oldest first, as in ``stream_rows``, but JSON as its text.

    Half of the CPU time of an export was in reading JSON that it wrote again.
    """
    models: ModelRows = {}
    columns = (_as_text(audit.c[name]) for name in names)
    query = _select_rows(**wanted).with_only_columns(*columns, maintain_column_froms=True)
    run_id, url, state, http_status, final_url, redirects = map(
        names.index, ("run_id", "url", "state", "http_status", "final_url", "redirects")
    )
    headers = [(names.index(name), name) for name in _HEADER_COLUMNS]
    ordered = query.order_by(audit.c.timestamp, audit.c.audit_id).execution_options(yield_per=_BATCH_SIZE)
    with conn.execute(ordered) as found:
        for row in found:
            values = list(row)
            if values[state] == "unchanged" and values[http_status] is not None and values[final_url] is None:
                values[final_url], values[redirects] = values[url], "[]"
            for at, name in headers:
                if (held := values[at]) is not None and _LIKE_ROW_JSON in held:
                    values[at] = json.dumps(_whole_headers(conn, values[run_id], name, json.loads(held), models))
            yield values


#: In JSON with a header of this name alone: within a text its quotes are escaped.
_LIKE_ROW_JSON = json.dumps(LIKE_ROW)


def _as_text(column: ColumnElement[Any]) -> ColumnElement[Any]:
    return cast(column, Text) if isinstance(column.type, JSON) else column


class AuditFilter(TypedDict, total=False):
    """Which rows are wanted; absent and None: all. *since* is included, *until* is not.

    *kind* None means all kinds; absent, pages. *url* is a normalised one, or several.
    """

    run_id: str | None
    source_id: str | Sequence[str] | None
    since: datetime | None
    until: datetime | None
    state: str | None
    http_status: int | None
    kind: str | None
    url: str | Sequence[str] | None


def _select_rows(**wanted: Unpack[AuditFilter]) -> Select[Any]:
    query, state, kind = select(audit), wanted.get("state"), wanted.get("kind", "page")
    for name, condition in (
        ("run_id", lambda value: audit.c.run_id == value),
        ("source_id", lambda value: audit.c.manifest_id.in_(_listed(value))),
        ("since", lambda value: audit.c.timestamp >= value),
        ("until", lambda value: audit.c.timestamp < value),
        ("state", lambda value: audit.c.state == value),
        ("http_status", lambda value: audit.c.http_status == value),
        ("url", lambda value: audit.c.url_hash.in_([url_hash(one) for one in _listed(value)])),
    ):
        if (value := wanted.get(name)) is not None:
            query = query.where(condition(value))
    if state not in {None, "unchanged"}:
        query = query.where(text(NOT_UNCHANGED))
    return query if kind is None else query.where(audit.c.kind == kind)


def _listed(value: str | Sequence[str]) -> Sequence[str]:
    return (value,) if isinstance(value, str) else value


def find_row(conn: Connection, audit_id: int) -> dict[str, Any] | None:
    """The row of this number, as ``query`` gives it; None when there is none."""
    row = conn.execute(select(audit).where(audit.c.audit_id == audit_id)).mappings().one_or_none()
    return as_record(with_whole_values(conn, row, {})) if row is not None else None


def first_times(conn: Connection, source_id: str, url: str, *, since: datetime) -> dict[str, datetime]:
    """By verdict, when the page was first judged so, from *since* on."""
    of_page = (audit.c.url_hash == url_hash(url), audit.c.manifest_id == source_id, audit.c.timestamp >= since)
    query = select(audit.c.verdict, func.min(audit.c.timestamp)).where(*of_page, audit.c.verdict.is_not(None))
    return {row[0]: row[1] for row in conn.execute(query.group_by(audit.c.verdict))}


def find_last_states(conn: Connection, run_id: str, urls: Iterable[str]) -> dict[str, str]:
    """How each page of *urls*, which the run has discovered, ended before it in its source: URL -> state.

    At most some hundreds at once. However many visits there were, one row a page is looked at.
    """
    wanted = {url_hash(url): url for url in urls}
    same = (audit.c.url_hash == run_urls.c.url_hash) & (audit.c.manifest_id == runs.c.source_id)
    last = (
        select(audit.c.state)
        .where(same, audit.c.kind == "page")
        .order_by(audit.c.timestamp.desc(), audit.c.audit_id.desc())
        .limit(1)
        .correlate(run_urls, runs)
        .scalar_subquery()
    )
    query = select(run_urls.c.url_hash, last.label("state")).join_from(run_urls, runs)
    rows = conn.execute(query.where(run_urls.c.run_id == run_id, run_urls.c.url_hash.in_(wanted))) if wanted else ()
    return {wanted[row.url_hash]: row.state for row in rows if row.state is not None}


def as_record(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A row as ``query_rows`` gives it."""
    record = {name: row[name] for name in RECORD_FIELDS}
    record["timestamp"] = row["timestamp"].isoformat().replace("+00:00", "Z")
    record["content_hash"] = row["content_hash"] and f"sha256:{row['content_hash']}"
    return record | {name: value for name, value in row.items() if name not in RECORD_FIELDS}


def verify_chain(conn: Connection, run_id: str) -> list[str]:
    """What is wrong with the run's audit rows, one sentence a fault; an empty list when they are as written."""
    query = select(audit).where(audit.c.run_id == run_id).order_by(audit.c.seq).execution_options(yield_per=_BATCH_SIZE)
    leaves = fact_log.load_leaves(conn, AUDIT.name, run_id)
    changed, unknown, missing = fact_log.find_differences(
        AUDIT, (dict(row) for row in conn.execute(query).mappings()), leaves
    )
    return [
        *(f"{_name_row(row)}: was changed after it was written" for row in changed),
        *(f"{_name_row(row)}: was added behind the back of the log" for row in unknown),
        *([f"run {run_id}: {format_count(missing, 'row')} of its audit missing"] if missing else []),
        *check_old_chain(conn, run_id),
    ]


def _name_row(row: Mapping[Any, Any]) -> str:
    return f"run {row['run_id']}, audit row {row['seq']} ({row['url']})"


# The chain that the audit rows of a run had before there was a log of facts. Its last hash was kept at the upgrade.

#: Columns that came after the first chains, which cover them where they hold something.
_ADDED = frozenset({"reason_code", "reason_detail"})
_CHAINED = tuple(column.name for column in audit.columns if column.name != "audit_id")


def check_old_chain(conn: Connection, run_id: str) -> list[str]:
    """A sentence when the run's rows from before the log do not give the last hash of their chain any more."""
    chain = conn.execute(select(audit_chains).where(audit_chains.c.run_id == run_id)).one_or_none()
    if chain is None:
        return []
    rows = select(audit).where(audit.c.run_id == run_id, audit.c.seq <= chain.rows).order_by(audit.c.seq)
    row_hash = "0" * 64
    for row in conn.execute(rows.execution_options(yield_per=_BATCH_SIZE)).mappings():
        covered = {name: row[name] for name in _CHAINED if name not in _ADDED or row[name] is not None}
        text = json.dumps(covered | {"prev_hash": row_hash}, sort_keys=True, separators=(",", ":"), default=format_time)
        row_hash = sha256(text.encode()).hexdigest()
    if row_hash == chain.row_hash:
        return []
    return [f"run {run_id}: its first {chain.rows} audit rows do not give the last hash of their chain"]


class FileRecord(NamedTuple):
    """A sitemap or robots.txt as it was read last: the object with its bytes, and what the next request sends."""

    raw_hash: str
    validators: dict[str, str]  # request header -> value; never empty


#: The headers that make a request conditional, each with that of the response whose value it repeats.
VALIDATOR_HEADERS = {"If-None-Match": "ETag", "If-Modified-Since": "Last-Modified"}


def newest_file(conn: Connection, url: str, kind: str, *, read_since: datetime) -> FileRecord | None:
    """The file of *kind* at *url* as any source read it last by plain HTTP.

    None when it came without validators, and when its bytes came last before *read_since*. A 304 need not repeat the
    validators of the request: then these still hold.
    """
    same = (audit.c.url_hash == url_hash(url)) & (audit.c.kind == kind) & (audit.c.state == "fetched")
    query = select(audit.c.raw_hash, audit.c.http_status, audit.c.request_headers, audit.c.response_headers).where(
        same,
        audit.c.engine == "http",
        audit.c.http_status.in_((200, 304)),
        audit.c.raw_hash.is_not(None),
        audit.c.response_headers.is_not(None),
    )
    row = conn.execute(query.order_by(audit.c.timestamp.desc(), audit.c.audit_id.desc()).limit(1)).one_or_none()
    if row is None or (
        row.http_status == 304
        and not conn.execute(
            select(exists().where(same, audit.c.http_status == 200, audit.c.timestamp >= read_since))
        ).scalar_one()
    ):
        return None
    by_server, sent = (
        {name.lower(): values[0] for name, values in (headers or {}).items() if values}
        for headers in (row.response_headers, row.request_headers if row.http_status == 304 else None)
    )
    validators = {
        name: value
        for name, header in VALIDATOR_HEADERS.items()
        if (value := by_server.get(header.lower(), sent.get(name.lower()))) is not None
    }
    return FileRecord(row.raw_hash, validators) if validators else None


# With what a server's answer came, as the audit has it: for showing or reading its bytes again.


class ResponseRecord(NamedTuple):
    """The response headers of a version. ``content_type`` is the header's value, as the server wrote it."""

    audit_id: int
    final_url: str | None
    content_type: str | None
    attempts: list[dict[str, Any]]


def response_of_version(conn: Connection, run_id: str, url_hash: str) -> ResponseRecord | None:
    """How the page of this URL (its hash) came in this run, the last time; None when the audit has no row of it."""
    row = conn.execute(
        select(audit.c.audit_id, audit.c.final_url, audit.c.response_headers, audit.c.attempts)
        .where(audit.c.run_id == run_id, audit.c.url_hash == url_hash, audit.c.kind == "page")
        .order_by(audit.c.seq.desc())
        .limit(1)
    ).one_or_none()
    return (
        None
        if row is None
        else ResponseRecord(
            row.audit_id, row.final_url, recorded_content_type(row.response_headers), row.attempts or []
        )
    )


def recorded_content_type(headers: Mapping[str, Any] | None) -> str | None:
    """What the kept headers of an answer name as its type."""
    named = {name.lower(): value for name, value in (headers or {}).items()}
    value = named.get("content-type")
    return str(value[0] if isinstance(value, list) and value else value) if value else None
