"""Schemas of manifests: active ones, their versions, and the check of a text."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from rori_spiders.monitor.rest.schemas import ApiModel

#: Without control characters, because it is displayed and stored in the ledger.
Name = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class ManifestRow(ApiModel):
    """A manifest that is or was active."""

    name: str
    version: str
    sha256: str
    origin: Literal["ledger", "packaged", "file"] = Field(description="Location of its text.")
    path: str | None = Field(description="Path of a file named in RORI_MANIFEST.")
    active: bool
    version_id: int | None = Field(description="ID of the ledger's version; null if not from the ledger.")
    activated_at: datetime | None
    activated_by: str | None
    sources: int | None = Field(description="Null when not active.")
    versions: int = Field(description="Number of versions with this name in the ledger.")


class Manifests(ApiModel):
    """Active manifests, then names that were active before."""

    fixed: bool = Field(
        description="True when RORI_MANIFEST overrides the active manifest; nothing can be activated here then."
    )
    fixed_why: str | None
    items: list[ManifestRow]


class ManifestVersionRow(ApiModel):
    """An activation of a manifest's text."""

    version_id: int
    name: str
    version: str
    sha256: str
    activated_at: datetime
    activated_by: str
    active: bool
    chars: int


class ManifestText(ApiModel):
    """A manifest to check: JSON or YAML, at most 5 MiB."""

    name: Name = Field(description="File name, with or without extension; the ledger stores it without.")
    text: str


class ManifestActivation(ManifestText):
    """A checked manifest to activate."""

    sha256: Sha256 = Field(description="Hash returned by the check, so that exactly the checked text is activated.")


class ProblemOf(ApiModel):
    """A problem of a manifest."""

    line: int | None = Field(description="Line of its value in the text, from 1; null if it has none.")
    column: int | None
    path: str | None = Field(description="$.sources[3].scrape_config.max_depth")
    source_id: str | None
    message: str


class FieldChanged(ApiModel):
    """A changed field."""

    field: str = Field(description="Dotted: scrape_config.max_depth")
    kind: Literal["added", "removed", "changed"]
    before: Any
    after: Any


class SourceChanged(ApiModel):
    """An added, removed or changed source; with a null id, the manifest itself."""

    source_id: str | None
    kind: Literal["added", "removed", "changed"]
    says: str | None = Field(description="For a whole source: its name, URL and status.")
    fields: list[FieldChanged]


class WouldFetch(ApiModel):
    """The expected requests of the next run of a new or changed source, based on its last run."""

    source_id: str
    url: str
    method: str
    pages: int | None = Field(description="Null: known only after a run.")
    tiers: list[str]
    browser_pages: int | None
    credits: int | None
    delay_s: float
    minutes: float | None


class ManifestEnding(ApiModel):
    """An active manifest of which sources would no longer be collected."""

    name: str
    packaged: bool = Field(description="True for the packaged manifest, which is used only while none is active.")
    whole: bool = Field(description="True when the whole source would be removed.")
    source_ids: list[str] = Field(description="URLs that would no longer be collected: the first 500.")
    sources_in_all: int


class ManifestCheck(ApiModel):
    """Result of a check. The manifest can be activated if it has no problems."""

    name: str
    version: str | None
    sha256: str | None = Field(description="Hash of the text as it would be stored; null if there are problems.")
    sources: int | None
    problems: list[ProblemOf] = Field(description="The first 500.")
    problems_in_all: int
    warnings: list[str]
    against: str | None = Field(description="The active version used for the comparison.")
    same: bool = Field(description="True when this text is already active.")
    difference: list[SourceChanged]
    would_fetch: list[WouldFetch] = Field(description="The first 500 active sources that are new or changed.")
    would_fetch_in_all: int
    ending: list[ManifestEnding] | None = Field(
        description="What would no longer be collected; null: unknown, because the active manifest is invalid."
    )


class Activated(ApiModel):
    """The activated version."""

    name: str
    version: str
    sha256: str
    still_active: list[str] = Field(description="Names of the other active manifests.")
