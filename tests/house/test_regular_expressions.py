"""No regular expression of the package takes time that grows with the square of a text: one page could stop a job.

Each gets texts made of its own repeats, twice and four times as long. What is measured is the CPU time of this thread;
what is judged is its growth, not its speed: of a linear pattern it doubles with the length, of a quadratic one it is
fourfold.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.house.regular_expressions import Expression
from tests.support.cases import cases

if TYPE_CHECKING:
    from collections.abc import Callable

LENGTH = 1_000  # characters, and twice and four times that
MAX_GROWTH = 3.0  # between a text and one twice as long
#: Seconds of CPU. What four times the length takes less than is not slow, and its growth is noise.
MEASURABLE = 0.003
#: A text of 30 characters that takes more is one of which each further character doubles the time.
EXPLODED = 0.05
#: How often each text is measured: at least, and where it seems to grow too fast.
LEAST_TURNS, MOST_TURNS = 2, 8


def find_in_own_process() -> list[Expression]:
    command = [sys.executable, "-W", "ignore", "-m", "tests.house.regular_expressions"]
    found = subprocess.run(command, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, check=True).stdout
    return [Expression(**{**one, "methods": tuple(one["methods"])}) for one in json.loads(found)]


def seconds(run: Callable[[Any], Any], text: str | bytes) -> float:
    began = time.thread_time()
    run(text)
    return time.thread_time() - began


def growth(run: Callable[[Any], Any], double: str | bytes, fourfold: str | bytes) -> float:
    """How much longer *fourfold* takes than *double*.

    Others on the machine make a run slower, never faster: the quickest of each counts. They take turns, so that a
    busy moment strikes both, and a growth that is too large is measured on.
    """
    quickest = [float("inf"), float("inf")]
    for turn in range(1, MOST_TURNS + 1):
        quickest = [min(before, seconds(run, text)) for before, text in zip(quickest, (double, fourfold), strict=True)]
        if turn >= LEAST_TURNS and quickest[1] <= MAX_GROWTH * quickest[0]:
            break
    return quickest[1] / quickest[0]


def slowest_growth(one: Expression) -> tuple[float, str | bytes] | None:
    """How much longer the double text takes, and that text, for the first attack that grows too fast."""
    run = one.run()
    for length in (30, LENGTH // 2):
        for text in one.attacks(length):
            if seconds(run, text) > EXPLODED and seconds(run, text) > EXPLODED:
                return float("inf"), text
    for double, fourfold in zip(one.attacks(2 * LENGTH), one.attacks(4 * LENGTH), strict=True):
        if seconds(run, fourfold) > MEASURABLE and (times := growth(run, double, fourfold)) > MAX_GROWTH:
            return times, double
    return None


@pytest.mark.slow
@pytest.mark.timeout(600)  # ten seconds of CPU, on a machine that others use, too
def test_regular_expressions_time_grows_with_length_not_its_square() -> None:
    expressions = find_in_own_process()
    assert len(expressions) > 400, "they were found"
    slow = [(one, *found) for one in expressions if (found := slowest_growth(one))]
    assert not slow, "\n".join(
        f"{times:.1f}x {one.where} {'/'.join(one.methods)}: {one.pattern[:120]!r} on {text[:30]!r}..."
        for one, times, text in slow
    )


@pytest.mark.slow
@cases(
    ("pattern", "grows"),
    [(r"\s+$", True), (r"(?<!\s)\s+$", False), (r"(a|aa)+$", True), (r"<[^>]*>", True), (r"<[^<>]*>", False)],
)
def test_slowest_growth_knows_slow_patterns(pattern: str, grows: bool) -> None:
    found = slowest_growth(Expression(pattern, 0, binary=False, where="here", methods=("sub",)))
    assert (found is not None) == grows
