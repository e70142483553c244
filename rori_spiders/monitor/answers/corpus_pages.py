"""The pages that a run of the corpus decides about."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003  # pydantic reads annotations when it runs
from typing import Any, Literal

from pydantic import Field

from rori_spiders.monitor.answers.base import Answer, Listed
from rori_spiders.monitor.answers.difference import DifferenceSummary, SectionOf  # noqa: TC001

TextOf = Literal["raw", "draft", "clean", "document"]


class CorpusPageRow(Answer):
    """A URL, what was decided about it and why, and how far its text has come."""

    page_id: str
    url: str
    title: str | None
    section: str
    found_by: str = Field(description="map, held (by the collection), person, change")
    decision: Literal["include", "exclude", "needs_review"] | None = Field(description="Null: not yet.")
    decided_by: str | None = Field(description="rule, model, override")
    rule: str | None = Field(description="The rule's name, the model's, or the person's.")
    reason: str | None
    confidence: float | None
    got: str | None = Field(description="staged, fetched, failed, gone; null: nobody has asked for its text yet.")
    got_reason: str | None
    cleaned_by: str | None = Field(description="draft: rules alone; model; approved: as a person approved it before.")
    document: str | None = Field(description="Hash of the file as it would be published: what is approved.")
    flags: list[str]
    gate: Literal["publishable", "needs_review", "excluded"] | None
    review: Literal["approved", "rejected"] | None
    reviewed_by: str | None


class CorpusPages(Listed[CorpusPageRow]):
    """The pages that fit, section by section."""


class CorpusFinding(Answer):
    """What the audit of a text says."""

    code: str
    severity: str
    says: str


class CorpusOverride(Answer):
    """What a person has said of a URL; null as the decision: that the rules decide again."""

    decision: str | None
    reason: str
    by: str
    at: datetime


class CorpusPage(CorpusPageRow):
    """One page, with all that is known of it."""

    run_id: str
    domain: str
    source_id: str | None
    template: str
    description: str | None
    dated: str | None
    met: str | None = Field(description="What the collection or the map made of it.")
    met_reason: str | None
    sampled: bool
    evidence: Any
    got_at: datetime | None
    doc_id: str | None
    content_hash: str | None
    reviewed_at: datetime | None
    review_reason: str | None
    texts: list[TextOf] = Field(description="Which texts there are.")
    findings: list[CorpusFinding]
    removals: Any = Field(description="What rules took out of the text, each with the rule's name; null: nothing yet.")
    cleaning: Any = Field(description="What a model was told and answered, what guards refused; null: no model.")
    overrides: list[CorpusOverride] = Field(description="All that was ever said of this URL, newest first.")
    missing: list[str] = Field(description="What the staging area does not have though the ledger names it.")


class CorpusDifference(Answer):
    """What differs between two texts of a page, in the form of the comparison of versions."""

    notes: list[str]
    summary: DifferenceSummary
    sections: list[SectionOf]
