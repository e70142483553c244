"""Leases: one owner a group, an epoch that shows a change of hands. The clock is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.exceptions import LeaseLost
from rori_spiders.ledger.queue import leases
from tests.ledger.factories import at

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger

_HUD = "hud.gov"


def _acquire(conn: Connection, group: str = _HUD, owner: str = "a", minutes: float = 0) -> leases.Lease:
    lease = leases.acquire_lease(conn, group, owner=owner, now=at(minutes))
    assert lease is not None
    return lease


def test_acquire_lease_of_free_group_succeeds(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        lease = _acquire(conn)
        assert leases.lease_holders(conn) == [lease]
    assert lease == leases.Lease(_HUD, "a", 1, at(1), None, None, None, None)


def test_acquire_lease_of_held_group_fails(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        _acquire(conn)
        assert leases.acquire_lease(conn, _HUD, owner="b", now=at(0.99)) is None
        assert leases.refusal_reason(conn, _HUD, now=at(0.99)) == "hud.gov is held by a until 2026-02-13 14:31:00 UTC"
        assert leases.refusal_reason(conn, "cfpb.gov", now=at()) is None


def test_acquire_lease_by_holder_extends_it(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        _acquire(conn)
        again = _acquire(conn, minutes=0.5)
    assert (again.epoch, again.expires_at) == (1, at(1.5))


def test_acquire_lease_by_next_owner_has_next_epoch(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        first = _acquire(conn)
        second = _acquire(conn, owner="b", minutes=1)
        leases.release_leases(conn, [second])
        third = _acquire(conn, owner="b", minutes=1.1)
        late = _acquire(conn, owner="b", minutes=5)
    assert [lease.epoch for lease in (first, second, third, late)] == [1, 2, 3, 4]


def test_renew_leases_extends_held_ones(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        own = [_acquire(conn), _acquire(conn, "cfpb.gov")]
        assert leases.renew_leases(conn, own, now=at(0.5)) == set()
        assert [lease.expires_at for lease in leases.lease_holders(conn)] == [at(1.5)] * 2


def test_renew_leases_reports_lost_ones(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        taken, released, held = (_acquire(conn, group) for group in ("taken.gov", "released.gov", "kept.gov"))
        leases.release_leases(conn, [released])
        leases.renew_leases(conn, [held], now=at(0.9))
        theirs = _acquire(conn, "taken.gov", owner="b", minutes=1.2)
        assert leases.renew_leases(conn, [taken, released, held], now=at(1.3)) == {"taken.gov", "released.gov"}
        assert theirs in leases.lease_holders(conn)


def test_renew_leases_after_expiry_is_lost(ledger: Ledger) -> None:
    """Nobody has it now, but somebody may have had it meanwhile."""
    with ledger.begin() as conn:
        lease = _acquire(conn)
        assert leases.renew_leases(conn, [lease], now=at(10)) == {_HUD}


def test_check_lease_of_job_taken_over_raises(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        own = _acquire(conn)
        leases.check_lease(conn, _HUD, own.epoch)
        theirs = _acquire(conn, owner="b", minutes=2)
        leases.check_lease(conn, _HUD, theirs.epoch)
        with pytest.raises(LeaseLost, match=r"hud\.gov went to another job"):
            leases.check_lease(conn, _HUD, own.epoch)


def test_check_lease_released_or_unknown_raises(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        own = _acquire(conn)
        leases.release_leases(conn, [own])
        for group in (_HUD, "never.gov"):
            with pytest.raises(LeaseLost):
                leases.check_lease(conn, group, own.epoch)


def test_release_leases_releases_only_own(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        own = _acquire(conn)
        theirs = _acquire(conn, owner="b", minutes=1)
        leases.release_leases(conn, [own])
        assert leases.lease_holders(conn) == [theirs]


def test_politeness_outlives_lease(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        own = _acquire(conn)
        leases.record_request(conn, _HUD, at(0.5))
        leases.record_request(conn, _HUD, at(0.4))  # a thread that was late
        leases.record_politeness(conn, _HUD, delay_s=10.0, throttle_s=12.5, paused_until=at(30))
        leases.release_leases(conn, [own])
        assert leases.lease_holders(conn) == []
        theirs = _acquire(conn, owner="b", minutes=0.6)
    assert (theirs.last_request_at, theirs.delay_s, theirs.throttle_s) == (at(0.5), 10.0, 12.5)
    assert theirs.paused_until == at(30)
