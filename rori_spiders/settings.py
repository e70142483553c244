"""The flow at a glance: which component handles a request, a response and a page, in which order, and why.

``RORI_*`` settings come from here, the environment, or ``-s`` (which wins); docs/reference/settings.md explains each,
``configuration/setting_types.py`` says what it may be.
"""

import gc

from scrapy.settings import default_settings

from rori_spiders.configuration.setting_values import from_environment as _env

# What a command loads stays: to look for garbage meanwhile, as often as Python does, took a sixth of its start. What
# a crawl and the monitor run with, they set themselves.
gc.freeze()
gc.set_threshold(200_000)

BOT_NAME = "rori"
SPIDER_MODULES = ["rori_spiders.spiders"]
COMMANDS_MODULE = "rori_spiders.terminal.commands"
# One spider per source of the active manifests, beside the methods page, site, mediawiki and sources.
SPIDER_LOADER_CLASS = "rori_spiders.spiders.loader.ManifestSpiderLoader"

# --- Who we are, and what we promise to servers (S0 §6.2) ------------------------------------------------------------
USER_AGENT = "RORI-Collector/1.0 (+https://rori.dev/collector; research-purposes)"
ROBOTSTXT_OBEY = True  # default False. By our own middleware: Scrapy's lets requests through that wait for one file
ROBOTSTXT_USER_AGENT = "RORI-Collector"
# default 16. In the downloader at once beside those under way (RORI_MAX_CONCURRENT_REQUESTS): answers that are judged
CONCURRENT_REQUESTS = 10
CONCURRENT_REQUESTS_PER_DOMAIN = 3  # default 8. At once, to one group
CONCURRENT_ITEMS = 2  # default 100 tasks for each response, which brings one item and the requests that it leads to
DOWNLOAD_DELAY = 2.0  # default 0. The manifest may ask for more; crawl/transport/downloader.py spaces by 2.05 s
DOWNLOAD_DELAY_JITTER = 0  # default 0.5. Jitter would go below what we promise
DOWNLOADER = "rori_spiders.crawl.transport.downloader.GroupDownloader"  # one slot a group, whatever tier or source asks
# default: last in, first out. Breadth first, a page's depth is that of its shortest way, and max_depth means that
SCHEDULER_MEMORY_QUEUE = "scrapy.squeues.FifoMemoryQueue"
SCHEDULER_PRIORITY_QUEUE = (
    "rori_spiders.crawl.transport.downloader.RateLimitedPriorityQueue"  # a group that must wait waits here
)

# --- The way out -----------------------------------------------------------------------------------------------------
DOWNLOAD_HANDLERS = {
    "http": "rori_spiders.crawl.transport.handler.TierDownloadHandler",
    "https": "rori_spiders.crawl.transport.handler.TierDownloadHandler",
    "data": None,  # nothing but http and https ever leaves this program
    "file": None,
    "ftp": None,
    "s3": None,
}
TWISTED_DNS_RESOLVER = "rori_spiders.crawl.transport.resolver.PublicResolver"  # refuses what is not public
DOWNLOAD_VERIFY_CERTIFICATES = True  # default False
DOWNLOAD_TIMEOUT = 30  # default 180. S0 §7.1: a timeout is more than 30 s
DOWNLOAD_FAIL_ON_DATALOSS = True  # a truncated page is a failure, never a page
COOKIES_ENABLED = False  # default True. Public pages need none, and a cookie would make us another visitor
HTTPPROXY_ENABLED = False  # the address checked is the address connected to: no proxy of the environment in between
REFERER_ENABLED = False
TELNETCONSOLE_ENABLED = False  # both run any Python that reaches them, and are not even loaded (`_unused`)
REMOTE_CONTROL_ENABLED = False
REDIRECT_MAX_TIMES = 5  # default 20
METAREFRESH_MAXDELAY = 10  # default 100. Longer ones are clocks, not redirects

# What MIDDLEWARES and EXTENSIONS set to None is imported all the same, a tenth of all modules of a job.
# So these are taken out of what Scrapy starts from.
_unused = {
    "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware",  # scope.py judges redirects and retries as well
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware",
    "scrapy.downloadermiddlewares.cookies.CookiesMiddleware",  # off
    "scrapy.downloadermiddlewares.retry.RetryMiddleware",
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware",
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware",
    "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware",  # public pages ask for no password
    # Crawl/tiers/http/tier.py has the time
    "scrapy.downloadermiddlewares.downloadtimeout.DownloadTimeoutMiddleware",
    "scrapy.downloadermiddlewares.stats.DownloaderStats",  # it writes each request out anew to weigh it
    "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware",  # the walkers see every answer: one place decides
    "scrapy.spidermiddlewares.depth.DepthMiddleware",  # depth is a fact of the frontier
    # It drops in silence; urls/crawler_traps.py says why
    "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware",
    "scrapy.spidermiddlewares.metacopy.MetaCopyDetectionMiddleware",  # each request's meta is made anew
    # Both bring an HTTP server and a terminal.
    "scrapy.extensions.telnet.TelnetConsole",
    "scrapy.extensions.remote_control.RemoteControl",
}


