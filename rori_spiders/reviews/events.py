"""The kinds of alerts: how urgent each is, how it is told, what opens and clears it, and what a person can do."""

from __future__ import annotations

from dataclasses import dataclass

from rori_spiders import exceptions
from rori_spiders.reasons import ReasonCode

HIGH, WARNING, INFO = "high", "warning", "info"
#: How an alert leaves the ledger: by e-mail and web hook at once, in the digest of the day, or not at all (dashboard).
AT_ONCE, DAILY, NOT_SENT = "at once", "daily digest", "dashboard only"
FEW_PAGES, MASS_REMOVAL, JOB_LOST = "few_pages", "mass_removal", "job_lost"
BREAKER, NO_CHANGE, CONTENT_CHANGED = "breaker", "no_change", "content_changed"
FIELDS_CHANGED = "fields_changed"
PAGE_MISSING, START_REDIRECTS = "page_missing", "source_redirects"
CREDITS, CREDITS_SPENT, STORAGE = "credits", "credits_spent", "storage"
HOOK_DOWN, MANIFEST_BROKEN = "hook_down", "manifest_broken"
CORPUS_FAILED, CORPUS_UNPUBLISHED = "corpus_failed", "corpus_unpublished"
CORPUS_DRAFT, CORPUS_UNATTENDED = "corpus_draft", "corpus_unattended"


@dataclass(frozen=True, slots=True)
class AlertEvent:
    """A kind of alert, in words for a person. *sent* is AT_ONCE, DAILY or NOT_SENT.

    In *to_do*, ``{id}`` is the source's, ``{run}`` that of the last run which brought one of its pages here.
    """

    severity: str
    sent: str
    opens: str
    clears: str
    to_do: str


_START_ANSWERS = "the start URL answers"
_PAGES_READ = "each of its pages was read, or is gone or excluded"

