"""Pages, their versions, and the difference between two versions."""

from datetime import datetime
from typing import Literal

from pydantic import ConfigDict, Field

from rori_spiders.content.changes.model import ChangeKind, MarkKind, Op, SectionKind
from rori_spiders.monitor.rest.schemas import ApiModel, CountedList, ReasonCodeName


class VersionRow(ApiModel):
    """A version of a page: a new text, or its removal."""

    version_id: str = Field(description="ID of the page, and number of the version: 12-3.")
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


class Cited(ApiModel):
    """A citation in the text."""

    text: str
    kind: str
    canonical: str
    target: str | None = Field(description="URL of the cited text at its publisher.")
    times: int


class SectionHashOf(ApiModel):
    """A section of the text."""

    path: str
    hash: str


class StoredFileState(ApiModel):
    """The state of a version's file. ``pruned``: removed after it was confirmed and its retention ended."""

    state: Literal["stored", "missing", "pruned", "none"]
    bytes: int | None = None
    content_type: str | None = None
    path: str | None = None
    why: str | None = Field(None, description="Why it is unavailable.")


class BrowserStep(ApiModel):
    """What the browser did on a page before it was read: a click that its source asks for, a prompt that it hid."""

    step: str
    target: str
    result: str


class Version(VersionRow):
    """One version in detail."""

    source_id: str
    is_newest: bool
    version_before: str | None
    version_after: str | None
    replaced_at: datetime | None
    last_confirmed_at: datetime | None = Field(description="Time when this text was last read or confirmed.")
    html_hash: str | None
    final_url: str | None
    audit_id: int | None
    sections: list[SectionHashOf]
    citations: list[Cited] = Field(description="Citations in the text, each once, in order of first appearance.")
    citations_in_all: int
    unread_pages: list[int] = Field(description="Pages of a PDF that are pictures and were not read: no text has them.")
    chars: int | None
    text: StoredFileState
    raw: StoredFileState
    envelope: StoredFileState
    screenshot: StoredFileState = Field(description="The picture of the page, where its source asks for one.")
    screenshot_hash: str | None
    steps: list[BrowserStep] = Field(description="What the browser did on the page before it was read.")


# The pages of a source, and one page with its versions and attempts.

PageState = Literal["captured", "excluded", "failed", "refused", "gone", "held", "pending", "unknown"]


class PageFacts(ApiModel):
    """A URL of a source: a stored page, or one that is not, with the reason."""

    page_id: int | None = Field(description="Null for a URL that was never read.")
    url: str
    title: str | None
    state: PageState = Field(
        description="captured: its text is stored; refused: the server sent a login, challenge or block page "
        "instead; held: until a person accepts it; pending: the open run has not reached it; "
        "unknown: nothing is stored, and the last run did not see it."
    )
    reason: str | None = Field(description="Reason of this state, from the last run that saw it.")
    reason_code: ReasonCodeName
    last_checked_at: datetime | None
    last_seen_at: datetime | None = Field(description="Time when its text was last read or confirmed.")
    last_changed_at: datetime | None
    missing_since: datetime | None
    versions: int
    chars: int | None = Field(description="Of its last text.")
    has_unread_pages: bool = Field(
        description="Whether its document has pages that are pictures and were not read (alert pages_unread)."
    )
    tier: str | None
    verdict: str | None
    run_id: str | None = Field(description="The last run, if it saw the page.")
    audit_id: int | None = Field(description="ID of its audit row: GET /api/v1/failures/{audit_id}.")


class Pages(CountedList[PageFacts]):
    """The matching pages by URL, with counts by state."""

    states: dict[str, int] = Field(description="Number of pages per state, regardless of the `state` filter.")


class PageAddress(ApiModel):
    """A current or former URL of a page."""

    page_id: int
    url: str
    first_seen_at: datetime
    last_seen_at: datetime | None


class Alias(ApiModel):
    """A URL that redirects to the page."""

    url: str
    kind: str = Field(description="redirect, canonical or moved")
    seen_at: datetime


class PageTry(ApiModel):
    """The outcome of the page in a run: an audit row."""

    audit_id: int
    at: datetime
    run_id: str
    state: str
    reason: str | None
    reason_code: ReasonCodeName
    error: str | None
    http_status: int | None
    verdict: str | None
    tier: str
    retries: int
    ms: int | None
    credits: int
    steps: list[BrowserStep] = Field(description="What the browser did on the page in its last attempt.")
    has_response: bool = Field(description="True when the audit names the received bytes.")


