"""What people send about a corpus."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from rori_spiders.monitor.answers.base import Answer

#: A domain's name: it becomes a folder, and a word of a command line.
Domain = Annotated[str, StringConstraints(max_length=253, pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$")]
#: A person's words. PostgreSQL refuses a NUL in a text.
Why = Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\x00]*$")]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
PageKey = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]


class CorpusBeginning(Answer):
    """A run that is to begin."""

    domain: Domain
    sources: list[Annotated[str, StringConstraints(max_length=200)]] = Field(
        [], max_length=500, description="Ids; none: all of the domain, else the site itself."
    )


class CorpusReason(Answer):
    """Why a person does it."""

    reason: Why


class CorpusDecision(CorpusReason):
    """Whether a page belongs to the corpus; null: let the rules decide again."""

    decision: Literal["include", "exclude"] | None


class CorpusAddition(CorpusReason):
    """A URL that the map has missed."""

    url: Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=r"^[^\x00]+$")]


class CorpusApproval(Answer):
    """The text that was looked at."""

    document: Digest
    reason: Why | None = Field(None, description="Needed where a gate holds the page for a person.")


class CorpusCleaning(Answer):
    """Pages that are to be cleaned again."""

    pages: list[PageKey] = Field(min_length=1, max_length=500)


class CorpusConfirmation(Answer):
    """The name of the domain, typed."""

    domain: Annotated[str, StringConstraints(max_length=253)]


class CorpusPublishing(CorpusConfirmation):
    """A version that is to be published."""

    reason: Why | None = Field(None, description="Needed where more than a third of the pages changed or are gone.")
    leave_out: bool = Field(False, description="Leave out, and name, pages that their publishers forbid to be used.")


class CorpusRollback(CorpusConfirmation, CorpusReason):
    """The version whose pages are to be published again."""

    version: int = Field(ge=1, le=2**31 - 1)


class CorpusApproved(Answer):
    """How many pages were approved."""

    approved: int
