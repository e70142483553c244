"""What is decided about, and the decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

INCLUDE: Final = "include"
EXCLUDE: Final = "exclude"
NEEDS_REVIEW: Final = "needs_review"
Verdict = Literal["include", "exclude", "needs_review"]


@dataclass(frozen=True, slots=True)
class Mapped:
    """A URL of the map. *met*: what the collection or the map made of it; *excerpt*: the start of its text, if held."""

    page_id: str
    url: str
    section: str
    template: str
    title: str | None = None
    description: str | None = None
    dated: str | None = None
    source_id: str | None = None
    met: str | None = None
    met_reason: str | None = None
    language: str | None = None
    excerpt: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a page belongs to the corpus, by whom, and why. *confidence* from 0 to 1; of a person and a rule 1."""

    decision: Verdict
    decided_by: Literal["rule", "model", "override"]
    rule: str
    reason: str
    confidence: float = 1.0
    evidence: tuple[str, ...] = ()
