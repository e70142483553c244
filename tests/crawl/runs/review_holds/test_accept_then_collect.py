"""An acceptance is killed before or after what it accepts is recorded, and a job collects the source next."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from rori_spiders.manifest.loading import load_files
from tests.crawl.runs.review_holds.test_accept import shrunk_start
from tests.crawl.runs.review_holds.test_accept_killed import STEPS, Place

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def _killed(place: Place, folder: Path, state: str) -> None:
    """Accept until a kill leaves the page's envelope in *state*, with its file, in the place's folder."""
    for step in range(1, STEPS):
        shutil.rmtree(place.folder, ignore_errors=True)
        shutil.copytree(folder, place.folder)
        assert place.dies_at(step), f"no step leaves it {state}"
        with closing(sqlite3.connect(place.folder / "ledger.db")) as ledger:
            rows = ledger.execute("SELECT state, path FROM envelopes WHERE run_id = ?", [place.run]).fetchall()
        if [(one, (place.folder / "staged" / path).exists()) for one, path in rows] == [(state, True)]:
            return


@pytest.mark.parametrize("state", ["reserved", "staged"])
def test_accept_killed_then_collected_leaves_nothing_half_done(
    site: Site, project: Project, crawl_output: CrawlOutput, tmp_path: Path, state: str
) -> None:
    run = shrunk_start(site, project, crawl_output)
    catalog = load_files([project.folder / "manifest.json"], allowed_addresses=[site.netloc])
    collected = project.folder / "collect"
    before = shutil.copytree(collected, tmp_path / "before")
    place = Place(tmp_path / "accepted", catalog, run, site.at("/"))
    _killed(place, before, state)
    shutil.rmtree(collected)
    place.folder.rename(collected)
    crawl_output.expire_claims()
    done = project.scrapy("collect", "--force")
    # Taken back, the page is held once more; recorded, it is the one that we hold.
    assert done.returncode == (1 if state == "reserved" else 0), done.stdout + done.stderr
    assert crawl_output.states(crawl_output.last_run("a")["source_id"])["/"] == (
        "failed" if state == "reserved" else "unchanged"
    )
    assert len(crawl_output.files()) == len(crawl_output.index()) == (1 if state == "reserved" else 2)
    assert [line["resolved"] for line in crawl_output.errors()] == [False, state == "staged"]
    crawl_output.assert_verified()