def _keep_used(base: dict[str, int]) -> dict[str, int]:
    return {path: order for path, order in base.items() if path not in _unused}


DOWNLOADER_MIDDLEWARES_BASE = _keep_used(default_settings.DOWNLOADER_MIDDLEWARES_BASE)
SPIDER_MIDDLEWARES_BASE = _keep_used(default_settings.SPIDER_MIDDLEWARES_BASE)
EXTENSIONS_BASE = _keep_used(default_settings.EXTENSIONS_BASE)
# Requests go down this list, responses come up it.
DOWNLOADER_MIDDLEWARES = {
    # Is this URL ours to ask: scheme, address, the source's hosts?
    "rori_spiders.downloadermiddlewares.scope.ScopeMiddleware": 50,
    # Is its server cooling down?
    "rori_spiders.downloadermiddlewares.retries.CooldownMiddleware": 55,
    # Do we hold the right to ask this group of hosts?
    "rori_spiders.downloadermiddlewares.leases.LeaseMiddleware": 60,
    # Does its robots.txt allow the page's own URL?
    "rori_spiders.downloadermiddlewares.robots.RobotsMiddleware": 100,
    # Has this job read the sitemap already, for another source? Did it change since the job before?
    "rori_spiders.downloadermiddlewares.shared_lists.SharedListMiddleware": 505,
    # Did the page change since we read it (ETag, Last-Modified)?
    "rori_spiders.downloadermiddlewares.revalidation.RevalidationMiddleware": 510,
    # What is the response? Not content: the next tier (crawl/page/flow.py).
    "rori_spiders.downloadermiddlewares.tiers.TierMiddleware": 540,
    # S0 §7.1: wait and ask again.
    "rori_spiders.downloadermiddlewares.retries.RetryMiddleware": 550,
    "rori_spiders.downloadermiddlewares.redirects.ScopedMetaRefreshMiddleware": 580,
    "rori_spiders.downloadermiddlewares.redirects.ScopedRedirectMiddleware": 600,
    # A page that takes a tier several requests: each has its own turn.
    "rori_spiders.downloadermiddlewares.tiers.FollowUpRequestMiddleware": 620,
    # How many were asked, and answered how?
    "rori_spiders.downloadermiddlewares.stats.CountsMiddleware": 850,
}
SPIDER_MIDDLEWARES = {
    # Every discovered URL gets a row, and one final state.
    "rori_spiders.spidermiddlewares.frontier.FrontierMiddleware": 100,
}
# One pipeline: crawl/page/flow.py calls a page's steps by name (convert -> compare -> stage -> record).
ITEM_PIPELINES = {"rori_spiders.pipelines.page.PagePipeline": 100}
EXTENSIONS = {
    # Ours writes what was staged, and fails the command where a feed fails.
    "scrapy.extensions.feedexport.FeedExporter": None,
    "rori_spiders.extensions.feeds.StagedFeedExporter": 0,
    "scrapy.extensions.throttle.AutoThrottle": None,  # it would start at 5 s and go below a group's own minimum
    "rori_spiders.extensions.runs.RunsExtension": 10,  # opens and closes the ledger and the runs
    "rori_spiders.extensions.webhook.WebhookExtension": 12,  # notifies the webhook of what was staged, if one is set
    # A schedule's runs end with the hours of their sites
    "rori_spiders.extensions.crawl_window.CrawlWindowExtension": 15,
    "rori_spiders.extensions.throttle.GroupAutoThrottle": 20,  # slower when a server is slow, never faster
    "rori_spiders.extensions.alerts.AlertsExtension": 25,  # tells people what they must know
    "rori_spiders.extensions.progress.ProgressExtension": 30,  # what a person sees
}
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_TARGET_CONCURRENCY = 1.0
AUTOTHROTTLE_MAX_DELAY = 60

