"""A ledger on each database, a mail server, and rounds at times that a test gives."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.ledger.operations import alerts
from rori_spiders.operations.alerts import alert_dispatcher
from rori_spiders.reviews import EVENTS
from tests.operations.alerts.servers import Mailbox, mailbox

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.operations.alerts.alert_dispatcher import AlertRound

#: Noon in New York, five hours after the digest.
NOON = datetime(2026, 2, 13, 17, 0, tzinfo=UTC)


class Source:
    """What the rounds ask of a source."""

    def __init__(self, source_id: str, status: str = "active") -> None:
        self.id, self.status = source_id, status


class Catalog:
    """What the rounds ask of a catalogue."""

    def __init__(self, *sources: Source) -> None:
        self.sources = list(sources)


class AlertHarness:
    """A ledger whose alerts are sent to a mailbox; the clock is minutes after NOON."""

    def __init__(self, ledger: Ledger, box: Mailbox) -> None:
        self.ledger, self.box = ledger, box
        self.catalog = Catalog(*(Source(f"s{number}") for number in range(40)))
        self.settings: dict[str, Any] = {
            "RORI_ALERT_EMAIL": "ops@example.org",
            "RORI_SMTP_URL": box.url,
            "RORI_ALERT_DIGEST": "07:00 America/New_York",
        }

    def opens(self, source_id: str, event: str, message: str = "it says so", *, at: float = 0, **more: Any) -> bool:
        with self.ledger.begin() as conn:
            return alerts.raise_alert(
                conn,
                source_id=source_id,
                event=event,
                cause="review",
                severity=EVENTS[event].severity,
                message=message,
                now=after(at),
                **more,
            )

    def clears(self, source_id: str, event: str, *, at: float = 0) -> bool:
        with self.ledger.begin() as conn:
            return alerts.clear_alert(conn, source_id=source_id, event=event, cause="review", now=after(at))

    def round(self, minutes: float = 0) -> AlertRound:
        return alert_dispatcher.run_alert_round(self.ledger, self.catalog, self.settings, after(minutes))  # type: ignore[arg-type]


def after(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


@pytest.fixture
def path(tmp_path: Any) -> Any:
    """Where the ledger of a test that needs only SQLite lies."""
    return tmp_path / "ledger.db"


@pytest.fixture
def box() -> Iterator[Mailbox]:
    with mailbox() as running:
        yield running


@pytest.fixture
def harness(ledger: Ledger, box: Mailbox) -> AlertHarness:
    return AlertHarness(ledger, box)
