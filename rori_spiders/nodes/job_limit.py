"""The limit of jobs on a node: by its memory, its cores, and the requests at once of its machine."""

import os
from pathlib import Path

#: Memory limit of a job with its conversion processes, without a browser (workers/worker.py;
#: docs/explanation/quality.md has 166).
JOB_MIB = 512
#: For the system and Scrapyd itself.
RESERVE_MIB = 512
#: A job of one group asks for half a page a second, of 60 to 95 CPU-ms (docs/explanation/performance.md), and its
#: start takes 2 s of CPU: of a job that lasts a minute 7 % of a core together, of one of 15 s 18 %.
JOBS_PER_CORE = 5

_CPU_MAX = Path("/sys/fs/cgroup/cpu.max")
_MEMINFO = Path("/proc/meminfo")
_CGROUPS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def total_memory_mib(meminfo: Path = _MEMINFO, cgroups: tuple[Path, ...] = _CGROUPS) -> int:
    """Return the memory of the machine, or of the container if that is less."""
    lines = dict(line.split(":", 1) for line in meminfo.read_text(encoding="ascii").splitlines() if ":" in line)
    found = [int(lines["MemTotal"].split()[0]) // 1024]
    limits = [limit.read_text(encoding="ascii").strip() for limit in cgroups if limit.is_file()]
    return min(found + [int(limit) // 2**20 for limit in limits if limit.isdigit()])


def total_cores(cpu_max: Path = _CPU_MAX) -> float:
    """Return the cores that this process may use, or the quota of its container if that is less."""
    cores = float(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    quota, _, period = cpu_max.read_text("ascii").partition(" ") if cpu_max.is_file() else ("max", "", "")
    return min(cores, int(quota) / int(period)) if quota.isdigit() else cores


def max_concurrent_jobs(memory_mib: int, browser_mib: int, cores: float, max_requests: int) -> int:
    """Return how many jobs fit into the memory, each with a browser of *browser_mib* (0: no browser), and the cores.

    More jobs than the machine's *max_requests* would have no request left to send.
    """
    fit = (memory_mib - RESERVE_MIB) // (JOB_MIB + browser_mib)
    return max(1, min(max_requests, fit, int(cores * JOBS_PER_CORE)))
