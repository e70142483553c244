"""Changes over all sources, and decisions on them."""

from __future__ import annotations

from datetime import date, datetime  # pydantic reads annotations when it runs

from pydantic import BaseModel, ConfigDict, Field

from rori_spiders.comparison.importance import ImportanceName  # noqa: TC001
from rori_spiders.ledger.pages.vocabulary import Review  # noqa: TC001
from rori_spiders.monitor.rest.schemas import ApiModel


class PageChange(ApiModel):
    """A change of a page's text."""

    change_id: str = Field(description="Page and version, as 12-3.")
    at: datetime = Field(description="When the text was captured.")
    source_id: str
    page_id: int
    url: str
    title: str | None
    kind: str = Field(description="One of docs/reference/commands.md#changes.")
    kind_name: str = Field(description="The kind, in words.")
    importance: ImportanceName
    reasons: list[str] = Field(description="Why it is as important, strongest first.")
    sentence: str = Field(description="What changed, in a line.")
    publication: str = Field(description="Changes of one part of a code, or else of one run, have the same.")
    publication_name: str
    from_version: str | None = Field(description="The version before; null: none at this URL.")
    to_version: str
    effective: str | None = Field(description="The publisher's date, in its words.")
    notes: list[str]
    review: Review
    reason: str | None = Field(description="Of the review.")
    reviewed_by: str | None
    reviewed_at: datetime | None


class OpenChanges(ApiModel):
    """How many changes nobody has reviewed, by importance."""

    high: int
    medium: int
    low: int


class ChangeWeek(OpenChanges):
    """How many changes were captured in a week, by importance."""

    starts_on: date = Field(description="Its Monday, in UTC.")


class ChangeSummary(ApiModel):
    """What waits for a review, and how many changes came of late."""

    open: OpenChanges
    oldest_open_at: datetime | None = Field(description="Capture of the text that has waited longest.")
    undescribed: int = Field(description="Versions that no job has compared yet; `scrapy changes` does it.")
    weeks: list[ChangeWeek] = Field(description="The last twelve, the oldest first; the last one is not over.")


class ReviewOrder(BaseModel):
    """A decision on changes."""

    model_config = ConfigDict(extra="forbid")

    changes: list[str] = Field(min_length=1, max_length=500, description="Ids, as 12-3.")
    decision: Review = Field(description="`open` takes the last decision back.")
    reason: str | None = Field(None, max_length=500)
