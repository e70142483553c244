"""How many jobs a node runs: by its memory and cores, or its container's, and no more than have requests to make."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rori_spiders.nodes.job_limit import max_concurrent_jobs, total_cores, total_memory_mib

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("memory_mib", "browser_mib", "number"),
    [(400, 0, 1), (1024, 0, 1), (2048, 0, 3), (2048, 1024, 1), (4096, 1024, 2), (8192, 1024, 5), (65536, 0, 10)],
)
def test_job_limit_follows_memory(memory_mib: int, browser_mib: int, number: int) -> None:
    assert max_concurrent_jobs(memory_mib, browser_mib, 8, 10) == number


@pytest.mark.parametrize(("cores", "requests", "number"), [(0.1, 10, 1), (1, 10, 5), (1.5, 10, 7), (16, 200, 80)])
def test_job_limit_follows_cores(cores: float, requests: int, number: int) -> None:
    assert max_concurrent_jobs(65536, 0, cores, requests) == number


@pytest.mark.parametrize(("quota", "cores"), [("max 100000\n", None), ("50000 100000\n", 0.5), (None, None)])
def test_job_limit_follows_container_cores(tmp_path: Path, quota: str | None, cores: float | None) -> None:
    cpu_max = tmp_path / "cpu.max"
    if quota is not None:
        cpu_max.write_text(quota)
    assert total_cores(cpu_max) == (cores or len(os.sched_getaffinity(0)))


@pytest.mark.parametrize(("limit", "mib"), [("max\n", 3962), (f"{2**30}\n", 1024), (f"{2**62}\n", 3962), (None, 3962)])
def test_job_limit_follows_container_memory(tmp_path: Path, limit: str | None, mib: int) -> None:
    meminfo, cgroup = tmp_path / "meminfo", tmp_path / "memory.max"
    meminfo.write_text("MemTotal:        4057960 kB\nMemFree:          200000 kB\n")
    if limit is not None:
        cgroup.write_text(limit)
    assert total_memory_mib(meminfo, (cgroup, tmp_path / "none")) == mib
