"""Kinds of alerts: severity, delivery, what opens and clears each, and what to do."""

from dataclasses import dataclass

from rori_spiders import exceptions
from rori_spiders.reasons import ReasonCode

HIGH, WARNING, INFO = "high", "warning", "info"
#: How an alert leaves the ledger: by e-mail and webhook at once, in the digest of the day, or not at all (monitor).
AT_ONCE, DAILY, NOT_SENT = "at_once", "daily_digest", "monitor_only"
FEW_PAGES, INCOMPLETE, MASS_REMOVAL, JOB_LOST = "few_pages", "incomplete", "mass_removal", "job_lost"
BREAKER, NO_CHANGE, CONTENT_CHANGED = "breaker", "no_change", "content_changed"
FIELDS_CHANGED = "fields_changed"
PAGE_MISSING, PAGE_BLOCKED, START_REDIRECTS = "page_missing", "page_blocked", "source_redirects"
PAGES_UNREAD, PAGES_FAILING, PAGE_LIMIT = "pages_unread", "pages_failing", "page_limit"
CREDITS, CREDITS_SPENT, STORAGE = "credits", "credits_spent", "storage"
OFFLINE, CLOCK_SET = "offline", "clock_set"
HOOK_DOWN, MANIFEST_BROKEN = "hook_down", "manifest_broken"
HEADS_UNSENT, HEAD_UNSIGNED = "heads_unsent", "head_unsigned"
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
_PAGES_READ = "each page was read, excluded, or recorded as gone"

