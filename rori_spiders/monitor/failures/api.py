"""Endpoints of the error log, as a list, as CSV, and one failure in detail."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from rori_spiders.ledger.audit import audit_log, failure_causes
from rori_spiders.ledger.audit.failure_log import FailureFilter, FailureOrder, FailurePosition
from rori_spiders.ledger.tables.audit_trail import Severity
from rori_spiders.monitor.failures import queries as reading
from rori_spiders.monitor.failures.schemas import (
    FailureCauses,
    FailureDetail,
    Failures,
)
from rori_spiders.monitor.rest.errors import ApiError
from rori_spiders.monitor.rest.params import AuditId, Instant
from rori_spiders.monitor.security import untrusted_content
from rori_spiders.monitor.security.permissions import Viewer
from rori_spiders.monitor.state.dependencies import AppStateDep

errors_router = APIRouter(tags=["errors"])


class FailureFilters(BaseModel):
    """Filters of the error log."""

    model_config = ConfigDict(extra="forbid")

    source: str | None = Field(None, max_length=200)
    verdict: str | None = Field(None, max_length=20)
    status: int | None = Field(None, ge=100, le=999, description="Of HTTP.")
    severity: Severity | None = None
    tier: str | None = Field(None, max_length=20)
    resolved: bool | None = None
    q: str = Field("", max_length=200, description="Text to find in URL, reason or error.")
    since: Instant | None = None
    until: Instant | None = Field(None, description="Before then.")
    sort: FailureOrder = "newest"

    def wanted(self) -> FailureFilter:
        """Return the filters in the ledger's form."""
        return FailureFilter(
            words=self.q,
            source_id=self.source,
            since=self.since,
            until=self.until,
            verdict=self.verdict,
            http_status=self.status,
            tier=self.tier,
            severity=self.severity,
            resolved=self.resolved,
        )


class FailureListQuery(FailureFilters):
    """Filters, order and position of the list."""

    after: str | None = Field(None, max_length=300)
    limit: int = Field(50, ge=1, le=500)

    def position(self) -> FailurePosition | None:
        """Return the position at which the list continues."""
        return reading.decode_position(self.after, self.sort) if self.after else None


@errors_router.get("/failures")
def list_failures(_person: Viewer, served: AppStateDep, query: Annotated[FailureListQuery, Query()]) -> Failures:
    """List failed pages."""
    after = query.position()
    with served.ledger.connect() as conn:
        return reading.read_failures(conn, query.wanted(), query.sort, after, query.limit)


@errors_router.get("/failures/causes")
def list_failure_causes(
    _person: Viewer, served: AppStateDep, filters: Annotated[FailureFilters, Query()]
) -> FailureCauses:
    """List failed pages by cause: once for each reason code of a page. `sort` has no effect."""
    with served.ledger.connect() as conn:
        starts = {source.id: source.url for source in served.catalog(conn).sources}
        causes, is_cut = failure_causes.list_causes(conn, filters.wanted(), starts)
    return FailureCauses(items=[reading.failure_cause(one) for one in causes], is_cut=is_cut)


@errors_router.get("/failures.csv", response_class=StreamingResponse, responses={200: {"content": {"text/csv": {}}}})
def export_failures_csv(
    _person: Viewer, served: AppStateDep, filters: Annotated[FailureFilters, Query()]
) -> StreamingResponse:
    """Return all matching failures as CSV."""
    rows = reading.iter_csv(served.ledger, filters.wanted(), filters.sort)
    name = {"Content-Disposition": 'attachment; filename="failures.csv"'}
    return StreamingResponse(rows, media_type="text/csv; charset=utf-8", headers=name)


# One failure, or any other outcome of a URL; GET /api/v1/failures lists them.

router = APIRouter(tags=["failures"])


@router.get("/failures/{audit_id}")
def get_failure(_: Viewer, served: AppStateDep, audit_id: AuditId) -> FailureDetail:
    """Return the outcome of a URL in a run: headers, escalation history, cost, and whether its response is stored."""
    with served.ledger.connect() as conn:
        return reading.failure_detail(conn, served.store, reading.get_audit_row(conn, audit_id))


@router.get("/failures/{audit_id}/response", response_class=Response, responses=untrusted_content.BINARY_RESPONSES)
def get_failure_response(_: Viewer, served: AppStateDep, audit_id: AuditId) -> Response:
    """Return the stored response (of a refusal its first MiB), in the form of a version's `/raw`."""
    with served.ledger.connect() as conn:
        one = reading.get_audit_row(conn, audit_id)
    state = reading.response_state(served.store, one)
    try:
        if state.state == "stored":
            body = served.store.get_object(one.raw_hash)
            return untrusted_content.untrusted_response(
                body, audit_log.recorded_content_type(one.response_headers), one.url
            )
    except FileNotFoundError:
        pass
    raise ApiError(404, "not_held", state.why or "The response body is no longer available.", audit_id=audit_id)
