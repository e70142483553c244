"""The memory of a process and all its descendants, from Linux's /proc."""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

_PROC = Path("/proc")


@dataclass
class Peak:
    """The most that a tree took, in bytes; `apart` is what each process took at the moment of the highest PSS."""

    rss: int = 0
    pss: int = 0
    apart: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, running: subprocess.Popen[str], every: float = 0.05) -> Peak:
        """Watch *running* until it ends, and read what it prints."""
        peak, ended = cls(), threading.Event()
        watcher = threading.Thread(target=peak._watch, args=(running.pid, every, ended))
        watcher.start()
        try:
            running.communicate()
        finally:
            ended.set()
            watcher.join()
        return peak

    def _watch(self, pid: int, every: float, ended: threading.Event) -> None:
        while not ended.wait(every):
            found = [memory for one in tree(pid) if (memory := _memory(one))]
            self.rss = max(self.rss, sum(rss for rss, _ in found))
            if (pss := sum(pss for _, pss in found)) > self.pss:
                self.pss, self.apart = pss, [pss for _, pss in found]

    def __str__(self) -> str:
        apart = " + ".join(f"{one / 2**20:.0f}" for one in self.apart)
        return f"RSS {self.rss / 2**20:4.0f} MiB, PSS {self.pss / 2**20:4.0f} MiB ({apart})"


def tree(pid: int) -> list[int]:
    """*pid* and its descendants, as they are now."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for folder in _PROC.iterdir():
        if folder.name.isdigit() and (parent := _parent(folder)) is not None:
            children[parent].append(int(folder.name))
    found = [pid]
    for one in found:
        found += children[one]
    return found


def _parent(folder: Path) -> int | None:
    try:
        return int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:  # it has just ended
        return None


def _memory(pid: int) -> tuple[int, int] | None:
    """RSS and PSS in bytes; None for a process that has ended."""
    try:
        resident = int((_PROC / str(pid) / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        lines = (_PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return None
    return resident, next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)
