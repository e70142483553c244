"""All checks, one after the other, on a patient as far as it can be had."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, nullcontext
from datetime import datetime
from typing import Any

from scrapy.settings import BaseSettings
from sqlalchemy.exc import SQLAlchemyError

from rori_spiders.configuration.active_manifest import (
    ActiveCatalog,
    load_active_catalog,
    load_active_catalog_or_warning,
)
from rori_spiders.configuration.locations import Locations
from rori_spiders.configuration.setting_types import SETTING_TYPES
from rori_spiders.configuration.setting_values import (
    DEFAULTS,
    apply_setting_types,
    find_setting_problems,
)
from rori_spiders.exceptions import RoriError
from rori_spiders.ledger.database import Ledger, open_ledger
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.operations.doctor import (
    evidence_checks,
    fetching_checks,
    fleet_checks,
    job_checks,
    notification_checks,
    storage_checks,
    system_checks,
)
from rori_spiders.operations.doctor.checks import CheckContext, CheckResult, redact_results

CHECKS: tuple[Callable[[CheckContext], Iterator[CheckResult]], ...] = (
    system_checks.check_program,
    system_checks.check_packages,
    system_checks.check_plugins,
    system_checks.check_ocr,
    system_checks.check_encoding,
    system_checks.check_project,
    system_checks.check_variables,
    storage_checks.check_database,
    storage_checks.check_room,
    storage_checks.check_staging,
    storage_checks.check_permissions,
    evidence_checks.check_evidence,
    fetching_checks.check_sources,
    fetching_checks.check_browser,
    fetching_checks.check_providers,
    fetching_checks.check_model,
    notification_checks.check_webhook,
    notification_checks.check_alert_channels,
    system_checks.check_memory,
    system_checks.check_open_files,
    system_checks.check_clock,
    system_checks.check_time_zones,
    system_checks.check_node,
    job_checks.check_work,
)
FLEET_CHECKS = (fleet_checks.check_fleet,)
#: How long a locked database is waited for.
_WAIT_S = 3.0


def run_checks(
    settings: BaseSettings, cfg: str, now: datetime, checks: Sequence[Callable[[CheckContext], Iterator[CheckResult]]]
) -> list[CheckResult]:
    """What *checks* find: CHECKS are those of this machine, FLEET_CHECKS those of all nodes.

    Of *settings*, those that are wrong get their defaults, after a finding has said so.
    """
    found = list(_check_settings(settings))
    places = _try_or_report(
        found, "places", "Correct the setting named in the message.", lambda: Locations.from_settings(settings, cfg)
    )
    ledger = (
        _try_or_report(found, "ledger", "", lambda: _open_ledger_if_any(places, found)) if places is not None else None
    )
    with closing(ledger) if ledger is not None else nullcontext():
        active_catalog = _load_catalog(places, ledger) if places is not None else None
        context = CheckContext(settings, cfg, places, ledger, active_catalog, now)
        for check in checks:
            found += _run_check(check, context)
    return redact_results(found)


def _check_settings(settings: BaseSettings) -> Iterator[CheckResult]:
    wrong = find_setting_problems(settings)
    for name, sentence in wrong.items():
        do = "Correct it: docs/reference/settings.md. The checks below use its default."
        yield CheckResult("settings", "failed", sentence, do)
        if name in SETTING_TYPES:
            settings.set(name, DEFAULTS.get(name), priority="cmdline")
        else:
            settings.delete(name, priority="cmdline")
    apply_setting_types(settings)
    if not wrong:
        yield CheckResult("settings", "ok", f"all {len(SETTING_TYPES)} settings are valid")


def _open_ledger_if_any(places: Locations, found: list[CheckResult]) -> Ledger | None:
    if places.has_ledger:
        return open_ledger(places.database_url, migrate=False, timeout_s=_WAIT_S)
    found.append(
        CheckResult("ledger", "ok", f"{places.shown_ledger} does not exist yet; the first `scrapy collect` creates it")
    )
    return None


def _load_catalog(places: Locations, ledger: Ledger | None) -> ActiveCatalog:
    """As jobs will read it; where the ledger has failed already, that is not reported again."""
    if ledger is None:
        return load_active_catalog_or_warning(places)
    try:
        return ActiveCatalog(load_active_catalog(places, ledger))
    except RoriError as error:
        return ActiveCatalog(Catalog([]), str(error))


def _try_or_report(found: list[CheckResult], check: str, do: str, ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except (RoriError, SQLAlchemyError, OSError, ValueError) as error:
        found.append(CheckResult(check, "failed", _describe_error(error), do))
        return None


def _run_check(check: Callable[[CheckContext], Iterator[CheckResult]], context: CheckContext) -> list[CheckResult]:
    """What *check* found up to where it broke: it must not hide the others."""
    found: list[CheckResult] = []
    name = check.__name__.removeprefix("check_").replace("_", " ")
    try:
        found.extend(check(context))
    except (RoriError, OSError, SQLAlchemyError) as error:
        found.append(CheckResult(name, "failed", _describe_error(error)))
    except Exception as error:
        found.append(
            CheckResult(name, "failed", f"{type(error).__name__}: {error}", "This is a bug. Please report it.")
        )
    return found


def _describe_error(error: Exception) -> str:
    if isinstance(error, SQLAlchemyError):
        first = str(getattr(error, "orig", None) or error).strip().splitlines()
        return f"the database reports: {(first[0] if first else type(error).__name__)}"
    return str(error) or type(error).__name__