# --- Ours ------------------------------------------------------------------------------------------------------------
# Used by configuration/active_manifest.py. One or several files; empty: the ledger's active ones
RORI_MANIFEST = _env("RORI_MANIFEST", "")
RORI_STAGING = _env("RORI_STAGING", "collect/staged")  # Used by staging/. A folder, or s3://bucket/prefix
RORI_DATABASE_URL = _env("RORI_DATABASE_URL", "sqlite:///collect/ledger.db")  # Used by ledger/
# Used by the monitor and `scrapy metrics`: a streaming replica of that server, to read from
RORI_DATABASE_REPLICA_URL = _env("RORI_DATABASE_REPLICA_URL", "")
RORI_UMASK = _env("RORI_UMASK", "0077")  # Used by terminal/command.py, spiders/loader.py: rights that new files lack
RORI_ENVIRONMENT = _env("RORI_ENVIRONMENT", "development")  # Used by envelope.py: production | staging | development
# Used by urls/public_addresses.py: host:port or CIDR, comma-separated
RORI_ALLOWED_ADDRESSES = _env("RORI_ALLOWED_ADDRESSES", "")
# Used by tiers/: the tiers, cheapest first; empty: official, mediawiki, http, browser, the first provider with a key
RORI_TIERS = _env("RORI_TIERS", "")
# Used by crawl/tiers/browser/budget.py: pages of one run that the browser may fetch, where a source does not say
RORI_BROWSER_BUDGET = _env("RORI_BROWSER_BUDGET", 5)
RORI_EVIDENCE = _env("RORI_EVIDENCE", "text")
# Used by publishers/: where the APIs are; of the politeness group of the pages
RORI_ECFR_API = _env("RORI_ECFR_API", "https://www.ecfr.gov/api/versioner/v1")
RORI_FEDERAL_REGISTER_API = _env("RORI_FEDERAL_REGISTER_API", "https://www.federalregister.gov/api/v1")
# Used by tiers/providers/: where each provider's server is (crawl4ai: one of your own, none by default), what it may
# spend a month in its own unit, and all together in USD; seconds for one page. Keys: docs/reference/settings.md
RORI_ZYTE_URL = _env("RORI_ZYTE_URL", "https://api.zyte.com/v1")
RORI_ZYTE_MONTHLY_CREDITS = _env("RORI_ZYTE_MONTHLY_CREDITS", 1000)
RORI_FIRECRAWL_URL = _env("RORI_FIRECRAWL_URL", "https://api.firecrawl.dev")
RORI_FIRECRAWL_MONTHLY_CREDITS = _env("RORI_FIRECRAWL_MONTHLY_CREDITS", 500)
RORI_CRAWL4AI_URL = _env("RORI_CRAWL4AI_URL", "")
RORI_CRAWL4AI_MONTHLY_CREDITS = _env("RORI_CRAWL4AI_MONTHLY_CREDITS", 10000)
RORI_SCRAPINGANT_URL = _env("RORI_SCRAPINGANT_URL", "https://api.scrapingant.com")
RORI_SCRAPINGANT_MONTHLY_CREDITS = _env("RORI_SCRAPINGANT_MONTHLY_CREDITS", 10000)
RORI_MONTHLY_BUDGET_USD = _env("RORI_MONTHLY_BUDGET_USD", 20)
# Used by tiers/providers/, llm/: calls of providers and models under way at once, of all processes of a ledger
RORI_MAX_CONCURRENT_PAID_CALLS = _env("RORI_MAX_CONCURRENT_PAID_CALLS", 10)
RORI_PROVIDER_TIMEOUT = _env("RORI_PROVIDER_TIMEOUT", 90)
# Used by configuration/locations.py: a folder, what models answered
RORI_EXTRACTION_CACHE_DIR = _env("RORI_EXTRACTION_CACHE_DIR", "collect/fields")
# Used by configuration/locations.py: a folder, one file of rules a corpus
RORI_CORPUS_RULES = _env("RORI_CORPUS_RULES", "corpora")
# Used by llm/model.py: an OpenAI-compatible server (keys: RORI_LLM_KEYS, from the environment alone), its model, and
# its bounds: seconds, tokens of question and answer together, of a part of a page, of an answer; USD a million tokens;
# tokens a month
RORI_LLM_URL = _env("RORI_LLM_URL", "")
RORI_LLM_MODEL = _env("RORI_LLM_MODEL", "")
RORI_LLM_TIMEOUT = _env("RORI_LLM_TIMEOUT", 60)
RORI_LLM_CONTEXT = _env("RORI_LLM_CONTEXT", 16384)
RORI_LLM_CHUNK_TOKENS = _env("RORI_LLM_CHUNK_TOKENS", 2048)
RORI_LLM_ANSWER_TOKENS = _env("RORI_LLM_ANSWER_TOKENS", 2048)
RORI_LLM_INPUT_PRICE = _env("RORI_LLM_INPUT_PRICE", 0)
RORI_LLM_OUTPUT_PRICE = _env("RORI_LLM_OUTPUT_PRICE", 0)
RORI_LLM_CACHED_PRICE = _env("RORI_LLM_CACHED_PRICE", 0)
RORI_LLM_BATCH_SHARE = _env("RORI_LLM_BATCH_SHARE", 1)
RORI_LLM_BATCH = _env("RORI_LLM_BATCH", False)  # Used by terminal/corpus/runs.py: corpora are cleaned by batches
RORI_LLM_MONTHLY_TOKENS = _env("RORI_LLM_MONTHLY_TOKENS", 2000000)
# Used by crawl/job/job.py: a manifest given explicitly becomes the active one; `scrapy demo` leaves yours active
RORI_ACTIVATE = _env("RORI_ACTIVATE", True)
# Used by crawl/job/leases.py: requests under way at once, of all processes of a machine; and of all machines
# that share a ledger, 0: as many as these may have together
RORI_MAX_CONCURRENT_REQUESTS = _env("RORI_MAX_CONCURRENT_REQUESTS", 10)
RORI_FLEET_MAX_CONCURRENT_REQUESTS = _env("RORI_FLEET_MAX_CONCURRENT_REQUESTS", 0)
RORI_PARALLEL_RUNS = _env("RORI_PARALLEL_RUNS", 5)  # Used by crawl/job/job.py: sources in progress at once
# Used by crawl/job/job.py: seconds for another writer, or a lost server
RORI_LEDGER_TIMEOUT = _env("RORI_LEDGER_TIMEOUT", 30)
RORI_CONVERT_WORKERS = _env("RORI_CONVERT_WORKERS", 2)  # Used by workers/
RORI_CONVERT_TIMEOUT = _env("RORI_CONVERT_TIMEOUT", 60)  # Used by workers/: seconds for one page
# Used by content/documents/pdf/ocr.py, in the processes that convert: languages, and pages of one document
RORI_OCR = _env("RORI_OCR", "")
RORI_OCR_PAGES = _env("RORI_OCR_PAGES", 10)
# Used by crawl/walkers/site.py: pages of one run of a source that names no max_pages
RORI_MAX_PAGES = _env("RORI_MAX_PAGES", 20000)
# Used by crawl/walkers/base.py: pages of one run for which requests wait in memory; the others wait in the ledger
RORI_MAX_QUEUED_PAGES = _env("RORI_MAX_QUEUED_PAGES", 500)
RORI_MAX_BYTES = _env("RORI_MAX_BYTES", 32 * 2**20)  # Used by DOWNLOAD_MAXSIZE: decoded bytes of one page
RORI_MAX_PDF_BYTES = _env("RORI_MAX_PDF_BYTES", 64 * 2**20)  # Used by crawl/tiers/http/tier.py
RORI_CHROMIUM = _env("RORI_CHROMIUM", "")  # Used by tiers/browser/: the program; empty: Debian's, or Playwright's own
RORI_BROWSER_TIMEOUT = _env("RORI_BROWSER_TIMEOUT", 60)  # Used by tiers/browser/: seconds for one page (S4)
RORI_BROWSER_MEMORY = _env("RORI_BROWSER_MEMORY", 1024)  # Used by tiers/browser/: MiB of all its processes
# Used by staging/webhook/: the address that is notified of each staged envelope; its secret: RORI_WEBHOOK_SECRET
RORI_WEBHOOK_URL = _env("RORI_WEBHOOK_URL", "")
# Used by configuration/locations.py: what signs the heads of the log of facts; its text instead: RORI_EVIDENCE_KEY
RORI_EVIDENCE_KEY_FILE = _env("RORI_EVIDENCE_KEY_FILE", "evidence.key")
# Used by evidence/delivery/: where signed heads are sent, comma-separated
RORI_EVIDENCE_HEADS = _env("RORI_EVIDENCE_HEADS", "")
RORI_EVIDENCE_RETENTION_DAYS = _env("RORI_EVIDENCE_RETENTION_DAYS", 3650)  # Used by evidence/delivery/: lock in S3
RORI_EVIDENCE_TSA_ROOTS = _env("RORI_EVIDENCE_TSA_ROOTS", "")  # Used by configuration/locations.py: a PEM file
# Used by terminal/corpus/background_drafts.py: drafts of what has changed
RORI_CORPUS_AUTO_DRAFT = _env("RORI_CORPUS_AUTO_DRAFT", True)
# Used by corpus/publishing/loader_runner.py: what is started for a published version, a command or a webhook; seconds
# for it
RORI_CORPUS_LOADER = _env("RORI_CORPUS_LOADER", "")
RORI_CORPUS_LOADER_TIMEOUT = _env("RORI_CORPUS_LOADER_TIMEOUT", 3600)
# Used by terminal/commands/staging.py: days that an envelope is kept once the ingestion side has it (S0 §3.2.5)
RORI_RETENTION_DAYS = _env("RORI_RETENTION_DAYS", 90)
# Used by crawl/job/connectivity.py: what a job connects to when no server can be reached: is it offline?
RORI_CONNECTIVITY_HOST = _env("RORI_CONNECTIVITY_HOST", "")
RORI_RETRY_SCALE = _env("RORI_RETRY_SCALE", 1)  # Used by retries: below 1 only for RORI_ALLOWED_ADDRESSES
RORI_DISPATCH_INTERVAL = _env("RORI_DISPATCH_INTERVAL", 30)  # Used by terminal/commands/dispatch.py: seconds
# Used by terminal/commands/dispatch.py: jobs that wait at once, unless the nodes begin more in two rounds
RORI_DISPATCH_MAX_QUEUED = _env("RORI_DISPATCH_MAX_QUEUED", 20)
RORI_JOB_ID = _env("RORI_JOB_ID", "")  # Used by crawl/job/job.py: the dispatcher's scheduler_job_id; empty: a new uuid4
RORI_OPERATOR = _env("RORI_OPERATOR", "manual")  # Used by envelope.py: system | manual. `collect` sets it
# Used by alerts/: who is told by e-mail, through which server; other addresses, in Apprise's spelling; when the day's
# digest goes out
RORI_ALERT_EMAIL = _env("RORI_ALERT_EMAIL", "")
RORI_SMTP_URL = _env("RORI_SMTP_URL", "smtp://localhost")
RORI_ALERT_URLS = _env("RORI_ALERT_URLS", "")
RORI_ALERT_DIGEST = _env("RORI_ALERT_DIGEST", "07:00 America/New_York")
# Used by monitor/state/settings.py: where `scrapy monitor` listens, and under which names; the header by which a
# reverse proxy names the user, and the proxies that are believed; how long a session rests, and lasts; who runs what
# people start
RORI_MONITOR_HOST = _env("RORI_MONITOR_HOST", "127.0.0.1")
RORI_MONITOR_PORT = _env("RORI_MONITOR_PORT", 8650)
RORI_MONITOR_ALLOWED_HOSTS = _env("RORI_MONITOR_ALLOWED_HOSTS", "")
RORI_MONITOR_USER_HEADER = _env("RORI_MONITOR_USER_HEADER", "")
RORI_MONITOR_TRUSTED_PROXIES = _env("RORI_MONITOR_TRUSTED_PROXIES", "")
RORI_MONITOR_IDLE_MINUTES = _env("RORI_MONITOR_IDLE_MINUTES", 60)
RORI_MONITOR_SESSION_HOURS = _env("RORI_MONITOR_SESSION_HOURS", 12)
RORI_MONITOR_EXECUTOR = _env("RORI_MONITOR_EXECUTOR", "")  # local | queue; empty: local on SQLite
RORI_PROGRESS = _env("RORI_PROGRESS", "auto")  # Used by extensions/progress.py: auto | always | never
RORI_LOG_LEVEL = _env("RORI_LOG_LEVEL", "INFO")  # Used by LOG_LEVEL
RORI_LOG_FORMAT = _env("RORI_LOG_FORMAT", "text")  # Used by crawl/scrapy_internals/engine.py: text | json

DOWNLOAD_MAXSIZE = RORI_MAX_BYTES
DOWNLOAD_WARNSIZE = 0  # a failure says it better
LOG_LEVEL = RORI_LOG_LEVEL
LOG_FORMAT = "%(asctime)s %(levelname)s [%(name)s] %(message)s"
FEED_EXPORT_ENCODING = "utf-8"
FEED_EXPORTERS = {
    "json": "rori_spiders.pipelines.feed_exporters.SafeJsonItemExporter",
    **dict.fromkeys(("jsonlines", "jsonl", "jl"), "rori_spiders.pipelines.feed_exporters.SafeJsonLinesItemExporter"),
    "csv": "rori_spiders.pipelines.feed_exporters.FlatCsvItemExporter",
    "xml": "rori_spiders.pipelines.feed_exporters.SafeXmlItemExporter",
    "parquet": "rori_spiders.pipelines.feed_exporters.ParquetItemExporter",
}
