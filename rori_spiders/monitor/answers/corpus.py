"""The corpus: domains, runs with what they wait for, sections, versions."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003  # pydantic reads annotations when it runs
from typing import Literal

from pydantic import Field

from rori_spiders.corpus.states import State  # noqa: TC001
from rori_spiders.monitor.answers.base import Answer

#: What a person may do to a run as it is.
Act = Literal["decide", "review", "approve", "publish", "withdraw", "cancel", "resume", "go_on"]


class CorpusRun(Answer):
    """A run of a domain's corpus."""

    run_id: str
    domain: str
    kind: Literal["full", "delta"]
    state: State
    turn: Literal["machine", "person", "over"] = Field(description="Whose move is next.")
    says: str | None = Field(description="Why it failed or was given up, or what holds it.")
    stopped_in: str | None = Field(description="Of one that failed: the state in which it is resumed.")
    requested_by: str
    started_at: datetime
    moved_at: datetime
    ended_at: datetime | None
    base_version: int | None = Field(description="The newest version when it began; a delta changes it.")
    model: str | None
    sources: list[str]
    url: str | None = Field(description="Of a site that no source has.")
    worker: str | None = Field(description="The process that works on it now.")


class CorpusCounts(Answer):
    """How many pages stand how. ``failed``, ``gone`` and those that follow are among ``include``."""

    pages: int
    include: int
    exclude: int
    needs_review: int
    undecided: int
    added: int = Field(description="By a person: the map has missed them.")
    failed: int = Field(description="Included, and no text of them could be had.")
    gone: int
    publishable: int
    held: int = Field(description="A gate says that a person must look: needs_review.")
    refused: int = Field(description="A gate says that they may not be published: excluded.")
    approved: int
    rejected: int
    waiting: int = Field(description="Included, with a text, and nobody has looked at it.")


class CorpusSection(CorpusCounts):
    """A folder below the root of the site, with its pages."""

    section: str


class CorpusProcess(Answer):
    """The process that this monitor has started for the domain last."""

    state: Literal["waits", "runs", "ended"]
    log: str | None
    code: int | None = Field(description="How it ended: 0 is well.")
    says: str | None = Field(description="The last line of its log, where it did not end well.")


class CorpusRunDetail(CorpusRun):
    """A run, with what it waits for."""

    counts: CorpusCounts
    sections: list[CorpusSection]
    questions: list[str] = Field(description="What stands between the run and its approval; empty: nothing does.")
    may: list[Act] = Field(description="What an operator may do to it as it is.")
    process: CorpusProcess | None
    starts: bool = Field(description="Whether this monitor starts the process that works on it.")


class CorpusVersion(Answer):
    """A version that was published, or is being."""

    domain: str
    version: int
    state: Literal["publishing", "published", "abandoned"]
    run_id: str | None = Field(description="Null of a rollback.")
    rolled_back_to: int | None
    prefix: str = Field(description="Where it lies, below the staging area.")
    manifest_hash: str | None
    pages: int | None
    tombstones: int | None
    approved_by: str | None
    approved_at: datetime | None
    published_by: str
    begun_at: datetime
    published_at: datetime | None
    loader_state: str | None = Field(
        description="started, done, failed; not started: one is named, and nobody has started it; "
        "unknown: it was started, and nothing was heard of it for longer than it may take; null: none is named."
    )
    loader_execution: str | None
    loader_says: str | None
    loader_at: datetime | None
    may_load: bool = Field(description="Whether its loader can be started by hand.")


class CorpusDomain(Answer):
    """A domain that has, or had, a corpus."""

    domain: str
    run: CorpusRun | None = Field(description="The one that has not ended, else the last.")
    counts: CorpusCounts | None = Field(description="Of that run.")
    latest: CorpusVersion | None = Field(description="What is published.")


class CorpusDomains(Answer):
    """Domains that have a corpus, and those of the manifest that have none yet."""

    items: list[CorpusDomain]
    others: list[str] = Field(description="Domains of sources in force of which no corpus was begun.")


class CorpusHistory(Answer):
    """What was and is of a domain, newest first: the last 100 of each."""

    domain: str
    runs: list[CorpusRun]
    versions: list[CorpusVersion]
