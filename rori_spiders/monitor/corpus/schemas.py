"""Schemas of corpora: domains, runs, versions, pages, and the bodies of actions."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool, StringConstraints

from rori_spiders.corpus.run_states import State
from rori_spiders.monitor.pages.schemas import (
    DifferenceSummary,
    SectionOf,
)
from rori_spiders.monitor.rest.schemas import ApiModel, CountedList

#: Actions that a run allows in its state.
CorpusAction = Literal["decide", "review", "approve", "publish", "withdraw", "cancel", "resume", "go_on"]


class CorpusRun(ApiModel):
    """A run of a domain's corpus."""

    run_id: str
    domain: str
    kind: Literal["full", "delta"]
    state: State
    turn: Literal["machine", "person", "over"] = Field(description="Who acts next: the program or a person.")
    says: str | None = Field(description="Why it failed, was abandoned, or is blocked.")
    stopped_in: str | None = Field(description="For a failed run: the state in which it resumes.")
    requested_by: str
    started_at: datetime
    moved_at: datetime
    ended_at: datetime | None
    base_version: int | None = Field(description="The newest version when the run started; the base of a delta.")
    model: str | None
    sources: list[str]
    url: str | None = Field(description="Start URL of a site without a source.")
    worker: str | None = Field(description="The process working on it now.")


class CorpusCounts(ApiModel):
    """Numbers of pages by state. ``failed``, ``gone`` and the following are among ``include``."""

    pages: int
    include: int
    exclude: int
    needs_review: int
    undecided: int
    added: int = Field(description="Pages a person added because the map missed them.")
    failed: int = Field(description="Included, but their text could not be fetched.")
    gone: int
    publishable: int
    held: int = Field(description="A gate requires review: needs_review.")
    refused: int = Field(description="A gate forbids publishing: excluded.")
    approved: int
    rejected: int
    waiting: int = Field(description="Included, with text, not reviewed yet.")


class CorpusSection(CorpusCounts):
    """A folder below the root of the site, with its pages."""

    section: str


class CorpusProcess(ApiModel):
    """The last process that this monitor started for the domain."""

    state: Literal["waits", "runs", "ended"]
    log: str | None
    code: int | None = Field(description="Exit code; 0 is success.")
    says: str | None = Field(description="The last line of its log, if it failed.")


class CorpusQuestion(ApiModel):
    """An open question that blocks the approval of a run."""

    code: Literal["undecided", "no_text", "excluded_by_gate", "rejected", "unseen", "no_page"]
    pages: int
    summary: str
    examples: str


class CorpusRunDetail(CorpusRun):
    """A run with its open questions."""

    counts: CorpusCounts
    sections: list[CorpusSection]
    questions: list[CorpusQuestion] = Field(description="Required before approval; empty: it may be approved.")
    may: list[CorpusAction] = Field(description="Actions available to an operator in this state.")
    process: CorpusProcess | None
    starts: bool = Field(description="True when this monitor starts its worker process.")


class CorpusVersion(ApiModel):
    """A version that is published or being published."""

    domain: str
    version: int
    state: Literal["publishing", "published", "abandoned"]
    run_id: str | None = Field(description="Null for a rollback.")
    rolled_back_to: int | None
    prefix: str = Field(description="Its path in the staging area.")
    manifest_hash: str | None
    pages: int | None
    tombstones: int | None
    approved_by: str | None
    approved_at: datetime | None
    published_by: str
    begun_at: datetime
    published_at: datetime | None
    loader_state: str | None = Field(
        description="started, done, failed; not started: configured but not started; unknown: started, but it "
        "did not report within its time limit; null: not configured."
    )
    loader_execution: str | None
    loader_says: str | None
    loader_at: datetime | None
    may_load: bool = Field(description="True when its loader can be started by hand.")


class CorpusDomain(ApiModel):
    """A domain that has, or had, a corpus."""

    domain: str
    run: CorpusRun | None = Field(description="The open run, otherwise the last.")
    counts: CorpusCounts | None = Field(description="Of that run.")
    latest: CorpusVersion | None = Field(description="The published version.")


class CorpusDomains(ApiModel):
    """Domains with a corpus, and domains of the manifest without one."""

    items: list[CorpusDomain]
    others: list[str] = Field(description="Domains of active sources without a corpus.")


class CorpusHistory(ApiModel):
    """The last 100 runs and versions of a domain, newest first."""

    domain: str
    runs: list[CorpusRun]
    versions: list[CorpusVersion]


# The pages that a run of the corpus decides about.

TextOf = Literal["raw", "draft", "clean", "document"]


