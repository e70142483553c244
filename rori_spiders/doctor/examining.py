"""All checks, one after the other, on a patient as far as it can be had."""

from __future__ import annotations

from contextlib import closing, nullcontext
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sqlalchemy.exc import SQLAlchemyError

from rori_spiders.configuration.environment import DEFAULTS
from rori_spiders.configuration.settling import origin, problems, settle
from rori_spiders.configuration.table import KINDS, MAY_HOLD_SECRETS, SECRETS
from rori_spiders.doctor import database, fetching, machine, model, outgoing, program, staging, work
from rori_spiders.doctor.patient import Finding, Patient
from rori_spiders.exceptions import RoriError
from rori_spiders.inforce import InForce, in_force_or_warning, read_in_force
from rori_spiders.ledger.database import open_ledger
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.places import Places
from rori_spiders.redaction import MASK, of_process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from scrapy.settings import BaseSettings

    from rori_spiders.ledger.database import Ledger

CHECKS: tuple[Callable[[Patient], Iterator[Finding]], ...] = (
    program.installed,
    program.packages,
    program.encoding,
    program.project,
    program.variables,
    database.database,
    database.room,
    staging.staging,
    fetching.sources,
    fetching.browser,
    fetching.providers,
    model.model,
    outgoing.web_hook,
    outgoing.alert_channels,
    machine.memory,
    machine.open_files,
    machine.clock,
    machine.time_zones,
    machine.node,
    work.work,
)
#: How long a locked database is waited for.
_WAIT_S = 3.0


def effective(settings: BaseSettings, environment: Mapping[str, str]) -> list[dict[str, Any]]:
    """Each setting as it holds, and where from; secrets are masked, those of the environment only named as set."""
    rows: list[dict[str, Any]] = [
        {"setting": name, "value": _shown(name, str(settings.get(name))), "origin": origin(name, settings, environment)}
        for name in KINDS
    ]
    rows += [
        {"setting": name, "value": MASK, "origin": "environment"}
        for name in sorted(SECRETS)
        if environment.get(name, "").strip()
    ]
    return rows


def _shown(name: str, value: str) -> str:
    """*value* without secrets; of the address of a web hook the path may be one."""
    if name == "RORI_ALERT_URLS":  # each service keeps its tokens in another place of the address
        schemes = [one.strip().partition("://")[0] for one in value.split(",") if one.strip()]
        return ",".join(f"{scheme}://{MASK}" for scheme in schemes)
    parts = urlsplit(value)
    if name in MAY_HOLD_SECRETS and parts.scheme in {"http", "https"}:
        return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}/{MASK}"
    return of_process().text(value)


def examine(settings: BaseSettings, cfg: str, now: datetime) -> list[Finding]:
    """What all checks find. Of *settings*, those that are wrong get their defaults, after a finding has said so."""
    found = list(_settings(settings))
    places = _asked(found, "places", "Correct the setting that it names.", lambda: Places.from_settings(settings, cfg))
    ledger = _asked(found, "ledger", "", lambda: _ledger(places, found)) if places is not None else None
    with closing(ledger) if ledger is not None else nullcontext():
        in_force = _in_force(places, ledger) if places is not None else None
        patient = Patient(settings, cfg, places, ledger, in_force, now)
        for check in CHECKS:
            found += _checked(check, patient)
    redact = of_process().text
    return [Finding(one.check, one.result, redact(one.found), redact(one.do)) for one in found]


def _settings(settings: BaseSettings) -> Iterator[Finding]:
    wrong = problems(settings)
    for name, sentence in wrong.items():
        yield Finding("settings", "failed", sentence, "Correct it: docs/settings.md. Below, its default holds.")
        if name in KINDS:
            settings.set(name, DEFAULTS.get(name), priority="cmdline")
        else:
            settings.delete(name, priority="cmdline")
    settle(settings)
    if not wrong:
        yield Finding("settings", "ok", f"all {len(KINDS)} have values that they may have")


def _ledger(places: Places, found: list[Finding]) -> Ledger | None:
    if places.has_ledger:
        return open_ledger(places.database_url, migrate=False, timeout_s=_WAIT_S)
    found.append(
        Finding("ledger", "ok", f"{places.shown_ledger} is not there yet: the first `scrapy collect` makes it")
    )
    return None


def _in_force(places: Places, ledger: Ledger | None) -> InForce:
    """As jobs will read it; where the ledger has failed already, that is not told once more."""
    if ledger is None:
        return in_force_or_warning(places)
    try:
        return InForce(read_in_force(places, ledger))
    except RoriError as error:
        return InForce(Catalog([]), str(error))


def _asked(found: list[Finding], check: str, do: str, ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except (RoriError, SQLAlchemyError, OSError, ValueError) as error:
        found.append(Finding(check, "failed", _said(error), do))
        return None


def _checked(check: Callable[[Patient], Iterator[Finding]], patient: Patient) -> list[Finding]:
    """What *check* found up to where it broke: it must not hide the others."""
    found: list[Finding] = []
    name = check.__name__.replace("_", " ")
    try:
        found.extend(check(patient))
    except (RoriError, OSError, SQLAlchemyError) as error:
        found.append(Finding(name, "failed", _said(error)))
    except Exception as error:
        found.append(Finding(name, "failed", f"{type(error).__name__}: {error}", "Report it: a fault of this program."))
    return found


def _said(error: Exception) -> str:
    if isinstance(error, SQLAlchemyError):
        first = str(getattr(error, "orig", None) or error).strip().splitlines()
        return f"the database answers: {first[0] if first else type(error).__name__}"
    return str(error) or type(error).__name__
