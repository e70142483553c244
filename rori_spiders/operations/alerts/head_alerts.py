"""Sign the head of the log of facts at the end of a job, send it, and raise alerts for what did not work."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError

from rori_spiders.configuration.locations import evidence_key_file
from rori_spiders.evidence.delivery.deliver import Delivery, deliver_heads
from rori_spiders.evidence.delivery.destinations import parse_destinations
from rori_spiders.evidence.heads import HeadRefused, sign_head
from rori_spiders.evidence.keys import load_keys
from rori_spiders.exceptions import LedgerError, UsageError
from rori_spiders.ledger.audit import head_log
from rori_spiders.ledger.operations import alerts
from rori_spiders.reviews import EVENTS, HEAD_UNSIGNED, HEADS_UNSENT

if TYPE_CHECKING:
    from datetime import datetime

    from scrapy.settings import BaseSettings
    from sqlalchemy import Connection

    from rori_spiders.ledger.audit.head_log import StoredHead
    from rori_spiders.ledger.database import Ledger

logger = logging.getLogger(__name__)

_SIGNING_ALERT = {"source_id": "", "event": HEAD_UNSIGNED, "cause": "log of facts"}


@dataclass(frozen=True, slots=True)
class SigningResult:
    """The head that was signed (None: nothing is new), why none could be, and what became of each destination."""

    head: StoredHead | None = None
    refused: str | None = None
    deliveries: tuple[Delivery, ...] = ()


def sign_and_send_head(ledger: Ledger, settings: BaseSettings, cfg: str, *, now: datetime) -> SigningResult | None:
    """Sign the head, send what is waiting, and bring the alerts up to date. None without a key. Raises LedgerError."""
    try:
        keys = load_keys(evidence_key_file(settings, cfg))
        destinations = parse_destinations(
            str(settings.get("RORI_EVIDENCE_HEADS") or ""),
            retention_days=settings.getint("RORI_EVIDENCE_RETENTION_DAYS"),
        )
        if not keys.signing:
            _check_never_signed(ledger)
            return None
        head = sign_head(ledger, keys, now=now)
    except (UsageError, HeadRefused) as error:
        update_head_alerts(ledger, SigningResult(refused=str(error)), now=now)
        return SigningResult(refused=str(error))
    result = SigningResult(head, None, tuple(deliver_heads(ledger, destinations, now=now)))
    update_head_alerts(ledger, result, now=now)
    return result


def _check_never_signed(ledger: Ledger) -> None:
    """Raise HeadRefused where heads were signed before: to take the key away must not end them unnoticed."""
    with ledger.connect() as conn:
        last = head_log.last_head(conn)
    if last is not None:
        raise HeadRefused(
            "This machine has no key to sign heads, but the ledger has signed heads, the last at "
            f"{last.at:%Y-%m-%d %H:%M} UTC. Restore the key (RORI_EVIDENCE_KEY_FILE, RORI_EVIDENCE_KEY), or create one "
            "with `scrapy evidence key create NAME`."
        )


def sign_at_end(ledger: Ledger, settings: BaseSettings, cfg: str, *, now: datetime) -> None:
    """As ``sign_and_send_head``; what goes wrong is logged, and fails nobody."""
    try:
        result = sign_and_send_head(ledger, settings, cfg, now=now)
    except (LedgerError, DBAPIError) as error:
        result = SigningResult(refused=str(error))
    if result is None:
        return
    if result.refused is not None:
        logger.error("The head of the log of facts was not signed: %(error)s", {"error": result.refused})
    for one in result.deliveries:
        if one.error is not None:
            logger.warning(
                "%(destination)s did not accept the signed head; the next job sends it again: %(error)s",
                {"destination": one.destination, "error": one.error},
            )


def update_head_alerts(ledger: Ledger, result: SigningResult, *, now: datetime) -> None:
    """Raise an alert for a head that was not signed, and one for each destination that failed; clear the others."""
    wanted: dict[tuple[str, str], str] = {}
    if result.refused is not None:
        wanted[HEAD_UNSIGNED, _SIGNING_ALERT["cause"]] = result.refused
    for one in result.deliveries:
        if one.error is not None:
            wanted[HEADS_UNSENT, one.destination] = f"{one.destination} does not accept signed heads: {one.error}"
    with ledger.connect() as conn:
        is_open = {(one["event"], one["cause"]) for one in alerts.open_alerts(conn, "")}
    events = (HEAD_UNSIGNED,) if result.refused is not None else (HEAD_UNSIGNED, HEADS_UNSENT)
    cleared = [key for key in is_open if key[0] in events and key not in wanted]
    if not wanted and not cleared:
        return

    def update(conn: Connection) -> None:
        for (event, cause), message in wanted.items():
            alerts.raise_alert(
                conn,
                source_id="",
                event=event,
                cause=cause,
                severity=EVENTS[event].severity,
                message=message,
                now=now,
            )
        for event, cause in cleared:
            alerts.clear_alert(conn, source_id="", event=event, cause=cause, now=now)

    ledger.write(update)
