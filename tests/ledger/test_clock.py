"""The clock by which leases are judged: the server's where there is one, whatever a node's own clock says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.dialects import lease_clock
from rori_spiders.staging.recovery import find_live_jobs
from tests.ledger.job_factories import claimed, ident, queued

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger


@pytest.mark.parametrize("dialect", ["postgresql"])
@pytest.mark.parametrize("hours", [-2, 2])
def test_lease_clock_node_with_wrong_clock_takes_nothing_from_others(ledger: Ledger, dialect: str, hours: int) -> None:
    wrong = datetime.now(UTC) + timedelta(hours=hours)
    with ledger.begin() as conn:
        right = lease_clock(conn, wrong)
        assert abs(right - datetime.now(UTC)) < timedelta(minutes=10)
        queued(conn, 1)
        claimed(conn, minutes=(right - datetime(2026, 2, 13, 14, 30, tzinfo=UTC)).total_seconds() / 60)
        assert find_live_jobs(conn, wrong) == {ident(1)}


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_lease_clock_of_one_machine_is_its_own(ledger: Ledger, dialect: str) -> None:
    own = datetime(2026, 2, 13, 14, 30, tzinfo=UTC)
    with ledger.connect() as conn:
        assert lease_clock(conn, own) == own
