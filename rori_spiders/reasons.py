"""Reason codes: why a URL or a run ended as it did, or another tier was tried; one list of them, with sentences.

A `Reason` is the sentence that people read, made from a code and its details; programs decide by the code alone.
Items, `run_urls`, `runs`, `audit`, `_errors.jsonl` and the API hold all three;
docs/reference/reason-codes.md lists them.
"""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Self


class ReasonCode(StrEnum):
    """Stored in the ledger: a code may be added, and its sentence reworded, but a code is never renamed."""

    # Captured, or unchanged
    CAPTURED = "captured"
    NOT_MODIFIED = "not_modified"
    LIST_SHARED = "list_shared"
    SAME_TEXT = "same_text"
    SAME_TEXT_BY_TIER = "same_text_by_tier"
    SAME_REVISION = "same_revision"
    NOT_AMONG_CHANGES = "not_among_changes"
    SAME_VERSIONS = "same_versions"
    FINAL_DOCUMENT = "final_document"
    LISTED = "listed"
    API_WARNING = "api_warning"
    SITEMAP_TOO_LONG = "sitemap_too_long"
    SITEMAP_TORN = "sitemap_torn"
    TOO_MANY_CHANGES = "too_many_changes"
    ACCEPTED = "accepted"
    # Excluded: never asked for, or another address of a page
    OUTSIDE_HOSTS = "outside_hosts"
    EXCLUDE_PATTERN = "exclude_pattern"
    OUTSIDE_INCLUDE_PATTERNS = "outside_include_patterns"
    OUTSIDE_START_FOLDER = "outside_start_folder"
    MAX_DEPTH = "max_depth"
    MAX_PAGES = "max_pages"
    PAGE_CAP = "page_cap"
    NOT_A_DOCUMENT = "not_a_document"
    CRAWLER_TRAP = "crawler_trap"
    COPY = "copy"
    ADDRESS_SIMPLIFIED = "address_simplified"
    LINKS_NOT_FOLLOWED = "links_not_followed"
    SCRIPT_ROUTE = "script_route"
    LIST_IN_PART = "list_in_part"
    SECRET_IN_URL = "secret_in_url"  # noqa: S105  # a code, no secret
    ROBOTS_DISALLOWED = "robots_disallowed"
    ROBOTS_DISALLOWED_TARGET = "robots_disallowed_target"
    REDIRECTED = "redirected"
    REDIRECTED_OUT_OF_SCOPE = "redirected_out_of_scope"
    REDIRECTED_OFF_SITE = "redirected_off_site"
    ONLY_FRAMES = "only_frames"
    SAME_BYTES = "same_bytes"
    CANONICAL_LINK = "canonical_link"
    OUTSIDE_START_LIST = "outside_start_list"
    URL_LIST = "url_list"
    COLLECTED_BY = "collected_by"
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
    LED_AWAY = "led_away"
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
    DOUBTFUL = "doubtful"
    COPY_OF_PAGE = "copy_of_page"
    CUT_SHORT = "cut_short"
    OLDER_EDITION = "older_edition"
    MASS_REMOVAL = "mass_removal"
    SOFT_REMOVAL = "soft_removal"
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
    UNFILLED = "unfilled"
    PUT_BACK = "put_back"
    SAME_RENDERED = "same_rendered"
    GARBLED_RENDERED = "garbled_rendered"
    PREVIOUS_TIER_CHECKED = "previous_tier_checked"
    MAPPED = "mapped"
    MAP_FAILED = "map_failed"
    # Runs: how one ended
    COMPLETE = "complete"
    COMPLETE_TO_LIMIT = "complete_to_limit"
    WINDOW_CLOSED = "window_closed"
    OFFLINE = "offline"
    STOPPED = "stopped"
    NOT_RECORDED = "not_recorded"
    LEASE_LOST = "lease_lost"
    TAKEN_OVER = "taken_over"
    URLS_PENDING = "urls_pending"
    NOT_IN_TIME = "not_in_time"
    JOB_DIED = "job_died"
    PAGES_UNKNOWN = "pages_unknown"
    WIKI_TOO_LARGE = "wiki_too_large"
    START_FAILED = "start_failed"
    START_EXCLUDED = "start_excluded"
    MOSTLY_FAILED = "mostly_failed"
    BELOW_MIN_PAGES = "below_min_pages"
    BELOW_BASELINE = "below_baseline"
    LISTS_UNREAD = "lists_unread"
    PAGES_NOT_ASKED = "pages_not_asked"
    ROUTES_NOT_ASKED = "routes_not_asked"
    LISTS_IN_PART = "lists_in_part"
    PAGES_UNRENDERED = "pages_unrendered"
    ONLY_DATED = "only_dated"


