"""Each setting of ours and what it may be; docs/settings.md says the same. Defaults stand in ``settings.py``.

A new setting: its line there, its line here, its section in docs/settings.md. A key, a password, a token is none: it
stands in SECRETS, is read from the environment where it is needed, and nowhere shown.
"""

from __future__ import annotations

from rori_spiders.addresses import AddressRules
from rori_spiders.configuration import kinds
from rori_spiders.manifest.vocabulary import PROVIDERS, TIERS

KINDS = {
    "RORI_MANIFEST": kinds.text("manifest files, separated by commas or colons"),
    "RORI_STAGING": kinds.text("a folder"),
    "RORI_DATABASE_URL": kinds.text("a path, or a database URL"),
    "RORI_ENVIRONMENT": kinds.one_of("production", "staging", "development"),
    "RORI_ALLOWED_ADDRESSES": kinds.several(
        "`host`, `host:port`, or a block such as `10.0.0.0/8`", lambda entry: AddressRules([entry])
    ),
    "RORI_TIERS": kinds.several(f"any of {', '.join(f'`{tier}`' for tier in TIERS)}", TIERS.index),
    "RORI_BROWSER_BUDGET": kinds.whole(),
    "RORI_ECFR_API": kinds.address,
    "RORI_FEDERAL_REGISTER_API": kinds.address,
    "RORI_ZYTE_URL": kinds.address,
    "RORI_ZYTE_LIMIT": kinds.number(unlimited=True),
    "RORI_FIRECRAWL_URL": kinds.address,
    "RORI_FIRECRAWL_LIMIT": kinds.number(unlimited=True),
    "RORI_CRAWL4AI_URL": kinds.address,
    "RORI_CRAWL4AI_LIMIT": kinds.number(unlimited=True),
    "RORI_SCRAPINGANT_URL": kinds.address,
    "RORI_SCRAPINGANT_LIMIT": kinds.number(unlimited=True),
    "RORI_COST_LIMIT": kinds.number(unlimited=True),
    "RORI_PROVIDER_TIMEOUT": kinds.number(above_zero=True),
    "RORI_FIELDS": kinds.text("a folder"),
    "RORI_CORPUS_RULES": kinds.text("a folder"),
    "RORI_LLM_URL": kinds.address,
    "RORI_LLM_MODEL": kinds.text("a model's name, as its server calls it"),
    "RORI_LLM_TIMEOUT": kinds.number(above_zero=True),
    "RORI_LLM_CONTEXT": kinds.whole(1024),
    "RORI_LLM_CHUNK_TOKENS": kinds.whole(128),
    "RORI_LLM_ANSWER_TOKENS": kinds.whole(64),
    "RORI_LLM_INPUT_PRICE": kinds.number(),
    "RORI_LLM_OUTPUT_PRICE": kinds.number(),
    "RORI_LLM_LIMIT": kinds.number(unlimited=True),
    "RORI_ACTIVATE": kinds.switch,
    "RORI_PAID_AT_ONCE": kinds.whole(1),
    "RORI_PARALLEL_RUNS": kinds.whole(1),
    "RORI_LEDGER_TIMEOUT": kinds.number(above_zero=True),
    "RORI_CONVERT_WORKERS": kinds.whole(1),
    "RORI_CONVERT_TIMEOUT": kinds.number(above_zero=True),
    "RORI_MAX_PAGES": kinds.whole(1),
    "RORI_MAX_BYTES": kinds.whole(1),
    "RORI_MAX_PDF_BYTES": kinds.whole(1),
    "RORI_CHROMIUM": kinds.text("a path"),
    "RORI_BROWSER_TIMEOUT": kinds.number(above_zero=True),
    "RORI_BROWSER_MEMORY": kinds.whole(1),
    "RORI_ON_STAGED": kinds.address,
    "RORI_CORPUS_FOLLOW": kinds.switch,
    "RORI_CORPUS_LOADER": kinds.text("a command with its arguments, or an http or https URL"),
    "RORI_CORPUS_LOADER_TIMEOUT": kinds.number(above_zero=True),
    "RORI_RETENTION_DAYS": kinds.whole(0, 36_500),
    "RORI_RETRY_SCALE": kinds.number(),
    "RORI_DISPATCH_EVERY": kinds.whole(1, 3600),
    "RORI_DISPATCH_WAITING": kinds.whole(1),
    "RORI_JOB_ID": kinds.uuid,
    "RORI_OPERATOR": kinds.one_of("system", "manual"),
    "RORI_ALERT_EMAIL": kinds.text("e-mail addresses, separated by commas"),
    "RORI_SMTP_URL": kinds.text("`smtp://`, `smtp+starttls://` or `smtps://`, a user and password, and the server"),
    "RORI_ALERT_URLS": kinds.text("addresses that Apprise knows, separated by commas"),
    "RORI_ALERT_DIGEST": kinds.text("a time of day and a time zone"),
    "RORI_MONITOR_HOST": kinds.ip_address,
    "RORI_MONITOR_PORT": kinds.whole(0, 65535),
    "RORI_MONITOR_NAMES": kinds.text("host names, separated by commas"),
    "RORI_MONITOR_USER_HEADER": kinds.text("a header's name"),
    "RORI_MONITOR_PROXIES": kinds.several("an address, or a block such as `10.0.0.0/8`", kinds.network),
    "RORI_MONITOR_IDLE_MINUTES": kinds.whole(1),
    "RORI_MONITOR_SESSION_HOURS": kinds.whole(1, 24 * 90),
    "RORI_MONITOR_RUNS": kinds.one_of("here", "queue"),
    "RORI_PROGRESS": kinds.one_of("auto", "always", "never"),
    "RORI_LOG_LEVEL": kinds.log_level,
    "RORI_LOG_FORMAT": kinds.one_of("text", "json"),
}
#: Settings whose value may hold a secret, such as the password of a URL: never shown as they are.
MAY_HOLD_SECRETS = frozenset(
    {"RORI_DATABASE_URL", "RORI_ON_STAGED", "RORI_CORPUS_LOADER", "RORI_SMTP_URL", "RORI_ALERT_URLS"}
)
#: From the environment alone, never a setting: what lets somebody in.
SECRETS = frozenset(
    {
        *(f"RORI_{provider.upper()}_KEYS" for provider in PROVIDERS),
        *("RORI_LLM_KEYS", "RORI_ON_STAGED_SECRET", "RORI_CORPUS_LOADER_SECRET"),
        "RORI_CORPUS_HOOK_SECRET",
    }
)
#: What follows from ours in Scrapy's own settings, unless that one was typed as well.
FOLLOWING = {"RORI_MAX_BYTES": "DOWNLOAD_MAXSIZE", "RORI_LOG_LEVEL": "LOG_LEVEL"}
