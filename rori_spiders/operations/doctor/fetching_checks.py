"""Checks of what pages are fetched and read by: sources and their tiers, the browser, providers, the language
model; and the money left for them.
"""

import asyncio
import json
import os
import socket
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from rori_spiders.crawl.tiers.browser.chromium import find_chromium
from rori_spiders.crawl.tiers.errors import BrowserFailed
from rori_spiders.crawl.tiers.order import BROWSER
from rori_spiders.exceptions import AllKeysExhaustedError, ConfigError, ExtractionError, ManifestError
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.operations import costs
from rori_spiders.llm.budget import PROVIDER, TokenBudget
from rori_spiders.llm.client import MODES, ModelAnswer, ModelClient
from rori_spiders.llm.keys import KeyRotator, load_keys
from rori_spiders.llm.model import Model, load_model
from rori_spiders.manifest.tier_selection import (
    api_key_variables,
    check_sources_have_tiers,
    configured_tiers,
    monthly_limit_setting,
)
from rori_spiders.manifest.vocabulary import PROVIDERS
from rori_spiders.operations.doctor.checks import CheckContext, CheckResult
from rori_spiders.reviews.spending import ALERT_AT

#: A browser starts in 2 s on an idle machine, and in 20 on a busy one (2 cores, 2026-11).
_LAUNCH_S = 60.0
_CONNECT_S = 5.0


def check_sources(context: CheckContext) -> Iterator[CheckResult]:
    """The manifest in force, and sources that no tier here may fetch."""
    if context.active_catalog is None:
        return
    catalog, warning = context.active_catalog.catalog, context.active_catalog.warning
    active = sum(source.status == "active" for source in catalog.sources)
    found = f"{len(catalog.sources)} sources, {active} active; {', '.join(one.origin for one in catalog.loaded)}"
    if warning:
        yield CheckResult(
            "manifest", "failed", warning, "Correct it: `scrapy manifest validate FILE` lists each problem."
        )
        return
    yield CheckResult("manifest", "ok", found)
    try:
        check_sources_have_tiers(catalog, configured_tiers(context.settings))
    except ManifestError as error:
        do = "Add a tier that these sources may use to RORI_TIERS, or correct the manifest."
        yield CheckResult("tiers", "failed", f"{len(error.problems)} sources have no tier: {error.problems[0]}", do)
    else:
        yield CheckResult(
            "tiers", "ok", (f"every source can use one of {', '.join(configured_tiers(context.settings))}")
        )


def check_browser(context: CheckContext) -> Iterator[CheckResult]:
    """Start and stop Chromium, without any request."""
    if BROWSER not in configured_tiers(context.settings):
        yield CheckResult("browser", "ok", "not used: not in RORI_TIERS")
        return
    if find_spec("scrapy_playwright") is None:
        do = "pip install 'rori-collector[browser]', or remove `browser` from RORI_TIERS."
        yield CheckResult("browser", "warning", "its package is not installed: the tier `browser` is not used", do)
        return
    from rori_spiders.crawl.tiers.browser.browser_process import try_launch  # which needs that package

    program = find_chromium(context.settings.get("RORI_CHROMIUM") or "")
    if program is None:
        do = "Install Debian's chromium, run `playwright install chromium`, or remove `browser` from RORI_TIERS."
        yield CheckResult(
            "browser",
            "failed",
            (f"no Chromium at {context.settings.get('RORI_CHROMIUM') or 'the default locations'}"),
            do,
        )
        return
    try:
        found = asyncio.run(asyncio.wait_for(try_launch(program, context.settings), _LAUNCH_S))
    except (BrowserFailed, TimeoutError) as error:
        do = "Start it by hand to see the error; often libraries or chromium-sandbox are missing."
        if "libatomic" in str(error):  # which slim images of Debian lack
            do = "Install Debian's libatomic1."
        yield CheckResult("browser", "failed", str(error) or f"{program}: no answer within {_LAUNCH_S:.0f} s", do)
        return
    description = f"Chromium {found.version}, {program}"
    if found.has_sandbox:
        yield CheckResult("browser", "ok", f"{description}, starts in its sandbox")
    elif os.geteuid() == 0:
        yield CheckResult("browser", "warning", f"{description}: no sandbox when run as root", "Run as another user.")
    else:
        do = "Install chromium-sandbox, or allow unprivileged user namespaces; containers may need their own rule."
        yield CheckResult("browser", "warning", f"{description}: no sandbox available; runs without one", do)


def check_providers(context: CheckContext) -> Iterator[CheckResult]:
    """Of those in the tier order: a key, a server that takes connections, money left. Nothing is bought."""
    named = [name for name in configured_tiers(context.settings) if name in PROVIDERS]
    if not named:
        yield CheckResult("providers", "ok", "none is used")
    for name in named:
        keys = any(os.environ.get(variable, "").strip() for variable in api_key_variables(name))
        if not keys and name != "crawl4ai":
            do = f"Set {api_key_variables(name)[0]}, or remove it from RORI_TIERS."
            yield CheckResult(name, "failed", "it has no key", do)
            continue
        address = context.settings.get(f"RORI_{name.upper()}_URL") or ""
        if problem := connection_problem(address):
            do = f"Check the address (RORI_{name.upper()}_URL), and that no firewall blocks it."
            yield CheckResult(name, "failed", f"{address or 'its server'}: {problem}", do)
        else:
            yield from check_budget(context, name, f"{address} takes connections")
    if named:
        yield from check_budget(context, "", "")


