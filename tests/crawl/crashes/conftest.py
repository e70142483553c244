from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.crashes.faults import Faulty

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site


@pytest.fixture
def faulty(site: Site, project: Project, crawl_output: CrawlOutput) -> Faulty:
    return Faulty(site, project, crawl_output)
