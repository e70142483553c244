"""Reason codes: why a URL ended as it did, or was tried by another tier; the one list of them, with their sentences.

A `Reason` is the sentence that people read, made from a code and its details; programs decide by the code alone.
Items, `run_urls`, `audit`, `_errors.jsonl` and the API hold all three. docs/reference/reason-codes.md lists them.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class ReasonCode(StrEnum):
    """Stored in the ledger: a code may be added, and its sentence reworded, but a code is never renamed."""

    # Captured, or unchanged
    CAPTURED = "captured"
    NOT_MODIFIED = "not_modified"
    SAME_TEXT = "same_text"
    SAME_TEXT_BY_TIER = "same_text_by_tier"
    SAME_REVISION = "same_revision"
    NOT_AMONG_CHANGES = "not_among_changes"
    API_WARNING = "api_warning"
    SITEMAP_TOO_LONG = "sitemap_too_long"
    SITEMAP_TORN = "sitemap_torn"
    TOO_MANY_CHANGES = "too_many_changes"
    ACCEPTED = "accepted"
    # Excluded: never asked for, or another address of a page
    OUTSIDE_HOSTS = "outside_hosts"
    EXCLUDE_PATTERN = "exclude_pattern"
    OUTSIDE_INCLUDE_PATTERNS = "outside_include_patterns"
    MAX_DEPTH = "max_depth"
    MAX_PAGES = "max_pages"
    PAGE_CAP = "page_cap"
    NOT_A_DOCUMENT = "not_a_document"
    CRAWLER_TRAP = "crawler_trap"
    ADDRESS_SIMPLIFIED = "address_simplified"
    LINKS_NOT_FOLLOWED = "links_not_followed"
    SECRET_IN_URL = "secret_in_url"  # noqa: S105  # a code, no secret
    ROBOTS_DISALLOWED = "robots_disallowed"
    ROBOTS_DISALLOWED_TARGET = "robots_disallowed_target"
    REDIRECTED = "redirected"
    REDIRECTED_OUT_OF_SCOPE = "redirected_out_of_scope"
    REDIRECTED_OFF_SITE = "redirected_off_site"
    ONLY_FRAMES = "only_frames"
    SAME_BYTES = "same_bytes"
    CANONICAL_LINK = "canonical_link"
    SITEMAP_TOO_DEEP = "sitemap_too_deep"
    SITEMAP_CAP = "sitemap_cap"
    LIST_CAP = "list_cap"
    LIST_PAGE_CAP = "list_page_cap"
    NOT_LISTED = "not_listed"
    NOT_TEXT = "not_text"
    NOT_AN_ARTICLE = "not_an_article"
    NOT_FETCHED = "not_fetched"
    # Gone
    GONE = "gone"
    # Failed: what the server answered (the verdicts)
    CHALLENGE = "challenge"
    CAPTCHA = "captcha"
    DENIED = "denied"
    FILTERED = "filtered"
    RATE_LIMITED = "rate_limited"
    LOGIN_WALL = "login_wall"
    CONSENT_WALL = "consent_wall"
    AGE_WALL = "age_wall"
    JS_SHELL = "js_shell"
    EMPTY = "empty"
    REDIRECT_STUB = "redirect_stub"
    SOFT_404 = "soft_404"
    NOT_FOUND = "not_found"
    PARKED = "parked"
    MAINTENANCE = "maintenance"
    SERVER_ERROR = "server_error"
    UNKNOWN = "unknown"
    # Failed: the answer is not usable
    HTTP_ERROR = "http_error"
    REDIRECT_WITHOUT_TARGET = "redirect_without_target"
    REDIRECT_INVALID = "redirect_invalid"
    REDIRECT_TO_NO_PAGE = "redirect_to_no_page"
    REDIRECT_LOOP = "redirect_loop"
    MANY_REDIRECTS = "many_redirects"
    NOT_JUDGED = "not_judged"
    NOT_MODIFIED_UNKNOWN = "not_modified_unknown"
    NO_TEXT = "no_text"
    EXPECTATION = "expectation"
    SUSPECT = "suspect"
    MASS_REMOVAL = "mass_removal"
    TOO_FEW_PAGES = "too_few_pages"
    SECRET_ECHOED = "secret_echoed"  # noqa: S105  # a code, no secret
    SECRET_IN_REDIRECT = "secret_in_redirect"  # noqa: S105  # a code, no secret
    BAD_LIST = "bad_list"
    BAD_ANSWER = "bad_answer"
    BAD_SITEMAP = "bad_sitemap"
    LIST_UNKNOWN = "list_unknown"
    MISSING_IN_WIKI = "missing_in_wiki"
    API_ERROR = "api_error"
    API_LAG = "api_lag"
    API_REDIRECTS = "api_redirects"
    NO_FULL_TEXT = "no_full_text"
    # Failed: no answer
    NO_API = "no_api"
    BAD_RESPONSE = "bad_response"
    BAD_ENCODING = "bad_encoding"
    TLS_FAILED = "tls_failed"
    BROWSER_CRASHED = "browser_crashed"
    BROWSER_FAILED = "browser_failed"
    TIMEOUT = "timeout"
    NAME_NOT_RESOLVED = "name_not_resolved"
    CONNECTION_REFUSED = "connection_refused"
    CONNECTION_FAILED = "connection_failed"
    TRUNCATED = "truncated"
    TOO_LARGE = "too_large"
    DOWNLOAD_ERROR = "download_error"
    # Failed: not asked
    ROBOTS_UNAVAILABLE = "robots_unavailable"
    ROBOTS_WALL = "robots_wall"
    CRAWL_DELAY = "crawl_delay"
    COOLING_DOWN = "cooling_down"
    ADDRESS_NOT_PUBLIC = "address_not_public"
    NO_TIER = "no_tier"
    BROWSER_BUDGET_SPENT = "browser_budget_spent"
    NOT_OURS = "not_ours"
    # Failed: no text was made of it
    CONVERSION_FAILED = "conversion_failed"
    UNREADABLE_DOCUMENT = "unreadable_document"
    CONVERSION_TIMEOUT = "conversion_timeout"
    CONVERSION_CRASHED = "conversion_crashed"
    WALKER_ERROR = "walker_error"
    NO_RESULT = "no_result"
    # Failed: a managed provider
    PROVIDER_UNREACHABLE = "provider_unreachable"
    PROVIDER_TIMEOUT = "provider_timeout"
    PROVIDER_REFUSED = "provider_refused"
    PROVIDER_OUT_OF_CREDITS = "provider_out_of_credits"
    PROVIDER_RATE_LIMITED = "provider_rate_limited"
    PROVIDER_ERROR = "provider_error"
    PROVIDER_BAD_ANSWER = "provider_bad_answer"
    PROVIDER_WRONG_PAGE = "provider_wrong_page"
    PROVIDER_GAVE_UP = "provider_gave_up"
    PROVIDER_NO_DOCUMENT = "provider_no_document"
    COST_LIMIT = "cost_limit"
    PAID_CALLS_FULL = "paid_calls_full"
    # Attempts: what came before the end
    THIN = "thin"
    PUT_BACK = "put_back"
    SAME_RENDERED = "same_rendered"
    PREVIOUS_TIER_CHECKED = "previous_tier_checked"
    MAPPED = "mapped"
    MAP_FAILED = "map_failed"


#: Sentences by code; a part in square brackets is left out where a detail in it is missing.
SENTENCES: dict[ReasonCode, str] = {
    ReasonCode.CAPTURED: "",
    ReasonCode.NOT_MODIFIED: "not modified (304)",
    ReasonCode.SAME_TEXT: "the text is the one that we hold",
    ReasonCode.SAME_TEXT_BY_TIER: "by the tier {tier} the text is the one that we hold",
    ReasonCode.SAME_REVISION: "revision {revision} is the one that we hold; last touched {touched}, before we read it",
    ReasonCode.NOT_AMONG_CHANGES: (
        "revision {revision} is the one that we hold, not among the wiki's changes since {since}"
    ),
    ReasonCode.API_WARNING: "the API warns: {error}",
    ReasonCode.SITEMAP_TOO_LONG: "of its addresses only the first {limit} are read",
    ReasonCode.SITEMAP_TORN: "it breaks off: what it would have named after that is not known",
    ReasonCode.TOO_MANY_CHANGES: "more has changed than is asked for one by one: a whole visit",
    ReasonCode.ACCEPTED: "accepted {at} by {actor}: {note} (was {before})",
    ReasonCode.OUTSIDE_HOSTS: "outside the source's hosts[: {target_url}]",
    ReasonCode.EXCLUDE_PATTERN: "exclude_patterns: {rule}",
    ReasonCode.OUTSIDE_INCLUDE_PATTERNS: "outside include_patterns",
    ReasonCode.MAX_DEPTH: "deeper than max_depth {limit}",
    ReasonCode.MAX_PAGES: "max_pages {limit} reached",
    ReasonCode.PAGE_CAP: "{limit} pages reached, the most where a source names no max_pages",
    ReasonCode.NOT_A_DOCUMENT: "not a document: {rule}",
    ReasonCode.CRAWLER_TRAP: "{rule}",
    ReasonCode.ADDRESS_SIMPLIFIED: "{rule}; read at {target_url}",
    ReasonCode.LINKS_NOT_FOLLOWED: "links are not followed (follow_links: false)",
    ReasonCode.SECRET_IN_URL: "its address holds a secret or a password",
    ReasonCode.ROBOTS_DISALLOWED: "robots.txt disallows {target_url}",
    ReasonCode.ROBOTS_DISALLOWED_TARGET: "robots.txt disallows {target_url}, to which the page redirects",
    ReasonCode.REDIRECTED: "redirected to {target_url}",
    ReasonCode.REDIRECTED_OUT_OF_SCOPE: "redirected to {target_url} ({rule})",
    ReasonCode.REDIRECTED_OFF_SITE: "redirected to other domain: {target_url}",
    ReasonCode.ONLY_FRAMES: "only frames; read at {target_url}",
    ReasonCode.SAME_BYTES: "the same page as {target_url}",
    ReasonCode.CANONICAL_LINK: "the same page as {target_url}, its canonical link",
    ReasonCode.SITEMAP_TOO_DEEP: "a sitemap more than {limit} levels deep",
    ReasonCode.SITEMAP_CAP: "{limit} sitemaps reached, the most that a run reads",
    ReasonCode.LIST_CAP: "{limit} answers with lists, the most that a run reads",
    ReasonCode.LIST_PAGE_CAP: "as many pages as the run may take are known: what else the list names is not asked for",
    ReasonCode.NOT_LISTED: "neither the source nor the wiki's lists name it any more",
    ReasonCode.NOT_TEXT: "a file or a special page of the wiki: no page of text",
    ReasonCode.NOT_AN_ARTICLE: "not_an_article: {error}",
    ReasonCode.NOT_FETCHED: "{error}",
    ReasonCode.GONE: "not there[ since {since}]",
    **dict.fromkeys(
        (
            ReasonCode.CHALLENGE,
            ReasonCode.CAPTCHA,
            ReasonCode.DENIED,
            ReasonCode.FILTERED,
            ReasonCode.RATE_LIMITED,
            ReasonCode.LOGIN_WALL,
            ReasonCode.CONSENT_WALL,
            ReasonCode.AGE_WALL,
            ReasonCode.JS_SHELL,
            ReasonCode.EMPTY,
            ReasonCode.REDIRECT_STUB,
            ReasonCode.SOFT_404,
            ReasonCode.NOT_FOUND,
            ReasonCode.PARKED,
            ReasonCode.MAINTENANCE,
            ReasonCode.SERVER_ERROR,
            ReasonCode.UNKNOWN,
        ),
        "{code}[ ({vendor})]: HTTP {http_status}",
    ),
    ReasonCode.HTTP_ERROR: "HTTP {http_status}",
    ReasonCode.REDIRECT_WITHOUT_TARGET: "redirect_stub: HTTP {http_status} that leads nowhere",
    ReasonCode.REDIRECT_INVALID: "redirect_stub: HTTP {http_status} to what is no URL ({error})",
    ReasonCode.REDIRECT_TO_NO_PAGE: "redirect_stub: to what is no page of it",
    ReasonCode.REDIRECT_LOOP: "redirect_loop: {rule}",
    ReasonCode.MANY_REDIRECTS: "many_redirects: over {limit} in a row",
    ReasonCode.NOT_JUDGED: "unknown: the response was not judged",
    ReasonCode.NOT_MODIFIED_UNKNOWN: "unknown: 304 for a page that is not held",
    ReasonCode.NO_TEXT: "empty: no text was left after conversion",
    ReasonCode.EXPECTATION: "expectation: {error}[ ({note})]",
    ReasonCode.SUSPECT: "suspect: {percent} % of its last text; held until a person accepts it",
    ReasonCode.MASS_REMOVAL: (
        "{before}; not recorded as gone: too many pages of the source would go at once; held until a person accepts it"
    ),
    ReasonCode.TOO_FEW_PAGES: "{before}; not recorded as gone: the run has found {rule}",
    ReasonCode.SECRET_ECHOED: "secret_echoed: the page repeats a secret of ours; nothing of it is kept",
    ReasonCode.SECRET_IN_REDIRECT: "secret_echoed: redirected to an address that holds a secret or a password",
    ReasonCode.BAD_LIST: "bad_list: {error}",
    ReasonCode.BAD_SITEMAP: "{error}",
    ReasonCode.LIST_UNKNOWN: "not_found: the wiki has none; look at the spelling in the manifest",
    ReasonCode.MISSING_IN_WIKI: "not_found: the wiki's API says that it is missing[: it moved to {target_url}]",
    ReasonCode.API_ERROR: "api_error: {rule}",
    ReasonCode.API_LAG: "server_error: the wiki's databases lag (maxlag)",
    ReasonCode.API_REDIRECTS: "denied: the API redirects to {target_url}",
    ReasonCode.NO_FULL_TEXT: "no_full_text: {error}",
    ReasonCode.ROBOTS_UNAVAILABLE: "robots: {error}: disallowed for now",
    ReasonCode.ROBOTS_WALL: "robots: {error}: only the publisher's API may be asked",
    ReasonCode.CRAWL_DELAY: (
        "crawl_delay: robots.txt asks for {seconds} s between two requests; above {limit} s nothing is asked"
    ),
    ReasonCode.COOLING_DOWN: "rate_limited: {error}",
    ReasonCode.ADDRESS_NOT_PUBLIC: "address refused: {error}",
    ReasonCode.BROWSER_BUDGET_SPENT: "browser_budget_spent: the browser may fetch {limit} pages of a run",
    ReasonCode.NOT_OURS: "{error}",
    ReasonCode.DOWNLOAD_ERROR: "{error_type}: {error}",
    ReasonCode.WALKER_ERROR: "walker_error: {error_type}: {error}",
    ReasonCode.NO_RESULT: "no_result: lost on the way",
    ReasonCode.THIN: "thin: {chars} characters of main text, fewer than {limit}",
    ReasonCode.PUT_BACK: "put back: it says that it is {target_url}",
    ReasonCode.SAME_RENDERED: "the same as before it",
    ReasonCode.PREVIOUS_TIER_CHECKED: "asked to tell a change of the page from one of the tier[: {error}]",
    ReasonCode.MAPPED: "map: {pages} addresses",
    ReasonCode.MAP_FAILED: "map: {error}",
}
#: Of codes without a sentence of their own.
DEFAULT_SENTENCE = "{code}[: {error}]"
_OPTIONAL = re.compile(r"\[([^\]]*)\]")
_DETAIL = re.compile(r"\{(\w+)\}")


class Reason(str):
    """A sentence that knows its code and details: ``http_status``, ``target_url``, ``rule``, ``limit``, ``error``, ...

    As a string it goes wherever a sentence is shown or stored; whoever decides asks for ``code``.
    """

    __slots__ = ("code", "detail")
    code: ReasonCode
    detail: dict[str, Any]

    def __new__(cls, code: ReasonCode | str, **detail: Any) -> Self:
        """*code* may be the value of one (a verdict's kind). Details that are None are left out.

        Raises ValueError for an unknown code, KeyError where the sentence needs a detail that is missing.
        """
        code = ReasonCode(code)
        known = {name: value for name, value in detail.items() if value is not None}
        made = super().__new__(cls, _make_sentence(code, known))
        made.code, made.detail = code, known
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[ReasonCode], dict[str, Any]]:
        return (self.code,), self.detail

    @classmethod
    def of_error(cls, error: BaseException, code: ReasonCode | str = ReasonCode.DOWNLOAD_ERROR) -> Self:
        """What *error* says of itself, for errors without a code of their own; *code*: what it broke."""
        return cls(code, error_type=type(error).__name__, error=str(error))

    def extended(self, code: ReasonCode | None = None, **detail: Any) -> Self:
        """The same with further details, or with another code."""
        return type(self)(code or self.code, **(self.detail | detail))

    def masked(self, mask: Callable[[str], str]) -> Self:
        """The same with each detail that is a text passed through *mask*: a redactor's."""
        shown = {name: mask(value) if isinstance(value, str) else value for name, value in self.detail.items()}
        return self if shown == self.detail else type(self)(self.code, **shown)


def _make_sentence(code: ReasonCode, detail: Mapping[str, Any]) -> str:
    values = {"code": code.value, **detail}
    template = SENTENCES.get(code, DEFAULT_SENTENCE)
    chosen = _OPTIONAL.sub(lambda part: part[1] if set(_DETAIL.findall(part[1])) <= values.keys() else "", template)
    return _DETAIL.sub(lambda name: str(values[name[1]]), chosen)


CAPTURED = Reason(ReasonCode.CAPTURED)
