"""What a process and all that it started weigh, sampled from outside by /proc while it runs. Linux only."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import Self

_PROC = Path("/proc")
MIB = 2**20


class Scales:
    """Samples the tree below *pid* until the block ends. ``rss`` and ``pss`` are the most bytes seen at one time.

    RSS counts what processes share once for each of them; PSS counts it once.
    """

    def __init__(self, pid: int, every_s: float = 0.05) -> None:
        self._pid = pid
        self._every_s = every_s
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self.rss = self.pss = self.samples = 0
        self.heaviest: tuple[int, ...] = ()  # RSS of each process at the heaviest moment

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._ended.wait(self._every_s):
            weights = weigh(self._pid)
            rss, pss = sum(each[0] for each in weights), sum(each[1] for each in weights)
            self.samples += bool(weights)
            self.pss = max(self.pss, pss)
            if rss > self.rss:
                self.rss, self.heaviest = rss, tuple(each[0] for each in weights)


def weigh(pid: int) -> list[tuple[int, int]]:
    """RSS and PSS, bytes, of *pid* and of each process below it that is there now."""
    return [weight for one in _tree(pid) if (weight := _weight(one)) is not None]


def _tree(pid: int) -> list[int]:
    """*pid* and all below it."""
    found, at = [pid], 0
    while at < len(found):
        for task in _PROC.glob(f"{found[at]}/task/*/children"):
            with suppress(OSError):
                found += [int(child) for child in task.read_text("ascii").split()]
        at += 1
    return found


def _weight(pid: int) -> tuple[int, int] | None:
    with suppress(OSError):
        lines = (_PROC / str(pid) / "smaps_rollup").read_text("ascii").splitlines()
        sizes = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines[1:]}
        return sizes["Rss"], sizes["Pss"]
    return None
