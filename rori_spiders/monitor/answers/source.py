"""One source: what a person asks first about it."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003  # pydantic reads annotations when it runs
from typing import Any

from pydantic import Field

from rori_spiders.monitor.answers.base import Answer
from rori_spiders.monitor.answers.dashboard import Alert  # noqa: TC001
from rori_spiders.monitor.answers.runs import Run, TierUse  # noqa: TC001


class Fact(Answer):
    """A line of `scrapy sources ID`."""

    name: str
    value: str | int | float | datetime | None


class Politeness(Answer):
    """What the source's servers are owed, by the manifest and as learnt, and who may ask them now."""

    group: str
    delay_s: float
    delay_asked_s: float | None = Field(description="By robots.txt.")
    delay_throttled_s: float | None = Field(description="Found because the server was slow.")
    at_once: int
    last_request_at: datetime | None
    waits_until: datetime | None
    held_by: str | None
    held_until: datetime | None


class Remembered(Answer):
    """What worked last for pages of one kind, and is tried first."""

    template: str
    tier: str


class ReviewPage(Answer):
    """A page of a review item: how it ended last."""

    url: str
    reason: str | None
    run_id: str | None
    raw_hash: str | None


class ReviewItem(Answer):
    """What a person must look at, and what to do."""

    event: str
    severity: str
    since: datetime
    message: str
    to_do: str
    pages: list[ReviewPage]


class ManifestOf(Answer):
    """The manifest that the source stands in."""

    name: str
    version: str
    origin: str


class SourceDetail(Answer):
    """One source. A source that no manifest has any more has no `fields`, and cannot run."""

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
    why: str | None = Field(description="What keeps it from running, in words.")
    interval: str
    next_due: datetime | None
    last_checked_at: datetime | None
    last_changed_at: datetime | None
    failures_in_row: int
    pages: int = Field(description="Captured once and not gone.")
    last_run: Run | None
    facts: list[Fact]
    explain: list[str] = Field(description="Why it is due or not, in sentences.")
    politeness: Politeness
    tiers: list[str] = Field(description="Those that are tried for its start URL, in order, as configured here.")
    tiers_used: list[TierUse] = Field(description="In the last run: pages by tier.")
    tiers_remembered: list[Remembered]
    alerts: list[Alert]
    review: list[ReviewItem]
    fields: dict[str, Any] = Field(description="Its own fields of the manifest. Values that may be secret are masked.")
