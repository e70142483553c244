"""Owners of leases and permits: a process of a machine, named so that its death can be seen from beside it.

``host:pid-start-kernel:job``. *start* is when the process began, in ticks since the boot (``/proc/PID/stat``, field
22), since a pid is given again. *kernel* stands for the boot and the namespace in which the pid counts: two machines,
or containers, may bear one host name. Without /proc an owner is ``host:pid:job``, and lives until its leases expire.
"""

import hashlib
import os
import socket
from datetime import datetime
from functools import cache
from pathlib import Path

from sqlalchemy import Connection, select, update

from rori_spiders.ledger.queue.permits import release_permits
from rori_spiders.ledger.tables import jobs, leases, permits
from rori_spiders.runtime.child_processes import process_stat


def owner_of(job_id: str) -> str:
    """The owner of what this process leases for the job."""
    found, kernel = process_stat(os.getpid()), _kernel()
    process = f"{os.getpid()}-{found[_START]}-{kernel}" if found and kernel else f"{os.getpid()}"
    return f"{socket.gethostname()}:{process}:{job_id}"


def is_dead(owner: str) -> bool:
    """Whether the process *owner* has ended. False wherever that cannot be known: of another machine, or container."""
    pid, _, started = ":".join(owner.split(":")[-2:-1]).partition("-")
    start, _, kernel = started.partition("-")
    if not kernel or kernel != _kernel():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False  # somebody else's
    return bool(found := process_stat(int(pid))) and (found[0] in "ZX" or found[_START] != start)


def find_dead_owners(conn: Connection) -> list[str]:
    """The owners of leases and permits that were killed on this machine: they will neither renew nor release them."""
    owners = conn.execute(select(leases.c.owner).union(select(permits.c.owner))).scalars()
    return sorted(owner for owner in owners if owner is not None and is_dead(owner))


def release_owners(conn: Connection, dead: list[str], now: datetime) -> None:
    """Free what *dead* hold, so that nobody waits for it to expire.

    When they last asked a server is not known to the second: the next request to it waits as if that had been *now*.
    """
    for owner in dead:
        free = {"owner": None, "expires_at": None, "last_request_at": now}
        conn.execute(update(leases).where(leases.c.owner == owner).values(free))
        release_permits(conn, owner)
        conn.execute(update(jobs).where(jobs.c.owner == owner, jobs.c.state == "running").values(leased_until=now))


#: The process's start in what ``process_stat`` gives.
_START = 19


@cache
def _kernel() -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return hashlib.sha256(f"{boot} {Path('/proc/self/ns/pid').readlink()}".encode()).hexdigest()[:12]
    except OSError:
        return ""
