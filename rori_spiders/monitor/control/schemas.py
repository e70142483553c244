"""Schemas of jobs, pauses and the activity log."""

from __future__ import annotations

from datetime import datetime  # pydantic reads annotations when it runs
from typing import Any, Literal

from pydantic import ConfigDict, Field, field_validator, model_validator

from rori_spiders.manifest.vocabulary import Category  # noqa: TC001
from rori_spiders.monitor.rest.params import Instant  # noqa: TC001
from rori_spiders.monitor.rest.schemas import ApiModel


class JobOrder(ApiModel):
    """Sources to queue: exactly one of the three."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {"required": [name], "properties": {name: {"not": {"type": "null"}}}}
                for name in ("sources", "category", "all_due")
            ]
        }
    )

    sources: list[str] | None = Field(None, min_length=1, max_length=500, description="IDs of sources.")
    category: Category | None = Field(None, description="All sources of this category.")
    all_due: Literal[True] | None = Field(None, description="Sources due now and inside their crawl window.")

    @model_validator(mode="after")
    def _one_of_three(self) -> JobOrder:
        if sum(one is not None for one in (self.sources, self.category, self.all_due)) != 1:
            raise ValueError("give exactly one of sources, category, all_due")
        return self


class JobMade(ApiModel):
    """A job that was queued."""

    job_id: str
    sources: list[str]


class NotQueued(ApiModel):
    """A source that was not queued, with the reason."""

    source_id: str
    why: str = Field(description="The reason, in a sentence.")


class JobsMade(ApiModel):
    """Result of queueing: jobs, and sources that were not queued."""

    jobs: list[JobMade]
    refused: list[NotQueued]


class Job(ApiModel):
    """One job of the queue."""

    job_id: str
    state: Literal["waiting", "leased", "running", "ended", "cancelled", "lost"]
    sources: list[str]
    operator: Literal["system", "manual"] = Field(description="manual: a person started it.")
    attempt: int
    follows: str | None = Field(description="The lost job whose sources it resumes.")
    node: str | None = Field(description="The node or machine that runs it.")
    queued_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    outcome: str | None
    reason: str | None = Field(description="Reason of the outcome.")
    cancelled_by: str | None = Field(description="User who cancelled it; it may still be running.")


class Jobs(ApiModel):
    """Running jobs, queued jobs in queue order, then the latest ended jobs."""

    items: list[Job]


class Reason(ApiModel):
    """The reason of an action; shown wherever the pause appears."""

    reason: str = Field(max_length=500, json_schema_extra={"pattern": r"\S"})

    @field_validator("reason")
    @classmethod
    def _says_something(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("a reason is required: it is shown to others while the source is paused")
        return value.strip()


class Paused(ApiModel):
    """A pause: who, when and why."""

    by: str = Field(description="The user, or `breaker`: the automatic stop after failed runs.")
    reason: str | None
    at: datetime | None


class Pausing(ApiModel):
    """Whether a source, or the whole schedule, is paused."""

    paused: Paused | None
    hindrance: str | None = Field(description="Why no schedule starts it, such as its status in the manifest; or null.")


class NextRun(ApiModel):
    """A manual time for the next run of a source, once; null: follow the schedule."""

    at: Instant | None


class Moment(ApiModel):
    """The next due time of a source, and its reason."""

    next_run_at: datetime | None = Field(description="Set by a person.")
    next_due: datetime | None = Field(description="Time when it is due; null: now.")
    explained: list[str] = Field(description="Sentences, as `scrapy due --explain` has them.")


class Action(ApiModel):
    """An action of a person or a rule."""

    action_id: int
    at: datetime
    actor: str
    action: str
    target: str
    reason: str | None
    details: dict[str, Any] | None
