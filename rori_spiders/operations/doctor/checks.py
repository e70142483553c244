"""Context and result of a health check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rori_spiders.runtime.redaction import get_redactor

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from scrapy.settings import BaseSettings

    from rori_spiders.configuration.active_manifest import ActiveCatalog
    from rori_spiders.configuration.locations import Locations
    from rori_spiders.ledger.database import Ledger

Severity = Literal["ok", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One row: the *check* in a word or two, what was *found*, and what to *do* if it failed."""

    check: str
    result: Severity
    found: str
    do: str = ""


def redact_results(found: Iterable[CheckResult]) -> list[CheckResult]:
    """*found* without secrets, which messages of others may repeat."""
    redact = get_redactor().text
    return [CheckResult(one.check, one.result, redact(one.found), redact(one.do)) for one in found]


@dataclass(frozen=True, slots=True)
class CheckContext:
    """This project on this machine. What could not be had is None, and a finding has said so."""

    settings: BaseSettings  # typed; wrong ones have their defaults
    cfg: str  # the path of scrapy.cfg; "": there is none
    places: Locations | None
    ledger: Ledger | None
    active_catalog: ActiveCatalog | None
    now: datetime