#: Specification §7.3's table (source_blocked, source_moved, breaker, content_changed, no_change, credits), then what
#: this program knows beyond it.
EVENTS: dict[str, AlertEvent] = {
    "source_blocked": AlertEvent(
        HIGH,
        AT_ONCE,
        "the server blocks the start URL (HTTP 403, challenge, captcha or login page)",
        _START_ANSWERS,
        "Read the site's robots.txt and terms, open the page in a browser, and ask the publisher for access. "
        "Meanwhile: `scrapy pause {id} --reason TEXT`.",
    ),
    "source_moved": AlertEvent(
        HIGH,
        AT_ONCE,
        "the start URL is not found (404, 410 or an error page), or redirects permanently to another domain",
        _START_ANSWERS,
        "Find the new address and correct `url` of {id} in the manifest, or retire the source.",
    ),
    PAGE_MISSING: AlertEvent(
        HIGH,
        AT_ONCE,
        "pages that were captured before answer 404, say that they are not there, or redirect to another page or site",
        "each page answers again, or was recorded as gone: after a 404 by a second check a day later",
        "Look at the site. If it has moved, correct {id} in the manifest. If only these pages are gone, do nothing: "
        "the second check records it. Pages that say so with status 200 wait for you: `scrapy runs accept {run} "
        "--reason TEXT` (`--url URL` for one page).",
    ),
    PAGE_BLOCKED: AlertEvent(
        HIGH,
        AT_ONCE,
        "pages that were captured before now show a block, a sign-in, a prompt, an application without text, or "
        "nothing, or robots.txt disallows them; one alert per source",
        "each page shows its text again, is excluded, or was recorded as gone",
        "Open some of the pages in a browser: their texts are those of the last capture, and changes since then are "
        "unseen. If the publisher has closed them, ask for access, or exclude them (`exclude_patterns`). If a browser "
        "shows them, set `render` of {id}.",
    ),
    PAGES_FAILING: AlertEvent(
        WARNING,
        DAILY,
        "pages that were captured before have failed for a week or more, for a cause that may pass (a server error, a "
        "rate limit, a time-out), while the source's runs are complete",
        "a complete run reads each of them, or finds it gone",
        "Open some of the pages in a browser: their texts are those of the last capture, and changes since then are "
        "unseen. Which fail, and why: `scrapy audit --source {id} --status failed`.",
    ),
    BREAKER: AlertEvent(
        HIGH,
        AT_ONCE,
        "5 scheduled runs in a row failed; the source is paused in the ledger",
        "a person resumes the source",
        "Review the failures (`scrapy audit --source {id} --status failed`, `scrapy audit --response ROW`), fix the "
        "cause, test with `scrapy crawl {id}`, then run `scrapy resume {id}`.",
    ),
    CONTENT_CHANGED: AlertEvent(
        INFO,
        NOT_SENT,
        "a run captured new versions or recorded pages as gone; one alert per run",
        "immediately; for information only",
        "Nothing. `scrapy changes list --source {id}` lists the changes.",
    ),
    FIELDS_CHANGED: AlertEvent(
        INFO,
        NOT_SENT,
        "`scrapy fields run` extracted other values than before with the same fields, model and prompt; one alert "
        "per extraction",
        "immediately; for information only",
        "Nothing. See the changes with `scrapy fields show {id} --history`.",
    ),
    NO_CHANGE: AlertEvent(
        WARNING,
        NOT_SENT,
        "30 days of successful checks found no change",
        "a change is captured",
        "Check that the publisher still updates this page. If the content rarely changes, set a longer `frequency` "
        "in the manifest.",
    ),
    CREDITS_SPENT: AlertEvent(
        HIGH,
        AT_ONCE,
        "a monthly limit is used up (a provider's own, or the total in USD) and a call was refused; the page "
        "continues with the next tier, or fails as `cost_limit`",
        "the limit is changed, or a new month begins",
        "See which sources spend most (`scrapy runs`). Raise the limit (`RORI_ZYTE_MONTHLY_CREDITS` and the like, "
        "`RORI_MONTHLY_BUDGET_USD`), or wait for the next month; the next runs retry the failed pages.",
    ),
    CREDITS: AlertEvent(
        WARNING,
        DAILY,
        "80 % of a monthly limit is spent (a provider's own, or the total in USD)",
        "the limit is changed, or a new month begins",
        "See which sources spend most (`scrapy runs`). Raise the limit (`RORI_ZYTE_MONTHLY_CREDITS` and the like, "
        "`RORI_MONTHLY_BUDGET_USD`), or wait for the next month.",
    ),
    "unparseable": AlertEvent(
        WARNING,
        DAILY,
        "a page could not be classified, parsed or converted; its bytes are kept as an object (`raw_hash` in the "
        "audit)",
        _PAGES_READ,
        "Open the stored document. If it is readable, report the URL as a bug; otherwise inform the publisher, or "
        "exclude the page (`exclude_patterns` in the manifest).",
    ),
    PAGES_UNREAD: AlertEvent(
        WARNING,
        DAILY,
        "a PDF has pages that are pictures (scanned or drawn): their words are in no text; that another picture stands "
        "there is recorded as a change, not what it says",
        "a newer text of each such document has all pages, or the document is gone",
        "Read those pages yourself in the stored file: no text, comparison or extracted value covers them. Ask the "
        "publisher for a file with text.",
    ),
    "suspect": AlertEvent(
        WARNING,
        DAILY,
        "a page lost more than half of its text, or may not be the whole page or the right one, and is held for review",
        f"{_PAGES_READ}, or a person accepts it",
        "Compare the page with the held text: was it shortened, or replaced? If it is correct: `scrapy runs accept "
        "{run} --reason TEXT` (`--url URL` for one page).",
    ),
    START_REDIRECTS: AlertEvent(
        WARNING,
        DAILY,
        "the start URL redirects permanently (301, 308) to another address of the source; collection continues",
        "the start URL answers without a redirect",
        "Correct `url` of {id} in the manifest: publishers remove such redirects after a while.",
    ),
    "robots_forbids": AlertEvent(
        HIGH,
        AT_ONCE,
        "robots.txt disallows the start URL",
        _START_ANSWERS,
        "Ask the publisher for permission, or use another address (an API, a feed) in the manifest; or retire the "
        "source.",
    ),
    "robots_unreachable": AlertEvent(
        WARNING,
        DAILY,
        "robots.txt of the start URL could not be read, so the site may not be requested (RFC 9309)",
        _START_ANSWERS,
        "Open the site's robots.txt in a browser. If it loads there, the server blocks the collector: ask the "
        "publisher. Otherwise wait: every run retries.",
    ),
    "crawl_delay": AlertEvent(
        HIGH,
        AT_ONCE,
        "robots.txt requires a Crawl-delay longer than the collector supports",
        _START_ANSWERS,
        "Ask the publisher for a shorter Crawl-delay for RORI-Collector, or pause the source in the manifest.",
    ),
    "rate_limited": AlertEvent(
        WARNING,
        DAILY,
        "the server rate limited a run until the retries were exhausted (HTTP 429, or `Retry-After` above 15 "
        "minutes); the interval is doubled",
        "two runs in a row are complete",
        "Nothing the first time: the source is collected half as often until two runs in a row are complete. If it "
        "recurs, set a longer `delay_s` for the domain in the manifest.",
    ),
    INCOMPLETE: AlertEvent(
        WARNING,
        DAILY,
        "a run could not read all of the publisher's lists of pages, or left pages that it knew of unread",
        "a run is complete",
        "See which lists: `scrapy runs show {run}`. If a list is broken, inform the publisher or wait; if it is too "
        "large or belongs to another source, name those to read in `scrape_config.sitemaps` of {id}, or set "
        "`max_pages`.",
    ),
    PAGE_LIMIT: AlertEvent(
        WARNING,
        DAILY,
        "a complete run left out pages in scope, because the source's `max_pages` was reached",
        "a run is complete without reaching `max_pages`",
        "See which pages: `scrapy audit --source {id} --status excluded`. Raise `max_pages` of {id} in the manifest, "
        "or narrow `include_patterns` to the pages that matter.",
    ),
    FEW_PAGES: AlertEvent(
        HIGH,
        AT_ONCE,
        "a run found fewer than half of the source's baseline pages (the run is `suspect`)",
        "a run finds enough pages, or a person accepts the count",
        "Check whether the site lost pages, is broken, or blocks the collector. If the count is correct: `scrapy "
        "runs accept {run} --reason TEXT` makes it the new baseline. Otherwise correct the manifest, or wait: a run "
        "with enough pages clears this alert.",
    ),
    MASS_REMOVAL: AlertEvent(
        HIGH,
        AT_ONCE,
        "a run would record too many pages as gone at once (over 3, and over 5 % of the source's pages)",
        "a run finds enough of the pages again, or a person accepts the removals",
        "Check whether the site has moved or is broken. If so, correct the manifest or wait: no page is recorded as "
        "gone. If the pages are really gone: `scrapy runs accept {run} --reason TEXT` (`--url URL` for one page).",
    ),
    JOB_LOST: AlertEvent(
        HIGH,
        AT_ONCE,
        "three jobs in a row died while they collected the source",
        "a run of the source ends",
        "Find out what killed the jobs (`scrapy jobs`, the nodes' logs: memory, disk). Then run `scrapy collect "
        "--source {id}`.",
    ),
    STORAGE: AlertEvent(
        HIGH,
        AT_ONCE,
        "a job stopped because it could not read or write the staging area",
        "a job writes to the staging area",
        "Fix what the message names: disk space, permissions or the missing storage. Recorded pages are safe; the "
        "next job fetches the rest.",
    ),
    OFFLINE: AlertEvent(
        HIGH,
        AT_ONCE,
        "a job stopped because its machine seems to be offline: no publisher's server could be reached",
        "a server answers a job on that machine",
        "Check the machine's network: name resolution, route, firewall (`scrapy doctor`). Nothing counts against the "
        "sources; the next job fetches the rest. If only these servers are down, set `RORI_CONNECTIVITY_HOST` "
        "to a host that is always reachable.",
    ),
    CLOCK_SET: AlertEvent(
        WARNING,
        DAILY,
        "the clock of a machine was adjusted by a second or more while a job ran there: times recorded before and "
        "after are not comparable",
        "a job on that machine ends without another adjustment",
        "Synchronise the clock (`timedatectl`, chrony), and keep it so. The times that the job "
        "recorded before the adjustment, or those after it, are wrong: note that where they serve as proof.",
    ),
    MANIFEST_BROKEN: AlertEvent(
        HIGH,
        AT_ONCE,
        "the active manifest is invalid: no job starts, and nothing is collected",
        "a job starts",
        "List the errors with `scrapy manifest validate FILE`. Correct them, restore the previous file, or activate "
        "a valid one (`scrapy manifest activate FILE`). The next job collects what is due.",
    ),
    HOOK_DOWN: AlertEvent(
        HIGH,
        AT_ONCE,
        "the webhook of `RORI_WEBHOOK_URL` accepts nothing: an envelope has waited for 15 minutes, or a job gave up",
        "the webhook accepts an envelope, or none is waiting",
        "Check the receiver: is it running, does it have the secret, does it answer 2xx? Nothing is lost: the files "
        "are staged, jobs and the dispatcher keep retrying, and `scrapy staging announce` retries now.",
    ),
    HEAD_UNSIGNED: AlertEvent(
        HIGH,
        AT_ONCE,
        "the head of the log of facts was not signed: the key is unusable, or the log does not contain the "
        "head that was signed last",
        "a head is signed",
        "Run `scrapy verify`. If it reports that the log was cut or rewritten, copy the ledger before anything else, "
        "find out who could write to it, and compare it with stored heads (`scrapy verify --heads FILE`). Otherwise "
        "fix what the message names: the key file, its permissions, RORI_EVIDENCE_KEY. The next job signs.",
    ),
    HEADS_UNSENT: AlertEvent(
        HIGH,
        AT_ONCE,
        "a destination of `RORI_EVIDENCE_HEADS` did not accept a signed head; one alert per destination",
        "the destination accepts a head, or is removed from the setting",
        "Fix what the message names: the file's disk, the bucket and its object lock, the receiver, the timestamp "
        "authority, the witness. Nothing is lost: each job sends what is missing, and `scrapy evidence sign` does so "
        "now.",
    ),
    CORPUS_FAILED: AlertEvent(
        HIGH,
        AT_ONCE,
        "a corpus run failed; its pages, decisions and approvals are kept",
        "a run of the corpus reaches review, or is cancelled",
        "Find the cause with `scrapy corpus status` and fix it. `scrapy corpus run DOMAIN` then resumes where the "
        "run stopped.",
    ),
    CORPUS_DRAFT: AlertEvent(
        WARNING,
        DAILY,
        "pages of a published corpus were added, changed or removed; a draft with them awaits review",
        "the draft is approved or cancelled",
        "Review the draft: `scrapy corpus review DOMAIN`, or the monitor's Corpus page. Until it is published, "
        "`latest` names the previous version.",
    ),
    CORPUS_UNATTENDED: AlertEvent(
        INFO,
        DAILY,
        "a corpus version was published without review, as `unattended` in the site's rules allows",
        "a person publishes the next version of the corpus, or rolls it back",
        "Review the changes on the monitor's Corpus page. To undo them: `scrapy corpus rollback DOMAIN VERSION "
        "--reason TEXT`, and remove `unattended` from the rules.",
    ),
    CORPUS_UNPUBLISHED: AlertEvent(
        HIGH,
        AT_ONCE,
        "publishing a corpus version failed, or its loader failed",
        "a version of the corpus is published and loaded",
        "Find the cause with `scrapy corpus status --versions` and fix it. `scrapy corpus publish DOMAIN` finishes "
        "the version; `scrapy corpus load DOMAIN` restarts the loader. Until then `latest` names the previous "
        "version.",
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
    ReasonCode.DOUBTFUL: "suspect",
    ReasonCode.COPY_OF_PAGE: "suspect",
    ReasonCode.CUT_SHORT: "suspect",
    ReasonCode.OLDER_EDITION: "suspect",
}
#: Start URLs: the verdict on a failure -> event.
EVENT_OF_START_VERDICT = {
    **dict.fromkeys(("not_found", "soft_404", "parked"), "source_moved"),
    **dict.fromkeys(("denied", "challenge", "captcha", "filtered", "login_wall"), "source_blocked"),
}
#: There is no page: by the status, or by its own words alone.
MISSING_VERDICTS = frozenset({"not_found", "soft_404"})
#: Other pages, where a text is held: no page of its own came, and it is not known to pass.
LOST_VERDICTS = frozenset(
    {
        *("denied", "challenge", "captcha", "filtered", "login_wall", "consent_wall", "age_wall"),
        *("js_shell", "empty", "redirect_stub", "parked", "unknown"),
    }
)
START_EVENTS = ("source_moved", "source_blocked", "robots_forbids", "robots_unreachable", "crawl_delay")
EVENT_MESSAGES = {
    "unparseable": "could not be converted",
    "suspect": "held for review: more than half of the text is missing, the page ends early, it reads like a block or "
    "login page, or pages with texts of their own show one",
    PAGES_UNREAD: "with pictures for text, which were not read",
    PAGES_FAILING: "captured before, which could not be read",
    PAGE_MISSING: "not found that were captured before",
    PAGE_BLOCKED: "captured before, which now show a block, a sign-in, an empty application or nothing, or which "
    "robots.txt disallows",
    "source_moved": "the start URL is not found",
    "source_blocked": "the server blocks the start URL",
    "robots_forbids": "robots.txt disallows the start URL",
    "robots_unreachable": "robots.txt could not be read",
    "crawl_delay": "robots.txt requires a Crawl-delay longer than the collector supports",
}
