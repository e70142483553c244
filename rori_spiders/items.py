"""The item that travels from downloader to pipelines: one per URL and run, whatever its outcome."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from rori_spiders.reasons import CAPTURED, Reason

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from rori_spiders.content.convert import Converted
    from rori_spiders.envelope.models import Envelope
    from rori_spiders.urls.list_marks import ListMarks
    from rori_spiders.verdicts.verdict import Verdict


@dataclass(frozen=True, slots=True)
class PageStep:
    """What the browser did on a page after it was loaded: to what of it, and what came of that."""

    step: str
    target: str
    result: str = ""

    def as_json(self) -> dict[str, str]:
        return {"step": self.step, "target": self.target, "result": self.result}


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at a URL by one tier."""

    tier: str
    at: datetime
    status: int | None
    verdict: str | None
    reason: Reason
    ms: int
    credits: int = 0
    steps: tuple[PageStep, ...] = ()

    def masked(self, mask: Callable[[str], str]) -> Attempt:
        """The same, its reason and the texts of its steps passed through *mask*: a redactor's."""
        steps = tuple(replace(one, target=mask(one.target), result=mask(one.result)) for one in self.steps)
        return replace(self, reason=self.reason.masked(mask), steps=steps)

    def as_json(self) -> dict[str, Any]:
        return {
            "tier": self.tier,
            "at": self.at.isoformat(),
            "status": self.status,
            "verdict": self.verdict,
            "reason": self.reason,
            "reason_code": self.reason.code,
            "reason_detail": self.reason.detail,
            "ms": self.ms,
            "credits": self.credits,
            **({"steps": [one.as_json() for one in self.steps]} if self.steps else {}),
        }


#: RFC 9110 §15.4: the address has changed for good.
PERMANENT_REDIRECTS = frozenset({301, 308})

#: What a run asks for first: pages that the last run left, its browser budget being spent (as many as this run may
#: render, then the others), pages that may bring something new, then the others, those that were missing when last
#: asked for, and last those that it asks for only if nobody else holds them, or a shorter way leads there.
RANK_RENDERED_NEXT, RANK_UNRENDERED = -2, -1
RANK_NEW, RANK_PAGE, RANK_MISSING, RANK_DEFERRED = range(4)


@dataclass(frozen=True, slots=True)
class FrontierUrl:
    """A URL of a run, on its way: how it was found and what it is."""

    run_id: str
    source_id: str
    url: str
    kind: str = "page"  # page | robots | sitemap | api
    depth: int = 0
    found_on: str | None = None
    #: start | link | next | contents | sitemap | feed | map (a provider's) | api | ledger (pages of earlier runs)
    found_by: str = "start"
    hops: int = 0  # redirects that led here
    lastmod: str | None = None  # when it changed last, in the words of its sitemap
    rank: int = field(default=RANK_PAGE, compare=False)


@dataclass(frozen=True, slots=True)
class ApiMetadata:
    """Metadata of a page from a publisher's API. Dates are ``YYYY-MM-DD``; None: not given."""

    published_date: str | None = None
    modified_date: str | None = None
    effective: str | None = None
    publisher_version: str | None = None
    description: str | None = None
    author: str | None = None
    issued: str | None = None  # the day of the issue that brought it
    citation: str | None = None
    document_number: str | None = None
    document_type: str | None = None
    agencies: tuple[str, ...] = ()
    cfr_references: tuple[str, ...] = ()
    docket_ids: tuple[str, ...] = ()
    corrects: str | None = None  # the number of the document that this one corrects
    state_id: str | None = None  # what names the state of the text at its publisher: kept as its validator
    keywords: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    revision_id: int | None = None  # of a wiki's page
    disambiguation: bool = False  # a wiki's page that only tells apart what its title may mean
    as_of: str | None = None  # when a wiki said so, by its own clock, as its Date header has it


