"""Accepting a page or its removal, killed between any two steps: nothing is half, and the next try finishes it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import pytest

from rori_spiders.crawl.runs.review_holds import Acceptor, ReviewContext, Reviewer
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.pages import held_pages
from rori_spiders.manifest.loading import load_files
from rori_spiders.staging.recovery import recover_staging
from rori_spiders.staging.store_factory import open_store
from rori_spiders.staging.verification.verify import verify_staging
from rori_spiders.workers.pool import WorkPool
from tests.crawl.runs.review_holds.test_accept import shrunk_start
from tests.crawl.runs.review_holds.test_mass_removal import removed
from tests.staging import child_processes
from tests.staging.kill_points import KILLED, die_at

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rori_spiders.manifest.catalog import Catalog
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

#: More steps than one acceptance takes; the test sees to that.
STEPS = 80
P = ParamSpec("P")
T = TypeVar("T")
#: What the test itself has caused: pages are missing for longer than the audit says.
_AGED = "page_differs"
BY = Reviewer("a person", "the chapter was split in two")


class _PoolInPlace(WorkPool):
    """Works in this process: it is the one that writes which is killed here, a hundred times."""

    async def run(self, size: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return function(*args, **kwargs)


class Place:
    """A copy of a project's ledger and staging area, in which a page is accepted by processes that die."""

    def __init__(self, folder: Path, catalog: Catalog, run: str, url: str) -> None:
        self.folder, self.catalog, self.run, self.url = folder, catalog, run, url
        self.later = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.later

    def accept(self) -> int:
        """Accept the page, if the run holds it still; how many pages that were."""
        store = open_store(self.folder / "staged")
        with closing(open_ledger(str(self.folder / "ledger.db"))) as ledger:
            recover_staging(ledger, store, self.now())
            with ledger.connect() as conn:
                urls = [url for url in held_pages.list_held_urls(conn, self.run) if url == self.url]
            with closing(
                Acceptor(ReviewContext(ledger, store, self.catalog, _PoolInPlace(), "development", self.now), self.run)
            ) as one:
                for url in urls:
                    one.accept(url, BY)
        return len(urls)

    def dies_at(self, step: int) -> bool:
        def work() -> None:
            die_at(step)
            self.accept()

        code = child_processes.run(work)
        assert code in {0, KILLED}
        return code == KILLED

    def wrong(self) -> list[str]:
        """What `scrapy verify` finds that no repair could mend."""
        with closing(open_ledger(str(self.folder / "ledger.db"))) as ledger:
            report = verify_staging(ledger, open_store(self.folder / "staged"), now=self.now())
        return [str(finding) for finding in report.findings if not finding.repairable and finding.kind != _AGED]

    def assert_whole(self, change_type: str, lines: int) -> None:
        with closing(open_ledger(str(self.folder / "ledger.db"))) as ledger:
            report = verify_staging(ledger, open_store(self.folder / "staged"), now=self.now())
        assert [str(finding) for finding in report.findings if finding.kind != _AGED] == []
        with closing(sqlite3.connect(self.folder / "ledger.db")) as ledger:
            counted = ledger.execute("SELECT count(*) FROM actions WHERE action = 'accept'").fetchone()
            states = ledger.execute("SELECT state FROM runs WHERE run_id = ?", [self.run]).fetchall()
            types = ledger.execute("SELECT change_type FROM envelopes WHERE run_id = ?", [self.run]).fetchall()
        assert (counted, states, types) == ((1,), [("complete",)], [(change_type,)])
        assert len((self.folder / "staged" / "_index.jsonl").read_text().splitlines()) == lines
        errors = (self.folder / "staged" / "_errors.jsonl").read_text().splitlines()
        assert [json.loads(line)["url"] for line in errors if json.loads(line)["resolved"]] == [self.url]


@pytest.mark.parametrize("change_type", ["modified", "deleted"])
def test_accept_killed_at_any_step_is_finished_by_next(
    site: Site, project: Project, crawl_output: CrawlOutput, tmp_path: Path, change_type: str
) -> None:
    if change_type == "modified":
        run, path = shrunk_start(site, project, crawl_output), "/"
    else:
        run, path = removed(site, project, crawl_output, remaining=[f"/k{number}" for number in range(6)]), "/1"
    lines = len(crawl_output.index()) + 1
    catalog = load_files([project.folder / "manifest.json"], allowed_addresses=[site.at("/").split("/")[2]])
    for step in range(1, STEPS):
        folder = tmp_path / f"killed at {step}"
        shutil.copytree(project.folder / "collect", folder)
        place = Place(folder, catalog, run, site.at(path))
        died = place.dies_at(step)
        place.later = timedelta(minutes=2)  # the lease of the dead has ended
        assert place.wrong() == [], step
        place.accept()
        place.assert_whole(change_type, lines)
        shutil.rmtree(folder)
        if not died:
            break
    else:
        pytest.fail(f"it takes more than {STEPS} steps")
    assert step > 20
