"""Read one row of the audit: request, attempts, response, cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from rori_spiders.ledger.audit import audit_log, failure_states
from rori_spiders.ledger.operations import costs
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.tables import audit
from rori_spiders.ledger.tables.failure_severity import severity_of
from rori_spiders.monitor.failures.schemas import Attempt, FailureDetail, HeaderOf, Hop
from rori_spiders.monitor.pages.queries import steps_of
from rori_spiders.monitor.pages.schemas import StoredFileState
from rori_spiders.monitor.rest.errors import ApiError
from rori_spiders.monitor.sources.schemas import PaidCall

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlalchemy import Connection, Row

    from rori_spiders.staging.store import Store


def get_audit_row(conn: Connection, audit_id: int) -> Row[Any]:
    """Read an audit row by its number. Raises ApiError 404."""
    found = conn.execute(select(audit).where(audit.c.audit_id == audit_id)).one_or_none()
    if found is None:
        raise ApiError(404, "unknown_failure", f"Audit row {audit_id} not found.")
    return found


def failure_detail(conn: Connection, store: Store, one: Row[Any]) -> FailureDetail:
    """Return the row with its attempts, paid calls, and the state of its response."""
    is_failure = one.state == "failed" and one.kind == "page"
    resolved_at = failure_states.resolved_at(conn, [one]).get(one.audit_id) if is_failure else None
    page = page_history.find_page(conn, one.manifest_id, one.url)
    names = ("audit_id", "run_id", "url", "kind", "state", "error", "http_status", "verdict", "ip_address", "build")
    return FailureDetail(
        **{name: getattr(one, name) for name in (*names, "final_url")},
        at=one.timestamp,
        source_id=one.manifest_id,
        page_id=page and page.page_id,
        reason=one.reason or None,
        reason_code=one.reason_code,
        reason_detail=one.reason_detail,
        rules=list(one.rules or ()),
        tier=one.engine,
        retries=one.retry_count,
        credits=one.credits_consumed,
        ms=one.response_time_ms,
        redirects=[Hop(status=status, url=url) for status, url in one.redirects or ()],
        request_headers=list(_header_rows(one.request_headers)),
        response_headers=list(_header_rows(one.response_headers)),
        attempts=[_attempt_row(each) for each in one.attempts or ()],
        paid=[PaidCall.model_validate(each) for each in costs.paid_calls_of_url(conn, one.run_id, one.url)],
        response=response_state(store, one),
        severity=severity_of(one.verdict) if is_failure else None,
        resolved=resolved_at is not None,
        resolved_at=resolved_at,
    )


def response_state(store: Store, one: Row[Any]) -> StoredFileState:
    """Return whether the body of the response is stored."""
    if one.raw_hash is None:
        return StoredFileState(state="none", why="The server sent no body or did not respond.")
    kind = audit_log.recorded_content_type(one.response_headers)
    if store.has_object(one.raw_hash):
        return StoredFileState(state="stored", content_type=kind)
    why = "Not stored: the text matched the previous version, or the bytes were removed."
    return StoredFileState(state="missing", content_type=kind, why=why)


def _attempt_row(each: Mapping[str, Any]) -> Attempt:
    return Attempt(
        tier=each["tier"],
        at=each.get("at"),
        status=each.get("status"),
        verdict=each.get("verdict"),
        reason=each.get("reason") or None,
        reason_code=each.get("reason_code"),
        ms=each.get("ms"),
        credits=each.get("credits") or 0,
        steps=steps_of([each]),
    )


def _header_rows(headers: Mapping[str, Any] | None) -> Iterator[HeaderOf]:
    for name, values in (headers or {}).items():
        for value in values if isinstance(values, list) else [values]:
            yield HeaderOf(name=name, value=str(value))
