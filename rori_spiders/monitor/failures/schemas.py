"""The error log, and one failure in detail."""

from datetime import datetime
from typing import Any

from pydantic import Field

from rori_spiders.ledger.audit.failure_causes import Consequence
from rori_spiders.ledger.tables.audit_trail import Severity
from rori_spiders.monitor.pages.schemas import BrowserStep, StoredFileState
from rori_spiders.monitor.rest.schemas import ApiModel, CursorList, ReasonCodeName
from rori_spiders.monitor.sources.schemas import PaidCall


class Failure(ApiModel):
    """A page that failed."""

    audit_id: int
    at: datetime
    source_id: str
    run_id: str
    url: str
    http_status: int | None
    verdict: str | None
    error: str | None = Field(description="Error of the network or a library.")
    message: str | None = Field(description="The reason, in words.")
    reason_code: ReasonCodeName
    retries: int
    tier: str
    severity: Severity
    resolved: bool = Field(description="True when the same URL was captured, unchanged or gone later.")
    resolved_at: datetime | None


class Failures(CursorList[Failure]):
    """A page of failures; with filters it may be short or even empty although more follow."""

    looked_until: datetime | None = Field(description="Oldest time searched; null: the whole log.")


class FailureCause(ApiModel):
    """All failures of one page with one reason code; message, verdict and status are of the last one."""

    audit_id: int = Field(description="Of the last one.")
    source_id: str
    url: str
    page_id: int | None
    reason_code: ReasonCodeName
    message: str | None = Field(description="The reason, in words.")
    http_status: int | None
    verdict: str | None
    number: int = Field(description="How often it failed so.")
    first_at: datetime
    last_at: datetime
    consequence: Consequence = Field(
        description="`held`: a text of the page is held, and could not be checked. `start`: the source's start URL. "
        "`dead_link`: nothing was there, and nothing is held. `temporary`: the next run asks again, and nothing is "
        "held. `never_held`: refused or not content, and nothing is held."
    )
    severity: Severity = Field(description="By the consequence; `info` once it is resolved.")
    last_seen_at: datetime | None = Field(description="When the text that is held was seen last.")
    resolved_at: datetime | None = Field(description="When the page was captured, unchanged or gone later.")


class FailureCauses(ApiModel):
    """Causes of failures, the most severe first."""

    items: list[FailureCause]
    is_cut: bool = Field(description="Older causes exist that were not looked at; choose a source or dates.")


# One failure with its response, attempts and costs.


class Attempt(ApiModel):
    """An attempt by one tier."""

    tier: str
    at: datetime | None
    status: int | None
    verdict: str | None
    reason: str | None
    reason_code: ReasonCodeName
    ms: int | None
    credits: int
    steps: list[BrowserStep] = Field(description="What the browser did on the page.")


class Hop(ApiModel):
    """A redirect that was followed."""

    status: int
    url: str


class HeaderOf(ApiModel):
    """A stored header; possible secrets are masked."""

    name: str
    value: str


class FailureDetail(ApiModel):
    """An audit row: the outcome of a URL in a run."""

    audit_id: int
    at: datetime
    run_id: str
    source_id: str
    page_id: int | None
    url: str
    kind: str
    state: str
    reason: str | None
    reason_code: ReasonCodeName
    reason_detail: dict[str, Any] | None = Field(description="What the reason is made of: a URL, a status, a rule.")
    error: str | None
    http_status: int | None
    verdict: str | None
    rules: list[str] = Field(description="Verdict rules that matched.")
    tier: str
    retries: int
    credits: int
    ms: int | None
    final_url: str | None
    redirects: list[Hop]
    ip_address: str | None
    request_headers: list[HeaderOf]
    response_headers: list[HeaderOf]
    attempts: list[Attempt] = Field(description="Escalation history: each attempt by each tier, in order.")
    paid: list[PaidCall]
    response: StoredFileState
    severity: Severity | None = Field(description="Null when it is not a failure.")
    resolved: bool = Field(description="True when the page had another outcome later.")
    resolved_at: datetime | None
    build: str
