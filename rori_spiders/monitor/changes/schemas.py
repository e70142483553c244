"""Changes over all sources, and decisions on them."""

from __future__ import annotations

from datetime import date, datetime  # pydantic reads annotations when it runs
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from rori_spiders.comparison.importance import ImportanceName  # noqa: TC001
from rori_spiders.ledger.pages.vocabulary import Review  # noqa: TC001
from rori_spiders.monitor.rest.params import Day  # noqa: TC001
from rori_spiders.monitor.rest.schemas import ApiModel


class Comment(ApiModel):
    """What a person wrote about a change."""

    by: str
    at: datetime
    text: str


class Together(ApiModel):
    """How much stands together with a change in this list: its publication, or the low changes of its site."""

    changes: int
    pages: int


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
    sentence: str = Field(description="What changed, in a line: what matters most, and next.")
    passages: int = Field(description="How many changed; those of low importance count where all are.")
    points: int = Field(description="Among changes as important, those with more stand first.")
    order_reasons: list[str] = Field(description="What the points are for.")
    publication: str = Field(
        description="Changes of one part of a code, of one edit on many pages of a site, or else of one run, have the "
        "same."
    )
    publication_name: str
    site: str = Field(description="The registrable domain.")
    together: Together = Field(description="What the filters let pass of it, wherever this answer ends.")
    edit: str | None = Field(
        description="Changes with the same are one edit, word for word; null: of a whole page, or described by a "
        "release before this was recorded."
    )
    from_version: str | None = Field(description="The version before; null: none at this URL.")
    to_version: str
    effective: str | None = Field(description="The publisher's date, in its words.")
    notes: list[str]
    read_at: datetime | None = Field(description="When you read it; null: it is unread.")
    review: Review
    reason: str | None = Field(description="Of the review.")
    reviewed_by: str | None
    reviewed_at: datetime | None
    assignee: str | None = Field(description="Who is to look at it.")
    owner: str | None = Field(description="Who owns its agency; theirs as long as it is assigned to nobody.")
    due_on: date | None = Field(description="By the end of this day in UTC.")
    overdue: bool = Field(description="The day is over, and it is neither closed nor called not material.")
    comments: list[Comment] = Field(description="The oldest first.")


class ImportedChange(ApiModel):
    """What differs between two imported texts of a page. This collector saw neither."""

    change_id: str
    stated_at: datetime = Field(description="Of when the later text is, by its file or its publisher.")
    previously_stated_at: datetime | None = Field(description="Of when the text before is; null: there is none.")
    source_id: str
    page_id: int | None = Field(description="null: nothing of this URL was collected.")
    url: str
    title: str | None
    kind: str = Field(description="One of docs/reference/commands.md#changes.")
    kind_name: str = Field(description="The kind, in words.")
    importance: ImportanceName
    reasons: list[str] = Field(description="Why it is as important, strongest first.")
    sentence: str = Field(description="What changed, in a line.")
    provenance: Literal["imported"] = "imported"
    trust: str = Field(description="Who states the later text: `archived`, `stated` or `publisher`.")
    previous_trust: str | None = Field(description="... and the text before.")
    content_hash: str | None = Field(description="null: the publisher states that the page was no longer there.")
    previous_content_hash: str | None
    imported_from: str
    imported_by: str
    imported_at: datetime
    notes: list[str]


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
    unread: int = Field(description="Changes that wait for a review, and that you have not read.")
    overdue: int = Field(description="Assigned changes whose day is over, and that still wait.")
    people: list[str] = Field(description="Whom a change can be assigned to.")
    imported: int = Field(description="Changes between imported texts, which this collector did not see.")
    undescribed: int = Field(description="Versions that no job has compared yet; `scrapy changes` does it.")
    weeks: list[ChangeWeek] = Field(description="The last twelve, the oldest first; the last one is not over.")


class ChangesOrder(BaseModel):
    """Changes that a person does something with: all of them, or none when one is unknown."""

    model_config = ConfigDict(extra="forbid")

    changes: list[str] = Field(min_length=1, max_length=500, description="Ids, as 12-3.")


class ReadingOrder(ChangesOrder):
    """Changes that you have read, or want unread again."""

    read: StrictBool = True


class ReviewOrder(ChangesOrder):
    """A decision on changes."""

    decision: Review = Field(description="`closed`: material, and done; `open` takes the last one back.")
    reason: str | None = Field(None, max_length=500)


class AssignOrder(ChangesOrder):
    """Who is to look at changes."""

    assignee: str | None = Field(max_length=100, description="A user of the monitor; null: nobody any more.")
    due_on: Day | None = Field(None, description="By the end of this day in UTC.")
    comment: str | None = Field(None, max_length=2000)


class CommentOrder(ChangesOrder):
    """What a person writes about changes."""

    text: str = Field(min_length=1, max_length=2000, pattern=r"\S")


class NoiseEffect(ApiModel):
    """A past change that proposed noise lines would have ranked lower."""

    change_id: str
    at: datetime
    url: str
    was: ImportanceName
    importance: ImportanceName = Field(description="What it would have been.")
    figures: list[list[str | None]] = Field(
        description="Numbers, dates, amounts and citations that changed in it, old and new."
    )
    sentence: str


class NoiseProposal(ApiModel):
    """Noise lines for the manifest entry of a source. Nothing holds by a proposal."""

    source_id: str
    noise_lines: list[str] = Field(description="Empty: nothing to propose.")
    manifest: str = Field(description="The line of `scrape_config`, with the noise lines that it has.")
    left: list[str] = Field(description="Lines that changed and get no noise line, each with the reason.")
    past: int = Field(description="Changes of the source above low importance.")
    compared: int = Field(description="How many of them, the newest, were compared again within a time.")
    effects: list[NoiseEffect] = Field(description="Of these, those that would have ranked lower, newest first.")


class AgencyOwner(ApiModel):
    """An agency of the active manifest, and who owns it."""

    agency: str
    sources: int
    owner: str | None


class OwnerOrder(BaseModel):
    """Who is to own an agency."""

    model_config = ConfigDict(extra="forbid")

    agency: str = Field(max_length=200)
    owner: str | None = Field(max_length=100, description="A user of the monitor; null: nobody any more.")
