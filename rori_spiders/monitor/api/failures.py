"""GET /api/failures: the error log. The same as CSV: GET /api/failures.csv."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from rori_spiders.ledger.failed import Order, Position, Wanted
from rori_spiders.ledger.severities import Severity  # noqa: TC001
from rori_spiders.monitor.answers.failures import Failures  # noqa: TC001
from rori_spiders.monitor.guards.people import Viewer  # noqa: TC001  # FastAPI reads annotations when it runs
from rori_spiders.monitor.reading import failing
from rori_spiders.monitor.served import Serving  # noqa: TC001

router = APIRouter(tags=["errors"])


class Filters(BaseModel):
    """Which failures."""

    model_config = ConfigDict(extra="forbid")

    source: str | None = Field(None, max_length=200)
    verdict: str | None = Field(None, max_length=20)
    status: int | None = Field(None, ge=100, le=999, description="Of HTTP.")
    severity: Severity | None = None
    tier: str | None = Field(None, max_length=20)
    resolved: bool | None = None
    q: str = Field("", max_length=200, description="A word of URL, reason or error.")
    since: AwareDatetime | None = None
    until: AwareDatetime | None = Field(None, description="Before then.")
    sort: Order = "newest"

    def wanted(self) -> Wanted:
        """As the ledger is asked."""
        return Wanted(
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


class Asked(Filters):
    """Which of them, from where on."""

    after: str | None = Field(None, max_length=300)
    limit: int = Field(50, ge=1, le=500)

    def position(self) -> Position | None:
        """Where the list goes on."""
        return failing.position(self.after, self.sort) if self.after else None


@router.get("/failures")
def failures(_person: Viewer, served: Serving, asked: Annotated[Asked, Query()]) -> Failures:
    """The pages that failed, a list at a time."""
    after = asked.position()
    with served.ledger.connect() as conn:
        return failing.listed(conn, asked.wanted(), asked.sort, after, asked.limit)


@router.get("/failures.csv", response_class=StreamingResponse, responses={200: {"content": {"text/csv": {}}}})
def failures_csv(_person: Viewer, served: Serving, asked: Annotated[Filters, Query()]) -> StreamingResponse:
    """All of them, for a spreadsheet."""
    rows = failing.as_csv(served.ledger, asked.wanted(), asked.sort)
    name = {"Content-Disposition": 'attachment; filename="failures.csv"'}
    return StreamingResponse(rows, media_type="text/csv; charset=utf-8", headers=name)
