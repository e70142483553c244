"""Twenty kills at random moments of crawls: nothing is lost, nothing staged twice, nothing torn.

`python -m benchmarks.kills` does the same two hundred times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.editions import Editions
from tests.crawl.kills import Killed

if TYPE_CHECKING:
    from tests.project import Project

pytestmark = pytest.mark.crawl


@pytest.mark.parametrize("seed", [1, 2])
def test_a_collection_goes_on_after_any_kill(project: Project, seed: int) -> None:
    with Editions() as editions:
        killed = Killed(project, editions, seed)
        killed.collect(kills=5)
        killed.collect(kills=5)
    assert killed.kills >= 8, "most jobs must have been killed before their end"
