"""The limit of jobs on a node: by its memory, and by the request slots that all nodes share."""

from __future__ import annotations

from pathlib import Path

from rori_spiders.crawl.job.leases import PERMITS_PER_GROUP
from rori_spiders.ledger.queue.leases import MAX_PERMITS

#: Memory limit of a job with its conversion processes, without a browser (workers/worker.py;
#: docs/explanation/quality.md has 166).
JOB_MIB = 512
#: For the system and Scrapyd itself.
RESERVE_MIB = 512
#: More jobs than this, over all nodes, would have no request slots left.
MAX_JOBS = MAX_PERMITS // PERMITS_PER_GROUP

_MEMINFO = Path("/proc/meminfo")
_CGROUPS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def total_memory_mib(meminfo: Path = _MEMINFO, cgroups: tuple[Path, ...] = _CGROUPS) -> int:
    """Return the memory of the machine, or of the container if that is less."""
    lines = dict(line.split(":", 1) for line in meminfo.read_text(encoding="ascii").splitlines() if ":" in line)
    found = [int(lines["MemTotal"].split()[0]) // 1024]
    limits = [limit.read_text(encoding="ascii").strip() for limit in cgroups if limit.is_file()]
    return min(found + [int(limit) // 2**20 for limit in limits if limit.isdigit()])


def max_concurrent_jobs(memory_mib: int, browser_mib: int) -> int:
    """Return how many jobs fit into the memory, each with a browser of *browser_mib* (0: no browser)."""
    return max(1, min(MAX_JOBS, (memory_mib - RESERVE_MIB) // (JOB_MIB + browser_mib)))