#: Specification §7.3's table (source_blocked, source_moved, breaker, content_changed, no_change, credits), then what
#: this program knows beyond it.
EVENTS: dict[str, AlertEvent] = {
    "source_blocked": AlertEvent(
        HIGH,
        AT_ONCE,
        "the start URL is refused: 403, a challenge, a captcha, a login",
        _START_ANSWERS,
        "The server may have blocked us: read its robots.txt and terms, open the page in a browser, and ask the "
        "publisher for access. Until then: `scrapy pause {id} --reason ...`.",
    ),
    "source_moved": AlertEvent(
        HIGH,
        AT_ONCE,
        "the start URL answers 404, 410, a page that says as much, or redirects for good to another domain",
        _START_ANSWERS,
        "Find where the publisher has moved it, and correct `url` of {id} in the manifest; or retire the source.",
    ),
    PAGE_MISSING: AlertEvent(
        HIGH,
        AT_ONCE,
        "pages that were captured before answer 404",
        "each of its pages answers again, or was recorded as gone on a second look, a day later",
        "Look at the site: if it has moved, correct {id} in the manifest. If the pages are only gone, do nothing: "
        "a second look a day later records that.",
    ),
    BREAKER: AlertEvent(
        HIGH,
        AT_ONCE,
        "5 scheduled runs in a row failed: the source is paused in the ledger, and no schedule starts it",
        "a person resumes the source",
        "Look at its failures (`scrapy audit --source {id} --status failed`, `scrapy audit --response ROW`), mend the "
        "cause, try it by hand (`scrapy crawl {id}`), then `scrapy resume {id}`.",
    ),
    CONTENT_CHANGED: AlertEvent(
        INFO,
        NOT_SENT,
        "a run captured new texts, or recorded pages as gone; one a run",
        "at once: it only tells",
        "Nothing: `scrapy diff URL` shows what has changed.",
    ),
    FIELDS_CHANGED: AlertEvent(
        INFO,
        NOT_SENT,
        "`scrapy fields run` drew other values than before, by the same fields, model and prompt; one a drawing",
        "at once: it only tells",
        "Nothing: `scrapy fields show {id} --history` shows what has changed.",
    ),
    NO_CHANGE: AlertEvent(
        WARNING,
        NOT_SENT,
        "30 days of successful checks found no change",
        "a change is captured",
        "Open the source and compare: is it still the place where the publisher writes? If nothing changes there by "
        "its nature, give it a longer `frequency` in the manifest.",
    ),
    CREDITS_SPENT: AlertEvent(
        HIGH,
        AT_ONCE,
        "a limit of this month is spent, a provider's in its own unit or that of all in USD: a call that was wanted is "
        "refused, its page goes on with the next tier or fails as `cost_limit`",
        "the limit is changed, or the month ends",
        "See which sources spend it (`scrapy runs`). Raise the limit (`RORI_ZYTE_MONTHLY_CREDITS` and the like, "
        "`RORI_MONTHLY_BUDGET_USD`), or wait for the next month; pages that failed are asked again by the next runs.",
    ),
    CREDITS: AlertEvent(
        WARNING,
        DAILY,
        "80 % of what a provider may spend this month (in its own unit), or all together in USD, are spent",
        "the limit is changed, or the month ends",
        "See which sources spend them (`scrapy runs`); raise the limit (`RORI_ZYTE_MONTHLY_CREDITS` and the like, "
        "`RORI_MONTHLY_BUDGET_USD`), or wait for the next month.",
    ),
    "unparseable": AlertEvent(
        WARNING,
        DAILY,
        "a page could not be judged, read or turned into text; its bytes are kept as an object (`raw_hash` in the "
        "audit)",
        _PAGES_READ,
        "Open the document by hand; the bytes as received are kept. If a person can read it, report the URL; "
        "else tell the publisher, or exclude it (`exclude_patterns` in the manifest).",
    ),
    "suspect": AlertEvent(
        WARNING,
        DAILY,
        "a page has under half of its last text, and is held",
        f"{_PAGES_READ}; or a person accepted it",
        "Compare the page with the text that is held: has it been shortened, or is it another page? If it is right as "
        "it is now: `scrapy runs accept {run} --reason TEXT` (`--url URL`: only one page).",
    ),
    START_REDIRECTS: AlertEvent(
        WARNING,
        DAILY,
        "the start URL redirects for good (301, 308) to another address of the source; it is still collected",
        "the start URL answers without it",
        "Correct `url` of {id} in the manifest: publishers take such redirects away after a while.",
    ),
    "robots_forbids": AlertEvent(
        HIGH,
        AT_ONCE,
        "robots.txt forbids the start URL",
        _START_ANSWERS,
        "The publisher does not want it collected. Ask for permission or another address (an API, a feed), and "
        "correct the manifest; or retire the source.",
    ),
    "robots_unreachable": AlertEvent(
        WARNING,
        DAILY,
        "robots.txt of the start URL could not be read, so nothing may be asked (RFC 9309)",
        _START_ANSWERS,
        "Open its robots.txt in a browser. If it is there, the server refuses us: ask the publisher. Else wait: it is "
        "asked again in each run.",
    ),
    "crawl_delay": AlertEvent(
        HIGH,
        AT_ONCE,
        "robots.txt asks for a longer Crawl-delay than can be kept",
        _START_ANSWERS,
        "Ask the publisher for a shorter Crawl-delay for RORI-Collector; or pause the source in the manifest.",
    ),
    "rate_limited": AlertEvent(
        WARNING,
        DAILY,
        "a run was rate limited to the end (429, or `Retry-After` above 15 minutes): the interval is doubled",
        "two runs in a row were complete",
        "Nothing, once: it is collected half as often until two runs in a row were complete. Again and again: give "
        "its domain a longer `delay_s` in the manifest.",
    ),
    FEW_PAGES: AlertEvent(
        HIGH,
        AT_ONCE,
        "a run found under half of the pages that its source usually has (the run is `suspect`)",
        "a run finds enough, or a person accepted the number",
        "Look at the site: has it lost pages, or is it broken, or walled? If it is right as it is now: `scrapy runs "
        "accept {run} --reason TEXT`, and its count is the usual one from then on. Else correct the manifest, or wait: "
        "a run with enough pages clears this.",
    ),
    MASS_REMOVAL: AlertEvent(
        HIGH,
        AT_ONCE,
        "more pages would go at once than are believed (over 3, and over 5 % of the source's)",
        "the run ends that saw enough of them again, or a person accepted that they are gone",
        "Look at the site: has it moved, or is it broken? Then correct the manifest, or wait: nothing is taken for "
        "gone. If the pages are really gone: `scrapy runs accept {run} --reason TEXT` (`--url URL`: only one of them).",
    ),
    JOB_LOST: AlertEvent(
        HIGH,
        AT_ONCE,
        "three jobs in a row ended without a word while they collected the source",
        "a run of the source ends",
        "Look for what ended them (`scrapy jobs`, the nodes' logs: memory, disk). Then `scrapy collect --source {id}`.",
    ),
    STORAGE: AlertEvent(
        HIGH,
        AT_ONCE,
        "the staging area cannot be read or written, and a job stopped",
        "a job ends that could write",
        "Do what the message says: make room, mend the rights, bring it back. What was recorded is safe; the next "
        "job fetches what was not.",
    ),
    MANIFEST_BROKEN: AlertEvent(
        HIGH,
        AT_ONCE,
        "what is in force as the manifest cannot be used: no job begins, and nothing is collected",
        "a job begins",
        "`scrapy manifest validate FILE` names each fault. Correct them, put the former file back, or activate a good "
        "one (`scrapy manifest activate FILE`). What is due then is collected by the next job.",
    ),
    HOOK_DOWN: AlertEvent(
        HIGH,
        AT_ONCE,
        "the web hook of `RORI_WEBHOOK_URL` takes nothing: an envelope waits for it since 15 minutes, or a job gave up",
        "it takes an envelope, or none waits any more",
        "Look at the receiver: is it there, does it know the secret, does it answer 2xx? Nothing is lost: jobs and the "
        "dispatcher go on trying, and `scrapy staging announce` tries at once. The files are staged all the same.",
    ),
    CORPUS_FAILED: AlertEvent(
        HIGH,
        AT_ONCE,
        "a run of a corpus could not go on; its pages, decisions and approvals are kept",
        "a run of that corpus comes to a person, or is cancelled",
        "See why: `scrapy corpus status`. Mend the cause, then `scrapy corpus run DOMAIN` goes on where it stopped.",
    ),
    CORPUS_DRAFT: AlertEvent(
        WARNING,
        DAILY,
        "pages of a published corpus have changed, come or gone: a draft with them was made, and waits for a person",
        "the draft is approved or cancelled",
        "Look at it: `scrapy corpus review DOMAIN`, or the monitor's Corpus section. Until it is published, `latest` "
        "names the texts from before.",
    ),
    CORPUS_UNATTENDED: AlertEvent(
        INFO,
        DAILY,
        "a version of a corpus was published without a person, as `unattended` in the site's rules allows",
        "a person publishes the next version of that corpus, or rolls it back",
        "Look at what changed, in the monitor's Corpus section. If it should not have been published: `scrapy corpus "
        "rollback DOMAIN VERSION --reason ...`, and take `unattended` out of the rules.",
    ),
    CORPUS_UNPUBLISHED: AlertEvent(
        HIGH,
        AT_ONCE,
        "a version of a corpus could not be published, or the loader that was started with it failed",
        "a version of that corpus is published, and its loader is done",
        "Nothing is half visible: `latest` names the version before. See why (`scrapy corpus status --versions`), "
        "mend the cause; `scrapy corpus publish DOMAIN` finishes the version, `scrapy corpus load DOMAIN` starts the "
        "loader again.",
    ),
}
#: Pages: the code of a failure -> event.
EVENT_OF_PAGE_REASON: dict[str, str] = {
    **{
        kind.reason: "unparseable"
        for kind in vars(exceptions).values()
        if isinstance(kind, type) and issubclass(kind, exceptions.ConversionError)
    },
    ReasonCode.WALKER_ERROR: "unparseable",
    ReasonCode.SUSPECT: "suspect",
}
#: Start URLs: the verdict on a failure -> event.
EVENT_OF_START_VERDICT = {
    **dict.fromkeys(("not_found", "soft_404", "parked"), "source_moved"),
    **dict.fromkeys(("denied", "challenge", "captcha", "filtered", "login_wall"), "source_blocked"),
}
START_EVENTS = ("source_moved", "source_blocked", "robots_forbids", "robots_unreachable", "crawl_delay")
EVENT_MESSAGES = {
    "unparseable": "could not be turned into text",
    "suspect": "held: under half of the last text is left",
    PAGE_MISSING: "captured before, not there now",
    "source_moved": "the start URL is not there",
    "source_blocked": "the start URL is refused",
    "robots_forbids": "the start URL may not be fetched",
    "robots_unreachable": "robots.txt could not be read",
    "crawl_delay": "the site asks for more patience than we have",
}
