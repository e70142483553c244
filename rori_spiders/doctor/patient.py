"""What checks look at, and what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime

    from scrapy.settings import BaseSettings

    from rori_spiders.inforce import InForce
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.places import Places

Result = Literal["ok", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One row: *check* in a word or two, what was *found*, and what to *do* unless it is ok."""

    check: str
    result: Result
    found: str
    do: str = ""


@dataclass(frozen=True, slots=True)
class Patient:
    """This project on this machine. What could not be had is None, and a finding has said so."""

    settings: BaseSettings  # typed; wrong ones have their defaults
    cfg: str  # the path of scrapy.cfg; "": there is none
    places: Places | None
    ledger: Ledger | None
    in_force: InForce | None
    now: datetime