class ImportedText(ApiModel):
    """A text that others captured, or that its publisher stated later: no version, and never seen by this collector."""

    captured_at: datetime = Field(description="By the word of what was imported.")
    trust: Literal["archived", "stated", "publisher"] = Field(
        description="archived: a digest of the archive matches its bytes; stated: nothing but the word of the file; "
        "publisher: the publisher stated later that this was its text on that day."
    )
    title: str | None
    published: str | None
    content_hash: str
    url: str
    imported_from: str
    imported_at: datetime
    imported_by: str


class PageDetail(PageFacts):
    """One page."""

    source_id: str
    first_seen_at: datetime | None
    gone_at: datetime | None
    addresses: list[PageAddress] = Field(description="Its addresses, the current one first.")
    aliases: list[Alias]
    history: list[VersionRow] = Field(description="Its versions under all addresses, newest first.")
    imported: list[ImportedText] = Field(description="The last 500, newest first; of equal ones in a row the first.")
    tries: list[PageTry] = Field(description="The last 100, newest first.")


# Differences between two versions of a page, in the form of ``scrapy diff --format json`` (docs/reference/commands.md).

#: A text as runs of (op, text): kept, deleted, inserted.
WordEdits = list[tuple[Op, str]]


class _Between(ApiModel):
    model_config = ConfigDict(frozen=True, from_attributes=True, populate_by_name=True)


class DifferenceVersion(ApiModel):
    """One of the two versions."""

    url: str
    version: int = Field(description="Its number at this address.")
    version_id: str
    captured_at: datetime
    change_type: Literal["new", "modified", "deleted"]
    content_hash: str
    converter_version: str
    tier: str
    run_id: str


class MarkOf(ApiModel):
    """A changed figure, date, citation, operative word or link target; null on the side without one."""

    kind: MarkKind
    old: str | None
    new: str | None


class PlaceOf(ApiModel):
    """The position of a block: its section's heading path, and its number there, from 1."""

    path: str
    number: int


class CellOf(ApiModel):
    """A cell of a table row that changed."""

    row: str = Field(description="First cell of its row.")
    column: str = Field(description="Title of its column, or `column 3`.")
    words: WordEdits
    marks: list[MarkOf]


class ChangeOf(_Between):
    """A block that changed: a heading, paragraph, list item, table row or line of code."""

    change: ChangeKind
    what: str
    old: PlaceOf | None = Field(alias="from")
    new: PlaceOf | None = Field(alias="to")
    words: WordEdits
    cells: list[CellOf]
    marks: list[MarkOf]
    note: str | None = Field(description="Differences that readers do not see.")
    coarse: str | None = Field(description="Method of comparison, if coarser than word by word.")
    blocks: int = Field(description="Number of sections that moved together.")


class SectionOf(ApiModel):
    """A section with its changes."""

    change: SectionKind
    path: str = Field(description="Its heading path; the old path if removed.")
    path_before: str | None
    stood_after: str | None = Field(
        description="For a moved section: the section before it then; empty at the beginning."
    )
    stands_after: str | None
    sections: int = Field(description="Number of sections that moved with it.")
    changes: list[ChangeOf] = Field(description="Empty when only hashes were compared; a note says so.")


class DifferenceSummary(ApiModel):
    """The difference in one sentence and in figures."""

    text: str
    sections: dict[str, int]
    marks: dict[str, dict[str, int]]


class DifferenceOf(_Between):
    """All differences, in the order of the new text."""

    source: str
    url: str
    old: DifferenceVersion = Field(alias="from")
    new: DifferenceVersion = Field(alias="to")
    notes: list[str] = Field(description="Notes on the comparison: other converters, a coarse comparison, ...")
    summary: DifferenceSummary
    sections: list[SectionOf]


class PageAt(ApiModel):
    """What was held of a page at an instant. The publisher's dates are in its own words; the others are UTC."""

    as_of: datetime
    state: Literal["held", "not_captured", "removed", "moved"]
    says: str = Field(description="What the looks before and after prove, and what they leave open.")
    imported_says: str | None = Field(None, description="The last text by then that was imported, and who states it.")
    version_id: str | None = Field(description="The version that was held, as 12-3.")
    published: str | None = None
    effective: str | None = None
    effective_until: str | None = Field(None, description="In force until, where a later version names another date.")
    captured: datetime | None = None
    last_seen: datetime | None = None
    known: datetime | None = Field(None, description="When the ledger recorded it.")
    next_look: datetime | None = None
    next_look_saw: str | None = None
    content_hash: str | None = None
    raw_object: str | None = Field(None, description="The bytes as received.")
    robots_object: str | None = None
    envelope: str | None = None
    version_leaf: int | None = Field(None, description="Position in the log of facts.")
    envelope_leaf: int | None = None
    last_seen_leaf: int | None = None
