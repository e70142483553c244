"""One failure: with its response, its tries, and what they cost."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003  # pydantic reads annotations when it runs
from typing import Literal

from pydantic import Field

from rori_spiders.monitor.answers.base import Answer
from rori_spiders.monitor.answers.costs import PaidCall  # noqa: TC001
from rori_spiders.monitor.answers.versions import Kept  # noqa: TC001


class Attempt(Answer):
    """A try by one tier."""

    tier: str
    at: datetime | None
    status: int | None
    verdict: str | None
    reason: str | None
    ms: int | None
    credits: int


class Hop(Answer):
    """A redirect that was followed."""

    status: int
    url: str


class HeaderOf(Answer):
    """A header, as it was kept: what may be secret is masked."""

    name: str
    value: str


class FailureDetail(Answer):
    """A row of the audit: how a URL ended in a run."""

    audit_id: int
    at: datetime
    run_id: str
    source_id: str
    page_id: int | None
    url: str
    kind: str
    state: str
    reason: str | None
    error: str | None
    http_status: int | None
    verdict: str | None
    rules: list[str] = Field(description="Names of the verdict's rules that fired.")
    tier: str
    retries: int
    credits: int
    ms: int | None
    final_url: str | None
    redirects: list[Hop]
    ip_address: str | None
    request_headers: list[HeaderOf]
    response_headers: list[HeaderOf]
    attempts: list[Attempt] = Field(description="The escalation history: each try by each tier, in order.")
    paid: list[PaidCall]
    response: Kept
    severity: Literal["high", "warning", "info"] | None = Field(description="Null of what is no failure.")
    resolved: bool = Field(description="Whether the page ended otherwise later.")
    resolved_at: datetime | None
    build: str
