"""The pages of a source, and one page with its versions and tries."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003  # pydantic reads annotations when it runs
from typing import Literal

from pydantic import Field

from rori_spiders.monitor.answers.base import Answer, Listed
from rori_spiders.monitor.answers.versions import VersionRow  # noqa: TC001

PageState = Literal["captured", "excluded", "failed", "refused", "gone", "held", "pending", "unknown"]


class PageFacts(Answer):
    """A URL of a source: a page that is held, or one that is not, and why not."""

    page_id: int | None = Field(description="Null of a URL of which nothing was ever read.")
    url: str
    title: str | None
    state: PageState = Field(
        description="captured: its text is held; refused: the server answered something that is no page (a login, a "
        "challenge, a block); held: until a person accepts it; pending: the run that goes on has not come to it; "
        "unknown: nothing is held, and the last run did not meet it."
    )
    reason: str | None = Field(description="Why it is in this state, by the last run that met it.")
    last_checked_at: datetime | None
    last_seen_at: datetime | None = Field(description="When its text was last read or confirmed.")
    last_changed_at: datetime | None
    missing_since: datetime | None
    versions: int
    chars: int | None = Field(description="Of its last text.")
    tier: str | None
    verdict: str | None
    run_id: str | None = Field(description="The last run, where it met the page.")
    audit_id: int | None = Field(description="How it ended there, in the audit: GET /api/failures/{audit_id}.")


class Pages(Listed[PageFacts]):
    """The pages that fit, by their URLs, and how many there are in each state."""

    states: dict[str, int] = Field(description="State -> pages, whatever `state` was asked for.")


class PageAddress(Answer):
    """An address of a page, of now or from before it moved."""

    page_id: int
    url: str
    first_seen_at: datetime
    last_seen_at: datetime | None


class Alias(Answer):
    """An address that leads to the page."""

    url: str
    kind: str = Field(description="redirect, canonical or moved")
    seen_at: datetime


class PageTry(Answer):
    """How the page ended in a run: a row of the audit."""

    audit_id: int
    at: datetime
    run_id: str
    state: str
    reason: str | None
    error: str | None
    http_status: int | None
    verdict: str | None
    tier: str
    retries: int
    ms: int | None
    credits: int
    has_response: bool = Field(description="Whether the audit names the bytes that came.")


class PageDetail(PageFacts):
    """One page."""

    source_id: str
    first_seen_at: datetime | None
    gone_at: datetime | None
    addresses: list[PageAddress] = Field(description="Its addresses, that of now first.")
    aliases: list[Alias]
    history: list[VersionRow] = Field(description="Its versions under all of its addresses, newest first.")
    tries: list[PageTry] = Field(description="The last 100, newest first.")
