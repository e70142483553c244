"""One source in detail, and its costs."""

from datetime import datetime
from typing import Any

from pydantic import Field

from rori_spiders.monitor.rest.schemas import ApiModel
from rori_spiders.monitor.runs.schemas import (
    Run,
    TierUse,
)
from rori_spiders.monitor.state.overview import Alert


class TierMonth(ApiModel):
    """Requests of one tier in one month (UTC)."""

    month: str = Field(description="2026-02")
    tier: str
    requests: int = Field(description="Audit rows: pages and the requests made to find them.")
    pages: int
    failed: int
    retries: int
    credits: int
    ms: int = Field(description="Sum of the response times.")


class ProviderMonth(ApiModel):
    """Spend with one provider in one month (UTC). An unsettled call counts as reserved."""

    month: str
    provider: str
    unit: str
    calls: int
    unsettled: int
    amount: float
    usd: float | None


class Costs(ApiModel):
    """By month, newest first."""

    since: datetime
    tiers: list[TierMonth]
    providers: list[ProviderMonth]
    credits: int = Field(description="Of these months.")
    usd: float | None


class PaidCall(ApiModel):
    """A paid call for a URL, made or reserved."""

    provider: str
    unit: str
    reserved: float
    settled: float | None
    usd: float | None
    reserved_at: datetime
    settled_at: datetime | None


# One source in detail.


class Fact(ApiModel):
    """A line of `scrapy sources show ID`."""

    name: str
    value: str | int | float | datetime | None


class Politeness(ApiModel):
    """Rate limits of the source's servers, configured and throttled, and the job that uses them."""

    group: str
    delay_s: float
    delay_asked_s: float | None = Field(description="By robots.txt.")
    delay_throttled_s: float | None = Field(description="Set by the throttle because the server was slow.")
    at_once: int
    last_request_at: datetime | None
    waits_until: datetime | None
    held_by: str | None
    held_until: datetime | None


class Remembered(ApiModel):
    """The tier that worked last for pages of one kind, and is tried first."""

    template: str
    tier: str


class ReviewPage(ApiModel):
    """A page of a review item, with its last outcome."""

    url: str
    reason: str | None
    run_id: str | None
    raw_hash: str | None


class ReviewItem(ApiModel):
    """A review item: what happened and what to do."""

    event: str
    severity: str
    since: datetime
    message: str
    to_do: str
    pages: list[ReviewPage]


class ManifestOf(ApiModel):
    """The manifest of the source."""

    name: str
    version: str
    origin: str


class SourceDetail(ApiModel):
    """One source. A source that is no longer in a manifest has no `fields` and cannot run."""

    id: str
    name: str
    url: str
    agency: str | None
    category: str
    domain: str
    jurisdiction: str
    citation: str | None
    method: str
    manifest: ManifestOf
    status: str
    why: str | None = Field(description="Why it cannot run.")
    interval: str
    next_due: datetime | None
    last_checked_at: datetime | None
    last_changed_at: datetime | None
    failures_in_row: int
    pages: int = Field(description="Captured once and not gone.")
    last_run: Run | None
    facts: list[Fact]
    explain: list[str] = Field(description="Why it is due or not.")
    politeness: Politeness
    tiers: list[str] = Field(description="Tiers tried for its start URL, in order, as configured.")
    tiers_used: list[TierUse] = Field(description="Pages by tier in the last run.")
    tiers_remembered: list[Remembered]
    alerts: list[Alert]
    review: list[ReviewItem]
    fields: dict[str, Any] = Field(description="Its own fields of the manifest. Values that may be secret are masked.")
