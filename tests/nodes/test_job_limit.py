"""How many jobs a node runs: by its memory, or its container's, and never more than have requests left to make."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.nodes.job_limit import max_concurrent_jobs, total_memory_mib

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("memory_mib", "browser_mib", "number"),
    [(400, 0, 1), (1024, 0, 1), (2048, 0, 3), (2048, 1024, 1), (4096, 1024, 2), (8192, 1024, 5), (65536, 0, 10)],
)
def test_job_limit_follows_memory(memory_mib: int, browser_mib: int, number: int) -> None:
    assert max_concurrent_jobs(memory_mib, browser_mib, 10) == number


@pytest.mark.parametrize(("limit", "mib"), [("max\n", 3962), (f"{2**30}\n", 1024), (f"{2**62}\n", 3962), (None, 3962)])
def test_job_limit_follows_container_memory(tmp_path: Path, limit: str | None, mib: int) -> None:
    meminfo, cgroup = tmp_path / "meminfo", tmp_path / "memory.max"
    meminfo.write_text("MemTotal:        4057960 kB\nMemFree:          200000 kB\n")
    if limit is not None:
        cgroup.write_text(limit)
    assert total_memory_mib(meminfo, (cgroup, tmp_path / "none")) == mib
