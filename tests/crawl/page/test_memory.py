"""A page that was recorded is freed, and does not wait for the garbage collector."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.crawl.page.count_addon import ADDONS, PAGES_IN_MEMORY
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

PATHS = tuple(f"/rules/{number}/" for number in range(119))
#: As many are recorded together (`Recorder`), and as many may have been read behind them.
MOST_AT_WORK = 64


def test_recorded_pages_are_freed_at_once(site: Site, project: Project) -> None:
    site.page("/rules/", page("Rules", *PATHS))
    for path in PATHS:
        site.page(path, page(f"Rule {path}"))
    project.manifest([source("rules", site.at("/rules/"), "crawl")], delay_s=0.001)

    done = project.scrapy("collect", "-s", f"ADDONS={ADDONS}")

    counted = re.search(rf"{PAGES_IN_MEMORY}(\d+)", done.stderr)
    assert counted is not None, done.stderr
    assert int(counted[1]) <= MOST_AT_WORK
    assert "120 of 120 URLs" in done.stdout