@dataclass(frozen=True)
class Fetched:
    """The final response of a server, by the tier that succeeded."""

    url: str  # the page's own, as asked first
    final_url: str
    status: int
    headers: dict[str, list[str]] = field(repr=False)  # Scrapy logs items: neither bodies nor secrets belong there
    body: bytes = field(repr=False)
    at: datetime
    tier: str
    engine_version: str
    response_time_ms: int
    retry_count: int = 0
    credits: int = 0
    redirects: tuple[tuple[int, str], ...] = ()
    ip_address: str | None = None
    request_headers: dict[str, list[str]] = field(default_factory=dict, repr=False)
    raw: bytes | None = field(default=None, repr=False)  # the bytes as received, where the tier made `body` from them
    api_metadata: ApiMetadata = field(default_factory=ApiMetadata)
    screenshot: bytes | None = field(default=None, repr=False)  # JPEG, of the page as it was read

    @cached_property
    def screenshot_hash(self) -> str | None:
        """Hex SHA-256 of the picture: the name under which the store has it."""
        return None if self.screenshot is None else sha256(self.screenshot).hexdigest()

    @property
    def received(self) -> bytes:
        """The bytes as received: what is kept as evidence."""
        return self.body if self.raw is None else self.raw

    @cached_property
    def raw_hash(self) -> str:
        """Hex SHA-256 of the bytes as received: the name under which the store keeps them."""
        return sha256(self.received).hexdigest()

    def header(self, name: str) -> str | None:
        """The first value of a header, any case."""
        wanted = name.lower()
        return next((values[0] for key, values in self.headers.items() if key.lower() == wanted and values), None)


@dataclass(slots=True)
class Change:
    """The result of the comparison with the page's last version."""

    change_type: str  # new | modified | unchanged | deleted
    content_hash: str
    previous_content_hash: str | None = None
    previous_title: str | None = None  # of a page that is gone

    @property
    def changed(self) -> bool:
        return self.change_type != "unchanged"


@dataclass(slots=True)
class ListedUrls:
    """What becomes of the URLs of a list. ``body``: the list, where it is not the item's own bytes."""

    marks: ListMarks
    body: bytes | None = field(default=None, repr=False)


@dataclass(slots=True)
class PageItem:
    """A URL of a run at its end. The steps of crawl/page/flow.py fill it from top to bottom."""

    visit: FrontierUrl
    state: str  # captured (until the comparison finds it unchanged) | excluded | failed | gone
    reason: Reason = CAPTURED
    fetched: Fetched | None = None
    verdict: Verdict | None = None
    attempts: tuple[Attempt, ...] = ()
    links: tuple[str, ...] = ()  # in it, and in scope, routes too: kept with it, and walked again when it is unchanged
    next_url: str | None = None  # of the links, the next page of a list that is split over pages (rel=next)
    discovered: tuple[FrontierUrl, ...] = ()  # new to the run, and to be fetched; by spidermiddlewares/frontier.py
    excluded: tuple[tuple[FrontierUrl, Reason], ...] = ()  # new to the run, and not to be fetched, with the reason
    listed: ListedUrls | None = None  # what the list that it is, or brought, names outside the source's scope
    is_withheld: bool = False  # its bytes repeat a secret: none of them is kept
    alias_of: str | None = None  # the page that this URL redirects to
    led_away_by: Fetched | None = field(default=None, repr=False)  # the redirect
    moved_to: str | None = None  # the page of the source that a missing one went to
    confirmed: bool = False  # by an answer that holds none of its text: its links and validators stay as they were
    at: datetime | None = None
    request: object = field(default=None, repr=False)  # Scrapy's, that brought it
    remember: str | None = None  # the tier to begin with for pages of this kind, now that it worked
    converted: Converted | None = field(default=None, repr=False)  # by crawl/page/conversion.py
    change: Change | None = None  # by crawl/page/change.py
    envelope_id: str | None = None  # by crawl/page/staging.py
    staged_path: str | None = None
    envelope: Envelope | None = field(default=None, repr=False)  # as staged: what feeds and other pipelines see of it

    @property
    def is_captured_page(self) -> bool:
        return self.state == "captured" and self.visit.kind == "page" and self.fetched is not None
