"""What a source costs."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003  # pydantic reads annotations when it runs

from pydantic import Field

from rori_spiders.monitor.answers.base import Answer


class TierMonth(Answer):
    """What one tier did in one month (UTC)."""

    month: str = Field(description="2026-02")
    tier: str
    requests: int = Field(description="Rows of the audit: pages, and what was asked to find them.")
    pages: int
    failed: int
    retries: int
    credits: int
    ms: int = Field(description="Sum of the response times.")


class ProviderMonth(Answer):
    """What one provider was paid in one month (UTC). A call not yet settled counts as reserved."""

    month: str
    provider: str
    unit: str
    calls: int
    unsettled: int
    amount: float
    usd: float | None


class Costs(Answer):
    """By month, newest first."""

    since: datetime
    tiers: list[TierMonth]
    providers: list[ProviderMonth]
    credits: int = Field(description="Of these months.")
    usd: float | None


class PaidCall(Answer):
    """A call of a provider that was made, or reserved, for a URL."""

    provider: str
    unit: str
    reserved: float
    settled: float | None
    usd: float | None
    reserved_at: datetime
    settled_at: datetime | None