def connection_problem(address: str) -> str | None:
    """Why no connection to the server of *address* can be made; None when it can. Nothing is sent over it."""
    parts = urlsplit(address)
    if not parts.hostname:
        return "no address is set"
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        socket.create_connection((parts.hostname, port), timeout=_CONNECT_S).close()
    except OSError as error:
        return f"no connection ({error.strerror or error})"
    return None


def check_budget(context: CheckContext, provider: str, state: str) -> Iterator[CheckResult]:
    """Check the budget of one provider in its unit, or of all ("") in USD; *state* begins the sentence."""
    setting = monthly_limit_setting(provider) if provider else "RORI_MONTHLY_BUDGET_USD"
    limit = context.settings.getfloat(setting)
    gone = 0.0
    if context.ledger is not None:
        with context.ledger.connect() as conn:
            since = costs.month_start(context.now)
            gone = costs.spent_amount(conn, provider, since=since) if provider else costs.spent_usd(conn, since=since)
    found = (
        f"{(f'{state}; ' if state else '')}{gone:.12g} of {limit:.12g}{('' if provider else ' USD')} of this "
        "month's limit are spent"
    )
    if gone >= limit * ALERT_AT:
        yield CheckResult(provider or "money", "warning", found, f"Raise {setting} if the pages are worth it.")
    else:
        yield CheckResult(provider or "money", "ok", found)


# The language model: asked one tiny question, paid for like any other. Nothing of a page is sent.

#: A small model on two cores answers this within seconds; a person should not wait a minute for the doctor.
_PATIENCE_S = 30.0
_QUESTION = (
    {"role": "system", "content": 'Answer with JSON alone: {"sum": a whole number}.'},
    {"role": "user", "content": "What is two and two?"},
)
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"sum": {"type": "integer"}},
    "required": ["sum"],
    "additionalProperties": False,
}
#: What to do about each reason that a model may have not to answer (docs/explanation/fields.md).
_ADVICE = {
    "llm_unreachable": (
        "Check that the model server is running, that RORI_LLM_URL is correct, and that no firewall blocks it."
    ),
    "llm_timeout": (
        "Check whether the model server is busy or still loading the model. For a slow server, raise RORI_LLM_TIMEOUT."
    ),
    "llm_error": "Read the model server's log.",
    "llm_rejected": ("Check that the server has a model named RORI_LLM_MODEL. Most URLs in RORI_LLM_URL end with /v1."),
    "llm_bad_answer": "Check that RORI_LLM_URL is a chat completions server. Most URLs end with /v1.",
    "llm_refusal": "Use another model: this one, or its server's filter, refuses a simple sum.",
    "llm_length": "Raise RORI_LLM_ANSWER_TOKENS: reasoning models need more.",
    "llm_empty": "Use another model, or read the model server's log.",
    "llm_keys_exhausted": (
        "Check that the keys in RORI_LLM_KEYS are valid and have credit. See docs/reference/settings.md."
    ),
    "cost_limit": ("Raise RORI_LLM_MONTHLY_TOKENS, or RORI_MONTHLY_BUDGET_USD, if the extracted values are worth it."),
}


def check_model(context: CheckContext) -> Iterator[CheckResult]:
    """Whether it answers, in which form, and the money that is left."""
    if not (context.settings.get("RORI_LLM_URL") or context.settings.get("RORI_LLM_MODEL")):
        yield CheckResult("model", "ok", "not configured (RORI_LLM_URL, RORI_LLM_MODEL)")
        return
    try:
        named = load_model(context.settings)
    except ConfigError as error:
        yield CheckResult("model", "failed", str(error), "Correct it: docs/reference/settings.md.")
        return
    if find_spec("httpx2") is None:
        yield CheckResult("model", "failed", "its client is not installed", "pip install 'rori-collector[llm]'")
    elif context.ledger is None:
        found = f"{named.name} was not tested: its cost cannot be recorded without a ledger"
        yield CheckResult(
            "model",
            "warning",
            found,
            ("Create the ledger with `scrapy collect`, or repair it, then run this check again."),
        )
    else:
        yield from _try_model(context, named, context.ledger)


def _try_model(context: CheckContext, named: Model, ledger: Ledger) -> Iterator[CheckResult]:
    description = f"{named.name} at {named.url}"
    try:
        answer = asyncio.run(_ask_once(replace(named, timeout_s=min(named.timeout_s, _PATIENCE_S)), ledger))
    except (ExtractionError, AllKeysExhaustedError) as error:
        yield CheckResult("model", "failed", f"{description}: {error.reason}: {error}", _ADVICE.get(error.reason, ""))
        return
    if not _is_valid_answer(answer.text):
        do = "Use another model: answers in any other format are rejected."
        yield CheckResult("model", "warning", f"{description} answers, but not in the requested format", do)
    elif answer.mode != MODES[0]:
        do = (
            "Optional: use a server that supports json_schema. Answers are validated as strictly without it, "
            "but more pages fail."
        )
        found = f"{description} answers, as {answer.mode}: the server does not support json_schema"
        yield CheckResult("model", "warning", found, do)
    yield from check_budget(context, PROVIDER, f"{description} answers as {answer.mode}")


async def _ask_once(named: Model, ledger: Ledger) -> ModelAnswer:
    """Asked once: a failure that passes by itself is reported too."""
    async with ModelClient(named, KeyRotator(load_keys()), TokenBudget(ledger, named), waits=()) as client:
        return await client.ask(_QUESTION, _SCHEMA)


def _is_valid_answer(text: str) -> bool:
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(read, dict) and set(read) == {"sum"} and type(read["sum"]) is int
