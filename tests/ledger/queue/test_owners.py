"""Owners of leases: whether the process that has one still lives, and what is freed when it does not."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from rori_spiders.ledger.queue import job_queue, leases, owners, permits
from tests.ledger.factories import at

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger

_SAYS_ITS_OWNER = "from rori_spiders.ledger.queue import owners; print(owners.owner_of('job'), flush=True); input()"


def _killed_owner() -> str:
    child = subprocess.Popen(
        [sys.executable, "-c", _SAYS_ITS_OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with child:
        assert child.stdout is not None
        owner = child.stdout.readline().strip()
        assert not owners.is_dead(owner)
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert owners.is_dead(owner)  # as long as its parent has not asked how it ended, too
    return owner


def test_owner_that_was_killed_is_dead() -> None:
    killed = _killed_owner()
    assert owners.is_dead(killed)
    host, process, _ = killed.split(":")
    pid, start, kernel = process.split("-")
    own = owners.owner_of("job").split(":")[1]
    reused = own.replace(f"-{own.split('-')[1]}-", "-1-")
    cases = {
        owners.owner_of("job"): False,
        f"{host}:{reused}:job": True,  # another process has its pid now
        f"{host}:{pid}-{start}-{'0' * len(kernel)}:job": False,  # of another machine or container
        f"{host}:1-{start}-{kernel}:job": True,  # pid 1 began when the machine did
        f"{host}:{pid}:job": False,
        f"{host}:0:job": False,  # reserved by a node
        "a": False,
    }
    for owner, dead in cases.items():
        assert owners.is_dead(owner) is dead, owner


def test_release_owners_frees_leases_and_permits_and_keeps_politeness(ledger: Ledger) -> None:
    killed, alive = _killed_owner(), owners.owner_of("job")
    with ledger.begin() as conn:
        for group, owner in (("hud.gov", killed), ("va.gov", alive)):
            assert leases.acquire_lease(conn, group, owner=owner, now=at()) is not None
            leases.record_politeness(conn, group, delay_s=7.0, throttle_s=None, paused_until=at(3))
            permits.claim_permits(conn, owner, keep=1, wanted=1, limits=permits.PermitLimits(9), now=at(), ttl_s=60)
        dead = owners.find_dead_owners(conn)
        assert dead == [killed]
        owners.release_owners(conn, dead, at(0.1))
        [held] = leases.lease_holders(conn)
        [claim] = permits.load_claims(conn, now=at(0.1))
        assert held.owner == claim.owner == alive
        lease = leases.acquire_lease(conn, "hud.gov", owner="next", now=at(0.1))
        assert lease is not None
        assert (lease.last_request_at, lease.delay_s, lease.paused_until) == (at(0.1), 7.0, at(3))
        assert lease.epoch == 2
        assert not job_queue.list_jobs(conn)
