"""Schemas of running jobs and the queue."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from rori_spiders.monitor.rest.schemas import ApiModel


class RunAtWork(ApiModel):
    """A run in progress."""

    run_id: str
    source_id: str
    started_at: datetime
    counts: dict[str, int] = Field(description="Pages by state; `discovered` is their sum, and grows.")
    percent: int | None = Field(description="Share of the known pages; null: no pages known yet.")
    per_minute: float | None = Field(
        description="Pages finished per minute, over the last minutes; null: just started."
    )


class JobAtWork(ApiModel):
    """A running job with its runs."""

    job_id: str
    node: str | None
    started_at: datetime
    is_heard_of: bool = Field(description="False: no heartbeat arrived in time, neither for a lease nor in the queue.")
    runs: list[RunAtWork]


class JobWaiting(ApiModel):
    """A queued job."""

    job_id: str
    state: str = Field(description="queued, or leased to a node that is starting it.")
    sources: list[str]
    queued_at: datetime
    operator: str
    node: str | None


class PauseOfAll(ApiModel):
    """The pause of all sources."""

    by: str
    reason: str | None
    at: datetime | None


class Activity(ApiModel):
    """Running jobs and the queue."""

    running: list[JobAtWork]
    waiting: list[JobWaiting] = Field(description="The first 100, in queue order.")
    waiting_total: int
    schedule_paused: PauseOfAll | None
