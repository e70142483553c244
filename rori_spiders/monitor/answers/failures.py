"""The error log."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003
from typing import Literal

from pydantic import Field

from rori_spiders.monitor.answers.base import Answer, Followed


class Failure(Answer):
    """A page that ended failed."""

    audit_id: int
    at: datetime
    source_id: str
    run_id: str
    url: str
    http_status: int | None
    verdict: str | None
    error: str | None = Field(description="What the network or a library said.")
    message: str | None = Field(description="The reason, in words.")
    retries: int
    tier: str
    severity: Literal["high", "warning", "info"]
    resolved: bool = Field(description="The same URL of the source was captured, unchanged or gone later.")
    resolved_at: datetime | None


class Failures(Followed[Failure]):
    """Some failures; with filters the list may be short, or empty, and go on all the same."""

    looked_until: datetime | None = Field(description="How far the log was searched; null: to its end.")
