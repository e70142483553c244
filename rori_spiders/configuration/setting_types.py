"""Every RORI_* setting and the values that it accepts; docs/reference/settings.md says the same. Defaults: settings.py.
Keys, passwords and tokens are not settings: they are listed in SECRET_VARIABLES and read from the environment
only.
"""

import ipaddress
import logging
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from rori_spiders.manifest.vocabulary import PROVIDERS, TIERS
from rori_spiders.urls.public_addresses import AddressRules

_YES, _NO = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off"})


@dataclass(frozen=True, slots=True)
class SettingType:
    """``values``: what is allowed, in words that follow "must be". ``read`` raises ValueError for anything else."""

    values: str
    read: Callable[[str], Any]


def whole_number(least: int = 0, most: int | None = None) -> SettingType:
    """A whole number from *least* on, *most* at most."""

    def read(text: str) -> int:
        number = int(text)
        if number < least or (most is not None and number > most):
            raise ValueError
        return number

    return SettingType(f"a whole number from {least} {'on' if most is None else f'to {most}'}", read)


def decimal_number(*, above_zero: bool = False, unlimited: bool = False) -> SettingType:
    """A number from 0 on, or above it; with *unlimited* also ``inf``."""

    def read(text: str) -> float:
        value = float(text)
        too_small = value <= 0 if above_zero else value < 0
        if too_small or math.isnan(value) or (math.isinf(value) and not unlimited):
            raise ValueError
        return value

    return SettingType(f"a number {'above 0' if above_zero else 'from 0 on'}{', or `inf`' if unlimited else ''}", read)


def one_of(*words: str, of: Callable[[str], str] = str) -> SettingType:
    """One of *words*; *of* brings what was written to their case."""

    def read(text: str) -> str:
        if of(text) not in words:
            raise ValueError
        return of(text)

    return SettingType(
        " or ".join(filter(None, [", ".join(f"`{word}`" for word in words[:-1]), f"`{words[-1]}`"])), read
    )


def _parse_boolean(text: str) -> bool:
    word = text.lower()
    if word not in _YES | _NO:
        raise ValueError
    return word in _YES


def _parse_http_url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError
    return text


def _parse_head_destination(text: str) -> str:
    parts = urlsplit(text)
    has_host = parts.scheme.removeprefix("rfc3161+").removeprefix("witness+") in {"http", "https", "s3"}
    if not (has_host and parts.hostname) and not (parts.scheme == "file" and parts.path and not parts.netloc):
        raise ValueError
    return text


def _parse_host_and_port(text: str) -> str:
    parts = urlsplit(f"//{text}")
    if text and (
        not parts.hostname or parts.port == 0 or parts.netloc != text or not text.isprintable() or {*" @"} & {*text}
    ):
        raise ValueError
    return text


def list_of(what: str, check: Callable[[str], Any]) -> SettingType:
    """Words separated by commas, each of which *check* takes; it raises ValueError for one that it does not know."""

    def read(text: str) -> str:
        for word in filter(None, map(str.strip, text.split(","))):
            check(word)
        return text

    return SettingType(f"{what}, separated by commas", read)


def _parse_languages(text: str) -> str:
    if not re.fullmatch(r"\w+(\+\w+)*", text):
        raise ValueError
    return text


def free_text(what: str) -> SettingType:
    """Any value, described as *what*; its user checks more."""
    return SettingType(what, str)


def parse_network(text: str) -> object:
    """An address, or a block of them; ValueError for anything else."""
    return ipaddress.ip_network(text, strict=False)


BOOLEAN = SettingType("`1`, `true`, `yes`, `0`, `false` or `no`", _parse_boolean)
HTTP_URL = SettingType("an http or https URL", _parse_http_url)
IP_ADDRESS = SettingType("an IP address", lambda text: str(ipaddress.ip_address(text)))
UUID_TYPE = SettingType("a UUID", lambda text: str(UUID(text)))
LOG_LEVEL = one_of(
    *(name for name in logging.getLevelNamesMapping() if name not in {"NOTSET", "WARN", "FATAL"}), of=str.upper
)


