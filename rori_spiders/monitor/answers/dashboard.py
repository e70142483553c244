"""The dashboard: how the sources stand, and the alerts on top."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003  # pydantic reads annotations when it runs
from typing import Literal

from pydantic import Field

from rori_spiders.monitor.answers.base import Answer
from rori_spiders.standing import Status  # noqa: TC001


class LastRun(Answer):
    """The run of a source that was started last."""

    run_id: str
    state: str
    started_at: datetime
    ended_at: datetime | None = Field(description="null: it is open.")
    outcome: str = Field(description="In words: complete: 14 pages, 2 changed.")


class SourceRow(Answer):
    """One source."""

    id: str
    name: str
    url: str
    agency: str | None
    category: str
    domain: str
    jurisdiction: str
    method: str
    status: Status
    why: str | None = Field(description="What keeps it from running, in words: a pause, its manifest, another job.")
    last_run: LastRun | None
    last_checked_at: datetime | None = Field(description="When a run of it last ended complete.")
    next_due: datetime | None = Field(description="null: at once where is_due, else never while something pauses it.")
    is_due: bool = Field(description="Nothing pauses it, and its time has come.")
    tier: str | None = Field(description="The tier in use: what worked last.")
    pages: int = Field(description="Pages that are held: captured once, and not gone.")
    changes: list[int] = Field(description="Texts that came, changed or went, a day; 30 days in UTC, today last.")
    changed_30d: int = Field(description="Their sum.")
    hash: str | None = Field(description="Of what is held: of the text of one page, else of all pages' hashes.")
    open_alerts: int


class Facets(Answer):
    """How many of the sources that all the *other* filters leave have each value."""

    status: dict[str, int]
    agency: dict[str, int] = Field(description="The key '' is those without one.")
    category: dict[str, int]
    domain: dict[str, int]


class Sources(Answer):
    """Some of the sources, and what they can be filtered by."""

    items: list[SourceRow]
    total: int = Field(description="All sources in force.")
    matching: int = Field(description="Those that the filters leave.")
    facets: Facets


class Alert(Answer):
    """One that is open."""

    alert_id: int
    source_id: str | None = Field(description="null: it is of no single source.")
    event: str
    severity: Literal["high", "warning", "info"]
    message: str
    opened_at: datetime
    pages: list[str]
    what_to_do: str | None
