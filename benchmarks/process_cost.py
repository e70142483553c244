"""What a command costs, with all that it starts: wall time, CPU of every process, memory at its heaviest moment.

`measure_process` runs the command below a process of its own that adopts orphans (a Linux "subreaper"), so that the CPU
of workers whose parent has ended first, as a fork server's have, is counted too.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.memory import MIB, Scales

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_REPOSITORY = Path(__file__).parents[1]
_PR_SET_CHILD_SUBREAPER = 36
_LONGEST_S = 1800.0
_SAMPLE_S = 0.2  # a sample of four processes costs the kernel some 2 ms, which the processes wait for


@dataclass(frozen=True, slots=True)
class ProcessCost:
    """Seconds and MiB of one command and its descendants. RSS counts shared memory for each process, PSS once."""

    wall_s: float
    cpu_s: float
    rss_mib: float
    pss_mib: float
    exit_code: int
    output: str


def measure_process(command: Sequence[str], folder: Path, env: Mapping[str, str]) -> ProcessCost:
    """Run *command* in *folder* to its end; after half an hour it is killed, and its exit code is negative."""
    with tempfile.TemporaryDirectory() as kept:
        result, output = Path(kept) / "result.json", Path(kept) / "output"
        between = [sys.executable, "-m", "benchmarks.process_cost", str(result), str(folder), *command]
        order = json.dumps(dict(env))
        with output.open("wb") as written:
            subprocess.run(between, cwd=_REPOSITORY, input=order, text=True, stdout=written, stderr=written, check=True)
        return ProcessCost(**json.loads(result.read_text("utf-8")), output=output.read_text("utf-8", "replace"))


def _run_and_reap(result: str, folder: str, command: list[str]) -> None:
    """Run *command*, wait for it and for every orphan it leaves, and write what they took to *result*."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    env = json.load(sys.stdin)
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        with Scales(process.pid, _SAMPLE_S) as scales, suppress(subprocess.TimeoutExpired):
            process.wait(_LONGEST_S)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    exit_code = process.wait()
    wall_s = time.monotonic() - began
    with suppress(ChildProcessError):
        while True:
            os.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    times = {"wall_s": wall_s, "cpu_s": used.ru_utime + used.ru_stime, "exit_code": exit_code}
    weights = {"rss_mib": scales.rss / MIB, "pss_mib": scales.pss / MIB}
    Path(result).write_text(json.dumps(times | weights), encoding="utf-8")


if __name__ == "__main__":
    _run_and_reap(sys.argv[1], sys.argv[2], sys.argv[3:])
