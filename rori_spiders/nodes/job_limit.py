"""The limit of jobs on a node: by its memory, and by the requests at once that all nodes share."""

from __future__ import annotations

from pathlib import Path

#: Memory limit of a job with its conversion processes, without a browser (workers/worker.py;
#: docs/explanation/quality.md has 166).
JOB_MIB = 512
#: For the system and Scrapyd itself.
RESERVE_MIB = 512

_MEMINFO = Path("/proc/meminfo")
_CGROUPS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def total_memory_mib(meminfo: Path = _MEMINFO, cgroups: tuple[Path, ...] = _CGROUPS) -> int:
    """Return the memory of the machine, or of the container if that is less."""
    lines = dict(line.split(":", 1) for line in meminfo.read_text(encoding="ascii").splitlines() if ":" in line)
    found = [int(lines["MemTotal"].split()[0]) // 1024]
    limits = [limit.read_text(encoding="ascii").strip() for limit in cgroups if limit.is_file()]
    return min(found + [int(limit) // 2**20 for limit in limits if limit.isdigit()])


def max_concurrent_jobs(memory_mib: int, browser_mib: int, max_requests: int) -> int:
    """Return how many jobs fit into the memory, each with a browser of *browser_mib* (0: no browser).

    More jobs than *max_requests*, over all nodes, would have no request left to send.
    """
    return max(1, min(max_requests, (memory_mib - RESERVE_MIB) // (JOB_MIB + browser_mib)))
