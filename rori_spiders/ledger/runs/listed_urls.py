"""URLs that a list names and a source leaves out: counted per run, list and reason, in place of a row each.

The bytes of the list are an object, and so are its marks: what became of each of its URLs, in their order. The audit
has a row for each count, with the names of both objects. So each sum can be made again, and each URL be found.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select

from rori_spiders import BUILD
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.audit.audit_log import AuditRow
from rori_spiders.ledger.audit.fact_log import note_fact
from rori_spiders.ledger.tables import audit
from rori_spiders.ledger.tables import list_exclusions as table
from rori_spiders.reasons import Reason
from rori_spiders.runtime.plurals import format_count
from rori_spiders.urls.canonical import url_hash
from rori_spiders.urls.list_marks import ListMarks, MarkedUrl, marked_urls

#: The kind of such a row in the audit.
AUDIT_KIND = "list"


@dataclass(frozen=True, slots=True)
class ListExclusion:
    """The URLs of one list that a run leaves out for one reason. ``urls``: those that no list before it has named."""

    run_id: str
    list_url: str
    list_object: str
    marks_object: str
    mark: int
    kind: str  # page | sitemap
    reason: Reason
    urls: int


def exclusions_of_list(
    marks: ListMarks, run_id: str, list_url: str, *, list_object: str, marks_object: str
) -> list[ListExclusion]:
    """What *marks* leave out of the list, to be recorded."""
    return [
        ListExclusion(run_id, list_url, list_object, marks_object, mark, kind, reason, urls)
        for mark, kind, reason, urls in marks.counts()
    ]


# --- in the ledger -----------------------------------------------------------------------------------------------


def add_exclusions(conn: Connection, exclusions: Sequence[ListExclusion], *, now: datetime) -> None:
    """Record what lists name and their runs leave out. The caller appends the audit rows."""
    if exclusions:
        rows = [_values(one, now) for one in exclusions]
        conn.execute(table.insert(), rows)
        for row in rows:
            note_fact(conn, "list", row["run_id"], row["list_hash"], row["mark"])


def _values(one: ListExclusion, now: datetime) -> dict[str, Any]:
    return {
        "run_id": one.run_id,
        "list_hash": url_hash(one.list_url),
        "mark": one.mark,
        "list_url": one.list_url,
        "list_object": one.list_object,
        "marks_object": one.marks_object,
        "kind": one.kind,
        "reason": str(one.reason),
        "reason_code": one.reason.code.value,
        "reason_detail": one.reason.detail,
        "urls": one.urls,
        "settled_at": now,
    }


def exclusion_audit_row(one: ListExclusion, source_id: str, *, at: datetime) -> AuditRow:
    """The audit row of a count: it names the list, its bytes and its marks."""
    return AuditRow(
        run_id=one.run_id,
        timestamp=at,
        manifest_id=source_id,
        url=one.list_url,
        engine="http",
        kind=AUDIT_KIND,
        state="excluded",
        reason=f"{format_count(one.urls, 'URL')} of this list: {one.reason}",
        reason_code=one.reason.code.value,
        reason_detail={**one.reason.detail, **_proof(one.urls, one.kind, one.mark, one.marks_object)},
        raw_hash=one.list_object,
        build=BUILD,
    )


def _proof(urls: int, kind: str, mark: int, marks_object: str) -> dict[str, Any]:
    return {"urls": urls, "listed": kind, "mark": mark, "marks_object": marks_object}


def audited_proof(row: Row[Any]) -> dict[str, Any]:
    """What the audit row of a count has beside its reason, as *row* of the table says it."""
    return {**(row.reason_detail or {}), **_proof(row.urls, row.kind, row.mark, row.marks_object)}


def count_listed(conn: Connection, run_id: str) -> int:
    """How many pages the run counts with the lists that name them."""
    of_run = (table.c.run_id == run_id) & (table.c.kind == "page")
    return int(conn.execute(select(func.coalesce(func.sum(table.c.urls), 0)).where(of_run)).scalar_one())


def list_exclusions(conn: Connection, run_id: str) -> list[Row[Any]]:
    """The counts of the run, by list and reason."""
    return list(conn.execute(select(table).where(table.c.run_id == run_id).order_by(table.c.list_url, table.c.mark)))


def largest_exclusions(conn: Connection, run_id: str, limit: int) -> list[Row[Any]]:
    """The counts of the run, the largest first."""
    query = select(table).where(table.c.run_id == run_id).order_by(table.c.urls.desc(), table.c.list_url, table.c.mark)
    return list(conn.execute(query.limit(limit)))


def stream_counted_url_hashes(conn: Connection, run_id: str, get_object: Callable[[str], bytes]) -> Iterator[str]:
    """The hashes of all URLs that the run counts with their lists. Raises ValueError, and what *get_object* raises."""
    wanted = (table.c.list_url, table.c.list_object, table.c.marks_object)
    lists = conn.execute(select(*wanted).where(table.c.run_id == run_id).distinct()).all()
    for url, listed, marks in lists:
        for one in marked_urls(get_object(listed), url, get_object(marks)):
            if one.reason is not None:
                yield url_hash(one.url)


def find_listed_url(
    conn: Connection,
    url: str,
    get_object: Callable[[str], bytes],
    *,
    source_id: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Iterator[dict[str, Any]]:
    """The records of the runs that left *url* out with a list that names it, as if each had a row; oldest first.

    Each is that of the count (its ``audit_id``), with the URL, its own reason, and the list as ``list_url``. Raises
    ValueError, and what *get_object* raises.
    """
    lists = select(table.c.run_id, table.c.list_hash).distinct().subquery()
    of_list = (audit.c.run_id == lists.c.run_id) & (audit.c.url_hash == lists.c.list_hash)
    query = select(audit).join_from(lists, audit, of_list).where(audit.c.kind == AUDIT_KIND)
    for condition in (
        audit.c.manifest_id == source_id if source_id is not None else None,
        audit.c.timestamp >= since if since is not None else None,
        audit.c.timestamp < until if until is not None else None,
    ):
        if condition is not None:
            query = query.where(condition)
    known: dict[tuple[str, str, str], MarkedUrl | None] = {}
    for row in conn.execute(query.order_by(audit.c.timestamp, audit.c.audit_id)).mappings():
        proof = row["reason_detail"]
        key = (row["url"], row["raw_hash"], proof["marks_object"])
        if key not in known:
            listed = marked_urls(get_object(row["raw_hash"]), row["url"], get_object(proof["marks_object"]))
            known[key] = next((one for one in listed if one.url == url), None)
        found = known[key]
        if found is not None and found.reason is not None and found.mark == proof["mark"]:
            detail = {**found.reason.detail, "list_url": row["url"]}
            yield audit_log.as_record(row) | {
                "url": url,
                "url_hash": url_hash(url),
                "kind": found.kind,
                "reason": str(found.reason),
                "reason_detail": detail,
            }
