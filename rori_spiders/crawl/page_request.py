"""What a request carries through Scrapy: what is asked for, and what one try has learnt. The only keys of its meta.

`PageRequest` is frozen: to request again, by the same tier or by another, make a new one with the attempts before
it. `Exchange` belongs to one try: tier and middlewares fill it, and the walker makes the item of both.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rori_spiders.items import ApiMetadata

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from scrapy import Request
    from scrapy.http import Response

    from rori_spiders.content.options import Options
    from rori_spiders.items import Attempt, FrontierUrl, PageItem, PageStep
    from rori_spiders.reasons import Reason
    from rori_spiders.verdicts import Verdict
    from rori_spiders.workers.assessment import ResponseAssessment, UnknownAddress

_PAGE_REQUEST, _EXCHANGE = "page_request", "exchange"


@dataclass(frozen=True, slots=True)
class ShortPage:
    """A page of few words that a cheaper tier gave, until the next tier shows whether there is more of it."""

    response: Response
    may_stand: bool  # where no other answer comes
    charset: str | None = None  # by which it was decoded


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page that another source holds: the object with its bytes, and its Content-Type as the server gave it."""

    source_id: str
    raw_object: str
    content_type: str | None


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A URL of a run with the current attempt. ``visit`` is None in the shell, whose URLs belong to no run."""

    visit: FrontierUrl | None
    tier: str = "http"
    tier_order: tuple[str, ...] | None = None  # cheapest first; empty: none that is allowed is here; None: the shell
    own_headers: tuple[str, ...] = ()  # names of those that the source gives
    attempts: tuple[Attempt, ...] = ()  # before this one, by whatever tier
    retries: Mapping[str, int] = field(default_factory=dict)  # of this tier, by row of the retry table
    is_remembered_tier: bool = False  # it begins with the tier that last worked, not with the first
    failed_remembered_tier: str | None = None  # which was asked first, in vain
    is_single_try: bool = False  # nothing is retried: validation asks once
    is_previous_tier_check: bool = False  # whether the former tier still shows the text that is held
    is_unconditional: bool = False  # the page itself is wanted, or its validators are set: none are added
    is_put_back: bool = False  # it waited for the page that it says it is
    short_page: ShortPage | None = None
    stored_page: StoredPage | None = None  # which answers the request
    api_url: str | None = None  # of the wiki
    wiki_prefix: str | None = None  # what stands before titles in its URLs
    learnt: Mapping[str, str] = field(default_factory=dict)  # by earlier steps of a publisher's API
    provider_turns: Mapping[str, int] = field(default_factory=dict)  # calls that failed in passing, by provider

    @property
    def is_page(self) -> bool:
        return self.visit is not None and self.visit.kind == "page"

    @property
    def is_retried(self) -> bool:
        """Whether what fails in passing is asked again by the same tier."""
        return not (self.is_single_try or self.is_previous_tier_check)

    @property
    def next_tier(self) -> str | None:
        """The tier after this one; after one that was only remembered, the first of the order."""
        order = self.tier_order or ()
        if self.tier not in order:
            return None
        if self.is_remembered_tier:
            return order[0]
        return next((one for one in order[order.index(self.tier) + 1 :] if one != self.failed_remembered_tier), None)


@dataclass(frozen=True, slots=True)
class AssessedBody:
    """What a worker made of a response, and of what it made it."""

    body: bytes
    options: Options | None  # None: it was not converted
    made: ResponseAssessment


@dataclass(slots=True)
class Exchange:
    """The observations of one attempt so far. Times are milliseconds."""

    engine_version: str = ""
    response_ms: int = 0
    credits: int = 0
    raw_body: bytes | None = None  # the bytes as received, where the tier made the body from them
    api_metadata: ApiMetadata = field(default_factory=ApiMetadata)  # what an API says of the page beside its text
    verdict: Verdict | None = None
    assessed: AssessedBody | None = None
    known_bytes: Reason | None = None  # why the body is one that was received before
    fetched_at: datetime | None = None  # when it was received, where that was before
    failure: Reason | None = None  # what it is, where a middleware knows better than the verdict
    tier_to_remember: str | None = None
    steps: tuple[PageStep, ...] = ()  # that the browser took on the page
    unknown_address: UnknownAddress | None = None  # what its application shows at an address that nobody has
    screenshot: bytes | None = None  # of the page as the browser read it
    is_behind_prompt: bool = False  # the page shows a prompt for consent, and nothing else
    is_drawn: bool = False  # a script of the page draws what it shows
    item: PageItem | None = None  # as far as it was read: what is kept of it if finding its links breaks


def page_request(request: Request) -> PageRequest:
    """What *request* asks for. Raises KeyError for one that has not passed the scope middleware, in the shell."""
    found: PageRequest = request.meta[_PAGE_REQUEST]
    return found


def has_page_request(request: Request) -> bool:
    return _PAGE_REQUEST in request.meta


def visit_of(request: Request) -> FrontierUrl | None:
    """The URL of a run that *request* asks for, or for which it is made; None in the shell."""
    found: PageRequest | None = request.meta.get(_PAGE_REQUEST)
    return None if found is None else found.visit


def run_visit(request: Request) -> FrontierUrl:
    """The URL of a run that *request*, which a walker has made, asks for."""
    visit = page_request(request).visit
    assert visit is not None
    return visit


def exchange(request: Request) -> Exchange:
    """What this try of *request* has learnt; a request that is asked again as it is goes on with it."""
    found: Exchange = request.meta[_EXCHANGE]
    return found


def assessed_body(request: Request | None, body: bytes) -> AssessedBody | None:
    """What a worker made of the response to *request*, if *body* is that of the response."""
    assessed = None if request is None else exchange(request).assessed
    return assessed if assessed is not None and assessed.body is body else None


def request_meta(page: PageRequest) -> dict[str, Any]:
    """The meta of a new request for *page*: nothing is known of its answer."""
    return {_PAGE_REQUEST: page, _EXCHANGE: Exchange()}


def update_request(request: Request, **changes: Any) -> PageRequest:
    """Put a changed `PageRequest` into *request*."""
    page = request.meta[_PAGE_REQUEST] = replace(page_request(request), **changes)
    return page


def begin_try(request: Request, page: PageRequest) -> None:
    """Make *request* a new try of *page*."""
    request.meta.update(request_meta(page))