#: Sentences by code; a part in square brackets is left out where a detail in it is missing.
SENTENCES: dict[ReasonCode, str] = {
    ReasonCode.CAPTURED: "",
    ReasonCode.NOT_MODIFIED: "Not modified (HTTP 304).",
    ReasonCode.LIST_SHARED: "Not requested again: this job has read it for {source}.",
    ReasonCode.SAME_TEXT: "The text is unchanged.",
    ReasonCode.SAME_TEXT_BY_TIER: "The text is the one stored from tier {tier}: unchanged.",
    ReasonCode.SAME_REVISION: "Revision {revision} is already stored; the wiki last touched the page at {touched}.",
    ReasonCode.NOT_AMONG_CHANGES: "Revision {revision} is already stored; the wiki lists no change since {since}.",
    ReasonCode.SAME_VERSIONS: "The publisher's API names no version newer than the stored one (issue of {since}).",
    ReasonCode.FINAL_DOCUMENT: "A published document does not change; its text is already stored ({revision}).",
    ReasonCode.LISTED: "A list of the publisher's API; entries: {listed}.",
    ReasonCode.API_WARNING: "API warning: {error}",
    ReasonCode.SITEMAP_TOO_LONG: "Only the first {limit} URLs of the list were read.",
    ReasonCode.SITEMAP_TORN: "The list is truncated; the URLs after that point are unknown.",
    ReasonCode.TOO_MANY_CHANGES: "Too many changes to request one by one; the run reads all pages.",
    ReasonCode.ACCEPTED: "Accepted {at} by {actor}: {note} (was held: {before})",
    ReasonCode.OUTSIDE_HOSTS: "Outside the source's hosts[ ({target_url})]; not requested.",
    ReasonCode.EXCLUDE_PATTERN: "Excluded by exclude_patterns: {rule}",
    ReasonCode.OUTSIDE_INCLUDE_PATTERNS: "Matches none of the include_patterns; not requested.",
    ReasonCode.OUTSIDE_START_FOLDER: "Outside the start URL's folder {rule}; not requested without include_patterns.",
    ReasonCode.MAX_DEPTH: "Deeper than max_depth {limit}; not requested.",
    ReasonCode.MAX_PAGES: "The run reached max_pages {limit}; not requested.",
    ReasonCode.PAGE_CAP: "The run reached {limit} pages, the maximum without max_pages; not requested.",
    ReasonCode.NOT_A_DOCUMENT: "Unsupported file type ({rule}); not requested.",
    ReasonCode.CRAWLER_TRAP: "Possible crawler trap: {rule}; not requested.",
    ReasonCode.COPY: "Repeats other pages (rule: {rule}); not requested. allowed_copies includes such pages.",
    ReasonCode.ADDRESS_SIMPLIFIED: "Simplified URL ({rule}); read at {target_url}",
    ReasonCode.LINKS_NOT_FOLLOWED: "Links are not followed (follow_links: false); not requested.",
    ReasonCode.SCRIPT_ROUTE: "A page that only a script shows; what follows # is never requested.",
    ReasonCode.LIST_IN_PART: "The page shows a list in part, and a script the rest: {note}",
    ReasonCode.SECRET_IN_URL: "The URL contains a secret or a password; not requested.",
    ReasonCode.ROBOTS_DISALLOWED: "Disallowed by robots.txt; not requested.",
    ReasonCode.ROBOTS_DISALLOWED_TARGET: "Redirects to {target_url}, which robots.txt disallows; not requested.",
    ReasonCode.REDIRECTED: "Redirects to {target_url}",
    ReasonCode.REDIRECTED_OUT_OF_SCOPE: "Redirects out of scope, to {target_url} ({rule})",
    ReasonCode.REDIRECTED_OFF_SITE: "Redirects to another site: {target_url}",
    ReasonCode.ONLY_FRAMES: "Contains only frames; read at {target_url}",
    ReasonCode.SAME_BYTES: "Same content as {target_url}",
    ReasonCode.CANONICAL_LINK: "Same page as {target_url}, its canonical link.",
    ReasonCode.OUTSIDE_START_LIST: "Not in the list at the start URL; not requested without include_patterns.",
    ReasonCode.COLLECTED_BY: "Collected by source {source}, once for all sources that name it; its links are followed.",
    ReasonCode.URL_LIST: "A list of pages, not a document; pages named: {pages}.",
    ReasonCode.SITEMAP_TOO_DEEP: "The sitemap is nested more than {limit} levels deep; not requested.",
    ReasonCode.SITEMAP_CAP: "The run reached {limit} sitemaps, its maximum; not requested.",
    ReasonCode.LIST_CAP: "The run reached {limit} pages of lists, its maximum; not requested.",
    ReasonCode.LIST_PAGE_CAP: (
        "The run reached its maximum of pages[, {limit}]; the rest of the list was not requested."
    ),
    ReasonCode.NOT_LISTED: "No longer named by the source or by the wiki's lists; not requested.",
    ReasonCode.NOT_TEXT: "A file or special page of the wiki, without text; not requested.",
    ReasonCode.NOT_AN_ARTICLE: "Not an article: {error}",
    ReasonCode.NOT_FETCHED: "{error}",
    ReasonCode.GONE: "Gone: not found[ since {since}][; redirects to {target_url}].",
    ReasonCode.CHALLENGE: "Blocked: the server answered HTTP {http_status} with a challenge[ (rule: {vendor})].",
    ReasonCode.CAPTCHA: "Blocked: the server answered HTTP {http_status} with a CAPTCHA[ (rule: {vendor})].",
    ReasonCode.DENIED: "Blocked: the server answered HTTP {http_status} with an access-denied page[ (rule: {vendor})].",
    ReasonCode.FILTERED: "Blocked: a network filter or proxy answered HTTP {http_status}[ (rule: {vendor})].",
    ReasonCode.RATE_LIMITED: "Rate limited: the server answered HTTP {http_status}[ (rule: {vendor})].",
    ReasonCode.LOGIN_WALL: "The server answered HTTP {http_status} with a login page[ (rule: {vendor})].",
    ReasonCode.CONSENT_WALL: "The server answered HTTP {http_status} with a consent page[ (rule: {vendor})].",
    ReasonCode.AGE_WALL: "The server answered HTTP {http_status} with an age check[ (rule: {vendor})].",
    ReasonCode.JS_SHELL: (
        "JavaScript required: the server answered HTTP {http_status} with a page without text[ (rule: {vendor})]."
    ),
    ReasonCode.EMPTY: "Empty: the server answered HTTP {http_status} without text[ (rule: {vendor})].",
    ReasonCode.REDIRECT_STUB: "The page only redirects, by script or refresh (HTTP {http_status})[ (rule: {vendor})].",
    ReasonCode.SOFT_404: (
        "Not found: the server answered HTTP {http_status} with a not-found page[ (rule: {vendor})]. "
        "It will be retried on the next run."
    ),
    ReasonCode.NOT_FOUND: "Not found (HTTP {http_status}). It will be retried on the next run.",
    ReasonCode.LED_AWAY: "Not found: redirects to {target_url}, another page. It will be retried on the next run.",
    ReasonCode.PARKED: "Parked domain: the server answered HTTP {http_status} with its owner's ads[ (rule: {vendor})].",
    ReasonCode.MAINTENANCE: "Under maintenance: the server answered HTTP {http_status}[ (rule: {vendor})].",
    ReasonCode.SERVER_ERROR: "Server error (HTTP {http_status})[ (rule: {vendor})].",
    ReasonCode.UNKNOWN: (
        "Not recognised as the page (HTTP {http_status}[; rule: {rule}]). "
        "The manifest's expect.must_contain can prove it."
    ),
    ReasonCode.HTTP_ERROR: "The server answered HTTP {http_status}.",
    ReasonCode.REDIRECT_WITHOUT_TARGET: "Redirect without a target (HTTP {http_status}).",
    ReasonCode.REDIRECT_INVALID: "Invalid redirect target (HTTP {http_status}): {error}",
    ReasonCode.REDIRECT_TO_NO_PAGE: "Redirects to a URL that is not a page of the wiki.",
    ReasonCode.REDIRECT_LOOP: "Redirect loop: {rule}",
    ReasonCode.MANY_REDIRECTS: "More than {limit} redirects in a row.",
    ReasonCode.NOT_JUDGED: "The response was not assessed.",
    ReasonCode.NOT_MODIFIED_UNKNOWN: "Not modified (HTTP 304), but no text of the page is stored.",
    ReasonCode.NO_TEXT: "Empty: conversion left no text.",
    ReasonCode.EXPECTATION: "Does not match the manifest's expect: {error}[ ({note})]",
    ReasonCode.SUSPECT: "Held until a person accepts it: the text has shrunk to {percent} % of the last version.",
    ReasonCode.DOUBTFUL: "Held until a person accepts it: the page reads like a block or login page (rule: {rule}).",
    ReasonCode.COPY_OF_PAGE: (
        "Held until a person accepts it: the page and another, {target_url}, had texts of their own and now show one."
    ),
    ReasonCode.CUT_SHORT: (
        "Held until a person accepts it: the page has less text than the last version, and ends without its `</html>`."
    ),
    ReasonCode.OLDER_EDITION: (
        "Held until a person accepts it: the publisher gives the text as of {as_of}, the stored one is as of {since}."
    ),
    ReasonCode.MASS_REMOVAL: (
        "{before} Held until a person accepts it: too many pages of the source would be recorded as gone at once."
    ),
    ReasonCode.SOFT_REMOVAL: (
        "{before} Held until a person accepts that it is gone: the page says so since {since}, its status does not."
    ),
    ReasonCode.TOO_FEW_PAGES: (
        "{before} Not recorded as gone: the run found {pages} of a baseline of {baseline} pages."
    ),
    ReasonCode.SECRET_ECHOED: "The page contains one of our secrets; nothing of it is stored.",
    ReasonCode.SECRET_IN_REDIRECT: "Redirects to a URL that contains a secret or a password; not requested.",
    ReasonCode.BAD_LIST: "Invalid list: {error}",
    ReasonCode.BAD_ANSWER: "Invalid API response: {error}",
    ReasonCode.BAD_SITEMAP: "Invalid sitemap or feed: {error}",
    ReasonCode.LIST_UNKNOWN: "Not found in the wiki. Check the spelling in the manifest.",
    ReasonCode.MISSING_IN_WIKI: "Missing, according to the wiki's API[; moved to {target_url}]",
    ReasonCode.API_ERROR: "The API answered with the error {rule}.",
    ReasonCode.API_LAG: "The wiki's databases lag (maxlag).",
    ReasonCode.API_REDIRECTS: "The API redirects to {target_url}",
    ReasonCode.NO_FULL_TEXT: "No full text: {error}",
    ReasonCode.NO_API: "No API[: {error}]",
    ReasonCode.BAD_RESPONSE: "Invalid HTTP response[: {error}]",
    ReasonCode.BAD_ENCODING: "Invalid Content-Encoding[: {error}]",
    ReasonCode.TLS_FAILED: "TLS error[: {error}]",
    ReasonCode.BROWSER_CRASHED: "The browser crashed[: {error}]",
    ReasonCode.BROWSER_FAILED: "The browser failed[: {error}]",
    ReasonCode.TIMEOUT: "Timeout[: {error}]",
    ReasonCode.NAME_NOT_RESOLVED: "Host name not resolved[: {error}]",
    ReasonCode.CONNECTION_REFUSED: "Connection refused[: {error}]",
    ReasonCode.CONNECTION_FAILED: "Connection failed[: {error}]",
    ReasonCode.TRUNCATED: "Truncated response[: {error}]",
    ReasonCode.TOO_LARGE: "Too large[: {error}]",
    ReasonCode.DOWNLOAD_ERROR: "Request failed ({error_type}): {error}",
    ReasonCode.ROBOTS_UNAVAILABLE: "Not requested: {error}",
    ReasonCode.ROBOTS_WALL: "Not requested except through the publisher's API: {error}",
    ReasonCode.CRAWL_DELAY: (
        "robots.txt requires a Crawl-delay of {seconds} s, more than the supported {limit} s; not requested."
    ),
    ReasonCode.COOLING_DOWN: "Rate limited: {error}",
    ReasonCode.ADDRESS_NOT_PUBLIC: "Address refused: {error}",
    ReasonCode.NO_TIER: "No tier available: {error}",
    ReasonCode.BROWSER_BUDGET_SPENT: "The run has spent its browser_budget of {limit} pages; not rendered.",
    ReasonCode.NOT_OURS: "Not requested: {error}",
    ReasonCode.CONVERSION_FAILED: "Conversion failed: {error}",
    ReasonCode.UNREADABLE_DOCUMENT: "Unreadable document: {error}",
    ReasonCode.CONVERSION_TIMEOUT: "Conversion timeout: {error}",
    ReasonCode.CONVERSION_CRASHED: "Conversion crashed: {error}",
    ReasonCode.WALKER_ERROR: "Internal error ({error_type}): {error}",
    ReasonCode.NO_RESULT: "Internal error: the page was lost before its result was recorded.",
    ReasonCode.PROVIDER_UNREACHABLE: "Provider unreachable: {error}",
    ReasonCode.PROVIDER_TIMEOUT: "Provider timeout: {error}",
    ReasonCode.PROVIDER_REFUSED: "The provider refused the API key: {error}",
    ReasonCode.PROVIDER_OUT_OF_CREDITS: "The provider account is out of credits: {error}",
    ReasonCode.PROVIDER_RATE_LIMITED: "Rate limited by the provider: {error}",
    ReasonCode.PROVIDER_ERROR: "Provider error: {error}",
    ReasonCode.PROVIDER_BAD_ANSWER: "Invalid provider response: {error}",
    ReasonCode.PROVIDER_WRONG_PAGE: "The provider returned another page: {error}",
    ReasonCode.PROVIDER_GAVE_UP: "The provider could not fetch the page: {error}",
    ReasonCode.PROVIDER_NO_DOCUMENT: "The provider does not return original documents: {error}",
    ReasonCode.COST_LIMIT: "Spending limit reached: {error}",
    ReasonCode.PAID_CALLS_FULL: "Too many paid calls in progress: {error}",
    ReasonCode.THIN: "Thin: {chars} characters of main text, fewer than {limit}.",
    ReasonCode.UNFILLED: "Scripts have yet to fill a part of the page; it shows: {rule}",
    ReasonCode.PUT_BACK: "The page names another URL as its own, {target_url}: requested again.",
    ReasonCode.SAME_RENDERED: "Rendering did not change the text.",
    ReasonCode.GARBLED_RENDERED: (
        "The rendered page is garbled ({count} words, such as {rule}); kept as plain HTTP gave it, in {name}."
    ),
    ReasonCode.PREVIOUS_TIER_CHECKED: (
        "Requested by the previous tier too, to tell a change of the page from one of the tier[: {error}]"
    ),
    ReasonCode.MAPPED: "The provider's map has {pages} URLs.",
    ReasonCode.MAP_FAILED: "The provider's map failed: {error}",
    ReasonCode.COMPLETE: "",
    ReasonCode.COMPLETE_TO_LIMIT: (
        "Pages in scope not requested, beyond max_pages[ {limit}][: {count}, such as {examples}][; lists of pages not "
        "read to their end: {lists}]. Raise max_pages, or narrow include_patterns."
    ),
    ReasonCode.WINDOW_CLOSED: "The crawl window closed[. URLs pending: {pending} of {discovered}]",
    ReasonCode.OFFLINE: "This machine seems to be offline: {error}[. URLs pending: {pending} of {discovered}]",
    ReasonCode.STOPPED: "Stopped: {error}[. URLs pending: {pending} of {discovered}]",
    ReasonCode.NOT_RECORDED: "Stopped, as results could not be recorded[. URLs pending: {pending} of {discovered}]",
    ReasonCode.LEASE_LOST: "Stopped without a lease: {error}[. URLs pending: {pending} of {discovered}]",
    ReasonCode.TAKEN_OVER: "Another job continues the run[ ({error})].",
    ReasonCode.URLS_PENDING: "URLs without a result: {pending} of {discovered}.",
    ReasonCode.NOT_IN_TIME: "Too late to resume; URLs without a result: {pending} of {discovered}.",
    ReasonCode.JOB_DIED: "The job ended before it finished the run.",
    ReasonCode.PAGES_UNKNOWN: "Not all pages of the source are known: {error}",
    ReasonCode.WIKI_TOO_LARGE: (
        "The source names no pages, and the wiki has {pages} articles, more than the {limit} of one run. Name pages in "
        "scrape_config.mediawiki (titles, categories, namespaces), or set max_pages."
    ),
    ReasonCode.START_FAILED: "The start URL failed: {error}",
    ReasonCode.START_EXCLUDED: "The start URL is excluded: {error}",
    ReasonCode.MOSTLY_FAILED: "{failed} of {tried} requested URLs failed.",
    ReasonCode.BELOW_MIN_PAGES: "Pages collected: {pages}; the manifest expects at least {limit}[ ({note})].",
    ReasonCode.BELOW_BASELINE: (
        "Pages collected: {pages}, under half of the baseline of {baseline} (last complete runs: {counts}). Nothing is "
        "recorded as gone."
    ),
    ReasonCode.LISTS_UNREAD: "Lists of pages not read in full: {count}. Pages may be missing: {examples}.",
    ReasonCode.PAGES_NOT_ASKED: (
        "Pages in scope not requested, beyond RORI_MAX_PAGES: {count}, such as {examples}. Set max_pages."
    ),
    ReasonCode.ROUTES_NOT_ASKED: (
        "Pages that only scripts show were not requested: {count}, such as {examples}. Servers never see what follows "
        "#: add addresses that they answer, have interactions turn the pages of a list, or name these in "
        "exclude_patterns."
    ),
    ReasonCode.LISTS_IN_PART: (
        "Complete but for lists that are shown in part: {count}, such as {examples}. The rest was not read: have "
        "interactions (click, scroll) show it, with render: always, or name these in exclude_patterns (/*#/more/*)."
    ),
    ReasonCode.PAGES_UNRENDERED: (
        "Pages not rendered, the browser budget being spent: {count} of {tried}. The next run begins with them; raise "
        "browser_budget to read more in one."
    ),
    ReasonCode.ONLY_DATED: (
        "Pages of dated versions excluded: {count}, such as {examples}; the current text was not found. Add "
        "dated_version to allowed_copies, or name them in exclude_patterns."
    ),
}
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_DETAIL = re.compile(r"\{(\w+)\}")


class Reason(str):
    """A sentence that knows its code and details: ``http_status``, ``target_url``, ``rule``, ``limit``, ``error``, ...

    As a string it goes wherever a sentence is shown or stored; decisions use ``code``.
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
        if not self.detail:
            return self
        shown = {name: mask(value) if isinstance(value, str) else value for name, value in self.detail.items()}
        return self if shown == self.detail else type(self)(self.code, **shown)


def _make_sentence(code: ReasonCode, detail: Mapping[str, Any]) -> str:
    def keep_or_drop(part: re.Match[str]) -> str:
        return part[1] if set(_DETAIL.findall(part[1])) <= detail.keys() else ""

    return _DETAIL.sub(lambda name: str(detail[name[1]]), _OPTIONAL.sub(keep_or_drop, SENTENCES[code]))


CAPTURED = Reason(ReasonCode.CAPTURED)
COMPLETE = Reason(ReasonCode.COMPLETE)