# Each setting of ours and what it may be; docs/reference/settings.md says the same. Defaults stand in ``settings.py``.
# A new setting: its line there, its line here, its section in that page. A key, a password, a token is none: it stands
# in SECRET_VARIABLES, is read from the environment where it is needed, and nowhere shown.

SETTING_TYPES = {
    "RORI_MANIFEST": free_text("manifest files, separated by commas or colons"),
    "RORI_STAGING": free_text("a folder"),
    "RORI_DATABASE_URL": free_text("a path, or a database URL"),
    "RORI_DATABASE_REPLICA_URL": free_text("a database URL"),
    "RORI_UMASK": one_of("0077", "0027", "0007"),
    "RORI_ENVIRONMENT": one_of("production", "staging", "development"),
    "RORI_ALLOWED_ADDRESSES": list_of(
        "`host`, `host:port`, or a block such as `10.0.0.0/8`", lambda entry: AddressRules([entry])
    ),
    "RORI_CONNECTIVITY_HOST": SettingType("`host` or `host:port`", _parse_host_and_port),
    "RORI_TIERS": list_of(f"any of {', '.join(f'`{tier}`' for tier in TIERS)}", TIERS.index),
    "RORI_BROWSER_BUDGET": whole_number(),
    "RORI_ECFR_API": HTTP_URL,
    "RORI_FEDERAL_REGISTER_API": HTTP_URL,
    "RORI_ZYTE_URL": HTTP_URL,
    "RORI_ZYTE_MONTHLY_CREDITS": decimal_number(unlimited=True),
    "RORI_FIRECRAWL_URL": HTTP_URL,
    "RORI_FIRECRAWL_MONTHLY_CREDITS": decimal_number(unlimited=True),
    "RORI_CRAWL4AI_URL": HTTP_URL,
    "RORI_CRAWL4AI_MONTHLY_CREDITS": decimal_number(unlimited=True),
    "RORI_SCRAPINGANT_URL": HTTP_URL,
    "RORI_SCRAPINGANT_MONTHLY_CREDITS": decimal_number(unlimited=True),
    "RORI_MONTHLY_BUDGET_USD": decimal_number(unlimited=True),
    "RORI_PROVIDER_TIMEOUT": decimal_number(above_zero=True),
    "RORI_EXTRACTION_CACHE_DIR": free_text("a folder"),
    "RORI_CORPUS_RULES": free_text("a folder"),
    "RORI_LLM_URL": HTTP_URL,
    "RORI_LLM_MODEL": free_text("a model's name on its server"),
    "RORI_LLM_TIMEOUT": decimal_number(above_zero=True),
    "RORI_LLM_CONTEXT": whole_number(1024),
    "RORI_LLM_CHUNK_TOKENS": whole_number(128),
    "RORI_LLM_ANSWER_TOKENS": whole_number(64),
    "RORI_LLM_INPUT_PRICE": decimal_number(),
    "RORI_LLM_CACHED_PRICE": decimal_number(),
    "RORI_LLM_BATCH_SHARE": decimal_number(),
    "RORI_LLM_BATCH": BOOLEAN,
    "RORI_LLM_OUTPUT_PRICE": decimal_number(),
    "RORI_LLM_MONTHLY_TOKENS": decimal_number(unlimited=True),
    "RORI_ACTIVATE": BOOLEAN,
    "RORI_MAX_CONCURRENT_PAID_CALLS": whole_number(1),
    "RORI_MAX_CONCURRENT_REQUESTS": whole_number(1),
    "RORI_FLEET_MAX_CONCURRENT_REQUESTS": whole_number(0),
    "RORI_PARALLEL_RUNS": whole_number(1),
    "RORI_LEDGER_TIMEOUT": decimal_number(above_zero=True),
    "RORI_CONVERT_WORKERS": whole_number(1),
    "RORI_CONVERT_TIMEOUT": decimal_number(above_zero=True),
    "RORI_OCR": SettingType("languages of Tesseract, such as `eng` or `eng+spa`", _parse_languages),
    "RORI_OCR_PAGES": whole_number(1),
    "RORI_MAX_PAGES": whole_number(1),
    "RORI_MAX_QUEUED_PAGES": whole_number(2),
    "RORI_MAX_BYTES": whole_number(1),
    "RORI_MAX_PDF_BYTES": whole_number(1),
    "RORI_CHROMIUM": free_text("a path"),
    "RORI_BROWSER_TIMEOUT": decimal_number(above_zero=True),
    "RORI_BROWSER_MEMORY": whole_number(1),
    "RORI_WEBHOOK_URL": HTTP_URL,
    "RORI_EVIDENCE": one_of("text", "screenshot"),
    "RORI_EVIDENCE_KEY_FILE": free_text("a path"),
    "RORI_EVIDENCE_HEADS": list_of(
        "`file:///path`, `s3://bucket/prefix`, `https://...`, `rfc3161+https://...` or `witness+https://...#KEY`",
        _parse_head_destination,
    ),
    "RORI_EVIDENCE_RETENTION_DAYS": whole_number(1, 36_500),
    "RORI_EVIDENCE_TSA_ROOTS": free_text("a path"),
    "RORI_CORPUS_AUTO_DRAFT": BOOLEAN,
    "RORI_CORPUS_LOADER": free_text("a command with its arguments, or an http or https URL"),
    "RORI_CORPUS_LOADER_TIMEOUT": decimal_number(above_zero=True),
    "RORI_RETENTION_DAYS": whole_number(0, 36_500),
    "RORI_RETRY_SCALE": decimal_number(),
    "RORI_DISPATCH_INTERVAL": whole_number(1, 3600),
    "RORI_DISPATCH_MAX_QUEUED": whole_number(1),
    "RORI_JOB_ID": UUID_TYPE,
    "RORI_OPERATOR": one_of("system", "manual"),
    "RORI_ALERT_EMAIL": free_text("e-mail addresses, separated by commas"),
    "RORI_SMTP_URL": free_text("`smtp://`, `smtp+starttls://` or `smtps://`, a user and password, and the server"),
    "RORI_ALERT_URLS": free_text("addresses that Apprise supports, separated by commas"),
    "RORI_ALERT_DIGEST": free_text("a time of day and a time zone"),
    "RORI_MONITOR_HOST": IP_ADDRESS,
    "RORI_MONITOR_PORT": whole_number(0, 65535),
    "RORI_MONITOR_ALLOWED_HOSTS": free_text("host names, separated by commas"),
    "RORI_MONITOR_USER_HEADER": free_text("a header's name"),
    "RORI_MONITOR_TRUSTED_PROXIES": list_of("an address, or a block such as `10.0.0.0/8`", parse_network),
    "RORI_MONITOR_IDLE_MINUTES": whole_number(1),
    "RORI_MONITOR_SESSION_HOURS": whole_number(1, 24 * 90),
    "RORI_MONITOR_EXECUTOR": one_of("local", "queue"),
    "RORI_PROGRESS": one_of("auto", "always", "never"),
    "RORI_LOG_LEVEL": LOG_LEVEL,
    "RORI_LOG_FORMAT": one_of("text", "json"),
}
#: Settings whose value may hold a secret, such as the password of a URL: never shown as they are.
MAY_HOLD_SECRETS = frozenset(
    {
        *(
            "RORI_DATABASE_URL",
            "RORI_DATABASE_REPLICA_URL",
            "RORI_WEBHOOK_URL",
            "RORI_CORPUS_LOADER",
            "RORI_SMTP_URL",
            "RORI_ALERT_URLS",
        ),
        "RORI_EVIDENCE_HEADS",
    }
)
#: From the environment alone, never a setting: what lets somebody in.
SECRET_VARIABLES = frozenset(
    {
        *(f"RORI_{provider.upper()}_KEYS" for provider in PROVIDERS),
        *("RORI_LLM_KEYS", "RORI_WEBHOOK_SECRET", "RORI_CORPUS_LOADER_SECRET"),
        *("RORI_CORPUS_HOOK_SECRET", "RORI_EVIDENCE_KEY"),
    }
)
#: What follows from ours in Scrapy's own settings, unless that one was typed as well.
DERIVED_SCRAPY_SETTINGS = {"RORI_MAX_BYTES": "DOWNLOAD_MAXSIZE", "RORI_LOG_LEVEL": "LOG_LEVEL"}