class CorpusPageRow(ApiModel):
    """A URL with its decision, its reason, and the state of its text."""

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
    got: str | None = Field(description="staged, fetched, failed, gone; null: text not requested yet.")
    got_reason: str | None
    cleaned_by: str | None = Field(
        description=(
            "draft: cleaned by rules only; model: cleaned by the model; approved: as a person approved it before; "
            "person: written by a person; again: to be cleaned again."
        )
    )
    document: str | None = Field(description="Hash of the file to be published; approval refers to it.")
    flags: list[str]
    gate: Literal["publishable", "needs_review", "excluded"] | None
    review: Literal["approved", "rejected"] | None
    reviewed_by: str | None


class CorpusPages(CountedList[CorpusPageRow]):
    """The matching pages, by section."""


class CorpusReference(ApiModel):
    """A citation or link in a document of the latest version, and where it leads."""

    from_url: str = Field(description="The page whose text refers.")
    from_title: str | None = Field(description="Its title in the version.")
    from_page_id: str | None = Field(description="Its id in the runs of the corpus.")
    from_run_id: str | None = Field(description="The newest run that has it; null: none has.")
    citation: str = Field(description="What it cites, or the URL that it links to.")
    resolution: Literal["exact", "part", "missing", "outside", "unknown"]
    to_url: str | None = Field(description="The page that is meant, in the corpus or outside; null: not known.")
    chunk: str = Field(description="Id of the chunk that refers.")
    to_title: str | None = Field(description="Its title in the version; null: not in the corpus, or it has none.")
    target_chunk: str | None = Field(description="Id of the chunk that is meant; null: not in the corpus.")


class CorpusReferences(CountedList[CorpusReference]):
    """References of the latest version."""

    version: int | None = Field(description="Null: no version with references is published yet.")


class CorpusFinding(ApiModel):
    """A finding of the audit."""

    code: str
    severity: str
    says: str


class CorpusOverride(ApiModel):
    """A manual decision about a URL; null: the rules decide again."""

    decision: str | None
    reason: str
    by: str
    at: datetime


class CorpusPage(CorpusPageRow):
    """One page with all its details."""

    run_id: str
    domain: str
    source_id: str | None
    template: str
    description: str | None
    dated: str | None
    met: str | None = Field(description="Its outcome in the collection or the map.")
    met_reason: str | None
    sampled: bool
    evidence: Any
    got_at: datetime | None
    doc_id: str | None
    content_hash: str | None
    reviewed_at: datetime | None
    review_reason: str | None
    texts: list[TextOf] = Field(description="Available texts.")
    findings: list[CorpusFinding]
    removals: Any = Field(description="Removals by rules, each with the rule's name; null: not cleaned yet.")
    cleaning: Any = Field(
        description=("Prompts and answers of the model, and the edits that guards rejected; null: no model.")
    )
    overrides: list[CorpusOverride] = Field(description="Comments on this URL, newest first.")
    missing: list[str] = Field(description="Files that the ledger names but the staging area lacks.")


class CorpusDifference(ApiModel):
    """The differences between two texts of a page, in the form of a version comparison."""

    notes: list[str]
    summary: DifferenceSummary
    sections: list[SectionOf]


# Bodies of actions.

#: A domain's name: it becomes a folder, and a word of a command line.
DomainText = Annotated[str, StringConstraints(max_length=253, pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$")]
#: A person's words. PostgreSQL refuses a NUL in a text.
ReasonText = Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\x00]*$")]
Sha256Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
PageKey = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]


class CorpusBeginning(ApiModel):
    """A run to start."""

    domain: DomainText
    sources: list[Annotated[str, StringConstraints(max_length=200)]] = Field(
        [], max_length=500, description="IDs; none: all sources of the domain, or the site itself."
    )


class CorpusReason(ApiModel):
    """The reason of an action."""

    reason: ReasonText


class CorpusDecision(CorpusReason):
    """A decision about a page; null: let the rules decide again."""

    decision: Literal["include", "exclude"] | None


class CorpusAddition(CorpusReason):
    """A URL that the map does not have."""

    url: Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=r"^[^\x00]+$")]


class CorpusApproval(ApiModel):
    """The text that was reviewed."""

    document: Sha256Digest
    reason: ReasonText | None = Field(None, description="Required when a gate holds the page for review.")


class CorpusCleaning(ApiModel):
    """Pages to clean again."""

    pages: list[PageKey] = Field(min_length=1, max_length=500)


class CorpusConfirmation(ApiModel):
    """The typed name of the domain, as confirmation."""

    domain: Annotated[str, StringConstraints(max_length=253)]


class CorpusPublishing(CorpusConfirmation):
    """A version to publish."""

    reason: ReasonText | None = Field(
        None, description="Required when more than a third of the pages changed or are gone."
    )
    leave_out: StrictBool = Field(False, description="Exclude and list pages whose publishers restrict use.")


class CorpusRollback(CorpusConfirmation, CorpusReason):
    """The version to roll back to."""

    version: int = Field(ge=1, le=2**31 - 1)


class CorpusApproved(ApiModel):
    """The number of approved pages."""

    approved: int
