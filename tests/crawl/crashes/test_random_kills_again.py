"""Ten more of the kills of test_random_kills.py, with another seed: a file of crawls takes under a minute."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.crashes.random_kills import Killed

if TYPE_CHECKING:
    from tests.support.project import Project

pytestmark = pytest.mark.crawl


def test_job_killed_at_other_random_points_resumes(project: Project) -> None:
    Killed.survive(project, seed=2)
