"""A collection whose staging area is a bucket: killed, cut off, gone on with, visited again, moved to a disk."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.staging.s3.proxy import Fault
from tests.support.crawl_output import CrawlOutput, path_of
from tests.support.jobs import job
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.staging.s3.fixtures import Area
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

PATHS = {"/", *(f"/{number}" for number in range(8))}


def index(area: Area) -> list[str]:
    """The paths of the URLs in the index's lines."""
    segments = [area.get(key) for key in area.keys("staged/_index/")]
    return [path_of(json.loads(line)["url"]) for segment in segments for line in segment.splitlines()]


def test_s3_collection_covers_whole_life_of_area(
    site: Site, project: Project, crawl_output: CrawlOutput, area: Area
) -> None:
    site.page("/", page("Start", *sorted(PATHS - {"/"})))
    for path in PATHS - {"/"}:
        site.page(path, page(f"Page {path}"))
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
    project.env |= {**area.env, "RORI_STAGING": area.uri}
    held = site.slow("/3", times=1)
    with job(project, "collect") as running:
        site.log.wait_for("/3", timeout=100)
        running.kill()
        running.communicate()
    held.release()
    crawl_output.expire_claims()

    held = site.slow("/6", times=1)
    with job(project, "collect") as running:
        site.log.wait_for("/6", timeout=100)
        area.proxy.always = [Fault("refuse")]
        held.release()
        output, _ = running.communicate(timeout=100)
    assert running.returncode == 3, output
    assert "The job stops because results cannot be stored: The staging area s3://bucket-" in output
    assert "test-secret" not in output
    assert "Traceback" not in output
    assert "/6" not in crawl_output.in_state("a", "captured")
    refused = project.scrapy("collect")
    assert refused.returncode == 3
    assert "Check the network and the server, and restart." in refused.stderr
    area.proxy.always = []

    went_on = project.scrapy("collect")
    assert went_on.returncode == 0, went_on.stderr
    assert f"Staged files: {area.uri}" in went_on.stdout
    assert crawl_output.in_state("a", "captured") == PATHS
    assert sorted(index(area)) == sorted(PATHS)
    assert project.scrapy("verify").stdout.endswith("Everything agrees.\n")

    site.page("/5", page("Page /5, amended"))
    again = project.scrapy("collect", "--force")
    assert again.returncode == 0, again.stderr
    assert sorted(index(area)) == sorted([*PATHS, "/5"])
    differs = project.scrapy("diff", "a", site.at("/5"))
    assert "amended" in differs.stdout, differs.stderr

    assert project.scrapy("staging", "copy", "moved").returncode == 0
    moved = json.loads(project.scrapy("staging", "copy", "moved", "--format", "json").stdout)
    assert {row["what"]: (row["copied"], row["there"]) for row in moved}["envelopes"] == (0, len(PATHS) + 1)
    project.env["RORI_STAGING"] = str(project.folder / "moved")
    assert project.scrapy("verify").stdout.endswith("Everything agrees.\n")
