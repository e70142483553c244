"""Where the CPU of a collection goes: samples of the stacks of all its processes by py-spy, added up by package.

A sample counts for the deepest frame that is of this collector: lxml below `content/html` is `content/html`, SQLAlchemy
below `ledger` is `ledger`. What stands below none of them is Scrapy's and Twisted's own work; imports are counted
apart, whoever asks for them.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from typing import TYPE_CHECKING

from benchmarks.rivals.environments import make_environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

_SAMPLES_PER_S = 100
_PACKAGE = re.compile(r"rori_spiders/([\w/]+)\.py")
_COUNT = re.compile(r" (\d+)$")
_PROCESS = re.compile(r"process \d+:")
_IMPORT = "<frozen importlib"
#: Where a thread waits. On a busy machine py-spy takes many a waiting thread for one that computes.
_WAITS = re.compile(
    r"(_worker \(concurrent/futures/thread\.py|Condition\.wait \(|EpollSelector\.select \(|Connection\._recv \("
    r"|Thread\._wait_for_tstate_lock \()[^;]*$"
)
#: Packages of which the folder below is the step.
_DIVIDED = frozenset({"content", "crawl", "ledger"})


def sample_steps(command: Sequence[str], folder: Path, env: Mapping[str, str]) -> dict[str, float]:
    """Run *command* under py-spy; the share of each step, the largest first.

    Raises EnvironmentFailed when py-spy cannot be installed, CalledProcessError when it may not look at processes.
    """
    python, _ = make_environment("py-spy", ["py-spy"])
    written = folder / "stacks.txt"
    recorder = [str(python.parent / "py-spy"), "record", "--subprocesses", "--format", "raw"]
    subprocess.run(
        [*recorder, "--rate", str(_SAMPLES_PER_S), "--output", str(written), "--", *command],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    steps = count_steps(written.read_text("utf-8"))
    total = sum(steps.values())
    return {step: count / total for step, count in steps.most_common()}


def count_steps(stacks: str) -> Counter[str]:
    """Samples by step, of *stacks* as `py-spy record --format raw` writes them: frames from the root, a count.

    Samples of a thread that waits are left out.
    """
    steps: Counter[str] = Counter()
    for stack, count in _read_stacks(stacks):
        if _WAITS.search(stack):
            continue
        steps[_step_of(stack)] += count
    return steps


def _read_stacks(stacks: str) -> Iterable[tuple[str, int]]:
    """A process is written with its command line, which may have line breaks."""
    stack = ""
    for line in stacks.splitlines():
        stack += line
        if count := _COUNT.search(stack):
            yield stack[: count.start()], int(count[1])
            stack = ""


def _step_of(stack: str) -> str:
    where = "worker" if len(_PROCESS.findall(stack)) > 1 else "main"
    if _IMPORT in stack:
        return f"{where}: imports"
    packages = _PACKAGE.findall(stack)
    if not packages:
        return f"{where}: Scrapy, Twisted, Python"
    parts = packages[-1].split("/")
    return f"{where}: {'/'.join(parts[: 2 if parts[0] in _DIVIDED else 1])}"
