"""Ten kills at random moments of crawls, and ten in test_random_kills_again.py: nothing is lost, staged twice, or torn.

`python -m benchmarks.kills` does the same two hundred times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.crashes.random_kills import Killed

if TYPE_CHECKING:
    from tests.support.project import Project

pytestmark = pytest.mark.crawl


def test_job_killed_at_random_points_resumes(project: Project) -> None:
    Killed.survive(project, seed=1)
