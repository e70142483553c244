"""One row of the audit as the API gives it: what was asked, by which tiers, what came, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from rori_spiders.ledger import answers, history, overcoming, spending
from rori_spiders.ledger.severities import severity_of
from rori_spiders.ledger.tables import audit
from rori_spiders.monitor.answers.costs import PaidCall
from rori_spiders.monitor.answers.failure import Attempt, FailureDetail, HeaderOf, Hop
from rori_spiders.monitor.answers.versions import Kept
from rori_spiders.monitor.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlalchemy import Connection, Row

    from rori_spiders.stores.base import Store


def row(conn: Connection, audit_id: int) -> Row[Any]:
    """The audit's row of this number. Refused where there is none."""
    found = conn.execute(select(audit).where(audit.c.audit_id == audit_id)).one_or_none()
    if found is None:
        raise Refused(404, "unknown_failure", f"The audit has no row {audit_id}.")
    return found


def detail(conn: Connection, store: Store, one: Row[Any]) -> FailureDetail:
    """The row, with its tries, its paid calls, and whether its answer was kept."""
    is_failure = one.state == "failed" and one.kind == "page"
    resolved_at = overcoming.when(conn, [one]).get(one.audit_id) if is_failure else None
    page = history.page(conn, one.manifest_id, one.url)
    names = ("audit_id", "run_id", "url", "kind", "state", "error", "http_status", "verdict", "ip_address", "build")
    return FailureDetail(
        **{name: getattr(one, name) for name in (*names, "final_url")},
        at=one.timestamp,
        source_id=one.manifest_id,
        page_id=page and page.page_id,
        reason=one.reason or None,
        rules=list(one.rules or ()),
        tier=one.engine,
        retries=one.retry_count,
        credits=one.credits_consumed,
        ms=one.response_time_ms,
        redirects=[Hop(status=status, url=url) for status, url in one.redirects or ()],
        request_headers=list(_headers(one.request_headers)),
        response_headers=list(_headers(one.response_headers)),
        attempts=[_attempt(each) for each in one.attempts or ()],
        paid=[PaidCall.model_validate(each) for each in spending.of_url(conn, one.run_id, one.url)],
        response=response_state(store, one),
        severity=severity_of(one.verdict) if is_failure else None,
        resolved=resolved_at is not None,
        resolved_at=resolved_at,
    )


def response_state(store: Store, one: Row[Any]) -> Kept:
    """Whether the body of the answer is there."""
    if one.raw_hash is None:
        return Kept(state="none", why="The server sent none, or there was no answer.")
    kind = answers.content_type(one.response_headers)
    if store.has_object(one.raw_hash):
        return Kept(state="kept", content_type=kind)
    why = "Its text was that of the version before, so its bytes were not kept again, or they were removed."
    return Kept(state="missing", content_type=kind, why=why)


def _attempt(each: Mapping[str, Any]) -> Attempt:
    return Attempt(
        tier=each["tier"],
        at=each.get("at"),
        status=each.get("status"),
        verdict=each.get("verdict"),
        reason=each.get("reason") or None,
        ms=each.get("ms"),
        credits=each.get("credits") or 0,
    )


def _headers(kept: Mapping[str, Any] | None) -> Iterator[HeaderOf]:
    for name, values in (kept or {}).items():
        for value in values if isinstance(values, list) else [values]:
            yield HeaderOf(name=name, value=str(value))
