"""Schemas of runs, their summaries and URLs."""

from datetime import datetime
from typing import Any

from pydantic import Field

from rori_spiders.monitor.rest.schemas import ApiModel, ReasonCodeName


class Run(ApiModel):
    """A run of a source."""

    run_id: str
    source_id: str
    method: str
    manifest_version: str
    state: str
    reason: str | None = Field(description="Why the run is not complete.")
    reason_code: ReasonCodeName
    outcome: str = Field(description="The outcome, in words.")
    operator: str = Field(description="system: started by a schedule; manual: started by a person.")
    job_id: str
    started_at: datetime
    resumed_at: datetime | None
    ended_at: datetime | None
    counts: dict[str, int] = Field(
        description="discovered = captured + unchanged + excluded + failed + gone + pending; of them changed."
    )
    done_percent: int | None
    requests: int
    browser_pages: int
    credits: int
    seconds: float


class ReasonCount(ApiModel):
    """The number of a run's pages with one state and reason."""

    state: str
    reason: str
    pages: int


class TierUse(ApiModel):
    """The number of pages fetched by a tier."""

    tier: str
    pages: int


class SectionChanged(ApiModel):
    """A section that changed, by its hash."""

    change: str = Field(description="changed, added, removed, moved")
    path: str


class PageChanged(ApiModel):
    """A page whose text changed in the run."""

    page_id: int
    url: str
    version_id: str
    version_before: str | None
    sections: list[SectionChanged]
    note: str = Field(description="Why its sections are unknown, if they are.")


class HeldPage(ApiModel):
    """A page that the run holds for review."""

    url: str
    reason: str


class MissingPage(ApiModel):
    """A page of a publisher's list that was not collected."""

    url: str
    state: str
    reason: str


class Coverage(ApiModel):
    """Coverage of one of the publisher's lists."""

    listed_by: str = Field(description="sitemap, contents (of a page), feed, or api (of a wiki or a publisher)")
    listed_on: list[str]
    listed: int
    cut: bool = Field(description="True when there are more than were counted.")
    captured: int
    unchanged: int
    elsewhere: int = Field(description="Read under another address.")
    excluded: int
    failed: int
    gone: int
    pending: int
    not_asked: int
    excluded_by: dict[str, int] = Field(description="Reason -> pages")
    missing_in_all: int
    missing: list[MissingPage] = Field(description="The first of them, by name.")


class RunSummary(ApiModel):
    """The crawl summary: coverage of the publisher's lists, and the missing pages."""

    path: str = Field(description="Its file in the staging area.")
    is_written: bool
    notes: list[str]
    coverage: list[Coverage]
    accepted: list[dict[str, Any]] = Field(description="What a person accepted of this run.")


class Robots(ApiModel):
    """The robots.txt that the run followed."""

    origin: str
    fetched_at: datetime
    status: int | None
    outcome: str
    reason: str | None
    crawl_delay_s: float | None


class ListedUrls(ApiModel):
    """URLs that a list names and the run left out for one reason: counted, with no entry in the list of URLs."""

    list_url: str
    kind: str = Field(description="page or sitemap")
    reason: str
    reason_code: ReasonCodeName
    urls: int = Field(description="Those that no list before it has named.")


class RunDetail(Run):
    """Return one run in detail."""

    reasons: list[ReasonCount] = Field(description="Why pages were not collected, the most frequent first.")
    listed: list[ListedUrls] = Field(description="The 100 largest counts.")
    tiers: list[TierUse]
    held: list[HeldPage]
    changed: list[PageChanged] = Field(description="The first 100 pages that it saw modified.")
    changed_in_all: int
    summary: RunSummary | None = Field(description="Null for a single page, and while the run is in progress.")
    robots: list[Robots]


class RunUrl(ApiModel):
    """A URL of a run with its state."""

    url: str
    kind: str = Field(description="page, sitemap or api")
    state: str
    reason: str | None
    reason_code: ReasonCodeName
    depth: int
    found_on: str | None
    found_by: str
    tier: str | None
    verdict: str | None
    attempts: int
    settled_at: datetime | None
    page_id: int | None = Field(description="Null for a URL that was never read.")
    audit_id: int | None = Field(description="ID of its audit row: GET /api/v1/failures/{audit_id}.")
