"""The versions of a page."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003  # pydantic reads annotations when it runs
from typing import Literal

from pydantic import Field

from rori_spiders.monitor.answers.base import Answer


class VersionRow(Answer):
    """A text of a page that differs from the one before it, or its removal."""

    version_id: str = Field(description="Number of the page's address, and number of the version there: 12-3.")
    page_id: int
    url: str
    version: int
    captured_at: datetime
    change_type: Literal["new", "modified", "deleted"]
    content_hash: str
    title: str | None
    published: str | None
    effective: str | None
    publisher_version: str | None
    tier: str
    converter_version: str
    run_id: str


class Cited(Answer):
    """A citation in the text."""

    text: str
    kind: str
    canonical: str
    target: str | None = Field(description="Where the publisher keeps what is cited.")
    times: int


class SectionHashOf(Answer):
    """A section of the text."""

    path: str
    hash: str


class Kept(Answer):
    """What the staging area has of a version. ``pruned``: an envelope whose time was over after it was confirmed."""

    state: Literal["kept", "missing", "pruned", "none"]
    bytes: int | None = None
    content_type: str | None = None
    path: str | None = None
    why: str | None = Field(None, description="Why it is not there.")


class Version(VersionRow):
    """One version, with what is known of it."""

    source_id: str
    is_newest: bool
    version_before: str | None
    version_after: str | None
    replaced_at: datetime | None
    last_confirmed_at: datetime | None = Field(description="When this text was last read or confirmed.")
    html_hash: str | None
    final_url: str | None
    audit_id: int | None
    sections: list[SectionHashOf]
    citations: list[Cited] = Field(description="Those of the text, each once, in the order in which they first stand.")
    citations_in_all: int
    chars: int | None
    text: Kept
    raw: Kept
    envelope: Kept
