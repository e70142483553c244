"""A collection in whose middle something breaks, and the one after it was mended.

In: a site, a project, a fault. Out: nothing, or an AssertionError: what was said, lost, asked again, or left over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crawl.crashes.lock_timeout_addon import ADDONS
from tests.support.jobs import job
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Mapping

    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

PATHS = {"/", *(f"/{number}" for number in range(12))}


class Faulty:
    """A small site, `a`, and one page that was collected before, so that there is something to lose."""

    def __init__(self, site: Site, project: Project, crawl_output: CrawlOutput) -> None:
        self.site, self.project, self.left = site, project, crawl_output
        site.page("/", page("Start", *sorted(PATHS - {"/"})))
        for path in (PATHS - {"/"}) | {"/before"}:
            site.page(path, page(f"Page {path}"))
        sources = [source("before", site.at("/before")), source("a", site.at("/"), "crawl")]
        project.manifest(sources, delay_s=0.05)
        done = project.scrapy("collect", "--source", "before")
        assert done.returncode == 0, done.stderr

    def breaks(
        self,
        fault: Callable[[subprocess.Popen[str]], object],
        *says: str,
        addons: str = ADDONS,
        env: Mapping[str, str] | None = None,
    ) -> None:
        """*fault* while a page is under way: the job ends with 3, and says so in sentences with *says*."""
        held = self.site.slow("/6", times=1)
        with job(self.project, "collect", "-s", f"ADDONS={addons}", env=env, obedient=True) as running:
            self.site.log.wait_for("/6", timeout=60)
            fault(running)
            held.release()
            output, _ = running.communicate(timeout=100)
        assert running.returncode == 3, output
        for words in says:
            assert words in output
        assert "Traceback" not in output, output
        assert "0 of 1 sources complete" in output

    def refused(self, says: str) -> None:
        """A job that begins before it was mended ends with 3, before it asks for anything."""
        requests = len(self.site.log.hits())
        with job(self.project, "collect", obedient=True) as running:
            output, _ = running.communicate(timeout=100)
        assert running.returncode == 3, output
        assert says in output
        assert "Traceback" not in output
        assert len(self.site.log.hits()) == requests

    def goes_on(self) -> None:
        """The next job, once the leases of the last have ended: nothing is asked twice, lost, or left over."""
        captured, requests = self.left.in_state("a", "captured"), len(self.site.log.hits())
        self.left.expire_claims()
        done = self.project.scrapy("collect")
        assert done.returncode == 0, done.stdout + done.stderr
        assert not captured & {hit.path for hit in self.site.log.hits()[requests:]}
        assert self.left.in_state("a", "captured") == PATHS
        assert [run["state"] for run in self.left.runs("a")] == ["complete"]
        assert len(self.left.files()) == len(self.left.index()) == len(PATHS) + 1
        self.left.assert_sums()
        self.left.assert_verified()
