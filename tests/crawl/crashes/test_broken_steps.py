"""One step of a job breaks, and the next job goes on: on a disk with SQLite, and in S3 with PostgreSQL.

Six of the some two hundred faults that ``python -m benchmarks.injected`` tries one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.crashes.broken_step_addon import Fault
from tests.crawl.crashes.broken_steps import Injected

if TYPE_CHECKING:
    from tests.staging.s3.fixtures import Area
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


@pytest.mark.parametrize(
    "fault",
    [Fault(3, "fails"), Fault(17, "lost"), Fault(30, "killed after")],
    ids=lambda fault: f"{fault.how} at {fault.at}",
)
@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_job_exception_in_any_step_leaves_consistent_state(
    site: Site, project: Project, dialect: str, database_url: str, area: Area, fault: Fault
) -> None:
    if dialect == "postgresql":
        project.env |= area.env | {"RORI_DATABASE_URL": database_url, "RORI_STAGING": area.uri}
    Injected(site, project).breaks_at(fault)
