"""What pages are fetched by: sources and their tiers, the browser, providers and their money."""

from __future__ import annotations

import asyncio
import os
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rori_spiders.doctor.patient import Finding
from rori_spiders.exceptions import ManifestError
from rori_spiders.ladder import BROWSER
from rori_spiders.ledger import costs
from rori_spiders.manifest.configured import configured, key_names
from rori_spiders.manifest.reach import check_reach
from rori_spiders.manifest.vocabulary import PROVIDERS
from rori_spiders.reviews.money import ALERT_AT
from rori_spiders.tiers.browser.chromium import executable
from rori_spiders.tiers.browser.trial import launched
from rori_spiders.tiers.failures import BrowserFailed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.doctor.patient import Patient

#: A browser starts in 2 s on an idle machine, and in 20 on a busy one (2 cores, 2026-11).
_LAUNCH_S = 60.0
_CONNECT_S = 5.0


def sources(patient: Patient) -> Iterator[Finding]:
    """The manifest in force, and sources that no tier here may fetch."""
    if patient.in_force is None:
        return
    catalog, warning = patient.in_force.catalog, patient.in_force.warning
    active = sum(source.status == "active" for source in catalog.sources)
    found = f"{len(catalog.sources)} sources, {active} active; {', '.join(one.origin for one in catalog.loaded)}"
    if warning:
        yield Finding("manifest", "failed", warning, "Correct it: `scrapy manifest validate FILE` tells each problem.")
        return
    yield Finding("manifest", "ok", found)
    try:
        check_reach(catalog, configured(patient.settings))
    except ManifestError as error:
        do = "Name a tier in RORI_TIERS that they may use, or correct the manifest."
        yield Finding("tiers", "failed", f"{len(error.problems)} sources have no tier: {error.problems[0]}", do)
    else:
        yield Finding("tiers", "ok", f"every source has one of {', '.join(configured(patient.settings))}")


def browser(patient: Patient) -> Iterator[Finding]:
    """Chromium is started and ended; it asks nobody anything."""
    if BROWSER not in configured(patient.settings):
        yield Finding("browser", "ok", "not used: RORI_TIERS leaves it out")
        return
    program = executable(patient.settings.get("RORI_CHROMIUM") or "")
    if program is None:
        do = "Install Debian's chromium, or run `playwright install chromium`, or leave the browser out of RORI_TIERS."
        yield Finding(
            "browser", "failed", f"no Chromium at {patient.settings.get('RORI_CHROMIUM') or 'its places'}", do
        )
        return
    try:
        found = asyncio.run(asyncio.wait_for(launched(program, patient.settings), _LAUNCH_S))
    except (BrowserFailed, TimeoutError) as error:
        do = "Start it by hand to see why; often libraries, or chromium-sandbox, are missing."
        yield Finding("browser", "failed", str(error) or f"{program}: no answer within {_LAUNCH_S:.0f} s", do)
        return
    told = f"Chromium {found.version}, {program}"
    if found.has_sandbox:
        yield Finding("browser", "ok", f"{told}, starts in its sandbox")
    elif os.geteuid() == 0:
        yield Finding("browser", "warning", f"{told}: root has no sandbox", "Run as another user.")
    else:
        do = "Install chromium-sandbox, or allow unprivileged user namespaces; a container may need its own rule."
        yield Finding("browser", "warning", f"{told}: it finds no sandbox here, and runs without", do)


def providers(patient: Patient) -> Iterator[Finding]:
    """Of those in the ladder: a key, a server that takes connections, money left. Nothing is bought."""
    named = [name for name in configured(patient.settings) if name in PROVIDERS]
    if not named:
        yield Finding("providers", "ok", "none is used")
    for name in named:
        keys = any(os.environ.get(variable, "").strip() for variable in key_names(name))
        if not keys and name != "crawl4ai":
            do = f"Set {key_names(name)[0]}, or leave it out of RORI_TIERS."
            yield Finding(name, "failed", "it has no key", do)
            continue
        address = patient.settings.get(f"RORI_{name.upper()}_URL") or ""
        if problem := unreached(address):
            do = f"Is the address right (RORI_{name.upper()}_URL)? Does a firewall forbid it?"
            yield Finding(name, "failed", f"{address or 'its server'}: {problem}", do)
        else:
            yield from money(patient, name, f"{address} takes connections")
    if named:
        yield from money(patient, "", "")


def unreached(address: str) -> str | None:
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


def money(patient: Patient, provider: str, told: str) -> Iterator[Finding]:
    """Of one provider in its unit, or of all ("") in USD; *told* is what is said before."""
    setting = f"RORI_{provider.upper()}_LIMIT" if provider else "RORI_COST_LIMIT"
    limit = patient.settings.getfloat(setting)
    gone = 0.0
    if patient.ledger is not None:
        with patient.ledger.connect() as conn:
            since = costs.month_of(patient.now)
            gone = costs.spent(conn, provider, since=since) if provider else costs.spent_usd(conn, since=since)
    found = (
        f"{f'{told}; ' if told else ''}{gone:.12g} of {limit:.12g}{'' if provider else ' USD'} of this month are spent"
    )
    if gone >= limit * ALERT_AT:
        yield Finding(provider or "money", "warning", found, f"Raise {setting} if its pages are worth it.")
    else:
        yield Finding(provider or "money", "ok", found)
